//! Composition of schemas: `allOf`, `oneOf`, `anyOf`.
//!
//! `allOf` becomes one object with the fields of all parts. `oneOf` and `anyOf` are a *union* of
//! their *branches*. If its objects can be distinguished, it becomes a *discriminated* union;
//! otherwise they become one object with the fields of all: since responses are read leniently,
//! trying one object after the other would always stop at the first. A union of a string and a list
//! stays *untagged*: its branches are tried in turn.

mod composition_table;
mod discriminator;
mod union;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Value, json};

use self::composition_table::CompositionTable;
use super::union_marks::{self, BRANCHES};
use super::warnings::Warnings;
use crate::rest::pointer::{keys, unescaped};
use crate::rest::tree::{
    self, Keywords, MARKS, described, is_annotation, is_scalar, is_true, is_word, kind, reference,
    remove, resolve, says_type,
};

/// The maximum depth of unions within unions of which they are a branch.
pub(in crate::rest) const DEPTH: usize = 6;

const SCHEMAS: &str = "#/components/schemas/";

/// The form of a union of objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A discriminated union, if its objects can be distinguished.
    Discriminated,
    /// One object, whose fields are merged into those of another one.
    Merged,
}

/// Composes every schema of a description. `further` has the names of the schemas that a selection
/// has removed.
pub(super) fn compose(
    description: &mut Value,
    further: &BTreeSet<String>,
    warnings: &mut Warnings<'_>,
) {
    Composer::add_bases_of_themselves(description);
    let whole = description.clone();
    let composer = Composer::new(&whole);
    composer.warn_of_mappings(description, further, warnings);
    composer.record_named();
    let name_of =
        |place: &str| place.strip_prefix(SCHEMAS).filter(|name| !name.contains('/')).map(unescaped);
    tree::each_schema(description, &mut |schema, place| {
        composer.compositions.borrow_mut().describe(schema, name_of(place).as_deref());
    });
    tree::each_schema(description, &mut |schema, place| {
        *composer.place.borrow_mut() = keys(place);
        composer.compose(schema, name_of(place).as_deref(), 0);
    });
    composer.compose_waiting();
    for (place, between) in composer.merged.into_inner() {
        let message = format!(
            "the union of {between} is one type with the fields of all: neither a \
             discriminator nor a constant property nor required fields tell them apart"
        );
        warnings.warn(&place, message);
    }
    for place in composer.too_deep.into_inner() {
        let message = format!(
            "this is any value: it is within more than {DEPTH} unions, each in a branch of another; \
             give one of them a name"
        );
        warnings.warn(&place, message);
    }
    let mut compositions = composer.compositions.into_inner();
    compositions.warn(warnings);
    let mut taken = composer.taken.into_inner();
    let mut placing = compositions.placing(&mut taken);
    tree::each_schema(description, &mut |schema, place| {
        placing.place(schema, name_of(place).as_deref());
    });
    let mut made = composer.unions.into_inner().made;
    made.iter_mut().for_each(|(name, union)| placing.place(union, Some(name)));
    made.extend(placing.finish());
    if let Some(schemas) = description.pointer_mut("/components/schemas") {
        for (name, schema) in made {
            schemas[name] = schema;
        }
    }
}

struct Composer<'a> {
    description: &'a Value,
    unions: RefCell<NamedUnions>,
    compositions: RefCell<CompositionTable>,
    /// The names of schemas.
    taken: RefCell<HashSet<String>>,
    /// The references that are being followed, to detect cycles.
    following: RefCell<Vec<String>>,
    /// The keywords of each target of a reference, if nothing in it was cut off.
    known: RefCell<BTreeMap<String, Keywords>>,
    /// Pairs of targets of references whose first covers the second.
    covered: RefCell<HashSet<(String, String)>>,
    /// The pairs that are being compared, whose first is assumed to cover the second, and those that
    /// may rely on that.
    assumed: RefCell<Vec<(String, String)>>,
    /// Pairs of targets of references whose first does not cover the second, or is not known to.
    not_covered: RefCell<HashSet<(String, String)>>,
    /// True if an infinite expansion was cut off.
    cut: Cell<bool>,
    /// Named schemas with a `discriminator`, and the schemas that extend them by `allOf`.
    bases: BTreeMap<String, Vec<Value>>,
    /// The references to all schemas that extend one of these.
    extending: HashSet<String>,
    /// The keys of the schema that is being composed.
    place: RefCell<Vec<String>>,
    /// The unions of objects that cannot be distinguished, by place, with the names of these.
    merged: RefCell<BTreeMap<Vec<String>, String>>,
    /// The places of schemas that are within too many unions.
    too_deep: RefCell<BTreeSet<Vec<String>>>,
}

