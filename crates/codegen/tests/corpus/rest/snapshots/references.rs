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

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `elsewhere`.
        pub elsewhere: Option<::podqueue::__private::serde_json::Value>,
        /// The field `gone`.
        pub gone: Option<::podqueue::__private::serde_json::Value>,
        /// The field `same`.
        pub same: Option<::podqueue::__private::serde_json::Value>,
        /// The field `whole`.
        pub whole: Option<::podqueue::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("elsewhere", &::podqueue::__private::Untyped(&self.elsewhere))
                .field("gone", &::podqueue::__private::Untyped(&self.gone))
                .field("same", &::podqueue::__private::Untyped(&self.same))
                .field("whole", &::podqueue::__private::Untyped(&self.whole))
                .finish()
        }
    }

    ::podqueue::__private::object! {
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
    /// `GET /a`
    pub fn read_a(&self) -> ReadA {
        ReadA {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /b`
    pub fn read_b(&self) -> ReadB {
        ReadB {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /d`
    pub fn read_d(&self) -> ReadD {
        ReadD {
            rest: self.target.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::read_a`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadA {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadA {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Thing> {
        ::podqueue::rest::call::RestCall::new("read_a", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ReadA {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::read_b`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadB {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadB {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Thing> {
        ::podqueue::rest::call::RestCall::new("read_b", "GET")
            .literal("/b")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ReadB {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::read_d`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadD {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadD {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> ::podqueue::rest::call::Sending<::podqueue::__private::serde_json::Value> {
        ::podqueue::rest::call::RestCall::new("read_d", "GET")
            .literal("/d")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ReadD {
    type Output = ::podqueue::Result<::podqueue::__private::serde_json::Value>;
    type IntoFuture = ::podqueue::rest::call::Sending<
        ::podqueue::__private::serde_json::Value,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
