//! Callers: tasks that take the steps of a plan through the public API and log the outcome of each
//! call.

use std::future::{IntoFuture, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{Stream, StreamExt};
use podqueue::{
    Client, ClientBuilder, Endpoint, Error, Finished, Job, NewTemplate, Polling, S3Config,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::client::call_log::{
    CallKind, CallLog, CallOutcome, Returned, ReturnedError, StreamItem, returned_record,
};
use crate::client::leaks;
use crate::client::plan::{Actor, ClientSettings, JobChoice, Plan, PlannedStep, PollPattern, Step};
use crate::client::service::JobScript;

/// Caller of the public API. Clones share the client and the log.
#[derive(Clone)]
pub struct Caller {
    client: Client,
    log: Arc<CallLog>,
}

/// Builds the client of a plan.
pub fn client(plan: &Plan, address: &str) -> podqueue::Result<Client> {
    builder(plan, address).build()
}

/// Returns the builder of the client of a plan.
pub(crate) fn builder(plan: &Plan, address: &str) -> ClientBuilder {
    use podqueue::{GraphqlBody, Polling, RateLimits, RetryPolicy};

    let settings = &plan.settings;
    let retry = match settings.attempts {
        1 => RetryPolicy::never(),
        attempts => RetryPolicy::new().attempts(attempts),
    };
    let polling = Polling::new()
        .initial_interval(settings.first_interval)
        .max_interval(settings.longest_interval)
        .per_second(settings.polls_per_second);
    let rate_limits =
        settings.share.map_or(RateLimits::off(), |share| RateLimits::new().share(share));
    let mut builder = Client::builder()
        .api_key(leaks::KEY)
        .base_url(format!("http://{address}"))
        .rest_url(format!("http://{address}"))
        .graphql_url(format!("http://{address}/graphql"))
        .retry(retry)
        .polling(polling)
        .rate_limits(rate_limits)
        .timeout(settings.timeout)
        .connect_timeout(settings.connect_timeout);
    if let Some(timeout) = settings.call_timeout {
        builder = builder.call_timeout(timeout);
    }
    if settings.graphql_variables {
        builder = builder.graphql_body(GraphqlBody::Variables);
    }
    if settings.http2 {
        builder = builder.http_client(http2_client(settings));
    }
    builder
}

/// Builds an HTTP client as the documentation of `ClientBuilder::http_client` says, for HTTP/2.
fn http2_client(settings: &ClientSettings) -> reqwest::Client {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .connect_timeout(settings.connect_timeout.min(settings.timeout * 3 / 4))
        .pool_idle_timeout(Duration::from_secs(25))
        .http2_prior_knowledge()
        .build()
        .expect("usable settings")
}

impl Caller {
    pub fn new(client: Client, log: Arc<CallLog>) -> Self {
        Self { client, log }
    }

    /// Takes the steps of an actor.
    pub async fn act(self, actor: Actor) {
        tokio::time::sleep(actor.starts).await;
        let mut own = None;
        for step in actor.steps {
            if let Some(job) = self.take_step(&step, own.as_ref()).await {
                own = Some(job);
            }
        }
    }

    fn endpoint(&self) -> Endpoint {
        self.client.endpoint("ep")
    }

    fn choose(&self, choice: JobChoice, own: Option<&Job>) -> Option<Job> {
        match choice {
            JobChoice::Own => own.cloned(),
            JobChoice::Any(index) => self.log.job(index).or_else(|| own.cloned()),
        }
    }
}

/// Wait of `run_sync` by default.
const DEFAULT_WAIT: Duration = Duration::from_secs(90);

impl Caller {
    /// Takes a step. Returns the job that it created.
    pub(crate) async fn take_step(&self, planned: &PlannedStep, own: Option<&Job>) -> Option<Job> {
        let call = planned.call;
        match &planned.step {
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
                    run = run.s3_config(storage_config());
                }
                if *webhook {
                    run = run.webhook(leaks::WEBHOOK);
                }
                let kind = CallKind::Run { at_least_once: *at_least_once };
                let job = self.log_call(planned, kind, None, run.into_future()).await;
                self.add_job(job)
            }
            Step::RunSync { script, wait, output, storage } => {
                let mut run = self.endpoint().run_sync(&script.input(call));
                if let Some(wait) = wait {
                    run = run.wait(*wait);
                }
                if *storage {
                    run = run.s3_config(storage_config());
                }
                let kind =
                    CallKind::RunSync { wait: wait.unwrap_or(DEFAULT_WAIT), output: *output };
                if *output {
                    self.log_call(planned, kind, None, Box::pin(run.output::<Value>())).await;
                    return None;
                }
                let record = self.log_call(planned, kind, None, run.into_future()).await;
                self.add_job(record)
            }
            Step::Status(choice) => {
                let job = self.choose(*choice, own)?;
                self.log_call(planned, CallKind::Status, Some(&job), job.status().into_future())
                    .await;
                None
            }
            Step::Wait { job: choice, timeout, cancel, slow_polling } => {
                let job = self.choose(*choice, own)?;
                let mut wait = job.wait();
                if let Some(timeout) = timeout {
                    wait = wait.timeout(*timeout);
                }
                if *cancel {
                    wait = wait.cancel_on_timeout();
                }
                if *slow_polling {
                    wait = wait.polling(
                        Polling::new().initial_interval(Duration::from_secs(10)).per_second(1),
                    );
                }
                let kind = CallKind::Wait { timeout: *timeout, cancel: *cancel };
                self.log_call(planned, kind, Some(&job), wait.into_future()).await;
                None
            }
            Step::Stream { take } => {
                let job = own?.clone();
                if self.log.claim_stream(&job) {
                    self.stream(planned, &job, *take).await;
                }
                None
            }
            Step::Cancel(choice) => {
                let job = self.choose(*choice, own)?;
                let cancelled = job.clone();
                let cancel = Box::pin(async move { cancelled.cancel().await });
                self.log_call(planned, CallKind::Cancel, Some(&job), cancel).await;
                None
            }
            Step::Retry(choice) => {
                let job = self.choose(*choice, own)?;
                let retried = job.clone();
                let retry = Box::pin(async move { retried.retry().await });
                self.log_call(planned, CallKind::Retry, Some(&job), retry).await;
                None
            }
            Step::RunAll { .. } => {
                self.run_all(planned).await;
                None
            }
            Step::BufferUnordered { script, calls, concurrency, polls } => {
                self.buffer_unordered(planned, *script, *calls, *concurrency, *polls, own).await;
                None
            }
            step => {
                self.call_without_job(planned, step).await;
                None
            }
        }
    }

    async fn call_without_job(&self, planned: &PlannedStep, step: &Step) {
        let (endpoint, client) = (self.endpoint(), self.client.clone());
        let number = planned.call;
        match step {
            Step::Purge => {
                let call = Box::pin(async move { endpoint.purge_queue().await });
                self.log_call(planned, CallKind::Purge, None, call).await;
            }
            Step::Health => {
                let call = Box::pin(async move { endpoint.health().await });
                self.log_call(planned, CallKind::Health, None, call).await;
            }
            Step::Requests => {
                let call = Box::pin(async move { endpoint.requests().await.map(drop) });
                self.log_call(planned, CallKind::Requests, None, call).await;
            }
            Step::Openai => {
                let path = format!("v1/{number}");
                let call =
                    Box::pin(async move { endpoint.openai(&path, &json!({})).await.map(drop) });
                self.log_call(planned, CallKind::Openai, None, call).await;
            }
            Step::OpenaiStream { total } => {
                let path = format!("v1/{number}");
                let call = Box::pin(async move { endpoint.openai_stream(&path, &json!({})).await });
                if let Some(events) = self.log_call(planned, CallKind::Openai, None, call).await {
                    let index = self.log.begin(number, CallKind::Events { total: *total }, None);
                    let items = events.total_timeout(*total).map(|event| {
                        Ok(StreamItem::Chunk { output: event?.json()?, after_gap: false })
                    });
                    self.read(planned, index, items, None).await;
                }
            }
            Step::GetPod => {
                let call = client.rest().get_pod(format!("pod-{number}"));
                let call = Box::pin(async move { call.await });
                self.log_call(planned, CallKind::GetPod, None, call).await;
            }
            Step::CreateTemplate { short_values } => {
                let mut template = template(&format!("tpl-{number}"));
                if *short_values {
                    // Values this short occur in any text and must not be redacted from all of it.
                    template = template.env("DEBUG", "1").env("MODE", "0");
                }
                let call = Box::pin(async move { client.templates().create(template).await });
                self.log_call(planned, CallKind::CreateTemplate, None, call).await;
            }
            Step::UpdateTemplate => {
                let (id, template) = (format!("tplid-{number}"), template("renamed"));
                let call = Box::pin(async move { client.templates().update(id, template).await });
                self.log_call(planned, CallKind::UpdateTemplate, None, call).await;
            }
            Step::DeleteTemplate => {
                let name = format!("tpl-{number}");
                let call = Box::pin(async move { client.templates().delete(name).await });
                self.log_call(planned, CallKind::DeleteTemplate, None, call).await;
            }
            Step::CreateSecret => {
                let name = format!("sec-{number}");
                let call =
                    Box::pin(async move { client.secrets().create(name, leaks::SECRET).await });
                self.log_call(planned, CallKind::CreateSecret, None, call).await;
            }
            Step::DeleteSecret => {
                let id = format!("secid-{number}");
                let call = Box::pin(async move { client.secrets().delete(id).await });
                self.log_call(planned, CallKind::DeleteSecret, None, call).await;
            }
            step => unreachable!("{step:?} is about a job"),
        }
    }

    /// Drives a call, logs its outcome and returns its value.
    async fn log_call<T: ReturnValue>(
        &self,
        planned: &PlannedStep,
        kind: CallKind,
        job: Option<&Job>,
        future: BoxFuture<'static, podqueue::Result<T>>,
    ) -> Option<T> {
        self.log_call_as(planned.call, kind, job, future, planned.pattern).await
    }

    async fn log_call_as<T: ReturnValue>(
        &self,
        call: u64,
        kind: CallKind,
        job: Option<&Job>,
        future: BoxFuture<'static, podqueue::Result<T>>,
        pattern: PollPattern,
    ) -> Option<T> {
        let index = self.log.begin(call, kind, job);
        let _guard = CallGuard { caller: self, index };
        let (completion, unpolled_until) = drive(future, pattern).await;
        let (outcome, value) = match completion {
            Completion::Dropped => (CallOutcome::Dropped, None),
            Completion::Panicked => (CallOutcome::Panicked, None),
            Completion::Finished(Ok(value)) => {
                self.log.check(call, &value);
                (CallOutcome::Ok(value.summary()), Some(value))
            }
            Completion::Finished(Err(error)) => {
                (CallOutcome::Err(self.log_error(call, &error)), None)
            }
        };
        let unpolled_until =
            if may_go_unpolled(call) { Some(Instant::now()) } else { unpolled_until };
        self.log.end(index, outcome, unpolled_until);
        value
    }

    /// Logs an error, and checks its record for leaks.
    fn log_error(&self, call: u64, error: &Error) -> ReturnedError {
        if let Some(record) = error.record() {
            self.log.record(call, record);
        }
        self.log.error(call, error)
    }

    async fn stream(&self, planned: &PlannedStep, job: &Job, take: Option<usize>) {
        let index = self.log.begin(planned.call, CallKind::Stream, Some(job));
        let items = job.stream::<Value>().map(|chunk| {
            chunk.map(|it| StreamItem::Chunk { output: it.output, after_gap: it.after_gap })
        });
        self.read(planned, index, items, take).await;
    }

    /// Reads a stream to its end, or to a number of items.
    async fn read(
        &self,
        planned: &PlannedStep,
        index: usize,
        mut items: impl Stream<Item = podqueue::Result<StreamItem>> + Send + Unpin + 'static,
        take: Option<usize>,
    ) {
        let (log, call) = (self.log.clone(), planned.call);
        let reading: BoxFuture<'static, bool> = Box::pin(async move {
            let mut left = take.unwrap_or(usize::MAX);
            while left > 0 {
                left -= 1;
                match items.next().await {
                    Some(Ok(item)) => log.item(index, item),
                    Some(Err(error)) => {
                        let failed = log.error(call, &error);
                        log.item(index, StreamItem::Error(failed));
                    }
                    None => return true,
                }
            }
            false
        });
        let (completion, unpolled_until) = drive(reading, planned.pattern).await;
        let outcome = match completion {
            Completion::Finished(ended) => {
                CallOutcome::Ok(Returned::Items { items: self.log.items(index), ended })
            }
            Completion::Dropped => CallOutcome::Dropped,
            Completion::Panicked => CallOutcome::Panicked,
        };
        self.log.end(index, outcome, unpolled_until);
    }

    fn add_job(&self, value: Option<impl HasJob>) -> Option<Job> {
        let job = value?.into_job();
        self.log.add_job(&job);
        Some(job)
    }
}

