//! Tests of the generator's interface: text in, code and diagnostics out.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod build_script;
mod committed;
mod compositions;
mod formats;
mod forward_compatibility;
mod graphql_diagnostics;
mod graphql_document;
mod graphql_operations;
mod pages;
mod redaction;
mod repository;
mod rest_calls;
mod rest_corpus;
mod rest_leniency;
mod rest_normalization;
mod rest_running;
mod rest_samples;
mod schema_reading;
mod selection;
mod snapshots;
mod support;
mod untyped;
mod wrong_input;
