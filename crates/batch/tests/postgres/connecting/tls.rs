//! TLS to a database: when it is used, its errors, and retries.

#![cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

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
fn percent_encoded_parameters_are_decoded() {
    let (_server, url) = server();
    for parameter in ["sslmode=%72equire", "%73slmode=require", "%73sl%6dode=verify%2Dfull"] {
        let error = refused(&format!("{url}?{parameter}"));
        assert!(error.to_string().contains("does not support TLS"), "{error}");
    }
    let error = refused(&format!("{url}?%73slrootcert=/nowhere.pem"));
    assert!(error.to_string().contains("/nowhere.pem"), "{error}");
}

#[test]
fn addresses_decide_whether_a_connection_is_local() {
    let (mut server, url) = server();
    let _ = server.certify("localhost");
    restart(&mut server);
    // Without verification of the certificate.
    open(&url);
    open(&format!("{}?hostaddr=127.0.0.1", url.replace("localhost", "db.example")));
    // Resolves to this host, but is not in the certificate.
    let elsewhere = "hostaddr=0.0.0.0";
    let error = refused(&format!("{url}?{elsewhere}"));
    assert!(error.to_string().contains("certificate"), "{error}");
    let port = server.port();
    let error = refused(&format!("postgres://postgres@/jobs?port={port}&{elsewhere}"));
    assert!(error.to_string().contains("name the host beside its hostaddr"), "{error}");
    assert!(error.to_string().contains(&format!("at 0.0.0.0:{port}")), "{error}");
    open(&format!("{url}?{elsewhere}&sslmode=disable"));
}

#[test]
fn sslrootcert_demands_tls_on_this_machine_too() {
    let (mut server, url) = server();
    let certificate = server.certify("localhost");
    let trusted = trusting(&certificate);
    server.sql("jobs", "ALTER SYSTEM SET ssl = off");
    restart(&mut server);
    open(&format!("{url}?{trusted}"));
    server.sql("jobs", "ALTER SYSTEM SET ssl = on");
    restart(&mut server);
    let _store = Postgres::connect(format!("{url}?{trusted}"), "a").open().unwrap();
    let secured = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'podqueue'";
    assert_eq!(server.sql("jobs", secured), "t");
    let error = refused(&format!("{}?{trusted}", url.replace("localhost", "127.0.0.1")));
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[test]
fn direct_negotiation_is_never_without_tls() {
    let (_server, url) = server();
    for mode in ["disable", "prefer"] {
        let error = refused(&format!("{url}?sslnegotiation=direct&sslmode={mode}"));
        assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
        assert!(error.to_string().contains("say sslmode=require"), "{error}");
    }
    // The server offers none.
    refused(&format!("{url}?sslnegotiation=direct"));
}

#[test]
fn a_file_without_a_certificate_is_refused() {
    let (_server, url) = server();
    let file = env::temp_dir().join(format!("podqueue-empty-{}.pem", process::id()));
    fs::write(&file, "no certificate\n").unwrap();
    let error = refused(&format!("{url}?sslmode=require&{}", trusting(&file)));
    fs::remove_file(&file).unwrap();
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
    assert!(error.to_string().contains("there is none in it"), "{error}");
}

#[test]
fn an_untrusted_certificate_is_reported_with_its_remedy() {
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
fn a_required_client_certificate_is_reported() {
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
