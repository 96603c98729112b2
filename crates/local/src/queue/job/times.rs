//! When things happen to a job, and what happens to it by the mere passing of time.

use super::{Job, Phase};
use crate::clock::Moment;

/// What happens to a job by the mere passing of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its ttl or the retention of its result ends: it is gone.
    Deleted,
    /// It ran for as long as it may.
    TimedOut,
}

/// When things happen to a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) submitted: Moment,
    /// When it was submitted or retried.
    pub(crate) queued: Moment,
    pub(crate) started: Option<Moment>,
    pub(crate) ended: Option<Moment>,
    /// When it will time out, if it runs until then.
    pub(crate) times_out: Option<Moment>,
    pub(crate) expires: Moment,
}

impl Job {
    /// The next thing that time does to the job.
    pub(crate) fn fate(&self) -> (Moment, Fate) {
        let end_of_life = self.submitted_at.saturating_add(self.ttl);
        let (due, fate) = match &self.phase {
            Phase::Queued { .. } => (end_of_life, Fate::Deleted),
            Phase::Running { started_at, .. } => {
                (started_at.saturating_add(self.execution_timeout), Fate::TimedOut)
            }
            Phase::Finished { finished_at, .. } => {
                (finished_at.saturating_add(self.mode.retention()), Fate::Deleted)
            }
        };
        if end_of_life <= due { (end_of_life, Fate::Deleted) } else { (due, fate) }
    }

    pub(crate) fn times(&self) -> Times {
        let (started, ended) = match self.phase {
            Phase::Queued { .. } => (None, None),
            Phase::Running { started_at, .. } => (Some(started_at), None),
            Phase::Finished { started_at, finished_at, .. } => (started_at, Some(finished_at)),
        };
        let end_of_life = self.submitted_at.saturating_add(self.ttl);
        let times_out = started.map(|started| started.saturating_add(self.execution_timeout));
        Times {
            submitted: self.submitted_at,
            queued: self.queued_at,
            started,
            ended,
            times_out: times_out.filter(|_| ended.is_none()),
            expires: ended.map_or(end_of_life, |ended| {
                end_of_life.min(ended.saturating_add(self.mode.retention()))
            }),
        }
    }
}
