//! Flattening of selections: each field is selected once, fragments on the same type are merged,
//! and `__typename` is added where a union needs it. graphql_client would generate two fields for
//! one that is selected twice, and rejects an interface within another type; and serde passes a
//! field that a struct shares with a flattened part to only one of them.
//!
//! The document that is sent is not changed.

use std::collections::{BTreeMap, BTreeSet};

use graphql_tools::parser::query::{
    Directive, OperationDefinition, Selection, SelectionSet, TypeCondition,
};
use graphql_tools::parser::schema::TypeDefinition;
use graphql_tools::static_graphql::query::{
    Field, FragmentDefinition, FragmentSpread, InlineFragment,
};

use super::operation::{Flattened, Operation};
use super::schema::Schema;

type Item = Selection<'static, String>;
type Directives = [Directive<'static, String>];

/// A selection on a type in which each field is selected once.
pub(crate) fn flatten(
    schema: &Schema,
    fragments: &[FragmentDefinition],
    selection: &SelectionSet<'static, String>,
    of: &str,
) -> SelectionSet<'static, String> {
    Flattener { schema, fragments, of, outer: None, items: Vec::new() }.flatten(selection)
}

struct Flattener<'a> {
    schema: &'a Schema,
    fragments: &'a [FragmentDefinition],
    /// The type on which fields are selected.
    of: &'a str,
    /// For a variant, which is one of the types of an interface or a union: the fields that are
    /// read beside it. `__typename` is read beside every variant.
    outer: Option<BTreeSet<String>>,
    items: Vec<Item>,
}