impl<'a> Composer<'a> {
    fn new(description: &'a Value) -> Self {
        let components = description.get("components");
        let named = components.into_iter().flat_map(|it| tree::fields(it, "schemas"));
        let taken: HashSet<_> = named.map(|(name, _)| name.clone()).collect();
        let bases = Self::bases_of(description);
        let extending = bases.values().flatten().filter_map(|it| it["$ref"].as_str());
        Self {
            extending: extending.map(str::to_owned).collect(),
            description,
            unions: RefCell::default(),
            compositions: RefCell::new(CompositionTable::new(taken.len())),
            taken: RefCell::new(taken),
            following: RefCell::default(),
            known: RefCell::default(),
            covered: RefCell::default(),
            assumed: RefCell::default(),
            not_covered: RefCell::default(),
            cut: Cell::new(false),
            bases,
            place: RefCell::default(),
            merged: RefCell::default(),
            too_deep: RefCell::default(),
        }
    }

    /// Composes a schema, which may have a name, and the schemas within it.
    fn compose(&self, schema: &mut Value, name: Option<&str>, depth: usize) {
        let place = self.place.borrow();
        if depth > DEPTH {
            self.too_deep.borrow_mut().insert(place.clone());
            *schema = json!({});
            return;
        }
        if name.is_none() && self.compositions.borrow_mut().meet(schema, &place, depth) {
            return;
        }
        drop(place);
        self.compose_whole(schema, name, depth);
    }

    /// Composes the compositions that were met meanwhile.
    fn compose_waiting(&self) {
        loop {
            let next = self.compositions.borrow_mut().next();
            let Some(mut waiting) = next else { return };
            self.place.borrow_mut().clone_from(&waiting.place);
            if waiting.is_merged {
                (waiting.schema, waiting.is_covered) = self.fewest_parts(&waiting.schema);
            }
            let is_admitted = self.compositions.borrow_mut().admit(&mut waiting);
            if is_admitted {
                self.compose_whole(&mut waiting.schema, None, waiting.depth);
            }
            self.compositions.borrow_mut().finish(waiting);
        }
    }

    fn compose_whole(&self, schema: &mut Value, name: Option<&str>, depth: usize) {
        let is_union = schema.get("oneOf").is_some() || schema.get("anyOf").is_some();
        let target = name.and_then(|it| Some(reference(it).get("$ref")?.as_str()?.to_owned()));
        if !self.base(schema, target.as_deref(), depth) {
            self.compose_here(
                schema,
                target.as_deref(),
                name.is_some(),
                Form::Discriminated,
                depth,
            );
        }
        follow(self.description, schema);
        let depth = if is_union { depth + 1 } else { depth };
        for (keys, schema) in tree::within_mut(schema) {
            self.place.borrow_mut().extend(keys.iter().cloned());
            self.compose(schema, None, depth);
            let mut place = self.place.borrow_mut();
            let rest = place.len() - keys.len();
            place.truncate(rest);
        }
    }

