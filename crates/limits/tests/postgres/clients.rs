//! Clients and processes that share limits through a database, also during its outages.

use std::time::{Duration, Instant};

use podqueue::ErrorKind;
use podqueue_local::LocalService;
use podqueue_pgserver::{Proxy, Server, Traffic};
use tokio::time::sleep;

use crate::support::{ChildProcess, KEY, cancel_until, client, counts, service, throttled};
use crate::{SERVER, store};

const STORE_TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn clients_sharing_a_database_use_the_whole_limit_and_never_exceed_it() {
    let local = service().await;
    let url = SERVER.create("clients");
    let until = Instant::now() + Duration::from_secs(21);
    let clients: Vec<_> =
        (0..4).map(|_| client(&local.base_url(), store(&url), STORE_TIMEOUT)).collect();
    let counts =
        counts(clients.iter().map(|client| cancel_until(client, 4, until)).collect()).await;
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds.
    let sum: usize = counts.iter().sum();
    assert!((190..=320).contains(&sum), "{counts:?}");
    assert!(counts.iter().all(|count| *count >= sum / 8), "a fair part: {counts:?}");
    let records =
        SERVER.sql("clients", "SELECT key, convert_from(value, 'UTF8') FROM podqueue.limit_record");
    assert!(records.contains("cancel") && !records.contains(KEY), "{records}");
}

#[tokio::test]
async fn setting_the_database_clock_throttles_no_request() {
    let local = service().await;
    let url = SERVER.create("set-clock");
    let until = Instant::now() + Duration::from_secs(28);
    let clients: Vec<_> =
        (0..3).map(|_| client(&local.base_url(), store(&url), STORE_TIMEOUT)).collect();
    let all: Vec<_> = clients.iter().map(|client| cancel_until(client, 4, until)).collect();
    // Ahead by an hour, and back by two.
    for set in ["- 3600000000", "+ 7200000000"] {
        sleep(Duration::from_secs(8)).await;
        SERVER.sql("set-clock", &format!("UPDATE podqueue.limit_record SET clock = clock {set}"));
    }
    let counts = counts(all).await;
    assert_eq!(throttled(&local), 0, "{counts:?}");
    assert!(counts.iter().sum::<usize>() >= 180, "{counts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_survivor_of_killed_processes_has_the_whole_limit_within_15_s() {
    let local = service().await;
    let url = SERVER.create("killed");
    let start = || ChildProcess::start("clients::helper_process_of_a_client", &local, &url);
    let mut all: Vec<_> = (0..3).map(|_| start()).collect();
    for kill in 0..6 {
        sleep(Duration::from_millis(1_700)).await;
        all[kill % 3] = start();
    }
    all.truncate(1);
    sleep(Duration::from_secs(15)).await;
    let before = local.requests().len();
    sleep(Duration::from_secs(10)).await;
    let alone = local.requests().len() - before;
    drop(all);
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds.
    assert!((95..=105).contains(&alone), "{alone}");
}

/// Child process of the test above.
#[tokio::test]
#[ignore = "it runs until it is killed"]
async fn helper_process_of_a_client() {
    let (base_url, url) =
        ["LIMITS_URL", "LIMITS_STORE"].map(|it| std::env::var(it).unwrap()).into();
    let client = client(&base_url, store(&url), STORE_TIMEOUT);
    cancel_until(&client, 4, Instant::now() + Duration::from_secs(60)).join_all().await;
}

/// Waits until the service receives calls again.
async fn wait_for_calls(local: &LocalService) {
    let (before, began) = (local.requests().len(), Instant::now());
    while local.requests().len() < before + 10 {
        assert!(began.elapsed() < Duration::from_secs(20), "nothing is sent");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_limit_is_exceeded_and_calls_continue_after_database_outages() {
    let local = service().await;
    let mut server = Server::start();
    let _ = server.create("jobs");
    let proxies = [Proxy::start(&server), Proxy::start(&server)];
    let until = Instant::now() + Duration::from_secs(45);
    let all = proxies.each_ref().map(|proxy| {
        let client = client(&local.base_url(), store(&proxy.url("jobs")), STORE_TIMEOUT);
        cancel_until(&client, 4, until)
    });
    wait_for_calls(&local).await;
    for round in 0..8 {
        proxies[round % 2].lose_next_commit();
        sleep(Duration::from_millis(400)).await;
    }
    wait_for_calls(&local).await;
    for (proxy, traffic) in proxies.iter().zip([Traffic::Cut, Traffic::Stalls]) {
        proxy.set(traffic);
    }
    // Until the lease of the granted permits has expired.
    sleep(Duration::from_millis(1_500)).await;
    let before = local.requests().len();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(local.requests().len(), before, "nothing is sent without permits");
    proxies.iter().for_each(|proxy| proxy.set(Traffic::Passes));
    wait_for_calls(&local).await;
    server.stop();
    sleep(Duration::from_secs(2)).await;
    server.resume();
    wait_for_calls(&local).await;
    server.crash();
    server.resume();
    wait_for_calls(&local).await;
    let counts = counts(all.into()).await;
    assert_eq!(throttled(&local), 0);
    assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
}

#[tokio::test]
async fn an_unreachable_database_is_an_error_after_the_patience_and_nothing_is_sent() {
    let local = service().await;
    let store = store("postgres://user:s3cr3t@127.0.0.1:1/db");
    let client = client(&local.base_url(), store, Duration::from_millis(300));
    let error = client.endpoint("echo").job("missing").cancel().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    let shown = format!("{error} {error:?} {client:?}");
    assert!(shown.contains("the database \\\"db\\\" at 127.0.0.1:1"), "{shown}");
    assert!(!shown.contains("s3cr3t"), "{shown}");
    assert!(local.requests().is_empty());
}
