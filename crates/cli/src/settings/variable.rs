//! Environment variables.

use std::env;

use crate::failure::Failure;

pub const KEY: &str = "PODQUEUE_API_KEY";

/// A variable that is set to something.
pub fn variable(name: &str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.trim().is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => {
            Err(Failure::usage(format!("the variable {name} is not UTF-8")))
        }
    }
}
