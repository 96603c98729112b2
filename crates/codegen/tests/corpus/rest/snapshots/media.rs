// tests/corpus/rest/media.yaml:20:12: POST /parts: its body is multipart/mixed, which cannot be sent
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
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ChargeBody {
        /// The field `amount`.
        pub amount: i64,
        /// The field `card`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub card: Option<ChargeBodyCard>,
        /// The field `expand`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::List<lenient::shape::Text<String>>,_>",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub expand: Vec<String>,
        /// The field `ids`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::List<lenient::shape::Integer<i64>>,_>",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub ids: Vec<i64>,
        /// The field `memo`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub memo: Option<String>,
        /// The field `plain`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::Integer<i64>>,_>",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub plain: HashMap<String, i64>,
        /// The field `spread`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::Integer<i64>>,_>",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub spread: HashMap<String, i64>,
    }

    impl ChargeBody {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(amount: i64) -> Self {
            fn make(amount: i64) -> ChargeBody {
                ChargeBody {
                    amount,
                    card: ::std::default::Default::default(),
                    expand: ::std::default::Default::default(),
                    ids: ::std::default::Default::default(),
                    memo: ::std::default::Default::default(),
                    plain: ::std::default::Default::default(),
                    spread: ::std::default::Default::default(),
                }
            }
            make(amount)
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
    pub struct ChargeBodyCard {
        /// The field `number`.
        pub number: String,
        /// The field `owner`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owner: Option<ChargeBodyCardOwner>,
    }

    impl ChargeBodyCard {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(number: impl Into<String>) -> Self {
            fn make(number: String) -> ChargeBodyCard {
                ChargeBodyCard {
                    number,
                    owner: ::std::default::Default::default(),
                }
            }
            make(number.into())
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ChargeBodyCardOwner {
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        ChargeBodyCardOwner {
            0 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ChargeResponse {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        ChargeResponse {
            0 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TokenBody {
        /// The field `scope`.
        pub scope: Option<String>,
    }

    __runtime::__private::object! {
        TokenBody {
            0 "scope" scope text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct VendorBody {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        VendorBody {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct VendorResponse {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        VendorResponse {
            0 "a" a text optional;
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
    /// `POST /any`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn any_file(
        &self,
        body: impl Into<__runtime::__private::rest::Bytes>,
    ) -> AnyFile {
        AnyFile {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /charges`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn charge(&self, body: impl Into<types::ChargeBody>) -> Charge {
        Charge {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /parts`
    pub fn parts(&self) -> Parts {
        Parts {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /xml`
    pub fn post_xml(&self) -> PostXml {
        PostXml {
            service: self.service.clone(),
            timeout: None,
            body: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /files`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn put_file(
        &self,
        body: impl Into<__runtime::__private::rest::Bytes>,
    ) -> PutFile {
        PutFile {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /notes`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn put_note(&self, body: impl Into<String>) -> PutNote {
        PutNote {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /token`
    pub fn token(&self) -> Token {
        Token {
            service: self.service.clone(),
            timeout: None,
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /vendor`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn vendor(&self, body: impl Into<types::VendorBody>) -> Vendor {
        Vendor {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::any_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct AnyFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: __runtime::__private::rest::Bytes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl AnyFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::rest::Bytes> {
        __runtime::__private::rest::RestCall::new("any_file", "POST")
            .literal("/any")
            .accept("*/*")
            .raw("application/octet-stream", Some(&self.body))
            .timeout(self.timeout)
            .send_bytes(self.service)
    }
}

impl ::std::future::IntoFuture for AnyFile {
    type Output = __runtime::Result<__runtime::__private::rest::Bytes>;
    type IntoFuture = __runtime::__private::Sending<__runtime::__private::rest::Bytes>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::charge`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Charge {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::ChargeBody,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Charge {
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
    pub fn send(self) -> __runtime::__private::Sending<types::ChargeResponse> {
        __runtime::__private::rest::RestCall::new("charge", "POST")
            .literal("/charges")
            .form(
                Some(&self.body),
                &self.changes,
                &[
                    ("card", __runtime::__private::rest::Style::Deep),
                    ("expand", __runtime::__private::rest::Style::Deep),
                    ("ids", __runtime::__private::rest::Style::Joined("%2C")),
                    ("spread", __runtime::__private::rest::Style::Exploded),
                ],
            )
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Charge {
    type Output = __runtime::Result<types::ChargeResponse>;
    type IntoFuture = __runtime::__private::Sending<types::ChargeResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::parts`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Parts {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Parts {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("parts", "POST")
            .literal("/parts")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Parts {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::post_xml`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PostXml {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PostXml {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<String> {
        __runtime::__private::rest::RestCall::new("post_xml", "POST")
            .literal("/xml")
            .accept("application/xml")
            .raw("application/soap+xml", self.body.as_ref())
            .timeout(self.timeout)
            .send_text(self.service)
    }
}

impl ::std::future::IntoFuture for PostXml {
    type Output = __runtime::Result<String>;
    type IntoFuture = __runtime::__private::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::put_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: __runtime::__private::rest::Bytes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PutFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::rest::Bytes> {
        __runtime::__private::rest::RestCall::new("put_file", "POST")
            .literal("/files")
            .accept("application/pdf, image/png")
            .raw("application/octet-stream", Some(&self.body))
            .timeout(self.timeout)
            .send_bytes(self.service)
    }
}

impl ::std::future::IntoFuture for PutFile {
    type Output = __runtime::Result<__runtime::__private::rest::Bytes>;
    type IntoFuture = __runtime::__private::Sending<__runtime::__private::rest::Bytes>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::put_note`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutNote {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PutNote {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<String> {
        __runtime::__private::rest::RestCall::new("put_note", "PUT")
            .literal("/notes")
            .accept("text/markdown")
            .raw("text/plain", Some(&self.body))
            .timeout(self.timeout)
            .send_text(self.service)
    }
}

impl ::std::future::IntoFuture for PutNote {
    type Output = __runtime::Result<String>;
    type IntoFuture = __runtime::__private::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::token`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Token {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::TokenBody>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Token {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::TokenBody>) -> Self {
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
        __runtime::__private::rest::RestCall::new("token", "POST")
            .literal("/token")
            .form(self.body.as_ref(), &self.changes, &[])
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Token {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::vendor`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Vendor {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::VendorBody,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Vendor {
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
    pub fn send(self) -> __runtime::__private::Sending<types::VendorResponse> {
        __runtime::__private::rest::RestCall::new("vendor", "POST")
            .literal("/vendor")
            .accept("application/vnd.api+json, application/json")
            .json_as("application/vnd.api+json", Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Vendor {
    type Output = __runtime::Result<types::VendorResponse>;
    type IntoFuture = __runtime::__private::Sending<types::VendorResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
