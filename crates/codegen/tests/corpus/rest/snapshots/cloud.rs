// tests/corpus/rest/cloud.yaml:54:198: #/components/schemas/Instance/properties/secureBoot: the default "true" does not conform to its schema (1 more like it)
// tests/corpus/rest/cloud.yaml:10:5: GET /v1/projects/{project}/instances: session is a cookie parameter, which cannot be sent
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use ::podqueue::__private::lenient;

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

    ::podqueue::__private::open_enum!(State);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ImageOrSnapshotType {
        /// `image`.
        Image,
        /// `snapshot`.
        Snapshot,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ImageOrSnapshotType {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Image => "image",
                Self::Snapshot => "snapshot",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ImageOrSnapshotType {
        fn from(value: &str) -> Self {
            match value {
                "image" => Self::Image,
                "snapshot" => Self::Snapshot,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    ::podqueue::__private::open_enum!(ImageOrSnapshotType);

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

    ::podqueue::__private::open_enum!(OperationResult);

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

    ::podqueue::__private::open_enum!(GetV1ProjectFilesNameExtExt);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ComputeInstancesList2Filter {
        /// The field `state`.
        pub state: Option<String>,
    }

    ::podqueue::__private::object! {
        ComputeInstancesList2Filter {
            0 "state" state text optional;
        }
    }

    /// An object of the interface.
    #[derive(
        ::podqueue::__private::serde::Deserialize,
        ::podqueue::__private::serde::Serialize,
        Clone,
        PartialEq,
        Default
    )]
    #[serde(crate = "::podqueue::__private::serde")]
    pub struct Disk {
        /// A machine.
        #[serde(
            rename = "attachedTo",
            default,
            deserialize_with = "lenient::list",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub attached_to: Vec<Instance>,
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<String>,
        /// The field `labels`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub labels: HashMap<String, String>,
        /// The field `parent`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parent: Option<Resource>,
        /// The field `sizeGb`.
        #[serde(rename = "sizeGb", skip_serializing_if = "Option::is_none")]
        pub size_gb: Option<String>,
        /// The field `source`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub source: Option<ImageOrSnapshot>,
        /// All that has no field of its own.
        #[serde(flatten)]
        pub extra: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
    }

    impl Disk {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(kind: impl Into<String>) -> Self {
            fn make(kind: Option<String>) -> Disk {
                Disk {
                    kind,
                    attached_to: ::std::default::Default::default(),
                    id: ::std::default::Default::default(),
                    labels: ::std::default::Default::default(),
                    parent: ::std::default::Default::default(),
                    size_gb: ::std::default::Default::default(),
                    source: ::std::default::Default::default(),
                    extra: ::std::default::Default::default(),
                }
            }
            make(Some(kind.into()))
        }
    }

    impl ::std::fmt::Debug for Disk {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Disk")
                .field("attached_to", &self.attached_to)
                .field("id", &self.id)
                .field("kind", &self.kind)
                .field("labels", &self.labels)
                .field("parent", &self.parent)
                .field("size_gb", &self.size_gb)
                .field("source", &self.source)
                .field("extra", &format_args!("[redacted]"))
                .finish()
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

    ::podqueue::__private::object! {
        Error {
            0 "code" code integer optional;
            1 "details" details list optional;
            2 "innererror" innererror plain optional;
            3 "message" message text optional;
        }
    }

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
        pub extra: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
    }

    impl ::std::fmt::Debug for ErrorDetailsItem {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ErrorDetailsItem")
                .field("type_", &self.type_)
                .field("extra", &format_args!("[redacted]"))
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ImageOrSnapshot {
        /// The field `family`.
        pub family: Option<String>,
        /// The field `of`.
        pub of: Option<Box<Disk>>,
        /// The field `type`.
        pub type_: Option<ImageOrSnapshotType>,
    }

    ::podqueue::__private::object! {
        ImageOrSnapshot {
            0 "family" family plain optional;
            1 "of" of plain optional;
            2 "type" type_ plain optional;
        }
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
        pub parent: Option<Resource>,
        /// The field `secureBoot`.
        pub secure_boot: Option<bool>,
        /// The field `state`.
        pub state: Option<State>,
    }

    impl Instance {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(kind: impl Into<String>, machine_type: impl Into<String>) -> Self {
            fn make(kind: Option<String>, machine_type: Option<String>) -> Instance {
                Instance {
                    kind,
                    machine_type,
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
            make(Some(kind.into()), Some(machine_type.into()))
        }
    }

    ::podqueue::__private::object! {
        Instance {
            0 "cpus" cpus number optional;
            1 "createdAt" created_at plain optional;
            2 "disks" disks list optional;
            3 "id" id plain optional;
            4 "kind" kind plain optional;
            5 "labels" labels map optional;
            6 "machineType" machine_type plain optional;
            7 "parent" parent plain optional;
            8 "secureBoot" secure_boot plain optional;
            9 "state" state plain optional;
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

    ::podqueue::__private::object! {
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

    ::podqueue::__private::object! {
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
        pub metadata: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
        /// The field `response`.
        pub response: Option<::podqueue::__private::serde_json::Value>,
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
                .field("metadata", &format_args!("[redacted]"))
                .field("response", &format_args!("[redacted]"))
                .field("result", &self.result)
                .finish()
        }
    }

    ::podqueue::__private::object! {
        Operation {
            0 "done" done boolean optional;
            1 "error" error plain optional;
            2 "loop" loop_ plain optional;
            3 "metadata" metadata or_default optional;
            4 "response" response plain optional;
            5 "result" result plain optional;
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
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "::podqueue::__private::serde")]
    pub enum OperationResult2 {
        /// An object.
        Object {
            /// A machine.
            #[serde(
                rename = "attachedTo",
                default,
                deserialize_with = "lenient::list",
                skip_serializing_if = "Vec::is_empty"
            )]
            attached_to: Vec<Instance>,
            /// The field `cpus`.
            #[serde(
                default,
                deserialize_with = "lenient::number",
                skip_serializing_if = "Option::is_none"
            )]
            cpus: Option<f64>,
            /// The field `createdAt`.
            #[serde(rename = "createdAt", skip_serializing_if = "Option::is_none")]
            created_at: Option<String>,
            /// The field `disks`.
            #[serde(
                default,
                deserialize_with = "lenient::list",
                skip_serializing_if = "Vec::is_empty"
            )]
            disks: Vec<Disk>,
            /// The field `id`.
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<String>,
            /// The field `kind`.
            #[serde(skip_serializing_if = "Option::is_none")]
            kind: Option<String>,
            /// The field `labels`.
            #[serde(
                default,
                deserialize_with = "lenient::map_or_default",
                skip_serializing_if = "HashMap::is_empty"
            )]
            labels: HashMap<String, String>,
            /// The field `machineType`.
            #[serde(rename = "machineType", skip_serializing_if = "Option::is_none")]
            machine_type: Option<String>,
            /// The field `parent`.
            #[serde(skip_serializing_if = "Option::is_none")]
            parent: Option<Resource>,
            /// The field `secureBoot`.
            #[serde(rename = "secureBoot", skip_serializing_if = "Option::is_none")]
            secure_boot: Option<bool>,
            /// The field `sizeGb`.
            #[serde(rename = "sizeGb", skip_serializing_if = "Option::is_none")]
            size_gb: Option<String>,
            /// The field `source`.
            #[serde(skip_serializing_if = "Option::is_none")]
            source: Option<ImageOrSnapshot>,
            /// The field `state`.
            #[serde(skip_serializing_if = "Option::is_none")]
            state: Option<State>,
        },
        /// One of the shapes.
        OperationResult(OperationResult),
        /// A value of a shape that was not known when this was generated.
        Other(::podqueue::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for OperationResult2 {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Object {
                    attached_to: value_0,
                    cpus: value_1,
                    created_at: value_2,
                    disks: value_3,
                    id: value_4,
                    kind: value_5,
                    labels: value_6,
                    machine_type: value_7,
                    parent: value_8,
                    secure_boot: value_9,
                    size_gb: value_10,
                    source: value_11,
                    state: value_12,
                } => {
                    f.debug_struct("Object")
                        .field("attached_to", value_0)
                        .field("cpus", value_1)
                        .field("created_at", value_2)
                        .field("disks", value_3)
                        .field("id", value_4)
                        .field("kind", value_5)
                        .field("labels", value_6)
                        .field("machine_type", value_7)
                        .field("parent", value_8)
                        .field("secure_boot", value_9)
                        .field("size_gb", value_10)
                        .field("source", value_11)
                        .field("state", value_12)
                        .finish()
                }
                Self::OperationResult(value_0) => {
                    f.debug_tuple("OperationResult").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<OperationResult> for OperationResult2 {
        fn from(value: OperationResult) -> Self {
            Self::OperationResult(value)
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
    pub struct Resource {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `kind`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<String>,
        /// The field `labels`.
        #[serde(
            default,
            deserialize_with = "lenient::map_or_default",
            skip_serializing_if = "HashMap::is_empty"
        )]
        pub labels: HashMap<String, String>,
        /// The field `parent`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parent: Option<Box<Resource>>,
        /// All that has no field of its own.
        #[serde(flatten)]
        pub extra: ::podqueue::__private::serde_json::Map<
            String,
            ::podqueue::__private::serde_json::Value,
        >,
    }

    impl Resource {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(kind: impl Into<String>) -> Self {
            fn make(kind: Option<String>) -> Resource {
                Resource {
                    kind,
                    id: ::std::default::Default::default(),
                    labels: ::std::default::Default::default(),
                    parent: ::std::default::Default::default(),
                    extra: ::std::default::Default::default(),
                }
            }
            make(Some(kind.into()))
        }
    }

    impl ::std::fmt::Debug for Resource {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Resource")
                .field("id", &self.id)
                .field("kind", &self.kind)
                .field("labels", &self.labels)
                .field("parent", &self.parent)
                .field("extra", &format_args!("[redacted]"))
                .finish()
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
    /// Calls the service at the client's
    /// [`rest_url`](::podqueue::ClientBuilder::rest_url), with the client's key.
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
            rest: self.target.clone(),
            timeout: None,
            project: project.into(),
            body: body.into(),
            changes: ::podqueue::rest::call::Changes::default(),
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
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
            rest: self.target.clone(),
            timeout: None,
            instance_id: instance_id.into(),
            body: None,
            changes: ::podqueue::rest::call::Changes::default(),
        }
    }
}

/// The call that [`Api::compute_instances_insert`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesInsert {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    project: String,
    body: types::Instance,
    changes: ::podqueue::rest::call::Changes,
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
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Operation> {
        ::podqueue::rest::call::RestCall::new("compute_instances_insert", "POST")
            .literal("/v1/projects/")
            .parameter("project", &self.project)
            .literal("/instances")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesInsert {
    type Output = ::podqueue::Result<types::Operation>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Operation>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::compute_instances_list`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesList {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    project: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ComputeInstancesList {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::InstanceList> {
        ::podqueue::rest::call::RestCall::new("compute_instances_list", "GET")
            .literal("/v1/Projects/")
            .parameter("project", &self.project)
            .literal("/instances")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesList {
    type Output = ::podqueue::Result<types::InstanceList>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::InstanceList>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::compute_instances_list_2`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesList2 {
    rest: ::podqueue::rest::call::Target,
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

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::InstanceList> {
        ::podqueue::rest::call::RestCall::new("compute_instances_list_2", "GET")
            .literal("/v1/projects/")
            .parameter("project", &self.project)
            .literal("/instances")
            .query("$filter", &self.filter_2)
            .query("$top", &self.top)
            .query_styled("filter", &self.filter, ::podqueue::rest::call::Style::Deep)
            .query_styled(
                "fields",
                &self.fields,
                ::podqueue::rest::call::Style::Joined(","),
            )
            .query_styled(
                "zones",
                &self.zones,
                ::podqueue::rest::call::Style::Joined("%20"),
            )
            .query_styled(
                "states",
                &self.states,
                ::podqueue::rest::call::Style::Joined("%7C"),
            )
            .header("X-Request-Id", &self.x_request_id)
            .optional_header("If-None-Match", &self.if_none_match)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesList2 {
    type Output = ::podqueue::Result<types::InstanceList>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::InstanceList>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::compute_instances_start`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ComputeInstancesStart {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    project: String,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ComputeInstancesStart {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<Option<types::Operation>> {
        ::podqueue::rest::call::RestCall::new("compute_instances_start", "POST")
            .literal("/v1/projects/")
            .parameter("project", &self.project)
            .literal("/instances/")
            .parameter("id", &self.id)
            .literal(":start")
            .timeout(self.timeout)
            .send_optional(self.rest)
    }
}

impl ::std::future::IntoFuture for ComputeInstancesStart {
    type Output = ::podqueue::Result<Option<types::Operation>>;
    type IntoFuture = ::podqueue::rest::call::Sending<Option<types::Operation>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_v1_project_files_name_ext`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetV1ProjectFilesNameExt {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    project: String,
    name: String,
    ext: types::GetV1ProjectFilesNameExtExt,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetV1ProjectFilesNameExt {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> ::podqueue::rest::call::Sending<::podqueue::__private::serde_json::Value> {
        ::podqueue::rest::call::RestCall::new("get_v1_project_files_name_ext", "GET")
            .literal("/v1/")
            .parameter("project", &self.project)
            .literal("/files/")
            .parameter_styled(
                "name",
                &self.name,
                ::podqueue::rest::call::PathStyle::Label {
                    exploded: false,
                },
            )
            .literal(".")
            .parameter("ext", &self.ext)
            .accept("application/vnd.api+json")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for GetV1ProjectFilesNameExt {
    type Output = ::podqueue::Result<::podqueue::__private::serde_json::Value>;
    type IntoFuture = ::podqueue::rest::call::Sending<
        ::podqueue::__private::serde_json::Value,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::patch_v1_instances_instance_id`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PatchV1InstancesInstanceId {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
    instance_id: String,
    body: Option<types::Instance>,
    changes: ::podqueue::rest::call::Changes,
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
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Instance> {
        ::podqueue::rest::call::RestCall::new("patch_v1_instances_instance_id", "PATCH")
            .literal("/v1/instances/")
            .parameter("instance-id", &self.instance_id)
            .json_as("application/merge-patch+json", self.body.as_ref(), &self.changes)
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for PatchV1InstancesInstanceId {
    type Output = ::podqueue::Result<types::Instance>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Instance>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
