//! Paging detection: the operations that return pages, and the value that leads to the next page.
//!
//! A description does not state it, but for a few well-known names it is certain, and only then
//! calls get `pages` and `items`. Certain is:
//!
//! - a `Link` header that is described for a response that is a list, or a header `X-Next` that is
//!   described as a link;
//! - a URL of the next page in the response: `next` of the format `uri`, `next_url`, `nextLink`;
//! - a cursor that the response names as a query parameter does: `next_page_token` for
//!   `page_token`, `next_cursor` for `cursor`, `last_id` for `after` beside `has_more`;
//! - the id of the last item for `starting_after`, beside `has_more`;
//! - the number of items before a page, `offset`, beside the `limit` of a page;
//! - the number of a page, `page`, if the description says with which it begins.
//!
//! In addition, it must be certain which list of the response has the items.

use serde_json::{Value, json};

use super::parameters::followed;
use crate::naming;
use crate::rest::description::{location, name_of};
use crate::rest::model::{Header, Next, Paging, Sent};
use crate::rest::pages::{self, Pages};
use crate::rest::tree::{self, FIRST, URL, fields, is_true, text_at};

/// Objects within a response that say what leads to the next page.
const WRAPPERS: [&str; 10] = [
    "meta",
    "pagination",
    "paging",
    "page",
    "page_info",
    "pageInfo",
    "response_metadata",
    "links",
    "_links",
    "metadata",
];

/// Names of the items, where a response has several lists.
const ITEMS: [&str; 6] = ["items", "data", "results", "records", "entries", "values"];

/// Names of a URL of the next page.
const URLS: [&str; 8] = [
    "next_url",
    "nextUrl",
    "next_link",
    "nextLink",
    "next_page_url",
    "nextPageUrl",
    "@odata.nextLink",
    "next_href",
];

/// Names of the cursor in a response, for each name of a query parameter.
const CURSORS: [(&str, &[&str]); 12] = [
    ("cursor", &["next_cursor", "nextCursor"]),
    ("next_cursor", &["next_cursor"]),
    ("page_cursor", &["next_page_cursor", "next_cursor"]),
    ("page_token", &["next_page_token"]),
    ("pageToken", &["nextPageToken"]),
    ("next_page_token", &["next_page_token"]),
    ("nextPageToken", &["nextPageToken"]),
    ("next_token", &["next_token"]),
    ("nextToken", &["nextToken"]),
    ("continuation_token", &["next_continuation_token", "continuation_token"]),
    ("continuationToken", &["nextContinuationToken", "continuationToken"]),
    ("after", &["next_cursor", "next_after", "after"]),
];

/// Names of the size of a page.
const SIZES: [&str; 8] =
    ["limit", "per_page", "perPage", "page_size", "pageSize", "count", "size", "max_results"];

/// Returns the paging of a call and the schema of its items, if it is certain.
///
/// `parameters` are those of the operation, `schema` and `headers` those of its response.
pub(super) fn detect(
    description: &Value,
    parameters: &[&Value],
    schema: &Value,
    headers: &[Header],
) -> Option<(Paging, Value)> {
    let page = followed(description, schema)?;
    let (items, item) = items(description, page)?;
    let headers = if items.is_empty() { headers } else { &[] };
    let next = next(description, parameters, page, &item, headers)?;
    Some((Paging { next, items }, item))
}

