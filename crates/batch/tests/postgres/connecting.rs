//! Connecting to a database, and refusals.

mod tls;

use std::net::TcpListener;
#[cfg(all(feature = "rustls-no-provider", not(feature = "rustls")))]
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use podqueue_batch::store::{OpenStore, Postgres, Store};
use podqueue_batch::{Error, ErrorKind, State};
use podqueue_pgserver::{Pooler, Proxy, Server, Traffic};

use crate::journal;
use crate::rules::{counts, stored};

/// The error of opening a batch in this database.
fn refused(url: &str) -> Error {
    Postgres::connect(url, "a").outage_timeout(Duration::ZERO).open().map(drop).unwrap_err()
}

#[test]
fn tables_of_a_newer_version_are_refused() {
    let url = journal::database("newer");
    Postgres::connect(&url, "a").open().unwrap();
    journal::sql("newer", "UPDATE podqueue.version SET version = version + 1");
    for error in [
        Postgres::connect(&url, "a").open().map(drop).unwrap_err(),
        Postgres::connect(&url, "a").inspect().map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::NewerVersion, "{error}");
    }
}

#[test]
fn a_user_without_the_right_to_create_a_schema_uses_an_existing_one() {
    let url = journal::database("rights");
    journal::sql(
        "rights",
        "CREATE ROLE worker LOGIN; REVOKE CREATE ON DATABASE rights FROM PUBLIC",
    );
    let url = url.replace("postgres@", "worker@");
    let error = Postgres::connect(&url, "a").open().map(drop).unwrap_err();
    assert!(error.to_string().contains("the user needs the right to create it"), "{error}");
    journal::sql("rights", "CREATE SCHEMA podqueue AUTHORIZATION worker");
    let mut store = Postgres::connect(&url, "a").open().unwrap();
    store.add(&[stored("a"), stored("b")], &[]).unwrap();
    assert_eq!(counts(&mut store), "2 pending");
}

#[test]
fn a_user_without_rights_is_told_which_are_missing() {
    let url = journal::database("looking");
    Postgres::connect(&url, "a").open().unwrap();
    journal::sql(
        "looking",
        "CREATE ROLE guest LOGIN; REVOKE CONNECT ON DATABASE looking FROM PUBLIC",
    );
    let guest = Postgres::connect(url.replace("postgres@", "guest@"), "a");
    for (lacking, granted) in [
        ("GRANT CONNECT", "GRANT CONNECT ON DATABASE looking TO guest"),
        ("USAGE on it and SELECT on its tables", "GRANT USAGE ON SCHEMA podqueue TO guest"),
        ("USAGE on it and SELECT", "GRANT SELECT ON podqueue.version TO guest"),
        ("USAGE on it and SELECT", "GRANT SELECT ON ALL TABLES IN SCHEMA podqueue TO guest"),
    ] {
        let error = guest.inspect().map(drop).unwrap_err().to_string();
        assert!(error.contains("permission denied") && error.contains(lacking), "{error}");
        journal::sql("looking", granted);
    }
    assert_eq!(counts(&mut guest.inspect().unwrap()), "");
    let error = guest.open().map(drop).unwrap_err();
    assert!(error.to_string().contains("to run one, also INSERT"), "{error}");
}

#[test]
fn a_refused_connection_is_reported_with_its_remedy() {
    let mut server = Server::start();
    let url = server.create("jobs");
    let users = "CREATE ROLE worker LOGIN PASSWORD 'right'; CREATE ROLE guest LOGIN;
        CREATE ROLE many LOGIN CONNECTION LIMIT 0";
    server.sql("jobs", users);
    let file = server.sql("jobs", "SELECT current_setting('hba_file')");
    let rules = "VALUES ('host all postgres,many,nobody all trust'), ('host all guest all reject'),
        ('host all all all scram-sha-256')";
    server.sql("jobs", &format!("COPY ({rules}) TO '{file}'"));
    server.stop();
    server.resume();
    let of = |user: &str| url.replace("postgres@", &format!("{user}@"));
    for (url, helps) in [
        (url.replace("/jobs", "/jbos"), "create it with createdb"),
        (of("nobody"), "must exist and have LOGIN"),
        (of("guest"), "pg_hba.conf, which must admit the user"),
        (of("worker:wr0ng"), "PGPASSWORD, or else from the file PGPASSFILE"),
        (of("many"), "needs two connections"),
        // No name is that long.
        (url.replace("127.0.0.1", &"a".repeat(64)), "check the name of the host"),
    ] {
        let error = refused(&url).to_string();
        assert!(error.contains(helps), "{error}");
        assert!(!error.contains("wr0ng"), "{error}");
    }
}

