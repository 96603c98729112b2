//! Checks: comparisons whose failures are collected.

use std::fmt::Debug;

use podqueue::Result;

/// The failures so far.
#[derive(Default)]
pub struct Checks(pub Vec<String>);

impl Checks {
    /// Compares how a value prints with how it should.
    pub fn same(&mut self, what: &str, is: impl Debug, should: &str) {
        let is = format!("{is:?}");
        if is != should {
            self.0.push(format!("{what}: is {is}, should be {should}"));
        }
    }
}

/// An outcome whose error is text.
pub fn said<T>(result: Result<T>) -> std::result::Result<T, String> {
    result.map_err(|error| error.to_string())
}
