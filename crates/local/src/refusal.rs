//! Why the service refuses what a request asks for, whichever interface it came by.

use std::fmt;

/// A refusal: what kind of mistake it is, and a sentence that says what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) kind: RefusalKind,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// The request breaks a rule of the interface.
    Invalid,
    /// What it is about is not there.
    NotFound,
    /// It comes too soon. Another may come in so many seconds, where that is told.
    TooManyRequests { retry_after: Option<u64> },
    /// It is not the request's fault.
    Failed,
}

impl Refusal {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Invalid, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::NotFound, message: message.into() }
    }

    pub(crate) fn too_many_requests(message: impl Into<String>, retry_after: Option<u64>) -> Self {
        Self { kind: RefusalKind::TooManyRequests { retry_after }, message: message.into() }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Failed, message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
