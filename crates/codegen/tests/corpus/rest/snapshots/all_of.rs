/// What the calls send and answer with.
#[allow(dead_code)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::podqueue::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum DeeperKind {
        /// `a`.
        A,
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl DeeperKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for DeeperKind {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(DeeperKind);

    /// What all have.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Deeper {
        /// The field `daily`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub daily: Option<DeeperDaily>,
        /// What all have.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deep: Option<Box<Deeper>>,
        /// The field `depth`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub depth: Option<i64>,
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<DeeperKind>,
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<::podqueue::__private::serde_json::Value>,
        /// The field `whole`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub whole: Option<DeeperWhole>,
    }

    impl ::std::fmt::Debug for Deeper {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Deeper")
                .field("daily", &self.daily)
                .field("deep", &self.deep)
                .field("depth", &self.depth)
                .field("id", &self.id)
                .field("kind", &self.kind)
                .field("name", &format_args!("[redacted]"))
                .field("whole", &self.whole)
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct DeeperDaily {
        /// The field `limit`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub limit: Option<i64>,
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct DeeperWhole {
        /// The field `a`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub a: Option<i64>,
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Seventh {
        /// The field `fifth`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fifth: Option<bool>,
        /// The field `first`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first: Option<bool>,
        /// The field `fourth`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fourth: Option<bool>,
        /// The field `second`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second: Option<bool>,
        /// The field `seventh`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seventh: Option<bool>,
        /// The field `sixth`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sixth: Option<bool>,
        /// The field `third`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub third: Option<bool>,
    }

    /// What all have.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Thing {
        /// The field `daily`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub daily: Option<ThingDaily>,
        /// What all have.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deep: Option<Box<Deeper>>,
        /// The field `heir`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub heir: Option<Seventh>,
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<DeeperKind>,
        /// What it is called.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `own`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub own: Option<bool>,
        /// The field `whole`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub whole: Option<ThingWhole>,
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct ThingDaily {
        /// The field `count`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub count: Option<i64>,
        /// The field `limit`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub limit: Option<i64>,
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct ThingWhole {
        /// The field `a`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub a: Option<i64>,
        /// The field `b`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub b: Option<i64>,
    }
}

/// The operations of the description. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    target: ::podqueue::rest::call::Target,
}

#[allow(dead_code)]
impl Api {
    /// Calls the service at the client's
    /// [`rest_url`](::podqueue::ClientBuilder::rest_url), with the client's key.
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

    /// Reads a thing.
    ///
    /// `GET /things/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_thing(&self, id: impl Into<String>) -> GetThing {
        GetThing {
            rest: self.target.clone(),
            timeout: None,
            id: id.into(),
        }
    }
}

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code)]
impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = ::podqueue::rest::call::RestCall::new("get_thing", "GET")
            .literal("/things/")
            .parameter("id", &self.id)
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
