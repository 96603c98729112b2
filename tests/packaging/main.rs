//! Packages: their contents, manifests and documents, and the targets of links in them.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod features;
mod index;
mod links;
mod manifests;
mod markdown;
mod packages;
mod rust_version;
mod support;
