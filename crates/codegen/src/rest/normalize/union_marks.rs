//! Marks of discriminated unions: the branches of a `oneOf`, kept in its schema until types are
//! generated.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::naming;
use crate::rest::tree::remove;

/// Keyword of the mark: the branches of a discriminated union. No field has such a name.
pub(super) const BRANCHES: &str = "branches of a union";

/// One branch of a discriminated union.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// Name in its union, if its type has no name of its own.
    pub(crate) name: String,
    /// Alternative conditions for an object of this branch. Without any, the branch is no object.
    pub(crate) alternatives: Vec<Alternative>,
}

/// Condition for an object, and the fields that rank it.
#[derive(Clone, Debug)]
pub(crate) struct Alternative {
    /// Fields that have one of several values.
    pub(crate) tags: Vec<(String, Vec<Value>)>,
    /// Further values of the tag, which constructors do not write: the name of the schema, which
    /// counts beside a mapping, and values that either the mapping or the schema alone has.
    pub(crate) implied: Vec<Value>,
    /// Fields that must be there, and whether each may be null.
    pub(crate) required: BTreeMap<String, bool>,
    /// Of the fields that tell branches apart, those that an object of this branch may have.
    pub(crate) known: BTreeSet<String>,
}

/// The branches of unions by type name, in the order of the variants.
pub(crate) type Unions = BTreeMap<String, Vec<Branch>>;

impl Alternative {
    /// Returns a condition on a tag alone.
    pub(super) fn tagged(tag: &str, values: Vec<Value>) -> Self {
        Self {
            tags: vec![(tag.to_owned(), values)],
            implied: Vec::new(),
            required: BTreeMap::new(),
            known: BTreeSet::new(),
        }
    }

    /// Returns the condition that every object meets, and that yields to any other: the one of
    /// `defaultMapping`.
    pub(super) fn otherwise() -> Self {
        let (tags, implied) = (Vec::new(), Vec::new());
        Self { tags, implied, required: BTreeMap::new(), known: BTreeSet::new() }
    }

    /// Returns true if a value of the tag selects the branch.
    pub(super) fn selects(&self, value: &Value) -> bool {
        let mut tags = self.tags.iter();
        self.implied.contains(value) || tags.any(|(_, values)| values.contains(value))
    }

    /// Returns true if every object meets it.
    pub(crate) fn is_otherwise(&self) -> bool {
        self.tags.is_empty() && self.required.is_empty()
    }
}

/// Encodes branches as the value of the keyword. Names of fields are values here, because they may
/// be keywords.
pub(super) fn encode(branches: &[Branch]) -> Value {
    let branches = branches.iter().map(|branch| {
        let alternatives = branch.alternatives.iter().map(|it| {
            let required: Vec<_> = it.required.iter().collect();
            json!([it.tags, required, it.known, it.implied])
        });
        json!([branch.name, alternatives.collect::<Vec<_>>()])
    });
    branches.collect()
}

/// The names of the branches of a union, if it is discriminated.
pub(super) fn names(schema: &Value) -> Option<Vec<String>> {
    let branches = schema.get(BRANCHES)?.as_array()?;
    branches.iter().map(|it| it[0].as_str().map(str::to_owned)).collect()
}

/// Returns true if a schema contains a discriminated union.
pub(super) fn has_union(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.contains_key(BRANCHES) || object.values().any(has_union),
        Value::Array(items) => items.iter().any(has_union),
        _ => false,
    }
}

/// Extracts all unions from the schemas.
pub(super) fn extract(schemas: &mut Map<String, Value>) -> Unions {
    let mut unions = Unions::new();
    for (name, schema) in schemas {
        let mark = schema.get(BRANCHES).cloned();
        remove(schema, &[BRANCHES]);
        let branches = mark.and_then(|it| it.as_array()?.iter().map(branch).collect());
        unions.extend(branches.map(|it| (naming::cased(name), it)));
    }
    unions
}

fn branch(mark: &Value) -> Option<Branch> {
    let alternatives = mark[1].as_array()?.iter().map(|it| {
        Some(Alternative {
            tags: serde_json::from_value(it[0].clone()).ok()?,
            required: serde_json::from_value::<Vec<_>>(it[1].clone()).ok()?.into_iter().collect(),
            known: serde_json::from_value(it[2].clone()).ok()?,
            implied: it[3].as_array()?.clone(),
        })
    });
    Some(Branch {
        name: mark[0].as_str()?.to_owned(),
        alternatives: alternatives.collect::<Option<_>>()?,
    })
}
