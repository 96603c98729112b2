/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct BlankBody {
        /// The field `a`.
        #[serde(default, deserialize_with = "lenient::or_default")]
        pub a: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field ` `.
        #[serde(rename = " ", skip_serializing_if = "Option::is_none")]
        pub x: Option<__runtime::__private::serde_json::Value>,
    }

    impl BlankBody {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(
            a: __runtime::__private::serde_json::Map<
                String,
                __runtime::__private::serde_json::Value,
            >,
        ) -> Self {
            fn make(
                a: __runtime::__private::serde_json::Map<
                    String,
                    __runtime::__private::serde_json::Value,
                >,
            ) -> BlankBody {
                BlankBody {
                    a,
                    x: ::std::default::Default::default(),
                }
            }
            make(a)
        }
    }

    impl ::std::fmt::Debug for BlankBody {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("BlankBody")
                .field("a", &__runtime::__private::Untyped(&self.a))
                .field("x", &__runtime::__private::Untyped(&self.x))
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ListResponseItem {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        ListResponseItem {
            0 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct MakeThingBody {
        /// The field `name`.
        pub name: String,
        /// The field `size`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub size: Option<MakeThingBodySize>,
    }

    impl MakeThingBody {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: String) -> MakeThingBody {
                MakeThingBody {
                    name,
                    size: ::std::default::Default::default(),
                }
            }
            make(name.into())
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct MakeThingBodySize {
        /// The field `height`.
        pub height: Option<i64>,
        /// The field `width`.
        pub width: Option<i64>,
    }

    __runtime::__private::object! {
        MakeThingBodySize {
            0 "height" height integer optional;
            1 "width" width integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeThingResponse {
        /// The field `by_name`.
        pub by_name: HashMap<String, MakeThingResponseByNameValue>,
        /// The field `parts`.
        pub parts: Vec<MakeThingResponsePartsItem>,
        /// The field `size`.
        pub size: Option<MakeThingResponseSize>,
    }

    __runtime::__private::object! {
        MakeThingResponse {
            0 "by_name" by_name map optional;
            1 "parts" parts list optional;
            2 "size" size plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeThingResponseByNameValue {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        MakeThingResponseByNameValue {
            0 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeThingResponsePartsItem {
        /// The field `deep`.
        pub deep: Option<MakeThingResponsePartsItemDeep>,
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        MakeThingResponsePartsItem {
            0 "deep" deep plain optional;
            1 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeThingResponsePartsItemDeep {
        /// The field `er`.
        pub er: Option<MakeThingResponsePartsItemDeepEr>,
    }

    __runtime::__private::object! {
        MakeThingResponsePartsItemDeep {
            0 "er" er plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeThingResponsePartsItemDeepEr {
        /// The field `est`.
        pub est: Option<bool>,
    }

    __runtime::__private::object! {
        MakeThingResponsePartsItemDeepEr {
            0 "est" est boolean optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct MakeThingResponseSize {
        /// The field `width`.
        pub width: Option<i64>,
    }

    __runtime::__private::object! {
        MakeThingResponseSize {
            0 "width" width integer optional;
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
    /// `POST /blank`
    pub fn blank(&self) -> Blank {
        Blank {
            service: self.service.clone(),
            timeout: None,
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /list`
    pub fn list(&self) -> List {
        List {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /things`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn make_thing(&self, body: impl Into<types::MakeThingBody>) -> MakeThing {
        MakeThing {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::blank`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Blank {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::BlankBody>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Blank {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::BlankBody>) -> Self {
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
        __runtime::__private::rest::RestCall::new("blank", "POST")
            .literal("/blank")
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Blank {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::list`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct List {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl List {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::ListResponseItem>> {
        __runtime::__private::rest::RestCall::new("list", "GET")
            .literal("/list")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Plain<types::ListResponseItem>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for List {
    type Output = __runtime::Result<Vec<types::ListResponseItem>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::ListResponseItem>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::make_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct MakeThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::MakeThingBody,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl MakeThing {
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
    pub fn send(self) -> __runtime::__private::Sending<types::MakeThingResponse> {
        __runtime::__private::rest::RestCall::new("make_thing", "POST")
            .literal("/things")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for MakeThing {
    type Output = __runtime::Result<types::MakeThingResponse>;
    type IntoFuture = __runtime::__private::Sending<types::MakeThingResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
