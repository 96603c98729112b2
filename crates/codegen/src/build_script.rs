//! Build-script entry point: descriptions and queries in, generated files and directives for cargo
//! out.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use quote::{format_ident, quote};
use serde_json::Value;

use crate::graphql::{self, Options, SharedTypes};
use crate::rest::{Dates, Formats, Pages};
use crate::{Diagnostic, Generated, Source, rest};

/// The variable by which cargo passes the path of podqueue's schema to the build scripts of its
/// dependants.
const SCHEMA_OF_PODQUEUE: &str = "DEP_PODQUEUE_0_SCHEMA";

/// The file that `podqueue::include_rest!()` includes, and the variable with its path. No
/// description has a file of this name.
const REST_INDEX: &str = "podqueue_include_rest.rs";
const REST_INDEX_PATH: &str = "PODQUEUE_REST";

/// File extensions.
const SCHEMAS: [&str; 4] = ["graphql", "graphqls", "gql", "json"];
const QUERIES: [&str; 2] = ["graphql", "gql"];

/// Settings of a build script: its descriptions, queries and schema.
///
/// ```no_run
/// // The operations of `queries/`, against another schema than podqueue's.
/// podqueue_codegen::Build::new().queries("queries").schema("schema.graphql").run();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Build {
    rest: Vec<Descriptions>,
    /// True if selectors precede all descriptions.
    is_misplaced: bool,
    /// podqueue's own descriptions, and the names of their handles.
    own_rest: Vec<(PathBuf, &'static str)>,
    operations: Option<(PathBuf, PathBuf)>,
    queries: Option<PathBuf>,
    schema: Option<PathBuf>,
    scalars: Vec<(String, String)>,
    formats: Formats,
    types_alone: bool,
}

/// The descriptions of one call of [`Build::rest`].
#[derive(Clone, Debug)]
struct Descriptions {
    places: Vec<PathBuf>,
    /// Selectors of their operations; `None` for all of them.
    only: Option<Vec<String>>,
    pages: Vec<(String, Pages)>,
}

/// The outcome of a build script's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Cargo's directives, one line each, for standard output: `cargo::…`.
    pub directives: Vec<String>,
    /// True if there are errors, and the build must fail.
    pub failed: bool,
}

impl Build {
    /// Creates a build that generates nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Generates operations from the `.graphql` files of a folder, for
    /// `podqueue::include_queries!()` to bring in. Written to `podqueue_queries.rs`.
    pub fn queries(mut self, folder: impl Into<PathBuf>) -> Self {
        self.queries = Some(folder.into());
        self
    }

    /// Sets the schema that the [`queries`](Self::queries) are written against: a file of SDL, or
    /// the result of an introspection query if its name ends in `.json`. The default is the schema
    /// that podqueue ships with; then input types are podqueue's own.
    pub fn schema(mut self, file: impl Into<PathBuf>) -> Self {
        self.schema = Some(file.into());
        self
    }

    /// Sets a Rust type for a scalar of the [`schema`](Self::schema), such as
    /// `time::OffsetDateTime` for `DateTime`; other scalars are any JSON. The type must implement
    /// serde's `Serialize` and `Deserialize`, `Clone`, `Debug` and `PartialEq`.
    pub fn scalar(mut self, scalar: impl Into<String>, rust_type: impl Into<String>) -> Self {
        self.scalars.push((scalar.into(), rust_type.into()));
        self
    }

    /// Generates REST calls from the OpenAPI descriptions of a folder, or from one file, for
    /// `podqueue::include_rest!()` to bring in. Files without an `openapi` version are parts of
    /// others. May be called several times. A file that the build script has made in `OUT_DIR` is
    /// not watched: what it is made from has to be.
    ///
    /// Descriptions are of OpenAPI 3.0 to 3.2, in YAML or JSON. References to other files are
    /// followed, and these files are watched, too; references to URLs are not. Whatever cannot be
    /// expressed is left out with a warning of the build, which has the position in the file.
    /// `Api::new` calls the client's `rest_url`; if that has no path, the path of the description's
    /// first server is added to it.
    ///
    /// Where there are several descriptions, each is brought in by its name,
    /// `podqueue::include_rest!("pets")`: that of its file without the extension, or that of its
    /// folder where files in different folders have the same name. Written to
    /// `podqueue_rest_pets.rs`.
    pub fn rest(self, folder_or_file: impl Into<PathBuf>) -> Self {
        self.rest_of([folder_or_file.into()])
    }

