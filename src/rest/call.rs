//! The building blocks of generated calls.

mod changes;
mod form;
mod method;
mod multipart;
mod path_style;
mod target;

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::task::{self, Poll, ready};
use std::time::Duration;

pub use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub use self::changes::Changes;
pub use self::form::Style;
use self::form::form;
pub use self::multipart::Multipart;
pub use self::path_style::PathStyle;
use self::path_style::expanded;
pub use self::target::Target;
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::events::ServerEvents;
use crate::hiding::{secrets_in, secrets_named};
use crate::lenient::shape::{Answer, Reading};
use crate::secret_string::SecretString;
use crate::transport::{Call, Operation, Path, Repeat, Reply};

/// A call under construction, piece by piece.
pub struct RestCall {
    operation: Operation,
    path: Path,
    /// Escaped, as it is sent.
    query: String,
    headers: Vec<(&'static str, String)>,
    secrets: Vec<SecretString>,
    body: Option<Bytes>,
    timeout: Option<Duration>,
    reads_events: bool,
    failed: Option<Error>,
}

impl RestCall {
    /// Creates a call named `operation` with the HTTP `method`, which determines whether it may be
    /// retried.
    pub fn new(operation: &'static str, method: &'static str) -> Self {
        let (method, repeat) = self::method::method(method);
        Self {
            operation: Operation { name: operation, method, repeat, limit: None },
            path: Path::new(""),
            query: String::new(),
            headers: Vec::new(),
            secrets: Vec::new(),
            body: None,
            timeout: None,
            reads_events: false,
            failed: None,
        }
    }

    /// Appends a literal piece of the path.
    pub fn literal(mut self, text: &'static str) -> Self {
        self.path = self.path.literal(text);
        self
    }

    /// Appends a path parameter.
    pub fn parameter(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.secrets.extend(secrets_named(name, &value));
        self.path = self.path.parameter(name, &value);
        self
    }

    /// Appends a path parameter that is more than plain text.
    pub fn parameter_styled(
        self,
        name: &'static str,
        value: &impl Serialize,
        style: PathStyle,
    ) -> Self {
        self.expanded_value(name, serde_json::to_value(value), style)
    }

