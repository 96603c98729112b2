//! Future of a REST call: sends it and decodes the response.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{self, Poll, ready};

use bytes::Bytes;
use serde_json::Value;

use super::call::RestCall;
use crate::call::Target;
use crate::error::{Error, ErrorKind, Result};
use crate::events::ServerEvents;
use crate::lenient::Lenient;
use crate::service::Service;
use crate::transport::Reply;

impl RestCall {
    /// Sends the call and reads the response as a `T`.
    pub fn send<T, E>(self, service: Service) -> Sending<T, E>
    where
        T: Lenient,
        E: From<Error> + 'static,
    {
        self.read(service, |response| response.json())
    }

    /// Sends a call whose response may have no content.
    pub fn send_optional<T, E>(self, service: Service) -> Sending<Option<T>, E>
    where
        T: Lenient,
        E: From<Error> + 'static,
    {
        self.read(service, |response| if response.is_empty() { Ok(None) } else { response.json() })
    }

    /// Sends a call whose response is UTF-8 text.
    pub fn send_text<E: From<Error> + 'static>(self, service: Service) -> Sending<String, E> {
        self.read(service, |response| response.text())
    }

    /// Sends a call whose response is arbitrary bytes.
    pub fn send_bytes<E: From<Error> + 'static>(self, service: Service) -> Sending<Bytes, E> {
        self.read(service, |response| response.bytes())
    }

    /// Sends a call whose response has no content.
    pub fn send_empty<E: From<Error> + 'static>(self, service: Service) -> Sending<(), E> {
        self.read(service, |_| Ok(()))
    }

    /// Sends a call whose response has a type for each status.
    pub fn send_by_status<T, E>(self, service: Service) -> Sending<T, E>
    where
        T: ByStatus + 'static,
        E: From<Error> + 'static,
    {
        self.read(service, T::read)
    }

    /// Sends a call whose response is a stream of events.
    pub fn send_events<E>(self, service: Service) -> Sending<ServerEvents<E>, E>
    where
        E: From<Error> + 'static,
    {
        let mut this = self.accept("text/event-stream");
        this.call = this.call.reads_events();
        Box::pin(async move {
            let most = service.largest_response();
            let reply = this.exchange(&service).await?;
            Ok(ServerEvents::new(reply, most, false)?)
        })
    }

    fn read<T: 'static, E: From<Error> + 'static>(
        self,
        service: Service,
        read: fn(&Response<'_>) -> Result<T>,
    ) -> Sending<T, E> {
        let only = self.only;
        let exchange = Box::pin(async move { self.exchange(&service).await });
        Box::pin(Answered { exchange, only, read, error: PhantomData })
    }

    async fn exchange(self, service: &Service) -> Result<Reply> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Self { mut call, path, .. } = self;
        call.0.target = Target::Path(path);
        service.send(call).await
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
}

impl Response<'_> {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.reply.status()
    }

    /// The content as JSON.
    pub fn json<T: Lenient>(&self) -> Result<T> {
        self.reply.decode_lenient()
    }

    /// The content as UTF-8 text.
    pub fn text(&self) -> Result<String> {
        String::from_utf8(self.reply.body().to_vec()).map_err(|_| {
            let message = "the response is not UTF-8 text";
            self.reply.explain(Error::new(ErrorKind::Decode, self.reply.attempted(), message))
        })
    }

    /// The content as it is.
    pub fn bytes(&self) -> Result<Bytes> {
        Ok(self.reply.body().clone())
    }

    /// The content of a response that is not described: text if it is not JSON, null if there is
    /// none.
    pub fn any(&self) -> Value {
        match serde_json::from_slice(self.reply.body()) {
            Ok(value) => value,
            Err(_) if self.is_empty() => Value::Null,
            Err(_) => String::from_utf8_lossy(self.reply.body()).into_owned().into(),
        }
    }

    fn is_empty(&self) -> bool {
        self.reply.body().trim_ascii().is_empty()
    }
}

/// The future of a call that is sent.
pub type Sending<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// A call that is being sent, and how its response is read. Only the latter is compiled for each
/// type of a response.
struct Answered<T, E> {
    exchange: Sending<Reply, Error>,
    only: Option<fn(u16) -> bool>,
    read: fn(&Response<'_>) -> Result<T>,
    error: PhantomData<fn() -> E>,
}

impl<T, E: From<Error>> Future for Answered<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        let reply = match ready!(self.exchange.as_mut().poll(context)) {
            Ok(reply) => reply,
            Err(error) => return Poll::Ready(Err(error.into())),
        };
        let read = match self.only {
            Some(only) if !only(reply.status()) => Err(of_another_type(&reply)),
            _ => (self.read)(&Response { reply: &reply }),
        };
        Poll::Ready(read.map_err(|error| reply.unreadable(error).into()))
    }
}

fn of_another_type(reply: &Reply) -> Error {
    let message = format!(
        "the status {} is that of a response of another type; `by_status` reads it",
        reply.status()
    );
    reply.explain(Error::new(ErrorKind::Decode, reply.attempted(), message))
}
