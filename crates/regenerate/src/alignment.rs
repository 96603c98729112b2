//! Alignment of two outlines: renamed types, renamed path parameters and operations whose path has
//! moved, so that what belongs together is compared.
//!
//! An inline object that becomes a named schema, and a renamed schema, do not change the wire
//! format. Where the sides name a type differently, its parts are inlined in place of the name on
//! both sides, and compared there. The name of a path parameter is not sent either, and a generated
//! call takes the parameters in the order of the path.
//!
//! An operation is the same one if its method and path are, apart from a version in front of the
//! path (`/v2/pods`); or else if its method and operationId are.

use std::collections::{BTreeSet, VecDeque};

use podqueue_codegen::__private::openapi::{Piece, pieces};

use crate::change::{Audience, Change, ChangeKind, Effect, OTHER_URL, Severity};
use crate::outline::rules::NULL;
use crate::outline::{ENUM, Item, Kind, Outline};

/// Inlines types whose names differ, and returns the renames.
pub(crate) fn align_types(old: &mut Outline, new: &mut Outline) -> Vec<Change> {
    let mut waiting: VecDeque<String> = old.items.keys().cloned().collect();
    let mut seen = BTreeSet::new();
    let mut renamed = Vec::new();
    while let Some(path) = waiting.pop_front() {
        let (Some(before), Some(now)) = (old.items.get(&path), new.items.get(&path)) else {
            continue;
        };
        let (from, to) = (Type::of(&before.of), Type::of(&now.of));
        let base = format!("{path}{}", from.suffix());
        let (was, is) = (shape(old, &base, &from.core), shape(new, &base, &to.core));
        if before.kind != now.kind
            || from.core == to.core
            || from.containers != to.containers
            || was != is
        {
            continue;
        }
        renamed.push(Change {
            path: path.clone(),
            kind: ChangeKind::Changed(before.of.clone(), now.of.clone()),
            effects: effects(now),
        });
        let is_first = seen.insert((from.core.clone(), to.core.clone()));
        for (outline, side) in [(&mut *old, &from), (&mut *new, &to)] {
            // Recursive types may refer back to each other.
            if is_first || from.core == "object" || to.core == "object" {
                waiting.extend(inline(outline, &path, &base, &side.core));
            }
            let of_type = outline.items.get(&side.core).filter(|it| it.kind == Kind::Type);
            let rules = of_type.map(|it| it.rules.clone()).into_iter().flatten();
            // Where the name is, null may be a value beside it.
            let rules: Vec<_> = rules.filter(|(name, _)| name != NULL).collect();
            if let Some(item) = outline.items.get_mut(&path) {
                item.rules.extend(rules.into_iter().map(|(name, rule)| (side.named(&name), rule)));
                item.of = side.with(was.strip_prefix(ENUM).unwrap_or(&was));
            }
        }
    }
    renamed
}

/// A parsed type such as `[Gpu]`.
pub(crate) struct Type {
    /// The lists and maps around it, from the outside in.
    containers: Vec<Container>,
    pub(crate) core: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Container {
    List,
    Map,
}

impl Type {
    pub(crate) fn of(text: &str) -> Self {
        const MAP: &str = "map of ";
        let mut core = text;
        let mut containers = Vec::new();
        loop {
            if let Some(inner) = core.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                (core, _) = (inner, containers.push(Container::List));
            } else if let Some(inner) = core.strip_prefix(MAP) {
                (core, _) = (inner, containers.push(Container::Map));
            } else {
                return Self { containers, core: core.to_owned() };
            }
        }
    }

    /// The suffix of the path from an item of this type to the parts of its core.
    fn suffix(&self) -> String {
        let suffix =
            self.containers.iter().map(|it| if *it == Container::List { "[]" } else { "{}" });
        suffix.collect()
    }

    /// The name of a rule of its core.
    pub(crate) fn named(&self, rule: &str) -> String {
        let suffix = self.suffix();
        match rule.starts_with(['[', '{', '|']) || suffix.is_empty() {
            true => format!("{suffix}{rule}"),
            false => format!("{suffix} {rule}"),
        }
    }