/// Logs a call as dropped if it is dropped together with its actor.
struct CallGuard<'a> {
    caller: &'a Caller,
    index: usize,
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        self.caller.log.dropped(self.index);
    }
}

fn storage_config() -> S3Config {
    S3Config::new("access-id", leaks::STORAGE, "bucket", "https://storage.example")
}

fn template(name: &str) -> NewTemplate {
    NewTemplate::serverless(name, "image:1").container_disk_gb(5).env("TOKEN", leaks::ENV)
}

/// Value of a call that can be logged.
trait ReturnValue: std::fmt::Debug + Send + 'static {
    fn summary(&self) -> Returned {
        Returned::Nothing
    }
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

impl ReturnValue for Job {
    fn summary(&self) -> Returned {
        Returned::Job(self.id().to_owned())
    }
}

impl ReturnValue for podqueue::JobRecord {
    fn summary(&self) -> Returned {
        Returned::Record(returned_record(self))
    }
}

impl ReturnValue for Value {
    fn summary(&self) -> Returned {
        Returned::Output(self.clone())
    }
}

impl ReturnValue for podqueue::Template {
    fn summary(&self) -> Returned {
        Returned::Id(self.id.clone())
    }
}

impl ReturnValue for podqueue::Secret {
    fn summary(&self) -> Returned {
        Returned::Id(self.id.clone())
    }
}

