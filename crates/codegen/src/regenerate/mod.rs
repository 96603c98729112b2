//! Bringing `openapi/` and `schema/` up to date with the service: fetch what is current, say what
//! is different and whom it breaks, write it in a stable form.
//!
//! The program `podqueue-regenerate` is this and a command line:
//!
//! ```sh
//! export PODQUEUE_API_KEY=…
//! podqueue-regenerate --rest https://rest.example/v1/openapi.json --graphql https://api.example/graphql
//! podqueue-regenerate --graphql https://api.example/graphql --check    # for a nightly CI
//! ```

mod changes;
mod fetch;
mod outline;
mod report;
mod stable;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub use changes::{Change, Effect, Interface, Severity, What, Who};
use serde_json::Value;

use crate::graphql::schema::Schema;
use crate::graphql::{self, SharedTypes, introspection};
use crate::rest::{self, read};
use crate::{Diagnostic, Source, build};

/// What is compared with what.
///
/// ```no_run
/// use podqueue_codegen::regenerate::Regenerate;
///
/// # fn main() -> Result<(), podqueue_codegen::regenerate::Failure> {
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

/// What was found.
#[derive(Clone, Debug)]
pub struct Findings {
    documents: Vec<Document>,
    queries: PathBuf,
    mistakes: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// A description or a schema: what it was, and what it is now.
#[derive(Clone, Debug)]
pub struct Document {
    /// What describes what.
    pub interface: Interface,
    /// The file that it is kept in.
    pub file: PathBuf,
    /// All that is different in what code is generated from.
    pub changes: Vec<Change>,
    /// What its file shall hold.
    text: String,
    state: State,
    /// A file in another notation that this one takes the place of.
    replaces: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There was no file.
    New,
    Same,
    Different,
}

/// Why nothing could be compared, or not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(diagnostic.to_string())
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        let lines: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
        Self::new(lines.join("\n"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

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
    /// Nothing to fetch yet, and the folders `openapi`, `schema` and `queries`.
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

    /// Where the current REST description is: a URL or a file. No key is sent there.
    pub fn rest_from(mut self, from: impl Into<String>) -> Self {
        self.rest = Some(from.into());
        self
    }

    /// The URL of the GraphQL service, which is asked by introspection; or a file of SDL or of an
    /// introspection result.
    pub fn graphql_from(mut self, from: impl Into<String>) -> Self {
        self.graphql = Some(from.into());
        self
    }

    /// The key that the GraphQL service is asked with: the parameter `api_key` of the URL. It is
    /// sent over https and to this machine, nowhere else.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into()).filter(|key| !key.is_empty());
        self
    }

    /// The folder of the REST description.
    pub fn openapi(mut self, folder: impl Into<PathBuf>) -> Self {
        self.openapi = folder.into();
        self
    }

    /// The folder of the GraphQL schema.
    pub fn schema(mut self, folder: impl Into<PathBuf>) -> Self {
        self.schema = folder.into();
        self
    }

    /// The folder of the queries that must go on validating. It need not be there.
    pub fn queries(mut self, folder: impl Into<PathBuf>) -> Self {
        self.queries = folder.into();
        self
    }

    /// Fetches what is current and compares it with what is there. Nothing is written.
    ///
    /// # Errors
    ///
    /// What could not be fetched or read, and a description that nothing can be generated from.
    /// No message holds the key.
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
        let now = read::read(fetched)?;
        let kept = kept(&self.openapi, &["yaml", "yml", "json"])?;
        let before = kept.as_ref().map(read::read).transpose()?;
        let file = match &kept {
            Some(source) => PathBuf::from(&source.name),
            None => self.openapi.join("rest.yaml"),
        };
        let name = build::name(&file);
        let text = stable::description::stable(&name, &now)?;

        // What nothing can be generated from must not take the place of what works.
        let made = rest::generate(&Source::new(&name, text.as_str()))?;
        let known = kept.and_then(|kept| rest::generate(&kept).ok());
        let known = known.map_or_else(Vec::new, |made| made.warnings);
        // The same thing may stand in another place now.
        let is_new = |it: &Diagnostic| !known.iter().any(|known| known.message == it.message);
        found.warnings.extend(made.warnings.into_iter().filter(is_new));
        let comparable = stable::description::comparable;
        found.documents.push(Document {
            interface: Interface::Rest,
            changes: before.as_ref().map_or_else(Vec::new, |before| {
                let (old, new) = (outline::rest::outline(before), outline::rest::outline(&now));
                changes::between(Interface::Rest, &old, &new)
            }),
            state: state(
                before.as_ref().map(|before: &Value| comparable(before) == comparable(&now)),
            ),
            file,
            text,
            replaces: None,
        });
        Ok(())
    }

