/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum FindIdsItem {
        /// `*`.
        Star,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl FindIdsItem {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Star => "*",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for FindIdsItem {
        fn from(value: &str) -> Self {
            match value {
                "*" => Self::Star,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(FindIdsItem);

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum FindIdsItem2 {
        /// A whole number.
        Integer(i64),
        /// One of the shapes.
        FindIdsItem(FindIdsItem),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for FindIdsItem2 {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Integer(value_0) => {
                    f.debug_tuple("Integer").field(value_0).finish()
                }
                Self::FindIdsItem(value_0) => {
                    f.debug_tuple("FindIdsItem").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<i64> for FindIdsItem2 {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }

    impl ::std::convert::From<FindIdsItem> for FindIdsItem2 {
        fn from(value: FindIdsItem) -> Self {
            Self::FindIdsItem(value)
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
    ///
    /// # Arguments
    ///
    /// - `all`: Sent as the header `all`.
    pub fn find(&self, all: impl Into<String>) -> Find {
        Find {
            service: self.service.clone(),
            timeout: None,
            all: all.into(),
            ids: None,
            id: None,
            size: None,
            either: None,
        }
    }
}

/// The call that [`Api::find`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Find {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    ids: Option<Vec<types::FindIdsItem2>>,
    id: Option<String>,
    size: Option<f64>,
    all: String,
    either: Option<Vec<String>>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Find {
    /// Sent as the query parameter `ids`.
    pub fn ids(mut self, ids: impl IntoIterator<Item = types::FindIdsItem2>) -> Self {
        self.ids = Some(ids.into_iter().collect());
        self
    }

    /// Sent as the query parameter `id`.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sent as the query parameter `size`.
    pub fn size(mut self, size: f64) -> Self {
        self.size = Some(size);
        self
    }

    /// Sent as the query parameter `either`.
    pub fn either(
        mut self,
        either: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.either = Some(either.into_iter().map(Into::into).collect());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("find", "GET")
            .literal("/a")
            .query("ids", &self.ids)
            .query("id", &self.id)
            .query("size", &self.size)
            .query("either", &self.either)
            .header("all", &self.all)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Find {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
