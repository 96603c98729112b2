//! Untyped values: every value of the generated types that is any JSON, a `serde_json::Value`, with
//! its place in the description and the reason.
//!
//! The types and the description are walked side by side, from each operation: a field leads to the
//! property of its wire name, `Vec` to the items, a variant to the branches. So no pass of the
//! normalization has to record what it rewrites. Where schemas were merged, a step leads to the
//! candidates in all of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quote::ToTokens;
use serde_json::{Value, json};
use syn::visit_mut::VisitMut;
use syn::{Field, Fields, Item, Path, Type};

use super::description::{self, DescribedOperation, location, name_of};
use super::media::{self, Media};
use super::model::{Content, Operation, ParameterLocation, PartKind};
use super::normalize::{MOST_UNIONS, Origins, fits_no_type};
use super::pointer::{joined, keys};
use super::signatures::Signature;
use super::source_map::SourceMap;
use super::tree::{fields, resolve_to};
use crate::syntax::{argument, arguments, is_named, name_of as name_of_item, wire_name};
use crate::{Diagnostic, Source, attributes};

/// The untyped values of generated code.
#[derive(Clone, Debug, Default)]
pub struct UntypedValues {
    /// A line for each of them, in the order of the description: its place there, the generated
    /// field, and the reason.
    pub untyped: Vec<Diagnostic>,
    /// The number of fields: those of types, the values of variants, parameters, bodies and
    /// responses.
    pub fields: usize,
    /// The number of fields without any untyped value.
    pub typed: usize,
}

impl UntypedValues {
    /// Adds the untyped values of another description.
    pub fn add(&mut self, other: Self) {
        self.untyped.extend(other.untyped);
        self.fields += other.fields;
        self.typed += other.typed;
    }
}

/// Types and calls that are walked.
pub(super) struct Walked<'a> {
    /// The description with all of its files.
    pub(super) description: &'a Value,
    /// The names of the types of named schemas, by their places.
    pub(super) names: &'a BTreeMap<String, String>,
    pub(super) operations: &'a [(Operation, Signature)],
    pub(super) types: &'a [Item],
}

/// Finds the untyped values of the generated types of a description.
pub(super) fn of(
    source: &Source,
    places: &SourceMap<'_>,
    origins: &Origins,
    walked: &Walked<'_>,
) -> UntypedValues {
    let found = Walk::of(walked);
    let mut untyped: Vec<_> = found
        .untyped
        .iter()
        .map(|(place, message)| {
            let found = origins.diagnostic(source, places, &keys(place), message);
            // The place of a node that was written in another file.
            match (found.line, found.column) {
                (1, 1) => origins.diagnostic(source, places, &[], &format!("{message} ({place})")),
                _ => found,
            }
        })
        .collect();
    untyped.sort();
    UntypedValues { untyped, fields: found.fields, typed: found.typed }
}

/// A node of the description: its place, a JSON pointer, and the node.
type Node<'a> = (String, &'a Value);

/// The schemas of one value: several where they are merged, and none where it is not described.
#[derive(Clone, Default)]
struct Schemas<'a> {
    nodes: Vec<Node<'a>>,
    /// Where no node is: the place that should have it, and the reason.
    missing: Option<(String, &'static str)>,
}

/// A step from a value to a value within it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Property(&'a str),
    Item,
    /// A value of a map.
    Value,
    /// A branch of a union.
    Branch,
}

/// The maximum number of compositions within each other that are followed.
const DEPTH: usize = 8;

struct Walk<'a> {
    description: &'a Value,
    /// The places of named types.
    places: BTreeMap<&'a str, &'a str>,
    items: BTreeMap<String, &'a Item>,
    seen: BTreeSet<String>,
    waiting: VecDeque<(String, Schemas<'a>)>,
    untyped: Vec<(String, String)>,
    fields: usize,
    typed: usize,
}

