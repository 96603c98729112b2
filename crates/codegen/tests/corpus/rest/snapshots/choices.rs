// tests/corpus/rest/choices.yaml:43:5: the choice between Literal and Sum is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
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
    pub enum CatKind {
        /// `cat`.
        Cat,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl CatKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Cat => "cat",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for CatKind {
        fn from(value: &str) -> Self {
            match value {
                "cat" => Self::Cat,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(CatKind);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum DogKind {
        /// `dog`.
        Dog,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl DogKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Dog => "dog",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for DogKind {
        fn from(value: &str) -> Self {
            match value {
                "dog" => Self::Dog,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(DogKind);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingListedOrFree {
        /// `a`.
        A,
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingListedOrFree {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingListedOrFree {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingListedOrFree);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Cat {
        /// The field `friend`.
        pub friend: Option<CatOrDog>,
        /// The field `kind`.
        pub kind: Option<CatKind>,
        /// The field `lives`.
        pub lives: Option<i64>,
    }

    __runtime::__private::object! {
        Cat {
            0 "friend" friend plain optional;
            1 "kind" kind text optional;
            2 "lives" lives integer optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum CatOrDog {
        /// Where `kind` is `cat`.
        Cat(Box<Cat>),
        /// Where `kind` is `dog`.
        Dog(Dog),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for CatOrDog {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Cat(value_0) => f.debug_tuple("Cat").field(value_0).finish(),
                Self::Dog(value_0) => f.debug_tuple("Dog").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Cat> for CatOrDog {
        fn from(value: Cat) -> Self {
            Self::Cat(Box::new(value))
        }
    }

    impl From<Dog> for CatOrDog {
        fn from(value: Dog) -> Self {
            Self::Dog(value)
        }
    }

    __runtime::__private::union! {
        CatOrDog Other { 0 Cat[{ "kind"[Text("cat")];;; }] []; 1 Dog[{
        "kind"[Text("dog")];;; }] []; }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Dog {
        /// The field `barks`.
        pub barks: Option<bool>,
        /// The field `friend`.
        pub friend: Option<Box<CatOrDog>>,
        /// The field `kind`.
        pub kind: Option<DogKind>,
    }

    __runtime::__private::object! {
        Dog {
            0 "barks" barks boolean optional;
            1 "friend" friend plain optional;
            2 "kind" kind text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Expression {
        /// The field `left`.
        pub left: Option<Box<Expression>>,
        /// The field `right`.
        pub right: Option<Box<Expression>>,
        /// The field `value`.
        pub value: Option<f64>,
    }

    __runtime::__private::object! {
        Expression {
            0 "left" left plain optional;
            1 "right" right plain optional;
            2 "value" value number optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Other {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        Other {
            0 "id" id text optional;
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
    pub enum StringOrNumber {
        /// A number.
        Number(f64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrNumber {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Number(value_0) => f.debug_tuple("Number").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<f64> for StringOrNumber {
        fn from(value: f64) -> Self {
            Self::Number(value)
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
    pub enum StringOrOther {
        /// One of the shapes.
        Other(Other),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other2(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrOther {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Other(value_0) => f.debug_tuple("Other").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other2(_) => {
                    f.debug_tuple("Other2").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<Other> for StringOrOther {
        fn from(value: Other) -> Self {
            Self::Other(value)
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
    pub enum StringOrStringList {
        /// A list.
        Array(Vec<String>),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrStringList {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Array(value_0) => f.debug_tuple("Array").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<Vec<String>> for StringOrStringList {
        fn from(value: Vec<String>) -> Self {
            Self::Array(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `any`.
        pub any: Option<__runtime::__private::serde_json::Value>,
        /// The field `any_shape`.
        pub any_shape: Option<ThingAnyShape>,
        /// The field `choice_of_one`.
        pub choice_of_one: Option<ThingChoiceOfOne>,
        /// The field `conditional`.
        pub conditional: Option<ThingConditional>,
        /// The field `decided`.
        pub decided: Option<i64>,
        /// The field `expression`.
        pub expression: Option<Box<Expression>>,
        /// The field `listed_or_free`.
        pub listed_or_free: Option<ThingListedOrFree>,
        /// The field `not_text`.
        pub not_text: Option<__runtime::__private::serde_json::Value>,
        /// The field `null_in_each`.
        pub null_in_each: Option<StringOrNumber>,
        /// The field `numbers`.
        pub numbers: Option<f64>,
        /// The field `one_of_one`.
        pub one_of_one: Option<String>,
        /// The field `pet`.
        pub pet: Option<CatOrDog>,
        /// The field `pets`.
        pub pets: Vec<CatOrDog>,
        /// One or several.
        pub text_or_list: Option<StringOrStringList>,
        /// The field `text_or_number`.
        pub text_or_number: Option<StringOrNumber>,
        /// The field `text_or_other`.
        pub text_or_other: Option<StringOrOther>,
        /// The field `text_or_part`.
        pub text_or_part: Option<ThingTextOrPart>,
        /// The field `with_fields`.
        pub with_fields: Option<ThingWithFields>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("any", &__runtime::__private::Untyped(&self.any))
                .field("any_shape", &self.any_shape)
                .field("choice_of_one", &self.choice_of_one)
                .field("conditional", &self.conditional)
                .field("decided", &self.decided)
                .field("expression", &self.expression)
                .field("listed_or_free", &self.listed_or_free)
                .field("not_text", &__runtime::__private::Untyped(&self.not_text))
                .field("null_in_each", &self.null_in_each)
                .field("numbers", &self.numbers)
                .field("one_of_one", &self.one_of_one)
                .field("pet", &self.pet)
                .field("pets", &self.pets)
                .field("text_or_list", &self.text_or_list)
                .field("text_or_number", &self.text_or_number)
                .field("text_or_other", &self.text_or_other)
                .field("text_or_part", &self.text_or_part)
                .field("with_fields", &self.with_fields)
                .finish()
        }
    }

    __runtime::__private::object! {
        Thing {
            0 "any" any plain optional;
            1 "any_shape" any_shape plain optional;
            2 "choice_of_one" choice_of_one plain optional;
            3 "conditional" conditional plain optional;
            4 "decided" decided integer optional;
            5 "expression" expression plain optional;
            6 "listed_or_free" listed_or_free text optional;
            7 "not_text" not_text plain optional;
            8 "null_in_each" null_in_each plain optional;
            9 "numbers" numbers number optional;
            10 "one_of_one" one_of_one text optional;
            11 "pet" pet plain optional;
            12 "pets" pets list optional;
            13 "text_or_list" text_or_list plain optional;
            14 "text_or_number" text_or_number plain optional;
            15 "text_or_other" text_or_other plain optional;
            16 "text_or_part" text_or_part plain optional;
            17 "with_fields" with_fields plain optional;
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
    pub enum ThingAnyShape {
        /// A list.
        Array(Vec<__runtime::__private::serde_json::Value>),
        /// A whole number.
        Integer(i64),
        /// An object.
        Object(
            __runtime::__private::serde_json::Map<
                String,
                __runtime::__private::serde_json::Value,
            >,
        ),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ThingAnyShape {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Array(_) => {
                    f.debug_tuple("Array").field(&format_args!("[redacted]")).finish()
                }
                Self::Integer(value_0) => {
                    f.debug_tuple("Integer").field(value_0).finish()
                }
                Self::Object(_) => {
                    f.debug_tuple("Object").field(&format_args!("[redacted]")).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<Vec<__runtime::__private::serde_json::Value>>
    for ThingAnyShape {
        fn from(value: Vec<__runtime::__private::serde_json::Value>) -> Self {
            Self::Array(value)
        }
    }

    impl ::std::convert::From<i64> for ThingAnyShape {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }

    impl ::std::convert::From<
        __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    > for ThingAnyShape {
        fn from(
            value: __runtime::__private::serde_json::Map<
                String,
                __runtime::__private::serde_json::Value,
            >,
        ) -> Self {
            Self::Object(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingChoiceOfOne {
        /// The field `extra`.
        pub extra: Option<String>,
        /// The field `friend`.
        pub friend: Option<CatOrDog>,
        /// The field `kind`.
        pub kind: Option<CatKind>,
        /// The field `lives`.
        pub lives: Option<i64>,
    }

    __runtime::__private::object! {
        ThingChoiceOfOne {
            0 "extra" extra text optional;
            1 "friend" friend plain optional;
            2 "kind" kind text optional;
            3 "lives" lives integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingConditional {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        ThingConditional {
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
    pub enum ThingTextOrPart {
        /// An object.
        Object {
            /// The field `id`.
            #[serde(
                default,
                deserialize_with = "lenient::text",
                skip_serializing_if = "Option::is_none"
            )]
            id: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ThingTextOrPart {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Object { id: value_0 } => {
                    f.debug_struct("Object").field("id", value_0).finish()
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
    pub struct ThingWithFields {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        ThingWithFields {
            0 "id" id text optional;
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