#[test]
fn a_removed_table_is_reported_with_its_remedy() {
    let url = journal::database("damaged");
    Postgres::connect(&url, "a").open().unwrap();
    journal::sql("damaged", "DROP TABLE podqueue.batch CASCADE");
    let error = refused(&url).to_string();
    assert!(error.contains("DROP SCHEMA podqueue CASCADE"), "{error}");
}

#[test]
fn a_password_is_in_no_error() {
    let secret = "s3cr3t";
    for url in [
        format!("postgres://user:{secret}@127.0.0.1:1/db"),
        format!("postgres://user:pass?{secret}@127.0.0.1:1/db"),
        format!("postgres://user:{secret}/x@[::1/db"),
        format!("postgres://user:pass@{secret}@127.0.0.1:1/db"),
        format!("postgres://user:pass@word/{secret}@127.0.0.1:1/db"),
        format!("postgres://user:12@word?{secret}@127.0.0.1:1/db"),
        format!("postgres://user:12?{secret}=1@127.0.0.1:1/db"),
        format!("postgres://user@127.0.0.1:1/db?password={secret}&port=x"),
        format!("host=127.0.0.1 port=1 user=u password='{secret}"),
    ] {
        let postgres = Postgres::connect(&url, "a").outage_timeout(Duration::ZERO);
        assert!(!format!("{postgres:?}").contains(secret));
        let error = postgres.open().map(drop).unwrap_err();
        let said = format!("{error} {error:?}");
        assert!(!said.contains(secret), "{said}");
    }
}

/// The provider that an application installs itself.
#[cfg(all(feature = "rustls-no-provider", not(feature = "rustls")))]
fn install_provider() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // The first one to ask has none.
        let error = refused("postgres://u@localhost:1/db?sslmode=require");
        assert_eq!(error.kind(), ErrorKind::Settings);
        assert!(error.to_string().contains("install_default"), "{error}");
        rustls::crypto::aws_lc_rs::default_provider().install_default().unwrap();
    });
}

#[cfg(not(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls")))]
#[test]
fn tls_that_is_demanded_needs_a_feature() {
    let server = Server::start();
    let url = server.create("jobs");
    for demand in ["sslmode=require", "sslmode=verify-full", "sslmode=prefer&sslrootcert=/a.pem"] {
        let error = refused(&format!("{url}?{demand}"));
        assert_eq!(error.kind(), ErrorKind::Settings);
        assert!(error.to_string().contains("the feature `rustls` or `native-tls`"), "{error}");
    }
    for mode in ["disable", "prefer"] {
        Postgres::connect(format!("{url}?sslmode={mode}"), "a").open().unwrap();
    }
}

#[cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]
#[test]
fn tls_is_used_where_it_is_offered_and_a_certificate_is_verified() {
    #[cfg(all(feature = "rustls-no-provider", not(feature = "rustls")))]
    install_provider();
    let mut server = Server::start();
    let url = server.create("jobs");
    let open = |url: &str| Postgres::connect(url, "tls").open().map(drop);
    let with = |parameters: &str| format!("{}?{parameters}", url.replace("127.0.0.1", "localhost"));
    let error = open(&with("sslmode=require")).unwrap_err();
    assert!(error.to_string().contains("disable it: sslmode=disable"), "{error}");
    open(&with("sslmode=prefer")).unwrap();
    let certificate = server.certify("localhost");
    server.stop();
    server.resume();
    let trusted = format!("sslrootcert={}", certificate.display()).replace('/', "%2F");
    for mode in ["prefer", "require", "verify-full"] {
        let mode = format!("sslmode={mode}");
        let error = open(&with(&mode)).unwrap_err();
        assert!(error.to_string().contains("certificate"), "{error}");
        open(&with(&format!("{mode}&{trusted}"))).unwrap();
        // It is for another name.
        let error = open(&format!("{url}?{mode}&{trusted}")).unwrap_err();
        assert!(error.to_string().contains("certificate"), "{error}");
    }
    open(&url).unwrap();
    let plain = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'podqueue' AND NOT ssl";
    let store = Postgres::connect(with(&format!("sslmode=require&{trusted}")), "tls").open();
    assert_eq!(server.sql("jobs", plain), "0");
    drop(store);
    let missing = open(&with("sslmode=require&sslrootcert=/nowhere.pem")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Settings, "{missing}");
}

