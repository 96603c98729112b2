// tests/corpus/rest/multipart.yaml:20:201: the choice between an inline object and an inline object is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
// tests/corpus/rest/multipart.yaml:5:5: POST /files/{id}: its part labels has headers, which are not sent
// tests/corpus/rest/multipart.yaml:5:5: POST /files/{id}: its part sizes has a style, which is ignored: lists are one part for each element
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
    pub enum UploadKind {
        /// `a`.
        A,
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl UploadKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for UploadKind {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(UploadKind);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct JsonOrFileBody {
        /// The field `url`.
        pub url: Option<String>,
    }

    __runtime::__private::object! {
        JsonOrFileBody {
            0 "url" url text optional;
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
    pub struct Owner {
        /// The field `age`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub age: Option<i64>,
        /// The field `name`.
        pub name: String,
    }

    impl Owner {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: String) -> Owner {
                Owner {
                    name,
                    age: ::std::default::Default::default(),
                }
            }
            make(name.into())
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct UploadPlace {
        /// The field `x`.
        pub x: Option<i64>,
    }

    __runtime::__private::object! {
        UploadPlace {
            0 "x" x integer optional;
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
    /// `POST /form`
    pub fn form_or_file(&self) -> FormOrFile {
        FormOrFile {
            service: self.service.clone(),
            timeout: None,
            file: None,
            url: None,
            parts: Vec::new(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /free`
    pub fn free(&self) -> Free {
        Free {
            service: self.service.clone(),
            timeout: None,
            parts: Vec::new(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /json`
    ///
    /// The body is `application/json`; that of `json_or_file_multipart` is `multipart/form-data`.
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn json_or_file(&self, body: impl Into<types::JsonOrFileBody>) -> JsonOrFile {
        JsonOrFile {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /json`, the operation `jsonOrFile`
    ///
    /// The body is `multipart/form-data`; that of `json_or_file` is `application/json`.
    pub fn json_or_file_multipart(&self) -> JsonOrFileMultipart {
        JsonOrFileMultipart {
            service: self.service.clone(),
            timeout: None,
            file: None,
            parts: Vec::new(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /optional`
    pub fn optional(&self) -> Optional {
        Optional {
            service: self.service.clone(),
            timeout: None,
            name: None,
            parts: Vec::new(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /files/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    /// - `count`: Sent as the part `count`.
    /// - `file_2`: The picture.
    ///
    ///   Sent as the part `file`.
    /// - `more`: Sent as the part `more`.
    /// - `owner`: Sent as the part `owner`.
    pub fn upload(
        &self,
        id: impl Into<String>,
        count: i64,
        file_2: __runtime::Part,
        more: impl IntoIterator<Item = __runtime::Part>,
        owner: impl Into<types::Owner>,
    ) -> Upload {
        Upload {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
            count,
            file_2,
            more: more.into_iter().collect(),
            owner: owner.into(),
            part_2: None,
            file: None,
            any: None,
            api_key: None,
            kind: None,
            labels: None,
            masks: None,
            modern: None,
            note: None,
            owners: None,
            place: None,
            plain: None,
            sheet: None,
            sheets: None,
            sizes: None,
            thumb: None,
            parts: Vec::new(),
        }
    }
}

/// The call that [`Api::form_or_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FormOrFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    file: Option<__runtime::Part>,
    url: Option<String>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl FormOrFile {
    /// Sent as the part `file`.
    pub fn file(mut self, file: __runtime::Part) -> Self {
        self.file = Some(file);
        self
    }

    /// Sent as the part `url`.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Adds a part to the body, of any name. Parts of the same name are all sent.
    pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
        self.parts.push((name.into(), part));
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("form_or_file", "POST")
            .literal("/form")
            .multipart(
                true,
                __runtime::__private::rest::Multipart::new()
                    .files("file", &self.file, None)
                    .value("url", &self.url, None)
                    .more(&self.parts),
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for FormOrFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::free`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Free {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Free {
    /// Adds a part to the body, of any name. Parts of the same name are all sent.
    pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
        self.parts.push((name.into(), part));
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("free", "POST")
            .literal("/free")
            .multipart(
                true,
                __runtime::__private::rest::Multipart::new().more(&self.parts),
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Free {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::json_or_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct JsonOrFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::JsonOrFileBody,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl JsonOrFile {
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
        __runtime::__private::rest::RestCall::new("json_or_file", "POST")
            .literal("/json")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for JsonOrFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::json_or_file_multipart`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct JsonOrFileMultipart {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    file: Option<__runtime::Part>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl JsonOrFileMultipart {
    /// Sent as the part `file`.
    pub fn file(mut self, file: __runtime::Part) -> Self {
        self.file = Some(file);
        self
    }

    /// Adds a part to the body, of any name. Parts of the same name are all sent.
    pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
        self.parts.push((name.into(), part));
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("json_or_file_multipart", "POST")
            .literal("/json")
            .multipart(
                true,
                __runtime::__private::rest::Multipart::new()
                    .files("file", &self.file, None)
                    .more(&self.parts),
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for JsonOrFileMultipart {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::optional`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Optional {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    name: Option<String>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Optional {
    /// Sent as the part `name`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a part to the body, of any name. Parts of the same name are all sent.
    pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
        self.parts.push((name.into(), part));
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("optional", "POST")
            .literal("/optional")
            .multipart(
                false,
                __runtime::__private::rest::Multipart::new()
                    .value("name", &self.name, None)
                    .more(&self.parts),
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Optional {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::upload`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Upload {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
    part_2: Option<String>,
    file: Option<String>,
    any: Option<__runtime::Part>,
    api_key: Option<String>,
    count: i64,
    file_2: __runtime::Part,
    kind: Option<types::UploadKind>,
    labels: Option<::std::collections::HashMap<String, String>>,
    masks: Option<Vec<__runtime::Part>>,
    modern: Option<__runtime::Part>,
    more: Vec<__runtime::Part>,
    note: Option<String>,
    owner: types::Owner,
    owners: Option<Vec<types::Owner>>,
    place: Option<types::UploadPlace>,
    plain: Option<__runtime::Part>,
    sheet: Option<__runtime::Part>,
    sheets: Option<Vec<__runtime::Part>>,
    sizes: Option<Vec<i64>>,
    thumb: Option<__runtime::Part>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Upload {
    /// Sent as the query parameter `part`.
    pub fn part_2(mut self, part_2: impl Into<String>) -> Self {
        self.part_2 = Some(part_2.into());
        self
    }

    /// Sent as the query parameter `file`.
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Whatever.
    ///
    /// Sent as the part `any`.
    pub fn any(mut self, any: __runtime::Part) -> Self {
        self.any = Some(any);
        self
    }

    /// Sent as the part `api_key`.
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// Sent as the part `kind`.
    pub fn kind(mut self, kind: impl Into<types::UploadKind>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Sent as the part `labels`.
    pub fn labels(
        mut self,
        labels: ::std::collections::HashMap<String, String>,
    ) -> Self {
        self.labels = Some(labels);
        self
    }

    /// Sent as the part `masks`.
    pub fn masks(mut self, masks: impl IntoIterator<Item = __runtime::Part>) -> Self {
        self.masks = Some(masks.into_iter().collect());
        self
    }

    /// Sent as the part `modern`.
    pub fn modern(mut self, modern: __runtime::Part) -> Self {
        self.modern = Some(modern);
        self
    }

    /// Sent as the part `note`.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Sent as the part `owners`.
    pub fn owners(mut self, owners: impl IntoIterator<Item = types::Owner>) -> Self {
        self.owners = Some(owners.into_iter().collect());
        self
    }

    /// Sent as the part `place`.
    pub fn place(mut self, place: impl Into<types::UploadPlace>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Sent as the part `plain`.
    pub fn plain(mut self, plain: __runtime::Part) -> Self {
        self.plain = Some(plain);
        self
    }

    /// Sent as the part `sheet`.
    pub fn sheet(mut self, sheet: __runtime::Part) -> Self {
        self.sheet = Some(sheet);
        self
    }

    /// Sent as the part `sheets`.
    pub fn sheets(mut self, sheets: impl IntoIterator<Item = __runtime::Part>) -> Self {
        self.sheets = Some(sheets.into_iter().collect());
        self
    }

    /// Sent as the part `sizes`.
    pub fn sizes(mut self, sizes: impl IntoIterator<Item = i64>) -> Self {
        self.sizes = Some(sizes.into_iter().collect());
        self
    }

    /// Sent as the part `thumb`.
    pub fn thumb(mut self, thumb: __runtime::Part) -> Self {
        self.thumb = Some(thumb);
        self
    }

    /// Adds a part to the body, of any name. Parts of the same name are all sent.
    pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
        self.parts.push((name.into(), part));
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("upload", "POST")
            .literal("/files/")
            .parameter("id", &self.id)
            .query("part", &self.part_2)
            .query("file", &self.file)
            .multipart(
                true,
                __runtime::__private::rest::Multipart::new()
                    .files("any", &self.any, None)
                    .value("api_key", &self.api_key, None)
                    .value("count", &self.count, None)
                    .files("file", [&self.file_2], Some("image/png"))
                    .value("kind", &self.kind, None)
                    .value("labels", &self.labels, None)
                    .files("masks", self.masks.iter().flatten(), None)
                    .files("modern", &self.modern, None)
                    .files("more", &self.more, None)
                    .value("note", &self.note, Some("text/markdown"))
                    .value("owner", &self.owner, Some("application/vnd.owner+json"))
                    .value("owners", &self.owners, None)
                    .value("place", &self.place, None)
                    .files("plain", &self.plain, None)
                    .files("sheet", &self.sheet, Some("application/xml"))
                    .files("sheets", self.sheets.iter().flatten(), Some("text/xml"))
                    .value("sizes", &self.sizes, None)
                    .files("thumb", &self.thumb, Some("image/webp"))
                    .more(&self.parts),
            )
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Upload {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
