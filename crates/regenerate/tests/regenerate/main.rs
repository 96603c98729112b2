//! Tests of the program `podqueue-regenerate` as a process.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod committed;
mod failures;
#[deny(warnings, unreachable_pub)]
#[allow(dead_code, reason = "most of it is compiled only")]
mod generated;
mod graphql;
mod local_service;
mod rest;
mod rest_compatibility;
mod rules;
mod support;
mod versions;
