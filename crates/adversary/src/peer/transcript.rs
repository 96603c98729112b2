//! What the peer saw and did.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tokio::time::Instant;

use crate::operation::Operation;
use crate::plan::Fault;
use crate::service::Request;

pub struct Transcript {
    pub began: Instant,
    pub arrivals: Vec<Arrival>,
    /// The connections that the client holds open.
    pub open: BTreeSet<usize>,
    in_flight: BTreeMap<Operation, u64>,
    /// The most requests of an operation at the same time.
    pub most: BTreeMap<Operation, u64>,
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub at: Instant,
    pub connection: usize,
    pub operation: Operation,
    /// What it is about: see `Request::id`.
    pub id: String,
    pub fault: Fault,
    /// Whether it took effect.
    pub acted: bool,
    pub fate: Fate,
    /// What came back, or may have, was well-formed and not true, and nothing in it could tell: it
    /// followed a response on this connection that nobody had asked for.
    pub lied: bool,
    /// The client may wait for it.
    pub open: bool,
}

/// What the client can know of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing, or nothing for sure.
    Unknown,
    /// 429, or an HTTP/2 signal that it was not started.
    NotTaken,
    /// Another refusal.
    Refused,
    /// All is well.
    Success,
}

impl Transcript {
    pub fn new(began: Instant) -> Self {
        Self {
            began,
            arrivals: Vec::new(),
            open: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            most: BTreeMap::new(),
        }
    }

    /// A request has arrived; the number is its place.
    pub fn arrived(&mut self, connection: usize, request: &Request, fault: &Fault) -> usize {
        let arrival = Arrival {
            at: Instant::now(),
            connection,
            operation: request.operation,
            id: request.id.clone(),
            fault: fault.clone(),
            acted: false,
            fate: Fate::Unknown,
            lied: false,
            open: true,
        };
        let count = self.in_flight.entry(arrival.operation).or_default();
        *count += 1;
        let most = self.most.entry(arrival.operation).or_default();
        *most = (*most).max(*count);
        self.arrivals.push(arrival);
        self.arrivals.len() - 1
    }

    /// It is over, or the client does not wait for it any more.
    pub fn left(&mut self, place: usize) {
        let arrival = &mut self.arrivals[place];
        if std::mem::take(&mut arrival.open) {
            *self.in_flight.entry(arrival.operation).or_default() -= 1;
        }
    }

    /// The whole response is out.
    pub fn is_answered(&mut self, place: usize, fate: Fate) {
        self.left(place);
        self.arrivals[place].fate = fate;
    }

    /// The client has closed the connection, and the peer is still at work.
    pub fn is_alone(&mut self, place: usize) {
        self.left(place);
        self.open.remove(&self.arrivals[place].connection);
    }

    pub fn of(&self, operation: Operation, id: &str) -> impl Iterator<Item = &Arrival> {
        self.arrivals
            .iter()
            .filter(move |arrival| arrival.operation == operation && arrival.id == id)
    }

    /// For a reader; a long tail of requests that were served well is left out.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        let (shown, left_out) = if self.arrivals.len() > 150 {
            (120, self.arrivals.len() - 120)
        } else {
            (self.arrivals.len(), 0)
        };
        for arrival in &self.arrivals[..shown] {
            let Arrival { at, connection, operation, id, fault, acted, fate, lied, .. } = arrival;
            let _ = write!(
                text,
                "{:>10.3}s  #{connection} {operation:?} {id}",
                (*at - self.began).as_secs_f64()
            );
            if *fault != Fault::None {
                let _ = write!(text, "  {fault:?}");
            }
            let _ = write!(text, "  acted: {acted}, {fate:?}");
            text.push_str(if *lied { ", out of step\n" } else { "\n" });
        }
        if left_out > 0 {
            let _ = writeln!(text, "… and {left_out} more");
        }
        text
    }
}
