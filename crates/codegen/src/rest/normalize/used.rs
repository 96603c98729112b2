//! Which of the named schemas are used, and where.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::places::operations;
use super::references::references;

/// Which of the named schemas operations have under a key, directly or through others.
pub(super) fn under(key: &str, paths: &Value, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let mut waiting = Vec::new();
    for value in operations(paths).filter_map(|operation| operation.get(key)) {
        references(value, &mut waiting);
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
