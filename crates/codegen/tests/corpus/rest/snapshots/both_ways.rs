// tests/corpus/rest/both_ways.yaml:31:9: the choice between Switch and Word is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
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
    pub enum ThingLevel {
        /// `low`.
        Low,
        /// `high`.
        High,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingLevel {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Low => "low",
                Self::High => "high",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingLevel {
        fn from(value: &str) -> Self {
            match value {
                "low" => Self::Low,
                "high" => Self::High,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingLevel);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Owner {
        /// The field `name`.
        pub name: Option<String>,
    }

    impl Owner {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: Option<String>) -> Owner {
                Owner { name }
            }
            make(Some(name.into()))
        }
    }

    __runtime::__private::object! {
        Owner {
            0 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Part {
        /// The field `inner`.
        pub inner: Option<PartInner>,
        /// The field `size`.
        pub size: Option<i64>,
    }

    impl Part {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(size: i64) -> Self {
            fn make(size: Option<i64>) -> Part {
                Part {
                    size,
                    inner: ::std::default::Default::default(),
                }
            }
            make(Some(size))
        }
    }

    __runtime::__private::object! {
        Part {
            0 "inner" inner plain optional;
            1 "size" size integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct PartInner {
        /// The field `on`.
        pub on: Option<bool>,
    }

    impl PartInner {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(on: bool) -> Self {
            fn make(on: Option<bool>) -> PartInner {
                PartInner { on }
            }
            make(Some(on))
        }
    }

    __runtime::__private::object! {
        PartInner {
            0 "on" on boolean optional;
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
    pub enum StringOrBoolean {
        /// A boolean.
        Boolean(bool),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrBoolean {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Boolean(value_0) => {
                    f.debug_tuple("Boolean").field(value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<bool> for StringOrBoolean {
        fn from(value: bool) -> Self {
            Self::Boolean(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    pub struct SwitchOrWord {
        /// The field `value`.
        pub value: Option<StringOrBoolean>,
    }

    impl ::std::fmt::Debug for SwitchOrWord {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("SwitchOrWord")
                .field("value", &format_args!("[redacted]"))
                .finish()
        }
    }

    __runtime::__private::object! {
        SwitchOrWord {
            0 "value" value plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Thing {
        /// The field `count`.
        pub count: Option<i64>,
        /// The field `either`.
        pub either: Option<SwitchOrWord>,
        /// The field `flag`.
        pub flag: Option<bool>,
        /// The field `flags`.
        pub flags: HashMap<String, bool>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `labels`.
        pub labels: HashMap<String, Option<String>>,
        /// The field `level`.
        pub level: Option<ThingLevel>,
        /// The field `note`.
        pub note: Option<String>,
        /// The field `owner`.
        pub owner: Option<Owner>,
        /// The field `owners`.
        pub owners: HashMap<String, Option<Owner>>,
        /// The field `parts`.
        pub parts: Vec<Part>,
        /// The field `price`.
        pub price: Option<f64>,
    }

    impl Thing {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(
            count: i64,
            flag: bool,
            id: impl Into<String>,
            level: ThingLevel,
            note: Option<String>,
            owner: Option<Owner>,
            parts: impl IntoIterator<Item = Part>,
        ) -> Self {
            fn make(
                count: Option<i64>,
                flag: Option<bool>,
                id: Option<String>,
                level: Option<ThingLevel>,
                note: Option<String>,
                owner: Option<Owner>,
                parts: Vec<Part>,
            ) -> Thing {
                Thing {
                    count,
                    flag,
                    id,
                    level,
                    note,
                    owner,
                    parts,
                    either: ::std::default::Default::default(),
                    flags: ::std::default::Default::default(),
                    labels: ::std::default::Default::default(),
                    owners: ::std::default::Default::default(),
                    price: ::std::default::Default::default(),
                }
            }
            make(
                Some(count),
                Some(flag),
                Some(id.into()),
                Some(level),
                note,
                owner,
                parts.into_iter().collect(),
            )
        }
    }

    __runtime::__private::object! {
        Thing {
            0 "count" count integer optional;
            1 "either" either plain optional;
            2 "flag" flag boolean optional;
            3 "flags" flags shaped < lenient::shape::Dictionary < lenient::shape::Boolean > > optional;
            4 "id" id text optional;
            5 "labels" labels shaped < lenient::shape::Dictionary < lenient::shape::Nullable < lenient::shape::Text < String >>> > optional;
            6 "level" level text optional;
            7 "note" note text always;
            8 "owner" owner plain always;
            9 "owners" owners shaped < lenient::shape::Dictionary < lenient::shape::Nullable < lenient::shape::Plain < Owner >>> > optional;
            10 "parts" parts list always;
            11 "price" price number optional;
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
    /// `GET /flag`
    pub fn get_flag(&self) -> GetFlag {
        GetFlag {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /flags`
    pub fn get_flags(&self) -> GetFlags {
        GetFlags {
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
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /thing`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn put_thing(&self, body: impl Into<types::Thing>) -> PutThing {
        PutThing {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::get_flag`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetFlag {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetFlag {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<bool> {
        __runtime::__private::rest::RestCall::new("get_flag", "GET")
            .literal("/flag")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::Boolean,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for GetFlag {
    type Output = __runtime::Result<bool>;
    type IntoFuture = __runtime::__private::Sending<bool>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_flags`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetFlags {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetFlags {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<bool>> {
        __runtime::__private::rest::RestCall::new("get_flags", "GET")
            .literal("/flags")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Boolean,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for GetFlags {
    type Output = __runtime::Result<Vec<bool>>;
    type IntoFuture = __runtime::__private::Sending<Vec<bool>>;

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
            .literal("/thing")
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

/// The call that [`Api::put_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Thing,
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
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("put_thing", "PUT")
            .literal("/thing")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for PutThing {
    type Output = __runtime::Result<types::Thing>;
    type IntoFuture = __runtime::__private::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
