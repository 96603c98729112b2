//! Every operation under every fault: how often it was sent, whether it took effect more than once,
//! and what the caller learns. `REPEATS` is the table of what may be sent again.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Client, Error, ErrorKind, JobStatus, NewTemplate, RetryPolicy};
use podqueue_local::{Fault, GPU_POD, LocalService, OWN_TEMPLATE, Operation};
use serde_json::{Value, json};

use crate::support::{client, service, settings, until};

/// What may be sent again when it is not known whether it took effect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Repeats {
    /// It is sent again.
    Safely,
    /// It is not: the outcome is unknown.
    Never,
    /// It is not, but a look at the job's status settles the outcome.
    AfterALook,
}

const REPEATS: [(Call, Operation, Repeats); 17] = [
    (Call::Run, Operation::Run, Repeats::Never),
    (Call::RunSync, Operation::RunSync, Repeats::Never),
    (Call::Status, Operation::Status, Repeats::Safely),
    (Call::Stream, Operation::Stream, Repeats::Safely),
    (Call::Cancel, Operation::Cancel, Repeats::Safely),
    (Call::Retry, Operation::Retry, Repeats::AfterALook),
    (Call::PurgeQueue, Operation::PurgeQueue, Repeats::Never),
    (Call::Health, Operation::Health, Repeats::Safely),
    (Call::OpenAi, Operation::OpenAi, Repeats::Never),
    (Call::Requests, Operation::Requests, Repeats::Safely),
    (Call::GetPod, Operation::GetPod, Repeats::Safely),
    (Call::GetTemplate, Operation::GetTemplate, Repeats::Safely),
    (Call::CreateTemplate, Operation::GraphQl, Repeats::Never),
    (Call::UpdateTemplate, Operation::GraphQl, Repeats::Safely),
    (Call::DeleteTemplate, Operation::GraphQl, Repeats::Safely),
    (Call::CreateSecret, Operation::GraphQl, Repeats::Never),
    (Call::DeleteSecret, Operation::GraphQl, Repeats::Safely),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Run,
    RunSync,
    Status,
    Stream,
    Cancel,
    Retry,
    PurgeQueue,
    Health,
    OpenAi,
    Requests,
    GetPod,
    GetTemplate,
    CreateTemplate,
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

/// What a fault leaves the client to know.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Knows {
    /// The true answer came, if late.
    All,
    /// It was not taken up.
    NotTaken,
    /// Nothing: it may have taken effect.
    Nothing,
    /// An answer came that will not change.
    Final(ErrorKind),
}

fn faults() -> Vec<(&'static str, Fault, Knows)> {
    let moment = Duration::from_millis(5);
    let mut faults = vec![
        ("a delay", Fault::delay(moment), Knows::All),
        ("a slow drip", Fault::drip(16, Duration::from_millis(1)), Knows::All),
        ("429", Fault::answer(429, "{}"), Knows::NotTaken),
        ("429 with a time", Fault::answer(429, "").header("retry-after", "0"), Knows::NotTaken),
        ("a reset", Fault::reset(), Knows::Nothing),
        ("a lost answer", Fault::lost_answer(), Knows::Nothing),
        ("a reset in the answer", Fault::reset_after(40), Knows::Nothing),
        ("malformed JSON", Fault::malformed(), Knows::Final(ErrorKind::Decode)),
        (
            "a redirect",
            Fault::redirect(307, "https://h.example/"),
            Knows::Final(ErrorKind::Redirect),
        ),
        ("400", Fault::answer(400, "{}"), Knows::Final(ErrorKind::BadRequest)),
        ("401", Fault::answer(401, "{}"), Knows::Final(ErrorKind::Unauthorized)),
        ("403", Fault::answer(403, "{}"), Knows::Final(ErrorKind::UnexpectedStatus)),
    ];
    for status in [500, 502, 503, 504] {
        let page = "<html><title>Bad Gateway</title></html>";
        faults.push(("5xx, not processed", Fault::answer(status, page), Knows::Nothing));
        faults.push(("5xx, processed", Fault::answer(status, page).processed(), Knows::Nothing));
    }
    faults
}

