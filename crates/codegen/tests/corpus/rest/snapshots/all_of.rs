/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

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

    __runtime::__private::open_enum!(DeeperKind);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum NarrowKind {
        /// `narrow`.
        Narrow,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl NarrowKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Narrow => "narrow",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for NarrowKind {
        fn from(value: &str) -> Self {
            match value {
                "narrow" => Self::Narrow,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(NarrowKind);

    /// What all have.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Deeper {
        /// The field `daily`.
        pub daily: Option<DeeperDaily>,
        /// What all have.
        pub deep: Option<Box<Deeper>>,
        /// The field `depth`.
        pub depth: Option<i64>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `kind`.
        pub kind: Option<DeeperKind>,
        /// The field `name`.
        pub name: Option<__runtime::__private::serde_json::Value>,
        /// The field `whole`.
        pub whole: Option<DeeperWhole>,
    }

    impl ::std::fmt::Debug for Deeper {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Deeper")
                .field("daily", &self.daily)
                .field("deep", &self.deep)
                .field("depth", &self.depth)
                .field("id", &self.id)
                .field("kind", &self.kind)
                .field("name", &__runtime::__private::Untyped(&self.name))
                .field("whole", &self.whole)
                .finish()
        }
    }

    __runtime::__private::object! {
        Deeper {
            0 "daily" daily plain optional;
            1 "deep" deep plain optional;
            2 "depth" depth integer optional;
            3 "id" id text optional;
            4 "kind" kind text optional;
            5 "name" name plain optional;
            6 "whole" whole plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct DeeperDaily {
        /// The field `limit`.
        pub limit: Option<i64>,
    }

    __runtime::__private::object! {
        DeeperDaily {
            0 "limit" limit integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct DeeperWhole {
        /// The field `a`.
        pub a: Option<i64>,
    }

    __runtime::__private::object! {
        DeeperWhole {
            0 "a" a integer optional;
        }
    }

    /// What all have.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Narrow {
        /// The field `daily`.
        pub daily: Option<NarrowDaily>,
        /// What all have.
        pub deep: Option<Box<Deeper>>,
        /// Its own.
        pub id: Option<String>,
        /// The field `kind`.
        pub kind: Option<NarrowKind>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `whole`.
        pub whole: Option<NarrowWhole>,
    }

    __runtime::__private::object! {
        Narrow {
            0 "daily" daily plain optional;
            1 "deep" deep plain optional;
            2 "id" id text optional;
            3 "kind" kind text optional;
            4 "name" name text optional;
            5 "whole" whole plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct NarrowDaily {
        /// The field `limit`.
        pub limit: Option<i64>,
    }

    __runtime::__private::object! {
        NarrowDaily {
            0 "limit" limit integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct NarrowWhole {
        /// The field `a`.
        pub a: Option<i64>,
    }

    __runtime::__private::object! {
        NarrowWhole {
            0 "a" a integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Seventh {
        /// The field `fifth`.
        pub fifth: Option<bool>,
        /// The field `first`.
        pub first: Option<bool>,
        /// The field `fourth`.
        pub fourth: Option<bool>,
        /// The field `second`.
        pub second: Option<bool>,
        /// The field `seventh`.
        pub seventh: Option<bool>,
        /// The field `sixth`.
        pub sixth: Option<bool>,
        /// The field `third`.
        pub third: Option<bool>,
    }

    __runtime::__private::object! {
        Seventh {
            0 "fifth" fifth boolean optional;
            1 "first" first boolean optional;
            2 "fourth" fourth boolean optional;
            3 "second" second boolean optional;
            4 "seventh" seventh boolean optional;
            5 "sixth" sixth boolean optional;
            6 "third" third boolean optional;
        }
    }

    /// What all have.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `daily`.
        pub daily: Option<ThingDaily>,
        /// What all have.
        pub deep: Option<Box<Deeper>>,
        /// The field `heir`.
        pub heir: Option<Seventh>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `kind`.
        pub kind: Option<DeeperKind>,
        /// What it is called.
        pub name: Option<String>,
        /// What all have.
        pub narrow: Option<Narrow>,
        /// The field `own`.
        pub own: Option<bool>,
        /// The field `whole`.
        pub whole: Option<ThingWhole>,
    }

    __runtime::__private::object! {
        Thing {
            0 "daily" daily plain optional;
            1 "deep" deep plain optional;
            2 "heir" heir plain optional;
            3 "id" id text optional;
            4 "kind" kind text optional;
            5 "name" name text optional;
            6 "narrow" narrow plain optional;
            7 "own" own boolean optional;
            8 "whole" whole plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingDaily {
        /// The field `count`.
        pub count: Option<i64>,
        /// The field `limit`.
        pub limit: Option<i64>,
    }

    __runtime::__private::object! {
        ThingDaily {
            0 "count" count integer optional;
            1 "limit" limit integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ThingWhole {
        /// The field `a`.
        pub a: Option<i64>,
        /// The field `b`.
        pub b: Option<i64>,
    }

    __runtime::__private::object! {
        ThingWhole {
            0 "a" a integer optional;
            1 "b" b integer optional;
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
