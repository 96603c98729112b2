//! The limiter in controlled time, against every way in which a service may count.

mod counted;
mod scopes;
mod throttled;
mod throughput;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use super::Limit;
use super::operation::{Gate, Pass};

/// What an attempt may take by default.
const TIME: Duration = Duration::from_secs(30);

fn gate(requests: u64, concurrent: Option<u64>) -> Arc<Gate> {
    Arc::new(Gate::new(Limit { requests, concurrent }))
}

async fn pass(gate: &Arc<Gate>) -> Pass {
    Arc::clone(gate).pass(Duration::MAX, None).await
}

/// A request that is answered at once.
async fn request(gate: &Arc<Gate>) {
    let mut pass = pass(gate).await;
    pass.sent();
    pass.answered();
    pass.finished();
}
