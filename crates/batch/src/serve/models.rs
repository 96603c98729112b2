//! Models: the endpoint that serves each.

use std::collections::BTreeMap;
use std::fmt;

use podqueue::Endpoint;

/// The endpoints by model.
#[derive(Clone, Default)]
pub(super) struct Models {
    named: BTreeMap<String, Endpoint>,
    default: Option<Endpoint>,
}

impl Models {
    pub(super) fn set_default(&mut self, endpoint: Endpoint) {
        self.default = Some(endpoint);
    }

    pub(super) fn add(&mut self, name: String, endpoint: Endpoint) {
        self.named.insert(name, endpoint);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.default.is_none()
    }

    /// The endpoint that serves a model.
    pub(super) fn endpoint(&self, model: &str) -> Option<&Endpoint> {
        self.named.get(model).or(self.default.as_ref())
    }

    /// Any endpoint, through which the jobs of another endpoint of the same service are reached.
    pub(super) fn any(&self) -> Option<&Endpoint> {
        self.default.as_ref().or_else(|| self.named.values().next())
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named.iter().map(|(name, endpoint)| (name.as_str(), endpoint.id()));
        let default = self.default.iter().map(|endpoint| ("*", endpoint.id()));
        f.debug_map().entries(named.chain(default)).finish()
    }
}
