/// What the calls send and answer with.
pub mod types {
    /// How much.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Level {
        /// `low`.
        Low,
        /// `high`.
        High,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Level {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Low => "low",
                Self::High => "high",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Level {
        fn from(value: &str) -> Self {
            match value {
                "low" => Self::Low,
                "high" => Self::High,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    impl From<String> for Level {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for Level {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for Level {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for Level {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for Level {
        fn deserialize<D: ::podqueue::__private::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::std::result::Result<Self, D::Error> {
            let value: String = ::podqueue::__private::serde::Deserialize::deserialize(
                deserializer,
            )?;
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingOdd {
        /// `a-b`.
        AB,
        /// `a_b`.
        AB2,
        /// ``.
        X,
        /// `+1`.
        Plus1,
        /// `-1`.
        Minus1,
        /// `1`.
        _1,
        /// `>`.
        X2,
        /// `self`.
        Self_,
        /// `Self`.
        Self2,
        /// `other`.
        Other,
        /// `NaN`.
        NaN,
        /// `é`.
        É,
        /// `two words`.
        TwoWords,
        /// A value that was not known when this was generated.
        Other2(String),
    }

    impl ThingOdd {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::AB => "a-b",
                Self::AB2 => "a_b",
                Self::X => "",
                Self::Plus1 => "+1",
                Self::Minus1 => "-1",
                Self::_1 => "1",
                Self::X2 => ">",
                Self::Self_ => "self",
                Self::Self2 => "Self",
                Self::Other => "other",
                Self::NaN => "NaN",
                Self::É => "é",
                Self::TwoWords => "two words",
                Self::Other2(value) => value,
            }
        }
    }

    impl From<&str> for ThingOdd {
        fn from(value: &str) -> Self {
            match value {
                "a-b" => Self::AB,
                "a_b" => Self::AB2,
                "" => Self::X,
                "+1" => Self::Plus1,
                "-1" => Self::Minus1,
                "1" => Self::_1,
                ">" => Self::X2,
                "self" => Self::Self_,
                "Self" => Self::Self2,
                "other" => Self::Other,
                "NaN" => Self::NaN,
                "é" => Self::É,
                "two words" => Self::TwoWords,
                other => Self::Other2(other.to_owned()),
            }
        }
    }

    impl From<String> for ThingOdd {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for ThingOdd {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for ThingOdd {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for ThingOdd {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for ThingOdd {
        fn deserialize<D: ::podqueue::__private::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::std::result::Result<Self, D::Error> {
            let value: String = ::podqueue::__private::serde::Deserialize::deserialize(
                deserializer,
            )?;
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingTwice {
        /// `A`.
        A,
        /// `B`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingTwice {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "A",
                Self::B => "B",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingTwice {
        fn from(value: &str) -> Self {
            match value {
                "A" => Self::A,
                "B" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    impl From<String> for ThingTwice {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for ThingTwice {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for ThingTwice {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for ThingTwice {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for ThingTwice {
        fn deserialize<D: ::podqueue::__private::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::std::result::Result<Self, D::Error> {
            let value: String = ::podqueue::__private::serde::Deserialize::deserialize(
                deserializer,
            )?;
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingUntyped {
        /// `up`.
        Up,
        /// `down`.
        Down,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingUntyped {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Up => "up",
                Self::Down => "down",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingUntyped {
        fn from(value: &str) -> Self {
            match value {
                "up" => Self::Up,
                "down" => Self::Down,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    impl From<String> for ThingUntyped {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for ThingUntyped {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for ThingUntyped {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for ThingUntyped {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for ThingUntyped {
        fn deserialize<D: ::podqueue::__private::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::std::result::Result<Self, D::Error> {
            let value: String = ::podqueue::__private::serde::Deserialize::deserialize(
                deserializer,
            )?;
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingWithNull {
        /// `A`.
        A,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingWithNull {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "A",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingWithNull {
        fn from(value: &str) -> Self {
            match value {
                "A" => Self::A,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    impl From<String> for ThingWithNull {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for ThingWithNull {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for ThingWithNull {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for ThingWithNull {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for ThingWithNull {
        fn deserialize<D: ::podqueue::__private::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::std::result::Result<Self, D::Error> {
            let value: String = ::podqueue::__private::serde::Deserialize::deserialize(
                deserializer,
            )?;
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `empty`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub empty: Option<String>,
        /// The field `list`.
        #[serde(
            default,
            deserialize_with = "::podqueue::__private::lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub list: Vec<Level>,
        /// The field `mixed`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mixed: Option<::serde_json::Value>,
        /// How much.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub named: Option<Level>,
        /// The field `numbers`.
        #[serde(
            default,
            deserialize_with = "::podqueue::__private::lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub numbers: Option<i64>,
        /// The field `numbers_as_text`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub numbers_as_text: Option<String>,
        /// The field `odd`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub odd: Option<ThingOdd>,
        /// The field `twice`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub twice: Option<ThingTwice>,
        /// The field `untyped`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub untyped: Option<ThingUntyped>,
        /// The field `with_null`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub with_null: Option<ThingWithNull>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("empty", &self.empty)
                .field("list", &self.list)
                .field("mixed", &format_args!("[redacted]"))
                .field("named", &self.named)
                .field("numbers", &self.numbers)
                .field("numbers_as_text", &self.numbers_as_text)
                .field("odd", &self.odd)
                .field("twice", &self.twice)
                .field("untyped", &self.untyped)
                .field("with_null", &self.with_null)
                .finish()
        }
    }
}

impl Rest {
    /// Reads a thing.
    ///
    /// `GET /things/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_thing(&self, id: impl Into<String>) -> GetThing {
        GetThing {
            rest: self.clone(),
            id: id.into(),
        }
    }
}

/// The call that [`Rest::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    rest: Rest,
    id: String,
}

impl GetThing {
    /// Sends the request and reads the answer. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = crate::rest::call::RestCall::new("get_thing", "GET")
            .literal("/things/")
            .parameter("id", &self.id);
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
