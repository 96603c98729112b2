//! The REST interface of a client, whose methods are generated.

use std::sync::Arc;

use crate::context::Context;

/// The REST interface ([REST reads](crate#the-interface)); returned by
/// [`Client::rest`](crate::Client::rest).
#[derive(Clone, Debug)]
pub struct Rest {
    pub(super) context: Arc<Context>,
}

impl Rest {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}