    /// Adds the descriptions of several folders and files, which share their selectors.
    #[doc(hidden)]
    pub fn rest_of(mut self, places: impl Into<Vec<PathBuf>>) -> Self {
        self.rest.push(Descriptions { places: places.into(), only: None, pages: Vec::new() });
        self
    }

    /// Generates only the selected operations of the descriptions that the last [`rest`](Self::rest)
    /// names, and only the types that these operations need. A service has many operations, and a
    /// program calls few of them: what is left out is neither compiled nor has warnings.
    ///
    /// ```no_run
    /// podqueue_codegen::Build::new()
    ///     .rest("openapi")
    ///     .only(["GET /v1/models", "tag:Files", "listPets"])
    ///     .run();
    /// ```
    ///
    /// A selector is one of:
    ///
    /// - the method and the path, as the description writes it: `GET /pets/{petId}`. The case of the
    ///   method does not matter;
    /// - `tag:` and a tag, for all operations that have it: `tag:Files`;
    /// - the operationId, `listPets`, or the name of the function, `list_pets`.
    ///
    /// Several calls add up, and an operation may be selected several times. Where the last `rest`
    /// names several descriptions, a selector may be of any of them. A selector that selects
    /// nothing fails the build with a line that suggests the most similar one, and so does a
    /// description of which nothing is selected.
    ///
    /// A selected operation has the name that it has without a selection. A type that is shared
    /// because several operations have an equal enum or object inline is named after the first of
    /// those that are generated.
    pub fn only<S: Into<String>>(mut self, selectors: impl IntoIterator<Item = S>) -> Self {
        match self.rest.last_mut() {
            Some(last) => {
                let only = last.only.get_or_insert_default();
                only.extend(selectors.into_iter().map(Into::into));
            }
            None => self.is_misplaced = true,
        }
        self
    }

    /// States how the pages of a list follow each other, for operations of the last
    /// [`rest`](Self::rest) whose names do not make it certain: their calls get the streams `pages`
    /// and `items`. The selector is one of [`only`](Self::only).
    ///
    /// ```no_run
    /// use podqueue_codegen::Pages;
    ///
    /// podqueue_codegen::Build::new()
    ///     .rest("openapi")
    ///     .pages("listPets", Pages::cursor("from", "page.last").items("pets"))
    ///     .run();
    /// ```
    ///
    /// Where the operation has no such parameter or field, the build fails.
    pub fn pages(mut self, selector: impl Into<String>, pages: Pages) -> Self {
        match self.rest.last_mut() {
            Some(last) => last.pages.push((selector.into(), pages)),
            None => self.is_misplaced = true,
        }
        self
    }

    /// Gives dates and times of descriptions, formats `date-time` and `date`, the types of a crate;
    /// by default they are texts. The crate is a feature of podqueue-runtime of the same name.
    ///
    /// They are read as `podqueue_runtime::Parsed<T>`, which keeps a text of another format; what is
    /// sent takes a `T`.
    pub fn dates(mut self, dates: Dates) -> Self {
        self.formats.dates = Some(dates);
        self
    }

    /// Gives UUIDs of descriptions, the format `uuid`, the type `uuid::Uuid`; by default they are
    /// texts. Needs podqueue-runtime's feature `uuid`, and is read like
    /// [`dates`](Self::dates).
    pub fn uuids(mut self) -> Self {
        self.formats.uuids = true;
        self
    }

    /// Generates the types of descriptions alone: no calls, no `Api` and no fake, whatever features
    /// podqueue-runtime has.
    pub fn types_alone(mut self) -> Self {
        self.types_alone = true;
        self
    }

    /// podqueue's own REST calls, from a description, as methods of a handle of this name. Written
    /// to `podqueue_rest.rs` for `Rest`. May be called several times.
    #[doc(hidden)]
    pub fn own_rest(mut self, description: impl Into<PathBuf>, handle: &'static str) -> Self {
        self.own_rest.push((description.into(), handle));
        self
    }

    /// podqueue's own operations: the folder of the schema, the folder of the queries. Written to
    /// `graphql.rs`. The schema's path is handed on to the build scripts of dependants.
    #[doc(hidden)]
    pub fn operations(mut self, schema: impl Into<PathBuf>, queries: impl Into<PathBuf>) -> Self {
        self.operations = Some((schema.into(), queries.into()));
        self
    }

