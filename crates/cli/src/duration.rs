//! Durations as arguments.

use std::time::Duration;

/// A duration such as `90s`, `10m` or `1h 30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "expected a number with a unit, such as 90s, 10m or 2h".to_owned())
}
