/// Types of requests and responses.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

    #[allow(unused_imports)]
    use ::std::collections::HashMap;

    #[allow(unused_imports)]
    use super::__runtime;

    /// One of several values.
    #[non_exhaustive]
    pub enum NewLevel {
        /// `low`.
        Low,
        /// `high`.
        High,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        NewLevel Other { 0 Low "low"; 1 High "high"; }
    }

    /// An object of the interface.
    pub struct New {
        /// The field `count`.
        pub count: Option<i64>,
        /// The field `either`.
        pub either: StringOrStringList,
        /// The field `level`.
        pub level: Option<NewLevel>,
        /// The field `must_be_null_or_text`.
        ///
        /// `None` is an absent field, `Some(None)` is null.
        pub must_be_null_or_text: Option<Option<String>>,
        /// The field `name`.
        pub name: String,
        /// The field `note`.
        ///
        /// `None` is an absent field, `Some(None)` is null.
        pub note: Option<Option<String>>,
        /// The field `parts`.
        pub parts: Vec<NewPartsItem>,
    }

    impl New {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(
            either: StringOrStringList,
            name: impl Into<String>,
            parts: impl IntoIterator<Item = NewPartsItem>,
        ) -> Self {
            Self {
                either,
                name: name.into(),
                parts: parts.into_iter().collect(),
                ..__runtime::__private::lenient::Lenient::blank()
            }
        }
    }

    __runtime::__private::object! {
        New {
            0 "count" count optional;
            1 "either" either required;
            2 "level" level optional;
            3 "must_be_null_or_text" must_be_null_or_text optional;
            4 "name" name required;
            5 "note" note optional;
            6 "parts" parts;
        }
    }

    /// An object of the interface.
    pub struct NewPartsItem {
        /// The field `id`.
        pub id: String,
    }

    __runtime::__private::object! {
        NewPartsItem {
            0 "id" id required;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum StringOrStringList {
        /// A list.
        Array(Vec<String>),
        /// A string.
        String(String),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrStringList {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Array(value_0) => f.debug_tuple("Array").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    __runtime::__private::untagged_union! {
        StringOrStringList Other { Array[] String[] }
    }

    impl ::std::convert::From<Vec<String>> for StringOrStringList {
        fn from(value: Vec<String>) -> Self {
            Self::Array(value)
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
    /// `GET /download`
    pub fn download(&self) -> Download {
        Download {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /form`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn form(&self, body: impl Into<types::New>) -> Form {
        Form {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /free`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn free(&self, body: __runtime::__private::serde_json::Value) -> Free {
        Free {
            service: self.service.clone(),
            timeout: None,
            body,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /json`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn json(&self, body: impl Into<types::New>) -> Json {
        Json {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /list`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn list(&self, body: impl IntoIterator<Item = impl Into<String>>) -> List {
        List {
            service: self.service.clone(),
            timeout: None,
            body: body.into_iter().map(Into::into).collect(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /map`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn map(&self, body: ::std::collections::HashMap<String, String>) -> Map {
        Map {
            service: self.service.clone(),
            timeout: None,
            body,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /optional`
    pub fn optional(&self) -> Optional {
        Optional {
            service: self.service.clone(),
            timeout: None,
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /shared`
    ///
    /// # Arguments
    ///
    /// - `body`: What to make.
    pub fn shared(&self, body: impl Into<types::New>) -> Shared {
        Shared {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /text`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn text(&self, body: impl Into<String>) -> Text {
        Text {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /upload`
    pub fn upload(&self) -> Upload {
        Upload {
            service: self.service.clone(),
            timeout: None,
            parts: Vec::new(),
        }
    }
}

/// The call that [`Api::download`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Download {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Download {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::rest::Bytes> {
        self.call().send(__runtime::__private::rest::bytes)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<
        __runtime::WithHeaders<__runtime::__private::rest::Bytes>,
    > {
        self.call().with_headers(__runtime::__private::rest::bytes)
    }

    /// Sends the request and reads the bytes of the response as they arrive.
    pub fn download(self) -> __runtime::__private::Sending<__runtime::Download> {
        self.call().send_download()
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "download", "GET")
            .literal("/download")
            .accept("application/octet-stream")
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Download {
    type Output = __runtime::Result<__runtime::__private::rest::Bytes>;
    type IntoFuture = __runtime::__private::Sending<__runtime::__private::rest::Bytes>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::form`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Form {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::New,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Form {
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "form", "POST")
            .literal("/form")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Form {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::free`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Free {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: __runtime::__private::serde_json::Value,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Free {
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "free", "POST")
            .literal("/free")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Free {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::json`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Json {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::New,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Json {
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "json", "POST")
            .literal("/json")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Json {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::list`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct List {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Vec<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl List {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "list", "POST")
            .literal("/list")
            .json(Some(&self.body), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for List {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::map`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Map {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: ::std::collections::HashMap<String, String>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Map {
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "map", "POST")
            .literal("/map")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Map {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::optional`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Optional {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::New>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Optional {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::New>) -> Self {
        self.body = Some(body.into());
        self
    }

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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "optional", "POST")
            .literal("/optional")
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Optional {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::shared`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Shared {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::New,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Shared {
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "shared", "PUT")
            .literal("/shared")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Shared {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::text`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Text {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Text {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "text", "POST")
            .literal("/text")
            .json(Some(&self.body), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Text {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::upload`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Upload {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Upload {
    /// Adds a part to the body, of any name. Parts of the same name are all sent.
    pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
        self.parts.push((name.into(), part));
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "upload", "POST")
            .literal("/upload")
            .multipart(
                true,
                __runtime::__private::rest::Multipart::new().more(&self.parts),
            )
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Upload {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
