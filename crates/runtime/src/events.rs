//! Server-sent events: a `text/event-stream` response, parsed as it arrives.

mod parser;

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use self::parser::{Fields, Parser, TooLarge};
use crate::error::{Attempted, Error, ErrorKind, Result, service_message};
use crate::json::{decode_at, of_another_type, redacted};
use crate::lenient::{self, Lenient, Reading};
use crate::redact::Secrets;
use crate::transport::{IncomingBody, Reply};

/// The events of a `text/event-stream` response, in order, as they arrive. An event without data is
/// discarded, as the format demands, unless its name is `error`.
///
/// A call that returns a stream is retried until the response begins, like any other call; its
/// timeouts hold until then, too. After that only the [idle timeout](Self::idle_timeout) and the
/// [total timeout](Self::total_timeout) apply, and nothing is retried: the stream ends with the
/// response, or after one error as its last item. An event that the response ends within is
/// discarded, as the format demands. To continue where a stream broke off, call the operation
/// again, with the last [`id`](ServerEvent::id) if the service supports that.
///
/// A stream keeps its connection, and its place among the requests in flight that the rate
/// limits allow, until it ends or is dropped, whether it is polled or not: the service counts it as
/// well. Streams that are held without being polled so block later calls of the operation; a
/// [total timeout](Self::total_timeout) frees their places.
///
/// Errors: [`Network`](ErrorKind::Network) if the connection breaks,
/// [`Timeout`](ErrorKind::Timeout) if the service is silent for too long or the stream takes too
/// long, [`ResponseTooLarge`](ErrorKind::ResponseTooLarge) for an event larger than
/// [`largest_response`](crate::ServiceBuilder::largest_response).
///
/// Dropping the stream closes the connection.
#[must_use = "events are read only when it is polled"]
pub struct ServerEvents<E = Error> {
    /// `None` after the end.
    incoming: Option<Box<IncomingBody>>,
    parser: Parser,
    /// The error to yield after the events that have arrived.
    failure: Option<Error>,
    /// True until the first event of a response that must have an event.
    lacks_event: bool,
    origin: Arc<Origin>,
    error: PhantomData<fn() -> E>,
}

/// The source of events.
struct Origin {
    attempted: Attempted,
    secrets: Secrets,
}

/// An event of a `text/event-stream` response.
///
/// `Debug` shows the length of the data only.
#[non_exhaustive]
pub struct ServerEvent<E = Error> {
    /// The kind of event: `message` unless the service says otherwise.
    pub event: String,
    /// The event's content, its lines separated by `\n`.
    pub data: String,
    /// The last id that the service sent, with this event or an earlier event.
    pub id: Option<String>,
    /// The last delay before reconnecting that the service asked for, with this event or an earlier
    /// event.
    pub retry: Option<Duration>,
    origin: Arc<Origin>,
    error: PhantomData<fn() -> E>,
}

impl<E> ServerEvents<E> {
    /// The events of a response that has begun. If it `must_have_events`, it may neither be without
    /// content nor end before its first event.
    #[doc(hidden)]
    pub fn new(reply: Reply, most: usize, must_have_events: bool) -> Result<Self> {
        const NO_CONTENT: u16 = 204;
        let is_empty = reply.status() == NO_CONTENT;
        let mismatch = match reply.incoming() {
            _ if is_empty && must_have_events => Some("the response has no content"),
            Some(incoming) if incoming.is_encoded => {
                Some("the response is compressed (content-encoding), which was not asked for")
            }
            None if !is_empty => Some("the response is not of type text/event-stream"),
            _ => None,
        };
        if let Some(mismatch) = mismatch {
            let error = Error::new(ErrorKind::Decode, reply.attempted(), mismatch);
            return Err(reply.classify_decode_error(reply.explain(error)));
        }
        let (incoming, attempted, secrets) = reply.into_incoming();
        let origin = Arc::new(Origin { attempted, secrets: secrets.with_body_secrets() });
        let (parser, lacks_event) = (Parser::new(most), must_have_events);
        Ok(Self { incoming, parser, failure: None, lacks_event, origin, error: PhantomData })
    }

