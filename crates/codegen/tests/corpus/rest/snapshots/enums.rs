/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// How much.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Level {
        /// `low`.
        Low,
        /// `high`.
        High,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Level {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Low => "low",
                Self::High => "high",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Level {
        fn from(value: &str) -> Self {
            match value {
                "low" => Self::Low,
                "high" => Self::High,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Level);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Word {
        /// `word`.
        Word,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Word {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Word => "word",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Word {
        fn from(value: &str) -> Self {
            match value {
                "word" => Self::Word,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Word);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingOdd {
        /// `a-b`.
        AB2,
        /// `a_b`.
        AB,
        /// An empty text.
        Empty,
        /// `+1`.
        Plus1,
        /// `-1`.
        Minus1,
        /// `1`.
        V1,
        /// `>`.
        Greater,
        /// `self`.
        Self2,
        /// `Self`.
        Self_,
        /// `other`.
        Other,
        /// `NaN`.
        NaN,
        /// `é`.
        É,
        /// `two words`.
        TwoWords,
        /// `m`.
        M,
        /// `m²`.
        M2,
        /// `CO₂`.
        Co,
        /// `ⓐ`.
        X,
        /// `½`.
        X2,
        /// A value that was not known when this was generated.
        Other2(String),
    }

    impl ThingOdd {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::AB2 => "a-b",
                Self::AB => "a_b",
                Self::Empty => "",
                Self::Plus1 => "+1",
                Self::Minus1 => "-1",
                Self::V1 => "1",
                Self::Greater => ">",
                Self::Self2 => "self",
                Self::Self_ => "Self",
                Self::Other => "other",
                Self::NaN => "NaN",
                Self::É => "é",
                Self::TwoWords => "two words",
                Self::M => "m",
                Self::M2 => "m²",
                Self::Co => "CO₂",
                Self::X => "ⓐ",
                Self::X2 => "½",
                Self::Other2(value) => value,
            }
        }
    }

    impl From<&str> for ThingOdd {
        fn from(value: &str) -> Self {
            match value {
                "a-b" => Self::AB2,
                "a_b" => Self::AB,
                "" => Self::Empty,
                "+1" => Self::Plus1,
                "-1" => Self::Minus1,
                "1" => Self::V1,
                ">" => Self::Greater,
                "self" => Self::Self2,
                "Self" => Self::Self_,
                "other" => Self::Other,
                "NaN" => Self::NaN,
                "é" => Self::É,
                "two words" => Self::TwoWords,
                "m" => Self::M,
                "m²" => Self::M2,
                "CO₂" => Self::Co,
                "ⓐ" => Self::X,
                "½" => Self::X2,
                other => Self::Other2(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingOdd);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingTwice {
        /// `A`.
        A,
        /// `B`.
        B,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingTwice {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "A",
                Self::B => "B",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingTwice {
        fn from(value: &str) -> Self {
            match value {
                "A" => Self::A,
                "B" => Self::B,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingTwice);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingUntyped {
        /// `up`.
        Up,
        /// `down`.
        Down,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingUntyped {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Up => "up",
                Self::Down => "down",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingUntyped {
        fn from(value: &str) -> Self {
            match value {
                "up" => Self::Up,
                "down" => Self::Down,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingUntyped);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingWithNull {
        /// `A`.
        A,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingWithNull {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "A",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingWithNull {
        fn from(value: &str) -> Self {
            match value {
                "A" => Self::A,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingWithNull);

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `circle`.
        pub circle: Option<Word>,
        /// The field `empty`.
        pub empty: Option<String>,
        /// The field `list`.
        pub list: Vec<Level>,
        /// The field `mixed`.
        pub mixed: Option<__runtime::__private::serde_json::Value>,
        /// How much.
        pub named: Option<Level>,
        /// The field `numbers`.
        pub numbers: Option<i64>,
        /// The field `numbers_as_text`.
        pub numbers_as_text: Option<String>,
        /// The field `odd`.
        pub odd: Option<ThingOdd>,
        /// The field `twice`.
        pub twice: Option<ThingTwice>,
        /// The field `untyped`.
        pub untyped: Option<ThingUntyped>,
        /// The field `with_null`.
        pub with_null: Option<ThingWithNull>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("circle", &self.circle)
                .field("empty", &self.empty)
                .field("list", &self.list)
                .field("mixed", &__runtime::__private::Untyped(&self.mixed))
                .field("named", &self.named)
                .field("numbers", &self.numbers)
                .field("numbers_as_text", &self.numbers_as_text)
                .field("odd", &self.odd)
                .field("twice", &self.twice)
                .field("untyped", &self.untyped)
                .field("with_null", &self.with_null)
                .finish()
        }
    }

    __runtime::__private::object! {
        Thing {
            0 "circle" circle text optional;
            1 "empty" empty text optional;
            2 "list" list shaped < lenient::shape::List < lenient::shape::Text < Level >> > optional;
            3 "mixed" mixed plain optional;
            4 "named" named text optional;
            5 "numbers" numbers integer optional;
            6 "numbers_as_text" numbers_as_text text optional;
            7 "odd" odd text optional;
            8 "twice" twice text optional;
            9 "untyped" untyped text optional;
            10 "with_null" with_null text optional;
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

    /// Reads a thing.
    ///
    /// `GET /things/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_thing(&self, id: impl Into<String>) -> GetThing {
        GetThing {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }
}

/// The call that [`Api::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("get_thing", "GET")
            .literal("/things/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = __runtime::Result<types::Thing>;
    type IntoFuture = __runtime::__private::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
