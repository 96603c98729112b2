/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Make202Response {
        /// The field `job`.
        pub job: Option<String>,
    }

    __runtime::__private::object! {
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

    __runtime::__private::object! {
        MakeResponse {
            0 "id" id text optional;
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
    /// `POST /many`
    pub fn make(&self) -> Make {
        Make {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /none`
    pub fn none(&self) -> None {
        None {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /only-default`
    pub fn only_default(&self) -> OnlyDefault {
        OnlyDefault {
            service: self.service.clone(),
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
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /without`
    pub fn without(&self) -> Without {
        Without {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::make`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Make {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Make {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. A success whose status is that of a response of another type is an error; [`by_status`](Self::by_status) reads each as its own type.
    pub fn send(self) -> __runtime::__private::Sending<Option<types::MakeResponse>> {
        __runtime::__private::rest::RestCall::new("make", "POST")
            .literal("/many")
            .timeout(self.timeout)
            .only(|status| !matches!(status, 202u16))
            .send_optional(self.service)
    }

    /// Sends the request and reads the response as the type that belongs to its status.
    pub fn by_status(self) -> __runtime::__private::Sending<MakeResponse> {
        __runtime::__private::rest::RestCall::new("make", "POST")
            .literal("/many")
            .timeout(self.timeout)
            .send_by_status(self.service)
    }
}

impl ::std::future::IntoFuture for Make {
    type Output = __runtime::Result<Option<types::MakeResponse>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::MakeResponse>>;

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
    Other(u16, __runtime::__private::serde_json::Value),
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

impl __runtime::__private::rest::ByStatus for MakeResponse {
    fn read(
        response: &__runtime::__private::rest::Response<'_>,
    ) -> __runtime::__private::rest::Result<Self> {
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
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl None {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("none", "GET")
            .literal("/none")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for None {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::only_default`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct OnlyDefault {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl OnlyDefault {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<bool>> {
        __runtime::__private::rest::RestCall::new("only_default", "GET")
            .literal("/only-default")
            .timeout(self.timeout)
            .send_optional_shaped::<
                __runtime::__private::lenient::shape::Boolean,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for OnlyDefault {
    type Output = __runtime::Result<Option<bool>>;
    type IntoFuture = __runtime::__private::Sending<Option<bool>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::range`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Range {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Range {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<i64>> {
        __runtime::__private::rest::RestCall::new("range", "GET")
            .literal("/range")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Integer<i64>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for Range {
    type Output = __runtime::Result<Vec<i64>>;
    type IntoFuture = __runtime::__private::Sending<Vec<i64>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::without`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Without {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Without {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("without", "GET")
            .literal("/without")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Without {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
