//! Values that a union may forbid, and the variant that keeps them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Variants made of a value of a union: a tag of no branch, another shape, none of the fields. The
/// validator decides which of them the union forbids. `discriminator` is the property that has the tag,
/// if the union names it.
pub fn of(value: &Value, discriminator: Option<&str>) -> Vec<Value> {
    const TAGS: [&str; 5] = ["type", "kind", "object", "event", "status"];
    let mut all = vec![json!([[1]]), json!({ "a field of no branch": 1 })];
    if let Value::Object(object) = value {
        for (name, it) in object {
            // A URL, such as one to read a `status` at, is no tag: a text of another format is read.
            let may_be_tag = it.as_str().is_some_and(|text| !text.contains("://"));
            let is_tag = match discriminator {
                Some(tag) => name == tag,
                None => TAGS.contains(&name.as_str()) || name.ends_with("Type"),
            };
            if may_be_tag && is_tag {
                let mut other = value.clone();
                other[name] = json!("a tag of no branch");
                all.push(other);
            }
        }
    }
    all
}

/// The unions of generated code, each with the variant of values of no branch.
pub fn unions(code: &str) -> BTreeMap<String, String> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let after = code.split("_union! {").skip(1);
    let named = after.filter_map(|it| {
        let head = words(it.get(..400).unwrap_or(it));
        Some((head.first()?.clone(), head.get(1)?.clone()))
    });
    named.collect()
}
