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

    /// The reason why these cannot be served: no endpoint, one without an id, or a model without a
    /// name.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let mut endpoints = self.named.values().chain(&self.default);
        if self.named.is_empty() && self.default.is_none() {
            Some("the server has no endpoint: pass at least one")
        } else if endpoints.any(|it| it.id().is_empty()) {
            Some("an endpoint of the server has no id: pass the id that the service shows for it")
        } else if self.named.contains_key("") {
            Some("a model of the server has no name: pass the name that requests have as `model`")
        } else {
            None
        }
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
