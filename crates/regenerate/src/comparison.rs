//! Comparison of a checkout with the interfaces that the service publishes.

use std::fmt;
use std::path::{Path, PathBuf};

use podqueue_codegen::graphql::{self, SharedTypes};
use podqueue_codegen::{__private, Diagnostic, Source, rest};
use serde_json::Value;

use crate::change::{Change, Interface};
use crate::diff::diff;
use crate::findings::{Document, Drift, Findings};
use crate::{Error, alignment, canonical, fetch, outline};

/// Compares the interfaces that the service publishes with the files of a checkout.
///
/// ```no_run
/// use podqueue_regenerate::Regenerate;
///
/// # fn main() -> Result<(), podqueue_regenerate::Error> {
/// let found = Regenerate::new()
///     .rest_from("https://rest.example/v1/openapi.json")
///     .graphql_from("https://api.example/graphql")
///     .api_key(std::env::var("PODQUEUE_API_KEY").unwrap_or_default())
///     .compare()?;
/// if found.has_drift() {
///     found.write()?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Regenerate {
    rest: Option<String>,
    graphql: Option<String>,
    key: Option<String>,
    openapi: PathBuf,
    schema: PathBuf,
    queries: PathBuf,
}

impl Default for Regenerate {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Regenerate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key nor the URLs, which may contain it.
        f.debug_struct("Regenerate")
            .field("openapi", &self.openapi)
            .field("schema", &self.schema)
            .field("queries", &self.queries)
            .finish_non_exhaustive()
    }
}

impl Regenerate {
    /// Creates a comparison of the folders `openapi`, `schema` and
    /// `queries`, without a source yet.
    pub fn new() -> Self {
        Self {
            rest: None,
            graphql: None,
            key: None,
            openapi: "openapi".into(),
            schema: "schema".into(),
            queries: "queries".into(),
        }
    }

    /// Sets the source of the current REST description: a URL or a file. No key is sent there.
    pub fn rest_from(mut self, from: impl Into<String>) -> Self {
        self.rest = Some(from.into());
        self
    }

    /// Sets the URL of the GraphQL service, which is queried by introspection; or a file of SDL or
    /// of an introspection result.
    pub fn graphql_from(mut self, from: impl Into<String>) -> Self {
        self.graphql = Some(from.into());
        self
    }

