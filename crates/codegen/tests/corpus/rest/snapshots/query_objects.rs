// tests/corpus/rest/query_objects.yaml:5:5: GET /pods: the parameter X-Filter is no scalar and no list of scalars, so it cannot be sent as a header
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Filter {
        /// The field `name`.
        pub name: String,
        /// The field `owner`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owner: Option<FilterOwner>,
        /// The field `zones`.
        #[serde(
            default,
            deserialize_with = "lenient::shape::read::<lenient::shape::List<lenient::shape::Text<String>>,_>",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub zones: Vec<String>,
    }

    impl Filter {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: String) -> Filter {
                Filter {
                    name,
                    owner: ::std::default::Default::default(),
                    zones: ::std::default::Default::default(),
                }
            }
            make(name.into())
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct FilterOwner {
        /// The field `id`.
        pub id: Option<i64>,
    }

    __runtime::__private::object! {
        FilterOwner {
            0 "id" id integer optional;
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
    pub enum FindPodsCreated {
        /// A whole number.
        Integer(i64),
        /// An object.
        Object {
            /// The field `gt`.
            #[serde(
                default,
                deserialize_with = "lenient::integer",
                skip_serializing_if = "Option::is_none"
            )]
            gt: Option<i64>,
            /// The field `lt`.
            #[serde(
                default,
                deserialize_with = "lenient::integer",
                skip_serializing_if = "Option::is_none"
            )]
            lt: Option<i64>,
        },
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for FindPodsCreated {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Integer(value_0) => {
                    f.debug_tuple("Integer").field(value_0).finish()
                }
                Self::Object { gt: value_0, lt: value_1 } => {
                    f.debug_struct("Object")
                        .field("gt", value_0)
                        .field("lt", value_1)
                        .finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<i64> for FindPodsCreated {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct FindPodsPage {
        /// The field `after`.
        pub after: Option<String>,
        /// The field `limit`.
        pub limit: Option<i64>,
    }

    __runtime::__private::object! {
        FindPodsPage {
            0 "after" after text optional;
            1 "limit" limit integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct FindPodsPointsItem {
        /// The field `x`.
        pub x: Option<i64>,
    }

    __runtime::__private::object! {
        FindPodsPointsItem {
            0 "x" x integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct FindPodsQuery {
        /// The field `all`.
        pub all: Vec<String>,
    }

    __runtime::__private::object! {
        FindPodsQuery {
            0 "all" all shaped < lenient::shape::List < lenient::shape::Text < String >> > optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct FindPodsSize {
        /// The field `height`.
        pub height: Option<i64>,
        /// The field `width`.
        pub width: Option<i64>,
    }

    __runtime::__private::object! {
        FindPodsSize {
            0 "height" height integer optional;
            1 "width" width integer optional;
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
    /// `GET /pods`
    ///
    /// # Arguments
    ///
    /// - `filter`: Sent as the query parameter `filter`.
    /// - `x_zones`: Sent as the header `X-Zones`.
    pub fn find_pods(
        &self,
        filter: impl Into<types::Filter>,
        x_zones: impl Into<String>,
    ) -> FindPods {
        FindPods {
            service: self.service.clone(),
            timeout: None,
            filter: filter.into(),
            x_zones: x_zones.into(),
            created: None,
            expand: None,
            with: None,
            page: None,
            labels: None,
            size: None,
            range: None,
            query: None,
            points: None,
        }
    }
}

/// The call that [`Api::find_pods`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindPods {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    created: Option<types::FindPodsCreated>,
    filter: types::Filter,
    expand: Option<Vec<String>>,
    with: Option<Vec<String>>,
    page: Option<types::FindPodsPage>,
    labels: Option<::std::collections::HashMap<String, String>>,
    size: Option<types::FindPodsSize>,
    range: Option<::std::collections::HashMap<String, i64>>,
    query: Option<types::FindPodsQuery>,
    points: Option<Vec<types::FindPodsPointsItem>>,
    x_zones: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl FindPods {
    /// Sent as the query parameter `created`.
    pub fn created(mut self, created: impl Into<types::FindPodsCreated>) -> Self {
        self.created = Some(created.into());
        self
    }

    /// Sent as the query parameter `expand`.
    pub fn expand(
        mut self,
        expand: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.expand = Some(expand.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `with[]`.
    pub fn with(mut self, with: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with = Some(with.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `page`.
    pub fn page(mut self, page: impl Into<types::FindPodsPage>) -> Self {
        self.page = Some(page.into());
        self
    }

    /// Sent as the query parameter `labels`.
    pub fn labels(
        mut self,
        labels: ::std::collections::HashMap<String, String>,
    ) -> Self {
        self.labels = Some(labels);
        self
    }

    /// Sent as the query parameter `size`.
    pub fn size(mut self, size: impl Into<types::FindPodsSize>) -> Self {
        self.size = Some(size.into());
        self
    }

    /// Sent as the query parameter `range`.
    pub fn range(mut self, range: ::std::collections::HashMap<String, i64>) -> Self {
        self.range = Some(range);
        self
    }

    /// Sent as the query parameter `query`.
    pub fn query(mut self, query: impl Into<types::FindPodsQuery>) -> Self {
        self.query = Some(query.into());
        self
    }

    /// Sent as the query parameter `points`.
    pub fn points(
        mut self,
        points: impl IntoIterator<Item = types::FindPodsPointsItem>,
    ) -> Self {
        self.points = Some(points.into_iter().collect());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("find_pods", "GET")
            .literal("/pods")
            .query_styled(
                "created",
                &self.created,
                __runtime::__private::rest::Style::Deep,
            )
            .query_styled(
                "filter",
                &self.filter,
                __runtime::__private::rest::Style::Deep,
            )
            .query_styled(
                "expand",
                &self.expand,
                __runtime::__private::rest::Style::Deep,
            )
            .query("with[]", &self.with)
            .query_styled(
                "page",
                &self.page,
                __runtime::__private::rest::Style::Exploded,
            )
            .query_styled(
                "labels",
                &self.labels,
                __runtime::__private::rest::Style::Exploded,
            )
            .query_styled(
                "size",
                &self.size,
                __runtime::__private::rest::Style::Joined(","),
            )
            .query_styled(
                "range",
                &self.range,
                __runtime::__private::rest::Style::Joined("%7C"),
            )
            .query_styled("query", &self.query, __runtime::__private::rest::Style::Json)
            .query_styled(
                "points",
                &self.points,
                __runtime::__private::rest::Style::Exploded,
            )
            .header("X-Zones", &self.x_zones)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for FindPods {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
