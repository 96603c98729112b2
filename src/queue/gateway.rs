//! Gateway responses: distinguished from the service's own by their body.

use crate::error::Error;
use podqueue_runtime::__private::json::{for_each_field, is_json};

/// Returns true if a 403 or a 404 comes from a gateway in front of the service: its body is not
/// JSON.
pub(crate) fn is_from_gateway(error: &Error) -> bool {
    matches!(error.status(), Some(403 | 404))
        && error.unredacted_body().is_some_and(|body| !is_json(body))
}

/// Returns true if the body is a JSON object, malformed or not, with a field of a job's record.
pub(crate) fn is_job_record(json: &[u8]) -> bool {
    let mut found = false;
    let is_whole = for_each_field(json, |name, value| {
        found |= match &*name {
            "id" | "stream" => true,
            "status" => !is_http_status(value),
            _ => false,
        };
    });
    is_whole && found
}

/// Returns true if a field `status` holds an HTTP status, as in a gateway's errors, instead of a
/// job's.
pub(crate) fn is_http_status(json: &[u8]) -> bool {
    matches!(json, [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'])
}

#[cfg(test)]
mod tests {
    use super::is_job_record;

    #[test]
    fn the_fields_of_a_record_are_told_from_those_of_an_error() {
        for json in [
            "{\"status\":NaN}",
            "{\"status\":7}",
            "{\"id\":\"j\",\"status\":500}",
            "{\"stream\":7}",
        ] {
            assert!(is_job_record(json.as_bytes()), "{json}");
        }
        for json in ["{\"jobs\":{}}", "{\"status\":500,\"error\":\"upstream\"}", "[]", "<html>"] {
            assert!(!is_job_record(json.as_bytes()), "{json}");
        }
    }
}
