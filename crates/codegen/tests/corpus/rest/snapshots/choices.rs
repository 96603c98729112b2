/// What the calls send and answer with.
#[allow(dead_code)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::podqueue::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum CatOrDogKind {
        /// `cat`.
        Cat,
        /// `dog`.
        Dog,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl CatOrDogKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Cat => "cat",
                Self::Dog => "dog",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for CatOrDogKind {
        fn from(value: &str) -> Self {
            match value {
                "cat" => Self::Cat,
                "dog" => Self::Dog,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(CatOrDogKind);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingChoiceOfOneKind {
        /// `cat`.
        Cat,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingChoiceOfOneKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Cat => "cat",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingChoiceOfOneKind {
        fn from(value: &str) -> Self {
            match value {
                "cat" => Self::Cat,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(ThingChoiceOfOneKind);

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

    ::podqueue::__private::open_enum!(ThingListedOrFree);

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
    pub struct CatOrDog {
        /// The field `barks`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub barks: Option<bool>,
        /// The field `friend`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub friend: Option<Box<CatOrDog>>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<CatOrDogKind>,
        /// The field `lives`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub lives: Option<i64>,
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
    pub struct Expression {
        /// The field `left`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub left: Option<Box<Expression>>,
        /// The field `right`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub right: Option<Box<Expression>>,
        /// The field `value`.
        #[serde(
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub value: Option<f64>,
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
    pub struct Other {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
    }

    /// One of several shapes.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum StringOrNumber {
        /// A number.
        Number(f64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
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
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum StringOrOther {
        /// One of the shapes.
        Other(Other),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other2(::podqueue::__private::serde_json::Value),
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
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum StringOrStringList {
        /// A list.
        Array(Vec<String>),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
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
        /// The field `any`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub any: Option<::podqueue::__private::serde_json::Value>,
        /// The field `any_shape`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub any_shape: Option<ThingAnyShape>,
        /// The field `choice_of_one`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub choice_of_one: Option<ThingChoiceOfOne>,
        /// The field `conditional`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub conditional: Option<ThingConditional>,
        /// The field `decided`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub decided: Option<i64>,
        /// The field `expression`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expression: Option<Box<Expression>>,
        /// The field `listed_or_free`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub listed_or_free: Option<ThingListedOrFree>,
        /// The field `not_text`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub not_text: Option<::podqueue::__private::serde_json::Value>,
        /// The field `numbers`.
        #[serde(
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub numbers: Option<f64>,
        /// The field `one_of_one`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub one_of_one: Option<String>,
        /// The field `pet`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pet: Option<Box<CatOrDog>>,
        /// The field `pets`.
        #[serde(
            default,
            deserialize_with = "lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub pets: Vec<CatOrDog>,
        /// One or several.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text_or_list: Option<StringOrStringList>,
        /// The field `text_or_number`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text_or_number: Option<StringOrNumber>,
        /// The field `text_or_other`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text_or_other: Option<StringOrOther>,
        /// The field `text_or_part`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text_or_part: Option<ThingTextOrPart>,
        /// The field `with_fields`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub with_fields: Option<ThingWithFields>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("any", &format_args!("[redacted]"))
                .field("any_shape", &self.any_shape)
                .field("choice_of_one", &self.choice_of_one)
                .field("conditional", &self.conditional)
                .field("decided", &self.decided)
                .field("expression", &self.expression)
                .field("listed_or_free", &self.listed_or_free)
                .field("not_text", &format_args!("[redacted]"))
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

    /// One of several shapes.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum ThingAnyShape {
        /// A list.
        Array(Vec<::podqueue::__private::serde_json::Value>),
        /// A whole number.
        Integer(i64),
        /// An object.
        Object(
            ::podqueue::__private::serde_json::Map<
                String,
                ::podqueue::__private::serde_json::Value,
            >,
        ),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
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

    impl ::std::convert::From<Vec<::podqueue::__private::serde_json::Value>>
    for ThingAnyShape {
        fn from(value: Vec<::podqueue::__private::serde_json::Value>) -> Self {
            Self::Array(value)
        }
    }

    impl ::std::convert::From<i64> for ThingAnyShape {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }

    impl ::std::convert::From<
        ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
    > for ThingAnyShape {
        fn from(
            value: ::podqueue::__private::serde_json::Map<
                String,
                ::podqueue::__private::serde_json::Value,
            >,
        ) -> Self {
            Self::Object(value)
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
    pub struct ThingChoiceOfOne {
        /// The field `extra`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub extra: Option<String>,
        /// The field `friend`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub friend: Option<Box<CatOrDog>>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<ThingChoiceOfOneKind>,
        /// The field `lives`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub lives: Option<i64>,
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
    pub struct ThingConditional {
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
    pub enum ThingTextOrPart {
        /// An object.
        Object {
            /// The field `id`.
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
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
    pub struct ThingWithFields {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
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
