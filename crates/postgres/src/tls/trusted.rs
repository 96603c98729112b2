//! The file of certificates to trust.

use std::fmt::Display;
use std::path::Path;

pub(super) fn unreadable(file: &Path, error: impl Display) -> String {
    let file = file.display();
    format!("the certificates that sslrootcert names cannot be read from {file}: {error}")
}
