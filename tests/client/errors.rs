//! Every kind of error, over HTTP: its message, its details, and what it omits.

use std::error::Error as _;
use std::time::Duration;

use podqueue::{Client, ErrorKind};
use serde_json::json;

use crate::support::{KEY, RefusedAddress, Reply, Script, quick_retries};

/// A status and a body of the service, and the kind of error that a status read makes of it.
#[tokio::test]
async fn each_status_has_its_kind() {
    for (status, kind, retryable) in [
        (400, ErrorKind::BadRequest, false),
        (401, ErrorKind::Unauthorized, false),
        (404, ErrorKind::NotFound, false),
        (410, ErrorKind::Gone, false),
        (429, ErrorKind::RateLimited, true),
        (500, ErrorKind::Server, true),
        (502, ErrorKind::Server, true),
        (503, ErrorKind::Server, true),
        (504, ErrorKind::Server, true),
        (501, ErrorKind::Server, false),
        (301, ErrorKind::Redirect, false),
        (307, ErrorKind::Redirect, false),
        (308, ErrorKind::Redirect, false),
        (403, ErrorKind::UnexpectedStatus, false),
        (405, ErrorKind::UnexpectedStatus, false),
        (418, ErrorKind::UnexpectedStatus, false),
    ] {
        let reply = Reply::json(status, r#"{"error":"the reason"}"#);
        let server = Script::then_always([], reply).await;
        let error = server.endpoint().job("j").status().await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{status}");
        assert_eq!(error.is_retryable(), retryable, "{status}");
        assert_eq!(error.job_id(), Some("j"));
        assert_eq!(error.body().unwrap(), r#"{"error":"the reason"}"#);
        let text = error.to_string();
        assert!(text.contains("status of job \"j\" on endpoint \"ep\""), "{text}");
        assert!(text.contains(&status.to_string()) && text.contains("the reason"), "{text}");
    }
}

#[tokio::test]
async fn a_secret_that_is_cut_off_with_a_long_message_is_not_shown_in_part() {
    for before in [0, 485, 490, 499] {
        let message = format!("{}{KEY} was refused", ".".repeat(before));
        let server = Script::of([Reply::json(401, json!({"error": message}))]).await;
        let error = server.endpoint().health().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized);
        assert!(!error.to_string().contains(&KEY[..4]), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Script::then_always([], Reply::ok("{}")).await;
    for status in [301, 302, 303, 307, 308] {
        let target = format!("{}/stolen?api_key={KEY}", elsewhere.url());
        let server = Script::of([Reply::json(status, "").header("location", target)]).await;
        let error = server.client().secrets().create("n", "v").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Redirect);
        assert!(error.to_string().contains("redirected to 127.0.0.1"), "{error}");
        assert!(!error.to_string().contains(KEY), "{error}");
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn the_page_of_a_gateway_is_cut_down_to_its_title() {
    let page = "<html><head><title>502 Bad Gateway</title></head><body>long</body></html>";
    let server = Script::then_always([], Reply::json(502, page)).await;
    let error = server.endpoint().health().await.unwrap_err();
    assert!(error.to_string().ends_with("the service says: 502 Bad Gateway"), "{error}");
}

#[tokio::test]
async fn no_connection_is_distinguished_from_no_response() {
    let address = RefusedAddress::new();
    let unreachable = Client::builder()
        .api_key(KEY)
        .base_url(address.url())
        .retry(quick_retries())
        .build()
        .unwrap();
    let error = unreachable.endpoint("ep").run(&json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Connect, None));
    assert!(error.is_retryable() && error.source().is_some());
    assert!(error.to_string().contains(&address.url().replacen("http://", "(", 1)), "{error}");

    let server = Script::then_always([], Reply::Close).await;
    let error = server.endpoint().health().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.is_retryable() && error.source().is_some());

    let server = Script::then_always([], Reply::ok("{").cut_off()).await;
    let error = server.endpoint().health().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);

    let server = Script::then_always([], Reply::Hang).await;
    let client = server.settings().timeout(Duration::from_millis(200)).build().unwrap();
    let error = client.endpoint("ep").health().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(
        error.to_string().contains("timed out after 200ms waiting for the response"),
        "{error}"
    );
}

#[tokio::test]
async fn an_unknown_host_is_a_connect_error() {
    let client = Client::builder()
        .api_key(KEY)
        .base_url("https://queue.invalid")
        .retry(quick_retries())
        .build()
        .unwrap();
    let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(error.to_string().contains("queue.invalid"), "{error}");
}

#[tokio::test]
async fn an_unanswered_submission_has_an_unknown_outcome() {
    for (reply, status) in [
        (Reply::Close, None),
        (Reply::ok("{").cut_off(), Some(200)),
        (Reply::json(500, "{}"), Some(500)),
        (Reply::json(502, "{}"), Some(502)),
        (Reply::json(503, "{}"), Some(503)),
        (Reply::json(504, "{}"), Some(504)),
    ] {
        let server = Script::then_always([], reply).await;
        let endpoint = server.endpoint();
        let run = endpoint.run(&json!({})).await.unwrap_err();
        let run_sync = endpoint.run_sync(&json!({})).await.unwrap_err();
        let purge = endpoint.purge_queue().await.unwrap_err();
        for error in [run, run_sync, purge] {
            assert_eq!((error.kind(), error.status()), (ErrorKind::OutcomeUnknown, status));
            assert!(!error.is_retryable());
            assert!(error.to_string().contains("may or may not have taken effect"), "{error}");
        }
        assert_eq!(server.requests().len(), 3, "each was sent once");
    }
}

#[tokio::test]
async fn a_reply_larger_than_the_client_reads_is_an_error() {
    let server = Script::then_always([], Reply::ok(format!("\"{}\"", "x".repeat(2_000)))).await;
    let client = server.settings().largest_response(1_000).build().unwrap();
    let error = client.endpoint("ep").requests().await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::ResponseTooLarge, Some(200)));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_response_that_is_not_json_is_a_decode_error() {
    for body in ["", "<html>", "{\"id\":", "{\"id\":\"j\",\"status\":\"FAILED\"} trailing"] {
        let server = Script::of([Reply::ok(body)]).await;
        let error = server.endpoint().job("j").status().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        assert_eq!(error.body().unwrap(), body);
        assert!(error.source().is_some());
    }
}

