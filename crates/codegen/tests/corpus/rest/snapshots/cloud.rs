// tests/corpus/rest/cloud.yaml:54:198: #/components/schemas/Instance/properties/secureBoot: the default "true" does not conform to its schema (1 more like it)
// tests/corpus/rest/cloud.yaml:10:5: GET /v1/projects/{project}/instances: session is a cookie parameter, which cannot be sent
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
    pub enum State {
        /// `RUNNING`.
        Running,
        /// `STOPPED`.
        Stopped,
        /// An empty text.
        Empty,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl State {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Running => "RUNNING",
                Self::Stopped => "STOPPED",
                Self::Empty => "",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for State {
        fn from(value: &str) -> Self {
            match value {
                "RUNNING" => Self::Running,
                "STOPPED" => Self::Stopped,
                "" => Self::Empty,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(State);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ImageType {
        /// `image`.
        Image,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ImageType {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Image => "image",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ImageType {
        fn from(value: &str) -> Self {
            match value {
                "image" => Self::Image,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ImageType);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum SnapshotType {
        /// `snapshot`.
        Snapshot,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl SnapshotType {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Snapshot => "snapshot",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for SnapshotType {
        fn from(value: &str) -> Self {
            match value {
                "snapshot" => Self::Snapshot,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(SnapshotType);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum OperationResult {
        /// `none`.
        None,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl OperationResult {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::None => "none",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for OperationResult {
        fn from(value: &str) -> Self {
            match value {
                "none" => Self::None,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(OperationResult);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum GetV1ProjectFilesNameExtExt {
        /// `json`.
        Json,
        /// `yaml`.
        Yaml,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl GetV1ProjectFilesNameExtExt {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Json => "json",
                Self::Yaml => "yaml",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for GetV1ProjectFilesNameExtExt {
        fn from(value: &str) -> Self {
            match value {
                "json" => Self::Json,
                "yaml" => Self::Yaml,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(GetV1ProjectFilesNameExtExt);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ComputeInstancesList2Filter {
        /// The field `state`.
        pub state: Option<String>,
    }

    __runtime::__private::object! {
        ComputeInstancesList2Filter {
            0 "state" state text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Disk {
        /// A machine.
        pub attached_to: Vec<Instance>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `kind`.
        pub kind: Option<String>,
        /// The field `labels`.
        pub labels: HashMap<String, String>,
        /// The field `parent`.
        pub parent: Option<Resource>,
        /// The field `sizeGb`.
        pub size_gb: Option<String>,
        /// The field `source`.
        pub source: Option<ImageOrSnapshot>,
    }

    impl Disk {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::new_without_default)]
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new() -> Self {
            fn make() -> Disk {
                Disk {
                    kind: Some("disk".into()),
                    attached_to: ::std::default::Default::default(),
                    id: ::std::default::Default::default(),
                    labels: ::std::default::Default::default(),
                    parent: ::std::default::Default::default(),
                    size_gb: ::std::default::Default::default(),
                    source: ::std::default::Default::default(),
                }
            }
            make()
        }
    }

    __runtime::__private::object! {
        Disk {
            0 "attachedTo" attached_to list optional;
            1 "id" id text optional;
            2 "kind" kind text optional;
            3 "labels" labels shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            4 "parent" parent plain optional;
            5 "sizeGb" size_gb text optional;
            6 "source" source plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Error {
        /// The field `code`.
        pub code: Option<i64>,
        /// The field `details`.
        pub details: Vec<ErrorDetailsItem>,
        /// The field `innererror`.
        pub innererror: Option<Box<Error>>,
        /// The field `message`.
        pub message: Option<String>,
    }

    __runtime::__private::object! {
        Error {
            0 "code" code integer optional;
            1 "details" details list optional;
            2 "innererror" innererror plain optional;
            3 "message" message text optional;
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
    pub struct ErrorDetailsItem {
        /// The field `@type`.
        #[serde(
            rename = "@type",
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

    impl ::std::fmt::Debug for ErrorDetailsItem {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ErrorDetailsItem")
                .field("type_", &self.type_)
                .field("extra", &__runtime::__private::Untyped(&self.extra))
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Image {
        /// The field `family`.
        pub family: Option<String>,
        /// The field `type`.
        pub type_: Option<ImageType>,
    }

    __runtime::__private::object! {
        Image {
            0 "family" family text optional;
            1 "type" type_ text optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum ImageOrSnapshot {
        /// Where `type` is `image`.
        Image(Image),
        /// Where `type` is `snapshot`.
        Snapshot(Snapshot),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ImageOrSnapshot {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Image(value_0) => f.debug_tuple("Image").field(value_0).finish(),
                Self::Snapshot(value_0) => {
                    f.debug_tuple("Snapshot").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Image> for ImageOrSnapshot {
        fn from(value: Image) -> Self {
            Self::Image(value)
        }
    }

    impl From<Snapshot> for ImageOrSnapshot {
        fn from(value: Snapshot) -> Self {
            Self::Snapshot(value)
        }
    }

    __runtime::__private::union! {
        ImageOrSnapshot Other { 0 Image[{ "type"[Text("image")];;; }] []; 1 Snapshot[{
        "type"[Text("snapshot")];;; }] []; }
    }

    /// A machine.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Instance {
        /// The field `cpus`.
        pub cpus: Option<f64>,
        /// The field `createdAt`.
        pub created_at: Option<String>,
        /// The field `disks`.
        pub disks: Vec<Disk>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `kind`.
        pub kind: Option<String>,
        /// The field `labels`.
        pub labels: HashMap<String, String>,
        /// The field `machineType`.
        pub machine_type: Option<String>,
        /// The field `parent`.
        pub parent: Option<Box<Resource>>,
        /// The field `secureBoot`.
        pub secure_boot: Option<bool>,
        /// The field `state`.
        pub state: Option<State>,
    }

    impl Instance {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(machine_type: impl Into<String>) -> Self {
            fn make(machine_type: Option<String>) -> Instance {
                Instance {
                    machine_type,
                    kind: Some("instance".into()),
                    cpus: ::std::default::Default::default(),
                    created_at: ::std::default::Default::default(),
                    disks: ::std::default::Default::default(),
                    id: ::std::default::Default::default(),
                    labels: ::std::default::Default::default(),
                    parent: ::std::default::Default::default(),
                    secure_boot: ::std::default::Default::default(),
                    state: ::std::default::Default::default(),
                }
            }
            make(Some(machine_type.into()))
        }
    }

    __runtime::__private::object! {
        Instance {
            0 "cpus" cpus number optional;
            1 "createdAt" created_at text optional;
            2 "disks" disks list optional;
            3 "id" id text optional;
            4 "kind" kind text optional;
            5 "labels" labels shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            6 "machineType" machine_type text optional;
            7 "parent" parent plain optional;
            8 "secureBoot" secure_boot boolean optional;
            9 "state" state text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct InstanceList {
        /// A machine.
        pub items: Vec<Instance>,
        /// The field `nextLink`.
        pub next_link: Option<String>,
        /// The field `nextPageToken`.
        pub next_page_token: Option<String>,
    }

    impl ::std::fmt::Debug for InstanceList {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("InstanceList")
                .field("items", &self.items)
                .field("next_link", &self.next_link)
                .field("next_page_token", &format_args!("[redacted]"))
                .finish()
        }
    }

    __runtime::__private::object! {
        InstanceList {
            0 "items" items list optional;
            1 "nextLink" next_link text optional;
            2 "nextPageToken" next_page_token text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Loop {
        /// The field `a`.
        pub a: Option<String>,
        /// The field `b`.
        pub b: Option<i64>,
    }

    __runtime::__private::object! {
        Loop {
            0 "a" a text optional;
            1 "b" b integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Operation {
        /// The field `done`.
        pub done: Option<bool>,
        /// The field `error`.
        pub error: Option<Box<Error>>,
        /// The field `loop`.
        pub loop_: Option<Loop>,
        /// The field `metadata`.
        pub metadata: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field `response`.
        pub response: Option<__runtime::__private::serde_json::Value>,
        /// The field `result`.
        pub result: Option<OperationResult2>,
    }

    impl ::std::fmt::Debug for Operation {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Operation")
                .field("done", &self.done)
                .field("error", &self.error)
                .field("loop_", &self.loop_)
                .field("metadata", &__runtime::__private::Untyped(&self.metadata))
                .field("response", &__runtime::__private::Untyped(&self.response))
                .field("result", &self.result)
                .finish()
        }
    }

    __runtime::__private::object! {
        Operation {
            0 "done" done boolean optional;
            1 "error" error plain optional;
            2 "loop" loop_ plain optional;
            3 "metadata" metadata or_default optional;
            4 "response" response plain optional;
            5 "result" result plain optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum OperationResult2 {
        /// Where it has `id`, `kind` and `machineType`.
        Instance(Instance),
        /// Where it has `id` and `kind`.
        Disk(Disk),
        /// A value that is no object, or a map.
        OperationResult(OperationResult),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for OperationResult2 {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Instance(value_0) => {
                    f.debug_tuple("Instance").field(value_0).finish()
                }
                Self::Disk(value_0) => f.debug_tuple("Disk").field(value_0).finish(),
                Self::OperationResult(value_0) => {
                    f.debug_tuple("OperationResult").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Instance> for OperationResult2 {
        fn from(value: Instance) -> Self {
            Self::Instance(value)
        }
    }

    impl From<Disk> for OperationResult2 {
        fn from(value: Disk) -> Self {
            Self::Disk(value)
        }
    }

    impl From<OperationResult> for OperationResult2 {
        fn from(value: OperationResult) -> Self {
            Self::OperationResult(value)
        }
    }

    __runtime::__private::union! {
        OperationResult2 Other { 0 Instance[{ ; "id" "kind" "machineType";; "id" "kind"
        "machineType" }] []; 1 Disk[{ ; "id" "kind";; "id" "kind" }] []; 2
        OperationResult[] []; }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum Resource {
        /// Where `kind` is `disk`.
        Disk(Box<Disk>),
        /// Where `kind` is `instance`.
        Instance(Instance),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for Resource {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Disk(value_0) => f.debug_tuple("Disk").field(value_0).finish(),
                Self::Instance(value_0) => {
                    f.debug_tuple("Instance").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Disk> for Resource {
        fn from(value: Disk) -> Self {
            Self::Disk(Box::new(value))
        }
    }

    impl From<Instance> for Resource {
        fn from(value: Instance) -> Self {
            Self::Instance(value)
        }
    }

    __runtime::__private::union! {
        Resource Other { 0 Disk[{ "kind"[Text("disk")];;; }] ["kind"]; 1 Instance[{
        "kind"[Text("instance")];;; }] ["kind" "machineType"]; }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Snapshot {
        /// The field `of`.
        pub of: Option<Box<Disk>>,
        /// The field `type`.
        pub type_: Option<SnapshotType>,
    }

    __runtime::__private::object! {
        Snapshot {
            0 "of" of plain optional;
            1 "type" type_ text optional;
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
    /// `POST /v1/projects/{project}/instances`, the operation `compute.instances.insert`
    ///
    /// # Arguments
    ///
    /// - `project`: A part of the path.
    /// - `body`: The body of the request.
    pub fn compute_instances_insert(
        &self,
        project: impl Into<String>,
        body: impl Into<types::Instance>,
    ) -> ComputeInstancesInsert {
        ComputeInstancesInsert {
            service: self.service.clone(),
            timeout: None,
            project: project.into(),
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /v1/Projects/{project}/instances`
    ///
    /// # Arguments
    ///
    /// - `project`: A part of the path.
    pub fn compute_instances_list(
        &self,
        project: impl Into<String>,
    ) -> ComputeInstancesList {
        ComputeInstancesList {
            service: self.service.clone(),
            timeout: None,
            project: project.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /v1/projects/{project}/instances`, the operation `compute.instances.list`
    ///
    /// # Arguments
    ///
    /// - `project`: A part of the path.
    /// - `x_request_id`: Sent as the header `X-Request-Id`.
    pub fn compute_instances_list_2(
        &self,
        project: impl Into<String>,
        x_request_id: impl Into<String>,
    ) -> ComputeInstancesList2 {
        ComputeInstancesList2 {
            service: self.service.clone(),
            timeout: None,
            project: project.into(),
            x_request_id: x_request_id.into(),
            filter_2: None,
            top: None,
            filter: None,
            fields: None,
            zones: None,
            states: None,
            if_none_match: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /v1/projects/{project}/instances/{id}:start`, the operation `compute.instances.start`
    ///
    /// # Arguments
    ///
    /// - `project`: A part of the path.
    /// - `id`: A part of the path.
    pub fn compute_instances_start(
        &self,
        project: impl Into<String>,
        id: impl Into<String>,
    ) -> ComputeInstancesStart {
        ComputeInstancesStart {
            service: self.service.clone(),
            timeout: None,
            project: project.into(),
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /v1/{project}/files/{name}.{ext}`
    ///
    /// # Arguments
    ///
    /// - `project`: A part of the path.
    /// - `name`: A part of the path.
    /// - `ext`: A part of the path.
    pub fn get_v1_project_files_name_ext(
        &self,
        project: impl Into<String>,
        name: impl Into<String>,
        ext: impl Into<types::GetV1ProjectFilesNameExtExt>,
    ) -> GetV1ProjectFilesNameExt {
        GetV1ProjectFilesNameExt {
            service: self.service.clone(),
            timeout: None,
            project: project.into(),
            name: name.into(),
            ext: ext.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `PATCH /v1/instances/{instance-id}`
    ///
    /// # Arguments
    ///
    /// - `instance_id`: Sent as the part of the path `instance-id`.
    ///
    /// # Errors
    ///
    /// - 4XX: Wrong.
    pub fn patch_v1_instances_instance_id(
        &self,
        instance_id: impl Into<String>,
    ) -> PatchV1InstancesInstanceId {
        PatchV1InstancesInstanceId {
            service: self.service.clone(),
            timeout: None,
            instance_id: instance_id.into(),
            body: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::compute_instances_insert`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesInsert {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    project: String,
    body: types::Instance,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ComputeInstancesInsert {
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
    pub fn send(self) -> __runtime::__private::Sending<types::Operation> {
        __runtime::__private::rest::RestCall::new("compute_instances_insert", "POST")
            .literal("/v1/projects/")
            .parameter("project", &self.project)
            .literal("/instances")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesInsert {
    type Output = __runtime::Result<types::Operation>;
    type IntoFuture = __runtime::__private::Sending<types::Operation>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::compute_instances_list`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesList {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    project: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ComputeInstancesList {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::InstanceList> {
        __runtime::__private::rest::RestCall::new("compute_instances_list", "GET")
            .literal("/v1/Projects/")
            .parameter("project", &self.project)
            .literal("/instances")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesList {
    type Output = __runtime::Result<types::InstanceList>;
    type IntoFuture = __runtime::__private::Sending<types::InstanceList>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::compute_instances_list_2`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesList2 {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    project: String,
    filter_2: Option<String>,
    top: Option<i64>,
    filter: Option<types::ComputeInstancesList2Filter>,
    fields: Option<Vec<String>>,
    zones: Option<Vec<String>>,
    states: Option<Vec<types::State>>,
    if_none_match: Option<String>,
    x_request_id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ComputeInstancesList2 {
    /// Sent as the query parameter `$filter`.
    pub fn filter_2(mut self, filter_2: impl Into<String>) -> Self {
        self.filter_2 = Some(filter_2.into());
        self
    }

    /// Sent as the query parameter `$top`.
    pub fn top(mut self, top: i64) -> Self {
        self.top = Some(top);
        self
    }

    /// Sent as the query parameter `filter`.
    pub fn filter(
        mut self,
        filter: impl Into<types::ComputeInstancesList2Filter>,
    ) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Sent as the query parameter `fields`.
    pub fn fields(
        mut self,
        fields: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `zones`.
    pub fn zones(mut self, zones: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.zones = Some(zones.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `states`.
    pub fn states(mut self, states: impl IntoIterator<Item = types::State>) -> Self {
        self.states = Some(states.into_iter().collect());
        self
    }

    /// Sent as the header `If-None-Match`.
    pub fn if_none_match(mut self, if_none_match: impl Into<String>) -> Self {
        self.if_none_match = Some(if_none_match.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::InstanceList> {
        __runtime::__private::rest::RestCall::new("compute_instances_list_2", "GET")
            .literal("/v1/projects/")
            .parameter("project", &self.project)
            .literal("/instances")
            .query("$filter", &self.filter_2)
            .query("$top", &self.top)
            .query_styled(
                "filter",
                &self.filter,
                __runtime::__private::rest::Style::Deep,
            )
            .query_styled(
                "fields",
                &self.fields,
                __runtime::__private::rest::Style::Joined(","),
            )
            .query_styled(
                "zones",
                &self.zones,
                __runtime::__private::rest::Style::Joined("%20"),
            )
            .query_styled(
                "states",
                &self.states,
                __runtime::__private::rest::Style::Joined("%7C"),
            )
            .header("X-Request-Id", &self.x_request_id)
            .optional_header("If-None-Match", &self.if_none_match)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesList2 {
    type Output = __runtime::Result<types::InstanceList>;
    type IntoFuture = __runtime::__private::Sending<types::InstanceList>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::compute_instances_start`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesStart {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    project: String,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ComputeInstancesStart {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Option<types::Operation>> {
        __runtime::__private::rest::RestCall::new("compute_instances_start", "POST")
            .literal("/v1/projects/")
            .parameter("project", &self.project)
            .literal("/instances/")
            .parameter("id", &self.id)
            .literal(":start")
            .timeout(self.timeout)
            .send_optional(self.service)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesStart {
    type Output = __runtime::Result<Option<types::Operation>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::Operation>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_v1_project_files_name_ext`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetV1ProjectFilesNameExt {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    project: String,
    name: String,
    ext: types::GetV1ProjectFilesNameExtExt,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetV1ProjectFilesNameExt {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::serde_json::Value> {
        __runtime::__private::rest::RestCall::new("get_v1_project_files_name_ext", "GET")
            .literal("/v1/")
            .parameter("project", &self.project)
            .literal("/files/")
            .parameter_styled(
                "name",
                &self.name,
                __runtime::__private::rest::PathStyle::Label {
                    exploded: false,
                },
            )
            .literal(".")
            .parameter("ext", &self.ext)
            .accept("application/vnd.api+json")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetV1ProjectFilesNameExt {
    type Output = __runtime::Result<__runtime::__private::serde_json::Value>;
    type IntoFuture = __runtime::__private::Sending<
        __runtime::__private::serde_json::Value,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::patch_v1_instances_instance_id`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchV1InstancesInstanceId {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    instance_id: String,
    body: Option<types::Instance>,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PatchV1InstancesInstanceId {
    /// The body of the request.
    pub fn body(mut self, body: impl Into<types::Instance>) -> Self {
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
    pub fn send(self) -> __runtime::__private::Sending<types::Instance> {
        __runtime::__private::rest::RestCall::new(
                "patch_v1_instances_instance_id",
                "PATCH",
            )
            .literal("/v1/instances/")
            .parameter("instance-id", &self.instance_id)
            .json_as("application/merge-patch+json", self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for PatchV1InstancesInstanceId {
    type Output = __runtime::Result<types::Instance>;
    type IntoFuture = __runtime::__private::Sending<types::Instance>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
