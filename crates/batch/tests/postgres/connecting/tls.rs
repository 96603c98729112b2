//! TLS to a database: when it is used, its errors, and retries.

#![cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use podqueue_batch::ErrorKind;
use podqueue_batch::store::{OpenStore, Postgres, Store};
use podqueue_pgserver::Server;

use super::refused;
use crate::rules::counts;

/// A server with a database, and its URL by the name that its certificates are for.
fn server() -> (Server, String) {
    #[cfg(all(feature = "rustls-no-provider", not(feature = "rustls")))]
    super::install_provider();
    let server = Server::start();
    let url = server.create("jobs").replace("127.0.0.1", "localhost");
    (server, url)
}

fn restart(server: &mut Server) {
    server.stop();
    server.resume();
}

fn trusting(certificate: &Path) -> String {
    format!("sslrootcert={}", certificate.display())
}

#[test]
fn an_error_names_the_settings_and_the_address() {
    let (_server, url) = server();
    let error = refused(&format!("{url}?sslnegotiation=direct&sslmode=disable"));
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
    let error = refused(&format!("{url}?sslmode=require"));
    assert!(error.to_string().contains("does not support TLS"), "{error}");
    let port = url.rsplit_once(':').unwrap().1.replace("/jobs", "");
    assert!(error.to_string().contains(&format!("localhost:{port}")), "{error}");
}

#[test]
fn tls_errors_are_final_at_first_and_transient_later() {
    let (mut server, url) = server();
    let url = format!("{url}?sslmode=require&{}", trusting(&server.certify("localhost")));
    restart(&mut server);
    let mut store = Postgres::connect(&url, "a").open().unwrap();
    let outage = store.sharing().unwrap().outage();
    let _ = server.certify("elsewhere");
    let is_off = "ALTER SYSTEM SET ssl = off";
    let is_wrong = "ALTER SYSTEM SET ssl = on";
    for (setting, why) in [(is_off, "does not support TLS"), (is_wrong, "certificate")] {
        server.sql("jobs", setting);
        restart(&mut server);
        let began = Instant::now();
        let error = Postgres::connect(&url, "b").open().map(drop).unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(5), "{error}");
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        thread::scope(|scope| {
            let counted = scope.spawn(|| counts(&mut store));
            while !outage.elapsed().is_some_and(|(_, said)| said.contains(why)) {
                assert!(!counted.is_finished(), "it has not waited");
                thread::sleep(Duration::from_millis(5));
            }
            server.offer("localhost");
            restart(&mut server);
            assert_eq!(counted.join().unwrap(), "");
        });
        server.offer("elsewhere");
    }
}
