//! Types that have another name, or none, on the other side of a comparison.
//!
//! An inline object that becomes a named schema, or a schema that is renamed, is the same on the
//! wire. So where one side names a type that the other one does not, its parts are put in the place
//! of the name on both sides, and compared there.

use std::collections::{BTreeSet, VecDeque};

use crate::changes::{Change, Effect, Severity, What, Who};
use crate::outline::{Item, Kind, OR_NULL, Outline};

/// Aligns two outlines. Returns what has only another name.
pub(crate) fn align(old: &mut Outline, new: &mut Outline) -> Vec<Change> {
    let mut waiting: VecDeque<String> = old.items.keys().cloned().collect();
    let mut seen = BTreeSet::new();
    let mut renamed = Vec::new();
    while let Some(path) = waiting.pop_front() {
        let (Some(before), Some(now)) = (old.items.get(&path), new.items.get(&path)) else {
            continue;
        };
        let (from, to) = (Type::of(&before.of), Type::of(&now.of));
        let base = format!("{path}{}", from.steps());
        let (was, is) = (shape(old, &base, &from.core), shape(new, &base, &to.core));
        if before.kind != now.kind || from.core == to.core || from.around != to.around || was != is
        {
            continue;
        }
        renamed.push(Change {
            path: path.clone(),
            what: What::Changed(before.of.clone(), now.of.clone()),
            effects: effects(now),
        });
        let is_first = seen.insert((from.core.clone(), to.core.clone()));
        for (outline, side) in [(&mut *old, &from), (&mut *new, &to)] {
            // Two names for the same thing may lead back to each other.
            if is_first || from.core == "object" || to.core == "object" {
                waiting.extend(expand(outline, &path, &base, &side.core));
            }
            if let Some(item) = outline.items.get_mut(&path) {
                item.of = side.with(was.strip_prefix(ENUM).unwrap_or(&was));
            }
        }
    }
    renamed
}

/// What a type is that has several values.
const ENUM: &str = "enum of ";

/// A type such as `[Gpu] or null`, taken apart.
struct Type {
    /// The lists and maps around it, from the outside.
    around: Vec<Around>,
    core: String,
    or_null: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Around {
    List,
    Map,
}

impl Type {
    fn of(text: &str) -> Self {
        const MAP: &str = "map of ";
        let mut core = text.strip_suffix(OR_NULL).unwrap_or(text);
        let or_null = core.len() < text.len();
        let mut around = Vec::new();
        loop {
            if let Some(inner) = core.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                (core, _) = (inner, around.push(Around::List));
            } else if let Some(inner) = core.strip_prefix(MAP) {
                (core, _) = (inner, around.push(Around::Map));
            } else {
                return Self { around, core: core.to_owned(), or_null };
            }
        }
    }

    /// The way from an item of this type to the parts of its core.
    fn steps(&self) -> String {
        let steps = self.around.iter().map(|it| if *it == Around::List { "[]" } else { "{}" });
        steps.collect()
    }

    /// The same with another core.
    fn with(&self, core: &str) -> String {
        let around = self.around.iter().rev();
        let text = around.fold(core.to_owned(), |inner, around| match around {
            Around::List => format!("[{inner}]"),
            Around::Map => format!("map of {inner}"),
        });
        if self.or_null { text + OR_NULL } else { text }
    }
}

/// What a type is on the wire, whether it has a name or stands at `base`.
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

/// Puts the parts of a named type in the place of its name. Returns where they stand.
fn expand(outline: &mut Outline, of: &str, base: &str, name: &str) -> Vec<String> {
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
    let adapts = |who| Effect {
        severity: Severity::Adapts,
        who,
        why: "the same values have a type of another name",
    };
    match item.kind {
        Kind::Argument => vec![adapts(Who::Callers)],
        _ => [(item.is_read, Who::Readers), (item.is_written, Who::Writers)]
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, who)| adapts(who))
            .collect(),
    }
}