    /// Sets the API key for the GraphQL service, sent as the URL's parameter `api_key`. It is sent
    /// over https or to this machine only.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into()).filter(|key| !key.is_empty());
        self
    }

    /// Sets the folder of the REST description, or its file, where the folder holds several
    /// descriptions.
    pub fn openapi(mut self, folder_or_file: impl Into<PathBuf>) -> Self {
        self.openapi = folder_or_file.into();
        self
    }

    /// Sets the folder of the GraphQL schema.
    pub fn schema(mut self, folder: impl Into<PathBuf>) -> Self {
        self.schema = folder.into();
        self
    }

    /// Sets the folder of the queries to validate against the current schema. It need not exist.
    pub fn queries(mut self, folder: impl Into<PathBuf>) -> Self {
        self.queries = folder.into();
        self
    }

    /// Fetches the current documents and compares them with the stored ones. Writes nothing.
    ///
    /// # Errors
    ///
    /// A document cannot be fetched or read, or nothing can be generated from the description.
    pub fn compare(&self) -> Result<Findings, Error> {
        let mut found = Findings {
            documents: Vec::new(),
            queries: self.queries.clone(),
            invalid_queries: Vec::new(),
            warnings: Vec::new(),
        };
        if let Some(from) = &self.rest {
            self.compare_rest(&fetch::description(from)?, &mut found)?;
        }
        if let Some(from) = &self.graphql {
            self.compare_graphql(&fetch::schema(from, self.key.as_deref())?, &mut found)?;
        }
        Ok(found)
    }

    fn compare_rest(&self, fetched: &Source, found: &mut Findings) -> Result<(), Error> {
        let now = rest::read(fetched)?;
        let stored = stored_description(&self.openapi)?;
        let (whole, files) = __private::linked(fetched)?;
        let before = stored.as_ref().map(__private::linked).transpose()?.map(|(tree, _)| tree);
        let file = match &stored {
            Some(source) => PathBuf::from(&source.name),
            None if names_file(&self.openapi) => self.openapi.clone(),
            None => self.openapi.join("rest.yaml"),
        };
        let name = Source::name_of(&file);
        let text = canonical::description(&name, &now)?;

        // A description from which nothing can be generated must not replace the stored one.
        let generated = rest::generate(fetched)?;
        let known = stored.as_ref().and_then(|stored| rest::generate(stored).ok());
        let known = known.map_or_else(Vec::new, |generated| generated.warnings);
        // By message alone, since the construct may have moved.
        let is_new = |it: &Diagnostic| !known.iter().any(|known| known.message == it.message);
        found.warnings.extend(generated.warnings.into_iter().filter(is_new));
        let before = before.as_ref().map(canonical::comparable_description);
        let whole = canonical::comparable_description(&whole);
        let is_same = before.as_ref().map(|before| *before == whole);
        let parts = parts(&fetched.name, &file, files)?;
        found.documents.push(Document {
            interface: Interface::Rest,
            changes: before.map_or_else(Vec::new, |before| rest_changes(&before, &whole)),
            drift: Drift::of(is_same),
            file,
            text,
            parts,
            replaces: None,
        });
        Ok(())
    }

    fn compare_graphql(&self, fetched: &Source, found: &mut Findings) -> Result<(), Error> {
        let now = __private::schema(fetched)?;
        let stored = stored_file(&self.schema, &["graphql", "graphqls", "gql", "json"])?;
        let before = stored.as_ref().map(__private::schema).transpose()?;
        let (file, replaces) = match &stored {
            None => (self.schema.join("schema.graphql"), None),
            // Stored as SDL, since introspection results have no defined order.
            Some(stored) if stored.name.ends_with(".json") => {
                let file = PathBuf::from(&stored.name);
                (file.with_extension("graphql"), Some(file))
            }
            Some(stored) => (PathBuf::from(&stored.name), None),
        };
        let text = canonical::schema(&now);
        let source = Source::new(Source::name_of(&file), text.as_str());
        found.invalid_queries.extend(self.validate_queries(&source));
        let comparable = canonical::comparable_schema;
        let is_same = before.as_ref().map(|before| comparable(before) == comparable(&now));
        found.documents.push(Document {
            interface: Interface::GraphQl,
            changes: before.as_ref().map_or_else(Vec::new, |before| {
                let outline = outline::graphql::outline;
                diff(Interface::GraphQl, &outline(before), &outline(&now))
            }),
            drift: Drift::of(is_same),
            file,
            text,
            parts: Vec::new(),
            replaces,
        });
        Ok(())
    }

    /// The validation errors of the queries against a schema.
    fn validate_queries(&self, schema: &Source) -> Vec<Diagnostic> {
        let Ok(files) = Source::find(&self.queries, &["graphql", "gql"]) else { return Vec::new() };
        let mut errors = Vec::new();
        let mut queries = Vec::new();
        for file in files {
            match Source::read(&file) {
                Ok(query) => queries.push(query),
                Err(error) => errors.push(error),
            }
        }
        let generated = graphql::generate(schema, &queries, SharedTypes::Here);
        errors.extend(generated.err().unwrap_or_default());
        errors
    }
}

/// The differences of two descriptions, each with all of its files.
fn rest_changes(before: &Value, now: &Value) -> Vec<Change> {
    let mut before = outline::rest::outline(before);
    let mut now = outline::rest::outline(now);
    let mut changes = alignment::align_operations(&before, &mut now);
    changes.extend(alignment::align_types(&mut before, &mut now));
    changes.extend(diff(Interface::Rest, &before, &now));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// The further files of a description, with their paths next to the stored one. Files outside its
/// folder are not copied.
fn parts(
    fetched: &str,
    stored: &Path,
    files: Vec<PathBuf>,
) -> Result<Vec<(PathBuf, String)>, Error> {
    let (from, to) = (Path::new(fetched).parent(), stored.parent());
    let mut parts = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        if let (Some(Ok(within)), Some(to)) = (from.map(|from| file.strip_prefix(from)), to) {
            parts.push((to.join(within), Source::read(file)?.text));
        }
    }
    Ok(parts)
}

/// File extensions of descriptions.
const DESCRIPTION_EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Returns true if a path names a file, which need not exist.
fn names_file(path: &Path) -> bool {
    !path.is_dir()
        && path
            .extension()
            .is_some_and(|it| DESCRIPTION_EXTENSIONS.iter().any(|known| it == *known))
}

/// The only description of a folder, if there is one, or that of a file. Other files are parts of
/// it.
fn stored_description(path: &Path) -> Result<Option<Source>, Error> {
    if !path.exists() || (path.is_dir() && Source::find(path, &DESCRIPTION_EXTENSIONS)?.is_empty())
    {
        return Ok(None);
    }
    Ok(Some(__private::description(path)?))
}

/// The only file of a folder, if there is one.
fn stored_file(folder: &Path, extensions: &[&str]) -> Result<Option<Source>, Error> {
    if !folder.exists() {
        return Ok(None);
    }
    let found = Source::find(folder, extensions)?;
    match found.as_slice() {
        [] => Ok(None),
        [path] => Ok(Some(Source::read(path)?)),
        _ => {
            let message = "expected exactly one file here, found more than one";
            Err(Diagnostic::of_file(Source::name_of(folder), message).into())
        }
    }
}
