/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
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
        PartialEq,
        Default
    )]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Received {
        /// The field `name`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub name: Option<String>,
        /// All that has no field of its own. What is not of this type is left out.
        #[serde(
            flatten,
            deserialize_with = "lenient::shape::further::<lenient::shape::Text<String>,_>"
        )]
        pub extra: HashMap<String, String>,
    }

    impl ::std::fmt::Debug for Received {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Received")
                .field("name", &self.name)
                .field("extra", &::podqueue::__private::Untyped(&self.extra))
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Sent {
        /// The field `name`.
        pub name: String,
        /// All that has no field of its own. What is not of this type is left out.
        #[serde(
            flatten,
            deserialize_with = "lenient::shape::further::<lenient::shape::Text<String>,_>"
        )]
        pub extra: HashMap<String, String>,
    }

    impl Sent {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: String) -> Sent {
                Sent {
                    name,
                    extra: ::std::default::Default::default(),
                }
            }
            make(name.into())
        }
    }

    impl ::std::fmt::Debug for Sent {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Sent")
                .field("name", &self.name)
                .field("extra", &::podqueue::__private::Untyped(&self.extra))
                .finish()
        }
    }

    /// One of several shapes.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum StringOrInteger {
        /// A whole number.
        Integer(i64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrInteger {
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

    impl ::std::convert::From<i64> for StringOrInteger {
        fn from(value: i64) -> Self {
            Self::Integer(value)
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
    /// `PUT /beside`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn beside(&self, body: impl Into<types::Sent>) -> Beside {
        Beside {
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /several`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn several(
        &self,
        body: ::std::collections::HashMap<String, types::StringOrInteger>,
    ) -> Several {
        Several {
            rest: self.target.clone(),
            timeout: None,
            body,
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }
}

/// The call that [`Api::beside`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Beside {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::Sent,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Beside {
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
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Received> {
        ::podqueue::rest::call::RestCall::new("beside", "PUT")
            .literal("/beside")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for Beside {
    type Output = ::podqueue::Result<types::Received>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Received>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::several`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Several {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: ::std::collections::HashMap<String, types::StringOrInteger>,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Several {
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
        ::podqueue::rest::call::RestCall::new("several", "PUT")
            .literal("/several")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Several {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