/// Returns the paging that is stated, and the schema of its items. `body` is the schema
/// of the request's body, if that is JSON.
///
/// # Errors
///
/// The parameter or the field that the operation lacks.
pub(super) fn stated(
    description: &Value,
    parameters: &[&Value],
    body: Option<&Value>,
    schema: &Value,
    pages: &Pages,
) -> Result<Option<(Paging, Value)>, String> {
    let Some(mut next) = pages.next.clone() else { return Ok(None) };
    let is_place_empty = match &next {
        Next::Header(name) => name.trim().is_empty(),
        Next::Link(place) | Next::Cursor { place, .. } | Next::LastItem { more: place, .. } => {
            place.is_empty()
        }
        Next::Offset { .. } | Next::Number { .. } => false,
    };
    if is_place_empty {
        return Err("what leads to the next page has no name; state a header or a field".to_owned());
    }
    let any = json!({});
    let page = followed(description, schema).unwrap_or(&any);
    let (items, item) = match &pages.items {
        Some(place) => {
            let list = at(description, page, place)?;
            let is_list = list.get("type").is_none_or(|kind| kind == "array");
            let item = list.get("items").cloned().unwrap_or_else(|| json!({}));
            match is_list {
                true => (place.clone(), item),
                false if place.is_empty() => {
                    return Err(
                        "its response is no list; state a field with `.items(…)`".to_owned()
                    );
                }
                false => return Err(format!("`{}` is no list", place.join("."))),
            }
        }
        None => items(description, page).ok_or(
            "it is not certain which list of its response has the items; state it with `.items(…)`",
        )?,
    };
    const SCALARS: [&str; 3] = ["string", "integer", "number"];
    match &next {
        Next::Link(place) => {
            fits(&at(description, page, place)?, place, &["string"], "a URL is text")?;
        }
        Next::Cursor { place, .. } => {
            let advice = "a cursor is text or a number";
            fits(&at(description, page, place)?, place, &SCALARS, advice)?;
        }
        Next::LastItem { id, more, .. } => {
            let advice = "what says whether there are more pages is a boolean";
            fits(&at(description, page, more)?, more, &["boolean"], advice)?;
            let id = std::slice::from_ref(id);
            fits(&at(description, &item, id)?, id, &SCALARS, "an id is text or a number")?;
        }
        Next::Header(_) | Next::Offset { .. } | Next::Number { .. } => {}
    }
    let (kinds, advice): (&[_], _) = match &next {
        Next::Offset { .. } => (
            &["integer", "number"],
            "an offset is a number; state a cursor if the response has the next one",
        ),
        Next::Number { .. } => (
            &["integer", "number"],
            "a page number must be a number; state a cursor if the response has the next one",
        ),
        _ => (&SCALARS, "a cursor is text or a number"),
    };
    if let Some(sent) = next.sent_mut() {
        let (place, schema) = found(description, parameters, body, sent)?;
        let name = match &place {
            Sent::Query(name) => vec![name.clone()],
            Sent::Body(place) => place.clone(),
        };
        fits(&schema, &name, kinds, advice)?;
        *sent = place;
    }
    Ok(Some((Paging { next, items }, item)))
}

/// Refuses a value whose type is described, and is none of these.
fn fits(schema: &Value, place: &[String], kinds: &[&str], advice: &str) -> Result<(), String> {
    let kind = schema.as_object().and_then(tree::kind);
    match kind.filter(|it| !kinds.contains(it)) {
        Some(kind) => Err(format!("`{}` is of the type {kind}; {advice}", place.join("."))),
        None => Ok(()),
    }
}

/// The part of the request that has the stated name, and its schema: a query parameter, or else a
/// field of the body.
fn found(
    description: &Value,
    parameters: &[&Value],
    body: Option<&Value>,
    stated: &Sent,
) -> Result<(Sent, Value), String> {
    let Sent::Query(name) = stated else { return Ok((stated.clone(), json!({}))) };
    if name.trim().is_empty() {
        return Err("the parameter that asks for the next page has no name; state it".to_owned());
    }
    let queries = || parameters.iter().filter(|it| location(it) == "query");
    if let Some(parameter) = queries().find(|it| name_of(it) == *name) {
        let schema = parameter.get("schema").and_then(|it| followed(description, it));
        return Ok((stated.clone(), schema.cloned().unwrap_or_default()));
    }
    let mut known: Vec<_> = queries().map(|it| name_of(it)).collect();
    let place = pages::fields(name);
    let body = body.and_then(|it| followed(description, it));
    if let Some(Ok(schema)) = body.map(|body| at(description, body, &place)) {
        return Ok((Sent::Body(place), schema));
    }
    known.extend(body.into_iter().flat_map(|it| fields(it, "properties")).map(|(name, _)| &**name));
    let advice = match naming::nearest(name, &known) {
        Some(nearest) => format!(". Did you mean {nearest:?}?"),
        None => String::new(),
    };
    let nor = if body.is_some() { ", and its body has no such field" } else { "" };
    Err(format!("it has no query parameter `{name}`{nor}{advice}"))
}

/// The schema at a place, any value where an object is not described.
fn at(description: &Value, page: &Value, place: &[String]) -> Result<Value, String> {
    let mut schema = page.clone();
    for name in place {
        let object = followed(description, &schema).cloned().unwrap_or_default();
        let Some(fields) = object.get("properties").and_then(Value::as_object) else {
            return match object.get("type").is_none_or(|kind| kind == "object") {
                true => Ok(json!({})),
                false => Err(format!("its response has no field `{}`", place.join("."))),
            };
        };
        let Some(field) = fields.get(name) else {
            let names: Vec<_> = fields.keys().map(String::as_str).collect();
            let advice = match naming::nearest(name, &names) {
                Some(nearest) => format!(". Did you mean {nearest:?}?"),
                None => String::new(),
            };
            return Err(format!("its response has no field `{}`{advice}", place.join(".")));
        };
        schema = field.clone();
    }
    Ok(followed(description, &schema).cloned().unwrap_or_default())
}

