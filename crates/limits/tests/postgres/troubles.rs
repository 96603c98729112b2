//! Clients whose database is cut off, hangs, loses responses, and is restarted.

use std::time::{Duration, Instant};

use podqueue::ErrorKind;
use podqueue_local::LocalService;
use podqueue_pgserver::{Proxy, Server, Traffic};
use tokio::time::sleep;

use crate::store;
use crate::support::{ask, client, each, service, throttled};

const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until calls come again.
async fn goes_on(local: &LocalService) {
    let (before, began) = (local.requests().len(), Instant::now());
    while local.requests().len() < before + 10 {
        assert!(began.elapsed() < Duration::from_secs(20), "nothing is sent");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_limit_is_exceeded_and_calls_go_on_after_whatever_happens_to_the_database() {
    let local = service().await;
    let mut server = Server::start();
    let _ = server.create("jobs");
    let proxies = [Proxy::start(&server), Proxy::start(&server)];
    let until = Instant::now() + Duration::from_secs(45);
    let all = proxies.each_ref().map(|proxy| {
        let client = client(&local.base_url(), store(&proxy.url("jobs")), PATIENCE);
        ask(&client, 4, until)
    });
    goes_on(&local).await;
    for round in 0..8 {
        proxies[round % 2].lose_next_commit();
        sleep(Duration::from_millis(400)).await;
    }
    goes_on(&local).await;
    for (proxy, traffic) in proxies.iter().zip([Traffic::Cut, Traffic::Stalls]) {
        proxy.set(traffic);
    }
    // The lease of what they had is over.
    sleep(Duration::from_millis(1_500)).await;
    let before = local.requests().len();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(local.requests().len(), before, "nothing is sent without permits");
    proxies.iter().for_each(|proxy| proxy.set(Traffic::Passes));
    goes_on(&local).await;
    server.stop();
    sleep(Duration::from_secs(2)).await;
    server.resume();
    goes_on(&local).await;
    server.crash();
    server.resume();
    goes_on(&local).await;
    let each = each(all.into()).await;
    assert_eq!(throttled(&local), 0);
    assert!(each.iter().all(|one| *one > 40), "{each:?}");
}

#[tokio::test]
async fn a_database_out_of_reach_is_an_error_after_a_while_and_nothing_is_sent() {
    let local = service().await;
    let store = store("postgres://user:s3cr3t@127.0.0.1:1/db");
    let client = client(&local.base_url(), store, Duration::from_millis(300));
    let error = client.endpoint("echo").job("nobody").cancel().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    let said = format!("{error} {error:?} {client:?}");
    assert!(said.contains("the database \\\"db\\\" at 127.0.0.1:1"), "{said}");
    assert!(!said.contains("s3cr3t"), "{said}");
    assert!(local.requests().is_empty());
}
