//! A random service: whatever it responds, no loss is silent, nothing is delivered twice, and
//! nothing is attributed to another job.
//!
//! A failure prints its seed, with which `RANDOM_SEED=…` repeats it; `RANDOM_RUNS=…` sets the
//! number of runs.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use futures_util::StreamExt;
use podqueue::{Endpoint, ErrorKind, Polling, RetryPolicy};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Reply, Request, Script};

/// The seeds of a run.
fn seeds() -> impl Iterator<Item = u64> {
    let variable = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match variable("RANDOM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..variable("RANDOM_RUNS").unwrap_or(30),
    }
}

fn draw<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())].clone()
}

/// A rejection before processing.
fn rejected(rng: &mut Rng) -> Reply {
    let gateway = "<html><title>gateway</title></html>";
    draw(rng, &[Reply::json(429, "{}"), Reply::json(429, gateway).header("retry-after", 1)])
}

/// The loss of a response after processing.
fn lost_response(rng: &mut Rng, made: &Reply) -> Reply {
    let gateway = "<html><title>gateway</title></html>";
    draw(
        rng,
        &[
            Reply::Close,
            Reply::Hang,
            made.clone().cut_off(),
            made.clone().stalled(),
            made.clone().late(Duration::from_secs(120)),
            Reply::json(425, "{}"),
            Reply::json(500, "{}"),
            Reply::json(502, gateway),
            Reply::json(504, ""),
            Reply::ok(""),
            Reply::ok(gateway),
            Reply::ok(
                json!({"id": "sync-other", "status": "COMPLETED", "output": "other", "stream": [{"output": 999}]}),
            ),
        ],
    )
}

/// A response other than a record, for a read that can be repeated.
fn non_record(rng: &mut Rng, made: &Reply) -> Reply {
    let gateway = "<html><title>gateway</title></html>";
    let odd = [
        Reply::json(403, gateway),
        Reply::json(404, gateway),
        Reply::json(408, ""),
        Reply::ok("[]"),
        Reply::ok(json!({"status": "COMPLETED", "stream": []})),
        Reply::ok(json!({"jobs": {}, "workers": {}})),
        Reply::ok(json!({"id": "sync-other", "status": "FAILED", "error": "other"})),
    ];
    match rng.u8(..3) {
        0 => rejected(rng),
        1 => lost_response(rng, made),
        _ => draw(rng, &odd),
    }
}

