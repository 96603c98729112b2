//! What the generator makes of `openapi/`.

use super::Rest;

include!(concat!(env!("OUT_DIR"), "/rest.rs"));