impl<'a> Walk<'a> {
    fn of(walked: &Walked<'a>) -> Self {
        let items = walked.types.iter().filter_map(|it| Some((name_of_item(it)?, it)));
        let mut walk = Self {
            description: walked.description,
            places: walked.names.iter().map(|(place, name)| (&**name, &**place)).collect(),
            items: items.collect(),
            seen: BTreeSet::new(),
            waiting: VecDeque::new(),
            untyped: Vec::new(),
            fields: 0,
            typed: 0,
        };
        let described: BTreeMap<_, _> =
            description::operations(walked.description).map(|it| (it.keys.clone(), it)).collect();
        for (operation, signature) in walked.operations {
            if let Some(described) = described.get(&operation.keys) {
                walk.operation(operation, signature, described);
            }
        }
        while let Some((name, schemas)) = walk.waiting.pop_front() {
            walk.item(&name, &schemas);
        }
        walk
    }

    fn operation(
        &mut self,
        operation: &Operation,
        signature: &Signature,
        described: &DescribedOperation<'a>,
    ) {
        let name = &operation.name;
        let at = self.node(&operation.keys);
        let body = at.as_ref().and_then(|at| self.below(at, &["requestBody"]));
        for parameter in &operation.parameters {
            let what = format!("the parameter `{}` of `{name}`", parameter.name);
            let schemas = match parameter.place {
                ParameterLocation::Part(PartKind::Value) => {
                    let parts = self.media(body.as_ref(), |it| it.starts_with("multipart/"));
                    self.step(&parts, Step::Property(&parameter.wire))
                }
                ParameterLocation::Part(_) => {
                    self.count(false);
                    continue;
                }
                place => self.parameter(at.as_ref(), place, &parameter.wire),
            };
            if let Some(ty) = signature.parameters.get(&parameter.name) {
                self.field(&what, ty, &schemas);
            }
        }
        if let Some(described_body) = &operation.body
            && let Some(ty) = signature.parameters.get("body")
        {
            let media = &described_body.media;
            let schemas = self.media(body.as_ref(), |it| it == media || it.contains('*'));
            self.field(&format!("the body of `{name}`"), ty, &schemas);
        }
        let responses = at.as_ref().and_then(|at| self.below(at, &["responses"]));
        let of_status = |walk: &Self, status: &str| {
            let all = responses.as_ref()?;
            let own = fields_of(all.1).find(|it| it.eq_ignore_ascii_case(status))?;
            walk.below(all, &[own])
        };
        let json = |it: &str| media::content_of(it) == Some(Content::Json);
        let successes =
            description::successes(self.description, &described.method, described.operation);
        if let Some((success, Media { name: media, content: Content::Json, .. })) =
            description::deciding_success(&successes)
        {
            let response = of_status(self, success.status);
            let schemas = self.media(response.as_ref(), |it| it == media);
            self.field(&format!("the response of `{name}`"), &signature.response, &schemas);
        }
        let others = operation.successes.iter().zip(&signature.successes);
        let others = others.filter(|(it, _)| !it.is_first).map(|(it, ty)| (&it.status, ty));
        let errors = signature.errors.iter().map(|(status, ty)| (status, Some(ty)));
        let others = others.map(|(status, ty)| (status, ty.as_ref()));
        for (status, ty) in others.chain(errors) {
            let Some(ty) = ty else { continue };
            let response = of_status(self, status);
            let schemas = self.media(response.as_ref(), json);
            self.field(&format!("the response {status} of `{name}`"), ty, &schemas);
        }
        for (ty, what, is_media) in [
            (&signature.event, "an event", is_events as fn(&str) -> bool),
            (&signature.line, "a line", media::is_lines),
        ] {
            let Some(ty) = ty else { continue };
            let streamed = successes.iter().find(|it| it.offered.keys().any(|it| is_media(it)));
            let response = streamed.and_then(|it| of_status(self, it.status));
            let mut schemas = self.media(response.as_ref(), is_media);
            // Lines that are text have no schema.
            if schemas.nodes.iter().any(|(_, it)| it.get("type") == Some(&json!("string"))) {
                schemas.missing = schemas.nodes.pop().map(|(place, _)| (place, NO_SCHEMA));
            }
            // A list of events, or an event with its data.
            for step in [Step::Item, Step::Property("data")] {
                let within = self.step(&schemas, step);
                if !within.nodes.is_empty() {
                    schemas = within;
                }
            }
            self.field(&format!("{what} of `{name}`"), ty, &schemas);
        }
    }

