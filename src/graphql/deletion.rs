//! Deletions: confirmed by the requested field of the response, or by "not found" after a retry.
//!
//! A deletion can safely be sent again. If the outcome of an earlier attempt is unknown, "not
//! found" means success, and otherwise an error of that kind. Mistaking anything else for it would report a deletion that did not
//! happen, so only the phrases listed here count; any other refusal leaves the outcome unknown.

use std::time::Duration;

use bytes::Bytes;
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::json::RawField;
use podqueue_runtime::Idempotency;
use podqueue_runtime::graphql::{data, errors_in};
use serde::Serialize;
use serde_json::Value;

use super::{Graphql, GraphqlError, Operation};
use crate::error::{Error, ErrorKind, Result};

/// The object to delete: its kind, and its id or name.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeletionTarget<'a> {
    /// The kind of the object in the service's messages: `template`.
    pub(super) kind: &'static str,
    /// The field of the result.
    pub(super) field: &'static str,
    pub(super) id: &'a str,
}

/// Sends the deletion `O`. It can safely be retried: if an earlier attempt may
/// have taken effect, a clear "not found" is success, and any other refusal leaves the outcome
/// unknown.
pub(super) async fn delete<O: Operation>(
    graphql: &Graphql,
    variables: &impl Serialize,
    deleted: DeletionTarget<'_>,
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
        _ if is_not_found(deleted, &error) => match maybe_before {
            true => Ok(()),
            false => Err(error.with_kind(ErrorKind::NotFound)),
        },
        ErrorKind::Decode => Err(error.classify_decode_error(Idempotency::NonIdempotent)),
        _ if maybe_before && !error.is_retryable() => Err(error.refused_after_ambiguity()),
        _ => Err(error),
    })
}

/// Returns true if an error says that the object to delete does not exist. A 404 without GraphQL
/// errors does not count: it may come from a gateway.
fn is_not_found(deleted: DeletionTarget<'_>, error: &Error) -> bool {
    let attempted = Attempted::new(deleted.field).on_interface("GraphQL");
    let errors = error.unredacted_body().and_then(|body| errors_in(&attempted, body));
    errors.is_some_and(|errors| errors.iter().all(|error| deleted.is_not_found_by(error)))
}

/// Refuses a response without the field that confirms a deletion: the requested one. The type of
/// the field is `Void`, so any value except `false` confirms.
fn confirm(attempted: &Attempted, field: &'static str, data: &Bytes) -> Result<()> {
    let confirmed = RawField::named(attempted, data, &[field])
        .is_ok_and(|fields| fields.iter().any(|it| it.json != "false"));
    if confirmed { Ok(()) } else { Err(not_confirmed(attempted, field)) }
}

fn not_confirmed(attempted: &Attempted, field: &str) -> Error {
    let message = format!("`data.{field}` in the response does not confirm the deletion");
    Error::new(ErrorKind::Decode, attempted, message).with_field(format!("data.{field}"))
}

/// Remainders of messages that mean "not found", such as "Template with id 5 was not found", after
/// removal of the kind, the id and `FILLERS`.
const PHRASES: [&str; 20] = [
    "not found",
    "no found",
    "could not find",
    "couldn't find",
    "can not find",
    "cannot find",
    "can't find",
    "unable to find",
    "could not be found",
    "couldn't be found",
    "cannot be found",
    "does not exist",
    "doesn't exist",
    "not exist",
    "no longer exists",
    "no such",
    "no",
    "there no",
    "unknown",
    "already deleted",
];

/// Filler words: they do not change the meaning.
const FILLERS: [&str; 27] = [
    "the",
    "a",
    "an",
    "any",
    "this",
    "that",
    "your",
    "yours",
    "of",
    "with",
    "by",
    "for",
    "has",
    "have",
    "was",
    "is",
    "been",
    "id",
    "name",
    "named",
    "called",
    "given",
    "requested",
    "specified",
    "provided",
    "it",
    "sorry",
];

/// Words before a name that is not quoted and could be a word of the message.
const BEFORE_A_NAME: [&str; 5] = ["named ", "called ", "name ", "id ", ": "];

impl DeletionTarget<'_> {
    /// Returns true if an error of a GraphQL response says clearly that the object does not exist.
    fn is_not_found_by(self, error: &GraphqlError) -> bool {
        let code = error.extensions.get("code").and_then(Value::as_str).unwrap_or_default();
        let of_kind = format!("{}_NOT_FOUND", self.kind);
        let by_code = code.eq_ignore_ascii_case("NOT_FOUND");
        code.eq_ignore_ascii_case(&of_kind) || self.is_not_found_by_words(&error.message, by_code)
    }

    /// Returns true if the message reports only a missing object. If the error has a code for that,
    /// the message need not name the kind.
    fn is_not_found_by_words(self, message: &str, by_code: bool) -> bool {
        let mut message = message.to_lowercase();
        if let Some((class, rest)) = message.split_once(": ")
            && !class.contains(char::is_whitespace)
            && (class.ends_with("error") || class.ends_with("exception"))
        {
            message = rest.to_owned();
        }
        let id = self.id.to_lowercase();
        let mut is_named = by_code;
        for quote in ['"', '\'', '`'] {
            let quoted = format!("{quote}{id}{quote}");
            is_named |= message.contains(&quoted);
            message = message.replace(&quoted, " ");
        }
        // "Template service not found" is not about the template "service", or may not be.
        let is_of_words =
            id.chars().all(|it| it.is_alphabetic() || it.is_whitespace() || it == '\'');
        message = without_word(&message, &id, |before| {
            !is_of_words || BEFORE_A_NAME.iter().any(|mark| before.ends_with(mark))
        });
        let words = message
            .split(|it: char| !it.is_alphanumeric() && it != '\'')
            .map(|word| word.trim_matches('\''))
            .filter(|word| !word.is_empty() && !FILLERS.contains(word));
        let (kinds, rest): (Vec<_>, Vec<_>) = words.partition(|word| *word == self.kind);
        (is_named || !kinds.is_empty()) && PHRASES.contains(&rest.join(" ").as_str())
    }
}

