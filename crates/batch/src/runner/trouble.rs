//! Why a run does not get on.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// How long something must go wrong before it is worth a word: most of it passes.
const WORTH: Duration = Duration::from_secs(5);

/// What has gone wrong since it last went well.
#[derive(Default)]
pub(super) struct Trouble {
    submitting: Option<Since>,
    looking: Option<Since>,
    /// The inputs whose jobs could not be seen at the last look.
    unseen: HashSet<u64>,
}

/// A failure, and when the first one of its kind was.
struct Since {
    at: Instant,
    error: String,
}

impl Trouble {
    pub(super) fn submitted(&mut self) {
        self.submitting = None;
    }

    pub(super) fn not_submitted(&mut self, error: String) {
        renew(&mut self.submitting, error);
    }

    pub(super) fn seen(&mut self, index: u64) {
        self.unseen.remove(&index);
        if self.unseen.is_empty() {
            self.looking = None;
        }
    }

    pub(super) fn unseen(&mut self, index: u64, error: String) {
        self.unseen.insert(index);
        renew(&mut self.looking, error);
    }

    /// What is worth a word now.
    pub(super) fn say(&self) -> Option<String> {
        let is_worth = |since: &&Since| since.at.elapsed() >= WORTH;
        let submitting = self.submitting.as_ref().filter(is_worth);
        let submitting = submitting.map(|since| format!("no input is accepted: {}", since.error));
        let looking = self.looking.as_ref().filter(is_worth);
        let looking = looking.map(|since| {
            let jobs = match self.unseen.len() {
                1 => "1 job".to_owned(),
                jobs => format!("{jobs} jobs"),
            };
            format!("the status of {jobs} cannot be read: {}", since.error)
        });
        let said: Vec<_> = submitting.into_iter().chain(looking).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

fn renew(since: &mut Option<Since>, error: String) {
    match since {
        Some(since) => since.error = error,
        None => *since = Some(Since { at: Instant::now(), error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_goes_well_again_is_worth_no_word() {
        let mut trouble = Trouble::default();
        trouble.not_submitted("full".to_owned());
        trouble.unseen(1, "late".to_owned());
        trouble.unseen(2, "later".to_owned());
        assert_eq!(trouble.say(), None, "it may pass");
        tokio::time::advance(WORTH).await;
        let looking = "the status of 2 jobs cannot be read: later";
        assert_eq!(trouble.say(), Some(format!("no input is accepted: full; {looking}")));
        trouble.submitted();
        assert_eq!(trouble.say().as_deref(), Some(looking));
        trouble.seen(1);
        assert_eq!(trouble.say(), Some(looking.replace("2 jobs", "1 job")));
        trouble.seen(2);
        assert_eq!(trouble.say(), None);
    }
}
