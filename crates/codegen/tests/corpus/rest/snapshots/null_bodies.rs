/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct MaybeOwner {
        /// The field `name`.
        pub name: Option<String>,
    }

    impl MaybeOwner {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: Option<String>) -> MaybeOwner {
                MaybeOwner { name }
            }
            make(Some(name.into()))
        }
    }

    __runtime::__private::object! {
        MaybeOwner {
            0 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Owner {
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        Owner {
            0 "name" name text optional;
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
    /// `DELETE /flag`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn flag(&self, body: impl Into<Option<bool>>) -> Flag {
        Flag {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /form`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn form(&self, body: impl Into<types::Owner>) -> Form {
        Form {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /name`
    pub fn name(&self) -> Name {
        Name {
            service: self.service.clone(),
            timeout: None,
            body: None,
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /named`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn named(&self, body: impl Into<Option<types::MaybeOwner>>) -> Named {
        Named {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PATCH /owner`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn owner(&self, body: impl Into<Option<types::Owner>>) -> Owner {
        Owner {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /size`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn size(&self, body: impl Into<Option<i64>>) -> Size {
        Size {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /word`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn word(&self, body: impl Into<Option<String>>) -> Word {
        Word {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }
}

/// The call that [`Api::flag`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Flag {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<bool>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Flag {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("flag", "DELETE")
            .literal("/flag")
            .json(Some(&self.body), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Flag {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::form`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Form {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Owner,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Form {
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
        __runtime::__private::rest::RestCall::new("form", "PUT")
            .literal("/form")
            .form(Some(&self.body), &self.changes, &[])
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Form {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::name`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Name {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<Option<String>>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Name {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<Option<String>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("name", "PUT")
            .literal("/name")
            .json(self.body.as_ref(), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Name {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::named`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Named {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::MaybeOwner>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Named {
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
    pub fn send(self) -> __runtime::__private::Sending<Option<types::MaybeOwner>> {
        __runtime::__private::rest::RestCall::new("named", "PUT")
            .literal("/named")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Named {
    type Output = __runtime::Result<Option<types::MaybeOwner>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::MaybeOwner>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::owner`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Owner {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::Owner>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Owner {
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
        __runtime::__private::rest::RestCall::new("owner", "PATCH")
            .literal("/owner")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Owner {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::size`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Size {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Size {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("size", "PUT")
            .literal("/size")
            .json(Some(&self.body), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Size {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::word`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Word {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Word {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<String>> {
        __runtime::__private::rest::RestCall::new("word", "POST")
            .literal("/word")
            .json(Some(&self.body), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Word {
    type Output = __runtime::Result<Option<String>>;
    type IntoFuture = __runtime::__private::Sending<Option<String>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
