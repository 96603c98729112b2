// tests/corpus/rest/whole_names.yaml:7:109: #/components/schemas/a_b/properties/m: the default "no" does not conform to its schema (1 more like it)
// tests/corpus/rest/whole_names.yaml:4:215: the choice between a_b and c_d is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

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

    ::podqueue::__private::open_enum!(ReadAResponseVersion);

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

    ::podqueue::__private::object! {
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

    ::podqueue::__private::object! {
        ReadAResponse {
            0 "either" either plain optional;
            1 "version" version text optional;
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
    /// `GET /a`
    pub fn read_a(&self) -> ReadA {
        ReadA {
            rest: self.target.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::read_a`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadA {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReadA {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::ReadAResponse> {
        ::podqueue::rest::call::RestCall::new("read_a", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for ReadA {
    type Output = ::podqueue::Result<types::ReadAResponse>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::ReadAResponse>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
