//! The calls about orders, of a description with more than 200 operations.
#![deny(warnings, missing_docs)]

podqueue_runtime::include_rest!();
