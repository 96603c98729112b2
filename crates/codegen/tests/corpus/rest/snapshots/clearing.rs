/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Change {
        /// The field `labels`.
        pub labels: HashMap<String, String>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `parts`.
        pub parts: Vec<ChangePartsItem>,
        /// The field `tags`.
        pub tags: Vec<String>,
    }

    ::podqueue::__private::object! {
        Change {
            0 "labels" labels shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            1 "name" name text optional;
            2 "parts" parts list optional;
            3 "tags" tags shaped < lenient::shape::List < lenient::shape::Text < String >> > optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ChangePartsItem {
        /// The field `note`.
        pub note: Option<String>,
    }

    ::podqueue::__private::object! {
        ChangePartsItem {
            0 "note" note text optional;
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
    /// `PATCH /optional`
    pub fn patch_optional(&self) -> PatchOptional {
        PatchOptional {
            rest: self.target.clone(),
            timeout: None,
            body: None,
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PATCH /thing`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn patch_thing(&self, body: impl Into<types::Change>) -> PatchThing {
        PatchThing {
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }
}

/// The call that [`Api::patch_optional`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchOptional {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: Option<types::Change>,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PatchOptional {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::Change>) -> Self {
        self.body = Some(body.into());
        self
    }

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
        ::podqueue::rest::call::RestCall::new("patch_optional", "PATCH")
            .literal("/optional")
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for PatchOptional {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::patch_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchThing {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::Change,
    changes: ::podqueue::rest::call::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PatchThing {
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
        ::podqueue::rest::call::RestCall::new("patch_thing", "PATCH")
            .literal("/thing")
            .json_as("application/merge-patch+json", Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for PatchThing {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
