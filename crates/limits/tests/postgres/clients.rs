//! Clients and processes that share limits through a database.

use std::time::{Duration, Instant};

use crate::support::{KEY, Killed, ask, client, each, service, throttled};
use crate::{SERVER, store};

const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn clients_with_one_database_use_the_limit_and_exceed_it_never() {
    let local = service().await;
    let url = SERVER.create("clients");
    let until = Instant::now() + Duration::from_secs(21);
    let clients: Vec<_> =
        (0..4).map(|_| client(&local.base_url(), store(&url), PATIENCE)).collect();
    let each = each(clients.iter().map(|client| ask(client, 4, until)).collect()).await;
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds.
    let sum: usize = each.iter().sum();
    assert!((190..=320).contains(&sum), "{each:?}");
    assert!(each.iter().all(|one| *one >= sum / 8), "a fair part: {each:?}");
    let records =
        SERVER.sql("clients", "SELECT key, convert_from(value, 'UTF8') FROM podqueue.limit_record");
    assert!(records.contains("cancel") && !records.contains(KEY), "{records}");
}

#[tokio::test]
async fn a_clock_of_the_database_that_is_set_costs_no_request() {
    let local = service().await;
    let url = SERVER.create("set-clock");
    let until = Instant::now() + Duration::from_secs(28);
    let clients: Vec<_> =
        (0..3).map(|_| client(&local.base_url(), store(&url), PATIENCE)).collect();
    let all: Vec<_> = clients.iter().map(|client| ask(client, 4, until)).collect();
    // Ahead by an hour, and back by two.
    for set in ["- 3600000000", "+ 7200000000"] {
        tokio::time::sleep(Duration::from_secs(8)).await;
        SERVER.sql("set-clock", &format!("UPDATE podqueue.limit_record SET clock = clock {set}"));
    }
    let each = each(all).await;
    assert_eq!(throttled(&local), 0, "{each:?}");
    assert!(each.iter().sum::<usize>() >= 180, "{each:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_processes_exceed_no_limit_and_one_that_is_left_has_all_of_it_within_15_s() {
    let local = service().await;
    let url = SERVER.create("killed");
    let start = || Killed::start("clients::a_process_that_is_killed", &local, &url);
    let mut all: Vec<_> = (0..3).map(|_| start()).collect();
    for kill in 0..6 {
        tokio::time::sleep(Duration::from_millis(1_700)).await;
        all[kill % 3] = start();
    }
    all.truncate(1);
    tokio::time::sleep(Duration::from_secs(15)).await;
    let before = local.requests().len();
    tokio::time::sleep(Duration::from_secs(10)).await;
    let alone = local.requests().len() - before;
    drop(all);
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds.
    assert!((95..=105).contains(&alone), "{alone}");
}

/// Not a test: what the one above starts.
#[tokio::test]
#[ignore = "it runs until it is killed"]
async fn a_process_that_is_killed() {
    let (base_url, url) =
        ["LIMITS_URL", "LIMITS_STORE"].map(|it| std::env::var(it).unwrap()).into();
    let client = client(&base_url, store(&url), PATIENCE);
    ask(&client, 4, Instant::now() + Duration::from_secs(60)).join_all().await;
}
