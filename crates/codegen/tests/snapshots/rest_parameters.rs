// tests/corpus/rest/parameters.yaml:34:57: #/paths/~1a~1{id}~1{type}~1{undeclared}/get/parameters/20/schema: the default "no" does not conform to its schema
// tests/corpus/rest/parameters.yaml:11:5: GET /a/{id}/{type}/{undeclared}: left out a parameter: its name 7 is not a string
// tests/corpus/rest/parameters.yaml:11:5: GET /a/{id}/{type}/{undeclared}: left out a parameter: #/components/parameters/Gone leads nowhere
// tests/corpus/rest/parameters.yaml:11:5: GET /a/{id}/{type}/{undeclared}: left out a parameter: the header parameter x-number is described twice in one list, of which the first counts
// tests/corpus/rest/parameters.yaml:11:5: GET /a/{id}/{type}/{undeclared}: session is a cookie parameter, which cannot be sent
// tests/corpus/rest/parameters.yaml:5:26: GET /b/{id}#{fragment}: its response 200 is multipart/mixed, not read
// tests/corpus/rest/parameters.yaml:5:26: GET /b/{id}#{fragment}: the path has no place for the parameter fragment
/// Types of requests and responses.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

    #[allow(unused_imports)]
    use ::std::collections::HashMap;

    #[allow(unused_imports)]
    use super::__runtime;

    /// One of several values.
    #[non_exhaustive]
    pub enum Level {
        /// `low`.
        Low,
        /// `high`.
        High,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        Level Other { 0 Low "low"; 1 High "high"; }
    }

    /// An object of the interface.
    pub struct ReadFilter {
        /// The field `a`.
        pub a: Option<String>,
    }

    __runtime::__private::object! {
        ReadFilter {
            0 "a" a optional;
        } default
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
    /// `DELETE /{odd}`
    ///
    /// # Arguments
    ///
    /// - `odd`: A part of the path.
    pub fn delete_odd(
        &self,
        odd: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    ) -> DeleteOdd {
        DeleteOdd {
            service: self.service.clone(),
            timeout: None,
            odd,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /b/{id}#{fragment}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn fragment(&self, id: impl Into<String>) -> Fragment {
        Fragment {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /a/{id}/{type}/{undeclared}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    /// - `type_`: A part of the path.
    /// - `undeclared`: A part of the path.
    /// - `ids`: Sent as the query parameter `ids[]`.
    pub fn read(
        &self,
        id: i64,
        type_: impl Into<String>,
        undeclared: impl Into<String>,
        ids: impl IntoIterator<Item = i64>,
    ) -> Read {
        Read {
            service: self.service.clone(),
            timeout: None,
            id,
            type_: type_.into(),
            undeclared: undeclared.into(),
            ids: ids.into_iter().collect(),
            page: None,
            tags: None,
            levels: None,
            level: None,
            since: None,
            either: None,
            one_or_more: None,
            filter: None,
            encoded: None,
            x_trace_2: None,
            x_trace: None,
            x_contradiction: None,
            spaced: None,
            x_number: None,
            fn_: None,
            limit: None,
        }
    }
}

/// The call that [`Api::delete_odd`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct DeleteOdd {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    odd: __runtime::__private::serde_json::Map<
        String,
        __runtime::__private::serde_json::Value,
    >,
}

#[allow(dead_code, bindings_with_variant_name)]
impl DeleteOdd {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "delete_odd", "DELETE")
            .literal("/")
            .parameter_styled(
                "odd",
                &self.odd,
                __runtime::__private::rest::PathStyle::Simple {
                    exploded: false,
                },
            )
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for DeleteOdd {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::fragment`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Fragment {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Fragment {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::nothing)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::nothing)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "fragment", "GET")
            .literal("/b/")
            .parameter("id", &self.id)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Fragment {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::read`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: i64,
    type_: String,
    undeclared: String,
    page: Option<i64>,
    tags: Option<Vec<String>>,
    levels: Option<Vec<types::Level>>,
    ids: Vec<i64>,
    level: Option<types::Level>,
    since: Option<String>,
    either: Option<String>,
    one_or_more: Option<Vec<String>>,
    filter: Option<types::ReadFilter>,
    encoded: Option<
        __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    >,
    x_trace_2: Option<String>,
    x_trace: Option<String>,
    x_contradiction: Option<String>,
    spaced: Option<f64>,
    x_number: Option<i64>,
    fn_: Option<bool>,
    limit: Option<i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Read {
    /// Which page.
    ///
    /// Sent as the query parameter `page`.
    pub fn page(mut self, page: i64) -> Self {
        self.page = Some(page);
        self
    }

    /// Sent as the query parameter `tags`.
    pub fn tags(mut self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tags = Some(tags.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `levels`.
    pub fn levels(mut self, levels: impl IntoIterator<Item = types::Level>) -> Self {
        self.levels = Some(levels.into_iter().collect());
        self
    }

    /// Sent as the query parameter `level`.
    pub fn level(mut self, level: impl Into<types::Level>) -> Self {
        self.level = Some(level.into());
        self
    }

    /// Sent as the query parameter `since`.
    pub fn since(mut self, since: impl Into<String>) -> Self {
        self.since = Some(since.into());
        self
    }

    /// Sent as the query parameter `either`.
    pub fn either(mut self, either: impl Into<String>) -> Self {
        self.either = Some(either.into());
        self
    }

    /// Sent as the query parameter `one_or_more`.
    pub fn one_or_more(
        mut self,
        one_or_more: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.one_or_more = Some(one_or_more.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `filter`.
    pub fn filter(mut self, filter: impl Into<types::ReadFilter>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Sent as the query parameter `encoded`.
    pub fn encoded(
        mut self,
        encoded: __runtime::__private::serde_json::Map<
            String,
            __runtime::__private::serde_json::Value,
        >,
    ) -> Self {
        self.encoded = Some(encoded);
        self
    }

    /// Sent as the header `X-Trace`.
    pub fn x_trace_2(mut self, x_trace_2: impl Into<String>) -> Self {
        self.x_trace_2 = Some(x_trace_2.into());
        self
    }

    /// Sent as the query parameter `x_trace`.
    pub fn x_trace(mut self, x_trace: impl Into<String>) -> Self {
        self.x_trace = Some(x_trace.into());
        self
    }

    /// Sent as the header `X-Contradiction`.
    pub fn x_contradiction(mut self, x_contradiction: impl Into<String>) -> Self {
        self.x_contradiction = Some(x_contradiction.into());
        self
    }

    /// Sent as the query parameter ` spaced `.
    pub fn spaced(mut self, spaced: f64) -> Self {
        self.spaced = Some(spaced);
        self
    }

    /// Sent as the header `X-Number`.
    pub fn x_number(mut self, x_number: i64) -> Self {
        self.x_number = Some(x_number);
        self
    }

    /// Sent as the query parameter `fn`.
    pub fn fn_(mut self, fn_: bool) -> Self {
        self.fn_ = Some(fn_);
        self
    }

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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "read", "GET")
            .literal("/a/")
            .parameter("id", &self.id)
            .literal("/")
            .parameter("type", &self.type_)
            .literal("/")
            .parameter("undeclared", &self.undeclared)
            .query("page", &self.page)
            .query("tags", &self.tags)
            .query("levels", &self.levels)
            .query_encoded(
                "ids[]",
                &self.ids,
                __runtime::__private::rest::Encoding::PLAIN.with_items(),
            )
            .query("level", &self.level)
            .query("since", &self.since)
            .query("either", &self.either)
            .query("one_or_more", &self.one_or_more)
            .query_encoded(
                "filter",
                &self.filter,
                __runtime::__private::rest::Encoding::PLAIN
                    .style(__runtime::__private::rest::Style::Deep),
            )
            .query_encoded(
                "encoded",
                &self.encoded,
                __runtime::__private::rest::Encoding::PLAIN
                    .style(__runtime::__private::rest::Style::Json),
            )
            .query("x_trace", &self.x_trace)
            .query(" spaced ", &self.spaced)
            .query("fn", &self.fn_)
            .query("limit", &self.limit)
            .optional_header("X-Trace", &self.x_trace_2)
            .optional_header("X-Contradiction", &self.x_contradiction)
            .optional_header("X-Number", &self.x_number)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
