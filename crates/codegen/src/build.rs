//! What runs in a build script: files in, files out, and word to cargo.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::graphql::{self, SharedTypes};
use crate::{Diagnostic, Generated, Source, rest};

/// Where cargo says that podqueue's schema is, to the build scripts of podqueue's dependants.
const SCHEMA_OF_PODQUEUE: &str = "DEP_PODQUEUE_0_SCHEMA";

/// How the names of files end that are of interest.
const DESCRIPTIONS: [&str; 3] = ["yaml", "yml", "json"];
const SCHEMAS: [&str; 4] = ["graphql", "graphqls", "gql", "json"];
const QUERIES: [&str; 2] = ["graphql", "gql"];

/// What a build script generates.
///
/// ```no_run
/// // The operations of `queries/`, against a schema of one's own.
/// podqueue_codegen::Build::new().queries("queries").schema("schema.graphql").run();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Build {
    rest: Option<PathBuf>,
    operations: Option<(PathBuf, PathBuf)>,
    queries: Option<PathBuf>,
    schema: Option<PathBuf>,
}

/// What a build script has to tell cargo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines for standard output, `cargo::…` each.
    pub directives: Vec<String>,
    /// Whether anything is wrong that the build must stop for.
    pub failed: bool,
}

impl Build {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Operations of a user's own crate, from the `.graphql` files of a folder, to be brought in
    /// with `podqueue::include_queries!()`. Written to `podqueue_queries.rs`.
    pub fn queries(mut self, folder: impl Into<PathBuf>) -> Self {
        self.queries = Some(folder.into());
        self
    }

    /// The schema that [`queries`](Self::queries) are written against: a file of SDL or, where it
    /// ends in `.json`, the result of an introspection query. Without it, it is the schema that
    /// podqueue comes with, and input types are podqueue's own.
    pub fn schema(mut self, file: impl Into<PathBuf>) -> Self {
        self.schema = Some(file.into());
        self
    }

    /// podqueue's own REST calls, from the one description in a folder. Written to `rest.rs`.
    pub fn rest(mut self, folder: impl Into<PathBuf>) -> Self {
        self.rest = Some(folder.into());
        self
    }

    /// podqueue's own operations: the folder of the schema, the folder of the queries. Written to
    /// `graphql.rs`. The schema's path is handed on to the build scripts of dependants.
    pub fn operations(mut self, schema: impl Into<PathBuf>, queries: impl Into<PathBuf>) -> Self {
        self.operations = Some((schema.into(), queries.into()));
        self
    }

    /// Generates into `OUT_DIR`, tells cargo what it has to know, and ends the build script with
    /// exit code 1 when there are mistakes. All of them are shown, each as
    /// `error: … queries/mine.graphql:4:5: …`.
    pub fn run(self) {
        let report = match std::env::var_os("OUT_DIR") {
            Some(folder) => self.generate(Path::new(&folder)),
            None => {
                let message = "podqueue-codegen runs in a build script, but OUT_DIR is not set";
                Report { directives: vec![format!("cargo::error={message}")], failed: true }
            }
        };
        for directive in &report.directives {
            say(directive);
        }
        if report.failed {
            std::process::exit(1);
        }
    }

    /// The same, into any folder and without a word: what to tell cargo is returned.
    pub fn generate(&self, out: &Path) -> Report {
        let mut run = Run { out, report: Report::default() };
        if let Some(folder) = &self.rest {
            run.rest(folder);
        }
        if let Some((schema, queries)) = &self.operations {
            run.operations(schema, queries);
        }
        if let Some(queries) = &self.queries {
            run.queries(queries, self.schema.as_deref());
        }
        run.report
    }
}

/// One run, and what it has to say so far.
struct Run<'a> {
    out: &'a Path,
    report: Report,
}

