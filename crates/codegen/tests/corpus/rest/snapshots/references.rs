// tests/corpus/rest/references.yaml:6:3: left out /c: its $ref leads nowhere
// tests/corpus/rest/references.yaml:20:17: the reference # leads nowhere; it is read as any value
// tests/corpus/rest/references.yaml:17:16: the reference #/components/schemas/Gone leads nowhere; it is read as any value
// tests/corpus/rest/references.yaml:7:109: the reference ./other.yaml#/Thing leads nowhere; it is read as any value
// tests/corpus/rest/references.yaml:18:21: the reference https://schemas.example/thing.json leads nowhere; it is read as any value
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `elsewhere`.
        pub elsewhere: Option<__runtime::__private::serde_json::Value>,
        /// The field `gone`.
        pub gone: Option<__runtime::__private::serde_json::Value>,
        /// The field `same`.
        pub same: Option<__runtime::__private::serde_json::Value>,
        /// The field `whole`.
        pub whole: Option<__runtime::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("elsewhere", &__runtime::__private::Untyped(&self.elsewhere))
                .field("gone", &__runtime::__private::Untyped(&self.gone))
                .field("same", &__runtime::__private::Untyped(&self.same))
                .field("whole", &__runtime::__private::Untyped(&self.whole))
                .finish()
        }
    }

    __runtime::__private::object! {
        Thing {
            0 "elsewhere" elsewhere plain optional;
            1 "gone" gone plain optional;
            2 "same" same plain optional;
            3 "whole" whole plain optional;
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
    /// `GET /a`
    pub fn read_a(&self) -> ReadA {
        ReadA {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /b`
    pub fn read_b(&self) -> ReadB {
        ReadB {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /d`
    pub fn read_d(&self) -> ReadD {
        ReadD {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::read_a`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadA {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadA {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("read_a", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ReadA {
    type Output = __runtime::Result<types::Thing>;
    type IntoFuture = __runtime::__private::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::read_b`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadB {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadB {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("read_b", "GET")
            .literal("/b")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ReadB {
    type Output = __runtime::Result<types::Thing>;
    type IntoFuture = __runtime::__private::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::read_d`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadD {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadD {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::serde_json::Value> {
        __runtime::__private::rest::RestCall::new("read_d", "GET")
            .literal("/d")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ReadD {
    type Output = __runtime::Result<__runtime::__private::serde_json::Value>;
    type IntoFuture = __runtime::__private::Sending<
        __runtime::__private::serde_json::Value,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
