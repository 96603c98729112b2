//! Diff of two outlines: a list of changes, each classified by its effect on callers, readers and
//! writers.

use crate::alignment::Type;
use crate::change::{Audience, Change, ChangeKind, Effect, Interface, OTHER_URL, Severity};
use crate::outline::{ENUM, Item, Kind, OR_NOTHING, Outline, rules};

/// All differences, by path. The parts of an item that was added or removed as a whole are not
/// listed.
pub(crate) fn diff(interface: Interface, old: &Outline, new: &Outline) -> Vec<Change> {
    let classifier = Classifier { interface, old, new };
    let mut changes = Vec::new();
    for (path, item) in &old.items {
        match new.items.get(path) {
            // An item of another kind counts as removed and added.
            Some(now) if is_inherited((old, item), (new, now)) => {}
            Some(now) if now.kind == item.kind => classifier.compare(path, item, now, &mut changes),
            _ if is_in_missing_container(item, old, new) || is_listed_at_origin(item, old, new) => {
            }
            _ => {
                let mut effects = classifier.removed(item);
                if item.kind == Kind::EnumValue && is_open(item, new) {
                    effects.retain(|it| it.audience != Audience::Writers);
                }
                changes.push(change(path, ChangeKind::Removed(classifier.type_of(item)), effects));
            }
        }
    }
    for (path, item) in &new.items {
        let is_new = old.items.get(path).is_none_or(|before| before.kind != item.kind);
        if is_new
            && !is_in_missing_container(item, new, old)
            && !is_listed_at_origin(item, new, old)
        {
            changes.push(change(
                path,
                ChangeKind::Added(classifier.type_of(item)),
                classifier.added(item),
            ));
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// Returns true if a container of an item is missing on the other side.
fn is_in_missing_container(item: &Item, here: &Outline, there: &Outline) -> bool {
    let mut part_of = item.part_of.as_ref();
    while let Some(path) = part_of {
        if !there.items.contains_key(path) {
            return true;
        }
        part_of = here.items.get(path).and_then(|item| item.part_of.as_ref());
    }
    false
}

/// Returns true if an item is inherited unchanged from the same type on both sides: its change is
/// listed at that type.
fn is_inherited((old, before): (&Outline, &Item), (new, now): (&Outline, &Item)) -> bool {
    let is_as_inherited = |outline: &Outline, item: &Item| {
        let origin = item.origin.as_ref().and_then(|path| outline.items.get(path));
        origin.is_some_and(|it| {
            (&it.of, it.required, &it.default, &it.rules)
                == (&item.of, item.required, &item.default, &item.rules)
        })
    };
    before.origin == now.origin && is_as_inherited(old, before) && is_as_inherited(new, now)
}

/// Returns true if the item from which this one is inherited is missing on the other side, too.
fn is_listed_at_origin(item: &Item, here: &Outline, there: &Outline) -> bool {
    item.origin.as_ref().is_some_and(|path| {
        let origin = here.items.get(path);
        !there.items.contains_key(path)
            && origin.is_some_and(|it| !is_in_missing_container(it, here, there))
    })
}

/// Returns true if the container of a value is no longer an enum: it accepts the value.
fn is_open(item: &Item, new: &Outline) -> bool {
    let container = item.part_of.as_ref().and_then(|path| new.items.get(path));
    container.is_some_and(|it| it.of == "string" && !it.rules.contains_key(rules::ENUM))
}

fn change(path: &str, kind: ChangeKind, mut effects: Vec<Effect>) -> Change {
    effects.sort();
    effects.dedup();
    Change { path: path.to_owned(), kind, effects }
}

/// Reason of a changed authorization.
const MAY_BE_REFUSED: &str = "calls may be refused";

struct Classifier<'o> {
    interface: Interface,
    old: &'o Outline,
    new: &'o Outline,
}

impl Classifier<'_> {
    /// The type of an item in the notation of its interface.
    fn type_of(&self, item: &Item) -> String {
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
            Kind::Argument if must_be_given => {
                vec![breaking(Audience::Callers, "it is now required")]
            }
            Kind::Field if item.is_written && must_be_given => {
                vec![breaking(Audience::Writers, "it is now required")]
            }
            Kind::Field if item.is_written => {
                vec![source_change(
                    Audience::Writers,
                    "literals need it, or `..Default::default()`",
                )]
            }
            Kind::Server => vec![breaking(Audience::Callers, OTHER_URL)],
            Kind::Security => authorization("", &item.of),
            Kind::Encoding => vec![encoding(item)],
            _ => Vec::new(),
        }
    }

    fn removed(&self, item: &Item) -> Vec<Effect> {
        let mut effects = Vec::new();
        match item.kind {
            Kind::Operation => effects.push(breaking(Audience::Callers, "the call fails")),
            Kind::Directive => {
                effects.push(breaking(Audience::Callers, "documents that use it fail"))
            }
            Kind::Server => effects.push(breaking(Audience::Callers, OTHER_URL)),
            Kind::Security => effects.extend(authorization(&item.of, "")),
            Kind::Encoding => effects.push(encoding(item)),
            // Items of this type are listed, too.
            Kind::Type if self.interface == Interface::Rest => {
                effects.push(source_change(Audience::Readers, "the generated type is removed"));
            }
            Kind::Argument => effects.push(match self.interface {
                Interface::GraphQl => breaking(Audience::Callers, "documents that pass it fail"),
                Interface::Rest => breaking(Audience::Callers, "it has no effect, or is refused"),
            }),
            Kind::Type | Kind::Field | Kind::Member | Kind::EnumValue => {
                if item.is_read {
                    effects.push(self.no_longer_read(item.kind));
                }
                if item.is_written {
                    effects.push(match self.interface {
                        Interface::GraphQl => {
                            breaking(Audience::Writers, "inputs with it are refused")
                        }
                        Interface::Rest => {
                            breaking(Audience::Writers, "it has no effect, or is refused")
                        }
                    });
                }
            }
        }
        effects
    }

    fn no_longer_read(&self, kind: Kind) -> Effect {
        match (kind, self.interface) {
            (Kind::EnumValue, _) => source_change(Audience::Readers, "its variant is removed"),
            (_, Interface::GraphQl) => breaking(Audience::Readers, "documents that select it fail"),
            (_, Interface::Rest) => breaking(Audience::Readers, "it is no longer sent"),
        }
    }

    /// The named types of the values of an item, if their name stays: a change that both have is
    /// listed there.
    fn named_types(&self, old: &Item, new: &Item) -> Option<(&Item, &Item)> {
        let (was, is) = (Type::of(&old.of).core, Type::of(&new.of).core);
        let types = self.old.items.get(&was).zip(self.new.items.get(&is));
        let is_type = |it: &Item| it.kind == Kind::Type;
        types.filter(|(before, now)| was == is && !is_type(old) && is_type(before) && is_type(now))
    }

    fn compare(&self, path: &str, old: &Item, new: &Item, changes: &mut Vec<Change>) {
        let (mut old, mut new) = (old.clone(), new.clone());
        let named = self.named_types(&old, &new);
        if named.is_some_and(|(was, is)| {
            was.default != is.default && (&was.default, &is.default) == (&old.default, &new.default)
        }) {
            (old.default, new.default) = (None, None);
        }
        let (old, new) = (&old, &new);
        let (before, now) = (self.type_of(old), self.type_of(new));
        if before != now {
            let effects = self.retyped(old, new);
            changes.push(change(path, ChangeKind::Changed(before, now), effects));
        }
        self.compare_rules(path, old, new, changes);
        match (&old.deprecated, &new.deprecated) {
            (before, Some(reason)) if before.as_ref() != Some(reason) => {
                changes.push(change(path, ChangeKind::Deprecated(reason.clone()), Vec::new()));
            }
            (Some(_), None) => {
                let kind =
                    ChangeKind::Changed("deprecated".to_owned(), "not deprecated".to_owned());
                changes.push(change(path, kind, Vec::new()));
            }
            _ => {}
        }
        match new.kind {
            _ if old.description == new.description => {}
            // The wording may be all that tells that the same call does something else.
            Kind::Operation if !old.description.is_empty() && !new.description.is_empty() => {
                let kind =
                    ChangeKind::Changed(wording(&old.description), wording(&new.description));
                let reason = "it is described differently";
                changes.push(change(path, kind, vec![behavior(Audience::Callers, reason)]));
            }
            _ => changes.push(change(path, ChangeKind::Reworded, Vec::new())),
        }
    }

    /// Compares the rules of values that are of the same type, or of one that includes the other.
    fn compare_rules(&self, path: &str, old: &Item, new: &Item, changes: &mut Vec<Change>) {
        let is_wider = widens(self.interface, &old.of, &new.of);
        if !is_wider && !widens(self.interface, &new.of, &old.of) {
            return;
        }
        let null = Type::of(&old.of).named(rules::NULL);
        let refuses_null = |it: &Item| it.rules.contains_key(rules::NULL);
        let named = self.named_types(old, new);
        let is_listed = named.is_some_and(|(was, is)| refuses_null(was) != refuses_null(is));
        for rule in rules::changed(&old.rules, &new.rules) {
            // Another type refuses it, too.
            if rule.name == null && (is_listed || !is_wider) {
                continue;
            }
            let effect = |audience| move |(severity, reason)| Effect { severity, audience, reason };
            let writers = rule.on_writers.filter(|_| old.is_written).map(effect(writer(new)));
            let readers = rule.on_readers.filter(|(severity, _)| match severity {
                // Readers of the old description no longer get the value, or get another.
                Severity::Breaking => old.is_read,
                _ => new.is_read,
            });
            let readers = readers.map(effect(Audience::Readers));
            let effects = writers.into_iter().chain(readers).collect();
            let path = format!("{path} {}", rule.name);
            changes.push(change(&path, ChangeKind::Changed(rule.before, rule.now), effects));
        }
    }

    fn retyped(&self, old: &Item, new: &Item) -> Vec<Effect> {
        let is_graphql = self.interface == Interface::GraphQl;
        match new.kind {
            // The type of an operation is its operationId.
            Kind::Operation if !is_graphql => {
                return vec![source_change(Audience::Callers, "the method is renamed")];
            }
            Kind::Directive => {
                return vec![breaking(Audience::Callers, "its locations have changed")];
            }
            Kind::Server => return vec![breaking(Audience::Callers, OTHER_URL)],
            Kind::Security => return authorization(&old.of, &new.of),
            Kind::Encoding => return vec![encoding(new)],
            _ => {}
        }
        let mut effects = Vec::new();
        if old.of != new.of {
            if old.is_written || new.is_written {
                effects.push(self.type_written(old, new));
            }
            if new.kind != Kind::Argument && (old.is_read || new.is_read) {
                effects.extend(self.type_read(old, new));
                effects.extend(emptiness(old, new));
            }
        }
        if new.is_read && is_graphql && old.required != new.required {
            effects.push(if new.required {
                source_change(Audience::Readers, "it is no longer an `Option`")
            } else {
                breaking(Audience::Readers, "it may now be null")
            });
        }
        if new.is_written {
            effects.extend(self.requirement(old, new));
            // A type of its own may give an old default another meaning.
            let has_changed = old.default.is_some() || (old.of != new.of && new.default.is_some());
            let may_be_left_out = !new.required || new.default.is_some();
            if has_changed && may_be_left_out && old.default != new.default {
                let reason = "what is left out has another meaning";
                effects.push(behavior(writer(new), reason));
            }
        }
        effects
    }

    /// The effect of a changed type on writers.
    fn type_written(&self, old: &Item, new: &Item) -> Effect {
        let audience = writer(new);
        match widens(self.interface, &old.of, &new.of) {
            true => source_change(audience, "more values are accepted"),
            false => breaking(audience, "it has a different type"),
        }
    }

    /// The effect of a changed type on readers.
    fn type_read(&self, old: &Item, new: &Item) -> Option<Effect> {
        let is_same = without_suffix(&old.of) == without_suffix(&new.of);
        match widens(self.interface, &new.of, &old.of) {
            _ if is_same && self.interface == Interface::Rest => None,
            true => Some(source_change(Audience::Readers, "fewer values are possible")),
            false => Some(breaking(Audience::Readers, "it has a different type")),
        }
    }

    /// The effect on writers of an input that becomes required or optional.
    fn requirement(&self, old: &Item, new: &Item) -> Option<Effect> {
        let audience = writer(new);
        let must = |item: &Item| item.required && item.default.is_none();
        if must(new) && !must(old) {
            Some(breaking(audience, "it is now required"))
        } else if new.required && !old.required {
            Some(breaking(audience, "it must no longer be null"))
        } else if old.required && !new.required {
            Some(source_change(audience, "it is now an `Option`"))
        } else {
            None
        }
    }
}