    /// This type with another core.
    fn with(&self, core: &str) -> String {
        let containers = self.containers.iter().rev();
        containers.fold(core.to_owned(), |inner, container| match container {
            Container::List => format!("[{inner}]"),
            Container::Map => format!("map of {inner}"),
        })
    }
}

/// The wire format of a type, named or inline at `base`.
fn shape(outline: &Outline, base: &str, core: &str) -> String {
    let mut core = core;
    for _ in 0..8 {
        match outline.items.get(core) {
            Some(item) if item.kind == Kind::Type && item.of != core => core = &item.of,
            _ => break,
        }
    }
    let within = format!("{base}.");
    let mut parts =
        outline.items.range(within.clone()..).take_while(|(it, _)| it.starts_with(&within));
    let is_enum = parts.any(|(path, item)| {
        item.kind == Kind::EnumValue && !path[within.len()..].contains(['.', '[', '{'])
    });
    if is_enum && !core.starts_with(ENUM) { format!("{ENUM}{core}") } else { core.to_owned() }
}

/// Inlines the parts of a named type in place of its name, and returns their paths.
fn inline(outline: &mut Outline, of: &str, base: &str, name: &str) -> Vec<String> {
    if outline.items.get(name).is_none_or(|it| it.kind != Kind::Type) {
        return Vec::new();
    }
    let Some(Item { is_read, is_written, .. }) = outline.items.get(of).cloned() else {
        return Vec::new();
    };
    let moved = |path: &str| format!("{base}{}", &path[name.len()..]);
    let copies: Vec<_> = outline
        .items
        .range(name.to_owned()..)
        .take_while(|(path, _)| path.starts_with(name))
        .filter(|(path, _)| outline.is_within(path, name))
        .map(|(path, item)| {
            let part_of = item.part_of.as_deref().filter(|it| *it != name).map(moved);
            let part_of = Some(part_of.unwrap_or_else(|| of.to_owned()));
            let origin = Some(path.clone());
            (moved(path), Item { part_of, origin, is_read, is_written, ..item.clone() })
        })
        .collect();
    let paths = copies.iter().map(|(path, _)| path.clone()).collect();
    for (path, item) in copies {
        outline.items.entry(path).or_insert(item);
    }
    paths
}

fn effects(item: &Item) -> Vec<Effect> {
    let renamed = |audience| Effect {
        severity: Severity::SourceChange,
        audience,
        reason: "the same values have a type of another name",
    };
    match item.kind {
        Kind::Argument => vec![renamed(Audience::Callers)],
        _ => [(item.is_read, Audience::Readers), (item.is_written, Audience::Writers)]
            .into_iter()
            .filter(|(applies, _)| *applies)
            .map(|(_, audience)| renamed(audience))
            .collect(),
    }
}

/// Renames the operations of an outline, and their path parameters, to their names in the old one,
/// and returns what has moved and which parameters are renamed.
pub(crate) fn align_operations(old: &Outline, new: &mut Outline) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut versions = BTreeSet::new();
    for (before, now) in same_operations(old, new) {
        let (was, is) = (without_version(&before), without_version(&now));
        let mut effects = Vec::new();
        if !differs_in_names_only(&was.1, &is.1) {
            effects.push(calls(Severity::Breaking, OTHER_URL));
        } else if was.0 != is.0 {
            versions.insert((was.0.to_owned(), is.0.to_owned()));
        }
        // Without an operationId, the method is named after the path.
        if new.items.get(&now).is_some_and(|it| it.of.is_empty()) {
            effects.push(calls(Severity::SourceChange, "the method is renamed"));
        }
        if !effects.is_empty() {
            let kind = ChangeKind::Changed(before.clone(), now.clone());
            changes.push(Change { path: before.clone(), kind, effects });
        }
        let (names_before, names) = (split_parameters(&before).1, split_parameters(&now).1);
        let names = names.into_iter().zip(names_before);
        for (name, before_name) in names.clone().filter(|(now, before)| now != before) {
            changes.push(Change {
                path: format!("{before} (path {before_name})"),
                kind: ChangeKind::Changed(format!("{{{before_name}}}"), format!("{{{name}}}")),
                effects: vec![calls(Severity::Behavior, "the value in its place has another name")],
            });
        }
        rename(new, &before, &now, names);
    }
    changes.extend(versions.into_iter().map(|(was, is)| Change {
        path: "paths".to_owned(),
        kind: ChangeKind::Changed(was, is),
        effects: vec![calls(Severity::Breaking, OTHER_URL)],
    }));
    changes
}

