//! The body of a response that is read as it arrives.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use tokio::time::{Instant, Sleep, sleep_until};

use super::limit::Pass;
use super::time::Late;
use super::unread::Cause;
use crate::error::{Attempted, Error};

/// A body, and how long the service may be silent before it ends.
pub(crate) struct Incoming {
    body: reqwest::Body,
    longest_silence: Duration,
    /// Set while somebody waits: the time in which nobody reads is not the service's.
    timer: Option<Pin<Box<Sleep>>>,
    /// The response counts as in flight until its end.
    pass: Option<Pass>,
}

impl Incoming {
    pub(super) fn new(response: Response, longest_silence: Duration, pass: Pass) -> Self {
        pass.stays();
        Self { body: response.into(), longest_silence, timer: None, pass: Some(pass) }
    }

    pub(crate) fn set_longest_silence(&mut self, longest: Duration) {
        self.longest_silence = longest;
        self.timer = None;
    }

    /// The next bytes; `None` at the end.
    pub(crate) fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
        attempted: &Attempted,
    ) -> Poll<Option<Result<Bytes, Error>>> {
        loop {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
                return self.poll_silence(context, attempted);
            };
            self.timer = None;
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Poll::Ready(Some(Ok(bytes)));
                    }
                }
                Some(Err(error)) => {
                    return Poll::Ready(Some(Err(
                        Cause::Broken(error.without_url()).error(attempted)
                    )));
                }
                None => {
                    if let Some(pass) = self.pass.take() {
                        pass.finished();
                    }
                    return Poll::Ready(None);
                }
            }
        }
    }

    fn poll_silence(
        &mut self,
        context: &mut Context<'_>,
        attempted: &Attempted,
    ) -> Poll<Option<Result<Bytes, Error>>> {
        if self.timer.is_none() {
            // Without an end that any clock can tell there is none.
            let Some(end) = Instant::now().checked_add(self.longest_silence) else {
                return Poll::Pending;
            };
            self.timer = Some(Box::pin(sleep_until(end)));
        }
        let timer = self.timer.as_mut().map(|timer| timer.as_mut().poll(context));
        match timer {
            Some(Poll::Ready(())) => {
                let late = Cause::Late(Late::after(self.longest_silence));
                Poll::Ready(Some(Err(late.error(attempted))))
            }
            _ => Poll::Pending,
        }
    }
}

/// Whether a response is a stream of events.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("text/event-stream")
}
