/// What the calls send and answer with.
pub mod types {}
impl Rest {
    /// Prepares a call.
    ///
    /// `GET /ping`
    pub fn ping(&self) -> Ping {
        Ping { rest: self.clone() }
    }
}

/// The call that [`Rest::ping`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Ping {
    rest: Rest,
}

impl Ping {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("ping", "GET").literal("/ping");
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