/// The state of a service in which a call can be made, and what it is made on.
struct Stage {
    local: LocalService,
    /// Makes the call that suffers.
    client: Client,
    /// Looks at what became of it, unharmed.
    witness: Client,
    job: String,
    secret: String,
}

impl Stage {
    async fn set(call: Call) -> Self {
        let local = service().workers(1, 1).start().await.unwrap();
        let moment = Duration::from_millis(1);
        let retry = RetryPolicy::new().base(moment).throttled_base(moment);
        let suffering = settings(&local).retry(retry).timeout(Duration::from_secs(10));
        let witness = client(&local);
        let mut secret = String::new();
        let mut job = String::new();
        match call {
            Call::Cancel | Call::PurgeQueue => {
                job = witness.endpoint("stalled").run(&json!({})).await.unwrap().id().to_owned();
            }
            Call::Retry => {
                let failed = witness.endpoint("second-time").run(&json!({})).await.unwrap();
                until(&failed, JobStatus::Failed).await;
                job = failed.id().to_owned();
            }
            Call::Status | Call::Stream => {
                let counted = witness.endpoint("count").run(&json!({"n": 3})).await.unwrap();
                until(&counted, JobStatus::Completed).await;
                job = counted.id().to_owned();
            }
            Call::UpdateTemplate | Call::DeleteTemplate => {
                job = witness.templates().create(template()).await.unwrap().id;
            }
            Call::DeleteSecret => {
                secret = witness.secrets().create("token", "v").await.unwrap().id;
            }
            _ => {}
        }
        Self { client: suffering.build().unwrap(), witness, local, job, secret }
    }

    async fn make(&self, call: Call) -> Result<(), Error> {
        let client = &self.client;
        let echo = client.endpoint("echo");
        match call {
            Call::Run => echo.run(&json!({})).await.map(drop),
            Call::RunSync => echo.run_sync(&json!({})).await.map(drop),
            Call::Status => client.endpoint("count").job(&self.job).status().await.map(drop),
            Call::Stream => self.read_stream().await,
            Call::Cancel => client.endpoint("stalled").job(&self.job).cancel().await.map(drop),
            Call::Retry => client.endpoint("second-time").job(&self.job).retry().await.map(drop),
            Call::PurgeQueue => client.endpoint("stalled").purge_queue().await.map(drop),
            Call::Health => echo.health().await.map(drop),
            Call::OpenAi => echo.openai("v1/models", &json!({})).await.map(drop),
            Call::Requests => echo.requests().await.map(drop),
            Call::GetPod => client.rest().get_pod(GPU_POD).await.map(drop),
            Call::GetTemplate => client.rest().get_template(OWN_TEMPLATE).await.map(drop),
            Call::CreateTemplate => client.templates().create(template()).await.map(drop),
            Call::UpdateTemplate => {
                client.templates().update(&self.job, template().volume_gb(2)).await.map(drop)
            }
            Call::DeleteTemplate => client.templates().delete("matrix").await,
            Call::CreateSecret => client.secrets().create("token", "v").await.map(drop),
            Call::DeleteSecret => client.secrets().delete(&self.secret).await,
        }
    }

    /// Every chunk comes, or the one after the hole says that there is one, or, where all that was
    /// left is lost, nothing comes.
    async fn read_stream(&self) -> Result<(), Error> {
        let job = self.client.endpoint("count").job(&self.job);
        let chunks: Vec<_> = job.stream::<Value>().collect().await;
        let mut expected = 0;
        for chunk in chunks {
            let chunk = chunk?;
            let n = chunk.output["n"].as_u64().unwrap();
            assert!(n == expected || chunk.after_gap, "a chunk is missing without a word");
            expected = n + 1;
        }
        Ok(())
    }

