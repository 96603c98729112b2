// tests/corpus/rest/paths.yaml:28:20: left out GET /files/{+path}: its path has the template {+path}, not a parameter
// tests/corpus/rest/paths.yaml:20:5: GET /queries?h={i}&j={k}: k is in the query of the path, so its style label is ignored there
// tests/corpus/rest/paths.yaml:29:20: left out GET /queries?{m}=n: its path has the query {m}=n, and only a whole value can be a parameter
// tests/corpus/rest/paths.yaml:8:5: GET /styles/{a}/{b c}/x{d}: e is a query parameter, so its style label is ignored
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
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
    /// `GET /queries?h={i}&j={k}`
    ///
    /// # Arguments
    ///
    /// - `i`: A part of the path.
    /// - `k`: A part of the path.
    pub fn declared(&self, i: i64, k: impl Into<String>) -> Declared {
        Declared {
            service: self.service.clone(),
            timeout: None,
            i,
            k: k.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /lists/{a}`
    ///
    /// # Arguments
    ///
    /// - `a`: A part of the path.
    pub fn list(&self, a: impl Into<String>) -> List {
        List {
            service: self.service.clone(),
            timeout: None,
            a: a.into(),
            page: None,
            text: None,
            size: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /a b/%20/ü/{id}:archive`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn odd(&self, id: impl Into<String>) -> Odd {
        Odd {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /t#Other.action`
    pub fn other(&self) -> Other {
        Other {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /t?kind=a&b={b}`
    ///
    /// # Arguments
    ///
    /// - `b`: A part of the path.
    pub fn read(&self, b: impl Into<String>) -> Read {
        Read {
            service: self.service.clone(),
            timeout: None,
            b: b.into(),
            c: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /queries/{a}?b={a}&c={a}&d%20e=f%26g`
    ///
    /// # Arguments
    ///
    /// - `a`: A part of the path.
    pub fn repeated(&self, a: impl Into<String>) -> Repeated {
        Repeated {
            service: self.service.clone(),
            timeout: None,
            a: a.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /rootless/{o}`
    ///
    /// # Arguments
    ///
    /// - `o`: A part of the path.
    pub fn rootless(&self, o: impl Into<String>) -> Rootless {
        Rootless {
            service: self.service.clone(),
            timeout: None,
            o: o.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /styles/{a}/{b c}/x{d}`
    ///
    /// # Arguments
    ///
    /// - `a`: A part of the path.
    /// - `b_c`: Sent as the part of the path `b c`.
    /// - `d`: A part of the path.
    pub fn styled(
        &self,
        a: i64,
        b_c: impl Into<String>,
        d: impl IntoIterator<Item = impl Into<String>>,
    ) -> Styled {
        Styled {
            service: self.service.clone(),
            timeout: None,
            a,
            b_c: b_c.into(),
            d: d.into_iter().map(Into::into).collect(),
            e: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /templates/`
    pub fn template(&self) -> Template {
        Template {
            service: self.service.clone(),
            timeout: None,
            l: None,
        }
    }
}

/// The call that [`Api::declared`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Declared {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    i: i64,
    k: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Declared {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("declared", "GET")
            .literal("/queries")
            .query("h", &self.i)
            .query("j", &self.k)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Declared {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::list`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct List {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    a: String,
    page: Option<String>,
    text: Option<String>,
    size: Option<i64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl List {
    /// Sent as the query parameter `page`.
    pub fn page(mut self, page: impl Into<String>) -> Self {
        self.page = Some(page.into());
        self
    }

    /// Sent as the query parameter `text`.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Sent as the query parameter `size`.
    pub fn size(mut self, size: i64) -> Self {
        self.size = Some(size);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("list", "GET")
            .literal("/lists/")
            .parameter("a", &self.a)
            .query("page", &self.page)
            .query("text", &self.text)
            .query("size", &self.size)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for List {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::odd`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Odd {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Odd {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("odd", "GET")
            .literal("/a b/%20/ü/")
            .parameter("id", &self.id)
            .literal(":archive")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Odd {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::other`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Other {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Other {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("other", "POST")
            .literal("/t")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Other {
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
    b: String,
    c: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Read {
    /// Sent as the query parameter `c`.
    pub fn c(mut self, c: impl Into<String>) -> Self {
        self.c = Some(c.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("read", "GET")
            .literal("/t")
            .query("kind", &"a")
            .query("b", &self.b)
            .query("c", &self.c)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::repeated`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Repeated {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    a: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Repeated {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("repeated", "GET")
            .literal("/queries/")
            .parameter("a", &self.a)
            .query("b", &self.a)
            .query("c", &self.a)
            .query("d e", &"f&g")
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Repeated {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::rootless`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Rootless {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    o: String,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Rootless {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("rootless", "GET")
            .literal("/rootless/")
            .parameter("o", &self.o)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Rootless {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::styled`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Styled {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    a: i64,
    b_c: String,
    d: Vec<String>,
    e: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Styled {
    /// Sent as the query parameter `e`.
    pub fn e(mut self, e: impl Into<String>) -> Self {
        self.e = Some(e.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("styled", "GET")
            .literal("/styles/")
            .parameter_styled(
                "a",
                &self.a,
                __runtime::__private::rest::PathStyle::Label {
                    exploded: false,
                },
            )
            .literal("/")
            .parameter_styled(
                "b c",
                &self.b_c,
                __runtime::__private::rest::PathStyle::Matrix {
                    exploded: true,
                },
            )
            .literal("/x")
            .parameter_styled(
                "d",
                &self.d,
                __runtime::__private::rest::PathStyle::Matrix {
                    exploded: true,
                },
            )
            .query("e", &self.e)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Styled {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::template`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Template {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    l: Option<String>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Template {
    /// Sent as the query parameter `l`.
    pub fn l(mut self, l: impl Into<String>) -> Self {
        self.l = Some(l.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<()> {
        __runtime::__private::rest::RestCall::new("template", "GET")
            .literal("/templates/")
            .query("l", &self.l)
            .timeout(self.timeout)
            .send_empty(self.service)
    }
}

impl ::std::future::IntoFuture for Template {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
