//! The operations of the three interfaces.

/// An operation, as the peer tells it from a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    Run,
    RunSync,
    Status,
    Stream,
    Cancel,
    Retry,
    Purge,
    Health,
    Requests,
    Openai,
    Rest,
    CreateTemplate,
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

/// What sending a request a second time would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twice {
    /// No harm.
    Safe,
    /// Something would happen twice.
    Harm,
}

impl Operation {
    pub const ALL: [Self; 16] = [
        Self::Run,
        Self::RunSync,
        Self::Status,
        Self::Stream,
        Self::Cancel,
        Self::Retry,
        Self::Purge,
        Self::Health,
        Self::Requests,
        Self::Openai,
        Self::Rest,
        Self::CreateTemplate,
        Self::UpdateTemplate,
        Self::DeleteTemplate,
        Self::CreateSecret,
        Self::DeleteSecret,
    ];

    pub fn twice(self) -> Twice {
        match self {
            Self::Run
            | Self::RunSync
            | Self::Retry
            | Self::Purge
            | Self::Openai
            | Self::CreateTemplate
            | Self::CreateSecret => Twice::Harm,
            _ => Twice::Safe,
        }
    }

    pub fn is_graphql(self) -> bool {
        matches!(
            self,
            Self::CreateTemplate
                | Self::UpdateTemplate
                | Self::DeleteTemplate
                | Self::CreateSecret
                | Self::DeleteSecret
        )
    }

    /// The documented limits: requests in ten seconds, and at the same time.
    pub fn limits(self) -> Option<(u64, Option<u64>)> {
        match self {
            Self::Run => Some((1_000, Some(200))),
            Self::RunSync | Self::Status | Self::Stream | Self::Openai => Some((2_000, Some(400))),
            Self::Cancel => Some((100, Some(20))),
            Self::Purge => Some((2, None)),
            Self::Requests => Some((10, Some(2))),
            _ => None,
        }
    }
}