impl<'a> Flattener<'a> {
    fn flatten(
        mut self,
        selection: &SelectionSet<'static, String>,
    ) -> SelectionSet<'static, String> {
        self.add(&selection.items, &[]);
        self.dissolve();
        self.share();
        let Self { schema, fragments, of, items, .. } = self;
        let fields = items.iter().filter_map(|item| match item {
            Selection::Field(field) => Some(key(field).to_owned()),
            _ => None,
        });
        let outer: BTreeSet<_> = fields.collect();
        let mut items = items;
        for item in &mut items {
            match item {
                Selection::Field(field) => {
                    if let Some(definition) = schema.field(of, &field.name) {
                        let of = definition.field_type.inner_type();
                        field.selection_set = flatten(schema, fragments, &field.selection_set, of);
                    }
                }
                Selection::InlineFragment(inline) => {
                    if let Some(TypeCondition::On(of)) = &inline.type_condition {
                        let outer = Some(outer.clone());
                        let flattener =
                            Flattener { schema, fragments, of, outer, items: Vec::new() };
                        inline.selection_set = flattener.flatten(&inline.selection_set);
                    }
                }
                Selection::FragmentSpread(_) => {}
            }
        }
        // A variant may have no fields besides those that are read beside it.
        items.retain(|item| match item {
            Selection::InlineFragment(inline) => !inline.selection_set.items.is_empty(),
            _ => true,
        });
        SelectionSet { span: selection.span, items }
    }

    /// Removes the fields of a variant that are read beside it.
    fn leave_outer(&mut self) {
        if let Some(outer) = &self.outer {
            self.items.retain(|item| match item {
                Selection::Field(field) => !outer.contains(key(field)) && !is_type(field),
                _ => true,
            });
        }
    }

    /// Moves objects into the variants if one of these selects more of their fields.
    fn share(&mut self) {
        let variants = self.items.iter().filter(|it| matches!(it, Selection::InlineFragment(_)));
        let of_variants: BTreeSet<_> = variants.flat_map(|it| self.keys(it)).collect();
        let (shared, items) =
            std::mem::take(&mut self.items).into_iter().partition(|item| match item {
                Selection::Field(field) => {
                    of_variants.contains(key(field)) && !field.selection_set.items.is_empty()
                }
                _ => false,
            });
        self.items = items;
        let shared: Vec<Item> = shared;
        if let Some(Selection::Field(first)) = shared.first() {
            let (position, span) = (first.position, first.selection_set.span);
            let selection_set = SelectionSet { span, items: shared };
            let inline = InlineFragment {
                position,
                type_condition: None,
                directives: Vec::new(),
                selection_set,
            };
            self.on_each(self.of, &inline, &[]);
        }
    }

    /// Adds items, to which the directives of their container apply.
    fn add(&mut self, items: &[Item], directives: &Directives) {
        for item in items {
            match item {
                Selection::Field(field) => {
                    let mut field = field.clone();
                    field.directives.extend_from_slice(directives);
                    let before = self.items.iter_mut().find_map(|item| match item {
                        Selection::Field(it) if key(it) == key(&field) => Some(it),
                        _ => None,
                    });
                    match before {
                        Some(before) => {
                            // It is present if either of them is, with the fields that this one
                            // selects.
                            if field.directives != before.directives {
                                for it in [&mut *before, &mut field] {
                                    direct(&mut it.selection_set.items, &it.directives);
                                }
                            }
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
                    let Some(on) = self.fragment(&spread.fragment_name).map(type_of) else {
                        continue;
                    };
                    let is_there = self.items.iter().any(|item| {
                        matches!(item, Selection::FragmentSpread(it)
                            if it.fragment_name == spread.fragment_name && it.directives.is_empty())
                    });
                    if on != self.of && self.is_abstract(self.of) {
                        let inline = InlineFragment {
                            position: spread.position,
                            type_condition: None,
                            selection_set: SelectionSet {
                                span: (spread.position, spread.position),
                                items: vec![Selection::FragmentSpread(spread)],
                            },
                            directives: Vec::new(),
                        };
                        self.on_each(on, &inline, &[]);
                    } else if !is_there {
                        self.items.push(Selection::FragmentSpread(spread));
                    }
                }
            }
        }
    }

    /// Adds the selection on a type to each of its object types, as a fragment for each.
    fn on_each(&mut self, on: &str, inline: &InlineFragment, directives: &Directives) {
        let here = self.possible(self.of);
        for object in self.possible(on).into_iter().filter(|it| here.contains(it)) {
            let mut items = inline.selection_set.items.clone();
            direct(&mut items, directives);
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

    /// Inlines the fragments that cannot become structs of their own.
    fn dissolve(&mut self) {
        self.leave_outer();
        let mut at = 0;
        while at < self.items.len() {
            let (Selection::FragmentSpread(spread), false) = (&self.items[at], self.is_part(at))
            else {
                at += 1;
                continue;
            };
            let Some(fragment) = self.fragment(&spread.fragment_name) else {
                at += 1;
                continue;
            };
            let inline = Selection::InlineFragment(InlineFragment {
                position: fragment.position,
                type_condition: Some(fragment.type_condition.clone()),
                directives: spread.directives.clone(),
                selection_set: fragment.selection_set.clone(),
            });
            self.items.remove(at);
            self.add(&[inline], &[]);
            self.leave_outer();
            at = 0;
        }
    }

    /// Returns true if the fragment of a spread can become a struct of its own: it is the whole
    /// selection, unconditionally, or consists of fields that are selected nowhere else.
    fn is_part(&self, at: usize) -> bool {
        let Selection::FragmentSpread(spread) = &self.items[at] else { return false };
        let is_same = self.fragment(&spread.fragment_name).is_some_and(|it| type_of(it) == self.of);
        let is_alone = self.items.len() == 1;
        if !is_same || (is_alone && !spread.directives.is_empty()) {
            return false;
        }
        let keys = self.keys(&self.items[at]);
        let mut others = self.items.iter().enumerate().filter(|(other, _)| *other != at);
        (is_alone && self.outer.is_none())
            || (!self.is_abstract(self.of)
                && self.has_only_fields(&spread.fragment_name)
                && self.outer.iter().all(|outer| outer.is_disjoint(&keys))
                && others.all(|(_, other)| self.keys(other).is_disjoint(&keys)))
    }

    /// Returns true if a fragment on an object selects fields only.
    fn has_only_fields(&self, fragment: &str) -> bool {
        let Some(fragment) = self.fragment(fragment) else { return false };
        fragment.selection_set.items.iter().all(|item| match item {
            Selection::Field(field) => !is_type(field),
            Selection::FragmentSpread(spread) => {
                let inner = self.fragment(&spread.fragment_name).map(type_of);
                inner == Some(type_of(fragment)) && self.has_only_fields(&spread.fragment_name)
            }
            Selection::InlineFragment(_) => false,
        })
    }

    fn fragment(&self, name: &str) -> Option<&'a FragmentDefinition> {
        self.fragments.iter().find(|it| it.name == name)
    }

    /// The fields that an item adds to the response. Fragments are not recursive: the validation
    /// refuses that.
    fn keys(&self, item: &Item) -> BTreeSet<String> {
        let all = |selection: &SelectionSet<'static, String>| {
            selection.items.iter().flat_map(|item| self.keys(item)).collect()
        };
        match item {
            Selection::Field(field) if is_type(field) => BTreeSet::new(),
            Selection::Field(field) => [key(field).to_owned()].into(),
            Selection::InlineFragment(inline) => all(&inline.selection_set),
            Selection::FragmentSpread(spread) => self
                .fragment(&spread.fragment_name)
                .map_or_else(BTreeSet::new, |fragment| all(&fragment.selection_set)),
        }
    }

    /// Returns true if the selected value may be an object of a type.
    fn is_always(&self, name: &str) -> bool {
        !self.is_abstract(self.of) && self.possible(name).iter().any(|it| it == self.of)
    }

    fn is_abstract(&self, name: &str) -> bool {
        matches!(
            self.schema.find(name),
            Some(TypeDefinition::Interface(_) | TypeDefinition::Union(_))
        )
    }

    /// The object types of a type's values.
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

/// The type condition of a fragment.
fn type_of(fragment: &FragmentDefinition) -> &str {
    let TypeCondition::On(of) = &fragment.type_condition;
    of
}

/// Adds directives to each item.
fn direct(items: &mut [Item], directives: &Directives) {
    for item in items {
        let own = match item {
            Selection::Field(it) => &mut it.directives,
            Selection::InlineFragment(it) => &mut it.directives,
            Selection::FragmentSpread(it) => &mut it.directives,
        };
        own.extend_from_slice(directives);
    }
}

/// The name of a field in the response.
fn key(field: &Field) -> &str {
    field.alias.as_ref().unwrap_or(&field.name)
}

/// Returns true if a field is `__typename`, which tells variants apart and is not a field of a
/// struct.
fn is_type(field: &Field) -> bool {
    field.name == "__typename"
}

/// Selects `__typename` where a value may have several types, and adds the type condition to `...
/// {`.
pub(crate) fn complete(schema: &Schema, operation: &mut Operation) {
    let root = operation.root_type(schema);
    let conditions = operation.fragments.iter().map(|fragment| {
        let TypeCondition::On(of) = &fragment.type_condition;
        (fragment.name.clone(), of.clone())
    });
    let walk = Walk { schema, fragments: conditions.collect() };
    let selection = match &mut operation.definition {
        OperationDefinition::SelectionSet(selection) => selection,
        OperationDefinition::Query(it) => &mut it.selection_set,
        OperationDefinition::Mutation(it) => &mut it.selection_set,
        OperationDefinition::Subscription(it) => &mut it.selection_set,
    };
    walk.selection(selection, &root);
    for fragment in &mut operation.fragments {
        let TypeCondition::On(of) = &fragment.type_condition;
        walk.named(&mut fragment.selection_set, &of.clone());
    }
}

struct Walk<'a> {
    schema: &'a Schema,
    /// The type conditions of fragments.
    fragments: BTreeMap<String, String>,
}

impl Walk<'_> {
    /// The selection of a field or a fragment.
    fn named(&self, selection: &mut SelectionSet<'static, String>, of: &str) {
        let is_abstract = matches!(
            self.schema.find(of),
            Some(TypeDefinition::Interface(_) | TypeDefinition::Union(_))
        );
        let tells_type = selection.items.iter().any(|item| match item {
            Selection::Field(field) => field.name == "__typename" && field.alias.is_none(),
            Selection::FragmentSpread(spread) => {
                self.fragments.get(&spread.fragment_name).is_some_and(|on| on == of)
            }
            Selection::InlineFragment(_) => false,
        });
        if is_abstract && !tells_type {
            let position = selection.span.0;
            let typename = Field {
                position,
                alias: None,
                name: "__typename".to_owned(),
                arguments: Vec::new(),
                directives: Vec::new(),
                selection_set: SelectionSet { span: selection.span, items: Vec::new() },
            };
            selection.items.insert(0, Selection::Field(typename));
        }
        self.selection(selection, of);
    }

    fn selection(&self, selection: &mut SelectionSet<'static, String>, of: &str) {
        for item in &mut selection.items {
            match item {
                Selection::Field(field) => {
                    if let Some(definition) = self.schema.field(of, &field.name) {
                        let of = definition.field_type.inner_type();
                        self.named(&mut field.selection_set, of);
                    }
                }
                Selection::InlineFragment(inline) => {
                    let condition =
                        inline.type_condition.get_or_insert(TypeCondition::On(of.to_owned()));
                    let TypeCondition::On(of) = condition;
                    self.selection(&mut inline.selection_set, &of.clone());
                }
                Selection::FragmentSpread(_) => {}
            }
        }
    }
}