    /// Generates into `OUT_DIR`, prints cargo's directives, and exits with code 1 if there are
    /// errors. All of them are shown, each as `error: … queries/mine.graphql:4:5: …`.
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

    /// Generates into any folder, and returns what [`run`](Self::run) would print.
    pub fn generate(&self, out: &Path) -> Report {
        let mut run = Run { out, report: Report::default() };
        for (description, handle) in &self.own_rest {
            run.own_rest(description, handle);
        }
        if self.is_misplaced {
            let message =
                "`only` and `pages` select operations of the `rest` before them; call `rest` first";
            run.fail(vec![Diagnostic::of_file("build.rs", message)]);
        }
        if !self.rest.is_empty() {
            run.rest(self);
        }
        if let Some((schema, queries)) = &self.operations {
            run.operations(schema, queries);
        }
        if let Some(queries) = &self.queries {
            run.queries(queries, self.schema.as_deref(), &self.scalars);
        }
        run.report
    }
}

impl Build {
    /// Generates from the descriptions, in the order of the calls of [`rest`](Self::rest) and of the
    /// names. The settings are those of the build, and otherwise those of `options`.
    pub(super) fn outputs(
        &self,
        options: &rest::Options<'_>,
    ) -> Result<Vec<DescribedOutput>, Diagnostic> {
        let places = self.rest.iter().enumerate();
        let named =
            named(places.flat_map(|(index, of)| of.places.iter().map(move |it| (index, it))))?;
        let mut outputs = Vec::new();
        for (index, descriptions) in self.rest.iter().enumerate() {
            let of_these = named.iter().filter(|(_, described)| described.group == index);
            let of_these: Vec<_> = of_these.collect();
            let sources: Vec<_> = of_these.iter().map(|(_, it)| &it.source).collect();
            let options = rest::Options {
                only: descriptions.only.as_deref(),
                pages: &descriptions.pages,
                formats: self.formats,
                types_alone: self.types_alone,
                ..*options
            };
            let made = selected(&sources, &options);
            outputs.extend(of_these.into_iter().zip(made).map(|((name, described), output)| {
                DescribedOutput { name: name.clone(), source: described.source.clone(), output }
            }));
        }
        Ok(outputs)
    }
}

/// The result for one description, with its name.
pub(super) struct DescribedOutput {
    pub(super) name: String,
    source: Source,
    pub(super) output: Result<rest::Output, Vec<Diagnostic>>,
}

/// One run and its report.
struct Run<'a> {
    out: &'a Path,
    report: Report,
}