    fn expanded_value(
        mut self,
        name: &'static str,
        value: serde_json::Result<Value>,
        style: PathStyle,
    ) -> Self {
        match value {
            Ok(value) => {
                self.path = self.path.escaped_parameter(name, &expanded(name, &value, style));
                self.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Adds a query parameter: omitted for `None`, repeated for a list.
    pub fn query(self, name: &'static str, value: &impl Serialize) -> Self {
        self.query_value(name, serde_json::to_value(value), None)
    }

    /// Adds a query parameter that is encoded like a field of a form; omitted for `None`.
    pub fn query_styled(self, name: &'static str, value: &impl Serialize, style: Style) -> Self {
        self.query_value(name, serde_json::to_value(value), Some(style))
    }

    fn query_value(
        mut self,
        name: &'static str,
        value: serde_json::Result<Value>,
        style: Option<Style>,
    ) -> Self {
        match value {
            Ok(value) => {
                form::write(&mut self.query, name, &value, style);
                self.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.secrets.extend(secrets_named(name, &value));
        self.headers.push((name, value));
        self
    }

    /// Adds a header where there is a value.
    pub fn optional_header(self, name: &'static str, value: &Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// Sets the media types that the response may have, if not only JSON.
    pub fn accept(mut self, media: &'static str) -> Self {
        self.headers.push(("accept", media.to_owned()));
        self
    }

    /// Sets the timeout of an attempt, if there is one.
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets a JSON body with changes applied to it; no body for `None` without changes.
    pub fn json(self, body: Option<&impl Serialize>, changes: &Changes) -> Self {
        self.json_as("application/json", body, changes)
    }

    /// The same with another media type.
    pub fn json_as(
        self,
        media: &'static str,
        body: Option<&impl Serialize>,
        changes: &Changes,
    ) -> Self {
        self.with_json(media, body.map(|body| body as &dyn Body), changes)
    }

    fn with_json(
        mut self,
        media: &'static str,
        body: Option<&dyn Body>,
        changes: &Changes,
    ) -> Self {
        let json = match (body, changes.is_empty()) {
            (None, true) => return self,
            (Some(body), true) => body.text(),
            (_, false) => match self.changed(body, changes) {
                Some(body) => serde_json::to_vec(&body),
                None => return self,
            },
        };
        match json {
            Ok(json) => self.with_body(media, json.into()),
            Err(error) => {
                self.fail("body", format_args!("cannot be written: {error}"));
                self
            }
        }
    }

    /// Sets a body of `application/x-www-form-urlencoded`, whose fields are written as JSON unless
    /// a style says otherwise.
    pub fn form(
        self,
        body: Option<&impl Serialize>,
        changes: &Changes,
        styles: &[(&str, Style)],
    ) -> Self {
        self.with_form(body.map(|body| body as &dyn Body), changes, styles)
    }

    fn with_form(
        mut self,
        body: Option<&dyn Body>,
        changes: &Changes,
        styles: &[(&str, Style)],
    ) -> Self {
        if body.is_none() && changes.is_empty() {
            return self;
        }
        let Some(body) = self.changed(body, changes) else { return self };
        self.secrets.extend(secrets_in(&body));
        match form(&body, styles) {
            Some(form) => self.with_body("application/x-www-form-urlencoded", form.into()),
            None => {
                self.fail("body", format_args!("is not an object, so it cannot be sent as a form"));
                self
            }
        }
    }

    /// Sets a body of parts; no body if there are none, unless it is `required`.
    pub fn multipart(mut self, required: bool, body: Multipart) -> Self {
        if body.is_empty() && !required {
            return self;
        }
        let (media, bytes) = body.encode();
        self.secrets.extend(body.secrets);
        if let Some((name, rule)) = body.refused {
            self.fail(&name, rule);
        }
        self.with_body(media, bytes)
    }

    /// Sets a body of text or bytes.
    pub fn raw(self, media: &'static str, body: Option<&(impl Clone + Into<Bytes>)>) -> Self {
        match body {
            Some(body) => self.with_body(media, body.clone().into()),
            None => self,
        }
    }

    fn with_body(mut self, media: impl Into<String>, body: Bytes) -> Self {
        let media = media.into();
        if media != "application/json" {
            self.headers.push(("content-type", media));
        }
        self.body = Some(body);
        self
    }

    fn changed(&mut self, body: Option<&dyn Body>, changes: &Changes) -> Option<Value> {
        let written = match body {
            Some(body) => body.value(),
            None => Ok(Value::Object(Map::new())),
        };
        let mut body = match written {
            Ok(body) => body,
            Err(error) => {
                self.fail("body", format_args!("cannot be written: {error}"));
                return None;
            }
        };
        if let Err((place, rule)) = changes.apply(&mut body) {
            self.fail(&place, format_args!("{rule}"));
            return None;
        }
        Some(body)
    }

    /// Sends the call and reads the response as a `T`.
    pub fn send<T: DeserializeOwned + 'static>(self, rest: Target) -> Sending<T> {
        self.read(rest, |reply, attempted| reply.decode(attempted))
    }

    /// Sends the call and reads the response as a value of the shape `R`.
    pub fn send_shaped<R: Reading<Value: 'static>>(self, rest: Target) -> Sending<R::Value> {
        self.read(rest, |reply, attempted| {
            reply.decode(attempted).map(|answer: Answer<R>| answer.0)
        })
    }

    /// Sends a call whose response may have no content.
    pub fn send_optional<T: DeserializeOwned + 'static>(self, rest: Target) -> Sending<Option<T>> {
        self.read(rest, |reply, attempted| match reply.body.trim_ascii() {
            b"" => Ok(None),
            _ => reply.decode(attempted),
        })
    }

    /// Sends a call whose response may have no content, or is a value of the shape `R`.
    pub fn send_optional_shaped<R: Reading<Value: 'static>>(
        self,
        rest: Target,
    ) -> Sending<Option<R::Value>> {
        self.read(rest, |reply, attempted| match reply.body.trim_ascii() {
            b"" => Ok(None),
            _ => {
                let answer: Option<Answer<R>> = reply.decode(attempted)?;
                Ok(answer.map(|answer| answer.0))
            }
        })
    }

    /// Sends a call whose response is UTF-8 text.
    pub fn send_text(self, rest: Target) -> Sending<String> {
        self.read(rest, |reply, attempted| {
            String::from_utf8(reply.body.to_vec()).map_err(|_| {
                let message = "the response is not UTF-8 text";
                reply.explain(Error::new(ErrorKind::Decode, attempted, message))
            })
        })
    }

    /// Sends a call whose response is arbitrary bytes.
    pub fn send_bytes(self, rest: Target) -> Sending<Bytes> {
        self.read(rest, |reply, _| Ok(reply.body))
    }

    /// Sends a call whose response has no content.
    pub fn send_empty(self, rest: Target) -> Sending<()> {
        self.read(rest, |_, _| Ok(()))
    }

    /// Sends a call whose response is a stream of events.
    pub fn send_events(self, rest: Target) -> Sending<ServerEvents> {
        let mut call = self.accept("text/event-stream");
        call.reads_events = true;
        let most = rest.context.transport.wire.largest_response;
        let (attempted, repeat) = (call.attempted(), call.operation.repeat);
        Box::pin(async move {
            let reply = call.exchange(&rest).await?;
            ServerEvents::new(reply, &attempted, most).map_err(|error| repeat.unreadable(error))
        })
    }

    fn read<T: 'static>(
        self,
        rest: Target,
        read: fn(Reply, &Attempted) -> Result<T>,
    ) -> Sending<T> {
        let (attempted, repeat) = (self.attempted(), self.operation.repeat);
        let exchange = Box::pin(async move { self.exchange(&rest).await });
        Box::pin(Answered { exchange, attempted, repeat, read })
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

    fn attempted(&self) -> Attempted {
        Attempted::on_interface(self.operation.name, "REST")
    }

    fn fail(&mut self, field: &str, rule: impl Display) {
        self.failed = Some(Error::refused(self.attempted(), field, rule));
    }
}

/// A body that can be serialized, whatever its type: what is done with it is compiled once, and not
/// for each type of a description.
trait Body {
    fn text(&self) -> serde_json::Result<Vec<u8>>;
    fn value(&self) -> serde_json::Result<Value>;
}

impl<T: Serialize> Body for T {
    fn text(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
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
    read: fn(Reply, &Attempted) -> Result<T>,
}

impl<T> Future for Answered<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        let reply = ready!(self.exchange.as_mut().poll(context));
        let read = |reply| (self.read)(reply, &self.attempted);
        Poll::Ready(
            reply.and_then(|reply| read(reply).map_err(|error| self.repeat.unreadable(error))),
        )
    }
}
