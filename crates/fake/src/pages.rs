//! Pages of a list: a seeded page is changed so that it leads to the next one, and the second page is
//! the last.
//!
//! The generator states with the operation, under [`PAGES`], how its pages follow each other. Whatever
//! the seed, a stream of the pages ends: a request that asks for a later page gets one
//! that leads no further.

use hyper::HeaderMap;
use serde_json::{Map, Value, json};

use crate::description::Description;
use crate::operation::{Operation, Received, pairs};
use crate::planned_response::PlannedResponse;

/// Keyword of an operation whose responses are pages.
const PAGES: &str = "x-podqueue-pages";

/// The query parameter of a link to the second page.
const PAGE: &str = "fake-page";

/// The order of the pages of an operation, as the generator states it.
struct Pages<'a> {
    description: &'a Description,
    stated: &'a Value,
    /// The JSON pointer of the schema of a page.
    schema: String,
}

/// Makes the planned response one of the pages, if they are stated for its operation.
pub(crate) fn make_page(
    description: &Description,
    operation: &Operation,
    schema: Option<String>,
    request: &Received<'_>,
    planned: &mut PlannedResponse,
) {
    let stated = description.tree().pointer(&operation.pointer).and_then(|it| it.get(PAGES));
    let (Some(stated), Some(schema)) = (stated, schema) else { return };
    let Ok(mut page) = serde_json::from_slice::<Value>(&planned.body) else { return };
    let pages = Pages { description, stated, schema };
    pages.make_page(request, &mut page, &mut planned.headers);
    planned.body = page.to_string().into();
}

impl Pages<'_> {
    fn make_page(
        &self,
        request: &Received<'_>,
        page: &mut Value,
        headers: &mut Vec<(String, String)>,
    ) {
        let is_later = self.is_later(request);
        let (place, more) = (self.place("place"), self.place("more"));
        match self.text("by") {
            "header" => {
                let name = self.text("header");
                headers.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
                if !is_later {
                    let link = link(request);
                    let is_link = name.eq_ignore_ascii_case("link");
                    let value = if is_link { format!("<{link}>; rel=\"next\"") } else { link };
                    headers.push((name.to_owned(), value));
                }
            }
            "link" if is_later => self.unset(page, &place),
            "link" => {
                if let Some(link_of_page) = at(page, &place).filter(|it| it.is_string()) {
                    *link_of_page = link(request).into();
                }
            }
            "cursor" | "lastItem" => {
                let id = self.text("id").to_owned();
                let cursor = match self.text("by") {
                    "cursor" => at(page, &place).cloned(),
                    _ => at(page, &self.place("items"))
                        .and_then(|it| it.as_array()?.last()?.get(&id).cloned()),
                };
                let has_cursor = cursor.is_some_and(|it| match it {
                    Value::String(text) => !text.is_empty(),
                    it => it.is_number(),
                });
                let items = at(page, &self.place("items"));
                let has_items =
                    items.is_some_and(|it| it.as_array().is_some_and(|it| !it.is_empty()));
                let is_last = is_later || !has_cursor || !has_items;
                if let Some(more) = at(page, &more).filter(|it| it.is_boolean()) {
                    *more = (!is_last).into();
                }
                if is_last && self.text("by") == "cursor" {
                    self.unset(page, &place);
                }
            }
            _ if is_later => {
                if let Some(items) = at(page, &self.place("items")).filter(|it| it.is_array()) {
                    *items = json!([]);
                }
            }
            _ => {}
        }
    }

    /// Returns true if a request asks for a page after the first.
    fn is_later(&self, request: &Received<'_>) -> bool {
        let query = |name: &str| pairs(request.query).find(|(it, _)| it == name).map(|it| it.1);
        let sent = match self.stated.get("query").and_then(Value::as_str) {
            Some(name) => query(name),
            None => {
                let mut body = serde_json::from_slice::<Value>(request.body).unwrap_or_default();
                let field = at(&mut body, &self.place("body")).filter(|it| !it.is_null());
                field.map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
            }
        };
        let number = sent.as_deref().and_then(|it| it.parse::<u64>().ok()).unwrap_or_default();
        match self.text("by") {
            "header" | "link" => query(PAGE).is_some(),
            "cursor" | "lastItem" => sent.is_some_and(|it| !it.is_empty()),
            "offset" => number > 0,
            _ => number > self.stated.get("first").and_then(Value::as_u64).unwrap_or_default(),
        }
    }

    /// Makes a page lead no further: what leads to the next page is missing, null or empty, as the
    /// schema permits it.
    fn unset(&self, page: &mut Value, place: &[String]) {
        let Some((name, around)) = place.split_last() else { return };
        let Some(Value::Object(fields)) = at(page, around) else { return };
        let before: Map<String, Value> = fields.clone();
        for value in [None, Some(Value::Null), Some(json!(""))] {
            let mut fields = before.clone();
            match value {
                None => _ = fields.remove(name),
                Some(value) => _ = fields.insert(name.clone(), value),
            }
            let Some(object) = at(page, around) else { return };
            *object = Value::Object(fields);
            if self.description.check(&self.schema, page).is_ok() {
                return;
            }
        }
    }

    fn text(&self, key: &str) -> &str {
        self.stated.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn place(&self, key: &str) -> Vec<String> {
        let steps = self.stated.get(key).and_then(Value::as_array).into_iter().flatten();
        steps.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// The URL of the second page, at the fake itself.
fn link(request: &Received<'_>) -> String {
    let host = host(request.headers);
    let query =
        if request.query.is_empty() { String::new() } else { format!("{}&", request.query) };
    format!("http://{host}{}?{query}{PAGE}=2", request.path)
}

fn host(headers: &HeaderMap) -> &str {
    headers.get("host").and_then(|it| it.to_str().ok()).unwrap_or("localhost")
}

fn at<'a>(value: &'a mut Value, place: &[String]) -> Option<&'a mut Value> {
    place.iter().try_fold(value, |value, name| value.get_mut(name))
}
