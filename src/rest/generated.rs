//! REST calls generated from `openapi/`, as for the descriptions of other crates.

use crate as __runtime;

include!(concat!(env!("OUT_DIR"), "/podqueue_rest.rs"));