impl ReturnValue for podqueue::Purged {}
impl ReturnValue for podqueue::ServerEvents {}
impl ReturnValue for podqueue::Health {}
impl ReturnValue for podqueue::rest::types::Pod {}
impl ReturnValue for () {}

/// Offset of the numbers of the calls in the body of the loop over `buffer_unordered`.
const BODY_OFFSET: u64 = 500;

/// Offset of the numbers of the buffered calls, which are not polled while the body of the loop
/// awaits its own.
const BUFFERED_OFFSET: u64 = 100;

/// Returns true if the call of this number goes unpolled at times.
fn may_go_unpolled(call: u64) -> bool {
    (BUFFERED_OFFSET..BODY_OFFSET).contains(&(call % 1_000))
}

impl Caller {
    async fn run_all(&self, planned: &PlannedStep) {
        let Step::RunAll { script, jobs, concurrency, timeout, take } = &planned.step else {
            return;
        };
        let (call, script, jobs) = (planned.call, *script, *jobs);
        let index = self.log.begin(call, CallKind::RunAll { jobs }, None);
        let mut all = self
            .endpoint()
            .run_all((0..jobs).map(move |index| script.input(call + index)))
            .concurrency(*concurrency);
        if let Some(timeout) = timeout {
            let timeout = *timeout;
            all = all.wait(move |wait| wait.timeout(timeout));
        }
        let (this, mut left) = (self.clone(), take.unwrap_or(usize::MAX));
        let reading: BoxFuture<'static, bool> = Box::pin(async move {
            while left > 0 {
                left -= 1;
                match all.next().await {
                    Some(finished) => this.log_run_all_item(&finished),
                    None => return true,
                }
            }
            false
        });
        let (completion, unpolled_until) = drive(reading, planned.pattern).await;
        let outcome = match completion {
            Completion::Finished(complete) => CallOutcome::Ok(Returned::RunAll { complete }),
            Completion::Dropped => CallOutcome::Dropped,
            Completion::Panicked => CallOutcome::Panicked,
        };
        self.log.end(index, outcome, unpolled_until);
    }

    fn log_run_all_item(&self, finished: &Finished<Value>) {
        let call = finished.input["call"].as_u64().unwrap_or_default();
        let index = self.log.begin(call, CallKind::RunAllItem, None);
        let outcome = match &finished.result {
            Ok(record) => CallOutcome::Ok(Returned::Record(self.log.record(call, record))),
            Err(error) => CallOutcome::Err(self.log_error(call, error)),
        };
        self.log.end(index, outcome, None);
    }

    /// Makes calls by `buffer_unordered`, with a further call in the body of the loop: the buffered
    /// calls are not polled while it is awaited.
    async fn buffer_unordered(
        &self,
        planned: &PlannedStep,
        script: JobScript,
        calls: u64,
        concurrency: usize,
        polls: bool,
        own: Option<&Job>,
    ) {
        let job = own.cloned().unwrap_or_else(|| self.endpoint().job("unknown-job"));
        let call = |number: u64| {
            let (this, job) = (self.clone(), job.clone());
            async move { this.poll_or_submit(number, script, polls, &job).await }
        };
        let all = async {
            let requests = (0..calls).map(|index| call(planned.call + BUFFERED_OFFSET + index));
            let mut results = futures_util::stream::iter(requests).buffer_unordered(concurrency);
            let mut index = 0;
            while results.next().await.is_some() {
                call(planned.call + BODY_OFFSET + index).await;
                index += 1;
            }
        };
        match planned.pattern {
            PollPattern::DropAfter(time) => drop(tokio::time::timeout(time, all).await),
            _ => all.await,
        }
    }

    async fn poll_or_submit(&self, call: u64, script: JobScript, polls: bool, job: &Job) {
        if polls {
            let status = job.status().into_future();
            self.log_call_as(call, CallKind::Status, Some(job), status, PollPattern::Await).await;
        } else {
            let run = self.endpoint().run(&script.input(call)).into_future();
            let kind = CallKind::Run { at_least_once: false };
            self.log_call_as(call, kind, None, run, PollPattern::Await).await;
        }
    }
}

