//! An OpenAPI description whose schemas are JSON Schema, with a validator for each of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, Registry, Resource, Validator};
use serde_json::{Value, json};

use crate::Error;
use crate::discriminator::children;
use crate::json_schema;
use crate::pointer::{escaped, pointer_of, step};

/// The URLs of a description, relative to which its references are: as responses have its schemas,
/// and as requests have them.
const RESPONSES: &str = "urn:responses";
const REQUESTS: &str = "urn:requests";

/// An OpenAPI description, 3.0 to 3.2, in one JSON document.
///
/// References lead to places in the document: a description in several files has to be linked into
/// one before. Schemas are addressed by their JSON pointer, `/components/schemas/Pet`.
pub struct Description {
    tree: Value,
    /// The schemas that extend one with a discriminator.
    children: BTreeMap<String, Vec<String>>,
    registry: Registry<'static>,
    validators: Mutex<HashMap<(&'static str, String), Arc<Validator>>>,
}

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, or has no `openapi` version 3.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let tree = serde_json::from_str(text)
            .map_err(|error| Error::new(format!("the description is not JSON: {error}")))?;
        Self::new(tree)
    }

    /// Reads a description from parsed JSON.
    ///
    /// # Errors
    ///
    /// If there is no `openapi` version 3.
    pub fn new(mut tree: Value) -> Result<Self, Error> {
        let version = tree.get("openapi").and_then(Value::as_str).unwrap_or_default();
        if !version.starts_with("3.") {
            return Err(Error::new("the description has no `openapi` version 3"));
        }
        json_schema::rewrite(&mut tree);
        let whole = tree.clone();
        let mut requests = tree.clone();
        json_schema::make_optional(&mut requests, "readOnly", &whole);
        json_schema::make_optional(&mut tree, "writeOnly", &whole);
        let registry = Registry::new()
            .draft(Draft::Draft202012)
            .add(RESPONSES, Resource::from_contents(tree.clone()))
            .and_then(|it| it.add(REQUESTS, Resource::from_contents(requests)))
            .and_then(|it| it.prepare());
        let registry = registry.map_err(|error| {
            Error::new(format!("the schemas of the description cannot be indexed: {error}"))
        })?;
        let children = children(&tree);
        Ok(Self { tree, children, registry, validators: Mutex::default() })
    }

    /// The names of the components that are schemas.
    pub fn schemas(&self) -> impl Iterator<Item = &str> {
        let schemas = self.tree.pointer("/components/schemas").and_then(Value::as_object);
        schemas.into_iter().flat_map(|it| it.keys()).map(String::as_str)
    }

    /// The document, with its schemas as JSON Schema.
    pub(crate) fn tree(&self) -> &Value {
        &self.tree
    }

    /// The pointer of what is at a pointer, with references followed; the last one if it leads
    /// nowhere.
    pub(crate) fn follow(&self, pointer: &str) -> String {
        const MAX_REFERENCES: usize = 32;
        let mut pointer = pointer.to_owned();
        for _ in 0..MAX_REFERENCES {
            let reference = self.tree.pointer(&pointer).and_then(|it| it.get("$ref"));
            let target = reference.and_then(Value::as_str).and_then(pointer_of);
            let Some(target) = target else { break };
            pointer = target;
        }
        pointer
    }

    /// The types that the schema at a pointer permits, as far as it names them.
    pub(crate) fn kinds(&self, pointer: &str) -> Vec<String> {
        let schema = self.tree.pointer(&self.follow(pointer));
        match schema.and_then(|it| it.get("type")) {
            Some(Value::String(kind)) => vec![kind.clone()],
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The references of the schemas that extend a schema with a discriminator by `allOf`.
    pub(crate) fn children(&self, reference: &str) -> &[String] {
        let children = pointer_of(reference).and_then(|it| self.children.get(&it));
        children.map_or(&[], Vec::as_slice)
    }

    /// The place that a local reference names.
    pub(crate) fn target(&self, reference: &str) -> Option<&Value> {
        self.tree.pointer(&pointer_of(reference)?)
    }

    /// Checks a value of a response against the schema at a JSON pointer.
    ///
    /// # Errors
    ///
    /// The first violation, with the place in the value; and if the schema itself is invalid, that.
    pub fn check(&self, pointer: &str, value: &Value) -> Result<(), Error> {
        self.check_as(RESPONSES, pointer, value)
    }

    /// Checks a value of a request: it need not have fields that are only read.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::check`].
    pub fn check_request(&self, pointer: &str, value: &Value) -> Result<(), Error> {
        self.check_as(REQUESTS, pointer, value)
    }

    fn check_as(&self, url: &'static str, pointer: &str, value: &Value) -> Result<(), Error> {
        match self.violation_as(url, pointer, value)? {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// The first violation by a value of a response, with the JSON pointer of its place.
    pub(crate) fn violation(
        &self,
        pointer: &str,
        value: &Value,
    ) -> Result<Option<(String, Error)>, Error> {
        self.violation_as(RESPONSES, pointer, value)
    }

    fn violation_as(
        &self,
        url: &'static str,
        pointer: &str,
        value: &Value,
    ) -> Result<Option<(String, Error)>, Error> {
        let validator = self.validator(url, pointer)?;
        Ok(validator.validate(value).err().map(|error| {
            let place = error.instance_path().to_string();
            let error = Error::violation(&place, error.masked());
            (place, error)
        }))
    }

    fn validator(&self, url: &'static str, pointer: &str) -> Result<Arc<Validator>, Error> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (url, pointer.to_owned());
        if let Some(known) = validators.get(&key) {
            return Ok(Arc::clone(known));
        }
        let schema = json!({ "$ref": format!("{url}#{}", escaped(pointer)) });
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_registry(&self.registry)
            .build(&schema)
            .map_err(|error| {
                Error::new(format!("the schema at {pointer} cannot be compiled: {error}"))
            })?;
        let validator = Arc::new(validator);
        validators.insert(key, Arc::clone(&validator));
        Ok(validator)
    }
}

impl std::fmt::Debug for Description {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Description").finish_non_exhaustive()
    }
}

/// The JSON pointer of a component that is a schema.
pub fn component(name: &str) -> String {
    format!("/components/schemas/{}", step(name))
}
