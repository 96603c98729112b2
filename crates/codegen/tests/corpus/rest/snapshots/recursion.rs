/// What the calls send and answer with.
#[allow(dead_code)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

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
    pub struct Around {
        /// The field `api`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub api: Option<AroundApi>,
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
    pub struct AroundApi {
        /// The field `api`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub api: Option<First2>,
        /// The field `more`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub more: Option<String>,
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
    pub struct First {
        /// The field `second`.
        #[serde(default)]
        pub second: Box<Option<Second>>,
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
    pub struct First2 {
        /// The field `api`.
        #[serde(default)]
        pub api: Box<Option<First2>>,
        /// The field `more`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub more: Option<String>,
        /// The field `second`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second: Option<Second>,
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
    pub struct LeafWithAge {
        /// The field `age`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub age: Option<i64>,
        /// The field `child`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub child: Option<NodeWithEdge>,
        /// The field `cousin`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cousin: Option<LeafWithDegree>,
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `trees`.
        #[serde(
            default,
            deserialize_with = "lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub trees: Vec<LeafWithAge>,
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
    pub struct LeafWithDegree {
        /// The field `child`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub child: Option<NodeWithEdge>,
        /// The field `cousin`.
        #[serde(default)]
        pub cousin: Box<Option<LeafWithDegree>>,
        /// The field `degree`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub degree: Option<i64>,
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `trees`.
        #[serde(
            default,
            deserialize_with = "lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub trees: Vec<LeafWithAge>,
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
    pub struct Node {
        /// The field `child`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub child: Option<NodeWithEdge>,
        /// The field `cousin`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cousin: Option<LeafWithDegree>,
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
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
    pub struct NodeWithEdge {
        /// The field `child`.
        #[serde(default)]
        pub child: Box<Option<NodeWithEdge>>,
        /// The field `cousin`.
        #[serde(default)]
        pub cousin: Box<Option<LeafWithDegree>>,
        /// The field `edge`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub edge: Option<String>,
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
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
    pub struct Second {
        /// The field `first`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first: Option<First>,
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
        /// The field `all`.
        #[serde(
            default,
            deserialize_with = "lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub all: Vec<Thing>,
        /// The field `around`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub around: Option<Around>,
        /// The field `first`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first: Option<First>,
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
        /// The field `node`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub node: Option<Node>,
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
    pub struct ThingInner {
        /// The field `back`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub back: Option<Box<Thing>>,
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
