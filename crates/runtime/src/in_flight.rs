//! Requests in flight, each with the deadline after which it is taken for abandoned.

use slab::Slab;
use tokio::time::Instant;

/// A request is in flight from its admission until its response has been read, it was abandoned, or
/// its deadline has passed. The last happens only if the caller of a request is not polled.
#[derive(Default)]
pub(super) struct InFlight {
    requests: Slab<Request>,
    /// The number of requests so far.
    started: u64,
    /// A lower bound of the earliest deadline.
    next_overdue: Option<Instant>,
}

struct Request {
    number: u64,
    deadline: Option<Instant>,
    is_answered: bool,
}

/// Identifies a request, also after its end.
pub(super) struct Ticket {
    key: usize,
    number: u64,
}

impl InFlight {
    /// Adds a request with a deadline.
    pub(super) fn add(&mut self, deadline: Option<Instant>) -> Ticket {
        self.started += 1;
        let number = self.started;
        let key = self.requests.insert(Request { number, deadline, is_answered: false });
        self.next_overdue = [self.next_overdue, deadline].into_iter().flatten().min();
        Ticket { key, number }
    }

    /// Records that the response to a request begins. Returns true the first time.
    pub(super) fn answer(&mut self, ticket: &Ticket) -> bool {
        let request = self.requests.get_mut(ticket.key);
        request
            .filter(|request| request.number == ticket.number)
            .is_some_and(|request| !std::mem::replace(&mut request.is_answered, true))
    }

    /// Replaces the deadline of a request.
    pub(super) fn extend(&mut self, ticket: &Ticket, deadline: Option<Instant>) {
        let request = self.requests.get_mut(ticket.key);
        if let Some(request) = request.filter(|request| request.number == ticket.number) {
            request.deadline = deadline;
            self.next_overdue = [self.next_overdue, deadline].into_iter().flatten().min();
        }
    }

    /// Ends a request. Returns true if its response had begun; `None` if its deadline had passed.
    pub(super) fn end(&mut self, ticket: &Ticket) -> Option<bool> {
        self.requests.get(ticket.key).filter(|request| request.number == ticket.number)?;
        Some(self.requests.remove(ticket.key).is_answered)
    }

    /// Ends the overdue requests. Returns for each: true if its response had begun.
    pub(super) fn end_overdue(&mut self, now: Instant) -> Vec<bool> {
        if self.next_overdue.is_none_or(|next| next > now) {
            return Vec::new();
        }
        let mut overdue = Vec::new();
        self.requests.retain(|_, request| {
            let keep = request.deadline.is_none_or(|deadline| deadline > now);
            if !keep {
                overdue.push(request.is_answered);
            }
            keep
        });
        self.next_overdue = self.requests.iter().filter_map(|(_, request)| request.deadline).min();
        overdue
    }

    /// The number of requests in flight.
    pub(super) fn len(&self) -> usize {
        self.requests.len()
    }

    /// The earliest time at which a request may be overdue.
    pub(super) fn next_overdue(&self) -> Option<Instant> {
        self.next_overdue
    }
}