    /// A schema whose `discriminator` selects one of the schemas that extend it by `allOf` becomes
    /// a union of these; if they cannot be distinguished, an object that keeps their fields.
    fn base(&self, schema: &mut Value, target: Option<&str>, depth: usize) -> bool {
        let is_union = ["oneOf", "anyOf"].iter().any(|it| schema.get(it).is_some());
        let Some(discriminator) = schema.get("discriminator").filter(|_| !is_union).cloned() else {
            return false;
        };
        if let Some(children) = target.and_then(|it| self.bases.get(it)) {
            let objects: Vec<_> = children.iter().collect();
            if let Some(branches) = self.discriminate(&objects, Some(&discriminator), depth) {
                let words = schema.get("description").cloned();
                *schema = json!({ "oneOf": children, BRANCHES: union_marks::encode(&branches) });
                if let Some(words) = words {
                    schema["description"] = words;
                }
                return true;
            }
            self.record_merged(children);
        }
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = json!(true);
        }
        false
    }

    /// Records that a union becomes one object, for a warning.
    fn record_merged(&self, objects: &[Value]) {
        if objects.is_empty() {
            return;
        }
        let between = listed(objects);
        self.merged.borrow_mut().entry(self.place.borrow().clone()).or_insert(between);
    }

    /// `target` is the reference to the schema, if it has a name.
    fn compose_here(
        &self,
        schema: &mut Value,
        target: Option<&str>,
        is_named: bool,
        form: Form,
        depth: usize,
    ) {
        self.all_of(schema, target, form, depth);
        self.compose_union(schema, "oneOf", is_named, form, depth);
        self.compose_union(schema, "anyOf", is_named, form, depth);
    }

    /// The composed keywords of a schema, or of the schema to which it refers.
    fn keywords(&self, schema: &Value, depth: usize) -> Keywords {
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else {
            return self.own_keywords(schema, depth);
        };
        if let Some(known) = self.known.borrow().get(target) {
            return known.clone();
        }
        if depth > DEPTH || self.following.borrow().iter().any(|it| it == target) {
            self.cut.set(true);
            return Keywords::new();
        }
        let before = self.cut.replace(false);
        self.following.borrow_mut().push(target.to_owned());
        let resolved = self.resolved(schema).unwrap_or(Cow::Borrowed(&Value::Null));
        let keywords = self.own_keywords(&resolved, depth);
        self.following.borrow_mut().pop();
        if !self.cut.get() {
            self.known.borrow_mut().insert(target.to_owned(), keywords.clone());
        }
        self.cut.set(before || self.cut.get());
        keywords
    }

    /// The keywords of a schema for a comparison, which must not rely on keywords that were cut off,
    /// and must not have an effect on the keywords that are kept: `None` if the schema is being
    /// composed.
    fn whole_keywords(&self, schema: &Value, depth: usize) -> Option<Keywords> {
        let before = self.cut.replace(false);
        let assumed = self.assumed.take();
        let keywords = self.keywords(schema, depth);
        self.assumed.replace(assumed);
        let is_whole = !self.cut.replace(before);
        is_whole.then_some(keywords)
    }

    /// The schema to which a reference leads, of the description or a union that was named here.
    fn resolved<'s>(&'s self, schema: &'s Value) -> Option<Cow<'s, Value>> {
        match resolve(self.description, schema) {
            Some(found) => Some(Cow::Borrowed(found)),
            None => {
                let name = unescaped(tree::target(schema)?);
                self.unions.borrow().sources.get(&name).cloned().map(Cow::Owned)
            }
        }
    }

    fn own_keywords(&self, schema: &Value, depth: usize) -> Keywords {
        let mut schema = schema.clone();
        let target = self.following.borrow().last().cloned();
        self.compose_here(&mut schema, target.as_deref(), true, Form::Merged, depth);
        // A reference, possibly with a description beside it.
        let only = match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => Some(only.clone()),
            _ => schema.get("$ref").is_some().then(|| schema.clone()),
        };
        if let Some(only) = only {
            let mut keywords = self.keywords(&only, depth);
            let mut words = without(&schema, "allOf");
            words.remove("$ref");
            keywords.extend(words);
            return keywords;
        }
        match schema {
            Value::Object(keywords) => keywords,
            _ => Keywords::new(),
        }
    }

    fn all_of(&self, schema: &mut Value, target: Option<&str>, form: Form, depth: usize) {
        let Some(parts) = schema.get("allOf").and_then(Value::as_array).cloned() else { return };
        let own = without(schema, "allOf");
        let mut named = parts.iter().filter(|part| says_type(part));
        // A schema that extends a base is a type of its own, even without fields of its own.
        let extends = target.is_some_and(|target| self.extending.contains(target));
        if !extends
            && !own.keys().any(|key| !is_annotation(key))
            && let (Some(only), None) = (named.next(), named.next())
            && only.get("$ref").is_some()
        {
            let mut reference = own;
            for part in &parts {
                absorb_words(&mut reference, part);
            }
            *schema = if reference.is_empty() { only.clone() } else { described(reference, only) };
            return;
        }
        let mut merged = own;
        let narrowed = take_typed_properties(&mut merged);
        let mut unions = Vec::new();
        let parts: Vec<_> = parts
            .iter()
            .filter_map(|part| {
                if self.is_extended(part, target) {
                    return Some(self.extended(part, depth));
                }
                if form == Form::Discriminated
                    && let Some(union) = self.object_union(part, depth)
                {
                    unions.push((union, part));
                    return None;
                }
                Some(self.keywords(part, depth))
            })
            .collect();
        let union = if unions.len() == 1 { unions.pop().map(|it| it.0) } else { None };
        let unions = unions.into_iter().map(|(_, part)| self.keywords(part, depth));
        let parts: Vec<_> = parts.into_iter().chain(unions).collect();
        let is_null = parts.iter().any(|part| part.contains_key("nullable"))
            && parts.iter().all(permits_null);
        for part in parts {
            self.merge(&mut merged, part, depth);
        }
        self.merge(&mut merged, narrowed, depth);
        if is_null {
            merged.insert("nullable".to_owned(), json!(true));
        }
        if let Some(union) = union.filter(|_| !merged.contains_key("oneOf")) {
            merged.extend(union);
        }
        *schema = Value::Object(merged);
    }

    /// Returns true if a part of `allOf` is the base whose `discriminator` selects this schema:
    /// then only the fields of the base are merged.
    fn is_extended(&self, part: &Value, target: Option<&str>) -> bool {
        let parts = part.get("$ref").and_then(|_| self.branch_schemas(part));
        let (Some((parts, Some(_))), Some(target)) = (parts, target) else { return false };
        parts.iter().any(|it| it.get("$ref").is_some_and(|it| it == target))
    }

    fn extended(&self, part: &Value, depth: usize) -> Keywords {
        // A union may extend itself.
        if depth > DEPTH {
            self.cut.set(true);
            return Keywords::new();
        }
        let mut base = self.resolved(part).unwrap_or_default().into_owned();
        remove(&mut base, &["oneOf", "anyOf", "discriminator"]);
        self.own_keywords(&base, depth + 1)
    }

    /// The union of objects that a part of `allOf` consists of.
    fn object_union(&self, part: &Value, depth: usize) -> Option<Keywords> {
        if depth > DEPTH {
            return None;
        }
        let (parts, discriminator) = self.branch_schemas(part)?;
        let whole = self.resolved(part)?;
        let is_pure = whole
            .as_object()?
            .keys()
            .all(|key| is_annotation(key) || ["oneOf", "anyOf", "type"].contains(&key.as_str()));
        let are_objects =
            parts.iter().all(|it| kind(&self.keywords(it, depth + 1)) == Some("object"));
        if !is_pure || !are_objects || parts.len() < 2 {
            return None;
        }
        let mut union = Keywords::from_iter([("oneOf".to_owned(), Value::Array(parts))]);
        union.extend(discriminator.map(|it| ("discriminator".to_owned(), it)));
        Some(union)
    }

    /// Merges the keywords of another schema of the same value.
    fn merge(&self, into: &mut Keywords, from: Keywords, depth: usize) {
        if let (Some(a), Some(b)) = (kind(into), kind(&from))
            && a != b
        {
            // A value with two types: any value.
            into.retain(|key, _| is_annotation(key));
            return;
        }
        // A type decides a union of types.
        if from.contains_key("type") {
            into.remove("oneOf");
        }
        let is_decided = into.contains_key("type");
        if from.contains_key("oneOf") && !is_decided {
            // Keywords of one of the types.
            into.retain(|key, _| is_annotation(key));
        }
        for (key, value) in from {
            match (key.as_str(), into.get_mut(&key)) {
                ("nullable", _) => {}
                ("oneOf", _) if is_decided => {}
                ("properties", Some(Value::Object(there))) => {
                    let Value::Object(more) = value else { continue };
                    for (name, schema) in more {
                        match there.get_mut(&name) {
                            Some(known) => self.refine(known, schema, depth),
                            None => {
                                there.insert(name, schema);
                            }
                        }
                    }
                }
                ("required", Some(Value::Array(there))) => {
                    there.extend(value.as_array().into_iter().flatten().cloned());
                }
                ("items", Some(items)) => self.refine_items(items, value, depth),
                ("additionalProperties", Some(further)) => self.widen(further, value, depth),
                (_, Some(_)) => {}
                (_, None) => {
                    into.insert(key, value);
                }
            }
        }
    }

    /// A value of two schemas has the later one, if that restricts its type; two objects, or two
    /// lists, are merged. Which of them says all of the other is decided when they are composed, since
    /// their keywords may be incomplete here.
    fn refine(&self, known: &mut Value, later: Value, depth: usize) {
        let marks = MARKS.map(|key| is_true(known, key) || is_true(&later, key));
        if says_type(&later) && *known != later {
            self.replace(known, later, depth);
        }
        for (key, is_marked) in MARKS.into_iter().zip(marks) {
            if is_marked {
                mark(known, key);
            }
        }
    }

    fn replace(&self, known: &mut Value, later: Value, depth: usize) {
        let words = known.get("description").cloned();
        let is_scalar = |it: &Value| self.shallow_kind(it, depth).is_some_and(is_scalar);
        if !says_type(known) || is_scalar(known) || is_scalar(&later) {
            let is_null = later.as_object().is_some_and(permits_null)
                && self.keywords(known, depth + 1).contains_key("nullable");
            *known = later;
            if is_null && known.get("$ref").is_none() {
                known["nullable"] = json!(true);
            }
        } else {
            let mut parts = parts_of(known);
            let more = parts_of(&later).into_iter().filter(|it| !parts.contains(it));
            parts.extend(more.collect::<Vec<_>>());
            *known = json!({ "allOf": parts });
        }
        if let (Some(words), None, None) = (words, known.get("$ref"), known.get("description")) {
            known["description"] = words;
        }
    }

    /// The type of a schema by its own keywords, or those of its parts.
    fn shallow_kind(&self, schema: &Value, depth: usize) -> Option<&'static str> {
        let schema = self.resolved(schema).filter(|_| depth <= DEPTH)?;
        let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let own = kind(schema.as_object()?);
        own.or_else(|| parts.into_iter().find_map(|it| self.shallow_kind(it, depth + 1)))
    }

    /// The parts of a merged composition that say all of it, and whether that is one alone. A part that
    /// another one extends adds nothing, nor does an earlier part that a later one covers.
    fn fewest_parts(&self, schema: &Value) -> (Value, bool) {
        let parts = parts_of(schema);
        let mut kept: Vec<Value> = Vec::new();
        for part in &parts {
            if !kept.iter().any(|it| self.extends(it, part, 0)) {
                kept.retain(|it| !self.covers(part, it, 0));
                kept.push(part.clone());
            }
        }
        if kept.len() != 1 {
            return (json!({ "allOf": kept }), false);
        }
        let mut only = kept.swap_remove(0);
        let parts: Vec<_> = parts.iter().map(|it| self.keywords(it, 1)).collect();
        let is_null =
            parts.iter().any(|it| it.contains_key("nullable")) && parts.iter().all(permits_null);
        if is_null && only.get("$ref").is_none() {
            only["nullable"] = json!(true);
        }
        (only, true)
    }

    /// Items that may be of several types, such as those of a tuple, are none of them alone.
    fn refine_items(&self, known: &mut Value, later: Value, depth: usize) {
        let keywords = || self.whole_keywords(known, depth + 1);
        let is_decided = || keywords().is_none_or(|it| kind(&it).is_some());
        if !says_type(known) || is_decided() {
            self.refine(known, later, depth);
        }
    }

    /// Further fields of two schemas. Each schema may mean other ones of them, by the pattern of their
    /// names, so those of different types may be any of both.
    fn widen(&self, known: &mut Value, later: Value, depth: usize) {
        if !known.is_object() || !later.is_object() || *known == later {
            return;
        }
        let kind_of = |schema: &Value| kind(&self.keywords(schema, depth + 1));
        match (kind_of(known), kind_of(&later)) {
            (a, b) if a == b && a.is_some() => self.refine(known, later, depth),
            _ => *known = json!({ "anyOf": [known, later] }),
        }
    }

    /// Returns true if nothing is lost of a value of both schemas that is read as the later one alone.
    fn covers(&self, later: &Value, known: &Value, depth: usize) -> bool {
        if later == known || !says_type(known) || self.extends(later, known, depth) {
            return true;
        }
        if depth > DEPTH {
            return false;
        }
        let parts = [later, known].map(parts_of);
        if let [_, known @ [_, _, ..]] = parts.each_ref().map(Vec::as_slice) {
            return known.iter().all(|it| self.covers(later, it, depth));
        }
        if let [later @ [_, _, ..], _] = parts.each_ref().map(Vec::as_slice) {
            return later.iter().any(|it| self.covers(it, known, depth));
        }
        let target = |it: &Value| it.get("$ref").and_then(Value::as_str).map(str::to_owned);
        let Some(pair) = target(later).zip(target(known)) else {
            return self.covers_keywords(later, known, depth);
        };
        if self.not_covered.borrow().contains(&pair) {
            return false;
        }
        if self.covered.borrow().contains(&pair) || self.assumed.borrow().contains(&pair) {
            return true;
        }
        // Of schemas that contain themselves, the rest decides.
        let assumed = self.assumed.borrow().len();
        self.assumed.borrow_mut().push(pair.clone());
        let is_covered = self.covers_keywords(later, known, 0);
        if !is_covered {
            self.assumed.borrow_mut().truncate(assumed);
            self.not_covered.borrow_mut().insert(pair);
        } else if assumed == 0 {
            self.covered.borrow_mut().extend(self.assumed.take());
        }
        is_covered
    }

    /// Returns true if a schema has another one among its parts.
    fn extends(&self, schema: &Value, base: &Value, depth: usize) -> bool {
        let Some(schema) = self.resolved(schema).filter(|_| depth <= DEPTH) else { return false };
        let mut parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        parts.any(|part| part == base || self.extends(part, base, depth + 1))
    }

    fn covers_keywords(&self, later: &Value, known: &Value, depth: usize) -> bool {
        let keywords = |it: &Value| self.whole_keywords(it, depth + 1);
        let Some((later, known)) = keywords(later).zip(keywords(known)) else { return false };
        let within = |key: &str| match (later.get(key), known.get(key)) {
            (_, None | Some(Value::Bool(_))) => true,
            (None | Some(Value::Bool(_)), Some(_)) => false,
            (Some(later), Some(known)) => self.covers(later, known, depth + 1),
        };
        match (kind(&later), kind(&known)) {
            (Some("object") | None, Some("object")) => {
                let [later_fields, fields] =
                    [&later, &known].map(|it| it.get("properties").and_then(Value::as_object));
                // Without any, it is a map of any values.
                let is_any = later_fields.is_none_or(Keywords::is_empty)
                    && !later.get("additionalProperties").is_some_and(Value::is_object);
                let has = |(name, known): (&String, &Value)| {
                    later_fields
                        .and_then(|it| it.get(name))
                        .is_some_and(|later| self.covers(later, known, depth + 1))
                };
                is_any || (fields.into_iter().flatten().all(has) && within("additionalProperties"))
            }
            (Some("array") | None, Some("array")) => {
                later.get("items").is_none() || within("items")
            }
            // Fields without a type restrict the objects of a union alone.
            (Some("object"), None) => later.contains_key("type") || !known.contains_key("oneOf"),
            _ => true,
        }
    }
}

