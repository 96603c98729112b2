//! Which of the named schemas are used, and where.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::places::operations;
use super::references::references;

/// The named schemas that an answer can hold, directly or through others.
pub(super) fn answered(paths: &Value, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let mut waiting = Vec::new();
    for operation in operations(paths) {
        if let Some(responses) = operation.get("responses") {
            references(responses, &mut waiting);
        }
    }
    through(waiting, schemas)
}

/// Leaves out what no call sends or answers with.
pub(super) fn keep_used(paths: &Value, schemas: &mut Map<String, Value>) {
    let mut waiting = Vec::new();
    references(paths, &mut waiting);
    let used = through(waiting, schemas);
    schemas.retain(|name, _| used.contains(name));
}

/// The schemas of these names, and all that these hold.
fn through(mut waiting: Vec<String>, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if let Some(schema) = schemas.get(&name)
            && found.insert(name)
        {
            references(schema, &mut waiting);
        }
    }
    found
}
