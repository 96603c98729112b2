// tests/corpus/rest/media.yaml:20:12: POST /parts: its body is multipart/mixed, which cannot be sent
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
        Debug,
        PartialEq
    )]
    #[serde(crate = "::podqueue::__private::serde")]
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
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "::podqueue::__private::serde")]
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

    ::podqueue::__private::object! {
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

    ::podqueue::__private::object! {
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

    ::podqueue::__private::object! {
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

    ::podqueue::__private::object! {
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

    ::podqueue::__private::object! {
        VendorResponse {
            0 "a" a text optional;
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
    /// `POST /any`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn any_file(&self, body: impl Into<::podqueue::rest::call::Bytes>) -> AnyFile {
        AnyFile {
            rest: self.target.clone(),
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
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /parts`
    pub fn parts(&self) -> Parts {
        Parts {
            rest: self.target.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /xml`
    pub fn post_xml(&self) -> PostXml {
        PostXml {
            rest: self.target.clone(),
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
    pub fn put_file(&self, body: impl Into<::podqueue::rest::call::Bytes>) -> PutFile {
        PutFile {
            rest: self.target.clone(),
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
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /token`
    pub fn token(&self) -> Token {
        Token {
            rest: self.target.clone(),
            timeout: None,
            body: None,
            changes: ::podqueue::rest::call::Changes::default(),
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
            rest: self.target.clone(),
            timeout: None,
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }
}

/// The call that [`Api::any_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct AnyFile {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: ::podqueue::rest::call::Bytes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl AnyFile {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<::podqueue::rest::call::Bytes> {
        ::podqueue::rest::call::RestCall::new("any_file", "POST")
            .literal("/any")
            .accept("*/*")
            .raw("application/octet-stream", Some(&self.body))
            .timeout(self.timeout)
            .send_bytes(self.rest)
    }
}

impl ::std::future::IntoFuture for AnyFile {
    type Output = ::podqueue::Result<::podqueue::rest::call::Bytes>;
    type IntoFuture = ::podqueue::rest::call::Sending<::podqueue::rest::call::Bytes>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::charge`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Charge {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::ChargeBody,
    changes: ::podqueue::rest::call::Changes,
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
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::ChargeResponse> {
        ::podqueue::rest::call::RestCall::new("charge", "POST")
            .literal("/charges")
            .form(
                Some(&self.body),
                &self.changes,
                &[
                    ("card", ::podqueue::rest::call::Style::Deep),
                    ("expand", ::podqueue::rest::call::Style::Deep),
                    ("ids", ::podqueue::rest::call::Style::Joined("%2C")),
                    ("spread", ::podqueue::rest::call::Style::Exploded),
                ],
            )
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for Charge {
    type Output = ::podqueue::Result<types::ChargeResponse>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::ChargeResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::parts`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Parts {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Parts {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<()> {
        ::podqueue::rest::call::RestCall::new("parts", "POST")
            .literal("/parts")
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Parts {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::post_xml`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PostXml {
    rest: ::podqueue::rest::call::Target,
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

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<String> {
        ::podqueue::rest::call::RestCall::new("post_xml", "POST")
            .literal("/xml")
            .accept("application/xml")
            .raw("application/soap+xml", self.body.as_ref())
            .timeout(self.timeout)
            .send_text(self.rest)
    }
}

impl ::std::future::IntoFuture for PostXml {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::podqueue::rest::call::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::put_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutFile {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: ::podqueue::rest::call::Bytes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PutFile {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<::podqueue::rest::call::Bytes> {
        ::podqueue::rest::call::RestCall::new("put_file", "POST")
            .literal("/files")
            .accept("application/pdf, image/png")
            .raw("application/octet-stream", Some(&self.body))
            .timeout(self.timeout)
            .send_bytes(self.rest)
    }
}

impl ::std::future::IntoFuture for PutFile {
    type Output = ::podqueue::Result<::podqueue::rest::call::Bytes>;
    type IntoFuture = ::podqueue::rest::call::Sending<::podqueue::rest::call::Bytes>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::put_note`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutNote {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PutNote {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<String> {
        ::podqueue::rest::call::RestCall::new("put_note", "PUT")
            .literal("/notes")
            .accept("text/markdown")
            .raw("text/plain", Some(&self.body))
            .timeout(self.timeout)
            .send_text(self.rest)
    }
}

impl ::std::future::IntoFuture for PutNote {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::podqueue::rest::call::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::token`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Token {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: Option<types::TokenBody>,
    changes: ::podqueue::rest::call::Changes,
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
        ::podqueue::rest::call::RestCall::new("token", "POST")
            .literal("/token")
            .form(self.body.as_ref(), &self.changes, &[])
            .timeout(self.timeout)
            .send_empty(self.rest)
    }
}

impl ::std::future::IntoFuture for Token {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::podqueue::rest::call::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::vendor`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Vendor {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    body: types::VendorBody,
    changes: ::podqueue::rest::call::Changes,
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
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::VendorResponse> {
        ::podqueue::rest::call::RestCall::new("vendor", "POST")
            .literal("/vendor")
            .accept("application/vnd.api+json, application/json")
            .json_as("application/vnd.api+json", Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for Vendor {
    type Output = ::podqueue::Result<types::VendorResponse>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::VendorResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