/// The record in irregular JSON.
fn irregular_json(rng: &mut Rng, record: Value) -> Reply {
    let mut body = record.to_string();
    if rng.bool() {
        body.insert(0, '\u{feff}');
    }
    if rng.bool() {
        body.insert_str(body.len() - 1, r#","temperature":NaN"#);
    }
    Reply::ok(body)
}

fn endpoint(server: &Script, rng: &mut Rng) -> Endpoint {
    let retry = draw(rng, &[RetryPolicy::never(), RetryPolicy::new()]);
    let settings = server.settings().retry(retry).polling(Polling::new());
    settings.build().unwrap().endpoint("ep")
}

/// Delivery of the chunks that the service has sent, in order.
#[derive(Clone, Debug, PartialEq)]
enum Delivery {
    Sent(u64),
    /// A lost response with this number of chunks, or none.
    Lost(u64),
}

struct Streaming {
    rng: Rng,
    left: VecDeque<u64>,
    deliveries: Vec<Delivery>,
    status: &'static str,
}

impl Streaming {
    fn answer(&mut self, request: &Request) -> Reply {
        let (rng, ended) = (&mut self.rng, self.left.is_empty());
        let status = if ended { self.status } else { "IN_PROGRESS" };
        if request.target.contains("/status/") {
            let record = json!({"id": "sync-j", "status": status, "error": "the reason"});
            let made = irregular_json(rng, record);
            return if rng.u8(..3) == 0 { non_record(rng, &made) } else { made };
        }
        if rng.u8(..4) == 0 {
            return rejected(rng);
        }
        let taken: Vec<_> = self.left.drain(..rng.usize(..4).min(self.left.len())).collect();
        let chunks: Vec<_> = taken.iter().map(|n| json!({"output": n})).collect();
        let made = match rng.u8(..3) {
            0 => Reply::ok(json!(chunks)),
            1 => Reply::ok(json!({"stream": chunks, "status": status})),
            _ => irregular_json(rng, json!({"id": "sync-j", "status": status, "stream": chunks})),
        };
        if rng.u8(..4) > 0 {
            self.deliveries.extend(taken.into_iter().map(Delivery::Sent));
            return made;
        }
        self.deliveries.push(Delivery::Lost(taken.len() as u64));
        lost_response(rng, &made)
    }
}

/// The expected items of a stream, with a mark before each chunk after a loss.
fn expected(deliveries: &[Delivery], status: &str) -> Vec<String> {
    let (mut items, mut gap) = (Vec::new(), false);
    for one in deliveries {
        match one {
            Delivery::Lost(_) => gap = true,
            Delivery::Sent(n) => {
                items.push(format!("{}{n}", if std::mem::take(&mut gap) { "gap " } else { "" }));
            }
        }
    }
    if gap {
        items.push("StreamGap".to_owned());
    }
    if status == "FAILED" {
        items.push("JobFailed".to_owned());
    }
    items
}

#[tokio::test(start_paused = true)]
async fn every_chunk_arrives_once_and_in_order_or_a_gap_is_reported() {
    for seed in seeds() {
        let mut rng = Rng::with_seed(seed);
        let status = draw(&mut rng, &["COMPLETED", "FAILED"]);
        let streaming = Arc::new(Mutex::new(Streaming {
            left: (0..rng.u64(..30)).collect(),
            deliveries: Vec::new(),
            status,
            rng: rng.fork(),
        }));
        let service = Arc::clone(&streaming);
        let server = Script::by(move |request| service.lock().unwrap().answer(request)).await;
        let stream = endpoint(&server, &mut rng).job("sync-j").stream::<u64>();
        let items =
            tokio::time::timeout(Duration::from_secs(6 * 3_600), stream.collect::<Vec<_>>());
        let items = items.await.unwrap_or_else(|_| panic!("seed {seed}: it does not end"));
        let told: Vec<_> = items
            .iter()
            .map(|item| match item {
                Ok(chunk) => {
                    format!("{}{}", if chunk.after_gap { "gap " } else { "" }, chunk.output)
                }
                Err(error) => format!("{:?}", error.kind()),
            })
            .collect();
        let streaming = streaming.lock().unwrap();
        assert_eq!(told, expected(&streaming.deliveries, status), "seed {seed}");
        assert!(streaming.left.is_empty(), "seed {seed}: it was not read to its end");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_its_own_jobs_result_or_at_its_deadline() {
    for seed in seeds() {
        let mut rng = Rng::with_seed(seed);
        let ends_at = Instant::now() + Duration::from_secs(rng.u64(..90));
        let status = draw(&mut rng, &["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]);
        let drawn = Mutex::new(rng.fork());
        let server = Script::by(move |_| {
            let rng = &mut *drawn.lock().unwrap();
            let status = if Instant::now() < ends_at { "IN_PROGRESS" } else { status };
            let record = json!({"id": "sync-j", "status": status, "output": "mine"});
            let made = irregular_json(rng, record);
            if rng.bool() { non_record(rng, &made) } else { made }
        })
        .await;
        let time = Duration::from_secs(rng.u64(1..120));
        let deadline = Instant::now() + time;
        let wait = endpoint(&server, &mut rng).job("sync-j").wait().timeout(time);
        match wait.await {
            Ok(record) => {
                assert_eq!(status, "COMPLETED", "seed {seed}");
                assert_eq!(record.output::<String>().unwrap(), "mine", "seed {seed}");
            }
            Err(error) if error.kind() == ErrorKind::WaitTimedOut => {
                let late = Instant::now().saturating_duration_since(deadline);
                assert!(
                    Instant::now() >= deadline && late < Duration::from_millis(5),
                    "seed {seed}"
                );
            }
            Err(error) => {
                assert_eq!(error.record().unwrap().status().as_str(), status, "seed {seed}");
                assert_eq!(error.job_id(), Some("sync-j"), "seed {seed}");
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Input {
    n: usize,
}

/// The accepted jobs: their inputs, by id.
#[derive(Default)]
struct Accepted(HashMap<String, usize>);

#[tokio::test(start_paused = true)]
async fn of_many_jobs_each_is_accounted_for_once_and_none_is_submitted_twice() {
    for seed in seeds().filter(|seed| seed % 3 == 0) {
        let mut rng = Rng::with_seed(seed);
        let accepted = Arc::new(Mutex::new(Accepted::default()));
        let (known, drawn) = (Arc::clone(&accepted), Mutex::new(rng.fork()));
        let server = Script::by(move |request| {
            let (rng, jobs) = (&mut *drawn.lock().unwrap(), &mut known.lock().unwrap().0);
            if request.target.ends_with("/run") {
                if rng.u8(..4) == 0 {
                    return Reply::json(429, "{}");
                }
                let n = request.json()["input"]["n"].as_u64().unwrap() as usize;
                assert!(jobs.values().all(|other| *other != n), "{n} is submitted twice");
                let id = format!("job-{n}");
                jobs.insert(id.clone(), n);
                let made = irregular_json(rng, json!({"id": id, "status": "IN_QUEUE"}));
                let lost = draw(
                    rng,
                    &[
                        Reply::Close,
                        Reply::Hang,
                        Reply::json(502, "<html>"),
                        Reply::ok(format!(r#"{{"id":"{id}","sta"#)).cut_off(),
                        Reply::ok("<html>"),
                    ],
                );
                return if rng.u8(..6) == 0 { lost } else { made };
            }
            let id = request.target.rsplit('/').next().unwrap();
            let made =
                irregular_json(rng, json!({"id": id, "status": "COMPLETED", "output": jobs[id]}));
            if rng.u8(..3) == 0 { non_record(rng, &made) } else { made }
        })
        .await;
        let inputs = (0..20).map(|n| Input { n });
        let results = endpoint(&server, &mut rng).run_all(inputs).concurrency(rng.usize(1..8));
        let mut results: Vec<_> = results.collect().await;
        results.sort_by_key(|finished| finished.index);
        let places: Vec<_> =
            results.iter().map(|finished| (finished.index, finished.input.n)).collect();
        assert_eq!(places, (0..20).map(|n| (n, n)).collect::<Vec<_>>(), "seed {seed}");
        let accepted = &accepted.lock().unwrap().0;
        for finished in results {
            let n = finished.input.n;
            let was_accepted = accepted.values().any(|known| *known == n);
            match finished.result {
                Ok(record) => assert_eq!(record.output::<usize>().unwrap(), n, "seed {seed}"),
                Err(error) if was_accepted => {
                    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "seed {seed}: {error}");
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::RateLimited, "seed {seed}: {error}")
                }
            }
        }
    }
}