    /// The schema of a parameter.
    fn parameter(
        &self,
        at: Option<&Node<'a>>,
        place: ParameterLocation,
        wire: &str,
    ) -> Schemas<'a> {
        let location_of = match place {
            ParameterLocation::Header => "header",
            ParameterLocation::Path => "path",
            _ => "query",
        };
        let Some((operation, _)) = at else { return Schemas::default() };
        let item = operation.rsplit_once('/').map_or("", |(item, _)| item);
        let lists = [operation.as_str(), item].into_iter().filter_map(|of| {
            let of = self.node(&keys(of))?;
            let list = self.below(&of, &["parameters"])?;
            Some(
                (0..list.1.as_array()?.len())
                    .filter_map(move |index| self.below(&list, &[&index.to_string()])),
            )
        });
        let parameter = lists.flatten().find(|(_, it)| {
            name_of(it) == wire && (location(it) == location_of || place == ParameterLocation::Path)
        });
        let missing = parameter.as_ref().map_or(operation, |(place, _)| place).clone();
        let schema = parameter.as_ref().and_then(|it| self.below(it, &["schema"]));
        match schema {
            Some(schema) => Schemas { nodes: vec![schema], missing: None },
            None if parameter.as_ref().is_some_and(|(_, it)| it.get("content").is_some()) => {
                self.media(parameter.as_ref(), |_| true)
            }
            None => Schemas { nodes: Vec::new(), missing: Some((missing, NO_SCHEMA)) },
        }
    }

    /// The schema of the first such media type of a body or a response.
    fn media(&self, of: Option<&Node<'a>>, is_media: impl Fn(&str) -> bool) -> Schemas<'a> {
        let Some(of) = of else { return Schemas::default() };
        let missing = Schemas { nodes: Vec::new(), missing: Some((of.0.clone(), NO_SCHEMA)) };
        let Some(content) = self.below(of, &["content"]) else { return missing };
        let Some(media) = fields_of(content.1).find(|it| is_media(it)) else { return missing };
        let schema =
            ["itemSchema", "schema"].iter().find_map(|it| self.below(&content, &[media, it]));
        match (schema, self.below(&content, &[media])) {
            (Some(schema), _) => Schemas { nodes: vec![schema], missing: None },
            (None, Some((place, _))) => {
                Schemas { nodes: Vec::new(), missing: Some((place, NO_SCHEMA)) }
            }
            (None, None) => missing,
        }
    }

    fn item(&mut self, name: &str, schemas: &Schemas<'a>) {
        let Some(item) = self.items.get(name).copied() else { return };
        match item {
            Item::Struct(item) => match &item.fields {
                Fields::Named(_) => self.named_fields(name, &item.fields, schemas),
                // A type around the value of a schema.
                others => {
                    others.iter().for_each(|it| self.field(&format!("`{name}`"), &it.ty, schemas))
                }
            },
            Item::Enum(item) => {
                let branches = self.step(schemas, Step::Branch);
                for variant in &item.variants {
                    let what = format!("{name}::{}", variant.ident);
                    match &variant.fields {
                        Fields::Named(_) => self.named_fields(&what, &variant.fields, &branches),
                        others => {
                            for field in others {
                                let branches = self.of_kind(&branches, &field.ty);
                                self.field(&format!("`{what}`"), &field.ty, &branches);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn named_fields(&mut self, of: &str, fields: &Fields, schemas: &Schemas<'a>) {
        for field in fields {
            let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
            let what = format!("`{of}::{ident}`");
            // The field of all properties that have none is a map.
            let within = match is_flat(field) {
                true => schemas.clone(),
                false => self.step(schemas, Step::Property(&wire_name(field))),
            };
            self.field(&what, &field.ty, &within);
        }
    }

    /// Counts a field, and visits its type.
    fn field(&mut self, what: &str, ty: &Type, schemas: &Schemas<'a>) {
        let shown = shown(ty);
        let is_untyped = self.visit(&format!("{what} is `{shown}`"), ty, schemas);
        self.count(is_untyped);
    }

    fn count(&mut self, is_untyped: bool) {
        self.fields += 1;
        self.typed += usize::from(!is_untyped);
    }

    /// Visits a type. Returns true if a value of it, or within it, is untyped.
    fn visit(&mut self, what: &str, ty: &Type, schemas: &Schemas<'a>) -> bool {
        match ty {
            Type::Tuple(tuple) => {
                let item = self.step(schemas, Step::Item);
                tuple.elems.iter().fold(false, |found, it| self.visit(what, it, &item) | found)
            }
            Type::Array(list) => {
                let item = self.step(schemas, Step::Item);
                self.visit(what, &list.elem, &item)
            }
            _ if is_any(ty) => {
                let (place, reason) = self.reason(schemas);
                self.untyped.push((place, format!("{what}: {reason}")));
                true
            }
            Type::Path(path) => {
                let within = match ty {
                    ty if is_named(ty, "Vec") => self.step(schemas, Step::Item),
                    ty if is_named(ty, "HashMap") || is_named(ty, "Map") => {
                        self.step(schemas, Step::Value)
                    }
                    _ => schemas.clone(),
                };
                if let Some(last) = arguments(ty).last() {
                    return self.visit(what, last, &within);
                }
                if let Some(name) = path.path.segments.last().map(|it| it.ident.to_string())
                    && self.items.contains_key(&name)
                    && self.seen.insert(name.clone())
                {
                    let own = self.places.get(name.as_str()).and_then(|it| self.node(&keys(it)));
                    let own = own.map(|node| Schemas { nodes: vec![node], missing: None });
                    self.waiting.push_back((name, own.unwrap_or(within)));
                }
                false
            }
            _ => false,
        }
    }

    /// The node to which keys lead, with its references followed on the way.
    fn node(&self, keys: &[String]) -> Option<Node<'a>> {
        let keys: Vec<_> = keys.iter().map(String::as_str).collect();
        self.below(&("#".to_owned(), self.description), &keys)
    }

    /// The node below another one, with references followed.
    fn below(&self, (place, node): &Node<'a>, keys: &[&str]) -> Option<Node<'a>> {
        let start = resolve_to(self.description, node, place)?;
        keys.iter().try_fold((start.1, start.0), |(place, node), key| {
            let below = match node {
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                node => node.get(key)?,
            };
            let (below, place) = resolve_to(self.description, below, &joined(&place, &[key]))
                // A reference that leads nowhere has a place, too.
                .unwrap_or_else(|| (below, joined(&place, &[key])));
            Some((place, below))
        })
    }

    /// The schemas to which a step leads, in all parts of these.
    fn step(&self, from: &Schemas<'a>, step: Step<'_>) -> Schemas<'a> {
        let missing = from.missing.clone().filter(|_| from.nodes.is_empty());
        let mut found = Schemas { nodes: Vec::new(), missing };
        let mut seen = BTreeSet::new();
        for node in &from.nodes {
            self.step_within(node, step, DEPTH, &mut seen, &mut found);
        }
        if found.nodes.is_empty() && matches!(step, Step::Branch) {
            return from.clone();
        }
        if matches!(step, Step::Item) {
            let lists =
                from.nodes.iter().filter_map(|it| resolve_to(self.description, it.1, &it.0));
            if let Some((_, place)) = lists.into_iter().find(|(schema, _)| is_open_tuple(schema)) {
                let missing = Some((place, "a tuple whose further items have no schema"));
                return Schemas { nodes: Vec::new(), missing };
            }
        }
        if let (true, None, Some(at)) = (found.nodes.is_empty(), &found.missing, from.nodes.first())
            && let Some((schema, place)) = resolve_to(self.description, at.1, &at.0)
        {
            let reason = match step {
                Step::Item => "a list whose items have no schema",
                Step::Value if schema.get("properties").is_some() => {
                    "an object whose other properties have no schema"
                }
                Step::Value => "an object without properties",
                Step::Property(_) | Step::Branch => NO_SCHEMA,
            };
            found.missing = Some((place, reason));
        }
        found
    }

    fn step_within(
        &self,
        node: &Node<'a>,
        step: Step<'_>,
        depth: usize,
        seen: &mut BTreeSet<String>,
        found: &mut Schemas<'a>,
    ) {
        let Some((schema, place)) = resolve_to(self.description, node.1, &node.0) else { return };
        if depth == 0 || !seen.insert(place.clone()) {
            return;
        }
        let node = (place, schema);
        let mut direct = |keys: &[&str], missing: &'static str| match self.below(&node, keys) {
            Some((_, Value::Bool(false))) => {}
            // `true`, or no schema.
            Some((place, any)) if words(any).is_empty() && any.get("$ref").is_none() => {
                found.missing.get_or_insert((place, missing));
            }
            Some(below) => found.nodes.push(below),
            None => {}
        };
        match step {
            Step::Property(name) => direct(&["properties", name], NO_SCHEMA),
            Step::Item => {
                direct(&["items"], NO_SCHEMA);
                let listed = schema.get("prefixItems").or_else(|| schema.get("items"));
                for index in 0..listed.and_then(Value::as_array).map_or(0, Vec::len) {
                    let index = index.to_string();
                    direct(&["prefixItems", &index], NO_SCHEMA);
                    direct(&["items", &index], NO_SCHEMA);
                }
            }
            Step::Value => {
                direct(&["additionalProperties"], ANY_PROPERTIES);
                let patterns = fields(schema, "patternProperties").map(|(name, _)| name);
                patterns.for_each(|it| direct(&["patternProperties", it], NO_SCHEMA));
            }
            Step::Branch => {}
        }
        let unions = ["oneOf", "anyOf"];
        let composed: &[&str] =
            if matches!(step, Step::Branch) { &unions } else { &["allOf", "oneOf", "anyOf"] };
        for key in composed {
            for index in 0..schema.get(key).and_then(Value::as_array).map_or(0, Vec::len) {
                let Some(branch) = self.below(&node, &[key, &index.to_string()]) else { continue };
                let is_union = unions.iter().any(|it| branch.1.get(it).is_some());
                if matches!(step, Step::Branch) && !is_union {
                    found.nodes.push(branch);
                } else {
                    self.step_within(&branch, step, depth - 1, seen, found);
                }
            }
        }
    }

    /// The branches that a variant of this type is made of; all where none can be told.
    fn of_kind(&self, branches: &Schemas<'a>, ty: &Type) -> Schemas<'a> {
        let ty = argument(ty).filter(|_| is_named(ty, "Box")).unwrap_or(ty);
        let own = match ty {
            Type::Path(path) => path.path.segments.last().map(|it| it.ident.to_string()),
            _ => None,
        };
        let place = own.as_deref().and_then(|it| self.places.get(it));
        let is_of_kind = |(at, schema): &&Node<'a>| {
            let kind = schema.get("type").and_then(Value::as_str);
            match place {
                Some(place) => at == place,
                None if is_named(ty, "Vec") => kind == Some("array"),
                None if is_named(ty, "HashMap") || is_named(ty, "Map") => kind == Some("object"),
                None => true,
            }
        };
        let nodes: Vec<_> = branches.nodes.iter().filter(is_of_kind).cloned().collect();
        match nodes.is_empty() {
            true => branches.clone(),
            false => Schemas { nodes, missing: None },
        }
    }

    /// The place of an untyped value, and the reason.
    fn reason(&self, schemas: &Schemas<'a>) -> (String, &'static str) {
        let nodes = schemas.nodes.iter();
        let own = nodes.clone().find_map(|it| Some((it.0.clone(), self.own_reason(it, DEPTH)?)));
        let missing = || schemas.missing.clone();
        let merged = || {
            let (place, first) = schemas.nodes.first()?;
            let has_example = ["example", "examples"].iter().any(|it| first.get(it).is_some());
            let reason = match schemas.nodes.len() {
                1 if has_example => "a type that its example contradicts",
                // Objects do not contradict each other: their types are not composed.
                count
                    if (count > 1 || first.get("allOf").is_some())
                        && self.are_objects(&schemas.nodes, DEPTH) =>
                {
                    TOO_MANY
                }
                1 => "a schema that no type expresses",
                _ => "different types in the schemas that are merged here",
            };
            Some((place.clone(), reason))
        };
        own.or_else(missing).or_else(merged).unwrap_or_else(|| ("#".to_owned(), NO_SCHEMA))
    }

    /// Returns true if all of these schemas are objects.
    fn are_objects(&self, nodes: &[Node<'a>], depth: usize) -> bool {
        nodes.iter().all(|(place, schema)| {
            let Some((schema, place)) = resolve_to(self.description, schema, place) else {
                return false;
            };
            let parts = self.parts(&(place, schema), "allOf");
            match schema.get("type").and_then(Value::as_str) {
                Some(kind) => kind == "object",
                None if parts.is_empty() => schema.get("properties").is_some(),
                None => depth > 0 && self.are_objects(&parts, depth - 1),
            }
        })
    }

    /// The schemas of `allOf`, `oneOf` or `anyOf`.
    fn parts(&self, node: &Node<'a>, key: &str) -> Vec<Node<'a>> {
        let count = node.1.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).filter_map(|it| self.below(node, &[key, &it.to_string()])).collect()
    }

    /// The reason that one schema alone has.
    fn own_reason(&self, (place, schema): &Node<'a>, depth: usize) -> Option<&'static str> {
        let Some((schema, place)) = resolve_to(self.description, schema, place) else {
            let target = schema.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|it| self.description.pointer(it.strip_prefix('#')?));
            return Some(match target {
                Some(_) => "schemas that refer to each other only",
                None => "its $ref leads nowhere",
            });
        };
        if depth == 0 {
            return Some("a schema that leads back to itself");
        }
        if unions_around(&place) > MOST_UNIONS {
            return Some("it is within too many unions, each in a branch of another");
        }
        let node = (place, schema);
        let reasons = |key: &str| {
            let parts = self.parts(&node, key);
            parts.iter().map(|it| self.own_reason(it, depth - 1)).collect::<Vec<_>>()
        };
        if fits_no_type(self.description, schema) {
            return Some("integers that neither an i64 nor a u64 has room for");
        }
        let kinds = schema.get("type").and_then(Value::as_array).into_iter().flatten();
        let kinds = kinds.filter(|it| **it != json!("null")).count();
        for union in ["oneOf", "anyOf"] {
            match reasons(union).as_slice() {
                [] => {}
                all if all.contains(&Some(NO_SCHEMA)) => {
                    return Some("a union with a branch that has no schema");
                }
                _ => return Some("a union of shapes that cannot be told apart"),
            }
        }
        let all_of = reasons("allOf");
        if !all_of.is_empty() {
            let all_untyped = all_of.iter().all(Option::is_some);
            let first = all_of.first().copied().flatten().filter(|_| all_untyped);
            let contradict =
                || all_of.len() > 1 && !self.are_objects(&self.parts(&node, "allOf"), depth);
            return first.or_else(|| {
                contradict().then_some("parts of an allOf that contradict each other")
            });
        }
        if kinds > 1 {
            return Some("several types");
        }
        match words(schema).as_slice() {
            [] => return Some(NO_SCHEMA),
            ["not"] => return Some("no schema but `not`"),
            _ => {}
        }
        let is_null = schema.get("type") == Some(&json!("null"))
            || schema.get("const").is_some_and(Value::is_null);
        let values = schema.get("enum").and_then(Value::as_array);
        let is_null =
            is_null || values.is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_null));
        let is_mixed = values.is_some_and(|all| {
            let kind = |it: &Value| std::mem::discriminant(it);
            all.windows(2).any(|pair| kind(&pair[0]) != kind(&pair[1]))
        });
        match schema.get("type").and_then(Value::as_str) {
            _ if is_null => Some("always null"),
            None if is_mixed => Some("an enum of values of several types"),
            Some("object") if fields(schema, "properties").next().is_none() => {
                Some("an object without properties")
            }
            Some(kind) if !KINDS.contains(&kind) => Some("an unknown type"),
            _ => None,
        }
    }
}

const NO_SCHEMA: &str = "no schema";

/// The reason of what exceeds the budget of compositions.
const TOO_MANY: &str = "the schemas that are merged here lead to too many combinations";

const ANY_PROPERTIES: &str = "additionalProperties without a schema";

/// The keywords that say of which type a value is.
const TYPE_KEYWORDS: [&str; 12] = [
    "type",
    "properties",
    "additionalProperties",
    "patternProperties",
    "items",
    "prefixItems",
    "enum",
    "const",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
];

const KINDS: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// Returns true for a list with a schema for each of its first items, and none for further ones.
fn is_open_tuple(schema: &Value) -> bool {
    let (first, further) = match schema.get("prefixItems") {
        Some(first) => (first, "items"),
        None => (schema.get("items").unwrap_or(&Value::Null), "additionalItems"),
    };
    let most = schema.get("maxItems").and_then(Value::as_u64);
    let is_full = |first: &Vec<Value>| most.is_some_and(|it| it <= first.len() as u64);
    first.as_array().is_some_and(|it| !is_full(it))
        && matches!(schema.get(further), None | Some(Value::Bool(true)))
}

/// The number of unions in whose branches a place is, since the last schema with a name.
fn unions_around(place: &str) -> usize {
    keys(place).iter().filter(|it| ["oneOf", "anyOf"].contains(&it.as_str())).count()
}

/// The keywords of a schema that say of which type a value is.
fn words(schema: &Value) -> Vec<&'static str> {
    TYPE_KEYWORDS.into_iter().filter(|it| schema.get(it).is_some()).collect()
}

/// Returns true for `serde_json::Value`: a schema may have the name `Value`, too.
fn is_any(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let mut names = path.path.segments.iter().rev().map(|it| &it.ident);
    names.next().is_some_and(|it| it == "Value")
        && names.next().is_some_and(|it| it == "serde_json")
}

/// A type without the paths of its names.
fn shown(ty: &Type) -> String {
    let mut ty = ty.clone();
    LastSegments.visit_type_mut(&mut ty);
    let text = ty.to_token_stream().to_string();
    text.replace(" < ", "<").replace(" >", ">").replace(" ,", ",")
}

struct LastSegments;

impl VisitMut for LastSegments {
    fn visit_path_mut(&mut self, path: &mut Path) {
        if let Some(last) = path.segments.pop() {
            path.leading_colon = None;
            path.segments = [last.into_value()].into_iter().collect();
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}

fn fields_of(node: &Value) -> impl Iterator<Item = &str> {
    node.as_object().into_iter().flatten().map(|(key, _)| key.as_str())
}

fn is_events(media: &str) -> bool {
    media::content_of(media) == Some(Content::Events)
}

fn is_flat(field: &Field) -> bool {
    attributes::serde_metas(&field.attrs).iter().any(|it| it.path().is_ident("flatten"))
}
