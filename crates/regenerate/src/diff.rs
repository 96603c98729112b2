//! What is different between two outlines, and whom it breaks.

use crate::changes::{Change, Effect, Interface, Severity, What, Who};
use crate::outline::{Item, Kind, OR_NOTHING, OR_NULL, Outline};

/// All differences, by path. The parts of what is new or gone as a whole are not listed.
pub(crate) fn between(interface: Interface, old: &Outline, new: &Outline) -> Vec<Change> {
    let judge = Judge { interface };
    let mut changes = Vec::new();
    for (path, item) in &old.items {
        match new.items.get(path) {
            // An item of another kind is another item.
            Some(now) if is_inherited((old, item), (new, now)) => {}
            Some(now) if now.kind == item.kind => judge.compare(path, item, now, &mut changes),
            _ if is_within(item, old, new) || is_listed_at_origin(item, old, new) => {}
            _ => changes.push(change(path, What::Removed(judge.shown(item)), judge.removed(item))),
        }
    }
    for (path, item) in &new.items {
        let is_new = old.items.get(path).is_none_or(|before| before.kind != item.kind);
        if is_new && !is_within(item, new, old) && !is_listed_at_origin(item, new, old) {
            changes.push(change(path, What::Added(judge.shown(item)), judge.added(item)));
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// Whether what an item is a part of is missing on the other side.
fn is_within(item: &Item, here: &Outline, there: &Outline) -> bool {
    let mut part_of = item.part_of.as_ref();
    while let Some(path) = part_of {
        if !there.items.contains_key(path) {
            return true;
        }
        part_of = here.items.get(path).and_then(|item| item.part_of.as_ref());
    }
    false
}

/// Whether an item comes from the same type on both sides, as that type has it: what happened to it
/// is listed there.
fn is_inherited((old, before): (&Outline, &Item), (new, now): (&Outline, &Item)) -> bool {
    let as_there = |outline: &Outline, item: &Item| {
        let origin = item.origin.as_ref().and_then(|path| outline.items.get(path));
        origin.is_some_and(|it| {
            (&it.of, it.required, &it.default) == (&item.of, item.required, &item.default)
        })
    };
    before.origin == now.origin && as_there(old, before) && as_there(new, now)
}

/// Whether an item is missing on the other side as the one is that it comes from.
fn is_listed_at_origin(item: &Item, here: &Outline, there: &Outline) -> bool {
    item.origin.as_ref().is_some_and(|path| {
        let origin = here.items.get(path);
        !there.items.contains_key(path) && origin.is_some_and(|it| !is_within(it, here, there))
    })
}

fn change(path: &str, what: What, mut effects: Vec<Effect>) -> Change {
    effects.sort();
    effects.dedup();
    Change { path: path.to_owned(), what, effects }
}

/// What it means that a server is another one.
const ELSEWHERE: &str = "calls go to another URL";

/// What it means that calls are authorized in another way.
const UNAUTHORIZED: &str = "calls may be refused";

struct Judge {
    interface: Interface,
}

impl Judge {
    /// An item's type as it is written in its interface.
    fn shown(&self, item: &Item) -> String {
        let required = match self.interface {
            _ if !item.required || item.of.is_empty() => "",
            Interface::GraphQl => "!",
            Interface::Rest => ", required",
        };
        let default = item.default.as_ref();
        let default = default.map_or_else(String::new, |value| format!(" = {value}"));
        format!("{}{required}{default}", item.of)
    }

    fn added(&self, item: &Item) -> Vec<Effect> {
        let must_be_given = item.required && item.default.is_none();
        match item.kind {
            Kind::Argument if must_be_given => vec![breaks(Who::Callers, "it is now required")],
            Kind::Field if item.is_written && must_be_given => {
                vec![breaks(Who::Writers, "it is now required")]
            }
            Kind::Field if item.is_written => {
                vec![adapts(Who::Writers, "literals need it, or `..Default::default()`")]
            }
            Kind::Server => vec![breaks(Who::Callers, ELSEWHERE)],
            Kind::Security => refused("", &item.of),
            Kind::Encoding => vec![otherwise(item)],
            _ => Vec::new(),
        }
    }

    fn removed(&self, item: &Item) -> Vec<Effect> {
        let mut effects = Vec::new();
        match item.kind {
            Kind::Operation => effects.push(breaks(Who::Callers, "the call fails")),
            Kind::Directive => effects.push(breaks(Who::Callers, "documents that use it fail")),
            Kind::Server => effects.push(breaks(Who::Callers, ELSEWHERE)),
            Kind::Security => effects.extend(refused(&item.of, "")),
            Kind::Encoding => effects.push(otherwise(item)),
            // What has its type is listed, too.
            Kind::Type if self.interface == Interface::Rest => {
                effects.push(adapts(Who::Readers, "the generated type is removed"));
            }
            Kind::Argument => effects.push(match self.interface {
                Interface::GraphQl => breaks(Who::Callers, "documents that pass it fail"),
                Interface::Rest => breaks(Who::Callers, "it has no effect, or is refused"),
            }),
            Kind::Type | Kind::Field | Kind::Member | Kind::EnumValue => {
                if item.is_read {
                    effects.push(self.unread(item.kind));
                }
                if item.is_written {
                    effects.push(match self.interface {
                        Interface::GraphQl => breaks(Who::Writers, "inputs with it are refused"),
                        Interface::Rest => breaks(Who::Writers, "it has no effect, or is refused"),
                    });
                }
            }
        }
        effects
    }

    fn unread(&self, kind: Kind) -> Effect {
        match (kind, self.interface) {
            (Kind::EnumValue, _) => adapts(Who::Readers, "its variant is removed"),
            (_, Interface::GraphQl) => breaks(Who::Readers, "documents that select it fail"),
            (_, Interface::Rest) => breaks(Who::Readers, "it is no longer sent"),
        }
    }

    fn compare(&self, path: &str, old: &Item, new: &Item, changes: &mut Vec<Change>) {
        let (before, now) = (self.shown(old), self.shown(new));
        if before != now {
            let effects = self.retyped(old, new);
            changes.push(change(path, What::Changed(before, now), effects));
        }
        match (&old.deprecated, &new.deprecated) {
            (before, Some(reason)) if before.as_ref() != Some(reason) => {
                changes.push(change(path, What::Deprecated(reason.clone()), Vec::new()));
            }
            (Some(_), None) => {
                let what = What::Changed("deprecated".to_owned(), "not deprecated".to_owned());
                changes.push(change(path, what, Vec::new()));
            }
            _ => {}
        }
        if old.description != new.description {
            changes.push(change(path, What::Described, Vec::new()));
        }
    }

    fn retyped(&self, old: &Item, new: &Item) -> Vec<Effect> {
        let is_graphql = self.interface == Interface::GraphQl;
        match new.kind {
            // What stands there is the name of the operation.
            Kind::Operation if !is_graphql => {
                return vec![adapts(Who::Callers, "the method is renamed")];
            }
            Kind::Directive => return vec![breaks(Who::Callers, "its locations have changed")],
            Kind::Server => return vec![breaks(Who::Callers, ELSEWHERE)],
            Kind::Security => return refused(&old.of, &new.of),
            Kind::Encoding => return vec![otherwise(new)],
            _ => {}
        }
        let mut effects = Vec::new();
        if old.of != new.of {
            if old.is_written || new.is_written {
                effects.extend(self.written(old, new));
            }
            if new.kind != Kind::Argument && (old.is_read || new.is_read) {
                effects.extend(self.read(old, new));
                effects.extend(emptied(old, new));
            }
        }
        if new.is_read && is_graphql && old.required != new.required {
            effects.push(if new.required {
                adapts(Who::Readers, "it is no longer an `Option`")
            } else {
                breaks(Who::Readers, "it may now be null")
            });
        }
        if new.is_written {
            effects.extend(self.demanded(old, new));
        }
        effects
    }

    /// What it means for those who write an input that it is of another type.
    fn written(&self, old: &Item, new: &Item) -> Option<Effect> {
        let who = writer(new);
        let is_same = plain(&old.of) == plain(&new.of);
        match widens(self.interface, &old.of, &new.of) {
            // Whether it may be null is known only of what must be given.
            true if is_same && old.required != new.required => None,
            true => Some(adapts(who, "more values are accepted")),
            false => Some(breaks(who, "it has a different type")),
        }
    }

    /// What it means for those who read an answer that it is of another type.
    fn read(&self, old: &Item, new: &Item) -> Option<Effect> {
        let is_same = plain(&old.of) == plain(&new.of);
        match widens(self.interface, &new.of, &old.of) {
            // What is read may be null anyway.
            _ if is_same && self.interface == Interface::Rest => None,
            true => Some(adapts(Who::Readers, "fewer values are possible")),
            false => Some(breaks(Who::Readers, "it has a different type")),
        }
    }

    /// What it means for those who write it that an input is, or is no longer, required.
    fn demanded(&self, old: &Item, new: &Item) -> Option<Effect> {
        let who = writer(new);
        let must = |item: &Item| item.required && item.default.is_none();
        if must(new) && !must(old) {
            Some(breaks(who, "it is now required"))
        } else if new.required && !old.required {
            Some(breaks(who, "it must no longer be null"))
        } else if old.required && !new.required {
            Some(adapts(who, "it is now an `Option`"))
        } else {
            None
        }
    }
}

/// What it means that these ways to authorize calls take the place of others: nothing for callers if
/// each of those is still one, or none is needed. What an operation does not say is not known here.
fn refused(before: &str, now: &str) -> Vec<Effect> {
    let still = |way: &str| now.split(" or ").any(|it| it == way);
    let is_fine = now == "none" || (!before.is_empty() && before.split(" or ").all(still));
    if is_fine { Vec::new() } else { vec![breaks(Who::Callers, UNAUTHORIZED)] }
}

/// What it means that an encoding is another one.
fn otherwise(item: &Item) -> Effect {
    let who = if item.is_read { Who::Readers } else { Who::Callers };
    breaks(who, "it is written differently")
}

/// Who gives an input.
fn writer(item: &Item) -> Who {
    if item.kind == Kind::Argument { Who::Callers } else { Who::Writers }
}

/// What it means for those who read an answer that it may be empty, or no longer.
fn emptied(old: &Item, new: &Item) -> Option<Effect> {
    match (old.of.ends_with(OR_NOTHING), new.of.ends_with(OR_NOTHING)) {
        (false, true) => Some(breaks(Who::Readers, "it may now be empty")),
        (true, false) => Some(adapts(Who::Readers, "it is no longer an `Option`")),
        _ => None,
    }
}

/// A type without the words that it may be null, or nothing at all.
fn plain(of: &str) -> &str {
    let of = of.strip_suffix(OR_NOTHING).unwrap_or(of);
    of.strip_suffix(OR_NULL).unwrap_or(of)
}

/// Whether every value of the one type is one of the other.
fn widens(interface: Interface, from: &str, to: &str) -> bool {
    match interface {
        // They differ at most in what may be null within a list.
        Interface::GraphQl => {
            let mut wide = to.chars().peekable();
            let fits = from.chars().all(|c| match wide.next_if_eq(&c) {
                Some(_) => true,
                None => c == '!',
            });
            fits && wide.next().is_none()
        }
        Interface::Rest => {
            let (from, may_be_null) = (plain(from), from.ends_with(OR_NULL));
            let (to, takes_null) = (plain(to), to.ends_with(OR_NULL) || to == "any");
            let shapes: Vec<_> = to.split(" | ").collect();
            let taken = |shape: &str| {
                shapes.contains(&shape)
                    || to == "any"
                    || (shape == "integer" && shapes.contains(&"number"))
            };
            (takes_null || !may_be_null) && from.split(" | ").all(taken)
        }
    }
}

fn breaks(who: Who, why: &'static str) -> Effect {
    Effect { severity: Severity::Breaks, who, why }
}

fn adapts(who: Who, why: &'static str) -> Effect {
    Effect { severity: Severity::Adapts, who, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_wider_where_it_takes_all_that_the_other_does() {
        for (interface, from, to, expected) in [
            (Interface::GraphQl, "[String!]", "[String]", true),
            (Interface::GraphQl, "[String]", "[String!]", false),
            (Interface::GraphQl, "[[Int!]!]", "[[Int]!]", true),
            (Interface::GraphQl, "Int", "Float", false),
            (Interface::Rest, "integer", "number", true),
            (Interface::Rest, "number", "integer", false),
            (Interface::Rest, "string", "integer | string", true),
            (Interface::Rest, "integer | string", "string", false),
            (Interface::Rest, "[Tag]", "any", true),
            (Interface::Rest, "string", "string or null", true),
            (Interface::Rest, "string or null", "string", false),
            (Interface::Rest, "string or null", "any", true),
        ] {
            assert_eq!(widens(interface, from, to), expected, "{from} to {to}");
        }
    }
}
