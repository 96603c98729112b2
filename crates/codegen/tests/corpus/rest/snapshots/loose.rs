// tests/corpus/rest/loose.yaml:38:175: #/components/schemas/New/properties/zones: its example is no array; responses may hold any value
// tests/corpus/rest/loose.yaml:34:39: #/components/schemas/Part/properties/size: its example is no number; responses may hold any value
// tests/corpus/rest/loose.yaml:29:9: #/components/schemas/Thing/properties/max: its example is no integer; responses may hold any value
// tests/corpus/rest/loose.yaml:27:9: #/components/schemas/Thing/properties/zones: its example is no array; responses may hold any value
/// What the calls send and answer with.
#[allow(dead_code)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::podqueue::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum NewE {
        /// `a`.
        A,
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl NewE {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for NewE {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(NewE);

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct New {
        /// The field `e`.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub e: Option<NewE>,
        /// The field `i`.
        #[serde(default, deserialize_with = "lenient::integer")]
        pub i: Option<i64>,
        /// The field `n`.
        #[serde(default, deserialize_with = "lenient::number")]
        pub n: Option<f64>,
        /// The field `s`.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub s: Option<String>,
        /// The field `zones`.
        #[serde(default, deserialize_with = "lenient::list")]
        pub zones: Vec<String>,
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `size`.
        pub size: Option<::podqueue::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Part {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Part").field("size", &format_args!("[redacted]")).finish()
        }
    }

    ::podqueue::__private::object! {
        Part {
            0 "size" size plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `count`.
        pub count: Option<i64>,
        /// The field `counter`.
        pub counter: Option<u64>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `max`.
        pub max: Option<::podqueue::__private::serde_json::Value>,
        /// The field `parts`.
        pub parts: Vec<Part>,
        /// The field `quoted`.
        pub quoted: Vec<String>,
        /// The field `when`.
        pub when: Option<String>,
        /// The field `zones`.
        pub zones: Option<::podqueue::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("count", &self.count)
                .field("counter", &self.counter)
                .field("id", &self.id)
                .field("max", &format_args!("[redacted]"))
                .field("parts", &self.parts)
                .field("quoted", &self.quoted)
                .field("when", &self.when)
                .field("zones", &format_args!("[redacted]"))
                .finish()
        }
    }

    ::podqueue::__private::object! {
        Thing {
            0 "count" count integer optional;
            1 "counter" counter integer optional;
            2 "id" id plain optional;
            3 "max" max plain optional;
            4 "parts" parts list optional;
            5 "quoted" quoted list optional;
            6 "when" when plain optional;
            7 "zones" zones plain optional;
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

    /// Prepares a call.
    ///
    /// `GET /thing`
    pub fn get_thing(&self) -> GetThing {
        GetThing {
            rest: self.target.clone(),
            timeout: None,
            q: None,
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /thing`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn put_thing(&self, body: impl Into<types::New>) -> PutThing {
        PutThing {
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }
}

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    q: Option<i64>,
}

#[allow(dead_code)]
impl GetThing {
    /// Sent as the query parameter `q`.
    pub fn q(mut self, q: i64) -> Self {
        self.q = Some(q);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Thing> {
        ::podqueue::rest::call::RestCall::new("get_thing", "GET")
            .literal("/thing")
            .query("q", &self.q)
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

/// The call that [`Api::put_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutThing {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::New,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code)]
impl PutThing {
    /// Sends null for a field of the body, where `None` would omit it.
    ///
    /// The place is written with the names of the interface: `name`, `env[0].note`. Sending
    /// fails where the body has no such place.
    pub fn null(self, place: impl Into<String>) -> Self {
        self.set(place, ())
    }

    /// Sets a field of the body to any value: an empty list, which would be omitted, or a
    /// field that the type does not have. The place is written as for [`null`](Self::null).
    pub fn set(
        mut self,
        place: impl Into<String>,
        value: impl ::podqueue::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("put_thing", "PUT")
            .literal("/thing")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for PutThing {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