fn calls(severity: Severity, reason: &'static str) -> Effect {
    Effect { severity, audience: Audience::Callers, reason }
}

/// The operations that only the old outline has, each with the same one of the new outline.
fn same_operations(old: &Outline, new: &Outline) -> Vec<(String, String)> {
    let missing = |here: &Outline, there: &Outline| -> Vec<(String, String)> {
        let operations = here.items.iter().filter(|(path, item)| {
            item.kind == Kind::Operation && !there.items.contains_key(*path)
        });
        operations.map(|(path, item)| (path.clone(), item.of.clone())).collect()
    };
    let (mut removed, mut added) = (missing(old, new), missing(new, old));
    let mut same = Vec::new();
    let by_path = |(was, _): &(String, String), (is, _): &(String, String)| {
        differs_in_names_only(&without_version(was).1, &without_version(is).1)
    };
    let by_id = |(was, before): &(String, String), (is, now): &(String, String)| {
        !now.is_empty() && method(was) == method(is) && before.eq_ignore_ascii_case(now)
    };
    for is_same in [&by_path as &dyn Fn(&_, &_) -> bool, &by_id] {
        removed.retain(|before| {
            let Some(at) = added.iter().position(|now| is_same(before, now)) else { return true };
            same.push((before.0.clone(), added.remove(at).0));
            false
        });
    }
    same
}

/// Renames an operation and its path parameters in an outline.
fn rename<'a>(
    outline: &mut Outline,
    before: &str,
    now: &str,
    names: impl Iterator<Item = (&'a str, &'a str)>,
) {
    let names: Vec<_> = names
        .map(|(now, before)| (format!(" (path {now})"), format!(" (path {before})")))
        .collect();
    let moved = |path: &str| {
        let rest = path.strip_prefix(now).filter(|it| it.is_empty() || it.starts_with(' '))?;
        let name = names.iter().find_map(|(now, before)| {
            Some(format!("{before}{}", rest.strip_prefix(now.as_str())?))
        });
        Some(format!("{before}{}", name.as_deref().unwrap_or(rest)))
    };
    let items = std::mem::take(&mut outline.items).into_iter();
    outline.items = items
        .map(|(path, mut item)| {
            item.part_of = item.part_of.map(|it| moved(&it).unwrap_or(it));
            (moved(&path).unwrap_or(path), item)
        })
        .collect();
}

fn method(operation: &str) -> &str {
    operation.split(' ').next().unwrap_or_default()
}

/// The version in front of the path of an operation, such as `/v2`, and the operation without it.
fn without_version(operation: &str) -> (&str, String) {
    let (method, path) = operation.split_once(' ').unwrap_or(("", operation));
    let version = path.strip_prefix("/v").and_then(|it| it.split('/').next());
    let is_version = |it: &&str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let length = version.filter(is_version).map_or(0, |it| "/v".len() + it.len());
    (&path[..length], format!("{method} {}", &path[length..]))
}

/// Returns true if two paths differ only in the names of parameters, none of which has moved.
fn differs_in_names_only(old: &str, new: &str) -> bool {
    let ((old, before), (new, now)) = (split_parameters(old), split_parameters(new));
    let position = |names: &[&str], name: &str| names.iter().position(|it| *it == name);
    let is_unmoved = |(before_name, name): (&&str, &&str)| {
        let (at, was) = (position(&now, name), position(&before, before_name));
        at == was && position(&before, name).is_none_or(|it| Some(it) == at)
    };
    old == new && before.iter().zip(&now).all(is_unmoved)
}

/// A path without the names of its parameters, and the names.
fn split_parameters(path: &str) -> (String, Vec<&str>) {
    let (mut bare, mut names) = (String::new(), Vec::new());
    for piece in pieces(path) {
        match piece {
            Piece::Literal(text) => bare.push_str(text),
            Piece::Parameter(name) => {
                bare.push_str("{}");
                names.push(name);
            }
        }
    }
    (bare, names)
}