#[tokio::test]
async fn a_record_without_a_status_is_a_decoding_error() {
    let server = Script::of([Reply::ok(r#"{"id":"j"}"#)]).await;
    let error = server.endpoint().job("j").status().await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some("status")));
}

#[tokio::test]
async fn the_text_of_an_error_never_repeats_that_of_its_source() {
    let server = Script::then_always([], Reply::Close).await;
    let error = server.endpoint().health().await.unwrap_err();
    let source = error.source().unwrap().to_string();
    assert!(!error.to_string().contains(&source), "{error} / {source}");
}

#[tokio::test]
async fn an_interface_without_a_url_says_which_setting_is_missing() {
    let client = Client::builder().api_key(KEY).build().unwrap();
    let queue = client.endpoint("ep").health().await.unwrap_err();
    let rest = client.rest().get_pod("p").await.unwrap_err();
    let graphql = client.secrets().delete("s").await.unwrap_err();
    for (error, field) in [(queue, "base_url"), (rest, "rest_url"), (graphql, "graphql_url")] {
        assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some(field)));
    }
}

/// The id comes from the service or from the caller.
#[tokio::test]
async fn a_long_id_is_cut_off_in_errors_and_kept_whole() {
    let id = "é".repeat(10_000);
    let record = |id: &str| Reply::ok(json!({"id": id, "status": "IN_QUEUE"}));
    let other = format!("other-{id}");
    let replies = [record(&id), Reply::json(400, "{}"), record(&other)];
    let server = Script::of(replies).await;
    let endpoint = server.endpoint();
    let job = endpoint.run(&json!({})).await.unwrap();
    for _ in 0..2 {
        let error = job.status().await.unwrap_err();
        assert_eq!(error.job_id(), Some(&*id));
        let shown = format!("{error} {error:?} {job:?}");
        assert!(shown.len() < 5_000 && shown.contains("… (20000 bytes)"), "{}", shown.len());
    }
    let error = server.client().endpoint(&id).health().await.unwrap_err();
    assert!(format!("{error} {error:?}").len() < 5_000);
}
