//! What is published: the contents of the packages, what their manifests and papers say, and where
//! the links in them lead.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod index;
mod links;
mod manifests;
mod markdown;
mod packages;
mod rust_version;
mod support;
