//! What to do about a failure, where that is known.

use tokio_postgres::error::{DbError, SqlState};

/// What helps where a table is not there that was.
const MISSING: &str = "; the schema podqueue was removed or damaged while in use: restore it from a backup. A batch that is begun anew, after DROP SCHEMA podqueue CASCADE and with other results, submits all of its inputs again";

/// What helps where a pooler does not let a user in.
const LOGIN: &str = "; the pooler must know the user and the password (auth_file, auth_query); the password is taken from the URL, or else from PGPASSWORD, or else from the file PGPASSFILE (~/.pgpass)";

/// What a pooler says where waiting does not help, in lower case, and what does. It says nearly all
/// by the code of a broken connection.
const OF_POOLER: [(&str, &str); 8] = [
    (
        "unsupported startup parameter",
        "; a pooler does not pass this parameter on: leave it out of the URL, or list it in the pooler's ignore_startup_parameters",
    ),
    (
        "statement pooling mode",
        "; the pooler must be in transaction mode, or session mode: pool_mode = transaction",
    ),
    ("pqexec disallowed", "; the pooler must let these statements pass: disable_pqexec = 0"),
    (
        "no such database",
        "; the pooler does not know it: correct its name in the URL, or list it in the pooler's section [databases]",
    ),
    (
        "no such user",
        "; the pooler does not know the user: correct it in the URL, or list it in the pooler's auth_file",
    ),
    ("ssl required", "; the pooler asks for TLS: sslmode=require"),
    // By a password, SASL, or the list of users alone.
    ("authentication failed", LOGIN),
    ("auth failed", LOGIN),
];

/// What to do about it.
pub(super) fn hint(error: &tokio_postgres::Error, said: &str) -> &'static str {
    let Some(code) = error.code() else { return without_code(said) };
    let hints = [
        (
            SqlState::READ_ONLY_SQL_TRANSACTION,
            "; it is a standby, or only to be read: the URL must be that of the primary",
        ),
        (SqlState::INVALID_CATALOG_NAME, "; make it with createdb, or correct its name in the URL"),
        (SqlState::UNDEFINED_TABLE, MISSING),
        (SqlState::INVALID_SCHEMA_NAME, MISSING),
        (
            SqlState::INVALID_PASSWORD,
            "; the password is taken from the URL, or else from PGPASSWORD, or else from the file PGPASSFILE (~/.pgpass)",
        ),
        (SqlState::INVALID_AUTHORIZATION_SPECIFICATION, not_let_in(said)),
        (
            SqlState::TOO_MANY_CONNECTIONS,
            "; each process of a batch needs two connections, one for the journal and one for the shared limits: end some, or raise the CONNECTION LIMIT of the user or the database, or the server's max_connections",
        ),
    ];
    let of_code = || hints.iter().find(|(of, _)| of == code).map(|(_, hint)| *hint);
    of_pooler(error).or_else(of_code).unwrap_or_default()
}

/// What to do where a pooler has refused something for good.
pub(super) fn of_pooler(error: &tokio_postgres::Error) -> Option<&'static str> {
    let said = error.as_db_error().filter(|said| said.code().code().starts_with("08"))?;
    let said = DbError::message(said).to_lowercase();
    OF_POOLER.iter().find(|(text, _)| said.contains(text)).map(|(_, hint)| *hint)
}

fn not_let_in(said: &str) -> &'static str {
    if said.contains("client certificate") {
        "; client certificates are not supported: let the server's pg_hba.conf ask this user for a password (scram-sha-256, without clientcert)"
    } else {
        "; check the user in the URL, who must be there and have LOGIN, and the server's pg_hba.conf, which must let the user in from here (it may ask for TLS: sslmode=require)"
    }
}

/// What to do where the server has said nothing, or not by a code: as the client and the libraries
/// for TLS word it.
fn without_code(said: &str) -> &'static str {
    let hints = [
        (
            "password missing",
            "; put it into the file ~/.pgpass, which only its owner may read (chmod 600), or into PGPASSWORD",
        ),
        (
            "server does not support TLS",
            "; turn it on there (ssl = on), or, in a network that can be trusted, do without: sslmode=disable",
        ),
        (
            "no hostname provided",
            "; a certificate is for a name: name the host beside its hostaddr",
        ),
        ("failed to lookup address information", "; check the name of the host in the URL"),
        ("UnknownIssuer", ISSUER),
        ("unable to get local issuer certificate", ISSUER),
        ("self-signed certificate", ISSUER),
        ("self signed certificate", ISSUER),
        (
            "CaUsedAsEndEntity",
            "; the server's certificate is one of a CA, as openssl req -x509 makes it: make it with -addext basicConstraints=critical,CA:FALSE, or sign another one with a CA, and name the file of what signed it in sslrootcert",
        ),
    ];
    hints.iter().find(|(text, _)| said.contains(text)).map_or("", |(_, hint)| hint)
}

/// What helps where nobody knows who signed a certificate.
const ISSUER: &str = "; if it was signed by a CA of your own, name the file with the CA's certificate in sslrootcert";
