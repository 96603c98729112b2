//! Rules of values: the keywords of a schema that narrow the values of its type.
//!
//! [`RULES`] is the table of them. A rule that becomes tighter refuses requests that were accepted;
//! one that becomes looser lets responses contain what they did not. Null and discriminators, which
//! are not one keyword each, are rules of the same kind.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use podqueue_codegen::__private::openapi::{fields, resolve, target, text_at};
use serde_json::Value;

use super::openapi_text::{list, only_alternative, values};
use crate::change::Severity;

/// The rules of a value by their names: the keyword, after `[]` or `{}` for the values within it, and
/// `|1` for the first alternative of a union.
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
    /// Any other value; of no concern for readers: they ignore fields that they do not know.
    Closed,
    /// Null is refused; of no concern for readers: every value that they read may be null.
    Null,
    /// Requests do not contain it.
    ReadOnly,
    /// Responses do not contain it.
    WriteOnly,
    /// The field that tells the members of a union apart.
    Tag,
    /// The member of a union that a value of its tag stands for.
    Mapping,
}

/// Name of the rule that a value is one of a list.
pub(crate) const ENUM: &str = "enum";

/// Name of the rule that a value is not null.
pub(crate) const NULL: &str = "null";

/// Name of the rule of the tag of a union, and beginning of the names of those of its mapping.
const DISCRIMINATOR: &str = "discriminator";

/// The keywords that are rules, each with its measure.
const RULES: [(&str, Measure); 27] = [
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
    ("readOnly", Measure::ReadOnly),
    ("writeOnly", Measure::WriteOnly),
    ("additionalProperties", Measure::Closed),
    ("unevaluatedProperties", Measure::Closed),
];

/// Formats, and those that include all of their values.
const WIDER_FORMATS: [(&str, &str); 2] = [("int32", "int64"), ("float", "double")];

/// Keywords that tell the type of a schema without one, which does not accept null.
const SHAPES: [&str; 3] = ["properties", "items", "additionalProperties"];

/// The maximum depth of lists, maps and compositions.
const MAX_DEPTH: usize = 16;

/// The rules of a schema, without those of the schemas that it refers to, except that of null.
pub(super) fn rules(description: &Value, schema: &Value) -> Rules {
    let mut rules = Rules::new();
    collect(description, &mut rules, "", schema, 0);
    rules
}

/// Adds the rules of a whole schema.
fn collect(description: &Value, rules: &mut Rules, within: &str, schema: &Value, depth: usize) {
    if !accepts_null(description, schema, 0) {
        let refused = Rule { measure: Measure::Null, value: "refused".into() };
        rules.insert(format!("{within}{NULL}"), refused);
    }
    collect_part(description, rules, within, schema, depth);
}

