/// What the calls send and answer with.
pub mod types {}
impl Rest {
    /// Prepares a call.
    ///
    /// `GET /a b/%20/ü/{id}:archive`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn odd(&self, id: impl Into<String>) -> Odd {
        Odd {
            rest: self.clone(),
            timeout: None,
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `POST /t#Other.action`
    pub fn other(&self) -> Other {
        Other {
            rest: self.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /t?kind=a&b={b}`
    ///
    /// # Arguments
    ///
    /// - `b`: Sent as the query parameter `b`.
    pub fn read(&self, b: impl Into<String>) -> Read {
        Read {
            rest: self.clone(),
            timeout: None,
            b: b.into(),
            c: None,
        }
    }
}

/// The call that [`Rest::odd`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Odd {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
    id: String,
}

impl Odd {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("odd", "GET")
            .literal("/a b/%20/ü/")
            .parameter("id", &self.id)
            .literal(":archive")
            .timeout(self.timeout);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Odd {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::other`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Other {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl Other {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("other", "POST")
            .literal("/t")
            .timeout(self.timeout);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Other {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::read`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
    b: String,
    c: Option<String>,
}

impl Read {
    /// Sent as the query parameter `c`.
    pub fn c(mut self, c: impl Into<String>) -> Self {
        self.c = Some(c.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("read", "GET")
            .literal("/t")
            .query("kind", &"a")
            .query("b", &self.b)
            .query("c", &self.c)
            .timeout(self.timeout);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
