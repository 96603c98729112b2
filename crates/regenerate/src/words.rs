//! Prose without its line breaks.

/// The words of a text, whatever lines it is broken into: what is compared of descriptions.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
