//! Changes that must not be mixed with those of other processes.

use super::Store;
use crate::error::Result;

/// Keeps other processes out of a shared store, until [`unlock`] is called.
pub(crate) fn lock(store: &mut dyn Store) -> Result<()> {
    store.sharing().map_or(Ok(()), |sharing| sharing.lock())
}

/// Lets others in again. What was done since [`lock`] takes effect, unless it failed.
pub(crate) fn unlock<T>(store: &mut dyn Store, done: Result<T>) -> Result<T> {
    let Some(sharing) = store.sharing() else { return done };
    match done {
        Ok(done) => sharing.unlock(true).map(|()| done),
        Err(error) => {
            // Nothing of it remains, whether or not this succeeds.
            let _ = sharing.unlock(false);
            Err(error)
        }
    }
}
