//! Compares what is current with what is there.

use std::fmt;
use std::path::{Path, PathBuf};

use podqueue_codegen::graphql::{self, SharedTypes};
use podqueue_codegen::{__private, Diagnostic, Source, rest};
use serde_json::Value;

use crate::changes::{Change, Interface};
use crate::findings::{Document, Findings, State};
use crate::{Failure, align, fetch, judge, outline, paths, stable};

/// Compares what the service publishes today with the files of a checkout.
///
/// ```no_run
/// use podqueue_regenerate::Regenerate;
///
/// # fn main() -> Result<(), podqueue_regenerate::Failure> {
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
        // Neither the key nor the URLs, which may hold one.
        f.debug_struct("Regenerate")
            .field("openapi", &self.openapi)
            .field("schema", &self.schema)
            .field("queries", &self.queries)
            .finish_non_exhaustive()
    }
}

impl Regenerate {
    /// Creates a comparison that fetches nothing yet, of the folders `openapi`, `schema` and
    /// `queries`.
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

    /// Sets where the current REST description is: a URL or a file. No key is sent there.
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

    /// Fetches what is current and compares it with what is there. Nothing is written.
    ///
    /// # Errors
    ///
    /// Something could not be fetched or read, or nothing can be generated from the description.
    pub fn compare(&self) -> Result<Findings, Failure> {
        let mut found = Findings {
            documents: Vec::new(),
            queries: self.queries.clone(),
            mistakes: Vec::new(),
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

    fn compare_rest(&self, fetched: &Source, found: &mut Findings) -> Result<(), Failure> {
        let now = rest::read(fetched)?;
        let kept = kept_description(&self.openapi)?;
        let (whole, files) = __private::linked(fetched)?;
        let before = kept.as_ref().map(__private::linked).transpose()?.map(|(tree, _)| tree);
        let file = match &kept {
            Some(source) => PathBuf::from(&source.name),
            None if names_file(&self.openapi) => self.openapi.clone(),
            None => self.openapi.join("rest.yaml"),
        };
        let name = Source::name_of(&file);
        let text = stable::description::stable(&name, &now)?;

        // What nothing can be generated from must not take the place of what works.
        let made = rest::generate(fetched)?;
        let known = kept.as_ref().and_then(|kept| rest::generate(kept).ok());
        let known = known.map_or_else(Vec::new, |made| made.warnings);
        // The same thing may stand in another place now.
        let is_new = |it: &Diagnostic| !known.iter().any(|known| known.message == it.message);
        found.warnings.extend(made.warnings.into_iter().filter(is_new));
        let comparable = stable::description::comparable;
        let is_same = before.as_ref().map(|before| comparable(before) == comparable(&whole));
        let parts = parts(&fetched.name, &file, files)?;
        found.documents.push(Document {
            interface: Interface::Rest,
            changes: before.map_or_else(Vec::new, |before| changed_rest(&before, &whole)),
            state: State::of(is_same),
            file,
            text,
            parts,
            replaces: None,
        });
        Ok(())
    }

    fn compare_graphql(&self, fetched: &Source, found: &mut Findings) -> Result<(), Failure> {
        let now = __private::schema(fetched)?;
        let kept = kept(&self.schema, &["graphql", "graphqls", "gql", "json"])?;
        let before = kept.as_ref().map(__private::schema).transpose()?;
        let (file, replaces) = match &kept {
            None => (self.schema.join("schema.graphql"), None),
            // Introspection results come in any order, so it is SDL that is kept.
            Some(kept) if kept.name.ends_with(".json") => {
                let file = PathBuf::from(&kept.name);
                (file.with_extension("graphql"), Some(file))
            }
            Some(kept) => (PathBuf::from(&kept.name), None),
        };
        let text = stable::sdl::stable(&now);
        let source = Source::new(Source::name_of(&file), text.as_str());
        found.mistakes.extend(self.mistakes(&source));
        let comparable = stable::sdl::comparable;
        let is_same = before.as_ref().map(|before| comparable(before) == comparable(&now));
        found.documents.push(Document {
            interface: Interface::GraphQl,
            changes: before.as_ref().map_or_else(Vec::new, |before| {
                let outline = outline::graphql::outline;
                judge::between(Interface::GraphQl, &outline(before), &outline(&now))
            }),
            state: State::of(is_same),
            file,
            text,
            parts: Vec::new(),
            replaces,
        });
        Ok(())
    }

    /// What of the queries does not validate against a schema.
    fn mistakes(&self, schema: &Source) -> Vec<Diagnostic> {
        let Ok(files) = Source::find(&self.queries, &["graphql", "gql"]) else { return Vec::new() };
        let mut mistakes = Vec::new();
        let mut queries = Vec::new();
        for file in files {
            match Source::read(&file) {
                Ok(query) => queries.push(query),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        let made = graphql::generate(schema, &queries, SharedTypes::Here);
        mistakes.extend(made.err().unwrap_or_default());
        mistakes
    }
}

/// What is different between two descriptions, each with all of its files.
fn changed_rest(before: &Value, now: &Value) -> Vec<Change> {
    let mut before = outline::rest::outline(before);
    let mut now = outline::rest::outline(now);
    paths::align(&before, &mut now);
    let mut changes = align::align(&mut before, &mut now);
    changes.extend(judge::between(Interface::Rest, &before, &now));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// The further files of a description, as they will stand beside it. Those that stand elsewhere
/// stay there.
fn parts(
    fetched: &str,
    kept: &Path,
    files: Vec<PathBuf>,
) -> Result<Vec<(PathBuf, String)>, Failure> {
    let (from, to) = (Path::new(fetched).parent(), kept.parent());
    let mut parts = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        if let (Some(Ok(within)), Some(to)) = (from.map(|from| file.strip_prefix(from)), to) {
            parts.push((to.join(within), Source::read(file)?.text));
        }
    }
    Ok(parts)
}

/// How the names of descriptions end.
const DESCRIPTIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Whether a place is that of one file, which need not be there.
fn names_file(place: &Path) -> bool {
    !place.is_dir() && place.extension().is_some_and(|it| DESCRIPTIONS.iter().any(|one| it == *one))
}

/// The one description of a folder, where there is one, or that of a file. Other files are parts
/// of it.
fn kept_description(place: &Path) -> Result<Option<Source>, Failure> {
    if !place.exists() || (place.is_dir() && Source::find(place, &DESCRIPTIONS)?.is_empty()) {
        return Ok(None);
    }
    Ok(Some(__private::description(place)?))
}

/// The one file of a folder, where there is one.
fn kept(folder: &Path, endings: &[&str]) -> Result<Option<Source>, Failure> {
    if !folder.exists() {
        return Ok(None);
    }
    let found = Source::find(folder, endings)?;
    match found.as_slice() {
        [] => Ok(None),
        [path] => Ok(Some(Source::read(path)?)),
        _ => {
            let message = "expected exactly one file here, found more than one";
            Err(Diagnostic::of_file(Source::name_of(folder), message).into())
        }
    }
}
