// tests/corpus/rest/path_styles.yaml:29:5: GET /other/{encoded}/{one_or_more}/{api_key}?copy={ids}: ids is a path parameter, so its style pipeDelimited is ignored
// tests/corpus/rest/path_styles.yaml:29:5: GET /other/{encoded}/{one_or_more}/{api_key}?copy={ids}: ids is in the query of the path, so its style pipeDelimited is ignored there
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

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

    ::podqueue::__private::open_enum!(Level);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Size {
        /// The field `unit`.
        pub unit: Option<String>,
        /// The field `width`.
        pub width: Option<i64>,
    }

    ::podqueue::__private::object! {
        Size {
            0 "unit" unit text optional;
            1 "width" width integer optional;
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
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
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    ids: Vec<i64>,
    size: types::Size,
    names: Vec<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Label {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("label", "GET")
            .literal("/label/")
            .parameter_styled(
                "ids",
                &self.ids,
                ::podqueue::rest::call::PathStyle::Label {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "size",
                &self.size,
                ::podqueue::rest::call::PathStyle::Label {
                    exploded: true,
                },
            )
            .literal("/")
            .parameter_styled(
                "names",
                &self.names,
                ::podqueue::rest::call::PathStyle::Label {
                    exploded: true,
                },
            )
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Label {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::matrix`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Matrix {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    ids: Vec<i64>,
    size: types::Size,
    levels: Vec<types::Level>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Matrix {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("matrix", "GET")
            .literal("/matrix")
            .parameter_styled(
                "ids",
                &self.ids,
                ::podqueue::rest::call::PathStyle::Matrix {
                    exploded: true,
                },
            )
            .parameter_styled(
                "size",
                &self.size,
                ::podqueue::rest::call::PathStyle::Matrix {
                    exploded: false,
                },
            )
            .parameter_styled(
                "levels",
                &self.levels,
                ::podqueue::rest::call::PathStyle::Matrix {
                    exploded: false,
                },
            )
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Matrix {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::other`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Other {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    encoded: types::Size,
    one_or_more: Vec<String>,
    api_key: Vec<String>,
    ids: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Other {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("other", "GET")
            .literal("/other/")
            .parameter_styled(
                "encoded",
                &self.encoded,
                ::podqueue::rest::call::PathStyle::Json,
            )
            .literal("/")
            .parameter_styled(
                "one_or_more",
                &self.one_or_more,
                ::podqueue::rest::call::PathStyle::Simple {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "api_key",
                &self.api_key,
                ::podqueue::rest::call::PathStyle::Label {
                    exploded: false,
                },
            )
            .query("copy", &self.ids)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Other {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::simple`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Simple {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    ids: Vec<i64>,
    size: types::Size,
    range: ::std::collections::HashMap<String, i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Simple {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("simple", "GET")
            .literal("/simple/")
            .parameter_styled(
                "ids",
                &self.ids,
                ::podqueue::rest::call::PathStyle::Simple {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "size",
                &self.size,
                ::podqueue::rest::call::PathStyle::Simple {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "range",
                &self.range,
                ::podqueue::rest::call::PathStyle::Simple {
                    exploded: true,
                },
            )
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Simple {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
