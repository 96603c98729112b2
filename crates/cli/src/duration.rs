//! Durations, as arguments and as they are printed.

use std::time::Duration;

/// A duration such as `90s`, `10m` or `1h 30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "expected a number with a unit, such as 90s, 10m or 2h".to_owned())
}

/// A duration for people: in milliseconds if it is short, and in whole seconds otherwise.
pub fn short(time: Duration) -> String {
    match time.as_millis() {
        milliseconds @ ..10_000 => format!("{milliseconds} ms"),
        _ => humantime::format_duration(Duration::from_secs(time.as_secs())).to_string(),
    }
}
