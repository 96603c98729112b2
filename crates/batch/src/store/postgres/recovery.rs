//! Recovery of processes whose leases have expired.
//!
//! A lease is observed, not read: a process has expired once this process has been connected for a
//! lease's time, by its own monotonic clock, and has seen the number of its last change unchanged
//! ([`Peers`]). No clock is compared with another one. So nothing is concluded from a database that
//! was stopped, was cut off, has a new clock or was a replica until now: whatever its rows say, a
//! live process has the time to renew.
//!
//! The row of an expired process is deleted under its lock, so its next change finds no row and
//! fails. Its outstanding inputs get a new owner, and its interrupted submissions become unknown or
//! pending. Its sums are added to those of the recovering process, so that the counts of the batch
//! stay the same.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

use super::connection::StoreFailure;
use super::rows::{self, int8, int8s, value};
use super::transaction::{Delta, SUMS, Writing};
use crate::input_state::State;
use crate::store::Input;

/// A process, as its row is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    id: i64,
    last_change: i64,
    /// True if the process has given up its lease, or wrote to the results that the observer writes
    /// to: it can be recovered at once.
    has_released: bool,
}

/// Observations of the peers by this process.
#[derive(Debug, Default)]
pub(super) struct Peers {
    /// The number of the last change of each, and the time for which it has not changed.
    silent: HashMap<i64, (i64, Duration)>,
    observed: Option<Instant>,
}

impl Peers {
    /// Records what was found now, and returns the peers that can be recovered.
    pub(super) fn observe(&mut self, found: &[Peer], lease: Duration) -> Vec<Peer> {
        let now = Instant::now();
        let passed = self.observed.replace(now).map_or(Duration::ZERO, |before| now - before);
        self.observe_after(passed, found, lease)
    }

    fn observe_after(&mut self, passed: Duration, found: &[Peer], lease: Duration) -> Vec<Peer> {
        // This process may have been stopped or cut off meanwhile, and its peers with it: of a long
        // time, no more counts than that in which a live process renews its lease.
        let passed = passed.min(lease / 4);
        let before = std::mem::take(&mut self.silent);
        let silent = |peer: &Peer| match before.get(&peer.id) {
            Some((last_change, silent)) if *last_change == peer.last_change => *silent + passed,
            _ => Duration::ZERO,
        };
        self.silent =
            found.iter().map(|peer| (peer.id, (peer.last_change, silent(peer)))).collect();
        let is_expired = |peer: &&Peer| peer.has_released || silent(peer) >= lease;
        found.iter().filter(is_expired).copied().collect()
    }
}

/// The processes of a batch other than this one, which writes these results.
pub(super) async fn peers(
    client: &Client,
    batch: i64,
    process: i64,
    results: i64,
) -> Result<Vec<Peer>, StoreFailure> {
    let sql = "SELECT id, last_change,
            lease_until = '-infinity' OR (results = $3 AND results <> 0)
        FROM podqueue.process WHERE batch = $1 AND id <> $2";
    let values = [int8(&batch), int8(&process), int8(&results)];
    let found = client.query_typed(sql, &values).await?;
    let peer =
        |row: &Row| Peer { id: row.get(0), last_change: row.get(1), has_released: row.get(2) };
    Ok(found.iter().map(peer).collect())
}

/// Recovers these processes, unless they have changed anything since they were observed. Returns
/// their outstanding inputs, which belong to this process from now on.
pub(super) async fn recover(
    writing: &Writing<'_>,
    expired: &[Peer],
    intents: State,
) -> Result<(Vec<Input>, Delta), StoreFailure> {
    let Writing { client, batch, process, .. } = writing;
    let (ids, mut delta) = lock(client, *batch, expired).await?;
    let sql = "WITH expired AS (
            DELETE FROM podqueue.process WHERE id = ANY ($1) RETURNING id, batch, last_change)
        INSERT INTO podqueue.recovered (process, batch, last_change) SELECT * FROM expired
        ON CONFLICT DO NOTHING";
    client.query_typed(sql, &[int8s(&ids)]).await?;
    let sql = "UPDATE podqueue.input SET state = $3, owner = NULL, error = NULL,
            charged_ms = CASE WHEN $3 = 0 THEN 0 ELSE charged_ms END
        WHERE batch = $1 AND owner = ANY ($2) AND state = 1";
    let to = i16::from(intents.code());
    let values = [int8(batch), int8s(&ids), value(&to, Type::INT2)];
    let moved = client.execute_typed(sql, &values).await?;
    delta.shift(State::Intent, intents, usize::try_from(moved).unwrap_or(usize::MAX));
    let sql = format!(
        "UPDATE podqueue.input SET owner = $3
         WHERE batch = $1 AND owner = ANY ($2) AND state = 2 RETURNING {}",
        rows::INPUT
    );
    let values = [int8(batch), int8s(&ids), int8(process)];
    let taken = rows::inputs(&client.query_typed(&sql, &values).await?)?;
    Ok((taken, delta))
}

