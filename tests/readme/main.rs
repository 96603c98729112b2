//! The code of the README: it stands here, compiled and run, and the README shows it unchanged.

#![allow(missing_docs, reason = "tests")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "recipes print, and tests unwrap")]

mod recipes;
mod shown;
