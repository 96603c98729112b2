//! The policy of jobs, as arguments.

use std::time::Duration;

use clap::Args;
use podqueue::Policy;

use crate::duration::duration;

#[derive(Debug, Args)]
pub struct PolicyArguments {
    /// The longest time that a job may run once a worker has it: 5s to 7days, 10m by default.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Job")]
    execution_timeout: Option<Duration>,

    /// How long a job may exist, from submission on: 10s to 7days, 24h by default.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Job")]
    ttl: Option<Duration>,

    /// Do not start workers for a job.
    #[arg(long, help_heading = "Job")]
    low_priority: bool,
}

impl PolicyArguments {
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new();
        if let Some(timeout) = self.execution_timeout {
            policy = policy.execution_timeout(timeout);
        }
        if let Some(ttl) = self.ttl {
            policy = policy.ttl(ttl);
        }
        if self.low_priority {
            policy = policy.low_priority(true);
        }
        policy
    }
}
