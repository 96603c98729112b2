//! Tests of the limiter in controlled time, against every algorithm by which a service may count.

mod counted;
mod explored;
mod order;
mod scopes;
pub(super) mod simulation;
mod throttled;
mod throughput;

use std::sync::Arc;
use std::time::Duration;

use super::Limit;
use super::operation::{OperationLimiter, Permit};

/// The default timeout of an attempt.
const TIME: Duration = Duration::from_secs(30);

fn operation_limiter(requests: u64, concurrent: Option<u64>) -> Arc<OperationLimiter> {
    Arc::new(OperationLimiter::new(Limit { requests, concurrent }))
}

async fn pass(operation_limiter: &Arc<OperationLimiter>) -> Permit {
    Arc::clone(operation_limiter).acquire(Duration::MAX, None).await
}

/// A request with an immediate response.
async fn request(operation_limiter: &Arc<OperationLimiter>) {
    let mut pass = pass(operation_limiter).await;
    pass.sent();
    pass.answered();
    pass.finished();
}