/// Adds the rules of a schema that may be one part of several.
fn collect_part(
    description: &Value,
    rules: &mut Rules,
    within: &str,
    schema: &Value,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut add = |name: &str, measure, value| {
        let (name, rule) = (format!("{within}{name}"), Rule { measure, value });
        let rule = match rules.remove(&name) {
            Some(other) => other.and(rule),
            None => rule,
        };
        rules.insert(name, rule);
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
    if let Some(discriminator) = schema.get(DISCRIMINATOR) {
        add(DISCRIMINATOR, Measure::Tag, text_at(discriminator, "propertyName").into());
        for (tag, member) in mapping(schema, discriminator) {
            add(&format!("{DISCRIMINATOR} mapping {tag}"), Measure::Mapping, member.into());
        }
        if let Some(other) = discriminator.get("defaultMapping") {
            add(&format!("{DISCRIMINATOR} defaultMapping"), Measure::Other, other.clone());
        }
    }
    let below = |suffix: &str| format!("{}{suffix} ", within.trim_end());
    if let Some(items) = schema.get("items") {
        collect(description, rules, &below("[]"), items, depth + 1);
    }
    if let Some(values) = schema.get("additionalProperties").filter(|it| it.is_object()) {
        collect(description, rules, &below("{}"), values, depth + 1);
    }
    let only = only_alternative(schema);
    for part in list(schema, "allOf").iter().chain(only) {
        collect_part(description, rules, within, part, depth + 1);
    }
    let unions = ["oneOf", "anyOf"].into_iter().filter(|_| only.is_none());
    for (index, part) in unions.flat_map(|keyword| list(schema, keyword).iter().enumerate()) {
        if target(part).is_none() {
            let within = below(&format!("|{}", index + 1));
            collect_part(description, rules, &within, part, depth + 1);
        }
    }
}

/// Returns true if null is a value of a schema, in the notation of OpenAPI 3.0 or 3.1.
fn accepts_null(description: &Value, schema: &Value, depth: usize) -> bool {
    let accepts = |part: &Value| accepts_null(description, part, depth + 1);
    let any_of = [list(schema, "oneOf"), list(schema, "anyOf")];
    let is_null = |it: &Value| it == "null";
    if depth > MAX_DEPTH || schema["nullable"] == Value::Bool(true) {
        return true;
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.contains(&Value::Null);
    }
    match (&schema["type"], schema.get("const")) {
        (_, Some(constant)) => constant.is_null(),
        (Value::Array(types), _) => types.iter().any(is_null),
        (Value::String(name), _) => name == "null",
        _ if target(schema).is_some() => resolve(description, schema).is_none_or(accepts),
        _ if any_of.iter().any(|it| !it.is_empty()) => any_of.concat().iter().any(accepts),
        _ if SHAPES.iter().any(|it| schema.get(it).is_some()) => false,
        _ => list(schema, "allOf").iter().all(accepts),
    }
}

/// The values of the tag of a union, each with its member, which without a mapping is the name of
/// the member.
fn mapping(schema: &Value, discriminator: &Value) -> BTreeMap<String, String> {
    let name = |of: &str| of.rsplit('/').next().unwrap_or_default().to_owned();
    let explicit = fields(discriminator, "mapping");
    let mut mapping: BTreeMap<_, _> =
        explicit.filter_map(|(tag, member)| Some((tag.clone(), name(member.as_str()?)))).collect();
    let mapped: BTreeSet<_> = mapping.values().cloned().collect();
    let members = ["oneOf", "anyOf"].iter().flat_map(|keyword| list(schema, keyword));
    let unmapped = members.filter_map(target).filter(|member| !mapped.contains(*member));
    mapping.extend(unmapped.map(|member| (member.to_owned(), member.to_owned())));
    mapping
}

/// A rule that was added, removed or changed.
#[derive(Debug)]
pub(crate) struct ChangedRule {
    pub(crate) name: String,
    pub(crate) before: String,
    pub(crate) now: String,
    /// Its effect on requests that were accepted.
    pub(crate) on_writers: Option<RuleEffect>,
    /// Its effect on programs that read responses.
    pub(crate) on_readers: Option<RuleEffect>,
}

/// The severity of a changed rule, and the reason.
type RuleEffect = (Severity, &'static str);

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
        // A mapping that comes or goes with its discriminator is no change of its own.
        let end = name.find(DISCRIMINATOR).map_or(name.len(), |at| at + DISCRIMINATOR.len());
        if measure == Measure::Mapping && [old, new].iter().any(|it| !it.contains_key(&name[..end]))
        {
            return None;
        }
        let text = |rule: Option<&Rule>| match rule.map(|it| &it.value) {
            None if measure == Measure::Null => "accepted".to_owned(),
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let (on_writers, on_readers) = measure.effects(is_tighter, is_looser);
        Some(ChangedRule {
            name: name.clone(),
            before: text(before),
            now: text(now),
            on_writers,
            on_readers,
        })
    });
    changed.collect()
}

impl Measure {
    /// The effects on writers and on readers of a rule that becomes tighter, looser, or both.
    fn effects(
        self,
        is_tighter: bool,
        is_looser: bool,
    ) -> (Option<RuleEffect>, Option<RuleEffect>) {
        const UNHEEDED: RuleEffect = (Severity::Breaking, "it has no effect, or is refused");
        const REFUSED: RuleEffect =
            (Severity::Behavior, "values that were accepted may be refused");
        const ARRIVES: RuleEffect = (Severity::Behavior, "values may arrive that were ruled out");
        const OTHER_TAG: RuleEffect = (Severity::Breaking, "its values are told apart differently");
        match (self, is_tighter, is_looser) {
            (Self::Null, true, _) => {
                (Some((Severity::Breaking, "it must no longer be null")), None)
            }
            (Self::Null, false, _) => {
                (Some((Severity::SourceChange, "more values are accepted")), None)
            }
            (Self::ReadOnly, ..) => (is_tighter.then_some(UNHEEDED), None),
            (Self::WriteOnly, ..) => {
                (None, is_tighter.then_some((Severity::Breaking, "it is no longer sent")))
            }
            (Self::Tag | Self::Mapping, true, true) => (Some(OTHER_TAG), Some(OTHER_TAG)),
            (Self::Mapping, ..) => (is_looser.then_some(UNHEEDED), None),
            (Self::Closed, ..) => (is_tighter.then_some(REFUSED), None),
            _ => (is_tighter.then_some(REFUSED), is_looser.then_some(ARRIVES)),
        }
    }
}

impl Rule {
    /// The rule of a value that must keep both.
    fn and(self, other: Self) -> Self {
        match self.against(&other) {
            _ if self.value == other.value => self,
            (true, false) => other,
            (false, true) => self,
            _ => {
                let both: BTreeSet<_> =
                    [self.value, other.value].map(|it| it.to_string()).into_iter().collect();
                let value = both.into_iter().collect::<Vec<_>>().join(" and ").into();
                Self { measure: self.measure, value }
            }
        }
    }

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