    fn compare_graphql(&self, fetched: &Source, found: &mut Findings) -> Result<(), Failure> {
        let now = parse(fetched)?;
        let kept = kept(&self.schema, &["graphql", "graphqls", "gql", "json"])?;
        let before = kept.as_ref().map(parse).transpose()?;
        let (file, replaces) = match &kept {
            None => (self.schema.join("schema.graphql"), None),
            // Introspection results come in any order, so it is SDL that is kept.
            Some(kept) if kept.extension() == "json" => {
                let file = PathBuf::from(&kept.name);
                (file.with_extension("graphql"), Some(file))
            }
            Some(kept) => (PathBuf::from(&kept.name), None),
        };
        let text = stable::sdl::stable(&now.document);
        let source = Source::new(build::name(&file), text.as_str());
        if let Ok(sources) = build::files(&self.queries, &["graphql", "gql"]) {
            let mut queries = Vec::new();
            for path in sources {
                match build::read(&path) {
                    Ok(query) => queries.push(query),
                    Err(mistake) => found.mistakes.push(mistake),
                }
            }
            let made = graphql::generate(&source, &queries, SharedTypes::Here);
            found.mistakes.extend(made.err().unwrap_or_default());
        }
        let comparable = |schema: &Schema| stable::sdl::comparable(&schema.document);
        found.documents.push(Document {
            interface: Interface::GraphQl,
            changes: before.as_ref().map_or_else(Vec::new, |before| {
                let old = outline::graphql::outline(&before.document);
                let new = outline::graphql::outline(&now.document);
                changes::between(Interface::GraphQl, &old, &new)
            }),
            state: state(before.as_ref().map(|before| comparable(before) == comparable(&now))),
            file,
            text,
            replaces,
        });
        Ok(())
    }
}

impl Findings {
    /// Whether anything is different from what is there.
    pub fn has_drift(&self) -> bool {
        self.documents.iter().any(|document| document.state != State::Same)
    }

    /// The description and the schema, those of them that were asked for.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// What of the queries does not validate against the current schema.
    pub fn mistakes(&self) -> &[Diagnostic] {
        &self.mistakes
    }

    /// What of the description the generator leaves out, and did not leave out before.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Writes what is different. What is the same stays as it is written, in whatever form.
    ///
    /// # Errors
    ///
    /// The first file that cannot be written.
    pub fn write(&self) -> Result<(), Failure> {
        for document in self.documents.iter().filter(|document| document.state != State::Same) {
            let folder = document.file.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(|error| {
                Failure::new(format!("{}: cannot be made: {error}", build::name(folder)))
            })?;
            build::write(&document.file, &document.text)?;
            if let Some(replaced) = &document.replaces {
                fs::remove_file(replaced).map_err(|error| {
                    Failure::new(format!("{}: cannot be removed: {error}", build::name(replaced)))
                })?;
            }
        }
        Ok(())
    }
}

fn state(is_same: Option<bool>) -> State {
    match is_same {
        None => State::New,
        Some(true) => State::Same,
        Some(false) => State::Different,
    }
}

/// The one file of a folder, where there is one.
fn kept(folder: &Path, endings: &[&str]) -> Result<Option<Source>, Failure> {
    if !folder.exists() {
        return Ok(None);
    }
    let found = build::files(folder, endings)?;
    match found.as_slice() {
        [] => Ok(None),
        [path] => Ok(Some(build::read(path)?)),
        _ => {
            let message = "there must be one file here, but there is more than one";
            Err(Diagnostic::of_file(build::name(folder), message).into())
        }
    }
}

fn parse(source: &Source) -> Result<Schema, Failure> {
    if source.extension() == "json" {
        // A place in the SDL is none in the JSON, so it gets a name of its own.
        let name = format!("{} (as SDL)", source.name);
        return Ok(Schema::parse(&Source::new(name, introspection::sdl(source)?))?);
    }
    Ok(Schema::parse(source)?)
}
