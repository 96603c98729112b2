//! TLS by rustls, with the provider of cryptography that the application installed, or else its own.

use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::trusted::unreadable;

pub(crate) type Connector = MakeRustlsConnect;

pub(super) fn settings(trusted: Option<&Path>, _: bool) -> Result<Option<Connector>, String> {
    let installed = CryptoProvider::get_default().cloned();
    let provider = installed.or_else(own).ok_or_else(|| {
        "TLS to the database needs a provider of cryptography, and none is installed: install one before (rustls::crypto::CryptoProvider::install_default), or build with the feature `rustls`, which has one"
            .to_owned()
    })?;
    let failed = |error: rustls::Error| format!("TLS to the database cannot be set up: {error}");
    let verifier = match trusted {
        Some(file) => Verifier::new_with_extra_roots(read(file)?, Arc::clone(&provider)),
        None => Verifier::new(Arc::clone(&provider)),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier.map_err(failed)?))
        .with_no_client_auth();
    Ok(Some(MakeRustlsConnect::new(config)))
}

/// That of the feature `rustls`.
fn own() -> Option<Arc<CryptoProvider>> {
    #[cfg(feature = "rustls")]
    return Some(Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
    #[cfg(not(feature = "rustls"))]
    None
}

fn read(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    let certificates: Vec<_> = certificates.map_err(|error| unreadable(file, error))?;
    match certificates.is_empty() {
        true => Err(unreadable(file, "there is none in it")),
        false => Ok(certificates),
    }
}
