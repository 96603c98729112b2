//! Authorization of the queue interface.

use podqueue_runtime::{Authorization, SecretString};

/// The form of the queue interface's `authorization` header. The service accepts both
/// ([Authentication](crate#the-interface)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueAuth {
    /// `Bearer <key>`
    #[default]
    Bearer,
    /// The key alone.
    BareKey,
}

impl QueueAuth {
    pub(crate) fn of_calls(self, key: &SecretString) -> Authorization {
        match self {
            Self::Bearer => Authorization::bearer(key.clone()),
            Self::BareKey => Authorization::header("authorization", key.clone()),
        }
    }
}
