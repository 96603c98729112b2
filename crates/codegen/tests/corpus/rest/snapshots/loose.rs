// tests/corpus/rest/loose.yaml:60:175: #/components/schemas/New/properties/zones: its example is no array; responses may hold any value (3 more like it)
// tests/corpus/rest/loose.yaml:40:30: the choice between Text and Whole is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
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
    pub enum Kind {
        /// `1.5`.
        V1_5,
        /// `true`.
        True,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Kind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::V1_5 => "1.5",
                Self::True => "true",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Kind {
        fn from(value: &str) -> Self {
            match value {
                "1.5" => Self::V1_5,
                "true" => Self::True,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Kind);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum AddressKind {
        /// `1`.
        V1,
        /// `two`.
        Two,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl AddressKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::V1 => "1",
                Self::Two => "two",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for AddressKind {
        fn from(value: &str) -> Self {
            match value {
                "1" => Self::V1,
                "two" => Self::Two,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(AddressKind);

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

    __runtime::__private::open_enum!(NewE);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Address {
        /// The field `beside`.
        pub beside: Option<Beside>,
        /// The field `code`.
        pub code: Option<String>,
        /// The field `kind`.
        pub kind: Option<AddressKind>,
        /// The field `kinds`.
        pub kinds: Vec<Kind>,
        /// The field `labels`.
        pub labels: HashMap<String, String>,
        /// The field `lines`.
        pub lines: Vec<String>,
        /// The field `sizes`.
        pub sizes: Vec<TextOrWhole>,
    }

    __runtime::__private::object! {
        Address {
            0 "beside" beside plain optional;
            1 "code" code text optional;
            2 "kind" kind text optional;
            3 "kinds" kinds shaped < lenient::shape::List < lenient::shape::Text < Kind >> > optional;
            4 "labels" labels shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            5 "lines" lines shaped < lenient::shape::List < lenient::shape::Text < String >> > optional;
            6 "sizes" sizes list optional;
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
    pub struct Beside {
        /// The field `code`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub code: Option<String>,
        /// All that has no field of its own.
        #[serde(flatten)]
        pub extra: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    }

    impl ::std::fmt::Debug for Beside {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Beside")
                .field("code", &self.code)
                .field("extra", &__runtime::__private::Untyped(&self.extra))
                .finish()
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
    pub struct New {
        /// The field `e`.
        #[serde(default, deserialize_with = "lenient::text")]
        pub e: Option<NewE>,
        /// The field `i`.
        #[serde(default, deserialize_with = "lenient::integer")]
        pub i: Option<i64>,
        /// The field `n`.
        #[serde(default, deserialize_with = "lenient::number")]
        pub n: Option<f64>,
        /// The field `s`.
        #[serde(default, deserialize_with = "lenient::text")]
        pub s: Option<String>,
        /// The field `zones`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::List<lenient::shape::Text<String>>,_>"
        )]
        pub zones: Vec<String>,
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `size`.
        pub size: Option<__runtime::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Part {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Part")
                .field("size", &__runtime::__private::Untyped(&self.size))
                .finish()
        }
    }

    __runtime::__private::object! {
        Part {
            0 "size" size plain optional;
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
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct TextOrWhole {
        /// The field `value`.
        pub value: Option<StringOrInteger>,
    }

    __runtime::__private::object! {
        TextOrWhole {
            0 "value" value plain optional;
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
        pub max: Option<__runtime::__private::serde_json::Value>,
        /// The field `parts`.
        pub parts: Vec<Part>,
        /// The field `quoted`.
        pub quoted: Vec<String>,
        /// The field `when`.
        pub when: Option<String>,
        /// The field `zones`.
        pub zones: Option<__runtime::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("count", &self.count)
                .field("counter", &self.counter)
                .field("id", &self.id)
                .field("max", &__runtime::__private::Untyped(&self.max))
                .field("parts", &self.parts)
                .field("quoted", &self.quoted)
                .field("when", &self.when)
                .field("zones", &__runtime::__private::Untyped(&self.zones))
                .finish()
        }
    }

    __runtime::__private::object! {
        Thing {
            0 "count" count integer optional;
            1 "counter" counter integer optional;
            2 "id" id text optional;
            3 "max" max plain optional;
            4 "parts" parts list optional;
            5 "quoted" quoted shaped < lenient::shape::List < lenient::shape::Text < String >> > optional;
            6 "when" when text optional;
            7 "zones" zones plain optional;
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
    /// `GET /address`
    pub fn get_address(&self) -> GetAddress {
        GetAddress {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /thing`
    pub fn get_thing(&self) -> GetThing {
        GetThing {
            service: self.service.clone(),
            timeout: None,
            q: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /codes`
    pub fn list_codes(&self) -> ListCodes {
        ListCodes {
            service: self.service.clone(),
            timeout: None,
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
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::get_address`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetAddress {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetAddress {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Address> {
        __runtime::__private::rest::RestCall::new("get_address", "GET")
            .literal("/address")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetAddress {
    type Output = __runtime::Result<types::Address>;
    type IntoFuture = __runtime::__private::Sending<types::Address>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    q: Option<i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetThing {
    /// Sent as the query parameter `q`.
    pub fn q(mut self, q: i64) -> Self {
        self.q = Some(q);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("get_thing", "GET")
            .literal("/thing")
            .query("q", &self.q)
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

/// The call that [`Api::list_codes`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ListCodes {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ListCodes {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<String>> {
        __runtime::__private::rest::RestCall::new("list_codes", "GET")
            .literal("/codes")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Text<String>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for ListCodes {
    type Output = __runtime::Result<Vec<String>>;
    type IntoFuture = __runtime::__private::Sending<Vec<String>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::put_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::New,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("put_thing", "PUT")
            .literal("/thing")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for PutThing {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
