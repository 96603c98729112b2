//! A connection that breaks while a batch is opened.

use std::time::Duration;

use podqueue_batch::store::Postgres;
use podqueue_batch::{Batch, ErrorKind, Inputs};
use podqueue_pgserver::{Proxy, Server};
use serde_json::json;

use crate::faulty_services::{left_completed, requests};
use crate::recovery::open;
use crate::support::{Folder, counts, endpoint, service};

/// Breaks the connection before each message or its response: of a new batch, and of a batch that
/// has grown, with jobs that an earlier process has left.
async fn is_opened_nevertheless(arrives: bool) {
    let server = Server::start();
    let _ = server.create("jobs");
    let proxy = Proxy::start(&server);
    let (mut message, mut breaks) = (0, true);
    while breaks {
        let local = service().start().await.unwrap();
        let folder = Folder::with(2);
        let database = Postgres::connect(proxy.url("jobs"), format!("{message}"));
        for (inputs, is_first) in [(2, true), (3, false)] {
            folder.write_inputs((0..inputs).map(|n| json!({ "n": n })));
            proxy.break_at(message, arrives);
            let opened = open(&folder, database.clone()).await;
            let batch = opened.unwrap_or_else(|error| panic!("message {message}: {error}"));
            breaks = proxy.has_broken();
            proxy.break_at(u32::MAX, false);
            match is_first {
                true => left_completed(&local, &batch, 2).await,
                false => drop(batch.run(endpoint(&local, "double")).await.unwrap()),
            }
            let expected = if is_first { "2 submitted" } else { "3 completed" };
            let found = counts(&batch.status().await.unwrap());
            assert_eq!(found, expected, "message {message}");
        }
        assert_eq!(requests(&local, "/run"), 3, "message {message}");
        assert_eq!(folder.results().len(), 3);
        message += 1;
    }
    assert!(message > 20, "opening takes more than {message} messages");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_opened_whichever_message_breaks_the_connection() {
    is_opened_nevertheless(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_opened_whichever_response_is_lost_with_the_connection() {
    is_opened_nevertheless(true).await;
}

/// Inputs that were drawn from a stream cannot be drawn again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_that_can_be_read_only_once_are_added_all_or_none() {
    let server = Server::start();
    let _ = server.create("jobs");
    let proxy = Proxy::start(&server);
    let local = service().start().await.unwrap();
    let (mut message, mut breaks, mut interrupted) = (0, true, 0);
    while breaks {
        let folder = Folder::new();
        let open = || {
            let inputs = Inputs::iter((0..3).map(|n| json!({ "n": n })));
            // Opening waits that long for an interrupted process.
            let lease = Duration::from_secs(3);
            let database = Postgres::connect(proxy.url("jobs"), format!("{message}")).lease(lease);
            Batch::open(database).inputs(inputs).results(folder.path("results.jsonl"))
        };
        proxy.break_at(message, false);
        let opened = open().await;
        breaks = proxy.has_broken();
        proxy.break_at(u32::MAX, false);
        let batch = match opened {
            Ok(batch) => batch,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
                assert!(error.to_string().contains("none of them was added"), "{error}");
                interrupted += 1;
                open().await.unwrap()
            }
        };
        let before = requests(&local, "/run");
        batch.run(endpoint(&local, "double")).await.unwrap();
        assert_eq!(counts(&batch.status().await.unwrap()), "3 completed");
        assert_eq!(requests(&local, "/run") - before, 3);
        message += 1;
    }
    assert!(interrupted > 0);
}
