//! No TLS.

use std::path::Path;

use tokio_postgres::NoTls;

pub(crate) type Connector = NoTls;

pub(super) fn settings(
    trusted: Option<&Path>,
    is_demanded: bool,
) -> Result<Option<Connector>, String> {
    let demand = match trusted {
        Some(_) => "sslrootcert",
        None if is_demanded => "sslmode",
        None => return Ok(None),
    };
    Err(format!(
        "{demand} in the URL of the database demands TLS, which this program was built without: build it with the feature `rustls` or `native-tls`"
    ))
}
