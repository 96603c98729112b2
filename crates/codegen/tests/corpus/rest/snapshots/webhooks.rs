/// What the calls send and answer with.
pub mod types {}
impl Rest {
    /// Prepares a call.
    ///
    /// `GET /ping`
    pub fn ping(&self) -> Ping {
        Ping {
            rest: self.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Rest::ping`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Ping {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl Ping {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("ping", "GET")
            .literal("/ping")
            .timeout(self.timeout);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Ping {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
