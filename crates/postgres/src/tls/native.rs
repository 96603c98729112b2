//! TLS by the operating system's library.

use std::fs;
use std::path::Path;

use native_tls::{Certificate, TlsConnector};
use postgres_native_tls::MakeTlsConnector;

use super::trusted::unreadable;

pub(crate) type Connector = MakeTlsConnector;

pub(super) fn settings(trusted: Option<&Path>, _: bool) -> Result<Option<Connector>, String> {
    let mut builder = TlsConnector::builder();
    if let Some(file) = trusted {
        let text = fs::read(file).map_err(|error| unreadable(file, error))?;
        let certificates =
            Certificate::stack_from_pem(&text).map_err(|error| unreadable(file, error))?;
        if certificates.is_empty() {
            return Err(unreadable(file, "there is none in it"));
        }
        for certificate in certificates {
            builder.add_root_certificate(certificate);
        }
    }
    let connector = builder.build();
    let connector =
        connector.map_err(|error| format!("TLS to the database cannot be set up: {error}"))?;
    Ok(Some(MakeTlsConnector::new(connector)))
}
