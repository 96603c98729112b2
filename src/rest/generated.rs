//! What the generator makes of `openapi/`.

use super::handle::Rest;

include!(concat!(env!("OUT_DIR"), "/rest.rs"));