impl Run<'_> {
    fn own_rest(&mut self, description: &Path, handle: &str) {
        self.watch(description);
        let options = rest::Options { handle, ..rest::Options::default() };
        let made =
            Source::read(description).and_then(|source| rest::generate_with(&source, &options));
        let made = made.map(|it| it.generated).map_err(|it| vec![it]);
        self.finish(&format!("podqueue_{}.rs", handle.to_ascii_lowercase()), made);
    }

    fn rest(&mut self, build: &Build) {
        let places = build.rest.iter().flat_map(|it| &it.places);
        places.for_each(|it| self.watch_folder(it, &DESCRIPTIONS));
        let outputs = match build.outputs(&rest::Options::default()) {
            Ok(outputs) => outputs,
            Err(diagnostic) => return self.finish(REST_INDEX, Err(vec![diagnostic])),
        };
        let mut foreign_servers = BTreeMap::new();
        for DescribedOutput { name, source, output } in outputs {
            let (servers, pages) = output.as_ref().map_or_else(
                |_| Default::default(),
                |it| (it.foreign_servers.clone(), it.pages.clone()),
            );
            foreign_servers.insert(name.clone(), servers);
            let made = output.map(|it| it.generated);
            for file in made.iter().flat_map(|made| &made.files) {
                self.watch(file);
            }
            if let Ok(made) = &made {
                let types = Generated { code: made.types.clone(), ..Generated::default() };
                self.finish(&format!("podqueue_types_{name}.rs"), Ok(types));
            }
            self.finish(&format!("podqueue_rest_{name}.rs"), made);
            self.description(&format!("podqueue_rest_{name}.json"), &source, &pages);
        }
        let code = index(&foreign_servers, build.types_alone);
        self.finish(REST_INDEX, Ok(Generated { code, ..Generated::default() }));
        let index = self.out.join(REST_INDEX);
        self.directive(format!("cargo::rustc-env={REST_INDEX_PATH}={}", index.display()));
    }

    /// Writes a description with all of its files as one JSON document, which `Api::fake()`
    /// includes.
    fn description(&mut self, name: &str, source: &Source, pages: &BTreeMap<Vec<String>, Value>) {
        // Why it cannot be read is said where it is generated from.
        let Ok((mut description, _)) = rest::linked(source) else { return };
        rest::prepare_for_fake(&mut description, pages);
        if let Err(diagnostic) = write(&self.out.join(name), &description.to_string()) {
            self.finish(name, Err(vec![diagnostic]));
        }
    }

    fn operations(&mut self, schema: &Path, queries: &Path) {
        self.watch_folder(schema, &SCHEMAS);
        self.watch_folder(queries, &QUERIES);
        let made = only_file(schema, &SCHEMAS).map_err(|it| vec![it]);
        let made = made.and_then(|path| {
            let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
            self.directive(format!("cargo::metadata=schema={}", absolute.display()));
            graphql(&path, queries, SharedTypes::All.into())
        });
        self.finish("graphql.rs", made);
    }

    fn queries(&mut self, folder: &Path, schema: Option<&Path>, scalars: &[(String, String)]) {
        let options = |shared: SharedTypes| {
            let options = Options::from(shared);
            scalars.iter().fold(options, |options, (name, ty)| options.scalar(name, ty))
        };
        self.watch_folder(folder, &QUERIES);
        let of_podqueue = std::env::var_os(SCHEMA_OF_PODQUEUE).map(PathBuf::from);
        let made = match (schema, of_podqueue) {
            (Some(schema), _) => {
                self.watch(schema);
                graphql(schema, folder, options(SharedTypes::Here))
            }
            (None, Some(schema)) => {
                self.watch(&schema);
                graphql(&schema, folder, options(SharedTypes::OfPodqueue))
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
        let files = Source::find(folder, endings).unwrap_or_default();
        linked(folder, &files).iter().for_each(|file| self.watch(file));
    }

    /// A file that the build script has written is newer than its start: cargo would run the script
    /// again on every build.
    fn watch(&mut self, path: &Path) {
        if path.starts_with(self.out) {
            return;
        }
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
            Err(diagnostics) => self.fail(diagnostics),
        }
    }

    fn fail(&mut self, diagnostics: Vec<Diagnostic>) {
        self.report.failed = true;
        diagnostics.iter().for_each(|it| self.directive(format!("cargo::error={it}")));
    }
}

