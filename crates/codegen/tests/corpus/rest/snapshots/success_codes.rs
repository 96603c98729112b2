/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Make202Response {
        /// The field `job`.
        pub job: Option<String>,
    }

    ::podqueue::__private::object! {
        Make202Response {
            0 "job" job text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeResponse {
        /// The field `id`.
        pub id: Option<String>,
    }

    ::podqueue::__private::object! {
        MakeResponse {
            0 "id" id text optional;
        }
    }
}

/// The operations of the description. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    target: ::podqueue::rest::call::Target,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Api {
    /// Calls the service at the client's [`rest_url`](::podqueue::ClientBuilder::rest_url), with the client's key. If that URL has no path, `/v1` is added, where the paths of the description begin; to an [`exact_rest_url`](::podqueue::ClientBuilder::exact_rest_url) nothing is.
    pub fn new(client: &::podqueue::Client) -> Self {
        Self {
            target: ::podqueue::rest::call::Target::of(client, "/v1"),
        }
    }

    /// Calls the service at another URL, to which paths are appended unchanged. The
    /// client's key is not sent there: `authorization` says what is. Timeouts, retries
    /// and all other settings are the client's.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](::podqueue::ErrorKind::InvalidRequest): the URL is invalid, is
    /// plain http to another machine, or has a query or credentials; or the authorization
    /// cannot be sent in a header.
    pub fn at(
        client: &::podqueue::Client,
        url: impl Into<String>,
        authorization: ::podqueue::Authorization,
    ) -> ::podqueue::Result<Self> {
        let target = ::podqueue::rest::call::Target::at(client, url, authorization)?;
        Ok(Self { target })
    }

    /// Prepares a call.
    ///
    /// `POST /many`
    pub fn make(&self) -> Make {
        Make {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /none`
    pub fn none(&self) -> None {
        None {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /only-default`
    pub fn only_default(&self) -> OnlyDefault {
        OnlyDefault {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /range`
    ///
    /// # Errors
    ///
    /// - 4XX: Not fine.
    pub fn range(&self) -> Range {
        Range {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /without`
    pub fn without(&self) -> Without {
        Without {
            rest: self.target.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::make`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Make {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Make {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. A success whose status is that of a response of another type is an error; [`by_status`](Self::by_status) reads each as its own type.
    pub fn send(self) -> ::podqueue::rest::call::Sending<Option<types::MakeResponse>> {
        ::podqueue::rest::call::RestCall::new("make", "POST")
            .literal("/many")
            .timeout(self.timeout)
            .only(|status| !matches!(status, 202u16))
            .send_optional(self.rest)
    }

    /// Sends the request and reads the response as the type that belongs to its status.
    pub fn by_status(self) -> ::podqueue::rest::call::Sending<MakeResponse> {
        ::podqueue::rest::call::RestCall::new("make", "POST")
            .literal("/many")
            .timeout(self.timeout)
            .send_by_status(self.rest)
    }
}

impl ::std::future::IntoFuture for Make {
    type Output = ::podqueue::Result<Option<types::MakeResponse>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Option<types::MakeResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The response of [`Api::make`], which depends on its status.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)]
pub enum MakeResponse {
    /// Made.
    Status201(types::MakeResponse),
    /// It will be.
    Status202(types::Make202Response),
    /// There was nothing to do.
    Status204,
    /// A status of success that was not known when this was generated, and the body: text
    /// if it is not JSON, null if there is none.
    Other(u16, ::podqueue::__private::serde_json::Value),
}

impl ::std::fmt::Debug for MakeResponse {
    #[allow(deprecated)]
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match self {
            Self::Status201(value_0) => {
                f.debug_tuple("Status201").field(value_0).finish()
            }
            Self::Status202(value_0) => {
                f.debug_tuple("Status202").field(value_0).finish()
            }
            Self::Status204 => f.write_str("Status204"),
            Self::Other(value_0, _) => {
                f.debug_tuple("Other")
                    .field(value_0)
                    .field(&format_args!("[redacted]"))
                    .finish()
            }
        }
    }
}

impl ::podqueue::rest::call::ByStatus for MakeResponse {
    fn read(
        response: &::podqueue::rest::call::Response<'_>,
    ) -> ::podqueue::Result<Self> {
        Ok(
            match response.status() {
                201u16 => Self::Status201(response.json()?),
                202u16 => Self::Status202(response.json()?),
                204u16 => Self::Status204,
                _ => Self::Other(response.status(), response.any()),
            },
        )
    }
}

/// The call that [`Api::none`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct None {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl None {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("none", "GET")
            .literal("/none")
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for None {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::only_default`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct OnlyDefault {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl OnlyDefault {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<Option<bool>> {
        ::podqueue::rest::call::RestCall::new("only_default", "GET")
            .literal("/only-default")
            .timeout(self.timeout)
            .send_optional_shaped::<
                ::podqueue::__private::lenient::shape::Boolean,
            >(self.rest)
    }
}

impl ::std::future::IntoFuture for OnlyDefault {
    type Output = ::podqueue::Result<Option<bool>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Option<bool>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::range`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Range {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Range {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<Vec<i64>> {
        ::podqueue::rest::call::RestCall::new("range", "GET")
            .literal("/range")
            .timeout(self.timeout)
            .send_shaped::<
                ::podqueue::__private::lenient::shape::List<
                    ::podqueue::__private::lenient::shape::Integer<i64>,
                >,
            >(self.rest)
    }
}

impl ::std::future::IntoFuture for Range {
    type Output = ::podqueue::Result<Vec<i64>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Vec<i64>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::without`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Without {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Without {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("without", "GET")
            .literal("/without")
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Without {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
