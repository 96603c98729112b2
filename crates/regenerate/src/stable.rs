//! The form in which descriptions and schemas are kept: the same content is the same text, in
//! whichever order the service gives it, so that a difference of the files is one of the service.

pub(crate) mod description;
pub(crate) mod sdl;
