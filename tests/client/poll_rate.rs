//! Poll rate: the polls of all waits and streams on an endpoint, first in, first out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use podqueue::{Endpoint, Observation, Polling};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::support::{Reply, Script};

/// Poll times by job.
#[derive(Clone, Default)]
struct Polls {
    all: Arc<Mutex<Vec<(String, Instant)>>>,
    too_many: Arc<Notify>,
}

/// More polls than any test here allows. Without a poll rate there are thousands per second, and a
/// test that continued would not end.
const TOO_MANY: usize = 5_000;

impl Polls {
    /// An endpoint whose client polls as often as this says, of a server at which no job ever ends.
    async fn watched(&self, per_second: u32) -> (Script, Endpoint) {
        let server = Script::by(|request| {
            if request.target.contains("/stream/") {
                Reply::ok(json!({"status": "IN_PROGRESS", "stream": []}))
            } else {
                Reply::ok(json!({"status": "IN_PROGRESS"}))
            }
        });
        let (server, polls) = (server.await, self.clone());
        let moment = Duration::from_millis(1);
        let polling =
            Polling::new().initial_interval(moment).max_interval(moment).per_second(per_second);
        let settings = server.settings().polling(polling).observe(move |event| {
            if let Observation::Polled { job_id, .. } = event {
                let mut all = polls.all.lock().unwrap();
                all.push(((*job_id).to_owned(), Instant::now()));
                if all.len() == TOO_MANY {
                    polls.too_many.notify_one();
                }
            }
        });
        let endpoint = settings.build().unwrap().endpoint("ep");
        (server, endpoint)
    }

    fn all(&self) -> Vec<(String, Instant)> {
        self.all.lock().unwrap().clone()
    }

    /// Lets this come to its end, unless the polls run away before.
    async fn during<T>(&self, what: impl Future<Output = T>) -> T {
        tokio::select! {
            done = what => done,
            () = self.too_many.notified() => panic!("{TOO_MANY} polls, and no end"),
        }
    }

    fn by_job(&self) -> BTreeMap<String, Vec<Instant>> {
        let mut jobs = BTreeMap::<_, Vec<_>>::new();
        for (job, at) in self.all() {
            jobs.entry(job).or_default().push(at);
        }
        jobs
    }
}

fn wait(tasks: &mut JoinSet<()>, endpoint: &Endpoint, id: &str) {
    let wait = endpoint.job(id).wait();
    tasks.spawn(async move { drop(wait.await) });
}

fn stream(tasks: &mut JoinSet<()>, endpoint: &Endpoint, id: &str) {
    let stream = endpoint.job(id).stream::<Value>();
    tasks.spawn(stream.for_each(async |_| {}));
}

#[tokio::test(start_paused = true)]
async fn waits_and_streams_stay_within_the_polling_rate_and_none_starves() {
    let polls = Polls::default();
    let (_server, endpoint) = polls.watched(20).await;
    let mut tasks = JoinSet::new();
    for n in 0..50 {
        wait(&mut tasks, &endpoint, &format!("waited-{n}"));
        stream(&mut tasks, &endpoint, &format!("streamed-{n}"));
    }
    polls.during(sleep(Duration::from_secs(100))).await;
    drop(tasks);

    let (all, by_job) = (polls.all(), polls.by_job());
    assert!(all.len() > 1_900, "{} polls in 100 s", all.len());
    let mut from = 0;
    for (until, (_, at)) in all.iter().enumerate() {
        while *at - all[from].1 > Duration::from_secs(10) {
            from += 1;
        }
        // And what an endpoint that was quiet for a second may catch up on.
        assert!(until - from <= 221, "{} in the 10 s before {at:?}", until - from);
    }
    assert_eq!(by_job.len(), 100);
    for (job, at) in by_job {
        // 20 rounds for every wait.
        assert!((17..=22).contains(&at.len()), "{job} was polled {} times", at.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_could_expire_is_polled_beyond_the_poll_rate() {
    let polls = Polls::default();
    let (_server, endpoint) = polls.watched(1).await;
    let mut tasks = JoinSet::new();
    for n in 0..100 {
        wait(&mut tasks, &endpoint, &format!("waited-{n}"));
        stream(&mut tasks, &endpoint, &format!("streamed-{n}"));
    }
    polls.during(sleep(Duration::from_secs(1))).await;
    // The poll rate allows a poll of each job every 200 s, and results are kept for a minute.
    wait(&mut tasks, &endpoint, "sync-waited");
    stream(&mut tasks, &endpoint, "sync-streamed");
    let joined = Instant::now();
    polls.during(sleep(Duration::from_secs(300))).await;
    drop(tasks);

    let by_job = polls.by_job();
    for job in ["sync-waited", "sync-streamed"] {
        let mut last = joined;
        for at in by_job[job].iter().copied().chain([Instant::now()]) {
            let since = at - last;
            assert!(since < Duration::from_millis(20_500), "{job} was polled after {since:?}");
            last = at;
        }
    }
    let others = polls.all().iter().filter(|(job, _)| !job.starts_with("sync-")).count();
    assert!((295..=305).contains(&others), "{others} of the others, whose turn is their own");
}

#[tokio::test(start_paused = true)]
async fn unpolled_streams_do_not_delay_a_wait() {
    let polls = Polls::default();
    let (_server, endpoint) = polls.watched(10).await;
    let mut streams: Vec<_> =
        (0..30).map(|n| endpoint.job(format!("streamed-{n}")).stream::<Value>()).collect();
    // More than may be polled at once, so that most of them wait in the queue.
    for stream in &mut streams {
        assert!(stream.next().now_or_never().is_none());
    }
    let job = endpoint.job("waited");
    let wait = job.wait().timeout(Duration::from_secs(60)).into_future();
    polls.during(wait).await.unwrap_err();
    let waited = polls.by_job().remove("waited").unwrap();
    assert!(waited.len() > 400, "{} polls in a minute", waited.len());
}
