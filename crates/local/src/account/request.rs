//! Request of the account interface: ids in its path, query, headers and body.

use axum::http::HeaderMap;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::fields::{Fields, Violations};
use super::problem::Problem;
use crate::http::QueryParameters;

/// A request, with its whole body.
pub(crate) struct Request {
    /// The decoded values of the parameters of its path.
    pub(crate) ids: Vec<String>,
    pub(crate) query: QueryParameters,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    /// The first parameter of the path.
    pub(super) fn id(&self) -> &str {
        self.ids.first().map_or("", String::as_str)
    }

    /// The second parameter of the path.
    pub(super) fn second_id(&self) -> &str {
        self.ids.get(1).map_or("", String::as_str)
    }

    /// Reads the body, an object, with a function that reads all of its fields.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Fields<'_>) -> T) -> Result<T, Problem> {
        let body: Value = serde_json::from_slice(&self.body)
            .map_err(|error| Problem::invalid(format!("the body is not JSON: {error}")))?;
        let object: &Map<String, Value> = body
            .as_object()
            .ok_or_else(|| Problem::unprocessable(vec!["the body must be an object".to_owned()]))?;
        let violations = Violations::default();
        let fields = Fields::new(object, &violations);
        let value = read(&fields);
        fields.end();
        violations.check()?;
        Ok(value)
    }

    fn parameter<T>(
        &self,
        name: &str,
        rule: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(value) = self.query.get(name) else { return Ok(None) };
        let refuse = || Problem::invalid(format!("the parameter {name} must be {rule}"));
        read(value).ok_or_else(refuse).map(Some)
    }

    /// A boolean parameter of the query.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.parameter(name, "true or false", |value| match value {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }

    /// An integer parameter of the query.
    pub(super) fn integer(
        &self,
        name: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, Problem> {
        let rule = match most {
            u64::MAX => format!("an integer of at least {least}"),
            _ => format!("an integer from {least} to {most}"),
        };
        self.parameter(name, &rule, |value| {
            value.parse().ok().filter(|value| (least..=most).contains(value))
        })
    }

    /// A time in the query.
    pub(super) fn time(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        self.parameter(name, TIMES, time_of)
    }

    /// A parameter of the query that has one of these values.
    pub(super) fn choice(
        &self,
        name: &str,
        choices: &[&'static str],
    ) -> Result<Option<&'static str>, Problem> {
        self.parameter(name, &format!("one of {}", choices.join(", ")), |value| {
            choices.iter().copied().find(|choice| *choice == value)
        })
    }

    /// A parameter of the query that has a form.
    pub(super) fn matching(
        &self,
        name: &str,
        rule: &str,
        matches: impl FnOnce(&str) -> bool,
    ) -> Result<Option<String>, Problem> {
        self.parameter(name, rule, |value| matches(value).then(|| value.to_owned()))
    }

    /// A parameter of the query that is a list, separated by commas, of values of a form.
    pub(super) fn list(
        &self,
        name: &str,
        rule: &str,
        matches: impl Fn(&str) -> bool,
    ) -> Result<Option<Vec<String>>, Problem> {
        self.parameter(name, &format!("a list of {rule}"), |value| {
            let values = value.split(',').filter(|_| !value.is_empty());
            values.map(|it| matches(it).then(|| it.to_owned())).collect()
        })
    }

    /// The same of these values.
    pub(super) fn choices(
        &self,
        name: &str,
        choices: &[&str],
    ) -> Result<Option<Vec<String>>, Problem> {
        self.list(name, &choices.join(", "), |value| choices.contains(&value))
    }

    /// A time in a header.
    pub(super) fn time_in_header(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        let Some(value) = self.headers.get(name) else { return Ok(None) };
        let time = value.to_str().ok().and_then(time_of);
        let refuse = || Problem::invalid(format!("the header {name} must be {TIMES}"));
        time.ok_or_else(refuse).map(Some)
    }
}

const TIMES: &str = "a time such as 2026-11-15T00:00:00Z";

fn time_of(text: &str) -> Option<Timestamp> {
    // Of the forms that jiff reads, those of RFC 3339.
    let is_complete = text.len() >= "2026-11-15T00:00:00Z".len()
        && text.as_bytes()[10].eq_ignore_ascii_case(&b'T')
        && !text.contains('[');
    is_complete.then(|| text.parse().ok()).flatten()
}
