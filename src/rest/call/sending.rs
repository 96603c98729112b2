//! Sending a call, and reading its response.

use std::future::Future;
use std::pin::Pin;
use std::task::{self, Poll, ready};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::building::RestCall;
use super::target::Target;
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::events::ServerEvents;
use crate::lenient::shape::{Answer, Reading};
use crate::transport::{Call, Repeat, Reply};

impl RestCall {
    /// Sends the call and reads the response as a `T`.
    pub fn send<T: DeserializeOwned + 'static>(self, rest: Target) -> Sending<T> {
        self.read(rest, |response| response.json())
    }

    /// Sends the call and reads the response as a value of the shape `R`.
    pub fn send_shaped<R: Reading<Value: 'static>>(self, rest: Target) -> Sending<R::Value> {
        self.read(rest, |response| response.shaped::<R>())
    }

    /// Sends a call whose response may have no content.
    pub fn send_optional<T: DeserializeOwned + 'static>(self, rest: Target) -> Sending<Option<T>> {
        self.read(rest, |response| if response.is_empty() { Ok(None) } else { response.json() })
    }

    /// Sends a call whose response may have no content, or is a value of the shape `R`.
    pub fn send_optional_shaped<R: Reading<Value: 'static>>(
        self,
        rest: Target,
    ) -> Sending<Option<R::Value>> {
        self.read(rest, |response| {
            if response.is_empty() {
                return Ok(None);
            }
            let answer: Option<Answer<R>> = response.json()?;
            Ok(answer.map(|answer| answer.0))
        })
    }

    /// Sends a call whose response is UTF-8 text.
    pub fn send_text(self, rest: Target) -> Sending<String> {
        self.read(rest, |response| response.text())
    }

    /// Sends a call whose response is arbitrary bytes.
    pub fn send_bytes(self, rest: Target) -> Sending<Bytes> {
        self.read(rest, |response| response.bytes())
    }

    /// Sends a call whose response has no content.
    pub fn send_empty(self, rest: Target) -> Sending<()> {
        self.read(rest, |_| Ok(()))
    }

    /// Sends a call whose response has a type for each status.
    pub fn send_by_status<T: ByStatus + 'static>(self, rest: Target) -> Sending<T> {
        self.read(rest, T::read)
    }

    /// Sends a call whose response is a stream of events.
    pub fn send_events(self, rest: Target) -> Sending<ServerEvents> {
        let mut call = self.accept("text/event-stream");
        call.reads_events = true;
        let most = rest.context.transport.wire.largest_response;
        let (attempted, repeat) = (call.attempted(), call.operation.repeat);
        Box::pin(async move {
            let reply = call.exchange(&rest).await?;
            let events = ServerEvents::new(reply, &attempted, most, false);
            events.map_err(|error| repeat.unreadable(error))
        })
    }

    fn read<T: 'static>(self, rest: Target, read: fn(&Response<'_>) -> Result<T>) -> Sending<T> {
        let (attempted, repeat, only) = (self.attempted(), self.operation.repeat, self.only);
        let exchange = Box::pin(async move { self.exchange(&rest).await });
        Box::pin(Answered { exchange, attempted, repeat, only, read })
    }

    async fn exchange(self, rest: &Target) -> Result<Reply> {
        let attempted = self.attempted();
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut url = self.path.on(&*rest.url(&attempted)?, &attempted)?;
        if !self.query.is_empty() {
            url.set_query(Some(&self.query));
        }
        let mut call = Call::new(&self.operation, attempted, url, rest.auth());
        for (name, value) in self.headers {
            call = call.header(name, value);
        }
        // Those of the body are found where they are looked for: in what was sent.
        call.secrets = self.secrets;
        call.secrets.extend_from_slice(rest.secrets());
        call.timeout = self.timeout;
        call.reads_events = self.reads_events;
        if let Some(body) = self.body {
            call = call.body(body);
        }
        rest.context.transport.send(call).await
    }
}

/// A response that has a type for each status of success.
pub trait ByStatus: Sized {
    /// Reads the response as the type of its status.
    ///
    /// # Errors
    ///
    /// [`Decode`](ErrorKind::Decode): the content is not of that type.
    fn read(response: &Response<'_>) -> Result<Self>;
}

/// A successful response, read whole.
pub struct Response<'a> {
    reply: &'a Reply,
    attempted: &'a Attempted,
}

impl Response<'_> {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.reply.status
    }

    /// The content as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        self.reply.decode(self.attempted)
    }

    /// The content as JSON of the shape `R`.
    pub fn shaped<R: Reading>(&self) -> Result<R::Value> {
        self.json().map(|answer: Answer<R>| answer.0)
    }

    /// The content as UTF-8 text.
    pub fn text(&self) -> Result<String> {
        String::from_utf8(self.reply.body.to_vec()).map_err(|_| {
            let message = "the response is not UTF-8 text";
            self.reply.explain(Error::new(ErrorKind::Decode, self.attempted, message))
        })
    }

    /// The content as it is.
    pub fn bytes(&self) -> Result<Bytes> {
        Ok(self.reply.body.clone())
    }

    /// The content of a response that is not described: text if it is not JSON, null if there is
    /// none.
    pub fn any(&self) -> Value {
        match serde_json::from_slice(&self.reply.body) {
            Ok(value) => value,
            Err(_) if self.is_empty() => Value::Null,
            Err(_) => String::from_utf8_lossy(&self.reply.body).into_owned().into(),
        }
    }

    fn is_empty(&self) -> bool {
        self.reply.body.trim_ascii().is_empty()
    }
}

/// What a call resolves to when it is sent.
pub type Sending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// A call that is being sent, and how its response is read. Only the latter is compiled for each
/// type of a response.
struct Answered<T> {
    exchange: Sending<Reply>,
    attempted: Attempted,
    repeat: Repeat,
    only: Option<fn(u16) -> bool>,
    read: fn(&Response<'_>) -> Result<T>,
}

impl<T> Future for Answered<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        let reply = ready!(self.exchange.as_mut().poll(context));
        let read = |reply: Reply| match self.only {
            Some(only) if !only(reply.status) => {
                let message = format!(
                    "the status {} is that of a response of another type; `by_status` reads it",
                    reply.status
                );
                Err(reply.explain(Error::new(ErrorKind::Decode, &self.attempted, message)))
            }
            _ => (self.read)(&Response { reply: &reply, attempted: &self.attempted }),
        };
        Poll::Ready(
            reply.and_then(|reply| read(reply).map_err(|error| self.repeat.unreadable(error))),
        )
    }
}
