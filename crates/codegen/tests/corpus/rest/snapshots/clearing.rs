/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

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

    __runtime::__private::object! {
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

    __runtime::__private::object! {
        ChangePartsItem {
            0 "note" note text optional;
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

    /// Prepares a call.
    ///
    /// `PATCH /optional`
    pub fn patch_optional(&self) -> PatchOptional {
        PatchOptional {
            service: self.service.clone(),
            timeout: None,
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
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
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::patch_optional`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchOptional {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::Change>,
    changes: __runtime::__private::rest::Changes,
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
        value: impl __runtime::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("patch_optional", "PATCH")
            .literal("/optional")
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for PatchOptional {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::patch_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Change,
    changes: __runtime::__private::rest::Changes,
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
        value: impl __runtime::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("patch_thing", "PATCH")
            .literal("/thing")
            .json_as("application/merge-patch+json", Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for PatchThing {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
