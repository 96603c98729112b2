//! One step: a call of the public API, driven in its manner.

use std::future::IntoFuture;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use podqueue::{Error, Job, NewTemplate, Polling, S3Config};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::drive::{Boxed, Driven, drive};
use super::many::is_left_alone;
use super::{Caller, Failed, Got, Item, Kind, Outcome};
use crate::canary;
use crate::plan::{Manner, Step, Work};

const DEFAULT_WAIT: Duration = Duration::from_secs(90);

impl Caller {
    /// Takes a step, and answers the job that the actor goes on with.
    pub(crate) async fn take_step(&self, work: &Work, own: Option<&Job>) -> Option<Job> {
        let call = work.call;
        match &work.step {
            Step::Sleep(time) => {
                tokio::time::sleep(*time).await;
                None
            }
            Step::Run { script, at_least_once, storage, webhook } => {
                let mut run = self.endpoint().run(&script.input(call));
                if *at_least_once {
                    run = run.at_least_once();
                }
                if *storage {
                    run = run.s3_config(self::storage());
                }
                if *webhook {
                    run = run.webhook(canary::WEBHOOK);
                }
                let kind = Kind::Run { at_least_once: *at_least_once };
                let job = self.follow(work, kind, None, run.into_future()).await;
                self.new_job(job)
            }
            Step::RunSync { script, wait, output, storage } => {
                let mut run = self.endpoint().run_sync(&script.input(call));
                if let Some(wait) = wait {
                    run = run.wait(*wait);
                }
                if *storage {
                    run = run.s3_config(self::storage());
                }
                let kind = Kind::RunSync { wait: wait.unwrap_or(DEFAULT_WAIT), output: *output };
                if *output {
                    self.follow(work, kind, None, Box::pin(run.output::<Value>())).await;
                    return None;
                }
                let record = self.follow(work, kind, None, run.into_future()).await;
                self.new_job(record)
            }
            Step::Status(pick) => {
                let job = self.pick(*pick, own)?;
                self.follow(work, Kind::Status, Some(&job), job.status().into_future()).await;
                None
            }
            Step::Wait { pick, timeout, cancel, polite } => {
                let job = self.pick(*pick, own)?;
                let mut wait = job.wait();
                if let Some(timeout) = timeout {
                    wait = wait.timeout(*timeout);
                }
                if *cancel {
                    wait = wait.cancel_on_timeout();
                }
                if *polite {
                    wait =
                        wait.polling(Polling::new().first(Duration::from_secs(10)).per_second(1));
                }
                let kind = Kind::Wait { timeout: *timeout, cancel: *cancel };
                self.follow(work, kind, Some(&job), wait.into_future()).await;
                None
            }
            Step::Stream { take } => {
                let job = own?.clone();
                if self.log.may_stream(&job) {
                    self.stream(work, &job, *take).await;
                }
                None
            }
            Step::Cancel(pick) => {
                let job = self.pick(*pick, own)?;
                let cancelled = job.clone();
                let cancel = Box::pin(async move { cancelled.cancel().await });
                self.follow(work, Kind::Cancel, Some(&job), cancel).await;
                None
            }
            Step::Retry(pick) => {
                let job = self.pick(*pick, own)?;
                let retried = job.clone();
                let retry = Box::pin(async move { retried.retry().await });
                self.follow(work, Kind::Retry, Some(&job), retry).await;
                None
            }
            Step::RunAll { .. } => {
                self.run_all(work).await;
                None
            }
            Step::Unordered { script, calls, width, looks } => {
                self.unordered(work, *script, *calls, *width, *looks, own).await;
                None
            }
            step => {
                self.call_of_no_job(work, step).await;
                None
            }
        }
    }

