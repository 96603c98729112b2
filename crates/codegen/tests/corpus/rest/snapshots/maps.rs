/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `id`.
        pub id: Option<String>,
    }

    ::podqueue::__private::object! {
        Part {
            0 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `both`.
        pub both: Option<ThingBoth>,
        /// The field `closed`.
        pub closed: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
        /// The field `env`.
        pub env: HashMap<String, String>,
        /// The field `free`.
        pub free: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
        /// The field `lists`.
        pub lists: HashMap<String, Vec<String>>,
        /// The field `parts`.
        pub parts: HashMap<String, Part>,
        /// The field `patterns`.
        pub patterns: HashMap<String, String>,
        /// The field `prices`.
        pub prices: HashMap<String, f64>,
        /// The field `sizes`.
        pub sizes: HashMap<String, i64>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("both", &self.both)
                .field("closed", &::podqueue::__private::Untyped(&self.closed))
                .field("env", &format_args!("[redacted]"))
                .field("free", &::podqueue::__private::Untyped(&self.free))
                .field("lists", &self.lists)
                .field("parts", &self.parts)
                .field("patterns", &self.patterns)
                .field("prices", &self.prices)
                .field("sizes", &self.sizes)
                .finish()
        }
    }

    ::podqueue::__private::object! {
        Thing {
            0 "both" both plain optional;
            1 "closed" closed or_default optional;
            2 "env" env shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            3 "free" free or_default optional;
            4 "lists" lists shaped < lenient::shape::Dictionary < lenient::shape::List < lenient::shape::Text < String >>> > optional;
            5 "parts" parts map optional;
            6 "patterns" patterns shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            7 "prices" prices shaped < lenient::shape::Dictionary < lenient::shape::Number > > optional;
            8 "sizes" sizes shaped < lenient::shape::Dictionary < lenient::shape::Integer < i64 >> > optional;
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
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub a: Option<String>,
        /// All that has no field of its own. What is not of this type is left out.
        #[serde(
            flatten,
            deserialize_with = "lenient::shape::further::<lenient::shape::Integer<i64>,_>"
        )]
        pub extra: HashMap<String, i64>,
    }

    impl ::std::fmt::Debug for ThingBoth {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ThingBoth")
                .field("a", &self.a)
                .field("extra", &::podqueue::__private::Untyped(&self.extra))
                .finish()
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

#[allow(dead_code, bindings_with_variant_name)]
impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Thing> {
        ::podqueue::rest::call::RestCall::new("get_thing", "GET")
            .literal("/things/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
