// tests/corpus/rest/parts/pet.json:6:32: #/components/schemas/Pet/properties/age: the default "old" does not conform to its schema
// tests/corpus/rest/files.yaml:9:5: GET /here: the $ref of its response 202 leads nowhere
// tests/corpus/rest/files.yaml:9:5: GET /here: left out a parameter: #/components/parameters/Gone leads nowhere
// tests/corpus/rest/files.yaml:9:5: GET /here: left out a parameter: parts/gone.yml#/Limit leads nowhere
// tests/corpus/rest/files.yaml:7:5: left out POST /things: its $ref leads nowhere
// tests/corpus/rest/files.yaml:7:12: the reference parts/gone.yml leads nowhere; it is read as any value
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Here {
        /// The field `gone`.
        pub gone: Option<__runtime::__private::serde_json::Value>,
        /// The field `odd`.
        pub odd: Option<OddName>,
        /// The field `part`.
        pub part: Option<WholePart2>,
        /// The field `pet`.
        pub pet: Option<Pet>,
        /// The field `spaced`.
        pub spaced: Option<SpacedName>,
    }

    impl ::std::fmt::Debug for Here {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Here")
                .field("gone", &__runtime::__private::Untyped(&self.gone))
                .field("odd", &self.odd)
                .field("part", &self.part)
                .field("pet", &self.pet)
                .field("spaced", &self.spaced)
                .finish()
        }
    }

    __runtime::__private::object! {
        Here {
            0 "gone" gone plain optional;
            1 "odd" odd plain optional;
            2 "part" part plain optional;
            3 "pet" pet plain optional;
            4 "spaced" spaced plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct OddName {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        OddName {
            0 "a" a text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Owner {
        /// The field `mine`.
        pub mine: Option<String>,
    }

    __runtime::__private::object! {
        Owner {
            0 "mine" mine text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Owner2 {
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        Owner2 {
            0 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Pet {
        /// The field `age`.
        pub age: Option<i64>,
        /// The field `friends`.
        pub friends: Vec<Pet>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `owner`.
        pub owner: Option<Owner2>,
    }

    impl Pet {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: Option<String>) -> Pet {
                Pet {
                    name,
                    age: ::std::default::Default::default(),
                    friends: ::std::default::Default::default(),
                    owner: ::std::default::Default::default(),
                }
            }
            make(Some(name.into()))
        }
    }

    __runtime::__private::object! {
        Pet {
            0 "age" age integer optional;
            1 "friends" friends list optional;
            2 "name" name text optional;
            3 "owner" owner plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct SpacedName {
        /// The field `b`.
        pub b: Option<String>,
    }

    __runtime::__private::object! {
        SpacedName {
            0 "b" b text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct WholePart2 {
        /// The field `d`.
        pub d: Option<String>,
        /// The field `self`.
        pub self_: Option<Box<WholePart2>>,
    }

    __runtime::__private::object! {
        WholePart2 {
            0 "d" d text optional;
            1 "self" self_ plain optional;
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
    /// `POST /pets`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn add_pet(&self, body: impl Into<types::Pet>) -> AddPet {
        AddPet {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            limit: None,
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /here`
    pub fn get_here(&self) -> GetHere {
        GetHere {
            service: self.service.clone(),
            timeout: None,
            limit: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /things`
    pub fn get_things(&self) -> GetThings {
        GetThings {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /pets`
    pub fn list_pets(&self) -> ListPets {
        ListPets {
            service: self.service.clone(),
            timeout: None,
            limit: None,
        }
    }
}

/// The call that [`Api::add_pet`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct AddPet {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    limit: Option<i64>,
    body: types::Pet,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl AddPet {
    /// Sent as the query parameter `limit`.
    pub fn limit(mut self, limit: i64) -> Self {
        self.limit = Some(limit);
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
        __runtime::__private::rest::RestCall::new("add_pet", "POST")
            .literal("/pets")
            .query("limit", &self.limit)
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for AddPet {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_here`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetHere {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    limit: Option<i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetHere {
    /// Sent as the query parameter `limit`.
    pub fn limit(mut self, limit: i64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Here> {
        __runtime::__private::rest::RestCall::new("get_here", "GET")
            .literal("/here")
            .query("limit", &self.limit)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetHere {
    type Output = __runtime::Result<types::Here>;
    type IntoFuture = __runtime::__private::Sending<types::Here>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThings {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetThings {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Owner> {
        __runtime::__private::rest::RestCall::new("get_things", "GET")
            .literal("/things")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetThings {
    type Output = __runtime::Result<types::Owner>;
    type IntoFuture = __runtime::__private::Sending<types::Owner>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::list_pets`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ListPets {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    limit: Option<i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ListPets {
    /// Sent as the query parameter `limit`.
    pub fn limit(mut self, limit: i64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::Pet>> {
        __runtime::__private::rest::RestCall::new("list_pets", "GET")
            .literal("/pets")
            .query("limit", &self.limit)
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Plain<types::Pet>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for ListPets {
    type Output = __runtime::Result<Vec<types::Pet>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::Pet>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
