//! Distinction of a gateway's responses from the service's.

use crate::error::Error;
use podqueue_runtime::__private::json::{for_each_field, is_json};

/// Whether a 403 or a 404 does not come from the service, which speaks JSON, but from a gateway before
/// it.
pub(crate) fn is_not_the_services(error: &Error) -> bool {
    matches!(error.status(), Some(403 | 404))
        && error.unredacted_body().is_some_and(|body| !is_json(body))
}

/// Whether it is an object, flawed or not, with a field that belongs to a job's record.
pub(crate) fn is_about_a_job(json: &[u8]) -> bool {
    let mut tells = false;
    let is_whole = for_each_field(json, |name, value| {
        tells |= match &*name {
            "id" | "stream" => true,
            "status" => !is_status_of_http(value),
            _ => false,
        };
    });
    is_whole && tells
}

/// Whether a status is not a job's but an HTTP status, which gateways put into their errors.
pub(crate) fn is_status_of_http(json: &[u8]) -> bool {
    matches!(json, [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'])
}

#[cfg(test)]
mod tests {
    use super::is_about_a_job;

    #[test]
    fn the_fields_of_a_record_are_told_from_those_of_an_error() {
        for json in [
            "{\"status\":NaN}",
            "{\"status\":7}",
            "{\"id\":\"j\",\"status\":500}",
            "{\"stream\":7}",
        ] {
            assert!(is_about_a_job(json.as_bytes()), "{json}");
        }
        for json in ["{\"jobs\":{}}", "{\"status\":500,\"error\":\"upstream\"}", "[]", "<html>"] {
            assert!(!is_about_a_job(json.as_bytes()), "{json}");
        }
    }
}
