//! Arguments that several tools have: the time to wait, and the key of a call.

use std::time::Duration;

use crate::reply::Failure;

/// The longest wait of a tool, and the longest time that one may take that does not wait.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(25);

/// Limit of the id of an endpoint or a job, in bytes.
const MAX_ID: usize = 256;

/// Limit of a caller's key, in bytes.
const MAX_KEY: usize = 200;

/// The time to wait, in seconds.
pub(crate) fn wait_of(seconds: Option<f64>, default: f64) -> Result<Duration, Failure> {
    let seconds = seconds.unwrap_or(default);
    let wait = Duration::try_from_secs_f64(seconds).ok().filter(|wait| *wait <= MAX_WAIT);
    wait.ok_or_else(|| Failure::new("wait_s must be a number of seconds between 0 and 25"))
}

/// Refuses an id that no service has, so that no reply repeats it.
pub(crate) fn check_id(name: &str, id: &str) -> Result<(), Failure> {
    match !id.is_empty() && id.len() <= MAX_ID {
        true => Ok(()),
        false => Err(Failure::new(format!("{name} must have between 1 and {MAX_ID} bytes"))),
    }
}

/// The key of a call: the caller's, or one derived from the hash of the arguments.
pub(crate) fn key_of(key: Option<&str>, hash: &str) -> Result<String, Failure> {
    match key.map(str::trim) {
        None => Ok(format!("auto-{}", &hash[..32])),
        Some(key) if !key.is_empty() && key.len() <= MAX_KEY => Ok(key.to_owned()),
        Some(_) => Err(Failure::new(format!("the key must have between 1 and {MAX_KEY} bytes"))),
    }
}

pub(crate) fn other_arguments() -> Failure {
    Failure::new(
        "this key belongs to a call with other arguments: pass another key, or the same arguments",
    )
}
