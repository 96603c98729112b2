/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::podqueue::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum State {
        /// `on`.
        On,
        /// `off`.
        Off,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl State {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::On => "on",
                Self::Off => "off",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for State {
        fn from(value: &str) -> Self {
            match value {
                "on" => Self::On,
                "off" => Self::Off,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(State);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Item {
        /// The field `id`.
        pub id: Option<String>,
        /// The field `name`.
        pub name: Option<String>,
    }

    impl Item {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: Option<String>) -> Item {
                Item {
                    name,
                    id: ::std::default::Default::default(),
                }
            }
            make(Some(name.into()))
        }
    }

    ::podqueue::__private::object! {
        Item {
            0 "id" id text optional;
            1 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct NewOrder {
        /// The field `base`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub base: Option<Item>,
        /// The field `id`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub id: Option<String>,
        /// The field `key`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub key: Option<String>,
        /// The field `made`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub made: Option<State>,
        /// The field `name`.
        pub name: String,
        /// The field `state`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub state: Option<State>,
    }

    impl NewOrder {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: String) -> NewOrder {
                NewOrder {
                    name,
                    base: ::std::default::Default::default(),
                    id: ::std::default::Default::default(),
                    key: ::std::default::Default::default(),
                    made: ::std::default::Default::default(),
                    state: ::std::default::Default::default(),
                }
            }
            make(name.into())
        }
    }
}

/// The operations of the description. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    target: ::podqueue::rest::call::Target,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Api {
    /// Calls the service at the client's [`rest_url`](::podqueue::ClientBuilder::rest_url), with the client's key. If that URL has no path, `/v1` is added, where the paths of the description begin; to an [`exact_rest_url`](::podqueue::ClientBuilder::exact_rest_url) nothing is.
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

    /// Prepares a call.
    ///
    /// `POST /items`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn add_item(&self, body: impl Into<types::Item>) -> AddItem {
        AddItem {
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /orders`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn add_order(&self, body: impl Into<types::NewOrder>) -> AddOrder {
        AddOrder {
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }
}

/// The call that [`Api::add_item`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct AddItem {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::Item,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl AddItem {
    /// Sends null for a field of the body, where `None` would omit it.
    ///
    /// The place is written with the names of the interface: `name`, `env[0].note`. Sending
    /// fails where the body has no such place.
    pub fn null(self, place: impl Into<String>) -> Self {
        self.set(place, ())
    }

    /// Sets a field of the body to any value: an empty list, which would be omitted, or a
    /// field that the type does not have. The place is written as for [`null`](Self::null).
    pub fn set(
        mut self,
        place: impl Into<String>,
        value: impl ::podqueue::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Item> {
        ::podqueue::rest::call::RestCall::new("add_item", "POST")
            .literal("/items")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for AddItem {
    type Output = ::podqueue::Result<types::Item>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Item>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::add_order`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct AddOrder {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::NewOrder,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl AddOrder {
    /// Sends null for a field of the body, where `None` would omit it.
    ///
    /// The place is written with the names of the interface: `name`, `env[0].note`. Sending
    /// fails where the body has no such place.
    pub fn null(self, place: impl Into<String>) -> Self {
        self.set(place, ())
    }

    /// Sets a field of the body to any value: an empty list, which would be omitted, or a
    /// field that the type does not have. The place is written as for [`null`](Self::null).
    pub fn set(
        mut self,
        place: impl Into<String>,
        value: impl ::podqueue::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("add_order", "POST")
            .literal("/orders")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for AddOrder {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