/// End of a future.
enum Completion<T> {
    Finished(T),
    Dropped,
    Panicked,
}

/// Polls a future in a pattern. Also returns the end of the period in which it was not polled.
async fn drive<T: Send + 'static>(
    mut future: BoxFuture<'static, T>,
    pattern: PollPattern,
) -> (Completion<T>, Option<Instant>) {
    let completion = match pattern {
        PollPattern::Await => Completion::Finished(future.await),
        PollPattern::DropAfter(time) => match timeout(time, future).await {
            Ok(output) => Completion::Finished(output),
            Err(_) => Completion::Dropped,
        },
        PollPattern::DropAtPoll(polls) => match poll_times(&mut future, polls).await {
            Some(output) => Completion::Finished(output),
            None => Completion::Dropped,
        },
        PollPattern::Suspend { polls, pause } => match poll_times(&mut future, polls).await {
            Some(output) => Completion::Finished(output),
            None => {
                sleep(pause).await;
                let unpolled_until = Instant::now();
                return (Completion::Finished(future.await), Some(unpolled_until));
            }
        },
        PollPattern::MoveToTask { polls } => match poll_times(&mut future, polls).await {
            Some(output) => Completion::Finished(output),
            None => match tokio::spawn(future).await {
                Ok(output) => Completion::Finished(output),
                Err(_) => Completion::Panicked,
            },
        },
    };
    (completion, None)
}

async fn poll_times<T>(future: &mut BoxFuture<'static, T>, polls: u32) -> Option<T> {
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
