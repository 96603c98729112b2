//! Download: the body of a response, read as it arrives: its bytes, or a value for each of its lines.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::Stream;

use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::events::{reported, reports_error};
use crate::json::{decode_at, of_another_type, redacted};
use crate::lenient::{self, Lenient, Reading};
use crate::redact::Secrets;
use crate::response_headers::Headers;
use crate::transport::{IncomingBody, Reply};

/// The bytes of a response, in the pieces in which they arrive: of any size, since nothing is
/// collected.
///
/// A call that returns it is retried until the response begins, like any other call; its timeouts
/// hold until then, too. After that only the [idle timeout](Self::idle_timeout) and the
/// [total timeout](Self::total_timeout) apply, and nothing is retried: the stream ends with the
/// response, or after one error as its last item. Only without an error has the response arrived
/// whole.
///
/// The stream keeps its connection, and its place among the requests in flight that the rate limits
/// allow, until it ends or is dropped. Dropping it closes the connection.
///
/// Errors: [`Network`](ErrorKind::Network) if the connection breaks, [`Timeout`](ErrorKind::Timeout)
/// if the service is silent for too long or the response takes too long.
#[must_use = "bytes are read only when it is polled"]
pub struct Download<E = Error> {
    /// `None` after the end.
    incoming: Option<Box<IncomingBody>>,
    status: u16,
    headers: Headers,
    attempted: Attempted,
    secrets: Secrets,
    error: PhantomData<fn() -> E>,
}

/// The values of a response with a JSON value in each line (NDJSON, JSON Lines), as they arrive.
///
/// The stream is a [`Download`] whose lines are decoded; empty lines are skipped. A line of another
/// type is an error, [`Decode`](ErrorKind::Decode), after which the stream continues, and a line
/// larger than [`largest_response`](crate::ServiceBuilder::largest_response) ends it with
/// [`ResponseTooLarge`](ErrorKind::ResponseTooLarge). A line with a field `error` that the type
/// does not have, and that is neither null, false nor empty, reports that the service failed after
/// the response began: it is an error, [`Server`](ErrorKind::Server).
#[must_use = "lines are read only when it is polled"]
pub struct JsonLines<T, E = Error> {
    download: Download<Error>,
    /// The bytes that have arrived and are not decoded.
    arrived: BytesMut,
    /// The length of the beginning of `arrived` that is known to have no line break.
    searched: usize,
    most: usize,
    kind: PhantomData<fn() -> (T, E)>,
}

impl<E> Download<E> {
    pub(crate) fn new(reply: Reply) -> Result<Self> {
        if reply.incoming().is_some_and(|incoming| incoming.is_encoded) {
            let what = "the response is compressed (content-encoding), which was not asked for";
            let error = Error::new(ErrorKind::Decode, reply.attempted(), what);
            return Err(reply.classify_decode_error(reply.explain(error)));
        }
        let (status, headers) = (reply.status(), reply.headers().clone());
        let (incoming, attempted, secrets) = reply.into_incoming();
        Ok(Self { incoming, status, headers, attempted, secrets, error: PhantomData })
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The headers, such as `content-type`.
    #[must_use]
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The number of bytes that the service announced, if it did.
    #[must_use]
    pub fn announced_length(&self) -> Option<u64> {
        self.headers.parse("content-length")
    }

    /// Sets the idle timeout: the time for which nothing arrives while the stream is being polled.
    /// The default is the call's timeout, which is the service's
    /// [`timeout`](crate::ServiceBuilder::timeout) unless the call sets its own.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        if let Some(incoming) = &mut self.incoming {
            incoming.set_idle_timeout(timeout);
        }
        self
    }

    /// Sets how long the response may take in all, from now on. There is no such limit by default.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        if let Some(incoming) = &mut self.incoming {
            incoming.end_after(timeout);
        }
        self
    }
}

impl<E: From<Error>> Stream for Download<E> {
    type Item = Result<Bytes, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(incoming) = &mut this.incoming else { return Poll::Ready(None) };
        let chunk = ready!(incoming.poll_chunk(context, &this.attempted));
        if !matches!(chunk, Some(Ok(_))) {
            this.incoming = None;
        }
        let shown = |error: Error| error.with_redacted_source(&this.secrets.redactor()).into();
        Poll::Ready(chunk.map(|chunk| chunk.map_err(shown)))
    }
}

impl<T, E> JsonLines<T, E> {
    pub(crate) fn new(download: Download<Error>, most: usize) -> Self {
        Self { download, arrived: BytesMut::new(), searched: 0, most, kind: PhantomData }
    }

    /// Sets the idle timeout; see [`Download::idle_timeout`].
    pub fn idle_timeout(self, timeout: Duration) -> Self {
        Self { download: self.download.idle_timeout(timeout), ..self }
    }

    /// Sets how long the response may take in all; see [`Download::total_timeout`].
    pub fn total_timeout(self, timeout: Duration) -> Self {
        Self { download: self.download.total_timeout(timeout), ..self }
    }

    /// The next line that is not empty and has arrived whole.
    fn line(&mut self) -> Option<Bytes> {
        loop {
            let unseen = &self.arrived[self.searched..];
            let Some(place) = memchr::memchr(b'\n', unseen) else {
                self.searched = self.arrived.len();
                return None;
            };
            let line = self.arrived.split_to(self.searched + place + 1).freeze();
            self.searched = 0;
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }

    /// The rest after the last line break.
    fn rest(&mut self) -> Option<Bytes> {
        let rest = std::mem::take(&mut self.arrived).freeze();
        self.searched = 0;
        (!rest.trim_ascii().is_empty()).then_some(rest)
    }
}

impl<T: Lenient, E: From<Error>> JsonLines<T, E> {
    fn read(&self, line: &Bytes) -> Result<T, E> {
        let Download { attempted, secrets, .. } = &self.download;
        let secrets = secrets.clone().with_body_secrets();
        let read = decode_at(attempted, "line", line).and_then(|json| {
            let read: Result<T, _> = lenient::value(&json, Reading::Lenient);
            if reports_error(&json, read.as_ref().ok()) {
                return Err(reported(attempted, &secrets, line));
            }
            read.map_err(|mismatch| {
                let mismatch = mismatch.within("line");
                of_another_type(attempted, line, mismatch.path(), mismatch.reason())
            })
        });
        read.map_err(|error| {
            redacted(error, &secrets.redactor()).with_body(line.clone(), secrets.clone()).into()
        })
    }
}

impl<T: Lenient, E: From<Error>> Stream for JsonLines<T, E> {
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(line) = this.line() {
                return Poll::Ready(Some(this.read(&line)));
            }
            if this.arrived.len() > this.most {
                this.download.incoming = None;
                this.arrived.clear();
                this.searched = 0;
                let what = "a line is larger than the limit (the builder's `largest_response`)";
                let error = Error::new(ErrorKind::ResponseTooLarge, &this.download.attempted, what);
                return Poll::Ready(Some(Err(error.into())));
            }
            match ready!(Pin::new(&mut this.download).poll_next(context)) {
                Some(Ok(chunk)) => this.arrived.extend_from_slice(&chunk),
                Some(Err(error)) => {
                    // A line that the response ends within is incomplete.
                    this.arrived.clear();
                    this.searched = 0;
                    return Poll::Ready(Some(Err(error.into())));
                }
                None => return Poll::Ready(this.rest().map(|line| this.read(&line))),
            }
        }
    }
}

impl<E> fmt::Debug for Download<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

impl<T, E> fmt::Debug for JsonLines<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLines").finish_non_exhaustive()
    }
}
