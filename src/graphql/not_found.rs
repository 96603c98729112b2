//! Recognition of "not found" in the response to a deletion.
//!
//! This matters when a deletion is retried because the outcome of the first attempt is unknown:
//! then "not found" means success. Mistaking anything else for it would report a deletion that did
//! not happen, so only the phrases listed here count.

use serde_json::Value;

use super::GraphqlError;

/// The object to delete: its kind, and its id or name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deleted<'a> {
    /// The kind of the object in the service's messages: `template`.
    pub(super) thing: &'static str,
    /// The field of the result.
    pub(super) field: &'static str,
    pub(super) id: &'a str,
}

/// What remains of a message such as "Template with id 5 was not found" without the kind, the id and
/// `FILLERS`.
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

impl Deleted<'_> {
    /// Returns true if an error of a GraphQL response says clearly that the object does not exist.
    pub(super) fn is_not_found_by(self, error: &GraphqlError) -> bool {
        let code = error.extensions.get("code").and_then(Value::as_str).unwrap_or_default();
        let of_the_thing = format!("{}_NOT_FOUND", self.thing);
        let by_code = code.eq_ignore_ascii_case("NOT_FOUND");
        code.eq_ignore_ascii_case(&of_the_thing)
            || self.is_not_found_by_words(&error.message, by_code)
    }

    /// Returns true if the message says only that the object was not found. If the error code says so already,
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
        let (things, rest): (Vec<_>, Vec<_>) = words.partition(|word| *word == self.thing);
        (is_named || !things.is_empty()) && PHRASES.contains(&rest.join(" ").as_str())
    }
}

/// The text without this word, where it is a separate word and `is_allowed` accepts the text before it.
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

    const TEMPLATE: Deleted<'_> =
        Deleted { thing: "template", field: "deleteTemplate", id: "my-worker" };

    fn error(message: &str, code: &str) -> GraphqlError {
        serde_json::from_value(json!({"message": message, "extensions": {"code": code}}))
            .expect("an error")
    }

    #[test]
    fn only_a_clear_not_found_of_the_very_thing_counts() {
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
    fn a_code_says_it_unless_the_words_are_about_something_else() {
        for (message, code, gone) in [
            ("Not found", "NOT_FOUND", true),
            ("It was not found", "not_found", true),
            ("anything", "TEMPLATE_NOT_FOUND", true),
            ("User not found", "NOT_FOUND", false),
            ("API key not found", "NOT_FOUND", false),
            ("no healthy upstream", "NOT_FOUND", false),
            ("Not found", "INTERNAL", false),
            ("anything", "SECRET_NOT_FOUND", false),
        ] {
            assert_eq!(TEMPLATE.is_not_found_by(&error(message, code)), gone, "{message}: {code}");
        }
    }

    #[test]
    fn a_name_that_may_be_a_word_of_the_message_counts_only_where_it_is_marked_as_a_name() {
        let named = |id| Deleted { id, ..TEMPLATE };
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
