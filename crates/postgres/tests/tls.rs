//! TLS to a database: when it is used, and its errors, with each of the libraries.

#![cfg(any(feature = "rustls", feature = "native-tls"))]
#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

use std::path::Path;
use std::time::Duration;
use std::{env, fs, process};

use podqueue_pgserver::Server;
use podqueue_postgres::{Connection, Failure, Target};

/// A server with a database, and its URL by the name that its certificates are for.
fn server() -> (Server, String) {
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

/// A connection that has reached its database, or why there is none.
fn connect(url: &str) -> Result<Connection, String> {
    let target = Target::parse(url).map_err(|error| format!("the URL: {error}"))?;
    let mut connection = Connection::new(target).unwrap();
    let reached = connection.attempt(Duration::from_secs(15), async |client| {
        Ok::<_, Failure>(client.batch_execute("SET application_name = 'podqueue'").await?)
    });
    reached.map(|()| connection).map_err(|failure| failure.to_string())
}

fn open(url: &str) {
    connect(url).unwrap();
}

/// The reason for which a URL leads to no connection.
fn refused(url: &str) -> String {
    connect(url).map(drop).unwrap_err()
}

#[test]
fn percent_encoded_parameters_are_decoded() {
    let (_server, url) = server();
    for parameter in ["sslmode=%72equire", "%73slmode=require", "%73sl%6dode=verify%2Dfull"] {
        let error = refused(&format!("{url}?{parameter}"));
        assert!(error.contains("does not support TLS"), "{error}");
    }
    let error = refused(&format!("{url}?%73slrootcert=/nowhere.pem"));
    assert!(error.contains("/nowhere.pem"), "{error}");
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
    assert!(error.contains("certificate"), "{error}");
    let port = server.port();
    let error = refused(&format!("postgres://postgres@/jobs?port={port}&{elsewhere}"));
    assert!(error.contains("name the host beside its hostaddr"), "{error}");
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
    let _connection = connect(&format!("{url}?{trusted}")).unwrap();
    let secured = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'podqueue'";
    assert_eq!(server.sql("jobs", secured), "t");
    let error = refused(&format!("{}?{trusted}", url.replace("localhost", "127.0.0.1")));
    assert!(error.contains("certificate"), "{error}");
}

#[test]
fn direct_negotiation_is_never_without_tls() {
    let (_server, url) = server();
    for mode in ["disable", "prefer"] {
        let error = refused(&format!("{url}?sslnegotiation=direct&sslmode={mode}"));
        assert!(error.contains("the URL: ") && error.contains("set sslmode=require"), "{error}");
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
    assert!(error.contains("the URL: ") && error.contains("it contains no certificate"), "{error}");
}

#[test]
fn an_untrusted_certificate_is_reported_with_its_remedy() {
    let (mut server, url) = server();
    let _ = server.certify("localhost");
    restart(&mut server);
    let error = refused(&format!("{url}?sslmode=require"));
    assert!(error.contains("the CA's certificate in sslrootcert"), "{error}");
    let certificate = server.certify_as_ca("localhost");
    restart(&mut server);
    let trusted = format!("{url}?sslmode=require&{}", trusting(&certificate));
    // The operating system's library takes it.
    if cfg!(feature = "rustls") {
        let error = refused(&trusted);
        assert!(error.contains("CA:FALSE"), "{error}");
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
    assert!(error.contains("client certificates are not supported"), "{error}");
}
