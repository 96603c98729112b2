//! The form in which descriptions and schemas are kept: the same content is the same text, in
//! whichever order the service gives it, so that a difference of the files is one of the service.

pub(super) mod description;
pub(super) mod sdl;

/// Words, whatever lines they are broken into: what is compared of descriptions.
pub(super) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
