/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Around {
        /// The field `api`.
        pub api: Option<AroundApi>,
    }

    __runtime::__private::object! {
        Around {
            0 "api" api plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct AroundApi {
        /// The field `api`.
        pub api: Option<First2>,
        /// The field `more`.
        pub more: Option<String>,
    }

    __runtime::__private::object! {
        AroundApi {
            0 "api" api plain optional;
            1 "more" more text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct First {
        /// The field `second`.
        pub second: Option<Box<Second>>,
    }

    __runtime::__private::object! {
        First {
            0 "second" second plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct First2 {
        /// The field `api`.
        pub api: Option<Box<First2>>,
        /// The field `more`.
        pub more: Option<String>,
        /// The field `second`.
        pub second: Option<Second>,
    }

    __runtime::__private::object! {
        First2 {
            0 "api" api plain optional;
            1 "more" more text optional;
            2 "second" second plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct LeafWithAge {
        /// The field `age`.
        pub age: Option<i64>,
        /// The field `child`.
        pub child: Option<NodeWithEdge>,
        /// The field `cousin`.
        pub cousin: Option<LeafWithDegree>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `trees`.
        pub trees: Vec<LeafWithAge>,
    }

    __runtime::__private::object! {
        LeafWithAge {
            0 "age" age integer optional;
            1 "child" child plain optional;
            2 "cousin" cousin plain optional;
            3 "name" name text optional;
            4 "trees" trees list optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct LeafWithDegree {
        /// The field `child`.
        pub child: Option<NodeWithEdge>,
        /// The field `cousin`.
        pub cousin: Option<Box<LeafWithDegree>>,
        /// The field `degree`.
        pub degree: Option<i64>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `trees`.
        pub trees: Vec<LeafWithAge>,
    }

    __runtime::__private::object! {
        LeafWithDegree {
            0 "child" child plain optional;
            1 "cousin" cousin plain optional;
            2 "degree" degree integer optional;
            3 "name" name text optional;
            4 "trees" trees list optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Node {
        /// The field `child`.
        pub child: Option<NodeWithEdge>,
        /// The field `cousin`.
        pub cousin: Option<LeafWithDegree>,
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        Node {
            0 "child" child plain optional;
            1 "cousin" cousin plain optional;
            2 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct NodeWithEdge {
        /// The field `child`.
        pub child: Option<Box<NodeWithEdge>>,
        /// The field `cousin`.
        pub cousin: Option<Box<LeafWithDegree>>,
        /// The field `edge`.
        pub edge: Option<String>,
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        NodeWithEdge {
            0 "child" child plain optional;
            1 "cousin" cousin plain optional;
            2 "edge" edge text optional;
            3 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Second {
        /// The field `first`.
        pub first: Option<First>,
    }

    __runtime::__private::object! {
        Second {
            0 "first" first plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `all`.
        pub all: Vec<Thing>,
        /// The field `around`.
        pub around: Option<Around>,
        /// The field `first`.
        pub first: Option<First>,
        /// The field `inner`.
        pub inner: Option<ThingInner>,
        /// The field `left`.
        pub left: Option<Box<Thing>>,
        /// The field `named`.
        pub named: HashMap<String, Thing>,
        /// The field `node`.
        pub node: Option<Node>,
    }

    __runtime::__private::object! {
        Thing {
            0 "all" all list optional;
            1 "around" around plain optional;
            2 "first" first plain optional;
            3 "inner" inner plain optional;
            4 "left" left plain optional;
            5 "named" named map optional;
            6 "node" node plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingInner {
        /// The field `back`.
        pub back: Option<Box<Thing>>,
    }

    __runtime::__private::object! {
        ThingInner {
            0 "back" back plain optional;
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
