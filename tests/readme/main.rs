//! The recipes of the README and of `docs/guide/`, compiled and run.

#![allow(missing_docs, reason = "tests")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "recipes print, and tests unwrap")]

mod code_blocks;
mod recipes;
