//! Deletions: confirmed by the requested field of the response, or by "not found" after a retry.

use std::time::Duration;

use bytes::Bytes;
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::json::RawField;
use podqueue_runtime::Idempotency;
use podqueue_runtime::graphql::{data, errors_in};
use serde::Serialize;

use super::not_found::Deleted;
use super::{Graphql, Operation};
use crate::error::{Error, ErrorKind, Result};

/// Sends `O`, which deletes something. It can safely be retried: if an earlier attempt may
/// have taken effect, a clear "not found" is success, and any other refusal leaves the outcome
/// unknown.
pub(super) async fn delete<O: Operation>(
    graphql: &Graphql,
    variables: &impl Serialize,
    deleted: Deleted<'_>,
    timeout: Option<Duration>,
) -> Result<()> {
    let sent = graphql.reply::<O>(variables, Idempotency::IdempotentEffect, timeout).await;
    let (maybe_before, result) = match sent {
        Ok(reply) => {
            let confirmed = data::<Error>(&reply).map_err(Error::from).and_then(|data| {
                let data = data.unwrap_or_default();
                confirm(reply.attempted(), deleted.field, &data)
                    .map_err(|error| error.explained_by(&reply))
            });
            (reply.is_after_unknown_outcome(), confirmed)
        }
        Err(error) => (error.is_after_unknown_outcome(), Err(error.into())),
    };
    result.or_else(|error| match error.kind() {
        _ if maybe_before && is_not_found(deleted, &error) => Ok(()),
        ErrorKind::Decode => Err(error.unreadable(Idempotency::NonIdempotent)),
        _ if maybe_before && !error.is_retryable() => Err(error.refused_after_ambiguity()),
        _ => Err(error),
    })
}

/// Returns true if an error says that the object to delete does not exist. A 404 without GraphQL errors does
/// not count: it may come from a gateway.
fn is_not_found(deleted: Deleted<'_>, error: &Error) -> bool {
    let attempted = Attempted::new(deleted.field).on_interface("GraphQL");
    let errors = error.unredacted_body().and_then(|body| errors_in(&attempted, body));
    errors.is_some_and(|errors| errors.iter().all(|error| deleted.is_not_found_by(error)))
}

/// Refuses a response without the field that confirms a deletion: the requested one. The type of the field is
/// `Void`, so any value except `false` confirms.
fn confirm(attempted: &Attempted, field: &'static str, data: &Bytes) -> Result<()> {
    let confirmed = RawField::named(attempted, data, &[field])
        .is_ok_and(|fields| fields.iter().any(|it| it.json != "false"));
    if confirmed { Ok(()) } else { Err(not_confirmed(attempted, field)) }
}

fn not_confirmed(attempted: &Attempted, field: &str) -> Error {
    let message = format!("`data.{field}` in the response does not confirm the deletion");
    Error::new(ErrorKind::Decode, attempted, message).with_field(format!("data.{field}"))
}
