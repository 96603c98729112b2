//! `Retry-After` header: seconds or a date.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// Returns the time that the service asks to wait: seconds, or an HTTP date. A date is read against the
/// response's own `Date`, if it has one: the local clock may be off.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let is_time = seconds.is_finite() && seconds >= 0.0;
        // More than a `Duration` holds is no reason to retry at once.
        return is_time.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let now = date(headers, DATE).unwrap_or_else(SystemTime::now);
    Some(until.duration_since(now).unwrap_or_default())
}

fn date(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    const EPOCH: &str = "Thu, 01 Jan 1970 00:00:00 GMT";

    fn parsed(text: &str, date: Option<&str>) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("a header value"));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).expect("a header value"));
        }
        retry_after(&headers)
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        assert_eq!(parsed("7", None), Some(Duration::from_secs(7)));
        assert_eq!(parsed(" 0.5 ", Some(EPOCH)), Some(Duration::from_millis(500)));
        assert_eq!(parsed(EPOCH, None), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(60));
        for date in [None, Some("no date")] {
            let left = parsed(&later, date).expect("a date");
            assert!(left > Duration::from_secs(50) && left <= Duration::from_secs(60), "{left:?}");
        }
        assert_eq!(parsed(&"9".repeat(30), None), Some(Duration::MAX));
        for nonsense in ["-1", "soon", "inf", "NaN", "1e400"] {
            assert_eq!(parsed(nonsense, None), None, "{nonsense}");
        }
    }

    #[test]
    fn a_date_is_read_against_the_date_of_the_response() {
        let minute_later = "Thu, 01 Jan 1970 00:01:00 GMT";
        assert_eq!(parsed(minute_later, Some(EPOCH)), Some(Duration::from_secs(60)));
        assert_eq!(parsed(EPOCH, Some(minute_later)), Some(Duration::ZERO));
    }
}
