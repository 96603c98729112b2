/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum FileStatus {
        /// `uploaded`.
        Uploaded,
        /// `processed`.
        Processed,
        /// `error`.
        Error,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl FileStatus {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Uploaded => "uploaded",
                Self::Processed => "processed",
                Self::Error => "error",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for FileStatus {
        fn from(value: &str) -> Self {
            match value {
                "uploaded" => Self::Uploaded,
                "processed" => Self::Processed,
                "error" => Self::Error,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(FileStatus);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum KindResponse {
        /// `a`.
        A,
        /// `b`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl KindResponse {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for KindResponse {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(KindResponse);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum PatchFileBodyItemOp {
        /// `add`.
        Add,
        /// `remove`.
        Remove,
        /// `replace`.
        Replace,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl PatchFileBodyItemOp {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Add => "add",
                Self::Remove => "remove",
                Self::Replace => "replace",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for PatchFileBodyItemOp {
        fn from(value: &str) -> Self {
            match value {
                "add" => Self::Add,
                "remove" => Self::Remove,
                "replace" => Self::Replace,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(PatchFileBodyItemOp);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DeleteFileBody {
        /// The field `reason`.
        pub reason: Option<String>,
    }

    __runtime::__private::object! {
        DeleteFileBody {
            0 "reason" reason text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct EitherBody {
        /// The field `url`.
        pub url: Option<String>,
    }

    __runtime::__private::object! {
        EitherBody {
            0 "url" url text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    pub struct File {
        /// The field `anything`.
        pub anything: Vec<__runtime::__private::serde_json::Value>,
        /// The field `bytes`.
        pub bytes: Option<i64>,
        /// Seconds since 1970.
        pub created: Option<i64>,
        /// The field `data`.
        pub data: Option<String>,
        /// The field `expires_at`.
        pub expires_at: Option<f64>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `metadata`.
        pub metadata: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field `owner`.
        pub owner: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field `secret_key`.
        pub secret_key: Option<String>,
        /// The field `sha256`.
        pub sha256: Option<String>,
        /// The field `status`.
        pub status: Option<FileStatus>,
        /// The field `tags`.
        pub tags: Vec<__runtime::__private::serde_json::Value>,
        /// The field `versions`.
        pub versions: HashMap<String, File>,
    }

    impl File {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(bytes: i64, data: impl Into<String>, id: impl Into<String>) -> Self {
            fn make(
                bytes: Option<i64>,
                data: Option<String>,
                id: Option<String>,
            ) -> File {
                File {
                    bytes,
                    data,
                    id,
                    anything: ::std::default::Default::default(),
                    created: ::std::default::Default::default(),
                    expires_at: ::std::default::Default::default(),
                    metadata: ::std::default::Default::default(),
                    owner: ::std::default::Default::default(),
                    secret_key: ::std::default::Default::default(),
                    sha256: ::std::default::Default::default(),
                    status: ::std::default::Default::default(),
                    tags: ::std::default::Default::default(),
                    versions: ::std::default::Default::default(),
                }
            }
            make(Some(bytes), Some(data.into()), Some(id.into()))
        }
    }

    impl ::std::fmt::Debug for File {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("File")
                .field("anything", &__runtime::__private::Untyped(&self.anything))
                .field("bytes", &self.bytes)
                .field("created", &self.created)
                .field("data", &self.data)
                .field("expires_at", &self.expires_at)
                .field("id", &self.id)
                .field("metadata", &__runtime::__private::Untyped(&self.metadata))
                .field("owner", &__runtime::__private::Untyped(&self.owner))
                .field("secret_key", &format_args!("[redacted]"))
                .field("sha256", &self.sha256)
                .field("status", &self.status)
                .field("tags", &__runtime::__private::Untyped(&self.tags))
                .field("versions", &self.versions)
                .finish()
        }
    }

    __runtime::__private::object! {
        File {
            0 "anything" anything list optional;
            1 "bytes" bytes integer optional;
            2 "created" created integer optional;
            3 "data" data text optional;
            4 "expires_at" expires_at number optional;
            5 "id" id text optional;
            6 "metadata" metadata or_default optional;
            7 "owner" owner or_default optional;
            8 "secret_key" secret_key text optional;
            9 "sha256" sha256 text optional;
            10 "status" status text optional;
            11 "tags" tags list optional;
            12 "versions" versions map optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum FileOrProblem {
        /// Where it has `bytes`, `data` and `id`.
        File(File),
        /// One of the types.
        Problem(Problem),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for FileOrProblem {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::File(value_0) => f.debug_tuple("File").field(value_0).finish(),
                Self::Problem(value_0) => {
                    f.debug_tuple("Problem").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<File> for FileOrProblem {
        fn from(value: File) -> Self {
            Self::File(value)
        }
    }

    impl From<Problem> for FileOrProblem {
        fn from(value: Problem) -> Self {
            Self::Problem(value)
        }
    }

    __runtime::__private::union! {
        FileOrProblem Other { 0 File[{ ; "bytes" "data" "id";; "bytes" "data" "id" }] [];
        1 Problem[{ ;;; }] []; }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct PatchFileBodyItem {
        /// The field `op`.
        pub op: PatchFileBodyItemOp,
        /// The field `path`.
        pub path: String,
        /// The field `value`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub value: Option<__runtime::__private::serde_json::Value>,
    }

    impl PatchFileBodyItem {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(op: PatchFileBodyItemOp, path: impl Into<String>) -> Self {
            fn make(op: PatchFileBodyItemOp, path: String) -> PatchFileBodyItem {
                PatchFileBodyItem {
                    op,
                    path,
                    value: ::std::default::Default::default(),
                }
            }
            make(op, path.into())
        }
    }

    impl ::std::fmt::Debug for PatchFileBodyItem {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("PatchFileBodyItem")
                .field("op", &self.op)
                .field("path", &self.path)
                .field("value", &format_args!("[redacted]"))
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq,
        Default
    )]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Problem {
        /// The field `errors`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::List<lenient::shape::Text<String>>>,_>",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub errors: HashMap<String, Vec<String>>,
        /// The field `status`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub status: Option<i64>,
        /// The field `title`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub title: Option<String>,
        /// The field `type`.
        #[serde(
            rename = "type",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub type_: Option<String>,
        /// All that has no field of its own.
        #[serde(flatten)]
        pub extra: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    }

    impl ::std::fmt::Debug for Problem {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Problem")
                .field("errors", &self.errors)
                .field("status", &self.status)
                .field("title", &self.title)
                .field("type_", &self.type_)
                .field("extra", &__runtime::__private::Untyped(&self.extra))
                .finish()
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
    /// `POST /batch`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn batch(&self, body: impl IntoIterator<Item = types::File>) -> Batch {
        Batch {
            service: self.service.clone(),
            timeout: None,
            body: body.into_iter().collect(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /count`
    pub fn count(&self) -> Count {
        Count {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /files`
    pub fn create_file(&self) -> CreateFile {
        CreateFile {
            service: self.service.clone(),
            timeout: None,
            file: None,
            purpose: None,
            parts: Vec::new(),
        }
    }

    /// Prepares a call.
    ///
    /// `DELETE /files/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn delete_file(&self, id: impl Into<String>) -> DeleteFile {
        DeleteFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
            force: None,
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /files/{id}/content`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn download_file(&self, id: impl Into<String>) -> DownloadFile {
        DownloadFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /either`
    pub fn either(&self) -> Either {
        Either {
            service: self.service.clone(),
            timeout: None,
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /flag`
    pub fn flag(&self) -> Flag {
        Flag {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /`
    pub fn get(&self) -> Get {
        Get {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /dup/{id}/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_file(&self, id: impl Into<String>) -> GetFile {
        GetFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /files/{id}`, the operation `getFile`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_file_2(&self, id: impl Into<String>) -> GetFile2 {
        GetFile2 {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /__internal/$metadata`
    pub fn get_internal_metadata(&self) -> GetInternalMetadata {
        GetInternalMetadata {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `HEAD /files/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn head_file(&self, id: impl Into<String>) -> HeadFile {
        HeadFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /kind`
    pub fn kind(&self) -> Kind {
        Kind {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /logs`
    pub fn logs(&self) -> Logs {
        Logs {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /no-responses`
    pub fn no_responses(&self) -> NoResponses {
        NoResponses {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /null-responses`
    pub fn null_responses(&self) -> NullResponses {
        NullResponses {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /numbers`
    pub fn numbers(&self) -> Numbers {
        Numbers {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `OPTIONS /files/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn options_file(&self, id: impl Into<String>) -> OptionsFile {
        OptionsFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `PATCH /files/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    /// - `body`: The body of the request.
    pub fn patch_file(
        &self,
        id: impl Into<String>,
        body: impl IntoIterator<Item = types::PatchFileBodyItem>,
    ) -> PatchFile {
        PatchFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
            body: body.into_iter().collect(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /plain`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn plain(&self, body: impl Into<String>) -> Plain {
        Plain {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `TRACE /files/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn trace_file(&self, id: impl Into<String>) -> TraceFile {
        TraceFile {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }
}

/// The call that [`Api::batch`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Batch {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Vec<types::File>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Batch {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::FileOrProblem>> {
        __runtime::__private::rest::RestCall::new("batch", "POST")
            .literal("/batch")
            .json(Some(&self.body), __runtime::__private::rest::Changes::NONE)
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Plain<types::FileOrProblem>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for Batch {
    type Output = __runtime::Result<Vec<types::FileOrProblem>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::FileOrProblem>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::count`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Count {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Count {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<i64> {
        __runtime::__private::rest::RestCall::new("count", "GET")
            .literal("/count")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::Integer<i64>,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for Count {
    type Output = __runtime::Result<i64>;
    type IntoFuture = __runtime::__private::Sending<i64>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::create_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct CreateFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    file: Option<__runtime::Part>,
    purpose: Option<String>,
    parts: Vec<(String, __runtime::Part)>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl CreateFile {
    /// Sent as the part `file`.
    pub fn file(mut self, file: __runtime::Part) -> Self {
        self.file = Some(file);
        self
    }

    /// Sent as the part `purpose`.
    pub fn purpose(mut self, purpose: impl Into<String>) -> Self {
        self.purpose = Some(purpose.into());
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
    pub fn send(self) -> __runtime::__private::Sending<types::File> {
        __runtime::__private::rest::RestCall::new("create_file", "POST")
            .literal("/files")
            .multipart(
                true,
                __runtime::__private::rest::Multipart::new()
                    .files("file", &self.file, Some("image/png"))
                    .value("purpose", &self.purpose, None)
                    .more(&self.parts),
            )
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for CreateFile {
    type Output = __runtime::Result<types::File>;
    type IntoFuture = __runtime::__private::Sending<types::File>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::delete_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct DeleteFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
    force: Option<bool>,
    body: Option<types::DeleteFileBody>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl DeleteFile {
    /// Sent as the query parameter `force`.
    pub fn force(mut self, force: bool) -> Self {
        self.force = Some(force);
        self
    }

    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::DeleteFileBody>) -> Self {
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
        __runtime::__private::rest::RestCall::new("delete_file", "DELETE")
            .literal("/files/")
            .parameter("id", &self.id)
            .query("force", &self.force)
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for DeleteFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::download_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct DownloadFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl DownloadFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::rest::Bytes> {
        __runtime::__private::rest::RestCall::new("download_file", "GET")
            .literal("/files/")
            .parameter("id", &self.id)
            .literal("/content")
            .accept("application/octet-stream")
            .timeout(self.timeout)
            .send_bytes(self.service)
    }
}

impl ::std::future::IntoFuture for DownloadFile {
    type Output = __runtime::Result<__runtime::__private::rest::Bytes>;
    type IntoFuture = __runtime::__private::Sending<__runtime::__private::rest::Bytes>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::either`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Either {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: Option<types::EitherBody>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Either {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::EitherBody>) -> Self {
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
    pub fn send(self) -> __runtime::__private::Sending<String> {
        __runtime::__private::rest::RestCall::new("either", "POST")
            .literal("/either")
            .json(self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::Text<String>,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for Either {
    type Output = __runtime::Result<String>;
    type IntoFuture = __runtime::__private::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::flag`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Flag {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Flag {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<bool> {
        __runtime::__private::rest::RestCall::new("flag", "GET")
            .literal("/flag")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::Boolean,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for Flag {
    type Output = __runtime::Result<bool>;
    type IntoFuture = __runtime::__private::Sending<bool>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Get {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Get {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("get", "GET")
            .literal("/")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Get {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("get_file", "GET")
            .literal("/dup/")
            .parameter("id", &self.id)
            .literal("/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for GetFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_file_2`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetFile2 {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetFile2 {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::File> {
        __runtime::__private::rest::RestCall::new("get_file_2", "GET")
            .literal("/files/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetFile2 {
    type Output = __runtime::Result<types::File>;
    type IntoFuture = __runtime::__private::Sending<types::File>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_internal_metadata`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetInternalMetadata {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetInternalMetadata {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<
        __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    > {
        __runtime::__private::rest::RestCall::new("get_internal_metadata", "GET")
            .literal("/__internal/$metadata")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetInternalMetadata {
    type Output = __runtime::Result<
        __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    >;
    type IntoFuture = __runtime::__private::Sending<
        __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::head_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct HeadFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl HeadFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("head_file", "HEAD")
            .literal("/files/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for HeadFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::kind`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Kind {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Kind {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::KindResponse> {
        __runtime::__private::rest::RestCall::new("kind", "GET")
            .literal("/kind")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Kind {
    type Output = __runtime::Result<types::KindResponse>;
    type IntoFuture = __runtime::__private::Sending<types::KindResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::logs`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Logs {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Logs {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<String> {
        __runtime::__private::rest::RestCall::new("logs", "GET")
            .literal("/logs")
            .accept("application/x-ndjson")
            .timeout(self.timeout)
            .send_text(self.service)
    }

    /// Sends the request and asks for a stream of events, in place of a whole response.
    pub fn events(self) -> __runtime::__private::Sending<__runtime::ServerEvents> {
        __runtime::__private::rest::RestCall::new("logs", "GET")
            .literal("/logs")
            .accept("application/x-ndjson")
            .timeout(self.timeout)
            .send_events(self.service)
    }
}

impl ::std::future::IntoFuture for Logs {
    type Output = __runtime::Result<String>;
    type IntoFuture = __runtime::__private::Sending<String>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::no_responses`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct NoResponses {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl NoResponses {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("no_responses", "GET")
            .literal("/no-responses")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for NoResponses {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::null_responses`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct NullResponses {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl NullResponses {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("null_responses", "GET")
            .literal("/null-responses")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for NullResponses {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::numbers`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Numbers {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Numbers {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<::std::collections::HashMap<String, f64>> {
        __runtime::__private::rest::RestCall::new("numbers", "GET")
            .literal("/numbers")
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::Dictionary<
                    __runtime::__private::lenient::shape::Number,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for Numbers {
    type Output = __runtime::Result<::std::collections::HashMap<String, f64>>;
    type IntoFuture = __runtime::__private::Sending<
        ::std::collections::HashMap<String, f64>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::options_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct OptionsFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl OptionsFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("options_file", "OPTIONS")
            .literal("/files/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for OptionsFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::patch_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
    body: Vec<types::PatchFileBodyItem>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PatchFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<types::File>> {
        __runtime::__private::rest::RestCall::new("patch_file", "PATCH")
            .literal("/files/")
            .parameter("id", &self.id)
            .json_as(
                "application/json-patch+json",
                Some(&self.body),
                __runtime::__private::rest::Changes::NONE,
            )
            .timeout(self.timeout)
            .send_optional(self.service)
    }
}

impl ::std::future::IntoFuture for PatchFile {
    type Output = __runtime::Result<Option<types::File>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::File>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::plain`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Plain {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Plain {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("plain", "POST")
            .literal("/plain")
            .raw("text/plain", Some(&self.body))
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Plain {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::trace_file`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct TraceFile {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl TraceFile {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("trace_file", "TRACE")
            .literal("/files/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for TraceFile {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
