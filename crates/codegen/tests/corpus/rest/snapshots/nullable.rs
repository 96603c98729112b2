/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingColor {
        /// `red`.
        Red,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingColor {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Red => "red",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingColor {
        fn from(value: &str) -> Self {
            match value {
                "red" => Self::Red,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingColor);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Part {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        Part {
            0 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `color`.
        pub color: Option<ThingColor>,
        /// The field `counts`.
        pub counts: Vec<i64>,
        /// The field `either`.
        pub either: Option<String>,
        /// The field `list`.
        pub list: Vec<f64>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `odd`.
        pub odd: Option<__runtime::__private::serde_json::Value>,
        /// Perhaps a part.
        pub part: Option<Part>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("color", &self.color)
                .field("counts", &self.counts)
                .field("either", &self.either)
                .field("list", &self.list)
                .field("name", &self.name)
                .field("odd", &__runtime::__private::Untyped(&self.odd))
                .field("part", &self.part)
                .finish()
        }
    }

    __runtime::__private::object! {
        Thing {
            0 "color" color text optional;
            1 "counts" counts shaped < lenient::shape::List < lenient::shape::Integer < i64 >> > optional;
            2 "either" either text optional;
            3 "list" list shaped < lenient::shape::List < lenient::shape::Number > > optional;
            4 "name" name text optional;
            5 "odd" odd plain optional;
            6 "part" part plain optional;
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
    pub fn send(self) -> __runtime::__private::Sending<Option<types::Thing>> {
        __runtime::__private::rest::RestCall::new("get_thing", "GET")
            .literal("/things/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = __runtime::Result<Option<types::Thing>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::Thing>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
