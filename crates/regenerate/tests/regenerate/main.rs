//! The program `podqueue-regenerate`, as it is run: a command line in; files, a report and an exit
//! code out. One file for each concern.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod description;
mod failures;
mod introspection;
mod local_service;
mod operations;
mod schema;
mod several;
mod support;
mod wire;
