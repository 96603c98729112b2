//! Durations, as arguments and as they are printed.

use std::time::Duration;

/// A duration such as `90s`, `10m` or `1h 30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "expected a number with a unit, such as 90s, 10m or 2h".to_owned())
}

/// Longer than any job exists: the service counts in another unit, or is wrong.
const ABSURD: u128 = 30 * 24 * 60 * 60 * 1000;

/// A duration for people: in milliseconds if it is short or absurd, and in whole seconds otherwise.
pub fn short(time: Duration) -> String {
    match time.as_millis() {
        milliseconds @ (..10_000 | ABSURD..) => format!("{milliseconds} ms"),
        _ => humantime::format_duration(Duration::from_secs(time.as_secs())).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_well_and_an_absurd_one_is_shown_as_it_came() {
        for (milliseconds, shown) in [
            (0, "0 ms"),
            (9_999, "9999 ms"),
            (10_500, "10s"),
            (90_000, "1m 30s"),
            (7 * 24 * 3_600_000 + 3_600_000, "7days 1h"),
            (1_764_000_000_000, "1764000000000 ms"),
        ] {
            assert_eq!(short(Duration::from_millis(milliseconds)), shown);
        }
    }
}