    /// Sets the idle timeout: the time for which no event, no part of an event and no comment
    /// arrives while the stream is being polled. The default is the call's timeout, which is the
    /// service's [`timeout`](crate::ServiceBuilder::timeout) unless the call sets its own.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        if let Some(incoming) = &mut self.incoming {
            incoming.set_idle_timeout(timeout);
        }
        self
    }

    /// Sets how long the stream may take in all, from now on, however much arrives: comments alone
    /// can keep a stream alive indefinitely. There is no such limit by default.
    ///
    /// A stream that takes longer ends with [`Timeout`](ErrorKind::Timeout). If it is not polled,
    /// its place among the requests in flight is free again soon after.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        if let Some(incoming) = &mut self.incoming {
            incoming.end_after(timeout);
        }
        self
    }
}

impl<E: From<Error>> Stream for ServerEvents<E> {
    type Item = Result<ServerEvent<E>, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(Fields { event, data, id, retry }) = this.parser.next() {
                this.lacks_event = false;
                let origin = Arc::clone(&this.origin);
                let id = id.as_deref().map(str::to_owned);
                let error = PhantomData;
                return Poll::Ready(Some(Ok(ServerEvent {
                    event,
                    data,
                    id,
                    retry,
                    origin,
                    error,
                })));
            }
            let Some(incoming) = &mut this.incoming else {
                return Poll::Ready(this.failure.take().map(|error| Err(error.into())));
            };
            let Origin { attempted, secrets } = &*this.origin;
            this.failure = match ready!(incoming.poll_chunk(context, attempted)) {
                Some(Ok(chunk)) => match this.parser.feed(&chunk) {
                    Ok(()) => continue,
                    Err(TooLarge) => {
                        let what =
                            "an event is larger than the limit (the builder's `largest_response`)";
                        Some(Error::new(ErrorKind::ResponseTooLarge, attempted, what))
                    }
                },
                Some(Err(error)) => Some(error.with_redacted_source(&secrets.redactor())),
                None if this.lacks_event => {
                    let what = "the response ended before its first event";
                    Some(Error::new(ErrorKind::Decode, attempted, what))
                }
                None => None,
            };
            this.incoming = None;
        }
    }
}

/// The data of the events of a `text/event-stream` response, each read as the type that the
/// description gives it.
///
/// The stream ends as [`ServerEvents`] does, and with an event whose data is `[DONE]`, which some
/// services send last. Data of another type is an error, [`Decode`](ErrorKind::Decode), after which
/// the stream continues. [`into_events`](Self::into_events) returns the events with names and ids.
///
/// A service that fails after the response began reports that in an event, which is an error here,
/// [`Server`](ErrorKind::Server), with the data as its body: an event of the name `error`, and one
/// whose data has a field `error` that the type does not have and that is neither null, false nor
/// empty. The stream continues, since the service
/// decides whether it ends.
#[must_use = "events are read only when it is polled"]
pub struct TypedEvents<T, E = Error> {
    events: ServerEvents<E>,
    is_done: bool,
    data: PhantomData<fn() -> T>,
}

impl<T, E> TypedEvents<T, E> {
    pub(crate) fn new(events: ServerEvents<E>) -> Self {
        Self { events, is_done: false, data: PhantomData }
    }

    /// The events themselves.
    pub fn into_events(self) -> ServerEvents<E> {
        self.events
    }

    /// Sets the idle timeout; see [`ServerEvents::idle_timeout`].
    pub fn idle_timeout(self, timeout: Duration) -> Self {
        Self { events: self.events.idle_timeout(timeout), ..self }
    }

    /// Sets how long the stream may take in all; see [`ServerEvents::total_timeout`].
    pub fn total_timeout(self, timeout: Duration) -> Self {
        Self { events: self.events.total_timeout(timeout), ..self }
    }
}