fn graphql(schema: &Path, queries: &Path, options: Options) -> Result<Generated, Vec<Diagnostic>> {
    let schema = Source::read(schema);
    let mut diagnostics = Vec::new();
    let mut sources = Vec::new();
    for path in Source::find(queries, &QUERIES).map_err(|it| vec![it])? {
        match Source::read(&path) {
            Ok(source) => sources.push(source),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    match schema {
        Ok(schema) => match graphql::generate(&schema, &sources, options) {
            Ok(made) if diagnostics.is_empty() => Ok(made),
            Ok(_) => Err(diagnostics),
            Err(more) => {
                diagnostics.extend(more);
                diagnostics.sort();
                Err(diagnostics)
            }
        },
        Err(diagnostic) => {
            diagnostics.insert(0, diagnostic);
            Err(diagnostics)
        }
    }
}

/// Generates from descriptions that share their selectors. Of a selector that selects nothing in any
/// of them there is one error; otherwise nothing may be selected of one description.
fn selected(
    sources: &[&Source],
    options: &rest::Options<'_>,
) -> Vec<Result<rest::Output, Vec<Diagnostic>>> {
    let mut unknown: BTreeMap<usize, Vec<rest::Unmatched>> = BTreeMap::new();
    let made = sources.iter().map(|source| -> Result<_, Vec<_>> {
        let mut output = rest::generate_with(source, options).map_err(|it| vec![it])?;
        let none = options.only.filter(|only| {
            output.unmatched.iter().filter(|it| it.index < only.len()).count() == only.len()
        });
        for unmatched in std::mem::take(&mut output.unmatched) {
            unknown.entry(unmatched.index).or_default().push(unmatched);
        }
        Ok((output, none.is_some()))
    });
    let made: Vec<_> = made.collect();
    let generated = made.iter().filter(|it| it.is_ok()).count();
    // The error of a file that cannot be read comes first: the selector may be of that file.
    unknown.retain(|_, unmatched| made.len() == generated && unmatched.len() == generated);
    let mut unknown: Vec<_> = unknown
        .into_values()
        .filter_map(|of_all| of_all.into_iter().max_by_key(|it| it.has_suggestion))
        .map(|it| it.diagnostic)
        .collect();
    let has_unknown = !unknown.is_empty();
    made.into_iter()
        .zip(sources)
        .map(|(made, source)| {
            let (output, is_empty) = made?;
            match (has_unknown, is_empty) {
                (true, _) => Err(std::mem::take(&mut unknown)),
                (false, true) => Err(vec![Diagnostic::of_file(&source.name, NOTHING_SELECTED)]),
                (false, false) => Ok(output),
            }
        })
        .collect()
}

const NOTHING_SELECTED: &str = "no operation of this description is selected; add a selector for \
                                one, or name the other descriptions only";

/// The targets of links in a folder: cargo only watches the folder itself.
fn linked(folder: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let real = files.iter().filter_map(|file| file.canonicalize().ok());
    real.filter(|file| !file.starts_with(&folder)).collect()
}

fn only_file(folder: &Path, endings: &[&str]) -> Result<PathBuf, Diagnostic> {
    let mut found = Source::find(folder, endings)?;
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (found, _) => {
            let how_many = if found.is_some() { "more than one" } else { "no" };
            let endings = endings.join(", .");
            let message = format!("expected exactly one file here, found {how_many} .{endings}");
            Err(Diagnostic::of_file(Source::name_of(folder), message))
        }
    }
}

/// Writes a file unless it is unchanged, so that nothing is compiled again for it.
fn write(path: &Path, code: &str) -> Result<(), Diagnostic> {
    if fs::read_to_string(path).is_ok_and(|there| there == code) {
        return Ok(());
    }
    fs::write(path, code).map_err(|error| {
        Diagnostic::of_file(Source::name_of(path), format!("cannot be written: {error}"))
    })
}

#[expect(clippy::print_stdout, reason = "a build script talks to cargo on standard output")]
fn say(directive: &str) {
    println!("{directive}");
}

/// File extensions of descriptions.
const DESCRIPTIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The one description of a folder.
pub fn description(folder: &Path) -> Result<Source, Diagnostic> {
    let mut found = within(folder)?;
    match (found.pop(), found.is_empty()) {
        (Some((_, only)), true) => Ok(only),
        _ => Err(Diagnostic::of_file(
            Source::name_of(folder),
            "expected exactly one OpenAPI description here, found more than one; name one of the \
             files instead",
        )),
    }
}

/// A description, and the index of the group that it is from.
struct Described {
    group: usize,
    source: Source,
}

/// The descriptions of files and folders, each with the index of its group, by the names by which
/// they are included.
fn named<'a>(
    places: impl Iterator<Item = (usize, &'a PathBuf)>,
) -> Result<BTreeMap<String, Described>, Diagnostic> {
    let mut found = Vec::new();
    for (index, place) in places {
        found.extend(within(place)?.into_iter().map(|(path, source)| (path, source, index)));
    }
    let text = |part: Option<&OsStr>| part.map(|it| it.to_string_lossy().into_owned());
    let stem = |path: &Path| text(path.file_stem()).unwrap_or_default();
    let mut named: BTreeMap<String, Described> = BTreeMap::new();
    for (path, source, group) in &found {
        let mut name = stem(path);
        if found.iter().filter(|(other, ..)| is_same(&stem(other), &name)).count() > 1 {
            name = text(path.parent().and_then(Path::file_name)).unwrap_or(name);
        }
        let other = named.iter().find(|(other, _)| is_same(other, &name));
        if let Some((_, other)) = other {
            let message = format!(
                "this description would be called `{name}`, as {} is; rename one of the files",
                other.source.name
            );
            return Err(Diagnostic::of_file(&source.name, message));
        }
        named.insert(name, Described { group: *group, source: source.clone() });
    }
    Ok(named)
}

/// Returns true if two names are equal to a file system that ignores case.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// The descriptions in a folder, or in one file; at least one. Where a folder holds several files,
/// those without a version are parts of others.
fn within(place: &Path) -> Result<Vec<(PathBuf, Source)>, Diagnostic> {
    let fault = |message: &str| Diagnostic::of_file(Source::name_of(place), message);
    if place.is_file() {
        return Ok(vec![(place.to_owned(), Source::read(place)?)]);
    }
    if !place.exists() && place.extension().is_some() {
        return Err(fault("this file does not exist; put the OpenAPI description there"));
    }
    let mut sources = Vec::new();
    for path in Source::find(place, &DESCRIPTIONS)? {
        let source = Source::read(&path)?;
        sources.push((path, source));
    }
    if sources.len() > 1 {
        sources.retain(|(_, it)| it.text.contains("openapi") || it.text.contains("swagger"));
        let is_whole = |tree: Value| tree.get("openapi").or_else(|| tree.get("swagger")).is_some();
        sources.retain(|(_, source)| rest::read(source).map_or(true, is_whole));
    }
    if sources.is_empty() {
        return Err(fault(
            "there is no OpenAPI description in this folder; put one there, a file that ends in \
             .yaml, .yml or .json and has an `openapi` version at its top",
        ));
    }
    Ok(sources)
}

/// The code of `Api::fake()`, for a description of this name.
fn fake(name: &str, foreign_servers: &[String]) -> String {
    let file = format!("/podqueue_rest_{name}.json");
    let description = quote!(::std::include_str!(::std::concat!(::std::env!("OUT_DIR"), #file)));
    let fake = rest::fake(&format_ident!("Api"), &description, foreign_servers);
    format!("__runtime::__private::when_fake! {{ {fake} }}")
}

/// A macro that includes a description by its name, or without a name if there is only one. Each name
/// has the foreign servers of its description.
///
/// The generated code gets a module to itself, so that neither names nor lints around it matter.
/// The macro rejects unknown names, also the former name of a renamed description, whose file may
/// still exist.
fn index(foreign_servers: &BTreeMap<String, Vec<String>>, types_alone: bool) -> String {
    let names: Vec<_> = foreign_servers.keys().collect();
    let mut arms = "    (@ $file:tt { $($more:tt)* } [$($runtime:tt)*]) => {
        #[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
        #[allow(unreachable_pub, clippy::all, clippy::nursery, clippy::pedantic)]
        #[allow(clippy::restriction)]
        mod podqueue_rest {
            #[allow(unused_imports)]
            use ::std::prelude::v1::*;
            use $($runtime)* as __runtime;

            ::std::include!(::std::concat!(::std::env!(\"OUT_DIR\"), $file));

            $($more)*
        }
        #[allow(unreachable_pub, unused_imports)]
        pub use podqueue_rest::*;
    };\n"
        .to_owned();
    // The runtime without its client asks for the types alone.
    for (types, file) in [("", "rest"), ("types ", "types")] {
        if let [only] = names.as_slice() {
            arms.push_str(&format!(
                "    ({types}[$($runtime:tt)*]) => {{ podqueue_rest! {{ {types}[$($runtime)*] {only:?} }} }};\n"
            ));
        }
        for (name, servers) in foreign_servers {
            let has_fake = types.is_empty() && !types_alone;
            let fake = if has_fake { fake(name, servers) } else { String::new() };
            let file = format!("/podqueue_{file}_{name}.rs");
            arms.push_str(&format!(
                "    ({types}[$($runtime:tt)*] {name:?}) => {{ podqueue_rest! {{ @ {file:?} {{ {fake} }} [$($runtime)*] }} }};\n"
            ));
        }
    }
    arms.push_str("    (types $($unknown:tt)*) => { podqueue_rest! { $($unknown)* } };\n");
    let choices: Vec<_> = names.iter().map(|name| format!("include_rest!({name:?})")).collect();
    let choices = match choices.as_slice() {
        [only] => format!("write {only}"),
        several => format!("write one of {}", several.join(", ")),
    };
    let several = format!("there are several descriptions; {choices}");
    let unknown = format!("; {choices}");
    format!(
        "#[allow(unused_macro_rules, unused_macros)]\nmacro_rules! podqueue_rest {{\n{arms}\
         \x20   ([$($runtime:tt)*]) => {{ ::std::compile_error!({several:?}); }};\n\
         \x20   ([$($runtime:tt)*] $name:tt) => {{\n        \
         ::std::compile_error!(::std::concat!(\n            \
         \"there is no description of the name \", ::std::stringify!($name), {unknown:?}\n        \
         ));\n    }};\n}}\n"
    )
}
