/// What the calls send and answer with.
pub mod types {}
impl Rest {
    /// Prepares a call.
    ///
    /// `GET /a`
    ///
    /// # Errors
    ///
    /// - 400: Wrong: see \<b\>field\</b\> \[0\].
    /// - 404: There is none.
    /// - 500: Broken.
    pub fn read(&self) -> Read {
        Read {
            rest: self.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Rest::read`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl Read {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<String> {
        let call = crate::rest::call::RestCall::new("read", "GET")
            .literal("/a")
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
