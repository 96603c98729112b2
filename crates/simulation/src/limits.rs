//! Store of shared limits in memory, as one process sees it, with the faults of that process.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use podqueue::{ChangeRecords, LimitStore, StoreError};
use tokio::time::{Instant, sleep, sleep_until};

use crate::store::{Database, ProcessFaults};
use crate::virtual_time;

/// The records, by their keys.
pub(crate) type Records = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Lease of permits, and the longest time until a request with one arrives.
const LEASE: Duration = Duration::from_millis(1_000 + 250);

/// The last exchange of each client about each operation, by its key and the operation's name.
#[derive(Clone, Default)]
pub(crate) struct Exchanges(Arc<Mutex<BTreeMap<(String, String), Instant>>>);

impl Exchanges {
    fn record(&self, client: &str, operation: &str) {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert((client.to_owned(), operation.to_owned()), Instant::now());
    }

    /// Returns true if the client can have a permit for this operation now. Its lease ends a second
    /// after it asked, and so at the latest a second after the exchange.
    pub(crate) fn permit(&self, client: &str, operation: &str) -> bool {
        let made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = made.get(&(client.to_owned(), operation.to_owned()));
        last.is_some_and(|at| at.elapsed() <= LEASE)
    }
}

pub(crate) struct LimitsInMemory {
    pub(crate) records: Records,
    pub(crate) exchanges: Exchanges,
    /// The key of the client.
    pub(crate) client: String,
    /// Is unreachable when the journal's database is.
    pub(crate) database: Database,
    pub(crate) life: ProcessFaults,
}

impl LimitStore for LimitsInMemory {
    fn name(&self) -> String {
        "the simulated limits".to_owned()
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        if !self.database.is_reached_by(&self.life) {
            return Err("it cannot be reached".into());
        }
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed: Vec<_> = keys.iter().map(|key| records.remove(key)).collect();
        change(virtual_time::now(), &mut changed);
        let changed = keys.iter().cloned().zip(changed);
        records.extend(changed.filter_map(|(key, record)| Some((key, record?))));
        // The key of a record is made of the account, the operation and the endpoint.
        for operation in keys.iter().filter_map(|key| key.split(' ').nth(1)) {
            self.exchanges.record(&self.client, operation);
        }
        self.database.trace().count(|figures| figures.exchanges += 1);
        let loses_response = self.database.trace().random(|random| random.u32(..200) == 0);
        if loses_response { Err("its response was lost".into()) } else { Ok(()) }
    }

    fn response(&mut self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        let life = self.life.clone();
        // Now and then for longer than the lease of permits.
        let latency = self.database.trace().random(|random| match random.u32(..200) {
            0 => random.u64(20_000..1_500_000),
            _ => random.u64(300..4_000),
        });
        Some(Box::pin(async move {
            sleep(Duration::from_micros(latency)).await;
            while let Some(until) = life.stopped_until().filter(|_| !life.is_dead()) {
                sleep_until(until).await;
            }
        }))
    }
}
