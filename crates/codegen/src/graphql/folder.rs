//! Query folder: all files of queries together, because they share fragments.

use std::collections::{BTreeMap, BTreeSet};

use graphql_tools::parser::Pos;
use graphql_tools::parser::query::{Definition, Selection, SelectionSet, parse_query};
use graphql_tools::static_graphql::query::{Document, FragmentDefinition};

use super::text::decoded;
use super::text::{column, split_position};
use crate::{Diagnostic, Source};

/// The files that parse, parsed as one text, so that a position determines its file.
pub(crate) struct Folder<'a> {
    pub(crate) files: Vec<File<'a>>,
    fragments: BTreeMap<String, FragmentDefinition>,
}

/// One file, whose definitions have positions in the whole text.
pub(crate) struct File<'a> {
    pub(crate) source: &'a Source,
    /// The number of lines before it.
    before: usize,
    pub(crate) lines: Vec<&'a str>,
    pub(crate) definitions: Vec<Definition<'static, String>>,
}

impl<'a> Folder<'a> {
    /// Reads the files, and returns the errors of the files that do not parse.
    pub(crate) fn read(sources: &'a [Source]) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let mut files: Vec<File<'_>> = Vec::new();
        let mut text = String::new();
        let mut before = 0;
        for source in sources {
            let lines = source.text.lines().collect();
            let file = File { source, before, lines, definitions: Vec::new() };
            if let Err((Pos { line, column }, message)) = parse(&source.text) {
                let Pos { line, column } = file.local(Pos { line: line + before, column });
                diagnostics.push(Diagnostic::new(&source.name, line, column, message));
                continue;
            }
            files.push(file);
            before += source.text.matches('\n').count() + 1;
            text.push_str(&source.text);
            text.push('\n');
        }
        let definitions = parse(&text).map_or_else(|_| Vec::new(), |it| it.definitions);
        let mut folder = Self { files, fragments: BTreeMap::new() };
        for definition in definitions {
            let position = position_of(&definition);
            let Some(at) = folder.index(position) else { continue };
            if let Definition::Fragment(fragment) = &definition {
                match folder.fragments.get(&fragment.name) {
                    Some(other) if folder.index(other.position) != Some(at) => {
                        let message = format!(
                            "the fragment `{}` is already defined, at {}; the files of a folder share their fragments",
                            fragment.name,
                            folder.place(other.position)
                        );
                        diagnostics.push(folder.diagnostic(position, &message));
                    }
                    // Duplicates within a file are reported by the validation.
                    Some(_) => {}
                    None => {
                        folder.fragments.insert(fragment.name.clone(), fragment.clone());
                    }
                }
            }
            folder.files[at].definitions.push(definition);
        }
        (folder, diagnostics)
    }

    /// The definitions of a file and of the fragments of other files that they reach, and the
    /// number of these.
    pub(crate) fn document(&self, file: &File<'_>) -> (Document, usize) {
        let own: BTreeSet<&str> = file.fragment_names().collect();
        let mut definitions = file.definitions.clone();
        let selections = file.definitions.iter().map(|definition| match definition {
            Definition::Operation(operation) => operation.selection_set(),
            Definition::Fragment(fragment) => &fragment.selection_set,
        });
        let reached = self.reached(selections.collect());
        let foreign = reached.into_iter().filter(|it| !own.contains(it.name.as_str()));
        definitions.extend(foreign.cloned().map(Definition::Fragment));
        let foreign = definitions.len() - file.definitions.len();
        (Document { definitions }, foreign)
    }

    /// The fragments that selections reach, in the order of the text.
    pub(crate) fn reached(
        &self,
        selections: Vec<&SelectionSet<'static, String>>,
    ) -> Vec<&FragmentDefinition> {
        let mut found = BTreeMap::new();
        let mut waiting = selections;
        while let Some(selection) = waiting.pop() {
            for item in &selection.items {
                match item {
                    Selection::Field(field) => waiting.push(&field.selection_set),
                    Selection::InlineFragment(inline) => waiting.push(&inline.selection_set),
                    Selection::FragmentSpread(spread) => {
                        if let Some(fragment) = self.fragments.get(&spread.fragment_name)
                            && found.insert(fragment.position, fragment).is_none()
                        {
                            waiting.push(&fragment.selection_set);
                        }
                    }
                }
            }
        }
        found.into_values().collect()
    }

    pub(crate) fn fragments(&self) -> impl Iterator<Item = &FragmentDefinition> {
        self.fragments.values()
    }

    pub(crate) fn diagnostic(&self, position: Pos, message: &str) -> Diagnostic {
        let (name, local) = match self.index(position) {
            Some(at) => (&*self.files[at].source.name, self.files[at].local(position)),
            None => ("", position),
        };
        Diagnostic::new(name, local.line, local.column, message)
    }

    fn place(&self, position: Pos) -> String {
        let at = self.diagnostic(position, "");
        format!("{}:{}:{}", at.file, at.line, at.column)
    }

    fn index(&self, position: Pos) -> Option<usize> {
        self.files.partition_point(|file| file.before < position.line).checked_sub(1)
    }
}

impl File<'_> {
    /// The position within the file, in lines and columns of an editor.
    pub(crate) fn local(&self, position: Pos) -> Pos {
        let line = position.line.saturating_sub(self.before);
        let text = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        Pos { line, column: column(text, position.column) }
    }

    fn fragment_names(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().filter_map(|definition| match definition {
            Definition::Fragment(fragment) => Some(fragment.name.as_str()),
            Definition::Operation(_) => None,
        })
    }
}

fn position_of(definition: &Definition<'static, String>) -> Pos {
    use graphql_tools::parser::query::OperationDefinition;
    match definition {
        Definition::Fragment(fragment) => fragment.position,
        Definition::Operation(OperationDefinition::SelectionSet(selection)) => selection.span.0,
        Definition::Operation(OperationDefinition::Query(it)) => it.position,
        Definition::Operation(OperationDefinition::Mutation(it)) => it.position,
        Definition::Operation(OperationDefinition::Subscription(it)) => it.position,
    }
}

pub(crate) fn parse(text: &str) -> Result<Document, (Pos, String)> {
    let is_blank = text.lines().all(|line| {
        let line = line.trim_start().trim_start_matches(['\u{feff}', ',']).trim_start();
        line.is_empty() || line.starts_with('#')
    });
    if is_blank {
        let message = "there is no operation in this file".to_owned();
        return Err((Pos { line: 1, column: 1 }, message));
    }
    parse_query::<String>(&decoded(text))
        .map(|document| document.into_static())
        .map_err(|error| split_position(&error.to_string()))
}
