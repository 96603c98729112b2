//! Composition table: interns compositions by the set of schemas that they merge (powerset
//! construction), within a budget. A composition that occurs again is the same schema.
//!
//! A field that several schemas describe has the values of all of them: it is a composition of these
//! schemas, and its fields are compositions in turn. In schemas that lead back to each other, that is
//! the construction of a deterministic automaton from a nondeterministic one (the
//! [powerset construction](https://en.wikipedia.org/wiki/Powerset_construction)), with as many states
//! as there are sets of schemas.
//!
//! Invariant: the work and the output are linear in the description. A composition is composed once,
//! whatever the number of places where it occurs, and breadth first, so that the compositions next to
//! the description come first. Those that the description does not contain itself have a budget, which
//! grows with the number of its schemas. What exceeds it is any value, with a warning: of that, nothing
//! is lost. `fields_that_narrow_each_other_are_of_a_bounded_number_of_types` holds it.
//!
//! While schemas are composed, a composition is a reference to its number. In the end it is put in its
//! place. It gets a name if it contains itself, if it is nested too deeply or is too large, or if it has
//! several places and leads to further merged ones, whose copies would multiply.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use serde_json::{Value, json};

use crate::naming;
use crate::rest::normalize::warnings::Warnings;
use crate::rest::tree::{
    self, Keywords, described, fields, is_annotation, is_word, reference, remove,
};

/// Prefix of references to compositions.
const PREFIX: &str = "#/compositions/";

/// The maximum depth of unnamed compositions.
const MAX_DEPTH: usize = 8;

/// The maximum number of schemas within an unnamed composition, with those of the compositions within.
const MAX_SCHEMAS: usize = 1000;

/// The schemas that may be merged in compositions which the description does not contain: this many,
/// and one for each of its schemas.
const MIN_BUDGET: usize = 1000;

/// A composition before normalization, which is its identity.
struct Site {
    text: String,
    /// A name for it, such as `Cat_and_Dog`.
    name: String,
    /// The number of schemas that it merges.
    parts: usize,
}

impl Site {
    /// The composition of a schema; none if it merges no other schemas. Unions are named
    /// separately.
    fn of(schema: &Value) -> Option<Self> {
        let parts = ["allOf", "oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key));
        let parts: Vec<_> = parts.filter_map(Value::as_array).flatten().collect();
        let takes_fields = schema.get("allOf").is_some() || schema.get("properties").is_some();
        if parts.is_empty() || !takes_fields || is_reference(schema) {
            return None;
        }
        let targets = parts.iter().filter_map(|part| part.get("$ref")?.as_str());
        let mut words: Vec<_> = targets.filter_map(|it| it.rsplit('/').next()).collect();
        words.dedup();
        let own = std::iter::once(schema).chain(parts.iter().copied());
        let own = own.flat_map(|it| fields(it, "properties")).next();
        let name = match (words.as_slice(), own) {
            ([], None) => "repeated".to_owned(),
            ([], Some((own, _))) => format!("with_{own}"),
            ([first, _, _, _, ..], None) => format!("{first}_and_others"),
            (words, None) => words.join("_and_"),
            (words, Some((own, _))) => format!("{}_with_{own}", words.join("_and_")),
        };
        Some(Self { text: schema.to_string(), name, parts: parts.len() })
    }

    /// The composition of a schema that consists of parts alone, whose order does not matter.
    fn of_set(schema: &Value) -> Option<Self> {
        let site = Self::of(schema)?;
        let parts = schema.get("allOf")?.as_array()?;
        let parts: BTreeSet<_> = parts.iter().map(Value::to_string).collect();
        let text = parts.into_iter().collect::<Vec<_>>().join("\n");
        Some(Self { text, ..site })
    }
}

/// Returns true if a schema is a reference with words beside it.
fn is_reference(schema: &Value) -> bool {
    let parts = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice);
    let keys = schema.as_object().into_iter().flat_map(Keywords::keys);
    matches!(parts, Some([only]) if only.get("$ref").is_some())
        && keys.filter(|key| !is_annotation(key)).count() == 1
}

