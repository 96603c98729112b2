//! What the generator makes of `openapi/`, as it does for the descriptions of other crates.

crate::include_rest!();
