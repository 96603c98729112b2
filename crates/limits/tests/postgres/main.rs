//! Tests of the PostgreSQL store.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod clients;
mod exchanges;
#[path = "../support.rs"]
#[allow(dead_code, reason = "these tests need less of it")]
mod support;

use std::sync::LazyLock;

use podqueue_limits::PostgresLimits;
use podqueue_pgserver::Server;

/// Stopped when the process ends.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);

fn store(url: &str) -> PostgresLimits {
    PostgresLimits::connect(url).unwrap()
}
