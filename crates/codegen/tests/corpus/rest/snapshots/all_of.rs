/// What the calls send and answer with.
pub mod types {
    use ::podqueue::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum DeeperKind {
        /// `a`.
        A,
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl DeeperKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for DeeperKind {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(DeeperKind);

    /// What all have.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Deeper {
        /// What all have.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deep: Option<Box<Deeper>>,
        /// The field `depth`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub depth: Option<i64>,
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<DeeperKind>,
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Deeper {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Deeper")
                .field("deep", &self.deep)
                .field("depth", &self.depth)
                .field("id", &self.id)
                .field("kind", &self.kind)
                .field("name", &format_args!("[redacted]"))
                .finish()
        }
    }

    /// What all have.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// What all have.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deep: Option<Box<Deeper>>,
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<DeeperKind>,
        /// What it is called.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `own`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub own: Option<bool>,
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
