//! How calls that the service holds open leave room for others.
//!
//! Over HTTP/1.1 each open request has a connection to itself. Over HTTP/2 all share one, which takes
//! as many as the peer admits, often a hundred: a few hundred synchronous jobs would fill it, and
//! whatever follows would queue inside the HTTP client until they end. The client's own HTTP client
//! speaks HTTP/1.1 for this reason. One that the user brings may not, so its held calls go by few at a
//! time unless a response shows that it does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::Version;
use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use super::driven::driven;
use super::exchange::{Arrived, Exchange, NotArrived};

/// Few enough for a peer that admits ten requests on a connection.
const HELD: usize = 8;

/// The places of held calls, where they are bounded.
pub(crate) struct Lane(Mutex<Option<Arc<Semaphore>>>);

impl Lane {
    /// Until a response tells the version, the narrower one is assumed.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Some(places())))
    }

    /// A response has come in this version.
    pub(super) fn saw(&self, version: Version) {
        let mut lane = self.places();
        if version >= Version::HTTP_2 {
            lane.get_or_insert_with(places);
        } else if let Some(places) = lane.take() {
            // Whoever waits goes on without one.
            places.close();
        }
    }

    /// Exchanges a held call once there is a place.
    ///
    /// It goes on in a task: a caller who stops polling must not keep the place from all others.
    pub(super) async fn exchange(&self, exchange: Exchange) -> Result<Arrived, NotArrived> {
        let Some(places) = self.places().clone() else {
            return exchange.run().await;
        };
        let course = async move {
            let turn = places.acquire_owned();
            let place = match exchange.deadline {
                Some(deadline) => {
                    timeout_at(deadline, turn).await.map_err(|_| NotArrived::crowded())?
                }
                None => turn.await,
            };
            let result = exchange.run().await;
            drop(place);
            result
        };
        driven(course).await.unwrap_or_else(|| Err(NotArrived::shut_down()))
    }

    fn places(&self) -> MutexGuard<'_, Option<Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn places() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(HELD))
}
