//! REST calls, as generated code builds and sends them. Not public API: it changes without notice.
//!
//! A [`RestCall`] is built piece by piece: method, path, query, headers, body. Values that break a
//! rule are kept as the error of the call. Sending it decodes the response as the generated type.

mod body_patch;
mod multipart;
pub mod pages;
mod parameters;
mod server_url;

use std::fmt::Display;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll, ready};
use std::time::Duration;

pub use bytes::Bytes;
use reqwest::{Method, Url};
use serde_json::{Map, Value, json};

pub use self::body_patch::Changes;
pub use self::multipart::Multipart;
pub use self::parameters::{Encoding, PathStyle, Style};
use self::parameters::{NO_ITEMS, expanded, form, header, write};
pub use self::server_url::{ServerUrl, Variable};
use crate::authorization::Credential;
use crate::call::{Call, Operation, Target};
use crate::download::{Download, JsonLines};
pub use crate::error::Result;
use crate::error::{Attempted, Error, ErrorKind};
use crate::events::{ServerEvents, TypedEvents};
use crate::lenient::{Lenient, Node};
use crate::redact::{secrets_in, secrets_named};
pub use crate::response_headers::FromHeaders;
use crate::response_headers::WithHeaders;
use crate::retry::Idempotency;
use crate::secret_string::SecretString;
use crate::service::Service;
use crate::transport::Reply;
use crate::upload::Upload;
use crate::url::Path;

/// A call under construction, piece by piece.
#[derive(Clone)]
pub struct RestCall {
    service: Service,
    call: Call,
    path: Path,
    /// The URL in place of the service's and of the path.
    link: Option<Url>,
    /// Reads only responses of these statuses.
    only: Option<fn(u16) -> bool>,
    /// The field that is refused, and the rule that it breaks.
    refusal: Option<(String, String)>,
}

/// Method, path, query and headers.
impl RestCall {
    /// Creates a call to `service`, named `operation`, with the HTTP `method`, which determines
    /// whether it may be retried.
    pub fn new(service: Service, operation: &'static str, method: &'static str) -> Self {
        let (method, idempotency) = self::method(method);
        let attempted = Attempted::new(operation).on_interface(service.interface_name());
        let call = Call::to_service(&Operation::new(operation, method, idempotency), attempted);
        Self { service, call, path: Path::new(""), link: None, only: None, refusal: None }
    }

    /// Sends the call to another server than the service, which its description names.
    pub fn server(mut self, described: &'static str) -> Self {
        self.call.parts.server = Some(described);
        self
    }

    /// Appends a literal piece of the path.
    pub fn literal(mut self, text: &'static str) -> Self {
        self.path = self.path.literal(text);
        self
    }

    /// Appends a path parameter.
    pub fn parameter(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.call.parts.secrets.extend(secrets_named(name, &value));
        self.path = self.path.parameter(name, &value);
        self
    }

