//! Distinguishes a gateway's responses from the service's.

use crate::error::Error;
use crate::json::is_json;

/// Whether a 403 or a 404 does not come from the service, which speaks JSON, but from a gateway before
/// it.
pub(crate) fn is_not_the_services(error: &Error) -> bool {
    matches!(error.status(), Some(403 | 404))
        && error.unredacted_body().is_some_and(|body| !is_json(body))
}