    /// How often the call took effect, where that can be told from outside.
    async fn effects(&self, call: Call) -> Option<u64> {
        let witness = &self.witness;
        match call {
            Call::Run | Call::RunSync | Call::OpenAi => {
                let requests = witness.endpoint("echo").requests().await.unwrap();
                let list = requests.as_array().or_else(|| requests["requests"].as_array());
                Some(list.unwrap().len() as u64)
            }
            Call::Retry => {
                Some(witness.endpoint("second-time").health().await.unwrap().jobs.retried)
            }
            Call::Cancel => {
                let job = witness.endpoint("stalled").job(&self.job).status().await.unwrap();
                Some(u64::from(*job.status() == JobStatus::Cancelled))
            }
            Call::PurgeQueue => {
                let health = witness.endpoint("stalled").health().await.unwrap();
                Some(1 - health.jobs.in_queue)
            }
            Call::CreateTemplate => {
                // The name is unique, so it is taken exactly where the call took effect.
                Some(u64::from(witness.templates().create(template()).await.is_err()))
            }
            Call::DeleteTemplate => {
                Some(u64::from(witness.templates().delete("matrix").await.is_err()))
            }
            Call::DeleteSecret => {
                Some(u64::from(witness.secrets().delete(&self.secret).await.is_err()))
            }
            _ => None,
        }
    }

    /// How often the operation was sent.
    fn sent(&self, call: Call) -> usize {
        let place = match call {
            Call::Run => "/run",
            Call::RunSync => "/runsync",
            Call::Status => "/status/",
            Call::Stream => "/stream/",
            Call::Cancel => "/cancel/",
            Call::Retry => "/retry/",
            Call::PurgeQueue => "/purge-queue",
            Call::Health => "/health",
            Call::OpenAi => "/openai/",
            Call::Requests => "/requests",
            Call::GetPod => "/pods/",
            Call::GetTemplate => "/templates/",
            _ => "/graphql",
        };
        let requests = self.local.requests();
        requests.iter().filter(|request| request.path.contains(place)).count()
    }
}

fn template() -> NewTemplate {
    NewTemplate::pod("matrix", "image:1").container_disk_gb(1).volume_gb(1)
}

#[tokio::test]
async fn every_operation_under_every_fault() {
    let mut cells = 0;
    for (call, operation, repeats) in REPEATS {
        for (name, fault, knows) in faults() {
            let stage = Stage::set(call).await;
            let before = stage.sent(call);
            stage.local.add_fault(fault.on(operation).times(1));
            let made = tokio::time::timeout(Duration::from_secs(30), stage.make(call)).await;
            let result = made.unwrap_or_else(|_| panic!("{call:?} under {name} hangs"));
            let sent = stage.sent(call) - before;
            let cell = format!("{call:?} under {name}: {result:?}, sent {sent} times");

            match (knows, repeats) {
                (Knows::All, _) => assert!(result.is_ok(), "{cell}"),
                (Knows::NotTaken, _) | (Knows::Nothing, Repeats::Safely) => {
                    assert!(result.is_ok(), "{cell}");
                }
                (Knows::Nothing, Repeats::Never) => {
                    assert_eq!(kind(&result), Some(ErrorKind::OutcomeUnknown), "{cell}");
                }
                (Knows::Nothing, Repeats::AfterALook) => {
                    let told = matches!(kind(&result), None | Some(ErrorKind::OutcomeUnknown));
                    assert!(told, "{cell}");
                }
                (Knows::Final(expected), _) => assert_eq!(kind(&result), Some(expected), "{cell}"),
            }
            if call != Call::Stream {
                let again = matches!(
                    (knows, repeats),
                    (Knows::NotTaken, _) | (Knows::Nothing, Repeats::Safely)
                );
                assert_eq!(sent, 1 + usize::from(again), "{cell}");
            }

            let effects = stage.effects(call).await;
            assert!(effects.is_none_or(|times| times <= 1), "{cell}: it took effect {effects:?}");
            if result.is_ok() {
                assert!(effects.is_none_or(|times| times == 1), "{cell}: it had no effect");
            }
            cells += 1;
        }
    }
    assert_eq!(cells, 17 * 20);
}

fn kind(result: &Result<(), Error>) -> Option<ErrorKind> {
    result.as_ref().err().map(Error::kind)
}