/// Locks the rows of these processes. Returns the ids of those that are as they were observed, and
/// the sum of what they have moved.
async fn lock(
    client: &Client,
    batch: i64,
    expired: &[Peer],
) -> Result<(Vec<i64>, Delta), StoreFailure> {
    // A locked row is skipped: its process is about to write, or is being recovered by another
    // process.
    let sql = format!(
        "SELECT id, {SUMS} FROM podqueue.process
         JOIN unnest($2, $3) AS observed (process, change)
             ON id = observed.process AND last_change = change
         WHERE batch = $1 ORDER BY id FOR UPDATE OF process SKIP LOCKED"
    );
    let (ids, changes): (Vec<_>, Vec<_>) =
        expired.iter().map(|peer| (peer.id, peer.last_change)).unzip();
    let values = [int8(&batch), int8s(&ids), int8s(&changes)];
    let found = client.query_typed(&sql, &values).await?;
    let mut sum = Delta::default();
    found.iter().filter_map(|row| Delta::of(row, 1)).for_each(|delta| sum.add(&delta));
    Ok((found.iter().map(|row| row.get(0)).collect(), sum))
}

/// The outstanding inputs of a process.
pub(super) async fn outstanding(
    client: &Client,
    batch: i64,
    process: i64,
) -> Result<Vec<Input>, StoreFailure> {
    let sql = format!(
        "SELECT {} FROM podqueue.input WHERE batch = $1 AND owner = $2 AND state = 2 ORDER BY idx",
        rows::INPUT
    );
    let values = [int8(&batch), int8(&process)];
    rows::inputs(&client.query_typed(&sql, &values).await?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Peer, Peers};

    const LEASE: Duration = Duration::from_secs(8);

    fn at_change(last_change: i64) -> [Peer; 1] {
        [Peer { id: 1, last_change, has_released: false }]
    }

    /// The number of observations, this long apart, until a silent peer has expired.
    fn observations(apart: Duration) -> usize {
        let mut peers = Peers::default();
        let mut observe = || peers.observe_after(apart, &at_change(7), LEASE).is_empty();
        (1..100).find(|_| !observe()).expect("it expires")
    }

    #[test]
    fn a_peer_expires_once_it_was_seen_unchanged_for_a_lease() {
        assert_eq!(observations(Duration::from_secs(1)), 9);
        assert_eq!(observations(LEASE / 4), 5);
        // Both were stopped or cut off meanwhile: it gets the time to renew.
        assert_eq!(observations(LEASE * 100), 5);
    }

    #[test]
    fn a_changed_or_returned_peer_gets_a_new_lease_time() {
        let mut peers = Peers::default();
        for change in 0..50 {
            assert_eq!(peers.observe_after(LEASE / 4, &at_change(change), LEASE), []);
        }
        // A database that was restored has an earlier change.
        for _ in 0..4 {
            assert_eq!(peers.observe_after(LEASE / 4, &at_change(3), LEASE), []);
        }
        assert_eq!(peers.observe_after(LEASE / 4, &[], LEASE), []);
        for _ in 0..4 {
            assert_eq!(peers.observe_after(LEASE / 4, &at_change(3), LEASE), []);
        }
        assert_eq!(peers.observe_after(LEASE / 4, &at_change(3), LEASE), at_change(3));
    }

    #[test]
    fn a_peer_that_has_released_its_lease_is_recovered_at_once() {
        let left = [Peer { has_released: true, ..at_change(1)[0] }];
        assert_eq!(Peers::default().observe_after(Duration::ZERO, &left, LEASE), left);
    }
}
