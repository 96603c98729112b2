//! What is exchanged with the journal.

use crate::error::Result;
use crate::results::Completed;
use crate::store::{Change, Input};

/// A change, and the result that comes with it.
pub(crate) struct Settled {
    pub(crate) change: Change,
    pub(crate) completed: Option<Completed>,
}

/// An input that is about to be submitted, and its text.
pub(crate) struct Claimed {
    pub(crate) input: Input,
    pub(crate) text: Result<Vec<u8>>,
}
