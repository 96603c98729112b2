//! What the generator makes of `openapi/`.

use super::call::Rest;

include!(concat!(env!("OUT_DIR"), "/rest.rs"));
