//! Selections as the type generator understands them. It makes two fields of one that is selected
//! twice, nothing of `... on` within an object, and refuses an interface within another type. And
//! serde gives what both a struct and a flattened part of it ask for to one of them only.
//!
//! What is sent stays as it was written.

use std::collections::BTreeSet;

use graphql_tools::parser::query::{Directive, Selection, SelectionSet, TypeCondition};
use graphql_tools::parser::schema::TypeDefinition;
use graphql_tools::static_graphql::query::{FragmentDefinition, InlineFragment};

use super::schema::Schema;

type Item = Selection<'static, String>;
type Directives = [Directive<'static, String>];

/// A selection on a type, made plain.
pub(crate) fn plain(
    schema: &Schema,
    fragments: &[FragmentDefinition],
    selection: &SelectionSet<'static, String>,
    of: &str,
) -> SelectionSet<'static, String> {
    plain_at(schema, fragments, selection, of, false)
}

/// The same, of a field or of a variant of one.
fn plain_at(
    schema: &Schema,
    fragments: &[FragmentDefinition],
    selection: &SelectionSet<'static, String>,
    of: &str,
    is_variant: bool,
) -> SelectionSet<'static, String> {
    let mut maker = Maker { schema, fragments, of, is_variant, items: Vec::new() };
    maker.add(&selection.items, &[]);
    maker.dissolve();
    let mut items = maker.items;
    for item in &mut items {
        match item {
            Selection::Field(field) => {
                if let Some(definition) = schema.field(of, &field.name) {
                    let of = definition.field_type.inner_type();
                    field.selection_set = plain(schema, fragments, &field.selection_set, of);
                }
            }
            Selection::InlineFragment(inline) => {
                if let Some(TypeCondition::On(of)) = &inline.type_condition {
                    inline.selection_set =
                        plain_at(schema, fragments, &inline.selection_set, of, true);
                }
            }
            Selection::FragmentSpread(_) => {}
        }
    }
    SelectionSet { span: selection.span, items }
}

struct Maker<'a> {
    schema: &'a Schema,
    fragments: &'a [FragmentDefinition],
    /// The type that is selected from.
    of: &'a str,
    /// Whether it is one of the types of an interface or a union, told by `__typename`, which is
    /// read once.
    is_variant: bool,
    items: Vec<Item>,
}