#[test]
fn a_read_only_database_can_be_read_and_is_refused_for_runs() {
    let url = journal::database("standby");
    Postgres::connect(&url, "a").open().unwrap();
    journal::sql("standby", "ALTER DATABASE standby SET default_transaction_read_only = on");
    let error = refused(&url);
    assert_eq!(error.kind(), ErrorKind::Settings);
    assert!(error.to_string().contains("the URL of the primary"), "{error}");
    let reader = Postgres::connect(&url, "a").outage_timeout(Duration::from_secs(2));
    let mut store = reader.inspect().unwrap();
    assert_eq!(counts(&mut store), "");
    assert!(store.inputs(&[State::Pending], 0, 1).unwrap().is_empty());
}

#[test]
fn a_database_whose_encoding_cannot_store_every_text_is_refused() {
    let url = journal::database("other");
    for (encoding, is_refused) in [("LATIN1", true), ("SQL_ASCII", false)] {
        journal::sql(
            "other",
            &format!(
                "CREATE DATABASE {encoding} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
            ),
        );
        let url = url.replace("/other", &format!("/{}", encoding.to_lowercase()));
        let opened = Postgres::connect(&url, "☃").open().map(drop);
        assert_eq!(opened.is_err(), is_refused, "{encoding}");
        let said = opened.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(!is_refused || said.contains("createdb --encoding UTF8"), "{said}");
    }
}

#[test]
fn a_parameter_that_cannot_be_used_is_named() {
    let server = Server::start();
    let url = server.create("jobs");
    for parameter in ["sslcert=/x", "sslmode=perhaps", "connect_timeout=soon"] {
        let error = refused(&format!("{url}?application_name=me&{parameter}&options=-c"));
        assert_eq!(error.kind(), ErrorKind::Settings);
        let name = parameter.split('=').next().unwrap();
        assert!(error.to_string().contains(&format!("the parameter {name} ")), "{error}");
    }
    // Every connection would be refused.
    let error = refused(&format!("{url}?target_session_attrs=read-only"));
    assert_eq!(error.kind(), ErrorKind::Settings);
    assert!(error.to_string().contains("target_session_attrs"), "{error}");
    Postgres::connect(format!("{url}?target_session_attrs=read-write"), "a").open().unwrap();
    let error = refused(&format!("{url}?sslkey=/x"));
    assert!(error.to_string().contains("a password instead of a client certificate"), "{error}");
    let error = refused("postgres:///jobs");
    assert!(error.to_string().contains("names no host"), "{error}");
    let pooler = Pooler::start(&server);
    let url = pooler.url("jobs");
    Postgres::connect(&url, "a").open().unwrap();
    let error = refused(&format!("{url}?options=-cwork_mem%3D8MB"));
    assert!(error.to_string().contains("ignore_startup_parameters"), "{error}");
}

#[test]
fn invalid_and_ambiguous_urls_are_refused() {
    let server = Server::start();
    let url = server.create("jobs");
    for url in [
        format!("host=127.0.0.1 port={} user=postgres dbname=jobs sslmode=require", server.port()),
        url.replace("postgres://", "Postgres://"),
        url.replace("postgres@", "postgres:a/b@"),
        url.replace("postgres@", "postgres:a?sslmode=disable&b@"),
        format!("{}?sslmode=require&user=a@b", url.replace("postgres@", "")),
    ] {
        let error = refused(&url);
        assert_eq!(error.kind(), ErrorKind::Settings, "{url}: {error}");
        assert!(error.to_string().contains("expected postgres://user@host"), "{error}");
    }
    Postgres::connect(url.replace("postgres://", "postgresql://"), "a").open().unwrap();
}

