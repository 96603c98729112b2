//! TLS to a database: where it is spoken, what is said where it fails, and that it is waited for.

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

fn open(url: &str) {
    Postgres::connect(url, "a").open().unwrap();
}

#[test]
fn what_helps_where_a_certificate_is_not_trusted_is_said() {
    let (mut server, url) = server();
    let _ = server.certify("localhost");
    restart(&mut server);
    let error = refused(&format!("{url}?sslmode=require"));
    assert!(error.to_string().contains("the CA's certificate in sslrootcert"), "{error}");
    let certificate = server.certify_as_ca("localhost");
    restart(&mut server);
    let trusted = format!("{url}?sslmode=require&{}", trusting(&certificate));
    // The operating system's library takes it.
    if cfg!(any(feature = "rustls", feature = "rustls-no-provider")) {
        let error = refused(&trusted);
        assert!(error.to_string().contains("CA:FALSE"), "{error}");
    } else {
        open(&trusted);
    }
}

#[test]
fn a_server_that_asks_for_a_client_certificate_is_told_from_others() {
    let (mut server, url) = server();
    let certificate = server.certify("localhost");
    let sql = format!("ALTER SYSTEM SET ssl_ca_file = '{}'", certificate.display());
    server.sql("jobs", &sql);
    server.sql("jobs", "CREATE ROLE worker LOGIN");
    let file = server.sql("jobs", "SELECT current_setting('hba_file')");
    let rules = "VALUES ('hostssl all worker all cert'), ('host all all all trust')";
    server.sql("jobs", &format!("COPY ({rules}) TO '{file}'"));
    restart(&mut server);
    let url = url.replace("postgres@", "worker@");
    let error = refused(&format!("{url}?sslmode=require&{}", trusting(&certificate)));
    assert!(error.to_string().contains("client certificates are not supported"), "{error}");
}

#[test]
fn tls_that_is_wrong_for_a_while_is_waited_for_later_and_not_at_first() {
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
            while !outage.so_far().is_some_and(|(_, said)| said.contains(why)) {
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
