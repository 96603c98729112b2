//! Loss check: finds parameters, bodies, responses and fields of a description that are missing in
//! the generated code although no warning names them.
//!
//! The check uses the generator's list of operations and its `$ref` resolution, but not its reading
//! of parameters, bodies and responses: then it could not find what that reading misses.

use std::collections::BTreeSet;

use podqueue_codegen::__private::openapi::{DescribedOperation, operations};
use serde_json::Value;

use super::grammar::UNIQUE;
use crate::description::resolve;
use crate::generated::{Call, Wire};
use crate::generation::left_out;

/// Keywords that leave the fields of an object unchanged.
const PLAIN: [&str; 12] = [
    "type",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "description",
    "title",
    "nullable",
    "deprecated",
    "readOnly",
    "writeOnly",
    "uniqueItems",
];

/// The maximum depth to which schemas are followed.
const DEPTH: usize = 12;

/// Checks every operation, parameter, body, response and field of a description. Returns the first
/// one that is neither in the code nor in a warning.
pub fn missing(
    description: &Value,
    calls: &[Call],
    warnings: &[String],
    code: &str,
) -> Option<String> {
    let check = LossCheck { description, warnings, code };
    for it in operations(description) {
        let (operation, DescribedOperation { item, operation: described, .. }) = (it.name(), it);
        // Of paths with a query or a fragment, several can be the same on the wire: the call may be
        // that of another one.
        if left_out(warnings).any(|it| it == operation) {
            continue;
        }
        let same: Vec<_> = calls.iter().filter(|it| it.operation == operation).collect();
        let [call] = same.as_slice() else { continue };
        let found = check
            .parameter(&operation, item, described, call)
            .or_else(|| check.style(&operation, item, described, call))
            .or_else(|| check.body(&operation, described, call))
            .or_else(|| check.response(&operation, described, call));
        if found.is_some() {
            return found.map(|it| format!("{operation}: {it}"));
        }
    }
    None
}

struct LossCheck<'a> {
    description: &'a Value,
    warnings: &'a [String],
    code: &'a str,
}

