/// What the calls send and answer with.
pub mod types {
    /// A status.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Status {
        /// `up`.
        Up,
        /// `down`.
        Down,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Status {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Up => "up",
                Self::Down => "down",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Status {
        fn from(value: &str) -> Self {
            match value {
                "up" => Self::Up,
                "down" => Self::Down,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    impl From<String> for Status {
        fn from(value: String) -> Self {
            Self::from(value.as_str())
        }
    }

    impl ::std::str::FromStr for Status {
        type Err = ::std::convert::Infallible;

        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, ::std::convert::Infallible> {
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    impl ::std::fmt::Display for Status {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.pad(self.as_str())
        }
    }

    impl ::podqueue::__private::serde::Serialize for Status {
        fn serialize<S: ::podqueue::__private::serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::std::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> ::podqueue::__private::serde::Deserialize<'de> for Status {
        fn deserialize<D: ::podqueue::__private::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::std::result::Result<Self, D::Error> {
            let value: String = ::podqueue::__private::serde::Deserialize::deserialize(
                deserializer,
            )?;
            ::std::result::Result::Ok(Self::from(value))
        }
    }

    /// A part.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The first part.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first: Option<Part>,
        /// A part.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fourth: Option<ThingFourth>,
        /// What it is called.
        #[serde(
            default,
            deserialize_with = "::podqueue::__private::lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub list: Vec<String>,
        /// A part.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second: Option<Part>,
        /// How it is doing.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub status: Option<Status>,
        /// The third part.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub third: Option<Part>,
    }

    /// A part.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingFourth {
        /// The field `extra`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub extra: Option<String>,
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
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