/// Completes the selection of an operation, and flattens it for its types.
pub(crate) fn prepare(schema: &Schema, operation: &mut Operation) {
    complete(schema, operation);
    let root = operation.root_type(schema);
    let all = &operation.fragments;
    let mut fragments = all.clone();
    for fragment in &mut fragments {
        let TypeCondition::On(of) = &fragment.type_condition;
        fragment.selection_set = flatten(schema, all, &fragment.selection_set, of);
    }
    let selection = flatten(schema, all, operation.selection(), &root);
    operation.plain = Flattened { selection, fragments };
}

pub(crate) type Selected = SelectionSet<'static, String>;

/// The fields of a selection, those of fragments included.
pub(crate) fn fields<'a>(operation: &'a Operation, selections: &[&'a Selected]) -> Vec<&'a Field> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Selected> = selections.to_vec();
    let mut seen = BTreeSet::new();
    while let Some(selection) = waiting.pop() {
        for item in &selection.items {
            match item {
                Selection::Field(field) => found.push(field),
                Selection::InlineFragment(inline) => waiting.push(&inline.selection_set),
                Selection::FragmentSpread(spread) => {
                    if seen.insert(&spread.fragment_name)
                        && let Some(fragment) = operation.fragment(&spread.fragment_name)
                    {
                        waiting.push(&fragment.selection_set);
                    }
                }
            }
        }
    }
    found
}

/// The spreads of fragments directly within selections.
pub(crate) fn spreads<'a>(
    selections: &[&'a Selected],
    name: &str,
) -> impl Iterator<Item = &'a FragmentSpread> {
    selections.iter().flat_map(|selection| &selection.items).filter_map(move |item| match item {
        Selection::FragmentSpread(spread) if spread.fragment_name == name => Some(spread),
        _ => None,
    })
}

/// Returns true if a directive may leave something out of the response.
pub(crate) fn is_conditional(directives: &[Directive<'static, String>]) -> bool {
    directives.iter().any(|it| it.name == "include" || it.name == "skip")
}
