//! How TLS is spoken to a database: by the library of the feature that is on.

use std::path::Path;

#[cfg(all(feature = "native-tls", not(feature = "rustls-no-provider")))]
mod native;
#[cfg(not(any(feature = "native-tls", feature = "rustls-no-provider")))]
mod none;
#[cfg(any(feature = "native-tls", feature = "rustls-no-provider"))]
mod trusted;
#[cfg(feature = "rustls-no-provider")]
mod with_rustls;

#[cfg(all(feature = "native-tls", not(feature = "rustls-no-provider")))]
use native as library;
#[cfg(not(any(feature = "native-tls", feature = "rustls-no-provider")))]
use none as library;
#[cfg(feature = "rustls-no-provider")]
use with_rustls as library;

/// What makes a connection to one with TLS.
pub(crate) use library::Connector;

/// How TLS is spoken, if it is: a certificate is always verified, by those that the system trusts, or
/// that are in this file. An error says what could not be done, or that TLS is demanded in vain.
pub(crate) fn settings(
    trusted: Option<&Path>,
    is_demanded: bool,
) -> Result<Option<Connector>, String> {
    library::settings(trusted, is_demanded)
}