impl Run<'_> {
    fn rest(&mut self, folder: &Path) {
        self.watch_folder(folder, &DESCRIPTIONS);
        let made = only_file(folder, &DESCRIPTIONS)
            .and_then(|path| read(&path))
            .map_err(|it| vec![it])
            .and_then(|source| rest::generate(&source));
        self.finish("rest.rs", made);
    }

    fn operations(&mut self, schema: &Path, queries: &Path) {
        self.watch_folder(schema, &SCHEMAS);
        self.watch_folder(queries, &QUERIES);
        let made = only_file(schema, &SCHEMAS).map_err(|it| vec![it]);
        let made = made.and_then(|path| {
            let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
            self.directive(format!("cargo::metadata=schema={}", absolute.display()));
            graphql(&path, queries, SharedTypes::Here)
        });
        self.finish("graphql.rs", made);
    }

    fn queries(&mut self, folder: &Path, schema: Option<&Path>) {
        self.watch_folder(folder, &QUERIES);
        let of_podqueue = std::env::var_os(SCHEMA_OF_PODQUEUE).map(PathBuf::from);
        let made = match (schema, of_podqueue) {
            (Some(schema), _) => {
                self.watch(schema);
                graphql(schema, folder, SharedTypes::Here)
            }
            (None, Some(schema)) => {
                self.watch(&schema);
                graphql(&schema, folder, SharedTypes::OfPodqueue)
            }
            (None, None) => Err(vec![Diagnostic::of_file(
                "Cargo.toml",
                "these queries need podqueue's schema: add `podqueue` to the dependencies of this crate",
            )]),
        };
        self.finish("podqueue_queries.rs", made);
    }

    fn watch_folder(&mut self, folder: &Path, endings: &[&str]) {
        self.watch(folder);
        let files = files(folder, endings).unwrap_or_default();
        linked(folder, &files).iter().for_each(|file| self.watch(file));
    }

    fn watch(&mut self, path: &Path) {
        self.directive(format!("cargo::rerun-if-changed={}", path.display()));
    }

    fn directive(&mut self, line: String) {
        self.report.directives.push(line);
    }

    fn finish(&mut self, name: &str, made: Result<Generated, Vec<Diagnostic>>) {
        let written = made.and_then(|made| {
            write(&self.out.join(name), &made.code).map_err(|it| vec![it])?;
            Ok(made.warnings)
        });
        match written {
            Ok(warnings) => {
                warnings.iter().for_each(|it| self.directive(format!("cargo::warning={it}")))
            }
            Err(mistakes) => {
                self.report.failed = true;
                mistakes.iter().for_each(|it| self.directive(format!("cargo::error={it}")));
            }
        }
    }
}

fn graphql(
    schema: &Path,
    queries: &Path,
    shared: SharedTypes,
) -> Result<Generated, Vec<Diagnostic>> {
    let schema = read(schema);
    let mut mistakes = Vec::new();
    let mut sources = Vec::new();
    for path in files(queries, &QUERIES).map_err(|it| vec![it])? {
        match read(&path) {
            Ok(source) => sources.push(source),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    match schema {
        Ok(schema) => match graphql::generate(&schema, &sources, shared) {
            Ok(made) if mistakes.is_empty() => Ok(made),
            Ok(_) => Err(mistakes),
            Err(more) => {
                mistakes.extend(more);
                mistakes.sort();
                Err(mistakes)
            }
        },
        Err(mistake) => {
            mistakes.insert(0, mistake);
            Err(mistakes)
        }
    }
}

/// The files of a folder and its folders that end in one of these, by name. What begins with a dot
/// is not meant to be seen; editors leave such files behind.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    // A link may lead back to where it stands.
    let mut seen = HashSet::new();
    while let Some(folder) = waiting.pop() {
        let fault = |error: std::io::Error| {
            let message = match error.kind() {
                ErrorKind::NotFound => {
                    format!("there is no such folder; files that end in .{} go there", endings[0])
                }
                _ => format!("this folder cannot be read: {error}"),
            };
            Diagnostic::of_file(name(&folder), message)
        };
        if !seen.insert(folder.canonicalize().map_err(fault)?) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|it| endings.iter().any(|ending| it == *ending))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Where links of a folder lead to: cargo looks at what is in the folder itself.
fn linked(folder: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let real = files.iter().filter_map(|file| file.canonicalize().ok());
    real.filter(|file| !file.starts_with(&folder)).collect()
}

fn only_file(folder: &Path, endings: &[&str]) -> Result<PathBuf, Diagnostic> {
    let mut found = files(folder, endings)?;
    match (found.pop(), found.len()) {
        (Some(path), 0) => Ok(path),
        (found, _) => {
            let how_many = if found.is_some() { "more than one" } else { "no" };
            let endings = endings.join(", .");
            let message =
                format!("there must be one file here, but there is {how_many} .{endings}");
            Err(Diagnostic::of_file(name(folder), message))
        }
    }
}

pub(crate) fn read(path: &Path) -> Result<Source, Diagnostic> {
    let bytes = fs::read(path)
        .map_err(|error| Diagnostic::of_file(name(path), format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map(|text| Source::new(name(path), text)).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = valid.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&valid[start..]).chars().count() + 1;
        Diagnostic::new(name(path), line, column, "this file is not UTF-8")
    })
}

/// A path for people, with the same slashes everywhere.
pub(crate) fn name(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// An unchanged file is left alone, so that nothing is compiled again for it.
pub(crate) fn write(path: &Path, code: &str) -> Result<(), Diagnostic> {
    if fs::read_to_string(path).is_ok_and(|there| there == code) {
        return Ok(());
    }
    fs::write(path, code)
        .map_err(|error| Diagnostic::of_file(name(path), format!("cannot be written: {error}")))
}

#[expect(clippy::print_stdout, reason = "a build script talks to cargo on standard output")]
fn say(directive: &str) {
    println!("{directive}");
}
