//! Instructions of a call beside the same work by the raw HTTP client: `status` and `run` against a
//! server that answers a constant, on a connection that is open.
//!
//! Both sides write their request, read the response and decode it: the client with the limiter,
//! retries and a span, the raw one with reqwest and serde alone. Counted by valgrind, in the
//! calling thread only.

use std::hint::black_box;

use gungraun::prelude::*;
use podqueue::{Client, Endpoint, RateLimits};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

mod server;

/// Calls per sample.
const CALLS: usize = 100;

#[derive(Serialize)]
struct Input {
    prompt: &'static str,
    steps: u32,
}

const INPUT: Input = Input { prompt: "a lighthouse in the fog, oil on canvas", steps: 30 };

#[derive(Serialize)]
struct Submission<'a> {
    input: &'a Input,
}

#[derive(Deserialize)]
struct Record {
    id: String,
    status: String,
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

struct Ours {
    runtime: Runtime,
    endpoint: Endpoint,
}

fn ours() -> Ours {
    let url = server::start("".into()).expect("a server");
    let runtime = runtime();
    let endpoint = runtime.block_on(async {
        let limits = RateLimits::new().requests_per_worker(1_000_000);
        let client = Client::builder().api_key("the-key").base_url(&url).rate_limits(limits);
        let endpoint = client.build().expect("a client").endpoint("bench");
        // One running worker that takes a million requests: the limiter is on, and does not bind.
        endpoint.health().await.expect("an answer");
        endpoint.job(server::JOB).status().await.expect("an answer");
        endpoint.run(&INPUT).await.expect("an answer");
        endpoint
    });
    Ours { runtime, endpoint }
}

struct Raw {
    runtime: Runtime,
    http: reqwest::Client,
    url: String,
}

impl Raw {
    async fn status(&self) -> Record {
        let request = self.http.get(format!("{}/v2/bench/status/{}", self.url, server::JOB));
        Self::read(request).await
    }

    async fn run(&self) -> Record {
        let body = serde_json::to_vec(&Submission { input: &INPUT }).expect("JSON");
        let request = self.http.post(format!("{}/v2/{}/run", self.url, "bench"));
        Self::read(request.header("content-type", "application/json").body(body)).await
    }

    async fn read(request: reqwest::RequestBuilder) -> Record {
        let response = request.bearer_auth("the-key").send().await.expect("an answer");
        let body = response.error_for_status().expect("a success").bytes().await.expect("a body");
        serde_json::from_slice(&body).expect("a record")
    }
}

fn raw() -> Raw {
    let url = server::start("".into()).expect("a server");
    let raw = Raw { runtime: runtime(), http: reqwest::Client::new(), url };
    raw.runtime.block_on(async {
        raw.status().await;
        raw.run().await;
    });
    raw
}

#[library_benchmark]
#[bench::status(setup = ours)]
fn ours_status(ours: Ours) -> Ours {
    let job = ours.endpoint.job(server::JOB);
    ours.runtime.block_on(async {
        for _ in 0..CALLS {
            black_box(job.status().await.expect("an answer"));
        }
    });
    ours
}

#[library_benchmark]
#[bench::status(setup = raw)]
fn raw_status(raw: Raw) -> Raw {
    raw.runtime.block_on(async {
        for _ in 0..CALLS {
            let record = raw.status().await;
            black_box((record.id, record.status));
        }
    });
    raw
}

#[library_benchmark]
#[bench::run(setup = ours)]
fn ours_run(ours: Ours) -> Ours {
    ours.runtime.block_on(async {
        for _ in 0..CALLS {
            black_box(ours.endpoint.run(&INPUT).await.expect("an answer"));
        }
    });
    ours
}

#[library_benchmark]
#[bench::run(setup = raw)]
fn raw_run(raw: Raw) -> Raw {
    raw.runtime.block_on(async {
        for _ in 0..CALLS {
            let record = raw.run().await;
            black_box((record.id, record.status));
        }
    });
    raw
}

library_benchmark_group!(
    name = calls,
    max_parallel = 1,
    benchmarks = [raw_status, ours_status, raw_run, ours_run]
);

main!(library_benchmark_groups = calls);
