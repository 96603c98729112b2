//! A run, as data: the settings, what the callers do, and what the peer does to each request.
//!
//! It is drawn from a seed (`draw`), printed when an invariant is broken, and shrunk.

mod draw;
mod fault;
mod step;

pub use draw::plan;
pub use fault::{Answer, Echo, Ending, Fault, Garble, H2Reset, Place, RetryAfter, Words};
pub use step::{End, JobScript, Manner, Pick, Step, Work};

use std::collections::BTreeMap;
use std::time::Duration;

use crate::operation::Operation;

/// Everything that decides how a run goes, besides the code under test.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub settings: Settings,
    pub actors: Vec<Actor>,
    /// What becomes of the requests of an operation, in the order in which they arrive. Those after
    /// the last are served as they should be: each run ends with a peer that behaves.
    pub faults: BTreeMap<Operation, Vec<Fault>>,
    /// How many of the first connections are closed or reset before a byte of them is read.
    pub dead_connections: u8,
    /// When the peer does not listen: connections are refused.
    pub away: Option<(Duration, Duration)>,
}

/// The client's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    pub http2: bool,
    /// How many requests at a time the peer takes on a connection of HTTP/2.
    pub streams: u32,
    pub attempts: u32,
    pub timeout: Duration,
    pub call_timeout: Option<Duration>,
    pub connect_timeout: Duration,
    /// The share of the documented rate limits; `None` turns them off.
    pub share: Option<f64>,
    pub polls_per_second: u32,
    pub first_pause: Duration,
    pub longest_pause: Duration,
    pub graphql_variables: bool,
    /// Everything is traced at the most verbose level.
    pub traced: bool,
}

/// Steps that are taken one after another, in a task of their own.
#[derive(Clone, Debug)]
pub struct Actor {
    pub starts: Duration,
    pub steps: Vec<Work>,
}
