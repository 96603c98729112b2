//! The calls of a description with more than 200 operations.
#![deny(warnings, missing_docs)]

podqueue::include_rest!();