    async fn call_of_no_job(&self, work: &Work, step: &Step) {
        let (endpoint, client) = (self.endpoint(), self.client.clone());
        let number = work.call;
        match step {
            Step::Purge => {
                let call = Box::pin(async move { endpoint.purge_queue().await });
                self.follow(work, Kind::Purge, None, call).await;
            }
            Step::Health => {
                let call = Box::pin(async move { endpoint.health().await });
                self.follow(work, Kind::Health, None, call).await;
            }
            Step::Requests => {
                let call = Box::pin(async move { endpoint.requests().await.map(drop) });
                self.follow(work, Kind::Requests, None, call).await;
            }
            Step::Openai => {
                let path = format!("v1/{number}");
                let call =
                    Box::pin(async move { endpoint.openai(&path, &json!({})).await.map(drop) });
                self.follow(work, Kind::Openai, None, call).await;
            }
            Step::OpenaiStream { total } => {
                let path = format!("v1/{number}");
                let call = Box::pin(async move { endpoint.openai_stream(&path, &json!({})).await });
                if let Some(events) = self.follow(work, Kind::Openai, None, call).await {
                    let place = self.log.begin(number, Kind::Events { total: *total }, None);
                    let items = events
                        .total_timeout(*total)
                        .map(|event| Ok(Item::Chunk { output: event?.json()?, after_gap: false }));
                    self.read(work, place, items, None).await;
                }
            }
            Step::GetPod => {
                let call = client.rest().get_pod(format!("pod-{number}"));
                let call = Box::pin(async move { call.await });
                self.follow(work, Kind::GetPod, None, call).await;
            }
            Step::CreateTemplate { short } => {
                let mut template = template(&format!("tpl-{number}"));
                if *short {
                    // What is so short stands everywhere, and must not be cut out of everything.
                    template = template.env("DEBUG", "1").env("MODE", "0");
                }
                let call = Box::pin(async move { client.templates().create(template).await });
                self.follow(work, Kind::CreateTemplate, None, call).await;
            }
            Step::UpdateTemplate => {
                let (id, template) = (format!("tplid-{number}"), template("renamed"));
                let call = Box::pin(async move { client.templates().update(id, template).await });
                self.follow(work, Kind::UpdateTemplate, None, call).await;
            }
            Step::DeleteTemplate => {
                let name = format!("tpl-{number}");
                let call = Box::pin(async move { client.templates().delete(name).await });
                self.follow(work, Kind::DeleteTemplate, None, call).await;
            }
            Step::CreateSecret => {
                let name = format!("sec-{number}");
                let call =
                    Box::pin(async move { client.secrets().create(name, canary::SECRET).await });
                self.follow(work, Kind::CreateSecret, None, call).await;
            }
            Step::DeleteSecret => {
                let id = format!("secid-{number}");
                let call = Box::pin(async move { client.secrets().delete(id).await });
                self.follow(work, Kind::DeleteSecret, None, call).await;
            }
            step => unreachable!("{step:?} is about a job"),
        }
    }

    /// Drives a call, keeps what came of it, and hands it on.
    async fn follow<T: Told>(
        &self,
        work: &Work,
        kind: Kind,
        job: Option<&Job>,
        future: Boxed<podqueue::Result<T>>,
    ) -> Option<T> {
        self.follow_as(work.call, kind, job, future, work.manner).await
    }

    pub(super) async fn follow_as<T: Told>(
        &self,
        call: u64,
        kind: Kind,
        job: Option<&Job>,
        future: Boxed<podqueue::Result<T>>,
        manner: Manner,
    ) -> Option<T> {
        let place = self.log.begin(call, kind, job);
        let _begun = Begun { caller: self, place };
        let (driven, held_until) = drive(future, manner).await;
        let (outcome, value) = match driven {
            Driven::Dropped => (Outcome::Dropped, None),
            Driven::Panicked => (Outcome::Panicked, None),
            Driven::Done(Ok(value)) => {
                self.log.show(call, &value);
                (Outcome::Ok(value.told()), Some(value))
            }
            Driven::Done(Err(error)) => (Outcome::Err(self.failed(call, &error)), None),
        };
        let held_until = if is_left_alone(call) { Some(Instant::now()) } else { held_until };
        self.log.end(place, outcome, held_until);
        value
    }