impl<T: Lenient, E: From<Error>> Stream for TypedEvents<T, E> {
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_done {
            return Poll::Ready(None);
        }
        let event = ready!(Pin::new(&mut self.events).poll_next(context));
        Poll::Ready(match event {
            Some(Ok(event)) if event.data.trim() == "[DONE]" => {
                self.is_done = true;
                None
            }
            Some(Ok(event)) => Some(event.typed()),
            Some(Err(error)) => Some(Err(error)),
            None => None,
        })
    }
}

impl<T, E> fmt::Debug for TypedEvents<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedEvents").finish_non_exhaustive()
    }
}

impl<E> fmt::Debug for ServerEvents<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerEvents").finish_non_exhaustive()
    }
}

impl<E> Clone for ServerEvent<E> {
    fn clone(&self) -> Self {
        Self {
            event: self.event.clone(),
            data: self.data.clone(),
            id: self.id.clone(),
            retry: self.retry,
            origin: Arc::clone(&self.origin),
            error: PhantomData,
        }
    }
}

impl<E: From<Error>> ServerEvent<E> {
    /// Reads the data as JSON.
    ///
    /// # Errors
    ///
    /// [`Decode`](ErrorKind::Decode): the data is not JSON, or not a `T`.
    /// [`Error::body`] is the data.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, E> {
        let attempted = &self.origin.attempted;
        decode_at(attempted, "data", self.data.as_bytes()).map_err(|error| self.explain(error))
    }

    /// Reads the data as a type that is read leniently.
    fn typed<T: Lenient>(&self) -> Result<T, E> {
        if self.event == "error" {
            return Err(self.reported());
        }
        let data = self.data.as_bytes();
        let attempted = &self.origin.attempted;
        let json = decode_at(attempted, "data", data).map_err(|error| self.explain(error))?;
        let read: Result<T, _> = lenient::value(&json, Reading::Lenient);
        if reports_error(&json, read.as_ref().ok()) {
            return Err(self.reported());
        }
        read.map_err(|mismatch| {
            let mismatch = mismatch.within("data");
            self.explain(of_another_type(attempted, data, mismatch.path(), mismatch.reason()))
        })
    }

    /// The error that the service reports in this event.
    #[doc(hidden)]
    pub fn reported(&self) -> E {
        let Origin { attempted, secrets } = &*self.origin;
        self.explain(reported(attempted, secrets, self.data.as_bytes()))
    }

    /// Adds the data to an error about it.
    fn explain(&self, error: Error) -> E {
        let secrets = &self.origin.secrets;
        let error = redacted(error, &secrets.redactor());
        error.with_body(Bytes::copy_from_slice(self.data.as_bytes()), secrets.clone()).into()
    }
}

/// Returns true if a value of a stream has a field `error` that its type does not have, and that is
/// neither null, false nor empty: the service reports an error after the response began.
pub(crate) fn reports_error<T: Lenient>(json: &Json, read: Option<&T>) -> bool {
    let has_error = json.get("error").is_some_and(|it| match it {
        Json::Null | Json::Bool(false) => false,
        Json::String(text) => !text.is_empty(),
        _ => true,
    });
    has_error && !read.is_some_and(|it| it.write().has("error"))
}

/// The error that a service reports within a stream, in this value.
pub(crate) fn reported(attempted: &Attempted, secrets: &Secrets, value: &[u8]) -> Error {
    let redactor = secrets.redactor();
    let message = service_message(value, |text| redactor.redact(text));
    let message = message.map(|it| format!(": {it}")).unwrap_or_default();
    let what = format!("the service reported an error within the stream{message}");
    Error::new(ErrorKind::Server, attempted, what)
}

impl<E> fmt::Debug for ServerEvent<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerEvent")
            .field("event", &self.event)
            .field("data", &format_args!("{} bytes", self.data.len()))
            .field("id", &self.id)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