/// The effect of changed authorization schemes: none if every earlier scheme is still accepted, or
/// none is required. An operation without schemes of its own is not considered here.
fn authorization(before: &str, now: &str) -> Vec<Effect> {
    let is_accepted = |scheme: &str| now.split(" or ").any(|it| it == scheme);
    let is_compatible =
        now == "none" || (!before.is_empty() && before.split(" or ").all(is_accepted));
    if is_compatible { Vec::new() } else { vec![breaking(Audience::Callers, MAY_BE_REFUSED)] }
}

/// The effect of a changed encoding.
fn encoding(item: &Item) -> Effect {
    let audience = if item.is_read { Audience::Readers } else { Audience::Callers };
    breaking(audience, "it is written differently")
}

/// The audience that provides an input.
fn writer(item: &Item) -> Audience {
    if item.kind == Kind::Argument { Audience::Callers } else { Audience::Writers }
}

/// The effect on readers of a response that may become empty, or no longer.
fn emptiness(old: &Item, new: &Item) -> Option<Effect> {
    match (old.of.ends_with(OR_NOTHING), new.of.ends_with(OR_NOTHING)) {
        (false, true) => Some(breaking(Audience::Readers, "it may now be empty")),
        (true, false) => Some(source_change(Audience::Readers, "it is no longer an `Option`")),
        _ => None,
    }
}

