/// What the calls send and answer with.
pub mod types {
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct First {
        /// The field `second`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second: Option<Second>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Second {
        /// The field `first`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first: Option<Box<First>>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `all`.
        #[serde(
            default,
            deserialize_with = "lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub all: Vec<Thing>,
        /// The field `first`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first: Option<Box<First>>,
        /// The field `inner`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub inner: Option<ThingInner>,
        /// The field `left`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub left: Option<Box<Thing>>,
        /// The field `named`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub named: HashMap<String, Thing>,
    }

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingInner {
        /// The field `back`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub back: Option<Box<Thing>>,
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
