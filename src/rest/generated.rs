//! What the generator makes of `openapi/`, as it does for the descriptions of other crates.

include!(concat!(env!("OUT_DIR"), "/podqueue_rest.rs"));