#[test]
fn a_permanent_refusal_by_a_pooler_is_reported_at_once_with_its_remedy() {
    let server = Server::start();
    let _ = server.create("jobs");
    let certificate = server.certify("localhost");
    let key = certificate.with_extension("key");
    let (certificate, key) = (certificate.display(), key.display());
    let secured = format!(
        "client_tls_sslmode = require\nclient_tls_cert_file = {certificate}\nclient_tls_key_file = {key}"
    );
    for (settings, helps) in [
        ("pool_mode = statement", "pool_mode = transaction"),
        ("disable_pqexec = 1", "disable_pqexec = 0"),
        ("auth_type = plain", "(auth_file, auth_query)"),
        ("auth_type = trust", "(auth_file, auth_query)"),
        (&secured, "the pooler asks for TLS: sslmode=require"),
    ] {
        let pooler = Pooler::start_with(&server, settings);
        let url = pooler.url("jobs").replace("postgres@", "postgres:s3cr3t@");
        let began = Instant::now();
        let error = Postgres::connect(&url, "a").open().map(drop).unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(5), "{error}");
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        assert!(error.to_string().contains(helps), "{error}");
        assert!(!error.to_string().contains("s3cr3t"), "{error}");
    }
}

#[test]
fn nul_characters_in_urls_are_refused() {
    for (part, url) in [
        ("user", "postgres://u%00:s3cr3t@h/db"),
        ("password", "postgres://u:s3%00cr3t@h/db"),
        ("password", "postgres://u@h/db?password=s3%00cr3t"),
        ("host", "postgres://u@h%00/db"),
        ("host", "postgres://u@%2Frun%00/db"),
        ("host", "postgres://u@h/db?host=other%00"),
        ("name", "postgres://u@h/d%00b"),
        ("application_name", "postgres://u@h/db?application_name=%00"),
        ("options", "postgres://u@h/db?options=-c%00"),
    ] {
        let error = refused(url);
        assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
        let said = error.to_string();
        assert!(said.contains("NUL") && said.contains(&format!("in the {part} ")), "{said}");
        assert!(!said.contains("cr3t"), "{said}");
    }
}

#[test]
fn a_missing_batch_is_reported_with_the_existing_ones() {
    let url = journal::database("names");
    let nightly = Postgres::connect(&url, "nightly");
    let mut store = nightly.clone().open().unwrap();
    let missing = Postgres::connect(&url, "nihgtly").inspect().map(drop).unwrap_err();
    assert!(missing.to_string().contains("\"nightly\""), "{missing}");
    journal::sql("names", "DELETE FROM podqueue.batch");
    let error = store.sharing().unwrap().rejoin().unwrap_err();
    assert!(error.to_string().contains("was removed from"), "{error}");
}

#[test]
fn an_outage_during_a_due_lease_is_waited_for() {
    let lease = Duration::from_secs(2);
    let server = Server::start();
    let _ = server.create("jobs");
    let proxy = Proxy::start(&server);
    let mut store = Postgres::connect(proxy.url("jobs"), "a").lease(lease).open().unwrap();
    store.sharing().unwrap().identify("a", State::Unknown).unwrap();
    store.add(&[stored("a")], &[]).unwrap();
    proxy.set(Traffic::Cut);
    thread::sleep(lease / 2);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            proxy.set(Traffic::Passes);
        });
        assert_eq!(counts(&mut store), "1 pending");
    });
    // No process has recovered it meanwhile.
    store.add(&[stored("b")], &[]).unwrap();
    assert_eq!(counts(&mut store), "2 pending");
}

#[test]
fn a_silent_database_is_waited_for_ten_seconds_when_a_batch_is_opened() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://u@{}/jobs", silent.local_addr().unwrap());
    let began = Instant::now();
    let error = Postgres::connect(url, "a").open().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    let took = began.elapsed();
    assert!((9..14).contains(&took.as_secs()), "{took:?}");
}

#[test]
fn a_database_that_accepts_no_connections_yet_is_waited_for() {
    let url = journal::database("fenced");
    journal::sql("postgres", "ALTER DATABASE fenced ALLOW_CONNECTIONS false");
    let error = refused(&url);
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
}