/// The names of the branches of a union.
fn listed(branches: &[Value]) -> String {
    let names = branches.iter().map(|it| {
        let target = it.get("$ref").and_then(Value::as_str);
        target
            .and_then(|it| it.rsplit('/').next())
            .map_or_else(|| "an inline object".to_owned(), unescaped)
    });
    let names: Vec<_> = names.collect();
    match names.as_slice() {
        [first, second, third, _, ..] => {
            format!("{first}, {second}, {third} and {} more", names.len() - 3)
        }
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        all => all.concat(),
    }
}

/// Returns true if null conforms to a schema: it says so, or restricts objects and lists alone.
fn permits_null(schema: &Keywords) -> bool {
    let is_typed =
        |key: &str| !["properties", "required", "additionalProperties", "items"].contains(&key);
    schema.contains_key("nullable") || !schema.keys().any(|it| !is_annotation(it) && is_typed(it))
}

/// The schemas that a value of a schema has: those of its `allOf`, if that is all of it.
fn parts_of(schema: &Value) -> Vec<Value> {
    let mut keys = schema.as_object().into_iter().flat_map(Keywords::keys);
    match schema.get("allOf").and_then(Value::as_array) {
        Some(parts) if keys.all(|it| it == "allOf" || is_word(it)) => parts.clone(),
        _ => vec![schema.clone()],
    }
}

