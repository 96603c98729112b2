/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `id`.
        pub id: Option<String>,
        /// The field `price`.
        pub price: Option<f64>,
    }

    __runtime::__private::object! {
        Thing {
            0 "id" id text optional;
            1 "price" price number optional;
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
    /// `GET /things`
    #[deprecated]
    pub fn list_things(&self) -> ListThings {
        ListThings {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::list_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ListThings {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ListThings {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::Thing>> {
        __runtime::__private::rest::RestCall::new("list_things", "GET")
            .literal("/things")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Plain<types::Thing>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for ListThings {
    type Output = __runtime::Result<Vec<types::Thing>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::Thing>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
