//! Random names: tokens, and identities of processes and services.

use crate::error::Error;

/// 32 random hexadecimal digits.
pub(crate) fn random_hex() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::new("read random bytes", error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
