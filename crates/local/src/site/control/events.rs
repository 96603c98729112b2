//! The stream that tells the page that something has changed.

mod board;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use self::board::Board;
use crate::changes::Watcher;
use crate::http::ErrorResponse;
use crate::refusal::Refusal;
use crate::site::app::App;

/// How many streams there may be at a time: tabs share one, or have one each.
const MAX_STREAMS: usize = 64;
/// After how long without an event one says that the connection is alive, in real time. It is not a
/// comment, which the script of a page would not see.
const QUIET: Duration = Duration::from_secs(15);
const ALIVE: &[u8] = b"event: alive\ndata:\n\n";

pub(super) fn route() -> MethodRouter<Arc<App>> {
    let board = Arc::new(Board::default());
    let seats = Arc::new(Semaphore::new(MAX_STREAMS));
    get(async move |State(app): State<Arc<App>>| match seats.try_acquire_owned() {
        Ok(seat) => Ok(events(app, board, seat)),
        Err(_) => Err(ErrorResponse::from(Refusal::too_many_requests(
            format!(
                "{MAX_STREAMS} streams of events are open, and more are not possible: close one"
            ),
            None,
        ))),
    })
}

fn events(app: Arc<App>, board: Arc<Board>, seat: OwnedSemaphorePermit) -> Response {
    let watcher = app.clock.changes().watch();
    let next_sign = Instant::now() + QUIET;
    let feed = Feed { app, board, watcher, told: 0, next_sign, _seat: seat };
    let events = stream::unfold(feed, |mut feed| async {
        Some((Ok::<_, Infallible>(feed.next().await?), feed))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What one page is told. It is asked for the next event when there is room for it, so one that
/// does not read costs nothing.
struct Feed {
    app: Arc<App>,
    board: Arc<Board>,
    watcher: Watcher,
    /// The number of the last news; at first none.
    told: u64,
    next_sign: Instant,
    _seat: OwnedSemaphorePermit,
}

impl Feed {
    /// Waits for the next event; there is none when the service stops.
    async fn next(&mut self) -> Option<Bytes> {
        let stopping = self.app.stopping.clone();
        let event = tokio::select! {
            biased;
            () = stopping.cancelled() => None,
            event = self.next_event() => Some(event),
        };
        self.next_sign = Instant::now() + QUIET;
        event
    }

    async fn next_event(&mut self) -> Bytes {
        loop {
            let revision = self.watcher.catch_up();
            match self.board.news(&self.app, revision) {
                Err(too_soon_until) => {
                    sleep_until(too_soon_until).await;
                    continue;
                }
                Ok(news) if news.number > self.told => {
                    self.told = news.number;
                    return news.event;
                }
                Ok(_) => {}
            }
            tokio::select! {
                () = self.watcher.changed() => {}
                () = sleep_until(self.next_sign) => return Bytes::from_static(ALIVE),
            }
        }
    }
}
