//! Rules of values: the keywords of a schema that narrow the values of its type.
//!
//! [`RULES`] is the table of them. A rule that becomes tighter refuses requests that were accepted;
//! one that becomes looser lets responses contain what they did not.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use podqueue_codegen::__private::openapi::target;
use serde_json::Value;

use super::openapi_text::{list, values};

/// The rules of a value by their names: the keyword, after `[]` or `{}` for the values within it.
pub(crate) type Rules = BTreeMap<String, Rule>;

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    measure: Measure,
    value: Value,
}

/// Comparison of a rule with another of the same keyword.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    /// A greater number is tighter.
    Lower,
    /// A smaller number is tighter.
    Upper,
    /// A multiple is tighter.
    Multiple,
    /// A format, of which some include others.
    Format,
    /// Any other value may be tighter and looser.
    Other,
    /// The same, of no concern for readers: they ignore fields that they do not know.
    Closed,
}

/// Name of the rule that a value is one of a list.
pub(crate) const ENUM: &str = "enum";

/// The keywords that are rules, each with its measure.
const RULES: [(&str, Measure); 26] = [
    ("minimum", Measure::Lower),
    ("maximum", Measure::Upper),
    ("exclusiveMinimum", Measure::Lower),
    ("exclusiveMaximum", Measure::Upper),
    ("minLength", Measure::Lower),
    ("maxLength", Measure::Upper),
    ("minItems", Measure::Lower),
    ("maxItems", Measure::Upper),
    ("minProperties", Measure::Lower),
    ("maxProperties", Measure::Upper),
    ("minContains", Measure::Lower),
    ("maxContains", Measure::Upper),
    ("multipleOf", Measure::Multiple),
    ("format", Measure::Format),
    ("pattern", Measure::Other),
    ("uniqueItems", Measure::Other),
    ("contains", Measure::Other),
    ("propertyNames", Measure::Other),
    ("dependentRequired", Measure::Other),
    ("not", Measure::Other),
    ("if", Measure::Other),
    ("then", Measure::Other),
    ("else", Measure::Other),
    ("discriminator", Measure::Other),
    ("additionalProperties", Measure::Closed),
    ("unevaluatedProperties", Measure::Closed),
];

/// Formats, and those that include all of their values.
const WIDER_FORMATS: [(&str, &str); 2] = [("int32", "int64"), ("float", "double")];

/// The maximum depth of lists, maps and compositions.
const MAX_DEPTH: usize = 16;

/// The rules of a schema, without those of the schemas that it refers to.
pub(super) fn rules(schema: &Value) -> Rules {
    let mut rules = Rules::new();
    collect(&mut rules, "", schema, 0);
    rules
}

fn collect(rules: &mut Rules, within: &str, schema: &Value, depth: usize) {
    if depth > MAX_DEPTH || target(schema).is_some() {
        return;
    }
    let mut add = |name: &str, measure, value| {
        rules.entry(format!("{within}{name}")).or_insert(Rule { measure, value });
    };
    for (keyword, measure) in RULES {
        let Some(value) = schema.get(keyword) else { continue };
        let value = match (measure, value) {
            // A schema for the values of a map is a part of its type.
            (Measure::Closed, Value::Bool(false)) => value,
            (Measure::Closed, _) => continue,
            // A file, which is a type of its own.
            (Measure::Format, format) if format == "binary" => continue,
            // In OpenAPI 3.0, it says of the bound beside it that the value is not below it.
            (_, Value::Bool(true)) if keyword == "exclusiveMinimum" => &schema["minimum"],
            (_, Value::Bool(true)) if keyword == "exclusiveMaximum" => &schema["maximum"],
            (_, Value::Bool(false)) => continue,
            // It excludes nothing.
            (Measure::Lower, value)
                if keyword.starts_with("min") && keyword != "minimum" && *value == 0 =>
            {
                continue;
            }
            _ => value,
        };
        add(keyword, measure, value.clone());
    }
    if !values(schema).is_empty() {
        // Its values are compared one by one.
        add(ENUM, Measure::Other, "a list of values".into());
    }
    for keyword in ["oneOf", "anyOf"] {
        let required = list(schema, keyword).iter().map(|it| it.get("required"));
        if let Some(required) = required.collect::<Option<Vec<_>>>().filter(|it| !it.is_empty()) {
            let name = format!("{keyword} required");
            add(&name, Measure::Other, required.into_iter().cloned().collect());
        }
    }
    let mut inner = |suffix: &str, schema| {
        let within =
            if within.is_empty() { format!("{suffix} ") } else { format!("{suffix}{within}") };
        collect(rules, &within, schema, depth + 1);
    };
    if let Some(items) = schema.get("items") {
        inner("[]", items);
    }
    if let Some(values) = schema.get("additionalProperties").filter(|it| it.is_object()) {
        inner("{}", values);
    }
    for part in list(schema, "allOf") {
        collect(rules, within, part, depth + 1);
    }
}

/// A rule that was added, removed or changed.
#[derive(Debug)]
pub(crate) struct ChangedRule {
    pub(crate) name: String,
    pub(crate) before: String,
    pub(crate) now: String,
    /// It may exclude values that it did not.
    pub(crate) is_tighter: bool,
    /// Readers may get values that it did exclude.
    pub(crate) is_looser: bool,
}

/// The differences of the rules of a value.
pub(crate) fn changed(old: &Rules, new: &Rules) -> Vec<ChangedRule> {
    let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let changed = names.into_iter().filter_map(|name| {
        let (before, now) = (old.get(name), new.get(name));
        let (is_tighter, is_looser) = match (before, now) {
            (Some(before), Some(now)) if before.value == now.value => return None,
            (Some(before), Some(now)) => before.against(now),
            (before, now) => (before.is_none(), now.is_none()),
        };
        let measure = now.or(before)?.measure;
        let text = |rule: Option<&Rule>| match rule.map(|it| &it.value) {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        Some(ChangedRule {
            name: name.clone(),
            before: text(before),
            now: text(now),
            is_tighter,
            is_looser: is_looser && measure != Measure::Closed,
        })
    });
    changed.collect()
}

impl Rule {
    /// Returns true first if the rule `now` may exclude values that this one does not, and then if
    /// the reverse holds.
    fn against(&self, now: &Self) -> (bool, bool) {
        let numbers = self.value.as_f64().zip(now.value.as_f64());
        let order = numbers.and_then(|(before, now)| now.partial_cmp(&before));
        let is_wider = |from: &Value, to: &Value| {
            WIDER_FORMATS.iter().any(|(narrow, wide)| from == narrow && to == wide)
        };
        let is_multiple = |(of, by): (f64, f64)| (of % by).abs() < f64::EPSILON;
        let tighter = match (self.measure, order) {
            (Measure::Lower, Some(order)) => order == Ordering::Greater,
            (Measure::Upper, Some(order)) => order == Ordering::Less,
            (Measure::Multiple, _) if numbers.is_some_and(|(was, is)| is_multiple((is, was))) => {
                true
            }
            (Measure::Multiple, _) if numbers.is_some_and(is_multiple) => false,
            (Measure::Format, _) if is_wider(&self.value, &now.value) => false,
            (Measure::Format, _) if is_wider(&now.value, &self.value) => true,
            _ => return (true, true),
        };
        (tighter, !tighter)
    }
}