/// The properties beside `allOf` that have a type. They extend the parts, so they are merged last.
fn take_typed_properties(own: &mut Keywords) -> Keywords {
    let Some(Value::Object(properties)) = own.get_mut("properties") else { return Keywords::new() };
    let (typed, words) = std::mem::take(properties).into_iter().partition(|(_, it)| says_type(it));
    *properties = words;
    Keywords::from_iter([("properties".to_owned(), Value::Object(typed))])
}

fn absorb_words(into: &mut Keywords, part: &Value) {
    for key in ["description", "nullable", "readOnly"] {
        if let (None, Some(value), None) = (into.get(key), part.get(key), part.get("$ref")) {
            into.insert(key.to_owned(), value.clone());
        }
    }
}

fn without(schema: &Value, keyword: &str) -> Keywords {
    let mut keywords = schema.as_object().cloned().unwrap_or_default();
    keywords.remove(keyword);
    keywords
}

/// Unions of named objects. An unnamed union gets a name, because it may occur within these
/// objects.
#[derive(Default)]
pub(super) struct NamedUnions {
    /// The names of unions, by their objects.
    pub(super) names: BTreeMap<Vec<String>, String>,
    /// The unions as they were before they were composed, by their new names.
    pub(super) sources: BTreeMap<String, Value>,
    pub(super) made: BTreeMap<String, Value>,
}

