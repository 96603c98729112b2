/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum StringObject {
        /// `x`.
        X,
        /// `y`.
        Y,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl StringObject {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::X => "x",
                Self::Y => "y",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for StringObject {
        fn from(value: &str) -> Self {
            match value {
                "x" => Self::X,
                "y" => Self::Y,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(StringObject);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Greetingمرحبا {
        /// `مرحبا`.
        مرحبا,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Greetingمرحبا {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::مرحبا => "مرحبا",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Greetingمرحبا {
        fn from(value: &str) -> Self {
            match value {
                "مرحبا" => Self::مرحبا,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Greetingمرحبا);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingKind {
        /// `p`.
        P,
        /// `q`.
        Q,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::P => "p",
                Self::Q => "q",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingKind {
        fn from(value: &str) -> Self {
            match value {
                "p" => Self::P,
                "q" => Self::Q,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingKind);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum GetThing状態 {
        /// `状態`.
        状態,
        /// `他`.
        他,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl GetThing状態 {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::状態 => "状態",
                Self::他 => "他",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for GetThing状態 {
        fn from(value: &str) -> Self {
            match value {
                "状態" => Self::状態,
                "他" => Self::他,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(GetThing状態);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct A10080gb {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        A10080gb {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct A10080gb2 {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        A10080gb2 {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Ab {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Ab {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ApiV1Thing {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        ApiV1Thing {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct BoxObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        BoxObject {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Clone {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Clone {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Debug {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Debug {
            0 "a" a text optional;
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
    pub struct FromObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        FromObject {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Greeting {
        /// The field `مرحبا`.
        pub مرحبا: Option<Greetingمرحبا>,
    }

    __runtime::__private::object! {
        Greeting {
            0 "مرحبا" مرحبا text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct HashMapObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        HashMapObject {
            0 "a" a text optional;
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
    pub struct OptionObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        OptionObject {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct PageThing {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        PageThing {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct PodInfo {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        PodInfo {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct PodInfo2 {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        PodInfo2 {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Price {
        /// The field `m`.
        pub m: Option<f64>,
        /// The field `m²`.
        pub m_2: Option<f64>,
    }

    __runtime::__private::object! {
        Price {
            0 "m" m number optional;
            1 "m²" m_2 number optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct PutXaabBody {
        /// The field ` `.
        pub x: Option<PutXaabBody2>,
    }

    __runtime::__private::object! {
        PutXaabBody {
            0 " " x plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    pub struct PutXaabBody2 {
        /// The field `日本`.
        pub 日本: Option<__runtime::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for PutXaabBody2 {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("PutXaabBody2")
                .field("日本", &__runtime::__private::Untyped(&self.日本))
                .finish()
        }
    }

    __runtime::__private::object! {
        PutXaabBody2 {
            0 "日本" 日本 plain optional;
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
    pub struct ResultObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        ResultObject {
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
    pub struct Send {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        Send {
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
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum Serialize {
        /// An object.
        Object {
            /// The field `a`.
            #[serde(
                default,
                deserialize_with = "lenient::text",
                skip_serializing_if = "Option::is_none"
            )]
            a: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for Serialize {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Object { a: value_0 } => {
                    f.debug_struct("Object").field("a", value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
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

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `a10080gb`.
        pub a10080gb: Option<A10080gb>,
        /// The field `a100_80gb`.
        pub a100_80gb: Option<A10080gb2>,
        /// The field `async`.
        pub async_: Option<bool>,
        /// The field `box`.
        pub box_: Option<BoxObject>,
        /// The field `clone`.
        pub clone: Option<Clone>,
        /// The field `CO₂`.
        pub co: Option<f64>,
        /// The field `debug`.
        pub debug: Option<Debug>,
        /// The field `default`.
        pub default: Option<Default>,
        /// The field `definitions`.
        pub definitions: Option<String>,
        /// The field `dotted`.
        pub dotted: Option<ApiV1Thing>,
        /// The field `error`.
        pub error: Option<Error>,
        /// The field `extra`.
        pub extra: Option<String>,
        /// The field `foo-bar`.
        pub foo_bar_3: Option<String>,
        /// The field `fooBar`.
        pub foo_bar_2: Option<String>,
        /// The field `foo_bar`.
        pub foo_bar: Option<String>,
        /// The field `from`.
        pub from: Option<FromObject>,
        /// The field `gen`.
        pub gen_: Option<i64>,
        /// The field `generic`.
        pub generic: Option<PageThing>,
        /// The field `greeting`.
        pub greeting: Option<Greeting>,
        /// The field `hash_map`.
        pub hash_map: Option<HashMapObject>,
        /// The field `@id`.
        pub id: Option<String>,
        /// The field `into`.
        pub into: Option<IntoObject>,
        /// The field `kind²`.
        pub kind: Option<ThingKind>,
        /// The field `m²`.
        pub m: Option<f64>,
        /// The field `option`.
        pub option: Option<OptionObject>,
        /// The field `PodInfo`.
        pub pod_info_2: Option<PodInfo>,
        /// The field `pod_info`.
        pub pod_info: Option<PodInfo2>,
        /// The field `price_①`.
        pub price: Option<Price>,
        /// The field `properties`.
        pub properties: Option<ThingProperties>,
        /// The field `$ref`.
        pub ref_: Option<String>,
        /// The field `rest`.
        pub rest: Option<Rest>,
        /// The field `result`.
        pub result: Option<ResultObject>,
        /// The field `Self`.
        pub self_2: Option<String>,
        /// The field `self`.
        pub self_: Option<String>,
        /// The field `self_type`.
        pub self_type: Option<Self_>,
        /// The field `send`.
        pub send: Option<Send>,
        /// The field `serialize`.
        pub serialize: Option<Serialize>,
        /// The field `slashed`.
        pub slashed: Option<Ab>,
        /// The field `str`.
        pub str: Option<Str>,
        /// The field `string`.
        pub string: Option<StringObject>,
        /// The field `thing_kind`.
        pub thing_kind: Option<StringObject>,
        /// The field `type`.
        pub type_: Option<String>,
        /// The field `vec`.
        pub vec: Option<VecObject>,
        /// The field ``.
        pub x: Option<String>,
        /// The field `½`.
        pub x_2: Option<String>,
        /// The field `ⓐ`.
        pub x_3: Option<String>,
        /// The field `3d`.
        pub x3d: Option<String>,
        /// The field `_3d`.
        pub x3d_2: Option<X3d2>,
        /// The field `x_3d`.
        pub x_3d: Option<X3d>,
        /// The field `ünïcode`.
        pub ünïcode: Option<String>,
    }

    __runtime::__private::object! {
        Thing {
            0 "a10080gb" a10080gb plain optional;
            1 "a100_80gb" a100_80gb plain optional;
            2 "async" async_ boolean optional;
            3 "box" box_ plain optional;
            4 "clone" clone plain optional;
            5 "CO₂" co number optional;
            6 "debug" debug plain optional;
            7 "default" default plain optional;
            8 "definitions" definitions text optional;
            9 "dotted" dotted plain optional;
            10 "error" error plain optional;
            11 "extra" extra text optional;
            12 "foo-bar" foo_bar_3 text optional;
            13 "fooBar" foo_bar_2 text optional;
            14 "foo_bar" foo_bar text optional;
            15 "from" from plain optional;
            16 "gen" gen_ integer optional;
            17 "generic" generic plain optional;
            18 "greeting" greeting plain optional;
            19 "hash_map" hash_map plain optional;
            20 "@id" id text optional;
            21 "into" into plain optional;
            22 "kind²" kind text optional;
            23 "m²" m number optional;
            24 "option" option plain optional;
            25 "PodInfo" pod_info_2 plain optional;
            26 "pod_info" pod_info plain optional;
            27 "price_①" price plain optional;
            28 "properties" properties plain optional;
            29 "$ref" ref_ text optional;
            30 "rest" rest plain optional;
            31 "result" result plain optional;
            32 "Self" self_2 text optional;
            33 "self" self_ text optional;
            34 "self_type" self_type plain optional;
            35 "send" send plain optional;
            36 "serialize" serialize plain optional;
            37 "slashed" slashed plain optional;
            38 "str" str plain optional;
            39 "string" string text optional;
            40 "thing_kind" thing_kind text optional;
            41 "type" type_ text optional;
            42 "vec" vec plain optional;
            43 "" x text optional;
            44 "½" x_2 text optional;
            45 "ⓐ" x_3 text optional;
            46 "3d" x3d text optional;
            47 "_3d" x3d_2 plain optional;
            48 "x_3d" x_3d plain optional;
            49 "ünïcode" ünïcode text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingProperties {
        /// The field `properties`.
        pub properties: Option<String>,
    }

    __runtime::__private::object! {
        ThingProperties {
            0 "properties" properties text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct VecObject {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        VecObject {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct X3d {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        X3d {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct X3d2 {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        X3d2 {
            0 "a" a text optional;
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
            area_m: None,
            x: None,
            状態: None,
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /$x/a/{a_b}`
    ///
    /// # Arguments
    ///
    /// - `a_b`: A part of the path.
    pub fn put_x_a_a_b(&self, a_b: impl Into<String>) -> PutXAAB {
        PutXAAB {
            service: self.service.clone(),
            timeout: None,
            a_b: a_b.into(),
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
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
    area_m: Option<String>,
    x: Option<String>,
    状態: Option<types::GetThing状態>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetThing {
    /// Sent as the query parameter `area_m²`.
    pub fn area_m(mut self, area_m: impl Into<String>) -> Self {
        self.area_m = Some(area_m.into());
        self
    }

    /// Sent as the query parameter `½`.
    pub fn x(mut self, x: impl Into<String>) -> Self {
        self.x = Some(x.into());
        self
    }

    /// Sent as the query parameter `状態`.
    pub fn 状態(mut self, 状態: impl Into<types::GetThing状態>) -> Self {
        self.状態 = Some(状態.into());
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
            .literal("/things/")
            .parameter("id", &self.id)
            .query("area_m²", &self.area_m)
            .query("½", &self.x)
            .query("状態", &self.状態)
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

/// The call that [`Api::put_x_a_a_b`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutXAAB {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    a_b: String,
    body: Option<types::PutXaabBody>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PutXAAB {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::PutXaabBody>) -> Self {
        self.body = Some(body.into());
        self
    }

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
        __runtime::__private::rest::RestCall::new("put_x_a_a_b", "PUT")
            .literal("/$x/a/")
            .parameter("a_b", &self.a_b)
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for PutXAAB {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
