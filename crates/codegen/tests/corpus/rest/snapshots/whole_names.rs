// tests/corpus/rest/whole_names.yaml:7:109: #/components/schemas/a_b/properties/m: the default "no" does not conform to its schema (1 more like it)
// tests/corpus/rest/whole_names.yaml:4:215: the choice between a_b and c_d is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ReadAResponseVersion {
        /// `13.0`.
        V13_0,
        /// `130`.
        V130,
        /// `2024-01-02`.
        V2024_01_02,
        /// `12.1-cuda`.
        V12_1Cuda,
        /// `v1_2`.
        V1_2,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ReadAResponseVersion {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::V13_0 => "13.0",
                Self::V130 => "130",
                Self::V2024_01_02 => "2024-01-02",
                Self::V12_1Cuda => "12.1-cuda",
                Self::V1_2 => "v1_2",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ReadAResponseVersion {
        fn from(value: &str) -> Self {
            match value {
                "13.0" => Self::V13_0,
                "130" => Self::V130,
                "2024-01-02" => Self::V2024_01_02,
                "12.1-cuda" => Self::V12_1Cuda,
                "v1_2" => Self::V1_2,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ReadAResponseVersion);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct AbOrCd {
        /// The field `m`.
        pub m: Option<i64>,
        /// The field `n`.
        pub n: Option<i64>,
        /// The field `x`.
        pub x: Option<String>,
        /// The field `y`.
        pub y: Option<String>,
    }

    __runtime::__private::object! {
        AbOrCd {
            0 "m" m integer optional;
            1 "n" n integer optional;
            2 "x" x text optional;
            3 "y" y text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct ReadAResponse {
        /// The field `either`.
        pub either: Option<AbOrCd>,
        /// The field `version`.
        pub version: Option<ReadAResponseVersion>,
    }

    __runtime::__private::object! {
        ReadAResponse {
            0 "either" either plain optional;
            1 "version" version text optional;
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
    /// `GET /a`
    pub fn read_a(&self) -> ReadA {
        ReadA {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::read_a`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadA {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadA {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::ReadAResponse> {
        __runtime::__private::rest::RestCall::new("read_a", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ReadA {
    type Output = __runtime::Result<types::ReadAResponse>;
    type IntoFuture = __runtime::__private::Sending<types::ReadAResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
