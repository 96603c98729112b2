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
    pub enum PetKind {
        /// `-Cat`.
        Cat3,
        /// `cat`.
        Cat2,
        /// `Cat`.
        Cat,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl PetKind {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Cat3 => "-Cat",
                Self::Cat2 => "cat",
                Self::Cat => "Cat",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for PetKind {
        fn from(value: &str) -> Self {
            match value {
                "-Cat" => Self::Cat3,
                "cat" => Self::Cat2,
                "Cat" => Self::Cat,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(PetKind);

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Pet {
        /// Where it is described.
        ///
        /// `@id` on the wire.
        #[serde(
            rename = "@id",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub id_4: Option<String>,
        /// The field `Id`.
        #[serde(
            rename = "Id",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub id_3: Option<String>,
        /// The field `id`.
        pub id: String,
        /// The field `id_2`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub id_2: Option<String>,
        /// The field `kind`.
        pub kind: PetKind,
        /// The field `Self`.
        #[serde(
            rename = "Self",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub self_2: Option<String>,
        /// The field `self`.
        #[serde(
            rename = "self",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub self_: Option<String>,
        /// The field `-x`.
        #[serde(
            rename = "-x",
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub x_2: Option<i64>,
        /// The field `x`.
        #[serde(
            default,
            deserialize_with = "lenient::integer",
            skip_serializing_if = "Option::is_none"
        )]
        pub x: Option<i64>,
    }

    impl Pet {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(id: impl Into<String>, kind: PetKind) -> Self {
            fn make(id: String, kind: PetKind) -> Pet {
                Pet {
                    id,
                    kind,
                    id_4: ::std::default::Default::default(),
                    id_3: ::std::default::Default::default(),
                    id_2: ::std::default::Default::default(),
                    self_2: ::std::default::Default::default(),
                    self_: ::std::default::Default::default(),
                    x_2: ::std::default::Default::default(),
                    x: ::std::default::Default::default(),
                }
            }
            make(id.into(), kind)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Pet2 {
        /// The field `@id`.
        pub id_2: Option<String>,
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        Pet2 {
            0 "@id" id_2 text optional;
            1 "id" id text optional;
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
    /// `POST /b`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn get_pet(&self, body: impl Into<types::Pet>) -> GetPet {
        GetPet {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /a/{Pet-Id}/{pet_id}`, the operation `get-pet`
    ///
    /// # Arguments
    ///
    /// - `pet_id_2`: Sent as the part of the path `Pet-Id`.
    /// - `pet_id`: A part of the path.
    pub fn get_pet_2(
        &self,
        pet_id_2: impl Into<String>,
        pet_id: impl Into<String>,
    ) -> GetPet2 {
        GetPet2 {
            service: self.service.clone(),
            timeout: None,
            pet_id_2: pet_id_2.into(),
            pet_id: pet_id.into(),
            x_kind_2: None,
            x_kind_3: None,
            x_kind: None,
        }
    }
}

/// The call that [`Api::get_pet`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetPet {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Pet,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetPet {
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
    pub fn send(self) -> __runtime::__private::Sending<types::Pet2> {
        __runtime::__private::rest::RestCall::new("get_pet", "POST")
            .literal("/b")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetPet {
    type Output = __runtime::Result<types::Pet2>;
    type IntoFuture = __runtime::__private::Sending<types::Pet2>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_pet_2`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetPet2 {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    pet_id_2: String,
    pet_id: String,
    x_kind_2: Option<String>,
    x_kind_3: Option<String>,
    x_kind: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetPet2 {
    /// Sent as the header `X-Kind`.
    pub fn x_kind_2(mut self, x_kind_2: impl Into<String>) -> Self {
        self.x_kind_2 = Some(x_kind_2.into());
        self
    }

    /// Sent as the query parameter `@x_kind`.
    pub fn x_kind_3(mut self, x_kind_3: impl Into<String>) -> Self {
        self.x_kind_3 = Some(x_kind_3.into());
        self
    }

    /// Sent as the query parameter `x_kind`.
    pub fn x_kind(mut self, x_kind: impl Into<String>) -> Self {
        self.x_kind = Some(x_kind.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("get_pet_2", "GET")
            .literal("/a/")
            .parameter("Pet-Id", &self.pet_id_2)
            .literal("/")
            .parameter("pet_id", &self.pet_id)
            .query("@x_kind", &self.x_kind_3)
            .query("x_kind", &self.x_kind)
            .optional_header("X-Kind", &self.x_kind_2)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for GetPet2 {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