    pub(super) fn failed(&self, call: u64, error: &Error) -> Failed {
        if let Some(record) = error.record() {
            self.log.record(call, record);
        }
        self.log.failed(call, error)
    }

    async fn stream(&self, work: &Work, job: &Job, take: Option<usize>) {
        let place = self.log.begin(work.call, Kind::Stream, Some(job));
        let items = job.stream::<Value>().map(|chunk| {
            chunk.map(|it| Item::Chunk { output: it.output, after_gap: it.after_gap })
        });
        self.read(work, place, items, take).await;
    }

    /// Reads a stream to its end, or so many items of it.
    async fn read(
        &self,
        work: &Work,
        place: usize,
        mut items: impl Stream<Item = podqueue::Result<Item>> + Send + Unpin + 'static,
        take: Option<usize>,
    ) {
        let (log, call) = (self.log.clone(), work.call);
        let reading: Boxed<bool> = Box::pin(async move {
            let mut left = take.unwrap_or(usize::MAX);
            while left > 0 {
                left -= 1;
                match items.next().await {
                    Some(Ok(item)) => log.item(place, item),
                    Some(Err(error)) => {
                        let failed = log.failed(call, &error);
                        log.item(place, Item::Error(failed));
                    }
                    None => return true,
                }
            }
            false
        });
        let (driven, held_until) = drive(reading, work.manner).await;
        let outcome = match driven {
            Driven::Done(ended) => Outcome::Ok(Got::Items { items: self.log.items(place), ended }),
            Driven::Dropped => Outcome::Dropped,
            Driven::Panicked => Outcome::Panicked,
        };
        self.log.end(place, outcome, held_until);
    }

    fn new_job(&self, made: Option<impl HasJob>) -> Option<Job> {
        let job = made?.into_job();
        self.log.knows(&job);
        Some(job)
    }
}

/// A call that was begun and may be dropped with what made it.
struct Begun<'a> {
    caller: &'a Caller,
    place: usize,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.caller.log.dropped(self.place);
    }
}

fn storage() -> S3Config {
    S3Config::new("access-id-of-nobody", canary::STORAGE, "bucket", "https://storage.example")
}

fn template(name: &str) -> NewTemplate {
    NewTemplate::serverless(name, "image:1").container_disk_gb(5).env("TOKEN", canary::ENV)
}

/// What a call can bring.
pub(super) trait Told: std::fmt::Debug + Send + 'static {
    fn told(&self) -> Got;
}

trait HasJob {
    fn into_job(self) -> Job;
}

impl HasJob for Job {
    fn into_job(self) -> Job {
        self
    }
}

impl HasJob for podqueue::JobRecord {
    fn into_job(self) -> Job {
        self.job().clone()
    }
}

impl Told for Job {
    fn told(&self) -> Got {
        Got::Job(self.id().to_owned())
    }
}

impl Told for podqueue::JobRecord {
    fn told(&self) -> Got {
        Got::Record(super::log::seen(self))
    }
}

impl Told for Value {
    fn told(&self) -> Got {
        Got::Output(self.clone())
    }
}

impl Told for podqueue::Template {
    fn told(&self) -> Got {
        Got::Id(self.id.clone())
    }
}

impl Told for podqueue::Secret {
    fn told(&self) -> Got {
        Got::Id(self.id.clone())
    }
}

impl Told for podqueue::Purged {
    fn told(&self) -> Got {
        Got::Nothing
    }
}

impl Told for podqueue::ServerEvents {
    fn told(&self) -> Got {
        Got::Nothing
    }
}

impl Told for podqueue::Health {
    fn told(&self) -> Got {
        Got::Nothing
    }
}

impl Told for podqueue::rest::types::Pod {
    fn told(&self) -> Got {
        Got::Nothing
    }
}

impl Told for () {
    fn told(&self) -> Got {
        Got::Nothing
    }
}