/// Returns true if a schema merges what several schemas say of a field, and nothing else.
fn is_merged(schema: &Value) -> bool {
    let mut keys = schema.as_object().into_iter().flat_map(Keywords::keys);
    schema.get("allOf").is_some() && keys.all(|key| key == "allOf" || is_word(key))
}

/// A composition that is to be composed.
pub(super) struct Waiting {
    pub(super) number: usize,
    pub(super) schema: Value,
    /// True if it merges what several schemas say of a field.
    pub(super) is_merged: bool,
    /// True if that turned out to be one of them, which covers the others.
    pub(super) is_covered: bool,
    /// The keys of its place, for warnings.
    pub(super) place: Vec<String>,
    pub(super) depth: usize,
}

/// A composition by its number.
struct Composition {
    /// The name that it gets if it needs one.
    name: String,
    /// What it is composed to.
    schema: Value,
    is_merged: bool,
    /// True if one of the merged schemas covers the others.
    is_covered: bool,
    /// The number of places where it occurs.
    places: usize,
}

/// The compositions of a description.
pub(super) struct CompositionTable {
    /// The texts of those that the description contains itself.
    described: BTreeSet<String>,
    /// The texts of named schemas that are compositions.
    named: BTreeMap<String, String>,
    numbers: BTreeMap<String, usize>,
    /// All, by number.
    made: Vec<Composition>,
    waiting: VecDeque<Waiting>,
    /// The number of schemas that may still be merged.
    budget: usize,
    /// The number of fields that are any value instead, by the schema that leads to them.
    exceeding: BTreeMap<Vec<String>, usize>,
}

impl CompositionTable {
    /// The compositions of a description with this number of named schemas.
    pub(super) fn new(count: usize) -> Self {
        Self {
            described: BTreeSet::new(),
            named: BTreeMap::new(),
            numbers: BTreeMap::new(),
            made: Vec::new(),
            waiting: VecDeque::new(),
            budget: MIN_BUDGET + count,
            exceeding: BTreeMap::new(),
        }
    }

    /// Records the compositions of a schema in the description, which may have a name.
    pub(super) fn describe(&mut self, schema: &mut Value, name: Option<&str>) {
        if let Some(site) = Site::of(schema) {
            self.named.extend(name.map(|name| (name.to_owned(), site.text.clone())));
            self.described.insert(site.text);
        }
        tree::within_mut(schema).into_iter().for_each(|(_, it)| self.describe(it, None));
    }

    /// Replaces a schema with the number of its composition, if it is one.
    pub(super) fn meet(&mut self, schema: &mut Value, place: &[String], depth: usize) -> bool {
        let Some(mut site) = Site::of(schema) else { return false };
        let is_merged = is_merged(schema) && !self.described.contains(&site.text);
        let mut words = Keywords::new();
        if is_merged && let Some(keywords) = schema.as_object_mut() {
            words = std::mem::take(keywords);
            keywords.extend(words.remove_entry("allOf"));
            site = Site::of_set(schema).unwrap_or(site);
        }
        let number = match self.numbers.get(&site.text) {
            Some(known) => *known,
            None => {
                let number = self.add(site, is_merged);
                let (schema, place) = (schema.take(), place.to_vec());
                self.waiting.push_back(Waiting {
                    number,
                    schema,
                    is_merged,
                    is_covered: false,
                    place,
                    depth,
                });
                number
            }
        };
        self.made[number].places += 1;
        words.insert("$ref".to_owned(), numbered(number));
        *schema = Value::Object(words);
        true
    }

    fn add(&mut self, site: Site, is_merged: bool) -> usize {
        let number = self.made.len();
        self.numbers.insert(site.text, number);
        let (name, schema) = (site.name, Value::Null);
        self.made.push(Composition { name, schema, is_merged, is_covered: false, places: 0 });
        number
    }

    pub(super) fn next(&mut self) -> Option<Waiting> {
        self.waiting.pop_front()
    }

