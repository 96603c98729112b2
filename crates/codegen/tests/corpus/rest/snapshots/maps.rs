/// What the calls send and answer with.
#[allow(dead_code)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

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
    pub struct Part {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Default,
        PartialEq
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Thing {
        /// The field `both`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub both: Option<ThingBoth>,
        /// The field `closed`.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "::podqueue::__private::serde_json::Map::is_empty"
        )]
        pub closed: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
        /// The field `env`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub env: HashMap<String, String>,
        /// The field `free`.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "::podqueue::__private::serde_json::Map::is_empty"
        )]
        pub free: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
        /// The field `lists`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::List<lenient::shape::Plain<String>>>,_>",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub lists: HashMap<String, Vec<String>>,
        /// The field `parts`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub parts: HashMap<String, Part>,
        /// The field `patterns`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub patterns: HashMap<String, String>,
        /// The field `prices`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::Number>,_>",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub prices: HashMap<String, f64>,
        /// The field `sizes`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::Integer<i64>>,_>",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub sizes: HashMap<String, i64>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("both", &self.both)
                .field("closed", &format_args!("[redacted]"))
                .field("env", &format_args!("[redacted]"))
                .field("free", &format_args!("[redacted]"))
                .field("lists", &self.lists)
                .field("parts", &self.parts)
                .field("patterns", &self.patterns)
                .field("prices", &self.prices)
                .field("sizes", &self.sizes)
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq,
        Default
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct ThingBoth {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        /// All that has no field of its own.
        #[serde(flatten)]
        pub extra: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
    }

    impl ::std::fmt::Debug for ThingBoth {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ThingBoth")
                .field("a", &self.a)
                .field("extra", &format_args!("[redacted]"))
                .finish()
        }
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
