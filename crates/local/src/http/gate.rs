//! What stands before every operation, whichever interface it belongs to.

use axum::http::request::Parts;

use super::Refusal;
use super::auth::authenticate;
use crate::app::App;
use crate::operation::Operation;

/// Lets a request through, or says why not.
pub(crate) fn admit(app: &App, operation: Operation, request: &Parts) -> Result<(), Refusal> {
    authenticate(&app.keys, operation, request)
}
