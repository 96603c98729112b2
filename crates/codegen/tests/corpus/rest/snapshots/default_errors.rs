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
    /// `DELETE /things/{id}`
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
    /// `GET /things/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    ///
    /// # Errors
    ///
    /// - 404: Gone.
    pub fn get_thing(&self, id: impl Into<String>) -> GetThing {
        GetThing {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /things/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn run_thing(&self, id: impl Into<String>) -> RunThing {
        RunThing {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
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
            .literal("/things/")
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

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
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
            .literal("/things/")
            .parameter("id", &self.id)
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

/// The call that [`Api::run_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct RunThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl RunThing {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("run_thing", "POST")
            .literal("/things/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for RunThing {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
