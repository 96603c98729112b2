/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct GetThingResponse {
        /// The field `id`.
        pub id: Option<String>,
    }

    ::podqueue::__private::object! {
        GetThingResponse {
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
    /// `DELETE /thing/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn delete_thing(&self, id: impl Into<String>) -> DeleteThing {
        DeleteThing {
            rest: self.target.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /things`
    pub fn find_things(&self) -> FindThings {
        FindThings {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /both`
    pub fn get_both(&self) -> GetBoth {
        GetBoth {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /null`
    pub fn get_null(&self) -> GetNull {
        GetNull {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /thing`
    pub fn get_thing(&self) -> GetThing {
        GetThing {
            rest: self.target.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::delete_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct DeleteThing {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl DeleteThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("delete_thing", "DELETE")
            .literal("/thing/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for DeleteThing {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::find_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindThings {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl FindThings {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<Option<Vec<i64>>> {
        ::podqueue::rest::call::RestCall::new("find_things", "POST")
            .literal("/things")
            .timeout(self.timeout)
            .send_optional_shaped::<
                ::podqueue::__private::lenient::shape::List<
                    ::podqueue::__private::lenient::shape::Integer<i64>,
                >,
            >(self.rest)
    }
}

impl ::std::future::IntoFuture for FindThings {
    type Output = ::podqueue::Result<Option<Vec<i64>>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Option<Vec<i64>>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_both`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetBoth {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetBoth {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same. A success whose status is that of a response of another type is an error; [`by_status`](Self::by_status) reads each as its own type.
    pub fn send(self) -> ::podqueue::rest::call::Sending<String> {
        ::podqueue::rest::call::RestCall::new("get_both", "GET")
            .literal("/both")
            .timeout(self.timeout)
            .only(|status| !matches!(status, 201u16 | 202u16))
            .send_shaped::<
                ::podqueue::__private::lenient::shape::Text<String>,
            >(self.rest)
    }

    /// Sends the request and reads the response as the type that belongs to its status.
    pub fn by_status(self) -> ::podqueue::rest::call::Sending<GetBothResponse> {
        ::podqueue::rest::call::RestCall::new("get_both", "GET")
            .literal("/both")
            .timeout(self.timeout)
            .accept("application/json, text/plain")
            .send_by_status(self.rest)
    }
}

impl ::std::future::IntoFuture for GetBoth {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::podqueue::rest::call::Sending<String>;

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
    Other(u16, ::podqueue::__private::serde_json::Value),
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

impl ::podqueue::rest::call::ByStatus for GetBothResponse {
    fn read(
        response: &::podqueue::rest::call::Response<'_>,
    ) -> ::podqueue::Result<Self> {
        Ok(
            match response.status() {
                200u16 => {
                    Self::Status200(
                        response
                            .shaped::<
                                ::podqueue::__private::lenient::shape::Text<String>,
                            >()?,
                    )
                }
                201u16 => Self::Status201(response.text()?),
                202u16 => {
                    Self::Status202(
                        response
                            .shaped::<
                                ::podqueue::__private::lenient::shape::Integer<i64>,
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
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetNull {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<Option<String>> {
        ::podqueue::rest::call::RestCall::new("get_null", "GET")
            .literal("/null")
            .timeout(self.timeout)
            .send_optional_shaped::<
                ::podqueue::__private::lenient::shape::Text<String>,
            >(self.rest)
    }
}

impl ::std::future::IntoFuture for GetNull {
    type Output = ::podqueue::Result<Option<String>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Option<String>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> ::podqueue::rest::call::Sending<Option<types::GetThingResponse>> {
        ::podqueue::rest::call::RestCall::new("get_thing", "GET")
            .literal("/thing")
            .timeout(self.timeout)
            .send_optional(self.rest)
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = ::podqueue::Result<Option<types::GetThingResponse>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Option<types::GetThingResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