/// The text without this word, where it is a separate word and `is_allowed` accepts the text before
/// it.
fn without_word(text: &str, word: &str, is_allowed: impl Fn(&str) -> bool) -> String {
    let mut shorter = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(word).filter(|_| !word.is_empty()) {
        let end = at + word.len();
        let beside =
            |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || "-_".contains(it));
        let before = &text[..at];
        let is_alone = !beside(before.chars().next_back()) && !beside(text[end..].chars().next());
        if is_alone && at >= from && is_allowed(before) {
            shorter.push_str(&text[from..at]);
            from = end;
        }
    }
    shorter.push_str(&text[from..]);
    shorter
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEMPLATE: DeletionTarget<'_> =
        DeletionTarget { kind: "template", field: "deleteTemplate", id: "my-worker" };

    fn error(message: &str, code: &str) -> GraphqlError {
        serde_json::from_value(json!({"message": message, "extensions": {"code": code}}))
            .expect("an error")
    }

    #[test]
    fn only_a_clear_not_found_of_the_deleted_object_counts() {
        for message in [
            "Template not found",
            "template not found.",
            "Template my-worker not found",
            "Template 'my-worker' was not found",
            "Template not found: my-worker",
            "The template with the name \"my-worker\" does not exist.",
            "\"my-worker\" does not exist",
            "No such template",
            "no template of yours has this name",
            "There is no template named my-worker",
            "Unknown template: my-worker",
            "Error: Could not find template",
            "NotFoundError: Template doesn't exist",
            "Template is already deleted",
            "Template my-worker no longer exists",
        ] {
            assert!(TEMPLATE.is_not_found_by(&error(message, "")), "{message}");
            assert!(TEMPLATE.is_not_found_by(&error(message, "NOT_FOUND")), "{message}");
        }
        for message in [
            "",
            "Unknown error",
            "Unknown error while deleting template my-worker",
            "No permission to delete template",
            "No permission",
            "no healthy upstream",
            "Not authorized",
            "Template not found or no permission",
            "Not Found",
            "my-worker not found",
            "404: Not Found",
            "API key not found",
            "User not found",
            "No user has this template",
            "Endpoint of template my-worker not found",
            "Template's registry not found",
            "Secret not found",
            "Pod template not found",
            "Template is in use",
            "Template not found in cache, try again",
            "Cannot query field deleteTemplate: unknown field",
            "Unknown argument templateName",
            "no available server",
            "no route to host",
            "no template service available",
            "Service template not found",
            "Template my-worker-2 not found",
            "There is no reason to delete the template",
            "Template deletion is not possible",
            "The template was not deleted",
            "Template not found. Please retry",
            "cannot find module 'template'",
            "unable to find healthy template backend",
        ] {
            assert!(!TEMPLATE.is_not_found_by(&error(message, "")), "{message}");
            assert!(!TEMPLATE.is_not_found_by(&error(message, "INTERNAL")), "{message}");
        }
    }

    #[test]
    fn a_not_found_code_counts_unless_the_message_is_about_another_object() {
        for (message, code, is_not_found) in [
            ("Not found", "NOT_FOUND", true),
            ("It was not found", "not_found", true),
            ("anything", "TEMPLATE_NOT_FOUND", true),
            ("User not found", "NOT_FOUND", false),
            ("API key not found", "NOT_FOUND", false),
            ("no healthy upstream", "NOT_FOUND", false),
            ("Not found", "INTERNAL", false),
            ("anything", "SECRET_NOT_FOUND", false),
        ] {
            assert_eq!(
                TEMPLATE.is_not_found_by(&error(message, code)),
                is_not_found,
                "{message}: {code}"
            );
        }
    }

    #[test]
    fn a_name_that_may_be_a_word_of_the_message_counts_only_where_it_is_marked_as_a_name() {
        let named = |id| DeletionTarget { id, ..TEMPLATE };
        for (id, message) in [
            ("error", "Unknown template error"),
            ("service", "Service template not found"),
            ("pod", "Pod template not found"),
            ("in cache", "Template not found in cache"),
            ("or no permission", "Template not found or no permission"),
            ("not found", "Template not found"),
            ("available", "no template available"),
            ("template", "No permission to delete template"),
        ] {
            let is_the_word = message == "Template not found";
            assert_eq!(
                named(id).is_not_found_by(&error(message, "")),
                is_the_word,
                "{id}: {message}"
            );
        }
        for message in [
            "Unknown template \"worker\"",
            "Template not found: worker",
            "There is no template named worker",
            "The template with the name worker does not exist",
        ] {
            assert!(named("worker").is_not_found_by(&error(message, "")), "{message}");
        }
        assert!(named("wörker-7").is_not_found_by(&error("Template wörker-7 not found", "")));
        assert!(named("aa-aa").is_not_found_by(&error("Template aa-aa not found", "")));
    }
}
