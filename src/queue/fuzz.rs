//! Entry points of the fuzz targets for responses of the queue interface.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde_json::Value;

use super::operations::{RUN, STATUS};
use super::stream::fuzz_chunks;
use super::submission::read_new;
use super::{Endpoint, Health, JobRecord, Purged};
use crate::client::Client;
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::redact::Secrets;
use podqueue_runtime::Reply;
use podqueue_runtime::SecretString;

fn endpoint() -> Endpoint {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        let settings = Client::builder().api_key("k").base_url("http://127.0.0.1:1");
        settings.build().expect("usable settings")
    });
    client.endpoint("ep")
}

fn reply(body: &[u8]) -> Reply {
    let secrets = Secrets::new(vec![SecretString::from("k")], None);
    let attempted = Attempted::new("read").on_interface("queue");
    Reply::received(attempted, 200, Bytes::copy_from_slice(body), secrets)
}

/// A record of a known job, and of a new job.
pub fn record(body: &[u8]) {
    let (endpoint, reply) = (endpoint(), reply(body));
    let job = endpoint.job("j");
    if let Ok(record) = job.read(&STATUS, &reply) {
        read_all_of(record);
    }
    match read_new(&endpoint, &RUN, &reply, &[]) {
        Ok(record) => {
            assert!(!record.id().is_empty(), "a new job has an id");
            record.job().lifespan().accepted(SystemTime::now(), Some(Duration::MAX));
            read_all_of(record);
        }
        Err(error) => assert!(!error.is_retryable(), "it may have been accepted"),
    }
}

fn read_all_of(record: JobRecord) {
    let _ = (record.output::<Value>(), record.progress::<Vec<String>>(), record.failure());
    let _ =
        (record.output_json(), record.output_bytes(), record.delay_time(), record.execution_time());
    for name in record.other_names() {
        let _ = record.other::<Value>(name);
    }
    record.record_observation(SystemTime::now());
    let _ = (record.job().expires_at(), record.job().result_expires_at());
    let terminal = record.status().is_terminal();
    match record.into_result() {
        Ok(record) => drop(format!("{record:?}")),
        Err(error) => {
            assert!(terminal, "only what has ended has failed");
            let _ = format!("{error} {error:?}");
        }
    }
}

/// The chunks of a stream, in both forms.
pub fn stream(body: &[u8]) {
    fuzz_chunks(&Bytes::copy_from_slice(body));
}

/// A health report, and the response to a purge.
pub fn health(body: &[u8]) {
    let reply = reply(body);
    if let Err(error) = reply.decode::<Health>() {
        let _ = format!("{error} {error:?}");
    }
    let _ = reply.decode::<Purged>();
}
