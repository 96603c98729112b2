//! Many calls at once.

use std::future::IntoFuture;

use futures_util::StreamExt;
use podqueue::{Finished, Job};
use serde_json::Value;

use super::drive::{Boxed, Driven, drive};
use super::{Caller, Got, Kind, Outcome};
use crate::plan::{JobScript, Manner, Step, Work};

/// The calls of a step are numbered from its own on; those in the body of a loop from here on.
const IN_BODY: u64 = 500;

/// From here on those that nobody polls while the body of the loop is waited for.
const BUFFERED: u64 = 100;

/// Whether nobody polls the call of this number at times.
pub(super) fn is_left_alone(call: u64) -> bool {
    (BUFFERED..IN_BODY).contains(&(call % 1_000))
}

impl Caller {
    pub(super) async fn run_all(&self, work: &Work) {
        let Step::RunAll { script, jobs, width, timeout, take } = &work.step else { return };
        let (call, script, jobs) = (work.call, *script, *jobs);
        let place = self.log.begin(call, Kind::RunAll { jobs }, None);
        let mut all = self
            .endpoint()
            .run_all((0..jobs).map(move |index| script.input(call + index)))
            .concurrency(*width);
        if let Some(timeout) = timeout {
            let timeout = *timeout;
            all = all.wait(move |wait| wait.timeout(timeout));
        }
        let (this, mut left) = (self.clone(), take.unwrap_or(usize::MAX));
        let reading: Boxed<bool> = Box::pin(async move {
            while left > 0 {
                left -= 1;
                match all.next().await {
                    Some(finished) => this.one_of_all(&finished),
                    None => return true,
                }
            }
            false
        });
        let (driven, held_until) = drive(reading, work.manner).await;
        let outcome = match driven {
            Driven::Done(whole) => Outcome::Ok(Got::Many { whole }),
            Driven::Dropped => Outcome::Dropped,
            Driven::Panicked => Outcome::Panicked,
        };
        self.log.end(place, outcome, held_until);
    }

    fn one_of_all(&self, finished: &Finished<Value>) {
        let call = finished.input["call"].as_u64().unwrap_or_default();
        let place = self.log.begin(call, Kind::OneOfAll, None);
        let outcome = match &finished.result {
            Ok(record) => Outcome::Ok(Got::Record(self.log.record(call, record))),
            Err(error) => Outcome::Err(self.failed(call, error)),
        };
        self.log.end(place, outcome, None);
    }

    /// `buffer_unordered`, with another call in the body of the loop: while that is awaited, nobody
    /// polls the others.
    pub(super) async fn unordered(
        &self,
        work: &Work,
        script: JobScript,
        calls: u64,
        width: usize,
        looks: bool,
        own: Option<&Job>,
    ) {
        let job = own.cloned().unwrap_or_else(|| self.endpoint().job("job-of-nobody"));
        let one = |number: u64| {
            let (this, job) = (self.clone(), job.clone());
            async move { this.one(number, script, looks, &job).await }
        };
        let all = async {
            let requests = (0..calls).map(|index| one(work.call + BUFFERED + index));
            let mut results = futures_util::stream::iter(requests).buffer_unordered(width);
            let mut index = 0;
            while results.next().await.is_some() {
                one(work.call + IN_BODY + index).await;
                index += 1;
            }
        };
        match work.manner {
            Manner::DropAfter(time) => drop(tokio::time::timeout(time, all).await),
            _ => all.await,
        }
    }

    async fn one(&self, call: u64, script: JobScript, looks: bool, job: &Job) {
        if looks {
            let status = job.status().into_future();
            self.follow_as(call, Kind::Status, Some(job), status, Manner::Await).await;
        } else {
            let run = self.endpoint().run(&script.input(call)).into_future();
            let kind = Kind::Run { at_least_once: false };
            self.follow_as(call, kind, None, run, Manner::Await).await;
        }
    }
}
