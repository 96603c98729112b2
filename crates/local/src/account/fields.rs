//! Field reader: the values of a JSON body, each checked against the rule that the description has
//! for it.
//!
//! A reader returns `None` for a field that is absent, and for one that breaks its rule, which it
//! notes in [`Violations`]. Every field that a body may have has to be read, because [`Fields::end`]
//! notes the others as unknown. So a caller reads all fields, and then asks [`Violations::check`] if it
//! may use them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::problem::Problem;

/// Integers from a bound on.
pub(super) const fn from(least: i64) -> RangeInclusive<i64> {
    least..=i64::MAX
}

/// The rules that a body breaks.
#[derive(Debug, Default)]
pub(super) struct Violations(RefCell<Vec<String>>);

impl Violations {
    pub(super) fn add(&self, path: &str, rule: impl Display) {
        let path = if path.is_empty() { "the body" } else { path };
        self.0.borrow_mut().push(format!("{path} {rule}"));
    }

    /// Refuses the body if it breaks a rule.
    pub(super) fn check(self) -> Result<(), Problem> {
        let violations = self.0.into_inner();
        if violations.is_empty() { Ok(()) } else { Err(Problem::unprocessable(violations)) }
    }
}

/// The fields of an object.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// The name of the object in the body; empty for the body itself.
    path: String,
    known: RefCell<Vec<&'static str>>,
    violations: &'a Violations,
}

impl<'a> Fields<'a> {
    pub(super) fn new(object: &'a Map<String, Value>, violations: &'a Violations) -> Self {
        Self { object, path: String::new(), known: RefCell::default(), violations }
    }

    fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Notes that the object breaks a rule.
    pub(super) fn fault(&self, rule: impl Display) {
        self.violations.add(&self.path, rule);
    }

    fn get(&self, name: &'static str) -> Option<&'a Value> {
        self.known.borrow_mut().push(name);
        self.object.get(name)
    }

    /// Returns true if the object has a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// Requires fields.
    pub(super) fn require(&self, names: &[&str]) {
        for name in names.iter().filter(|name| !self.has(name)) {
            self.violations.add(&self.path(name), "is required");
        }
    }

    /// Notes the fields that were not read as unknown.
    pub(super) fn end(self) {
        let known = self.known.borrow();
        for name in self.object.keys().filter(|name| !known.contains(&name.as_str())) {
            self.violations.add(&self.path(name), "is not a field of this object");
        }
    }

    fn read<T>(
        &self,
        name: &'static str,
        rule: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(name)?;
        let read = read(value);
        if read.is_none() {
            self.violations.add(&self.path(name), format!("must be {rule}"));
        }
        read
    }

    pub(super) fn string(&self, name: &'static str) -> Option<String> {
        self.read(name, "a string", |value| Some(value.as_str()?.to_owned()))
    }

    /// A string of at least one character.
    pub(super) fn text(&self, name: &'static str) -> Option<String> {
        self.read(name, "a string that is not empty", |value| {
            value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
        })
    }

    /// A string of a form.
    pub(super) fn matching(
        &self,
        name: &'static str,
        rule: &str,
        matches: impl FnOnce(&str) -> bool,
    ) -> Option<String> {
        self.read(name, rule, |value| {
            value.as_str().filter(|text| matches(text)).map(str::to_owned)
        })
    }

    /// A string or null.
    pub(super) fn nullable(&self, name: &'static str) -> Option<Option<String>> {
        self.read(name, "a string or null", |value| match value {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            _ => None,
        })
    }

    pub(super) fn boolean(&self, name: &'static str) -> Option<bool> {
        self.read(name, "true or false", Value::as_bool)
    }

    pub(super) fn integer(&self, name: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let (least, most) = (*range.start(), *range.end());
        let rule = match (least, most) {
            (i64::MIN, i64::MAX) => "an integer".to_owned(),
            (_, i64::MAX) => format!("an integer of at least {least}"),
            _ => format!("an integer from {least} to {most}"),
        };
        self.read(name, &rule, |value| integer_of(value).filter(|value| range.contains(value)))
    }

    /// A number of at least this.
    pub(super) fn number(&self, name: &'static str, least: f64) -> Option<f64> {
        let rule = format!("a number of at least {least}");
        self.read(name, &rule, |value| value.as_f64().filter(|value| *value >= least))
    }

    /// Reads a field whose value must be one of these strings.
    pub(super) fn choice(
        &self,
        name: &'static str,
        choices: &[&'static str],
    ) -> Option<&'static str> {
        self.read(name, &format!("one of {}", choices.join(", ")), |value| {
            choices.iter().copied().find(|choice| value == choice)
        })
    }

    /// A list of strings, each of a form.
    pub(super) fn strings(
        &self,
        name: &'static str,
        rule: &str,
        matches: impl Fn(&str) -> bool,
    ) -> Option<Vec<String>> {
        let rule = format!("a list of {rule}");
        self.read(name, &rule, |value| {
            let texts = value.as_array()?.iter();
            let texts = texts.map(|item| item.as_str().filter(|text| matches(text)));
            texts.map(|text| text.map(str::to_owned)).collect()
        })
    }

    /// A list of any strings.
    pub(super) fn list(&self, name: &'static str) -> Option<Vec<String>> {
        self.strings(name, "strings", |_| true)
    }

    /// An object whose values are strings.
    pub(super) fn map(&self, name: &'static str) -> Option<BTreeMap<String, String>> {
        self.read(name, "an object whose values are strings", |value| {
            let pairs = value.as_object()?.iter();
            pairs.map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
        })
    }

    pub(super) fn object(&self, name: &'static str) -> Option<Fields<'a>> {
        let object = self.read(name, "an object", Value::as_object)?;
        Some(self.nested(object, self.path(name)))
    }

    /// A list of objects.
    pub(super) fn objects(&self, name: &'static str) -> Option<Vec<Fields<'a>>> {
        let objects: Vec<_> = self.read(name, "a list of objects", |value| {
            value.as_array()?.iter().map(Value::as_object).collect::<Option<_>>()
        })?;
        let objects = objects.into_iter().enumerate();
        let nested = |(index, object)| self.nested(object, format!("{}[{index}]", self.path(name)));
        Some(objects.map(nested).collect())
    }

    fn nested(&self, object: &'a Map<String, Value>, path: String) -> Fields<'a> {
        Fields { object, path, known: RefCell::default(), violations: self.violations }
    }
}

/// An integer. JSON Schema takes `1.0` for one, and knows no largest: one beyond those of 64 bits
/// counts as the largest.
fn integer_of(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|it| it.fract() == 0.0)?;
        Some(number as i64)
    })
}

/// Returns true for a version such as `12.4`.
pub(super) fn is_version(text: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

/// The form of [`is_version`], in words.
pub(super) const VERSIONS: &str = "versions such as 12.4";

/// Returns true if no two items are equal.
pub(super) fn are_unique<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
}