    /// Decides a merged composition whose parts are the fewest that say all of it, by what is known of
    /// these, or by the budget. Returns true if it has to be composed.
    pub(super) fn admit(&mut self, waiting: &mut Waiting) -> bool {
        let number = waiting.number;
        let site = match waiting.is_merged {
            true => Site::of_set(&waiting.schema),
            false => Site::of(&waiting.schema).filter(|it| !self.described.contains(&it.text)),
        };
        let Some(site) = site else { return true };
        match self.numbers.get(&site.text) {
            Some(known) if *known != number => {
                waiting.schema = json!({ "$ref": numbered(*known) });
                return false;
            }
            Some(_) => {}
            None => {
                self.numbers.insert(site.text, number);
                self.made[number].name = site.name;
            }
        }
        if let Some(rest) = self.budget.checked_sub(site.parts) {
            self.budget = rest;
            return true;
        }
        self.budget = 0;
        let root = match waiting.place.as_slice() {
            [components, schemas, name, ..]
                if components == "components" && schemas == "schemas" =>
            {
                vec![components.clone(), schemas.clone(), name.clone()]
            }
            whole => whole.to_vec(),
        };
        *self.exceeding.entry(root).or_default() += 1;
        waiting.schema = json!({});
        false
    }

    /// The number of a composition, or of the one that it turned out to be.
    fn end(&self, mut number: usize) -> usize {
        while let Some(other) = number_of(&self.made[number].schema) {
            number = other;
        }
        number
    }

    pub(super) fn finish(&mut self, waiting: Waiting) {
        let made = &mut self.made[waiting.number];
        (made.schema, made.is_covered) = (waiting.schema, waiting.is_covered);
    }

    /// Warns of the compositions that exceed the budget.
    pub(super) fn warn(&mut self, warnings: &mut Warnings<'_>) {
        for (place, count) in std::mem::take(&mut self.exceeding) {
            let combinations = match count {
                1 => "1 combination of schemas is".to_owned(),
                count => format!("{count} combinations of schemas are"),
            };
            let message = format!(
                "{combinations} any value: several schemas describe what a field is, and their \
                 fields lead to ever further combinations; describe each field by one schema"
            );
            warnings.warn(&place, message);
        }
    }

    /// Starts to put the compositions in their places.
    pub(super) fn placing<'a>(&'a self, taken: &'a mut HashSet<String>) -> Placing<'a> {
        let mut places = vec![0; self.made.len()];
        for (number, it) in self.made.iter().enumerate() {
            places[self.end(number)] += it.places;
        }
        Placing {
            places,
            compositions: self,
            taken,
            placed: BTreeMap::new(),
            names: BTreeMap::new(),
            within: Vec::new(),
            waiting: VecDeque::new(),
            named: BTreeMap::new(),
        }
    }
}

/// A schema that is put in its place, and its number of schemas.
type Placed = (Value, usize);

/// Puts compositions in their places.
pub(super) struct Placing<'a> {
    compositions: &'a CompositionTable,
    taken: &'a mut HashSet<String>,
    /// The number of places of each composition.
    places: Vec<usize>,
    /// CompositionTable with those within them in their places.
    placed: BTreeMap<usize, Placed>,
    /// The names of those that have one.
    names: BTreeMap<usize, String>,
    /// The compositions around the place, and the names of those that the description names.
    within: Vec<(usize, Option<String>)>,
    /// Those that have a name and are not put in any place yet.
    waiting: VecDeque<usize>,
    named: BTreeMap<String, Value>,
}

