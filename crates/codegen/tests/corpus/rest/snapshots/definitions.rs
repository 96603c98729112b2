/// What the calls send and answer with.
pub mod types {
    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Color {
        /// `red`.
        Red,
        /// `green`.
        Green,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Color {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Red => "red",
                Self::Green => "green",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Color {
        fn from(value: &str) -> Self {
            match value {
                "red" => Self::Red,
                "green" => Self::Green,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    impl From<String> for Color {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for Color {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for Color {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for Color {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for Color {
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
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `within`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub within: Option<Box<Part>>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `color`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub color: Option<Color>,
        /// The field `definitions`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub definitions: Option<String>,
        /// The field `inline`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub inline: Option<ThingInline2>,
        /// The field `main`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub main: Option<Box<Part>>,
        /// The field `other`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub other: Option<ThingInline>,
        /// The field `parts`.
        #[serde(
            default,
            deserialize_with = "::podqueue::__private::lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub parts: Vec<Part>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingInline {
        /// The field `weight`.
        #[serde(
            default,
            deserialize_with = "::podqueue::__private::lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub weight: Option<f64>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingInline2 {
        /// The field `weight`.
        #[serde(
            default,
            deserialize_with = "::podqueue::__private::lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub weight: Option<f64>,
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