    /// Appends a path parameter that is more than plain text.
    pub fn parameter_styled(
        mut self,
        name: &'static str,
        value: &impl Lenient,
        style: PathStyle,
    ) -> Self {
        let value = written(value, &mut self.call.parts.secrets);
        self.expanded_value(name, value, style)
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
                self.call.parts.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Adds a query parameter: omitted for `None`, repeated for a list.
    pub fn query(self, name: &'static str, value: &impl Lenient) -> Self {
        self.query_encoded(name, value, Encoding::PLAIN)
    }

    /// Adds a query parameter that is encoded like a field of a form; omitted for `None`.
    pub fn query_encoded(
        mut self,
        name: &'static str,
        value: &impl Lenient,
        encoding: Encoding,
    ) -> Self {
        let value = written(value, &mut self.call.parts.secrets);
        self.query_value(name, value, encoding)
    }

    fn query_value(
        mut self,
        name: &'static str,
        value: serde_json::Result<Value>,
        encoding: Encoding,
    ) -> Self {
        match value {
            Ok(value) => {
                if let Err(rule) = write(&mut self.call.parts.query, name, &value, encoding) {
                    self.fail(name, rule);
                }
                self.call.parts.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.call.parts.secrets.extend(secrets_named(name, &value));
        self.call.parts.headers.push((name, value));
        self
    }

    /// Adds a header if there is a value.
    pub fn optional_header(self, name: &'static str, value: &Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// Adds a header that is a list, an object, or JSON. Without a value it is omitted, or refused if it
    /// is `required`.
    pub fn header_styled(
        mut self,
        name: &'static str,
        value: &impl Lenient,
        style: PathStyle,
        required: bool,
    ) -> Self {
        let value = written(value, &mut self.call.parts.secrets);
        self.header_value(name, value, style, required)
    }

    fn header_value(
        mut self,
        name: &'static str,
        value: serde_json::Result<Value>,
        style: PathStyle,
        required: bool,
    ) -> Self {
        match value.map(|value| (header(&value, style), value)) {
            Ok((text, value)) => {
                match text {
                    Ok(Some(text)) => self.call.parts.headers.push((name, text)),
                    Ok(None) if required => self.fail(name, NO_ITEMS),
                    Ok(None) => {}
                    Err(rule) => self.fail(name, rule),
                }
                self.call.parts.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Keeps the value of a parameter out of errors and logs: it is secret by its format, whatever its
    /// name.
    pub fn secret(mut self, value: &impl Lenient) -> Self {
        Node::Secret(Box::new(value.write())).add_secrets(&mut self.call.parts.secrets);
        self
    }

    /// Reads only responses of these statuses of success; a response of another status is an error.
    pub fn only(mut self, statuses: fn(u16) -> bool) -> Self {
        self.only = Some(statuses);
        self
    }

    /// Sets the media types that the response may have, if not only JSON.
    pub fn accept(mut self, media: &'static str) -> Self {
        self.call.parts.headers.retain(|(name, _)| *name != "accept");
        self.call.parts.headers.push(("accept", media.to_owned()));
        self
    }

    /// Sets the timeout of an attempt, if there is one.
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.call.parts.timeout = timeout;
        self
    }

    fn attempted(&self) -> &Attempted {
        self.call.attempted()
    }

    fn fail(&mut self, field: &str, rule: impl Display) {
        self.refusal = Some((field.to_owned(), rule.to_string()));
    }
}

/// Bodies.
impl RestCall {
    /// Sets a JSON body with changes applied to it; no body for `None` without changes.
    pub fn json(self, body: Option<&impl Lenient>, changes: &Changes) -> Self {
        self.json_as("application/json", body, changes)
    }

    /// The same with another media type.
    pub fn json_as(
        self,
        media: &'static str,
        body: Option<&impl Lenient>,
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
            (Some(body), true) => body.text(&mut self.call.parts.secrets),
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

    /// Sets a body of `application/x-www-form-urlencoded`. Objects are written as JSON unless the
    /// encoding of their field says otherwise.
    pub fn form(
        self,
        body: Option<&impl Lenient>,
        changes: &Changes,
        encodings: &[(&str, Encoding)],
    ) -> Self {
        self.with_form(body.map(|body| body as &dyn Body), changes, encodings)
    }

    fn with_form(
        mut self,
        body: Option<&dyn Body>,
        changes: &Changes,
        encodings: &[(&str, Encoding)],
    ) -> Self {
        if body.is_none() && changes.is_empty() {
            return self;
        }
        let Some(body) = self.changed(body, changes) else { return self };
        self.call.parts.secrets.extend(secrets_in(&body));
        match form(&body, encodings) {
            Ok(form) => self.with_body("application/x-www-form-urlencoded", form.into()),
            Err((field, rule)) => {
                self.fail(&field, rule);
                self
            }
        }
    }

    /// Sets a body of parts; no body if there are none, unless it is `required`.
    pub fn multipart(mut self, required: bool, body: Multipart) -> Self {
        if body.is_empty() && !required {
            return self;
        }
        let (media, content) = body.encode();
        let (secrets, refusal) = body.into_secrets_and_refusal();
        self.call.parts.secrets.extend(secrets);
        if let Some((name, rule)) = refusal {
            self.fail(&name, rule);
        }
        self.with_upload(media, content)
    }

    /// Sets a body of text or bytes.
    pub fn raw(self, media: &'static str, body: Option<&(impl Clone + Into<Upload>)>) -> Self {
        match body {
            Some(body) => self.with_upload(media, body.clone().into()),
            None => self,
        }
    }

    fn with_upload(mut self, media: impl Into<String>, content: Upload) -> Self {
        if let Some(bytes) = content.held() {
            return self.with_body(media, bytes.clone());
        }
        self.call.parts.headers.push(("content-type", media.into()));
        self.call = self.call.upload(content);
        self
    }

    fn with_body(mut self, media: impl Into<String>, body: Bytes) -> Self {
        let media = media.into();
        if media != "application/json" {
            self.call.parts.headers.push(("content-type", media));
        }
        self.call = self.call.body(body);
        self
    }

    fn changed(&mut self, body: Option<&dyn Body>, changes: &Changes) -> Option<Value> {
        let written = match body {
            Some(body) => body.value(&mut self.call.parts.secrets),
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
}

/// Sending, and decoding of the response.
impl RestCall {
    /// Sends the call, and reads the response by one of the functions of this module.
    pub fn send<T, E>(self, read: fn(&Response<'_>) -> Result<T>) -> Sending<T, E>
    where
        T: 'static,
        E: From<Error> + 'static,
    {
        let only = self.only;
        let exchange = Box::pin(self.exchange());
        Box::pin(CallFuture { exchange, only, read, error: PhantomData })
    }

    /// The same, with the headers of the response.
    pub fn with_headers<T, H, E>(
        self,
        read: fn(&Response<'_>) -> Result<T>,
    ) -> Sending<WithHeaders<T, H>, E>
    where
        T: 'static,
        H: FromHeaders,
        E: From<Error>,
    {
        let only = self.only;
        let exchange = self.exchange();
        Box::pin(async move {
            let reply = refuse_other_types(exchange.await?, only)?;
            let value = read(&Response::of(&reply));
            let value = value.map_err(|error| reply.classify_decode_error(error))?;
            Ok(WithHeaders::new(value, reply.headers().clone()))
        })
    }

    /// Sends a call whose response is a stream of events.
    pub fn send_events<E>(self) -> Sending<ServerEvents<E>, E>
    where
        E: From<Error> + 'static,
    {
        let mut this = self.accept("text/event-stream");
        this.call = this.call.reads_events();
        Box::pin(async move {
            let most = this.service.largest_response();
            let reply = this.exchange().await?;
            Ok(ServerEvents::new(reply, most, false)?)
        })
    }

    /// Sends a call whose response is a stream of events with data of this type.
    pub fn send_typed_events<T, E>(self) -> Sending<TypedEvents<T, E>, E>
    where
        T: Lenient,
        E: From<Error> + 'static,
    {
        let events: Sending<ServerEvents<E>, E> = self.send_events();
        Box::pin(async move { Ok(TypedEvents::new(events.await?)) })
    }

    /// Sends a call whose response is read as it arrives.
    pub fn send_download<E>(mut self) -> Sending<Download<E>, E>
    where
        E: From<Error> + 'static,
    {
        self.call = self.call.reads_as_it_arrives();
        let only = self.only;
        Box::pin(async move {
            let reply = refuse_other_types(self.exchange().await?, only)?;
            Ok(Download::new(reply)?)
        })
    }

    /// Sends a call whose response has a value of JSON in each line, read as it arrives.
    pub fn send_lines<T, E>(self) -> Sending<JsonLines<T, E>, E>
    where
        T: Lenient,
        E: From<Error> + 'static,
    {
        let most = self.service.largest_response();
        let download: Sending<Download, Error> = self.send_download();
        Box::pin(async move { Ok(JsonLines::new(download.await?, most)) })
    }

    async fn exchange(self) -> Result<Reply> {
        if let Some((field, rule)) = self.refusal {
            return Err(Error::refused(self.call.attempted(), field, rule));
        }
        let Self { service, mut call, path, link, .. } = self;
        call.parts.target = match link {
            Some(url) => Target::Url(url),
            None => Target::Path(path),
        };
        service.send(call).await
    }

    /// The URL of the call, without its query unless it was linked to, and its credential.
    fn url(&self) -> Result<(Url, Arc<Credential>)> {
        let (base, credential) = self.service.base(&self.call)?;
        let url = match &self.link {
            Some(url) => url.clone(),
            None => self.path.clone().on(&base, self.attempted())?,
        };
        Ok((url, credential))
    }
}

/// Reads a response whose type is a whole of JSON, or depends on the status.
pub fn whole<T: FromResponse>(response: &Response<'_>) -> Result<T> {
    T::from_response(response)
}

/// Reads a response that may have no content.
pub fn optional<T: Lenient>(response: &Response<'_>) -> Result<Option<T>> {
    if response.is_empty() { Ok(None) } else { response.json() }
}

/// Reads a response that is UTF-8 text.
pub fn text(response: &Response<'_>) -> Result<String> {
    response.text()
}

/// Reads a response that is arbitrary bytes.
pub fn bytes(response: &Response<'_>) -> Result<Bytes> {
    response.bytes()
}

/// Reads a response without described content, of a status that may have some.
pub fn nothing(_: &Response<'_>) -> Result<()> {
    Ok(())
}

/// Reads a response that has no content by its status. A web page comes from a gateway, and says
/// nothing of the call.
pub fn no_content(response: &Response<'_>) -> Result<()> {
    let reply = response.reply;
    if !reply.body().trim_ascii_start().starts_with(b"<") {
        return Ok(());
    }
    let what = format!(
        "status {}, with a web page in place of no content, which comes from a gateway and not from the service: if this persists, check the URL",
        reply.status()
    );
    Err(reply.explain(Error::new(ErrorKind::Decode, reply.attempted(), what)))
}

/// The method of this name, and its idempotency.
fn method(name: &str) -> (Method, Idempotency) {
    match name {
        "GET" => (Method::GET, Idempotency::Idempotent),
        "HEAD" => (Method::HEAD, Idempotency::Idempotent),
        "OPTIONS" => (Method::OPTIONS, Idempotency::Idempotent),
        "TRACE" => (Method::TRACE, Idempotency::Idempotent),
        "PUT" => (Method::PUT, Idempotency::Idempotent),
        "DELETE" => (Method::DELETE, Idempotency::IdempotentEffect),
        "QUERY" => (named(name), Idempotency::Idempotent),
        "PATCH" => (Method::PATCH, Idempotency::NonIdempotent),
        "POST" => (Method::POST, Idempotency::NonIdempotent),
        name => (named(name), Idempotency::NonIdempotent),
    }
}

/// A method that the HTTP client does not know.
fn named(name: &str) -> Method {
    // No description has a method with other characters.
    Method::from_bytes(name.as_bytes()).unwrap_or(Method::POST)
}

/// A body of any type of a description, so that the code that handles it is compiled once instead of
/// for each type of a description.
trait Body {
    fn text(&self, secrets: &mut Vec<SecretString>) -> serde_json::Result<Vec<u8>>;
    fn value(&self, secrets: &mut Vec<SecretString>) -> serde_json::Result<Value>;
}

impl<T: Lenient> Body for T {
    fn text(&self, secrets: &mut Vec<SecretString>) -> serde_json::Result<Vec<u8>> {
        let node = self.write();
        node.add_secrets(secrets);
        serde_json::to_vec(&node)
    }

    fn value(&self, secrets: &mut Vec<SecretString>) -> serde_json::Result<Value> {
        written(self, secrets)
    }
}

/// The JSON of a value, whose secrets are added to those of a call.
fn written(value: &impl Lenient, secrets: &mut Vec<SecretString>) -> serde_json::Result<Value> {
    let node = value.write();
    node.add_secrets(secrets);
    serde_json::to_value(node)
}

/// A type that a response is read as: JSON, or a type for each status.
pub trait FromResponse: Sized {
    /// Reads the response.
    ///
    /// # Errors
    ///
    /// [`Decode`](ErrorKind::Decode): the content is not of the type that belongs to the status.
    fn from_response(response: &Response<'_>) -> Result<Self>;
}

impl<T: Lenient> FromResponse for T {
    fn from_response(response: &Response<'_>) -> Result<Self> {
        response.json()
    }
}

impl Error {
    /// Reads the body of the error response: as the type that the documentation of a generated call
    /// names, which has a variant for each status where these differ, or as any other of the types.
    ///
    /// ```
    /// # fn example(error: podqueue_runtime::Error) -> podqueue_runtime::Result<()> {
    /// let problem: serde_json::Value = error.decode()?;
    /// # let _ = problem;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Decode`](ErrorKind::Decode): there was no response, or its body is not of this type.
    pub fn decode<T: FromResponse>(&self) -> Result<T> {
        let (Some(status), Some(body)) = (self.status(), self.unredacted_body()) else {
            let what = format!("there is no error response to read: {}", self.message());
            return Err(Error::new(ErrorKind::Decode, self.attempted(), what));
        };
        let attempted = Attempted::new(self.attempted().to_owned());
        let reply = Reply::received(attempted, status, body.clone(), self.secrets());
        T::from_response(&Response::of(&reply))
    }
}

/// A response, read whole.
pub struct Response<'a> {
    reply: &'a Reply,
}

impl<'a> Response<'a> {
    pub(crate) fn of(reply: &'a Reply) -> Self {
        Self { reply }
    }

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

    /// The content as the bytes received.
    pub fn bytes(&self) -> Result<Bytes> {
        if self.reply.headers().is_encoded() {
            let what = "the response is compressed (content-encoding), which was not asked for";
            let error = Error::new(ErrorKind::Decode, self.reply.attempted(), what);
            return Err(self.reply.explain(error));
        }
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

/// A boxed future of a call, as generated calls return it.
pub type Sending<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// The future of a call: sends it, and reads its response. Only the latter is compiled for each
/// type of a response.
struct CallFuture<T, E> {
    exchange: Sending<Reply, Error>,
    only: Option<fn(u16) -> bool>,
    read: fn(&Response<'_>) -> Result<T>,
    error: PhantomData<fn() -> E>,
}

impl<T, E: From<Error>> Future for CallFuture<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        let reply = match ready!(self.exchange.as_mut().poll(context)) {
            Ok(reply) => reply,
            Err(error) => return Poll::Ready(Err(error.into())),
        };
        let read = refuse_other_types(reply, self.only).and_then(|reply| {
            let value = (self.read)(&Response::of(&reply));
            value.map_err(|error| reply.classify_decode_error(error))
        });
        Poll::Ready(read.map_err(E::from))
    }
}

/// Refuses a response whose status is that of another type.
fn refuse_other_types(reply: Reply, only: Option<fn(u16) -> bool>) -> Result<Reply> {
    if only.is_none_or(|only| only(reply.status())) {
        return Ok(reply);
    }
    let message = format!(
        "the status {} is that of a response of another type; `by_status` reads it",
        reply.status()
    );
    let error = reply.explain(Error::new(ErrorKind::Decode, reply.attempted(), message));
    Err(reply.classify_decode_error(error))
}
