/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Eq {
        /// `c`.
        C,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Eq {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::C => "c",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Eq {
        fn from(value: &str) -> Self {
            match value {
                "c" => Self::C,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Eq);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Hash {
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Hash {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Hash {
        fn from(value: &str) -> Self {
            match value {
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Hash);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ToString {
        /// `a`.
        A,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ToString {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ToString {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ToString);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct All {
        /// The field `a`.
        pub a: Option<HashMapObject>,
        /// The field `b`.
        pub b: Option<Default>,
        /// The field `c`.
        pub c: Option<Debug>,
        /// The field `d`.
        pub d: Option<IntoObject>,
        /// The field `e`.
        pub e: Option<Error>,
        /// The field `f`.
        pub f: Option<Rest>,
        /// The field `g`.
        pub g: Option<Self_>,
        /// The field `h`.
        pub h: Option<Value>,
        /// The field `i`.
        pub i: Option<ToString>,
        /// The field `j`.
        pub j: Option<Hash>,
        /// The field `k`.
        pub k: Option<FromStr>,
        /// The field `l`.
        pub l: Option<Str>,
        /// The field `m`.
        pub m: Option<Bool>,
        /// The field `map`.
        pub map: HashMap<String, HashMapObject>,
        /// The field `n`.
        pub n: Option<I64>,
        /// The field `o`.
        pub o: Option<Bytes>,
        /// The field `other`.
        pub other: HashMap<String, String>,
        /// The field `p`.
        pub p: Option<Eq>,
        /// The field `q`.
        pub q: Option<IntoIteratorObject>,
    }

    __runtime::__private::object! {
        All {
            0 "a" a plain optional;
            1 "b" b plain optional;
            2 "c" c plain optional;
            3 "d" d plain optional;
            4 "e" e plain optional;
            5 "f" f plain optional;
            6 "g" g plain optional;
            7 "h" h plain optional;
            8 "i" i text optional;
            9 "j" j text optional;
            10 "k" k plain optional;
            11 "l" l plain optional;
            12 "m" m plain optional;
            13 "map" map map optional;
            14 "n" n plain optional;
            15 "o" o plain optional;
            16 "other" other shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            17 "p" p text optional;
            18 "q" q plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Bool {
        /// The field `a`.
        pub a: Option<bool>,
    }

    __runtime::__private::object! {
        Bool {
            0 "a" a boolean optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Bytes {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Bytes {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Clone {
        /// The field `a`.
        pub a: String,
        /// The field `b`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::List<lenient::shape::Integer<i64>>,_>",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub b: Vec<i64>,
    }

    impl Clone {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(a: impl Into<String>) -> Self {
            fn make(a: String) -> Clone {
                Clone {
                    a,
                    b: ::std::default::Default::default(),
                }
            }
            make(a.into())
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Debug {
        /// The field `token`.
        pub token: Option<String>,
    }

    impl ::std::fmt::Debug for Debug {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Debug").field("token", &format_args!("[redacted]")).finish()
        }
    }

    __runtime::__private::object! {
        Debug {
            0 "token" token text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Default {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Default {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Error {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Error {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FromStr {
        /// The field `a`.
        pub a: Option<StringOrInteger>,
    }

    __runtime::__private::object! {
        FromStr {
            0 "a" a plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct HashMapObject {
        /// The field `a`.
        pub a: HashMap<String, String>,
    }

    __runtime::__private::object! {
        HashMapObject {
            0 "a" a shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct I64 {
        /// The field `a`.
        pub a: Option<i64>,
    }

    __runtime::__private::object! {
        I64 {
            0 "a" a integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct IntoIteratorObject {
        /// The field `a`.
        pub a: Vec<String>,
    }

    __runtime::__private::object! {
        IntoIteratorObject {
            0 "a" a shaped < lenient::shape::List < lenient::shape::Text < String >> > optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct IntoObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        IntoObject {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Rest {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Rest {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Self_ {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Self_ {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Str {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Str {
            0 "a" a text optional;
        }
    }

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
    pub enum StringOrInteger {
        /// A whole number.
        Integer(i64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrInteger {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Integer(value_0) => {
                    f.debug_tuple("Integer").field(value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<i64> for StringOrInteger {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Value {
        /// The field `a`.
        pub a: Option<__runtime::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Value {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Value")
                .field("a", &__runtime::__private::Untyped(&self.a))
                .finish()
        }
    }

    __runtime::__private::object! {
        Value {
            0 "a" a plain optional;
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
    /// [the docs](<https://docs.example/a>), [other](<http://docs.example>), !\[image\](<https://docs.example/i.png>), \[mail\](mailto:a@b.example).
    ///
    /// \[1\]: <https://docs.example/more>
    ///
    /// `GET /a`
    pub fn get_a(&self) -> GetA {
        GetA {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /b`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn post_b(&self, body: impl Into<types::Clone>) -> PostB {
        PostB {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::get_a`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetA {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetA {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::All> {
        __runtime::__private::rest::RestCall::new("get_a", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetA {
    type Output = __runtime::Result<types::All>;
    type IntoFuture = __runtime::__private::Sending<types::All>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::post_b`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PostB {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Clone,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PostB {
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
        value: impl __runtime::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::HashMapObject> {
        __runtime::__private::rest::RestCall::new("post_b", "POST")
            .literal("/b")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for PostB {
    type Output = __runtime::Result<types::HashMapObject>;
    type IntoFuture = __runtime::__private::Sending<types::HashMapObject>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