impl Placing<'_> {
    /// Puts the compositions within a schema, which may have a name, in their places.
    pub(super) fn place(&mut self, schema: &mut Value, name: Option<&str>) {
        let text = name.and_then(|it| self.compositions.named.get(it));
        let number = text.and_then(|it| self.compositions.numbers.get(it));
        self.within.extend(number.map(|it| (*it, name.map(str::to_owned))));
        self.within_of(schema);
        self.within.clear();
    }

    /// Returns those that have a name.
    pub(super) fn finish(mut self) -> BTreeMap<String, Value> {
        while let Some(number) = self.waiting.pop_front() {
            let name = self.names.get(&number).cloned();
            self.within.push((number, name.clone()));
            let (schema, _) = self.expanded(number);
            self.within.clear();
            self.named.extend(name.map(|name| (name, schema)));
        }
        self.named
    }

    fn within_of(&mut self, value: &mut Value) -> usize {
        if let Some(number) = number_of(value) {
            let (schema, size) = self.composition(number);
            let mut words = std::mem::replace(value, schema);
            remove(&mut words, &["$ref"]);
            // The words of the schema that covers the others are those of the field.
            let is_covered = self.compositions.made[number].is_covered;
            if is_covered && (value.get("$ref").is_some() || value.get("description").is_some()) {
                remove(&mut words, &["description"]);
            }
            match (words, &mut *value) {
                (Value::Object(words), Value::Object(_)) if words.is_empty() => {}
                (Value::Object(words), reference) if reference.get("$ref").is_some() => {
                    *value = described(words, reference);
                }
                (Value::Object(words), Value::Object(keywords)) => keywords.extend(words),
                _ => {}
            }
            return size;
        }
        match value {
            Value::Object(object) => {
                1 + object.values_mut().map(|it| self.within_of(it)).sum::<usize>()
            }
            Value::Array(items) => items.iter_mut().map(|it| self.within_of(it)).sum(),
            _ => 0,
        }
    }

    fn expanded(&mut self, number: usize) -> Placed {
        let mut schema = self.compositions.made[number].schema.clone();
        let size = self.within_of(&mut schema);
        (schema, size)
    }

    /// A composition, or a reference to it.
    fn composition(&mut self, number: usize) -> Placed {
        let number = self.compositions.end(number);
        if let Some(name) = self.names.get(&number) {
            return (reference(name), 1);
        }
        if let Some((_, name)) = self.within.iter().find(|(it, _)| *it == number) {
            let name = name.clone().unwrap_or_else(|| self.name(number));
            return (reference(&name), 1);
        }
        if self.within.len() > MAX_DEPTH || self.multiplies(number) {
            self.waiting.push_back(number);
            return (reference(&self.name(number)), 1);
        }
        if let Some(placed) = self.placed.get(&number) {
            return placed.clone();
        }
        self.within.push((number, None));
        let (schema, size) = self.expanded(number);
        self.within.pop();
        let is_named = self.names.contains_key(&number);
        if is_named || size > MAX_SCHEMAS {
            let name = if is_named { self.names[&number].clone() } else { self.name(number) };
            self.named.insert(name.clone(), schema);
            return (reference(&name), 1);
        }
        self.placed.insert(number, (schema.clone(), size));
        (schema, size)
    }

    /// Returns true if a composition has several places and leads to further merged ones.
    fn multiplies(&self, number: usize) -> bool {
        self.places[number] > 1
            && self.compositions.made[number].is_merged
            && self.leads_on(&self.compositions.made[number].schema)
    }

    fn leads_on(&self, value: &Value) -> bool {
        if let Some(number) = number_of(value) {
            let made = &self.compositions.made[self.compositions.end(number)];
            return made.is_merged && made.schema.get("properties").is_some();
        }
        match value {
            Value::Object(object) => object.values().any(|it| self.leads_on(it)),
            Value::Array(items) => items.iter().any(|it| self.leads_on(it)),
            _ => false,
        }
    }

    fn name(&mut self, number: usize) -> String {
        let name = naming::unique(self.taken, self.compositions.made[number].name.clone());
        self.names.insert(number, name.clone());
        name
    }
}

fn numbered(number: usize) -> Value {
    json!(format!("{PREFIX}{number}"))
}

/// The number of the composition that a value refers to.
fn number_of(value: &Value) -> Option<usize> {
    value.get("$ref")?.as_str()?.strip_prefix(PREFIX)?.parse().ok()
}
