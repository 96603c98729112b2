/// What the calls send and answer with.
pub mod types {
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `labels`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub labels: HashMap<String, String>,
        /// What it is called.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `nothing`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub nothing: Option<::serde_json::Value>,
        /// The field `only`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub only: Option<bool>,
        /// The field `parent`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parent: Option<ThingParent>,
        /// The field `size`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub size: Option<i64>,
        /// The field `tags`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::List<lenient::shape::Nullable<lenient::shape::Plain<String>>>,_>",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub tags: Vec<Option<String>>,
        /// A number or a name.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub version: Option<ThingVersion>,
        /// The field `whatever`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub whatever: Option<::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("labels", &self.labels)
                .field("name", &self.name)
                .field("nothing", &format_args!("[redacted]"))
                .field("only", &self.only)
                .field("parent", &self.parent)
                .field("size", &self.size)
                .field("tags", &self.tags)
                .field("version", &self.version)
                .field("whatever", &format_args!("[redacted]"))
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingParent {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
    }

    /// A number or a name.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, PartialEq)]
    #[serde(untagged)]
    #[non_exhaustive]
    pub enum ThingVersion {
        /// A whole number.
        Integer(i64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::serde_json::Value),
    }

    impl ::std::fmt::Debug for ThingVersion {
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

    impl ::std::convert::From<i64> for ThingVersion {
        fn from(value: i64) -> Self {
            Self::Integer(value)
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
            timeout: None,
            id: id.into(),
        }
    }
}

/// The call that [`Rest::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
    id: String,
}

impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = crate::rest::call::RestCall::new("get_thing", "GET")
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
