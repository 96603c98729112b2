//! How often to look at a job, so that its result does not expire unread.

use std::time::Duration;

use super::lifespan::least_kept;

/// A third of how long a result is kept for sure, one minute for a synchronous job and half an hour
/// for any other: polling more rarely could miss it.
pub(super) fn rarest(job_id: &str) -> Duration {
    least_kept(job_id) / 3
}

/// How long a look may go without a byte of the response before it is given up for another: short
/// enough that three in a row can be lost before a result expires.
pub(super) fn longest_silence(job_id: &str) -> Duration {
    (least_kept(job_id) / 4).min(Duration::from_secs(30))
}

/// The same for a look of which no more than `left` matters: three of them fit into it, unless a
/// moment is all there is.
pub(super) fn longest_silence_within(job_id: &str, left: Duration) -> Duration {
    longest_silence(job_id).min((left / 3).max(Duration::from_secs(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Polling;

    #[test]
    fn a_pause_is_never_so_long_that_a_result_expires_unread() {
        let hour = Duration::from_secs(3_600);
        let polling = Polling::new().first(hour).longest(hour);
        for (job_id, kept) in [("sync-j", 60), ("j", 30 * 60)] {
            let pause = polling.pauses(rarest(job_id)).next();
            assert!(pause <= Duration::from_secs(kept) / 3, "{job_id}: {pause:?}");
        }
    }
}
