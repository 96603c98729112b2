/// What the calls send and answer with.
#[allow(dead_code)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::podqueue::__private::lenient;

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

    ::podqueue::__private::open_enum!(StringObject);

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

    ::podqueue::__private::open_enum!(ThingKind);

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
    pub struct A10080gb {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct A10080gb2 {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Ab {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct ApiV1Thing {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct BoxObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Clone {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Debug {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Default {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Error {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct FromObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct HashMapObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct IntoObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct OptionObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct PageThing {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct PodInfo {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct PodInfo2 {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Price {
        /// The field `m`.
        #[serde(
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub m: Option<f64>,
        /// The field `m²`.
        #[serde(
            rename = "m²",
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub m_2: Option<f64>,
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
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct PutXaabBody {
        /// The field ` `.
        #[serde(rename = " ", skip_serializing_if = "Option::is_none")]
        pub x: Option<PutXaabBody2>,
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Default,
        PartialEq
    )]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct PutXaabBody2 {
        /// The field `日本`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub 日本: Option<::podqueue::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for PutXaabBody2 {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("PutXaabBody2")
                .field("日本", &format_args!("[redacted]"))
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
    pub struct Rest {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct ResultObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Self_ {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Send {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
    }

    /// One of several shapes.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum Serialize {
        /// An object.
        Object {
            /// The field `a`.
            #[serde(skip_serializing_if = "Option::is_none")]
            a: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
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
    pub struct Str {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct Thing {
        /// The field `a10080gb`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a10080gb: Option<A10080gb>,
        /// The field `a100_80gb`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a100_80gb: Option<A10080gb2>,
        /// The field `async`.
        #[serde(rename = "async", skip_serializing_if = "Option::is_none")]
        pub async_: Option<bool>,
        /// The field `box`.
        #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
        pub box_: Option<BoxObject>,
        /// The field `clone`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub clone: Option<Clone>,
        /// The field `CO₂`.
        #[serde(
            rename = "CO₂",
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub co: Option<f64>,
        /// The field `debug`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub debug: Option<Debug>,
        /// The field `default`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub default: Option<Default>,
        /// The field `definitions`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub definitions: Option<String>,
        /// The field `dotted`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub dotted: Option<ApiV1Thing>,
        /// The field `error`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<Error>,
        /// The field `extra`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub extra: Option<String>,
        /// The field `foo-bar`.
        #[serde(rename = "foo-bar", skip_serializing_if = "Option::is_none")]
        pub foo_bar: Option<String>,
        /// The field `fooBar`.
        #[serde(rename = "fooBar", skip_serializing_if = "Option::is_none")]
        pub foo_bar_2: Option<String>,
        /// The field `foo_bar`.
        #[serde(rename = "foo_bar", skip_serializing_if = "Option::is_none")]
        pub foo_bar_3: Option<String>,
        /// The field `from`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub from: Option<FromObject>,
        /// The field `gen`.
        #[serde(
            rename = "gen",
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub gen_: Option<i64>,
        /// The field `generic`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub generic: Option<PageThing>,
        /// The field `hash_map`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hash_map: Option<HashMapObject>,
        /// The field `@id`.
        #[serde(rename = "@id", skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `into`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub into: Option<IntoObject>,
        /// The field `kind²`.
        #[serde(rename = "kind²", skip_serializing_if = "Option::is_none")]
        pub kind: Option<ThingKind>,
        /// The field `m²`.
        #[serde(
            rename = "m²",
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub m: Option<f64>,
        /// The field `option`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub option: Option<OptionObject>,
        /// The field `PodInfo`.
        #[serde(rename = "PodInfo", skip_serializing_if = "Option::is_none")]
        pub pod_info: Option<PodInfo>,
        /// The field `pod_info`.
        #[serde(rename = "pod_info", skip_serializing_if = "Option::is_none")]
        pub pod_info_2: Option<PodInfo2>,
        /// The field `price_①`.
        #[serde(rename = "price_①", skip_serializing_if = "Option::is_none")]
        pub price: Option<Price>,
        /// The field `properties`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub properties: Option<ThingProperties>,
        /// The field `$ref`.
        #[serde(rename = "$ref", skip_serializing_if = "Option::is_none")]
        pub ref_: Option<String>,
        /// The field `rest`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rest: Option<Rest>,
        /// The field `result`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub result: Option<ResultObject>,
        /// The field `Self`.
        #[serde(rename = "Self", skip_serializing_if = "Option::is_none")]
        pub self_: Option<String>,
        /// The field `self`.
        #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
        pub self_2: Option<String>,
        /// The field `self_type`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub self_type: Option<Self_>,
        /// The field `send`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub send: Option<Send>,
        /// The field `serialize`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub serialize: Option<Serialize>,
        /// The field `slashed`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub slashed: Option<Ab>,
        /// The field `str`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub str: Option<Str>,
        /// The field `string`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub string: Option<StringObject>,
        /// The field `thing_kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub thing_kind: Option<StringObject>,
        /// The field `type`.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        pub type_: Option<String>,
        /// The field `vec`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub vec: Option<VecObject>,
        /// The field ``.
        #[serde(rename = "", skip_serializing_if = "Option::is_none")]
        pub x: Option<String>,
        /// The field `½`.
        #[serde(rename = "½", skip_serializing_if = "Option::is_none")]
        pub x_2: Option<String>,
        /// The field `ⓐ`.
        #[serde(rename = "ⓐ", skip_serializing_if = "Option::is_none")]
        pub x_3: Option<String>,
        /// The field `3d`.
        #[serde(rename = "3d", skip_serializing_if = "Option::is_none")]
        pub x3d: Option<String>,
        /// The field `_3d`.
        #[serde(rename = "_3d", skip_serializing_if = "Option::is_none")]
        pub x3d_2: Option<X3d>,
        /// The field `x_3d`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub x_3d: Option<X3d2>,
        /// The field `ünïcode`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ünïcode: Option<String>,
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
    pub struct ThingProperties {
        /// The field `properties`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub properties: Option<String>,
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
    pub struct VecObject {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct X3d {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
    pub struct X3d2 {
        /// The field `a`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
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
            area_m: None,
            x: None,
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
            rest: self.target.clone(),
            timeout: None,
            a_b: a_b.into(),
            body: None,
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
    id: String,
    area_m: Option<String>,
    x: Option<String>,
}

#[allow(dead_code)]
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
            .query("area_m²", &self.area_m)
            .query("½", &self.x)
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

/// The call that [`Api::put_x_a_a_b`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutXAAB {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    a_b: String,
    body: Option<types::PutXaabBody>,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code)]
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
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = ::podqueue::rest::call::RestCall::new("put_x_a_a_b", "PUT")
            .literal("/$x/a/")
            .parameter("a_b", &self.a_b)
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for PutXAAB {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
