//! How TLS is spoken to a database.

use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How TLS is spoken: a certificate is always verified, by those that the system trusts, or that are
/// in this file. An error says what could not be done.
pub(crate) fn settings(trusted: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(aws_lc_rs::default_provider()));
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
    Ok(MakeRustlsConnect::new(config))
}

fn read(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    certificates.map_err(|error| {
        format!(
            "the certificates that sslrootcert names cannot be read from {}: {error}",
            file.display()
        )
    })
}