/// The first sentence of a description, quoted.
fn wording(description: &str) -> String {
    let end = description.find(". ").map_or(description.len(), |at| at + 1);
    format!("{:?}", &description[..end])
}

/// A type without its suffix for no content.
fn without_suffix(of: &str) -> &str {
    of.strip_suffix(OR_NOTHING).unwrap_or(of)
}

/// Returns true if every value of `from` is a value of `to`.
fn widens(interface: Interface, from: &str, to: &str) -> bool {
    match interface {
        // The types may differ only in the nullability of list items.
        Interface::GraphQl => {
            let mut wide = to.chars().peekable();
            let fits = from.chars().all(|c| match wide.next_if_eq(&c) {
                Some(_) => true,
                None => c == '!',
            });
            fits && wide.next().is_none()
        }
        Interface::Rest => {
            let (from, to) = (without_suffix(from), without_suffix(to));
            let shapes: Vec<_> = to.split(" | ").collect();
            let is_accepted = |shape: &str| {
                shapes.contains(&shape.strip_prefix(ENUM).unwrap_or(shape))
                    || shapes.contains(&shape)
                    || to == "any"
                    || (shape == "integer" && shapes.contains(&"number"))
            };
            from.split(" | ").all(is_accepted)
        }
    }
}

fn breaking(audience: Audience, reason: &'static str) -> Effect {
    Effect { severity: Severity::Breaking, audience, reason }
}

fn behavior(audience: Audience, reason: &'static str) -> Effect {
    Effect { severity: Severity::Behavior, audience, reason }
}

fn source_change(audience: Audience, reason: &'static str) -> Effect {
    Effect { severity: Severity::SourceChange, audience, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_accepts_every_value_of_another_widens_it() {
        for (interface, from, to, expected) in [
            (Interface::GraphQl, "[String!]", "[String]", true),
            (Interface::GraphQl, "[String]", "[String!]", false),
            (Interface::GraphQl, "[[Int!]!]", "[[Int]!]", true),
            (Interface::GraphQl, "Int", "Float", false),
            (Interface::Rest, "integer", "number", true),
            (Interface::Rest, "number", "integer", false),
            (Interface::Rest, "string", "integer | string", true),
            (Interface::Rest, "integer | string", "string", false),
            (Interface::Rest, "enum of string", "string", true),
            (Interface::Rest, "string", "enum of string", false),
            (Interface::Rest, "[Tag]", "any", true),
        ] {
            assert_eq!(widens(interface, from, to), expected, "{from} to {to}");
        }
    }
}
