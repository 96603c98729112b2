/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct GetThingResponse {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        GetThingResponse {
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
    /// `DELETE /thing/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn delete_thing(&self, id: impl Into<String>) -> DeleteThing {
        DeleteThing {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /things`
    pub fn find_things(&self) -> FindThings {
        FindThings {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /both`
    pub fn get_both(&self) -> GetBoth {
        GetBoth {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /null`
    pub fn get_null(&self) -> GetNull {
        GetNull {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /thing`
    pub fn get_thing(&self) -> GetThing {
        GetThing {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::delete_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct DeleteThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl DeleteThing {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("delete_thing", "DELETE")
            .literal("/thing/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for DeleteThing {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::find_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindThings {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl FindThings {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<Vec<i64>>> {
        __runtime::__private::rest::RestCall::new("find_things", "POST")
            .literal("/things")
            .timeout(self.timeout)
            .send_optional_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Integer<i64>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for FindThings {
    type Output = __runtime::Result<Option<Vec<i64>>>;
    type IntoFuture = __runtime::__private::Sending<Option<Vec<i64>>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_both`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetBoth {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetBoth {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. A success whose status is that of a response of another type is an error; [`by_status`](Self::by_status) reads each as its own type.
    pub fn send(self) -> __runtime::__private::Sending<String> {
        __runtime::__private::rest::RestCall::new("get_both", "GET")
            .literal("/both")
            .timeout(self.timeout)
            .only(|status| !matches!(status, 201u16 | 202u16))
            .send_shaped::<
                __runtime::__private::lenient::shape::Text<String>,
                _,
            >(self.service)
    }

    /// Sends the request and reads the response as the type that belongs to its status.
    pub fn by_status(self) -> __runtime::__private::Sending<GetBothResponse> {
        __runtime::__private::rest::RestCall::new("get_both", "GET")
            .literal("/both")
            .timeout(self.timeout)
            .accept("application/json, text/plain")
            .send_by_status(self.service)
    }
}

impl ::std::future::IntoFuture for GetBoth {
    type Output = __runtime::Result<String>;
    type IntoFuture = __runtime::__private::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The response of [`Api::get_both`], which depends on its status.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)]
pub enum GetBothResponse {
    /// A.
    Status200(String),
    /// B.
    Status201(String),
    /// C.
    Status202(i64),
    /// A status of success that was not known when this was generated, and the body: text
    /// if it is not JSON, null if there is none.
    Other(u16, __runtime::__private::serde_json::Value),
}

impl ::std::fmt::Debug for GetBothResponse {
    #[allow(deprecated)]
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match self {
            Self::Status200(value_0) => {
                f.debug_tuple("Status200").field(value_0).finish()
            }
            Self::Status201(value_0) => {
                f.debug_tuple("Status201").field(value_0).finish()
            }
            Self::Status202(value_0) => {
                f.debug_tuple("Status202").field(value_0).finish()
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

impl __runtime::__private::rest::ByStatus for GetBothResponse {
    fn read(
        response: &__runtime::__private::rest::Response<'_>,
    ) -> __runtime::__private::rest::Result<Self> {
        Ok(
            match response.status() {
                200u16 => {
                    Self::Status200(
                        response
                            .shaped::<
                                __runtime::__private::lenient::shape::Text<String>,
                            >()?,
                    )
                }
                201u16 => Self::Status201(response.text()?),
                202u16 => {
                    Self::Status202(
                        response
                            .shaped::<
                                __runtime::__private::lenient::shape::Integer<i64>,
                            >()?,
                    )
                }
                _ => Self::Other(response.status(), response.any()),
            },
        )
    }
}

/// The call that [`Api::get_null`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetNull {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetNull {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<String>> {
        __runtime::__private::rest::RestCall::new("get_null", "GET")
            .literal("/null")
            .timeout(self.timeout)
            .send_optional_shaped::<
                __runtime::__private::lenient::shape::Text<String>,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for GetNull {
    type Output = __runtime::Result<Option<String>>;
    type IntoFuture = __runtime::__private::Sending<Option<String>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<types::GetThingResponse>> {
        __runtime::__private::rest::RestCall::new("get_thing", "GET")
            .literal("/thing")
            .timeout(self.timeout)
            .send_optional(self.service)
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = __runtime::Result<Option<types::GetThingResponse>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::GetThingResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
