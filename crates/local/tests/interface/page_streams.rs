//! Many streams of events at a time: they cost little, and there are not too many.

use std::collections::BTreeSet;
use std::time::Instant;

use podqueue_local::Builder;
use reqwest::Method;
use serde_json::json;

use crate::page::{Browser, service};
use crate::page_events::{Events, endpoint};
use crate::support::{Service, eventually};

/// How many streams there may be.
const MOST: usize = 64;

async fn streams(browser: &Browser<'_>, count: usize) -> Vec<Events> {
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(Events::of(browser).await);
    }
    streams
}

/// On a clock that runs, two looks at the service have different times.
#[tokio::test]
async fn all_streams_are_told_of_the_same_looks_at_the_service() {
    let service = Service::start(Builder::page).await;
    let browser = Browser::open(&service).await;
    let begun = Instant::now();
    let mut streams = streams(&browser, MOST).await;
    for _ in 0..200 {
        service.run("echo", json!({ "input": {} })).await;
    }
    let mut looks = BTreeSet::new();
    for stream in &mut streams {
        loop {
            let state = stream.next().await;
            looks.insert(state.to_string());
            if endpoint(&state, "echo")["jobs"]["COMPLETED"] == 200 {
                break;
            }
        }
    }
    let most = 2 + begun.elapsed().as_millis() / 100;
    assert!(looks.len() as u128 <= most, "{} looks in {:?}", looks.len(), begun.elapsed());
}

#[tokio::test]
async fn one_stream_too_many_is_refused_until_another_is_closed() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let mut streams = streams(&browser, MOST).await;
    let refused = browser.request(Method::GET, "/_local/events").send().await.unwrap();
    assert_eq!(refused.status(), 429);
    let text = refused.text().await.unwrap();
    assert!(text.contains("64 streams of events are open"), "{text}");
    streams.pop();
    let is_admitted = async || {
        browser.request(Method::GET, "/_local/events").send().await.unwrap().status() == 200
    };
    eventually("another stream is possible", is_admitted).await;
}
