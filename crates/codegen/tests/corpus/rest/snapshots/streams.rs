/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ChatBody {
        /// The field `api_key`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub api_key: Option<String>,
        /// The field `stream`.
        #[serde(
            default,
            deserialize_with = "lenient::boolean",
            skip_serializing_if = "Option::is_none"
        )]
        pub stream: Option<bool>,
        /// The field `text`.
        pub text: String,
    }

    impl ChatBody {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(text: impl Into<String>) -> Self {
            fn make(text: String) -> ChatBody {
                ChatBody {
                    text,
                    api_key: ::std::default::Default::default(),
                    stream: ::std::default::Default::default(),
                }
            }
            make(text.into())
        }
    }

    impl ::std::fmt::Debug for ChatBody {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ChatBody")
                .field("api_key", &format_args!("[redacted]"))
                .field("stream", &self.stream)
                .field("text", &self.text)
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ChatEventResponse {
        /// The field `delta`.
        pub delta: Option<String>,
    }

    __runtime::__private::object! {
        ChatEventResponse {
            0 "delta" delta text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ChatResponse {
        /// The field `all`.
        pub all: Option<String>,
    }

    __runtime::__private::object! {
        ChatResponse {
            0 "all" all text optional;
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(transparent)]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Lists(pub Vec<Lists>);

    impl ::std::ops::Deref for Lists {
        type Target = Vec<Lists>;

        fn deref(&self) -> &Vec<Lists> {
            &self.0
        }
    }

    impl ::std::convert::From<Lists> for Vec<Lists> {
        fn from(value: Lists) -> Self {
            value.0
        }
    }

    impl ::std::convert::From<Vec<Lists>> for Lists {
        fn from(value: Vec<Lists>) -> Self {
            Self(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Tick {
        /// The field `n`.
        pub n: Option<i64>,
        /// The field `next`.
        pub next: Option<Box<Tick>>,
    }

    __runtime::__private::object! {
        Tick {
            0 "n" n integer optional;
            1 "next" next plain optional;
        }
    }
}

/// The operations of the description. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    service: __runtime::__private::Service,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Api {
    /// Calls a service, such as `&service`, or a client's REST interface: `&client`. If the REST URL of a client has no path, `/v1` is added, where the paths of the description begin.
    pub fn new(service: impl Into<__runtime::__private::Service>) -> Self {
        Self {
            service: service.into().below("/v1"),
        }
    }

    /// Calls the service at another URL, to which paths are appended unchanged. The
    /// authorization of the given service or client is not sent there: `authorization` says
    /// what is. Timeouts, retries and all other settings are shared.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](__runtime::ErrorKind::InvalidRequest): the URL is invalid, is
    /// plain http to another machine, or has a query or credentials; or the authorization
    /// cannot be sent in a header.
    pub fn at(
        service: impl Into<__runtime::__private::Service>,
        url: impl Into<String>,
        authorization: __runtime::Authorization,
    ) -> __runtime::Result<Self> {
        let service = service.into().at(url, authorization)?;
        Ok(Self { service })
    }

    /// Prepares a call.
    ///
    /// `POST /chat`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn chat(&self, body: impl Into<types::ChatBody>) -> Chat {
        Chat {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /lists`
    pub fn lists(&self) -> Lists {
        Lists {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /log`
    pub fn log(&self) -> Log {
        Log {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /watch`
    pub fn watch(&self) -> Watch {
        Watch {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /words`
    pub fn words(&self) -> Words {
        Words {
            service: self.service.clone(),
            timeout: None,
            events_2: None,
        }
    }
}

/// The call that [`Api::chat`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Chat {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::ChatBody,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Chat {
    /// Sends null for a field of the body, where `None` would omit it.
    ///
    /// The place is written with the names of the interface: `name`, `env[0].note`. Sending
    /// fails where the body has no such place.
    pub fn null(self, place: impl Into<String>) -> Self {
        self.set(place, ())
    }

    /// Sets a field of the body to any value: an empty list, which would be omitted, or a
    /// field that the type does not have. The place is written as for [`null`](Self::null).
    pub fn set(
        mut self,
        place: impl Into<String>,
        value: impl __runtime::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::ChatResponse> {
        __runtime::__private::rest::RestCall::new("chat", "POST")
            .literal("/chat")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }

    /// Sends the request and asks for a stream of events, in place of a whole response. [`json`](__runtime::ServerEvent::json) reads the data of an event as a [`types::ChatEventResponse`].
    pub fn events(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        __runtime::__private::rest::RestCall::new("chat", "POST")
            .literal("/chat")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_events(self.service)
    }
}

impl ::std::future::IntoFuture for Chat {
    type Output = __runtime::Result<types::ChatResponse>;
    type IntoFuture = __runtime::__private::Sending<types::ChatResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::lists`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Lists {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Lists {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. [`json`](__runtime::ServerEvent::json) reads the data of an event as a [`types::Lists`].
    pub fn send(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        __runtime::__private::rest::RestCall::new("lists", "GET")
            .literal("/lists")
            .timeout(self.timeout)
            .send_events(self.service)
    }
}

impl ::std::future::IntoFuture for Lists {
    type Output = __runtime::Result<__runtime::ServerEvents>;
    type IntoFuture = __runtime::__private::Sending<__runtime::ServerEvents>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::log`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Log {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Log {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<String> {
        __runtime::__private::rest::RestCall::new("log", "GET")
            .literal("/log")
            .accept("text/plain")
            .timeout(self.timeout)
            .send_text(self.service)
    }

    /// Sends the request and asks for a stream of events, in place of a whole response. [`json`](__runtime::ServerEvent::json) reads the data of an event as a [`types::Tick`].
    pub fn events(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        __runtime::__private::rest::RestCall::new("log", "GET")
            .literal("/log")
            .accept("text/plain")
            .timeout(self.timeout)
            .send_events(self.service)
    }
}

impl ::std::future::IntoFuture for Log {
    type Output = __runtime::Result<String>;
    type IntoFuture = __runtime::__private::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::watch`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Watch {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Watch {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. [`json`](__runtime::ServerEvent::json) reads the data of an event as a [`types::Tick`].
    pub fn send(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        __runtime::__private::rest::RestCall::new("watch", "GET")
            .literal("/watch")
            .timeout(self.timeout)
            .send_events(self.service)
    }
}

impl ::std::future::IntoFuture for Watch {
    type Output = __runtime::Result<__runtime::ServerEvents>;
    type IntoFuture = __runtime::__private::Sending<__runtime::ServerEvents>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::words`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Words {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    events_2: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Words {
    /// Sent as the query parameter `events`.
    pub fn events_2(mut self, events_2: impl Into<String>) -> Self {
        self.events_2 = Some(events_2.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        __runtime::__private::rest::RestCall::new("words", "GET")
            .literal("/words")
            .query("events", &self.events_2)
            .timeout(self.timeout)
            .send_events(self.service)
    }
}

impl ::std::future::IntoFuture for Words {
    type Output = __runtime::Result<__runtime::ServerEvents>;
    type IntoFuture = __runtime::__private::Sending<__runtime::ServerEvents>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
