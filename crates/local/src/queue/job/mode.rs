//! How a job was submitted, which its id and the retention of its result follow from.

use std::sync::Arc;
use std::time::Duration;

pub(crate) type JobId = Arc<str>;

const ASYNC_RETENTION: Duration = Duration::from_secs(30 * 60);
const MIN_SYNC_RETENTION: Duration = Duration::from_secs(60);
const MAX_SYNC_RETENTION: Duration = Duration::from_secs(5 * 60);

/// How a job was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By `/run`.
    Async,
    /// By `/runsync`, with the time that the request waits.
    Sync { wait: Duration },
}

impl Mode {
    /// How long a result is kept once there is one.
    pub(super) fn retention(self) -> Duration {
        match self {
            Self::Async => ASYNC_RETENTION,
            Self::Sync { wait } => wait.clamp(MIN_SYNC_RETENTION, MAX_SYNC_RETENTION),
        }
    }

    /// An id for a job that is submitted so.
    pub(crate) fn new_id(self) -> JobId {
        // Unique is all that an id has to be, so the system need not be asked for random numbers.
        let random = fastrand::u128(..).to_ne_bytes();
        let uuid = uuid::Builder::from_random_bytes(random).into_uuid();
        match self {
            Self::Async => format!("{uuid}-u1").into(),
            Self::Sync { .. } => format!("sync-{uuid}").into(),
        }
    }
}