impl NamedUnions {
    /// A name for a union, such as `Cat_or_Dog`: a type `CatOrDog`.
    pub(super) fn name(&mut self, targets: Vec<String>, taken: &mut HashSet<String>) -> String {
        let words = targets.iter().filter(|it| it.starts_with('#'));
        let words: Vec<_> = words.filter_map(|it| it.rsplit('/').next()).collect();
        let mut name = match words.as_slice() {
            [first, _, _, _, ..] => format!("{first}_or_other"),
            few => few.join("_or_"),
        };
        while !taken.insert(name.clone()) {
            name.push_str("Choice");
        }
        self.names.insert(targets, name.clone());
        name
    }
}

/// The identity of a union, if all its branches are named schemas: these, and a discriminator that
/// matters.
pub(super) fn targets_of(branches: &[Value], discriminator: Option<&Value>) -> Option<Vec<String>> {
    let target = |it: &Value| it.get("$ref")?.as_str().map(str::to_owned);
    let mut targets = branches.iter().map(target).collect::<Option<Vec<_>>>()?;
    targets.sort();
    let is_union = targets.len() > 1;
    targets.extend(discriminator.map(Value::to_string));
    is_union.then_some(targets)
}

/// Marks the fields of an object that refer to a `readOnly` schema.
pub(super) fn follow(description: &Value, object: &mut Value) {
    let fields = object.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|it| it.values_mut()) {
        let target = field.get("$ref").and_then(|_| resolve(description, field));
        if target.is_some_and(|it| is_true(it, "readOnly")) {
            mark(field, "readOnly");
        }
    }
}

/// Marks a field. A reference cannot have keywords beside it.
pub(super) fn mark(field: &mut Value, key: &str) {
    if field.get("$ref").is_some() {
        *field = json!({ "allOf": [field] });
    }
    field[key] = json!(true);
}
