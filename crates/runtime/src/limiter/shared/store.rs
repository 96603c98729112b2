//! Stores of shared limits, and the settings.

use std::error::Error as StdError;
use std::fmt;
#[cfg(feature = "unstable-store")]
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::sync::Mutex;

/// A store of records that several processes change, for [`SharedLimits`].
///
/// `podqueue-limits` has a store in an SQLite file and a store in a PostgreSQL database. Any
/// database with transactions and a clock will do; a store in memory serves the clients of one
/// process, as here:
///
/// ```
/// use std::collections::HashMap;
/// use std::time::{Duration, Instant};
///
/// use podqueue_runtime::{Authorization, ChangeRecords, LimitStore, Service, SharedLimits,
/// StoreError};
///
/// struct Memory {
///     started: Instant,
///     records: HashMap<String, Vec<u8>>,
/// }
///
/// impl LimitStore for Memory {
///     fn name(&self) -> String {
///         "the memory of this process".to_owned()
///     }
///
///     fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
///         let mut records: Vec<_> = keys.iter().map(|key| self.records.remove(key)).collect();
///         change(self.started.elapsed(), &mut records);
///         let changed = keys.iter().cloned().zip(records);
///         self.records.extend(changed.filter_map(|(key, record)| Some((key, record?))));
///         Ok(())
///     }
/// }
///
/// let store = Memory { started: Instant::now(), records: HashMap::new() };
/// let builder = Service::builder("https://api.example")
///     .authorization(Authorization::bearer("the-key"))
///     .shared_limits(SharedLimits::new(store));
/// // Services of one builder use one store.
/// let (first, second) = (builder.clone().build()?, builder.build()?);
/// # let _ = (first, second);
/// # Ok::<(), podqueue_runtime::Error>(())
/// ```
pub trait LimitStore: Send + 'static {
    /// The store's name in errors, such as `the file /var/lib/app/limits.db`. No credentials: it is
    /// shown.
    fn name(&self) -> String;

    /// Reads the records with these keys, in this order, lets `change` change them, and writes them
    /// back, all in one transaction that excludes every other. A record that does not exist is
    /// `None`, and a record that becomes `None` is to be deleted.
    ///
    /// `change` also gets the time by the store's clock, since any moment that stays the same. The
    /// clock must be read within the transaction, and must be the same for all processes. If it
    /// goes back or jumps, or records are lost, processes pause for a moment and report again what
    /// still counts. If the transaction has to be repeated, `change` may be called again, with the
    /// records as they are then.
    ///
    /// Runs on a dedicated thread and may block, but not forever.
    ///
    /// # Errors
    ///
    /// The failure of the transaction. The message must not contain credentials.
    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError>;

    /// In a simulation: the time for which a message to the store, or from it, is on its way, on
    /// tokio's clock. Exchanges are then made by a task. `None`, as in any real store: they are
    /// made by a thread, and may block.
    #[cfg(feature = "unstable-store")]
    #[doc(hidden)]
    fn response(&mut self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        None
    }
}

/// Changes records, as passed to [`LimitStore::exchange`]: the time by the store's clock, and the
/// records.
pub type ChangeRecords<'a> = &'a mut dyn FnMut(Duration, &mut [Option<Vec<u8>>]);

/// Cause of a [`LimitStore`]'s failure.
pub type StoreError = Box<dyn StdError + Send + Sync>;

/// Rate limits that several processes keep together, for
/// [`ServiceBuilder::shared_limits`](crate::ServiceBuilder::shared_limits).
///
/// Each client regularly gets permits for the requests of the next quarter of a second from the
/// store, as many as it needs and a fair part of what there is. Calls do not wait for the store,
/// except the first calls after a pause. A client that is alone can use the limits as a whole, also
/// within 12 s of the moment at which another client was killed.
///
/// The requests of a process that is stopped (SIGSTOP) for longer than a second while they are open
/// no longer count until it continues, and its open requests no longer use slots.
///
/// If the store cannot be reached, calls wait: without permits, nothing is sent. They fail with
/// [`ErrorKind::Connect`](crate::ErrorKind::Connect) after the [timeout](Self::store_timeout).
#[derive(Clone)]
#[must_use = "a setting does nothing until it is passed to a builder"]
pub struct SharedLimits {
    pub(super) store: Arc<Mutex<dyn LimitStore>>,
    pub(super) name: Arc<str>,
    pub(super) account: Option<String>,
    pub(super) store_timeout: Duration,
}

impl SharedLimits {
    /// Limits in this store.
    pub fn new(store: impl LimitStore) -> Self {
        Self {
            name: store.name().into(),
            store: Arc::new(Mutex::new(store)),
            account: None,
            store_timeout: Duration::from_secs(30),
        }
    }

    /// The account whose limits these are: clients with the same name share them. By default, those
    /// with the same authorization and URL do; set it if an account has several keys. The name is
    /// written to the store. A key is not, only eight bytes of its hash.
    pub fn account(mut self, name: impl Into<String>) -> Self {
        self.account = Some(name.into());
        self
    }

    /// Sets the time that a call waits while the store cannot be reached before it fails; 30 s by
    /// default.
    pub fn store_timeout(mut self, time: Duration) -> Self {
        self.store_timeout = time;
        self
    }

    /// The account as the store's keys have it.
    pub(super) fn account_of(&self, base_url: &str, key: &str) -> String {
        self.account.clone().unwrap_or_else(|| {
            let mut hash = blake3::Hasher::new_derive_key("podqueue 2026 account of shared limits");
            hash.update(base_url.as_bytes()).update(&[0]).update(key.as_bytes());
            hash.finalize().to_hex()[..16].to_owned()
        })
    }
}

impl fmt::Debug for SharedLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLimits")
            .field("store", &self.name)
            .field("account", &self.account)
            .field("store_timeout", &self.store_timeout)
            .finish()
    }
}
