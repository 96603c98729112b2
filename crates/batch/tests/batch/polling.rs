//! Order of polls.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use podqueue_batch::store::{Change, Claim, Commit, Event, Input, OpenStore, RunRecord, Store};

use crate::support::{Folder, endpoint, service, until};

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn jobs_are_polled_by_earliest_expiry_of_ttl_or_retention() {
    const EACH: u64 = 150;
    let local = service().start().await.unwrap();
    let folder = Folder::with(3 * EACH);
    folder.open().await.unwrap();
    let mut store = folder.journal().open().unwrap();
    let (minute, day) = (60_000, 24 * 60 * 60_000);
    // The first expire at minute 30 at the earliest, by their retention; the second at 17, by their
    // ttl; the third at 40.
    for (ttl, submitted_at) in [(day, 0), (12 * minute, 5 * minute), (day, 10 * minute)] {
        let run = RunRecord {
            endpoint_id: "double".into(),
            base_url: endpoint(&local, "double").base_url().unwrap().to_owned(),
            policy: None,
            ttl: Some(ttl),
            started_at: submitted_at,
        };
        let run = store.begin_run(&run).unwrap();
        let claim = Some(Claim { limit: EACH as usize, bytes: u64::MAX, run, ..Claim::default() });
        let claimed = store.commit(&Commit { claim, ..Commit::default() }).unwrap();
        let accept = |input: Input| {
            let job_id = format!("job-{}", input.index);
            let event = Event::Accepted { job_id, at: submitted_at };
            Change { index: input.index, attempt: input.attempt, event }
        };
        let changes = claimed.into_iter().map(accept).collect();
        store.commit(&Commit { changes, ..Commit::default() }).unwrap();
    }
    drop(store);
    let clock = || SystemTime::UNIX_EPOCH + 15 * MINUTE;
    let batch = folder.open().clock(clock).await.unwrap();
    let run = batch.run(endpoint(&local, "double"));
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    let seen = || local.requests().into_iter().map(|it| it.path).collect::<HashSet<_>>();
    until(async || seen().len() >= 3 * EACH as usize).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    let polls = local
        .requests()
        .into_iter()
        .filter_map(|request| request.path.rsplit_once("/status/job-")?.1.parse::<u64>().ok());
    let mut order = Vec::new();
    for index in polls.filter(|index| *index < 3 * EACH) {
        // There is no such job, which is polled a second time later.
        if !order.contains(&index) {
            order.push(index);
        }
    }
    // This many polls are in flight at a time, and may overtake each other.
    let overtake = 64;
    for (place, group) in [(0, 1), (1, 0), (2, 2)] {
        let from = place * EACH as usize;
        let sure = &order[from + overtake..from + EACH as usize - overtake];
        assert!(sure.iter().all(|index| index / EACH == group), "{order:?}");
    }
}
