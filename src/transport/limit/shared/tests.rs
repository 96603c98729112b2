//! What one process is given and may use, exchange by exchange.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::bell::Bell;
use super::holding::{Holding, State};
use super::ledger::{Ask, Grant, LEASE, Ledger};
use crate::transport::limit::Limit;

/// Every 100 ms for a minute, each of these asks for a place, and keeps what it has for 300 ms. How
/// often each had one.
fn turns(processes: u64, concurrent: u64) -> Vec<u64> {
    let limit = Limit { requests: 1_000, concurrent: Some(concurrent) };
    let mut ledger = Ledger::default();
    let mut open_until = vec![0; processes as usize];
    let mut had = vec![0; processes as usize];
    for tick in 0..600 {
        for member in 0..processes {
            let now = tick * 100_000 + member * 1_000;
            let it = member as usize;
            let open = u64::from(now < open_until[it]);
            let ask = Ask { member, slots: open, wants: 1, wants_slots: 1, ..Ask::default() };
            if ledger.exchange(now, limit, &ask).slots > 0 && open == 0 {
                open_until[it] = now + 300_000;
            }
            had[it] += u64::from(now < open_until[it]);
        }
        let open = open_until.iter().filter(|until| tick * 100_000 + 99_000 < **until).count();
        assert!(open as u64 <= concurrent, "{open}");
    }
    had
}

#[test]
fn nobody_is_left_without_a_place_for_ever() {
    for (processes, concurrent) in [(3, 2), (3, 1), (8, 4), (2, 2)] {
        let had = turns(processes, concurrent);
        let fair = 600 * concurrent / processes;
        let least = fair * 8 / 10;
        assert!(had.iter().all(|had| *had >= least), "{had:?}, of {fair} each");
    }
}

#[test]
fn permits_of_a_lost_lease_are_not_used() {
    let now = Instant::now();
    let mut holding = Holding::new(Arc::<Bell>::default(), now);
    let grant = |goes_on, permits| Grant { goes_on, permits, slots: 9, is_all: true };
    holding.take(&grant(true, vec![(0, 5)]), now, now);
    assert!(holding.room_for(5, None, now).is_ok());
    // Before its end, so that they are kept, and reported; but the report comes too late.
    let before = now + Duration::from_micros(LEASE) - Duration::from_millis(10);
    let limit = Limit { requests: 100, concurrent: None };
    let state = State { limit, waiting: 5, unanswered: 0, open: 0 };
    assert_eq!(holding.ask(state, 1, false, before).expect("a report").permits, 5);
    let after = before + Duration::from_millis(20);
    holding.take(&grant(false, vec![(0, 1)]), before, after);
    assert!(holding.room_for(1, None, after).is_ok());
    assert!(holding.room_for(2, None, after).is_err());
}