/// The place of the items within a page, and their schema.
fn items(description: &Value, page: &Value) -> Option<(Vec<String>, Value)> {
    let item = |list: &Value| list.get("items").cloned().unwrap_or_else(|| json!({}));
    if page.get("type") == Some(&json!("array")) {
        return Some((Vec::new(), item(page)));
    }
    let lists = fields(page, "properties").filter_map(|(name, schema)| {
        let list = followed(description, schema)?;
        (list.get("type") == Some(&json!("array"))).then_some((name, list))
    });
    let lists: Vec<_> = lists.collect();
    let known = || ITEMS.iter().find_map(|name| lists.iter().find(|(it, _)| it == name));
    let (name, list) = match lists.as_slice() {
        [only] => only,
        _ => known()?,
    };
    Some((vec![(*name).clone()], item(list)))
}

fn next(
    description: &Value,
    parameters: &[&Value],
    page: &Value,
    item: &Value,
    headers: &[Header],
) -> Option<Next> {
    let query = |name: &str| {
        parameters.iter().copied().find(|it| location(it) == "query" && name_of(it) == name)
    };
    let found = |name: &str| place(description, page, name);
    let more = || found("has_more").or_else(|| found("hasMore"));
    for (parameter, cursors) in CURSORS {
        if query(parameter).is_some()
            && let Some(place) = cursors.iter().find_map(|name| found(name))
        {
            let parameter = Sent::Query(parameter.to_owned());
            return Some(Next::Cursor { parameter, place, more: more() });
        }
    }
    if let (Some(_), Some(place), Some(more)) = (query("after"), found("last_id"), more()) {
        let parameter = Sent::Query("after".to_owned());
        return Some(Next::Cursor { parameter, place, more: Some(more) });
    }
    if let (Some(_), Some(more)) = (query("starting_after"), more())
        && has(description, item, "id")
    {
        let (parameter, id) = (Sent::Query("starting_after".to_owned()), "id".to_owned());
        return Some(Next::LastItem { parameter, id, more });
    }
    if let Some(place) = URLS.iter().find_map(|name| found(name)) {
        return Some(Next::Link(place));
    }
    if let Some(place) = found("next").filter(|place| is_url(description, page, place)) {
        return Some(Next::Link(place));
    }
    let is_next = |it: &&Header| {
        it.wire.eq_ignore_ascii_case("link")
            || (it.wire.eq_ignore_ascii_case("x-next")
                && it.description.to_lowercase().contains("link"))
    };
    if let Some(header) = headers.iter().find(is_next) {
        return Some(Next::Header(header.wire.clone()));
    }
    if query("offset").is_some() && SIZES.iter().any(|size| query(size).is_some()) {
        return Some(Next::Offset { parameter: Sent::Query("offset".to_owned()) });
    }
    let number = query("page").and_then(|it| followed(description, it.get("schema")?))?;
    let first = number.get(FIRST).and_then(Value::as_u64)?;
    Some(Next::Number { parameter: Sent::Query("page".to_owned()), first })
}

/// The place of a field, of the response itself or of an object that says where the next page is.
fn place(description: &Value, page: &Value, name: &str) -> Option<Vec<String>> {
    if has(description, page, name) {
        return Some(vec![name.to_owned()]);
    }
    let within = WRAPPERS.iter().find(|wrapper| {
        let within = page.get("properties").and_then(|it| it.get(**wrapper));
        within.is_some_and(|it| has(description, it, name))
    });
    within.map(|wrapper| vec![(*wrapper).to_owned(), name.to_owned()])
}

/// Returns true if an object has a field that is no object and no list.
fn has(description: &Value, object: &Value, name: &str) -> bool {
    let field = followed(description, object).and_then(|it| it.get("properties")?.get(name));
    field.and_then(|it| followed(description, it)).is_some_and(|field| {
        !["array", "object"].contains(&text_at(field, "type").as_str())
            && field.get("properties").is_none()
    })
}

/// Returns true if the field at a place is a URL: by its format, or since it is among links.
fn is_url(description: &Value, page: &Value, place: &[String]) -> bool {
    let field = place
        .iter()
        .try_fold(page, |object, name| followed(description, object)?.get("properties")?.get(name));
    let is_url = field.and_then(|it| followed(description, it)).is_some_and(|it| is_true(it, URL));
    let is_among_links = matches!(place, [wrapper, _] if wrapper.ends_with("links"));
    is_among_links || is_url
}