impl LossCheck<'_> {
    fn is_warned_of(&self, operation: &str, of: &str) -> bool {
        self.warnings.iter().any(|it| {
            it.strip_prefix(operation).is_some_and(|it| it.starts_with(": ") && it.contains(of))
        })
    }

    fn parameter(
        &self,
        operation: &str,
        item: &Value,
        described: &Value,
        call: &Call,
    ) -> Option<String> {
        let all = [item, described].into_iter().filter_map(|it| it["parameters"].as_array());
        let all = all.flatten().map(|it| resolve(self.description, it));
        let sent = |place: &str, name: &str| {
            call.wire.values().any(|wire| match wire {
                // A path parameter may be in the query of the path.
                Wire::Query(it) => place == "query" && it == name || place == "path",
                Wire::Path(it) => place == "path" && it == name,
                // Header names are case-insensitive.
                Wire::Header(it) => place == "header" && it.eq_ignore_ascii_case(name),
                _ => false,
            })
        };
        let set_elsewhere = |place: &str, name: &str| {
            let names = ["accept", "content-type", "authorization"];
            place == "header" && names.contains(&name.to_ascii_lowercase().as_str())
        };
        let missing = all.filter_map(|it| Some((it["in"].as_str()?, it["name"].as_str()?)));
        let mut missing = missing.filter(|(place, name)| {
            !sent(place, name)
                && !set_elsewhere(place, name)
                && !self.is_warned_of(operation, name.trim())
        });
        missing.next().map(|(place, name)| format!("the {place} parameter {name:?} is not sent"))
    }

    /// A style of the path that is not applied.
    fn style(
        &self,
        operation: &str,
        item: &Value,
        described: &Value,
        call: &Call,
    ) -> Option<String> {
        let mut seen = BTreeSet::new();
        let all = [described, item].into_iter().filter_map(|it| it["parameters"].as_array());
        let all = all.flatten().map(|it| resolve(self.description, it));
        let mut all = all.filter(|it| it["in"] == "path").filter_map(|it| {
            let (name, style) = (it["name"].as_str()?, it["style"].as_str().unwrap_or("simple"));
            // A parameter that has a media type has no style.
            let has_style = seen.insert(name) && it.get("content").is_none();
            has_style.then_some((name, style, it["explode"] == true))
        });
        let found = all.find(|(name, style, exploded)| {
            let applied = call.path_styles.get(*name);
            let is_applied = match (*style, applied) {
                ("simple", None) => true,
                ("simple", Some(it)) => it.contains(":: Simple") || it.ends_with(":: Json"),
                ("label", Some(it)) => it.contains(":: Label"),
                ("matrix", Some(it)) => it.contains(":: Matrix"),
                ("label" | "matrix", None) => false,
                _ => return !self.is_warned_of(operation, &format!("its style {style}")),
            };
            let explodes = applied.is_some_and(|it| it.contains("exploded : true"));
            let in_path = call.wire.values().any(|it| *it == Wire::Path((*name).to_owned()));
            in_path && !(is_applied && (applied.is_none() || explodes == *exploded))
        });
        found.map(|(name, style, _)| format!("the style {style} of {name:?} is not applied"))
    }

    fn body(&self, operation: &str, described: &Value, call: &Call) -> Option<String> {
        let body = resolve(self.description, &described["requestBody"]);
        let content = body["content"].as_object().filter(|it| !it.is_empty())?;
        let multipart = content.keys().any(|it| it.starts_with("multipart/") || it == "*/*");
        let sent = call.wire.values().find_map(|it| match it {
            Wire::Body(media) => Some(media),
            _ => None,
        });
        if sent.is_none() && !multipart && !self.is_warned_of(operation, "its body is") {
            return Some("its body is not sent".to_owned());
        }
        // Text and bytes are passed as they are, whatever their schema.
        let has_fields =
            |media: &&String| ["/json", "+json", "urlencoded"].iter().any(|it| media.contains(it));
        let media = content.get(sent.filter(has_fields)?)?;
        self.fields(&media["schema"], 0).map(|it| format!("the field {it:?} of its body is lost"))
    }

    fn response(&self, operation: &str, described: &Value, call: &Call) -> Option<String> {
        // A HEAD response has no content, whatever is described.
        if operation.starts_with("HEAD ") {
            return None;
        }
        let responses = described["responses"].as_object()?;
        let success = responses.iter().filter(|(status, _)| status.starts_with('2'));
        let success: Vec<_> = success.filter(|(status, _)| *status != "204").collect();
        let of = |it: &Value| resolve(self.description, it)["content"].as_object().cloned();
        let contents: Vec<_> = success.iter().filter_map(|(_, it)| of(it)).collect();
        let has_content = contents.iter().any(|it| !it.is_empty());
        if has_content
            && call.returns.contains("Result < () >")
            && !self.is_warned_of(operation, "its response")
        {
            return Some("its response is not read".to_owned());
        }
        // A single JSON response is the one that is read.
        let [only] = contents.as_slice() else { return None };
        let media = only.get("application/json").filter(|it| it.get("example").is_none())?;
        self.fields(&media["schema"], 0)
            .map(|it| format!("the field {it:?} of its response is lost"))
    }

    /// A field with a unique name that is missing in the code.
    fn fields(&self, schema: &Value, depth: usize) -> Option<String> {
        let mut seen = BTreeSet::new();
        self.fields_within(schema, depth, &mut seen)
    }

    fn fields_within(
        &self,
        schema: &Value,
        depth: usize,
        seen: &mut BTreeSet<String>,
    ) -> Option<String> {
        if depth > DEPTH {
            return None;
        }
        let schema = match schema["$ref"].as_str() {
            Some(_) if schema.as_object()?.len() > 1 => return None,
            Some(target) if !seen.insert(target.to_owned()) => return None,
            _ => resolve(self.description, schema),
        };
        if !schema.as_object()?.keys().all(|key| PLAIN.contains(&key.as_str())) {
            return None;
        }
        if schema["type"] == "array" {
            return self.fields_within(&schema["items"], depth + 1, seen);
        }
        if schema["type"] != "object" {
            return None;
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            // In the code, combining marks without a letter and the like are escaped.
            let escaped = format!("{name:?}");
            let is_lost =
                ![name, escaped.trim_matches('"')].iter().any(|it| self.code.contains(it));
            if is_unique(name) && is_lost {
                return Some(name.clone());
            }
            if let Some(found) = self.fields_within(schema, depth + 1, seen) {
                return Some(found);
            }
        }
        None
    }
}

/// Returns true if a name ends with a unique number.
fn is_unique(name: &str) -> bool {
    let start = name.trim_end_matches(|it: char| it.is_ascii_digit()).len();
    name[start..].parse::<u32>().is_ok_and(|it| it >= UNIQUE)
}
