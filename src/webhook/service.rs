//! Receiver as a tower service.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use tower_service::Service;

use super::{Answer, Webhooks};

/// Accepts deliveries at any path that ends in the token, with any method. The response has no
/// body.
///
/// Must be polled in a tokio runtime with the time driver enabled.
impl<B> Service<Request<B>> for Webhooks
where
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Empty<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let webhooks = self.clone();
        Box::pin(async move {
            let answer = webhooks.read_and_take(request).await;
            let mut response = Response::new(Empty::new());
            *response.status_mut() =
                StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Ok(response)
        })
    }
}

impl Webhooks {
    /// Checks the token first: without it, the body is not read.
    async fn read_and_take<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let (head, body) = request.into_parts();
        if !self.inner.token.ends(head.uri.path()) {
            return Answer::UnknownToken;
        }
        let body = Limited::new(body, self.inner.body_limit).collect();
        match tokio::time::timeout(self.inner.body_timeout, body).await {
            Ok(Ok(body)) => self.take(&body.to_bytes()).await,
            Ok(Err(error)) if error.is::<LengthLimitError>() => Answer::TooLarge,
            Ok(Err(_)) => Answer::Unreadable,
            Err(_) => Answer::TooSlow,
        }
    }
}
