//! Endpoint registry: the endpoints of the service by name, which is their id in the account
//! interface. Endpoints are added and removed while it runs.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::endpoint::Endpoint;

#[derive(Debug, Default)]
pub(crate) struct EndpointRegistry {
    endpoints: RwLock<BTreeMap<Arc<str>, Arc<Endpoint>>>,
}

impl EndpointRegistry {
    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Arc<str>, Arc<Endpoint>>> {
        self.endpoints.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Endpoint>> {
        self.read().get(name).cloned()
    }

    /// All endpoints, by name.
    pub(crate) fn all(&self) -> Vec<Arc<Endpoint>> {
        self.read().values().cloned().collect()
    }

    /// Adds an endpoint, or replaces the one of its name.
    pub(crate) fn insert(&self, endpoint: Arc<Endpoint>) {
        let mut endpoints = self.endpoints.write().unwrap_or_else(PoisonError::into_inner);
        endpoints.insert(endpoint.name().clone(), endpoint);
    }

    pub(crate) fn remove(&self, name: &str) -> Option<Arc<Endpoint>> {
        self.endpoints.write().unwrap_or_else(PoisonError::into_inner).remove(name)
    }
}
