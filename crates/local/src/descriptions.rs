//! The OpenAPI descriptions that the service follows, as it publishes them.

use std::sync::Mutex;

use crate::sync::locked;

const QUEUE: &str = include_str!("../openapi/queue.yaml");
const WORKERS: &str = include_str!("../openapi/workers.yaml");
const REST: &str = include_str!("../openapi/rest.yaml");

/// What is published. What is put in the place of a description changes nothing else: it is there
/// to see what those make of a change who generate code from it.
pub(crate) struct Descriptions {
    rest: Mutex<String>,
}

impl Default for Descriptions {
    fn default() -> Self {
        Self { rest: Mutex::new(REST.to_owned()) }
    }
}

impl Descriptions {
    /// The description of that file name, if there is one.
    pub(crate) fn named(&self, name: &str) -> Option<String> {
        match name {
            "queue.yaml" => Some(QUEUE.to_owned()),
            "workers.yaml" => Some(WORKERS.to_owned()),
            "rest.yaml" => Some(locked(&self.rest).clone()),
            _ => None,
        }
    }

    pub(crate) fn set_rest(&self, text: String) {
        *locked(&self.rest) = text;
    }
}
