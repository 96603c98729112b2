/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
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
        pub closed: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field `env`.
        pub env: HashMap<String, String>,
        /// The field `free`.
        pub free: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
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
                .field("closed", &__runtime::__private::Untyped(&self.closed))
                .field("env", &format_args!("[redacted]"))
                .field("free", &__runtime::__private::Untyped(&self.free))
                .field("lists", &self.lists)
                .field("parts", &self.parts)
                .field("patterns", &self.patterns)
                .field("prices", &self.prices)
                .field("sizes", &self.sizes)
                .finish()
        }
    }

    __runtime::__private::object! {
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
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq,
        Default
    )]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
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
                .field("extra", &__runtime::__private::Untyped(&self.extra))
                .finish()
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

    /// Reads a thing.
    ///
    /// `GET /things/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_thing(&self, id: impl Into<String>) -> GetThing {
        GetThing {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
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
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("get_thing", "GET")
            .literal("/things/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = __runtime::Result<types::Thing>;
    type IntoFuture = __runtime::__private::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