impl Maker<'_> {
    /// Adds items, on which directives of what held them fall.
    fn add(&mut self, items: &[Item], directives: &Directives) {
        for item in items {
            match item {
                Selection::Field(field) => {
                    let mut field = field.clone();
                    field.directives.extend_from_slice(directives);
                    let key = |it: &str, alias: &Option<String>| {
                        alias.clone().unwrap_or_else(|| it.to_owned())
                    };
                    let name = key(&field.name, &field.alias);
                    let before = self.items.iter_mut().find_map(|item| match item {
                        Selection::Field(it) if key(&it.name, &it.alias) == name => Some(it),
                        _ => None,
                    });
                    match before {
                        Some(before) => {
                            // It is there when either of them is.
                            if field.directives.is_empty() {
                                before.directives.clear();
                            }
                            before.selection_set.items.extend(field.selection_set.items);
                        }
                        None => self.items.push(Selection::Field(field)),
                    }
                }
                Selection::InlineFragment(inline) => {
                    let mut all = inline.directives.clone();
                    all.extend_from_slice(directives);
                    let on = match &inline.type_condition {
                        Some(TypeCondition::On(on)) => on,
                        None => self.of,
                    };
                    if on == self.of || self.is_always(on) {
                        self.add(&inline.selection_set.items, &all);
                    } else if self.is_abstract(self.of) {
                        self.on_each(on, inline, &all);
                    }
                }
                Selection::FragmentSpread(spread) => {
                    let mut spread = spread.clone();
                    spread.directives.extend_from_slice(directives);
                    let fragment = self.fragments.iter().find(|it| it.name == spread.fragment_name);
                    match fragment {
                        Some(FragmentDefinition {
                            type_condition: TypeCondition::On(on),
                            selection_set,
                            position,
                            ..
                        }) if on != self.of
                            && self.is_abstract(self.of)
                            && self.is_abstract(on) =>
                        {
                            let inline = InlineFragment {
                                position: *position,
                                type_condition: None,
                                directives: Vec::new(),
                                selection_set: selection_set.clone(),
                            };
                            self.on_each(on, &inline, &spread.directives);
                        }
                        _ => {
                            let is_there = self.items.iter().any(|item| {
                                matches!(item, Selection::FragmentSpread(it)
                                    if it.fragment_name == spread.fragment_name
                                        && it.directives.is_empty())
                            });
                            if !is_there {
                                self.items.push(Selection::FragmentSpread(spread));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds what is selected on a type to each object type that is of it, one fragment for each.
    fn on_each(&mut self, on: &str, inline: &InlineFragment, directives: &Directives) {
        let here = self.possible(self.of);
        for object in self.possible(on).into_iter().filter(|it| here.contains(it)) {
            let mut items = inline.selection_set.items.clone();
            for item in &mut items {
                let own = match item {
                    Selection::Field(it) => &mut it.directives,
                    Selection::InlineFragment(it) => &mut it.directives,
                    Selection::FragmentSpread(it) => &mut it.directives,
                };
                own.extend_from_slice(directives);
            }
            let before = self.items.iter_mut().find_map(|item| match item {
                Selection::InlineFragment(it)
                    if it.type_condition == Some(TypeCondition::On(object.clone())) =>
                {
                    Some(it)
                }
                _ => None,
            });
            match before {
                Some(before) => before.selection_set.items.extend(items),
                None => {
                    let selection_set = SelectionSet { span: inline.selection_set.span, items };
                    self.items.push(Selection::InlineFragment(InlineFragment {
                        position: inline.position,
                        type_condition: Some(TypeCondition::On(object)),
                        directives: Vec::new(),
                        selection_set,
                    }));
                }
            }
        }
    }

    /// Writes out the fragments that select something which is selected beside them too.
    fn dissolve(&mut self) {
        let mut at = 0;
        while at < self.items.len() {
            let overlaps = match &self.items[at] {
                Selection::FragmentSpread(spread) => {
                    let keys = self.keys(&self.items[at]);
                    let others = self.items.iter().enumerate().filter(|(other, _)| *other != at);
                    let overlap = |(_, other): (usize, &Item)| !self.keys(other).is_disjoint(&keys);
                    // A fragment on an interface counts only where it is all there is.
                    let is_lost =
                        others.clone().count() > 0 && self.is_wider(&spread.fragment_name);
                    let is_told = self.is_variant && self.asks_for_type(&self.items[at]);
                    (is_lost || is_told || others.clone().any(overlap)).then(|| spread.clone())
                }
                _ => None,
            };
            let fragments = self.fragments;
            let fragment = overlaps
                .as_ref()
                .and_then(|spread| fragments.iter().find(|it| it.name == spread.fragment_name));
            let (Some(spread), Some(fragment)) = (overlaps, fragment) else {
                at += 1;
                continue;
            };
            self.items.remove(at);
            let inline = Selection::InlineFragment(InlineFragment {
                position: fragment.position,
                type_condition: Some(fragment.type_condition.clone()),
                directives: spread.directives,
                selection_set: fragment.selection_set.clone(),
            });
            self.add(&[inline], &[]);
            at = 0;
        }
    }

    /// What an item adds to the answer. Fragments do not hold themselves: that is a mistake, and
    /// told before.
    fn keys(&self, item: &Item) -> BTreeSet<String> {
        let all = |selection: &SelectionSet<'static, String>| {
            selection.items.iter().flat_map(|item| self.keys(item)).collect()
        };
        match item {
            Selection::Field(field) if field.name == "__typename" => BTreeSet::new(),
            Selection::Field(field) => {
                [field.alias.clone().unwrap_or_else(|| field.name.clone())].into()
            }
            Selection::InlineFragment(inline) => all(&inline.selection_set),
            Selection::FragmentSpread(spread) => self
                .fragments
                .iter()
                .find(|it| it.name == spread.fragment_name)
                .map_or_else(BTreeSet::new, |fragment| all(&fragment.selection_set)),
        }
    }

    /// Whether fragments of an item may be on several types, and select more from some of them.
    fn asks_for_type(&self, item: &Item) -> bool {
        let Selection::FragmentSpread(spread) = item else { return false };
        let fragment = self.fragments.iter().find(|it| it.name == spread.fragment_name);
        fragment.is_some_and(|fragment| {
            let TypeCondition::On(on) = &fragment.type_condition;
            let is_field = |it: &Item| matches!(it, Selection::Field(_));
            let mut items = fragment.selection_set.items.iter();
            items.any(|it| self.asks_for_type(it) || (self.is_abstract(on) && !is_field(it)))
        })
    }

    /// Whether a fragment is on an interface or a union, and what is selected from is an object.
    fn is_wider(&self, fragment: &str) -> bool {
        let fragment = self.fragments.iter().find(|it| it.name == fragment);
        fragment.is_some_and(|fragment| {
            let TypeCondition::On(on) = &fragment.type_condition;
            on != self.of && !self.is_abstract(self.of)
        })
    }

    /// Whether what is selected from is an object of a type.
    fn is_always(&self, name: &str) -> bool {
        !self.is_abstract(self.of) && self.possible(name).iter().any(|it| it == self.of)
    }

    fn is_abstract(&self, name: &str) -> bool {
        matches!(
            self.schema.find(name),
            Some(TypeDefinition::Interface(_) | TypeDefinition::Union(_))
        )
    }

    /// The object types that a value of a type may be of.
    fn possible(&self, name: &str) -> Vec<String> {
        match self.schema.find(name) {
            Some(TypeDefinition::Union(union)) => union.types.clone(),
            Some(TypeDefinition::Interface(_)) => self
                .schema
                .types()
                .filter_map(|definition| match definition {
                    TypeDefinition::Object(it)
                        if it.implements_interfaces.iter().any(|it| it == name) =>
                    {
                        Some(it.name.clone())
                    }
                    _ => None,
                })
                .collect(),
            _ => vec![name.to_owned()],
        }
    }
}
