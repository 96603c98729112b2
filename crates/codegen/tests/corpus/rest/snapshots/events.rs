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
    pub enum EventOneOfConsts {
        /// `small`.
        Small,
        /// `large`.
        Large,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl EventOneOfConsts {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Small => "small",
                Self::Large => "large",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for EventOneOfConsts {
        fn from(value: &str) -> Self {
            match value {
                "small" => Self::Small,
                "large" => Self::Large,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(EventOneOfConsts);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum EventTextOrEnum {
        /// `a`.
        A,
        /// `b`.
        B,
        /// `c`.
        C,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl EventTextOrEnum {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::A => "a",
                Self::B => "b",
                Self::C => "c",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for EventTextOrEnum {
        fn from(value: &str) -> Self {
            match value {
                "a" => Self::A,
                "b" => Self::B,
                "c" => Self::C,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(EventTextOrEnum);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum EventType {
        /// `invoice.paid`.
        InvoicePaid,
        /// `invoice.payment_failed`.
        InvoicePaymentFailed,
        /// `customer.subscription.created`.
        CustomerSubscriptionCreated,
        /// `ping`.
        Ping,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl EventType {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::InvoicePaid => "invoice.paid",
                Self::InvoicePaymentFailed => "invoice.payment_failed",
                Self::CustomerSubscriptionCreated => "customer.subscription.created",
                Self::Ping => "ping",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for EventType {
        fn from(value: &str) -> Self {
            match value {
                "invoice.paid" => Self::InvoicePaid,
                "invoice.payment_failed" => Self::InvoicePaymentFailed,
                "customer.subscription.created" => Self::CustomerSubscriptionCreated,
                "ping" => Self::Ping,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(EventType);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum PageObject {
        /// `list`.
        List,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl PageObject {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::List => "list",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for PageObject {
        fn from(value: &str) -> Self {
            match value {
                "list" => Self::List,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(PageObject);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum GetEventId {
        /// `fixed`.
        Fixed,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl GetEventId {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Fixed => "fixed",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for GetEventId {
        fn from(value: &str) -> Self {
            match value {
                "fixed" => Self::Fixed,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(GetEventId);

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Event {
        /// The field `blank`.
        pub blank: Option<__runtime::__private::serde_json::Value>,
        /// The field `blob`.
        pub blob: Option<String>,
        /// The field `by_pattern`.
        pub by_pattern: HashMap<String, StringOrInteger>,
        /// The field `conditional`.
        pub conditional: Option<EventConditional>,
        /// The field `const_null`.
        pub const_null: Option<__runtime::__private::serde_json::Value>,
        /// The field `const_number`.
        pub const_number: Option<i64>,
        /// The field `const_object`.
        pub const_object: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field `data`.
        pub data: Option<__runtime::__private::serde_json::Value>,
        /// The field `deep`.
        pub deep: Option<EventDeep>,
        /// The field `four`.
        pub four: Option<EventFour>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `inner_json`.
        pub inner_json: Option<String>,
        /// The field `labels`.
        pub labels: HashMap<String, Option<String>>,
        /// The field `mixed_list`.
        pub mixed_list: Vec<Option<StringOrInteger>>,
        /// The field `never`.
        pub never: Option<__runtime::__private::serde_json::Value>,
        /// The field `null_only`.
        pub null_only: Option<__runtime::__private::serde_json::Value>,
        /// Perhaps.
        pub nullable_union: Option<NewEvent>,
        /// The field `one_of_consts`.
        pub one_of_consts: Option<EventOneOfConsts>,
        /// The field `pair`.
        pub pair: Vec<StringOrInteger>,
        /// The field `ref_in_any`.
        pub ref_in_any: Option<EventOrEventList>,
        /// The field `size`.
        pub size: Option<i64>,
        /// Where from.
        pub source: Option<Source>,
        /// The field `text_or_enum`.
        pub text_or_enum: Option<EventTextOrEnum>,
        /// The field `three`.
        pub three: Option<StringOrNumberOrBoolean>,
        /// The field `tree`.
        pub tree: Option<Tree>,
        /// The field `type`.
        pub type_: Option<EventType>,
        /// The field `with_contains`.
        pub with_contains: Vec<__runtime::__private::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Event {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Event")
                .field("blank", &__runtime::__private::Untyped(&self.blank))
                .field("blob", &self.blob)
                .field("by_pattern", &self.by_pattern)
                .field("conditional", &self.conditional)
                .field("const_null", &__runtime::__private::Untyped(&self.const_null))
                .field("const_number", &self.const_number)
                .field(
                    "const_object",
                    &__runtime::__private::Untyped(&self.const_object),
                )
                .field("data", &__runtime::__private::Untyped(&self.data))
                .field("deep", &self.deep)
                .field("four", &self.four)
                .field("id", &self.id)
                .field("inner_json", &self.inner_json)
                .field("labels", &self.labels)
                .field("mixed_list", &self.mixed_list)
                .field("never", &__runtime::__private::Untyped(&self.never))
                .field("null_only", &__runtime::__private::Untyped(&self.null_only))
                .field("nullable_union", &self.nullable_union)
                .field("one_of_consts", &self.one_of_consts)
                .field("pair", &self.pair)
                .field("ref_in_any", &self.ref_in_any)
                .field("size", &self.size)
                .field("source", &self.source)
                .field("text_or_enum", &self.text_or_enum)
                .field("three", &self.three)
                .field("tree", &self.tree)
                .field("type_", &self.type_)
                .field(
                    "with_contains",
                    &__runtime::__private::Untyped(&self.with_contains),
                )
                .finish()
        }
    }

    __runtime::__private::object! {
        Event {
            0 "blank" blank plain optional;
            1 "blob" blob plain optional;
            2 "by_pattern" by_pattern map optional;
            3 "conditional" conditional plain optional;
            4 "const_null" const_null plain optional;
            5 "const_number" const_number integer optional;
            6 "const_object" const_object or_default optional;
            7 "data" data plain optional;
            8 "deep" deep plain optional;
            9 "four" four plain optional;
            10 "id" id plain optional;
            11 "inner_json" inner_json plain optional;
            12 "labels" labels shaped < lenient::shape::Dictionary < lenient::shape::Nullable < lenient::shape::Plain < String >>> > optional;
            13 "mixed_list" mixed_list shaped < lenient::shape::List < lenient::shape::Nullable < lenient::shape::Plain < StringOrInteger >>> > optional;
            14 "never" never plain optional;
            15 "null_only" null_only plain optional;
            16 "nullable_union" nullable_union plain optional;
            17 "one_of_consts" one_of_consts plain optional;
            18 "pair" pair list optional;
            19 "ref_in_any" ref_in_any plain optional;
            20 "size" size integer optional;
            21 "source" source plain optional;
            22 "text_or_enum" text_or_enum plain optional;
            23 "three" three plain optional;
            24 "tree" tree plain optional;
            25 "type" type_ plain optional;
            26 "with_contains" with_contains list optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct EventConditional {
        /// The field `kind`.
        pub kind: Option<String>,
    }

    __runtime::__private::object! {
        EventConditional {
            0 "kind" kind plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct EventDeep {
        /// The field `x`.
        pub x: Option<String>,
        /// The field `y`.
        pub y: Option<bool>,
    }

    __runtime::__private::object! {
        EventDeep {
            0 "x" x plain optional;
            1 "y" y plain optional;
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum EventFour {
        /// A list.
        Array(Vec<i64>),
        /// An object.
        Object {
            /// The field `a`.
            #[serde(skip_serializing_if = "Option::is_none")]
            a: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for EventFour {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Array(value_0) => f.debug_tuple("Array").field(value_0).finish(),
                Self::Object { a: value_0 } => {
                    f.debug_struct("Object").field("a", value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<Vec<i64>> for EventFour {
        fn from(value: Vec<i64>) -> Self {
            Self::Array(value)
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum EventOrEventList {
        /// A list.
        Array(Vec<Event>),
        /// One of the shapes.
        Event(Box<Event>),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for EventOrEventList {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Array(value_0) => f.debug_tuple("Array").field(value_0).finish(),
                Self::Event(value_0) => f.debug_tuple("Event").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<Vec<Event>> for EventOrEventList {
        fn from(value: Vec<Event>) -> Self {
            Self::Array(value)
        }
    }

    impl ::std::convert::From<Box<Event>> for EventOrEventList {
        fn from(value: Box<Event>) -> Self {
            Self::Event(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    pub struct NewEvent {
        /// The field `amount`.
        pub amount: Option<StringOrNumber>,
        /// The field `at`.
        pub at: Option<StringOrInteger>,
        /// The field `data`.
        pub data: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
        /// The field `pair`.
        pub pair: Vec<StringOrInteger>,
        /// The field `retry`.
        pub retry: Option<NewEventRetry>,
        /// The field `type`.
        pub type_: Option<String>,
    }

    impl NewEvent {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(type_: impl Into<String>) -> Self {
            fn make(type_: Option<String>) -> NewEvent {
                NewEvent {
                    type_,
                    amount: ::std::default::Default::default(),
                    at: ::std::default::Default::default(),
                    data: ::std::default::Default::default(),
                    pair: ::std::default::Default::default(),
                    retry: ::std::default::Default::default(),
                }
            }
            make(Some(type_.into()))
        }
    }

    impl ::std::fmt::Debug for NewEvent {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("NewEvent")
                .field("amount", &self.amount)
                .field("at", &self.at)
                .field("data", &__runtime::__private::Untyped(&self.data))
                .field("pair", &self.pair)
                .field("retry", &self.retry)
                .field("type_", &self.type_)
                .finish()
        }
    }

    __runtime::__private::object! {
        NewEvent {
            0 "amount" amount plain optional;
            1 "at" at plain optional;
            2 "data" data or_default optional;
            3 "pair" pair list optional;
            4 "retry" retry plain optional;
            5 "type" type_ plain optional;
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum NewEventRetry {
        /// A boolean.
        Boolean(bool),
        /// An object.
        Object {
            /// The field `max`.
            #[serde(
                default,
                deserialize_with = "lenient::integer",
                skip_serializing_if = "Option::is_none"
            )]
            max: Option<i64>,
        },
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for NewEventRetry {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Boolean(value_0) => {
                    f.debug_tuple("Boolean").field(value_0).finish()
                }
                Self::Object { max: value_0 } => {
                    f.debug_struct("Object").field("max", value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<bool> for NewEventRetry {
        fn from(value: bool) -> Self {
            Self::Boolean(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Page {
        /// The field `cursor`.
        pub cursor: Option<String>,
        /// The field `data`.
        pub data: Vec<Event>,
        /// The field `has_more`.
        pub has_more: Option<bool>,
        /// The field `object`.
        pub object: Option<PageObject>,
    }

    __runtime::__private::object! {
        Page {
            0 "cursor" cursor text optional;
            1 "data" data list optional;
            2 "has_more" has_more boolean optional;
            3 "object" object text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct SendEventResponse {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        SendEventResponse {
            0 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Source {
        /// The field `agent`.
        pub agent: Option<String>,
        /// The field `ip`.
        pub ip: Option<String>,
    }

    __runtime::__private::object! {
        Source {
            0 "agent" agent plain optional;
            1 "ip" ip plain optional;
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum StringOrInteger {
        /// A whole number.
        Integer(i64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrInteger {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Integer(value_0) => {
                    f.debug_tuple("Integer").field(value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<i64> for StringOrInteger {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum StringOrNumber {
        /// A number.
        Number(f64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrNumber {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Number(value_0) => f.debug_tuple("Number").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<f64> for StringOrNumber {
        fn from(value: f64) -> Self {
            Self::Number(value)
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum StringOrNumberOrBoolean {
        /// A boolean.
        Boolean(bool),
        /// A number.
        Number(f64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrNumberOrBoolean {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Boolean(value_0) => {
                    f.debug_tuple("Boolean").field(value_0).finish()
                }
                Self::Number(value_0) => f.debug_tuple("Number").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<bool> for StringOrNumberOrBoolean {
        fn from(value: bool) -> Self {
            Self::Boolean(value)
        }
    }

    impl ::std::convert::From<f64> for StringOrNumberOrBoolean {
        fn from(value: f64) -> Self {
            Self::Number(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Tree {
        /// The field `children`.
        pub children: Vec<Tree>,
    }

    __runtime::__private::object! {
        Tree {
            0 "children" children list optional;
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
    /// `GET /events/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn get_event(&self, id: impl Into<types::GetEventId>) -> GetEvent {
        GetEvent {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /events`
    pub fn list_events(&self) -> ListEvents {
        ListEvents {
            service: self.service.clone(),
            timeout: None,
            after: None,
            kinds: None,
            options: None,
            exact: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /events`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn send_event(&self, body: impl Into<types::NewEvent>) -> SendEvent {
        SendEvent {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /ref`
    pub fn shared(&self) -> Shared {
        Shared {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::get_event`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetEvent {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: types::GetEventId,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetEvent {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Event> {
        __runtime::__private::rest::RestCall::new("get_event", "GET")
            .literal("/events/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetEvent {
    type Output = __runtime::Result<types::Event>;
    type IntoFuture = __runtime::__private::Sending<types::Event>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::list_events`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ListEvents {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    after: Option<String>,
    kinds: Option<Vec<String>>,
    options: Option<
        __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    >,
    exact: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ListEvents {
    /// Sent as the query parameter `after`.
    pub fn after(mut self, after: impl Into<String>) -> Self {
        self.after = Some(after.into());
        self
    }

    /// Sent as the query parameter `kinds`.
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.kinds = Some(kinds.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `options`.
    pub fn options(
        mut self,
        options: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    ) -> Self {
        self.options = Some(options);
        self
    }

    /// Sent as the query parameter `exact`.
    pub fn exact(mut self, exact: impl Into<String>) -> Self {
        self.exact = Some(exact.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Page> {
        __runtime::__private::rest::RestCall::new("list_events", "GET")
            .literal("/events")
            .query("after", &self.after)
            .query_styled(
                "kinds",
                &self.kinds,
                __runtime::__private::rest::Style::Joined(","),
            )
            .query_styled(
                "options",
                &self.options,
                __runtime::__private::rest::Style::Json,
            )
            .query("exact", &self.exact)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ListEvents {
    type Output = __runtime::Result<types::Page>;
    type IntoFuture = __runtime::__private::Sending<types::Page>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::send_event`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct SendEvent {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::NewEvent,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl SendEvent {
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
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<Option<types::SendEventResponse>> {
        __runtime::__private::rest::RestCall::new("send_event", "POST")
            .literal("/events")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for SendEvent {
    type Output = __runtime::Result<Option<types::SendEventResponse>>;
    type IntoFuture = __runtime::__private::Sending<Option<types::SendEventResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::shared`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Shared {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Shared {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(
        self,
    ) -> __runtime::__private::Sending<__runtime::__private::serde_json::Value> {
        __runtime::__private::rest::RestCall::new("shared", "GET")
            .literal("/ref")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Shared {
    type Output = __runtime::Result<__runtime::__private::serde_json::Value>;
    type IntoFuture = __runtime::__private::Sending<
        __runtime::__private::serde_json::Value,
    >;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
