/// Types of requests and responses.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

    #[allow(unused_imports)]
    use ::std::collections::HashMap;

    #[allow(unused_imports)]
    use super::__runtime;

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Job {
        /// The field `job`.
        pub job: Option<String>,
    }

    __runtime::__private::object! {
        Job {
            0 "job" job optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct RunQueryResponse {
        /// The field `result`.
        pub result: Option<String>,
    }

    __runtime::__private::object! {
        RunQueryResponse {
            0 "result" result optional;
        } default
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
    /// `GET /range`
    pub fn range(&self) -> Range {
        Range {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /queries`
    pub fn run_query(&self) -> RunQuery {
        RunQuery {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /same`
    pub fn same(&self) -> Same {
        Same {
            service: self.service.clone(),
            timeout: None,
        }
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

    /// Sends the request and reads the response. Awaiting the call itself does the same. A success whose status is that of a response of another type is an error; [`by_status`](Self::by_status) reads each as its own type.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::serde_json::Value> {
        self.call()
            .only(|status| matches!(status, 201u16))
            .send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<
        __runtime::WithHeaders<__runtime::__private::serde_json::Value>,
    > {
        self.call()
            .only(|status| matches!(status, 201u16))
            .with_headers(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response as the type that belongs to its status.
    pub fn by_status(self) -> __runtime::__private::Sending<RangeResponse> {
        self.call().send(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "range", "GET")
            .literal("/range")
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Range {
    type Output = __runtime::Result<__runtime::__private::serde_json::Value>;
    type IntoFuture = __runtime::__private::Sending<
        __runtime::__private::serde_json::Value,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The response of [`Api::range`], which depends on its status.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)]
pub enum RangeResponse {
    /// Any.
    Status201(__runtime::__private::serde_json::Value),
    /// A job.
    Success(types::Job),
}

impl ::std::fmt::Debug for RangeResponse {
    #[allow(deprecated)]
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match self {
            Self::Status201(_) => {
                f.debug_tuple("Status201").field(&format_args!("[redacted]")).finish()
            }
            Self::Success(value_0) => f.debug_tuple("Success").field(value_0).finish(),
        }
    }
}

impl __runtime::__private::rest::FromResponse for RangeResponse {
    fn from_response(
        response: &__runtime::__private::rest::Response<'_>,
    ) -> __runtime::__private::rest::Result<Self> {
        Ok(
            match response.status() {
                201u16 => Self::Status201(response.json()?),
                _ => Self::Success(response.json()?),
            },
        )
    }
}

/// The call that [`Api::run_query`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct RunQuery {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl RunQuery {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. A success whose status is that of a response of another type is an error; [`by_status`](Self::by_status) reads each as its own type.
    pub fn send(self) -> __runtime::__private::Sending<Option<types::RunQueryResponse>> {
        self.call()
            .only(|status| !matches!(status, 202u16 | 203u16 | 206u16 | 207u16))
            .send(__runtime::__private::rest::optional)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<
        __runtime::WithHeaders<Option<types::RunQueryResponse>>,
    > {
        self.call()
            .only(|status| !matches!(status, 202u16 | 203u16 | 206u16 | 207u16))
            .with_headers(__runtime::__private::rest::optional)
    }

    /// Sends the request and reads the response as the type that belongs to its status.
    pub fn by_status(self) -> __runtime::__private::Sending<RunQueryResponse> {
        self.call()
            .accept("application/json, text/csv, application/zip")
            .send(__runtime::__private::rest::whole)
    }

    /// Sends the request and asks for a stream of events, in place of a whole response.
    pub fn events(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        self.call().send_events()
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "run_query", "POST")
            .literal("/queries")
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for RunQuery {
    type Output = __runtime::Result<Option<types::RunQueryResponse>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::RunQueryResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The response of [`Api::run_query`], which depends on its status.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)]
pub enum RunQueryResponse {
    /// It is done.
    Status200(types::RunQueryResponse),
    /// It will be done.
    Status202(types::Job),
    /// The response of status 203.
    Status203(Vec<Option<i64>>),
    /// There is nothing to do.
    Status204,
    /// A part.
    Status206(String),
    /// All of it.
    Status207(__runtime::__private::rest::Bytes),
    /// A status that was not known when this was generated, and the body: text if it is not
    /// JSON, null if there is none.
    Other(u16, __runtime::__private::serde_json::Value),
}

impl ::std::fmt::Debug for RunQueryResponse {
    #[allow(deprecated)]
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match self {
            Self::Status200(value_0) => {
                f.debug_tuple("Status200").field(value_0).finish()
            }
            Self::Status202(value_0) => {
                f.debug_tuple("Status202").field(value_0).finish()
            }
            Self::Status203(value_0) => {
                f.debug_tuple("Status203").field(value_0).finish()
            }
            Self::Status204 => f.write_str("Status204"),
            Self::Status206(value_0) => {
                f.debug_tuple("Status206").field(value_0).finish()
            }
            Self::Status207(value_0) => {
                f.debug_tuple("Status207").field(value_0).finish()
            }
            Self::Other(value_0, _) => {
                f.debug_tuple("Other")
                    .field(value_0)
                    .field(&format_args!("[redacted]"))
                    .finish()
            }
        }
    }
}

impl __runtime::__private::rest::FromResponse for RunQueryResponse {
    fn from_response(
        response: &__runtime::__private::rest::Response<'_>,
    ) -> __runtime::__private::rest::Result<Self> {
        Ok(
            match response.status() {
                200u16 => Self::Status200(response.json()?),
                202u16 => Self::Status202(response.json()?),
                203u16 => Self::Status203(response.json()?),
                204u16 => Self::Status204,
                206u16 => Self::Status206(response.text()?),
                207u16 => Self::Status207(response.bytes()?),
                _ => Self::Other(response.status(), response.any()),
            },
        )
    }
}

/// The call that [`Api::same`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Same {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Same {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Job> {
        self.call().send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<types::Job>> {
        self.call().with_headers(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "same", "GET")
            .literal("/same")
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Same {
    type Output = __runtime::Result<types::Job>;
    type IntoFuture = __runtime::__private::Sending<types::Job>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
