// tests/corpus/rest/path_styles.yaml:29:5: GET /other/{encoded}/{one_or_more}/{api_key}?copy={ids}: ids is a path parameter, so its style pipeDelimited is ignored
// tests/corpus/rest/path_styles.yaml:29:5: GET /other/{encoded}/{one_or_more}/{api_key}?copy={ids}: ids is in the query of the path, so its style pipeDelimited is ignored there
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Level {
        /// `low`.
        Low,
        /// `high`.
        High,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Level {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Low => "low",
                Self::High => "high",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Level {
        fn from(value: &str) -> Self {
            match value {
                "low" => Self::Low,
                "high" => Self::High,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Level);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Size {
        /// The field `unit`.
        pub unit: Option<String>,
        /// The field `width`.
        pub width: Option<i64>,
    }

    __runtime::__private::object! {
        Size {
            0 "unit" unit text optional;
            1 "width" width integer optional;
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
    /// `GET /label/{ids}/{size}/{names}`
    ///
    /// # Arguments
    ///
    /// - `ids`: A part of the path.
    /// - `size`: A part of the path.
    /// - `names`: A part of the path.
    pub fn label(
        &self,
        ids: impl IntoIterator<Item = i64>,
        size: impl Into<types::Size>,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Label {
        Label {
            service: self.service.clone(),
            timeout: None,
            ids: ids.into_iter().collect(),
            size: size.into(),
            names: names.into_iter().map(Into::into).collect(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /matrix{ids}{size}{levels}`
    ///
    /// # Arguments
    ///
    /// - `ids`: A part of the path.
    /// - `size`: A part of the path.
    /// - `levels`: A part of the path.
    pub fn matrix(
        &self,
        ids: impl IntoIterator<Item = i64>,
        size: impl Into<types::Size>,
        levels: impl IntoIterator<Item = types::Level>,
    ) -> Matrix {
        Matrix {
            service: self.service.clone(),
            timeout: None,
            ids: ids.into_iter().collect(),
            size: size.into(),
            levels: levels.into_iter().collect(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /other/{encoded}/{one_or_more}/{api_key}?copy={ids}`
    ///
    /// # Arguments
    ///
    /// - `encoded`: A part of the path.
    /// - `one_or_more`: A part of the path.
    /// - `api_key`: A part of the path.
    /// - `ids`: A part of the path.
    pub fn other(
        &self,
        encoded: impl Into<types::Size>,
        one_or_more: impl IntoIterator<Item = impl Into<String>>,
        api_key: impl IntoIterator<Item = impl Into<String>>,
        ids: impl Into<String>,
    ) -> Other {
        Other {
            service: self.service.clone(),
            timeout: None,
            encoded: encoded.into(),
            one_or_more: one_or_more.into_iter().map(Into::into).collect(),
            api_key: api_key.into_iter().map(Into::into).collect(),
            ids: ids.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /simple/{ids}/{size}/{range}`
    ///
    /// # Arguments
    ///
    /// - `ids`: A part of the path.
    /// - `size`: A part of the path.
    /// - `range`: A part of the path.
    pub fn simple(
        &self,
        ids: impl IntoIterator<Item = i64>,
        size: impl Into<types::Size>,
        range: ::std::collections::HashMap<String, i64>,
    ) -> Simple {
        Simple {
            service: self.service.clone(),
            timeout: None,
            ids: ids.into_iter().collect(),
            size: size.into(),
            range,
        }
    }
}

/// The call that [`Api::label`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Label {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    ids: Vec<i64>,
    size: types::Size,
    names: Vec<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Label {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("label", "GET")
            .literal("/label/")
            .parameter_styled(
                "ids",
                &self.ids,
                __runtime::__private::rest::PathStyle::Label {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "size",
                &self.size,
                __runtime::__private::rest::PathStyle::Label {
                    exploded: true,
                },
            )
            .literal("/")
            .parameter_styled(
                "names",
                &self.names,
                __runtime::__private::rest::PathStyle::Label {
                    exploded: true,
                },
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Label {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::matrix`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Matrix {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    ids: Vec<i64>,
    size: types::Size,
    levels: Vec<types::Level>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Matrix {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("matrix", "GET")
            .literal("/matrix")
            .parameter_styled(
                "ids",
                &self.ids,
                __runtime::__private::rest::PathStyle::Matrix {
                    exploded: true,
                },
            )
            .parameter_styled(
                "size",
                &self.size,
                __runtime::__private::rest::PathStyle::Matrix {
                    exploded: false,
                },
            )
            .parameter_styled(
                "levels",
                &self.levels,
                __runtime::__private::rest::PathStyle::Matrix {
                    exploded: false,
                },
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Matrix {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::other`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Other {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    encoded: types::Size,
    one_or_more: Vec<String>,
    api_key: Vec<String>,
    ids: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Other {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("other", "GET")
            .literal("/other/")
            .parameter_styled(
                "encoded",
                &self.encoded,
                __runtime::__private::rest::PathStyle::Json,
            )
            .literal("/")
            .parameter_styled(
                "one_or_more",
                &self.one_or_more,
                __runtime::__private::rest::PathStyle::Simple {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "api_key",
                &self.api_key,
                __runtime::__private::rest::PathStyle::Label {
                    exploded: false,
                },
            )
            .query("copy", &self.ids)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Other {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::simple`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Simple {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    ids: Vec<i64>,
    size: types::Size,
    range: ::std::collections::HashMap<String, i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Simple {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("simple", "GET")
            .literal("/simple/")
            .parameter_styled(
                "ids",
                &self.ids,
                __runtime::__private::rest::PathStyle::Simple {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "size",
                &self.size,
                __runtime::__private::rest::PathStyle::Simple {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "range",
                &self.range,
                __runtime::__private::rest::PathStyle::Simple {
                    exploded: true,
                },
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Simple {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
