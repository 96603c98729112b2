//! Documentation and optional fields of an operation's types. graphql_client neither keeps the
//! schema's descriptions nor makes fields optional that `@include` and `@skip` may leave out, so
//! its items are compared with the selection from which they were generated.

use std::collections::{BTreeMap, BTreeSet};

use graphql_tools::parser::query::{Selection, TypeCondition, Value};
use syn::{Item, Type, parse_quote};

use super::flatten::{Selected, fields, is_conditional, spreads};
use super::operation::Operation;
use super::schema::Schema;
use crate::syntax::{name_of, wire_name};
use crate::{attributes, naming, print};

/// Documents the items of an operation's module, in place.
pub(crate) fn document(schema: &Schema, operation: &Operation, items: &mut [Item]) {
    let mut walk = Walk {
        schema,
        operation,
        places: items
            .iter()
            .enumerate()
            .filter_map(|(place, item)| match item {
                Item::Type(alias) => Some((alias.ident.to_string(), place)),
                item => Some((name_of(item)?, place)),
            })
            .collect(),
        seen: BTreeSet::new(),
        items,
    };
    let root = operation.root_type(schema);
    let response = format!("Response of [`{}`](super::{0}).", operation.type_name());
    walk.response("ResponseData", &root, &[operation.flat_selection()], Some(response));
    walk.variables(&root);
    walk.rest();
}

/// The description of what the operation does: the comment above it, then what the schema says
/// about the fields that it selects.
pub(crate) fn operation_docs(schema: &Schema, operation: &Operation) -> String {
    let root = operation.root_type(schema);
    let mut paragraphs = Vec::new();
    if !operation.comment.is_empty() {
        paragraphs.push(print::prose(&operation.comment));
    }
    for field in fields(operation, &[operation.flat_selection()]) {
        let definition = schema.field(&root, &field.name);
        if let Some(text) = definition.and_then(|it| it.description.as_deref()) {
            let text = print::prose(text);
            if !paragraphs.contains(&text) {
                paragraphs.push(text);
            }
        }
    }
    if paragraphs.is_empty() {
        paragraphs.push(format!("The operation `{}`.", operation.name));
    }
    let module = operation.module_name();
    paragraphs.push(format!(
        "Takes [`Variables`]({module}::Variables), returns [`ResponseData`]({module}::ResponseData). Written in `{}`.",
        operation.file
    ));
    paragraphs.join("\n\n")
}

fn make_optional(ty: &mut Type) {
    let is_option = matches!(&*ty, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "Option"));
    if !is_option {
        *ty = parse_quote!(Option<#ty>);
    }
}

struct Walk<'a> {
    schema: &'a Schema,
    operation: &'a Operation,
    items: &'a mut [Item],
    places: BTreeMap<String, usize>,
    seen: BTreeSet<String>,
}

/// An item to document: its name, its type in the schema, and its selections.
type Next<'a> = (String, String, Vec<&'a Selected>);

impl<'a> Walk<'a> {
    fn response(
        &mut self,
        name: &str,
        of: &str,
        selections: &[&'a Selected],
        docs: Option<String>,
    ) {
        let Some(place) = self.places.get(name).copied() else { return };
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        let otherwise = format!("Selection on `{of}`.");
        let docs = docs.unwrap_or_else(|| print::prose_or(self.schema.description(of), &otherwise));
        let mut item = self.items[place].clone();
        let next = match &mut item {
            Item::Struct(item) => {
                attributes::set_docs(&mut item.attrs, &docs);
                item.fields
                    .iter_mut()
                    .filter_map(|field| self.response_field(field, of, selections))
                    .collect()
            }
            Item::Enum(item) => {
                attributes::set_docs(&mut item.attrs, &docs);
                self.variants(item, selections)
            }
            // The selection is a single fragment.
            Item::Type(alias) => self.fragment(&alias.ty).into_iter().collect(),
            _ => Vec::new(),
        };
        self.items[place] = item;
        for (name, of, selections) in next {
            self.response(&name, &of, &selections, None);
        }
    }

    fn response_field(
        &self,
        field: &mut syn::Field,
        of: &str,
        selections: &[&'a Selected],
    ) -> Option<Next<'a>> {
        let inner = inner_ident(&field.ty)?;
        let is_flat =
            attributes::serde_metas(&field.attrs).iter().any(|it| it.path().is_ident("flatten"));
        if is_flat {
            if let Some(next) = self.fragment(&field.ty) {
                let docs = format!("The fields of the fragment `{inner}`.");
                attributes::set_docs(&mut field.attrs, &docs);
                if spreads(selections, &inner).all(|it| is_conditional(&it.directives)) {
                    make_optional(&mut field.ty);
                }
                return Some(next);
            }
            attributes::set_docs(
                &mut field.attrs,
                &format!("The fields of the concrete type of `{of}`."),
            );
            return Some((inner, of.to_owned(), selections.to_vec()));
        }
        let wire = wire_name(field);
        let selected = fields(self.operation, selections)
            .into_iter()
            .filter(|it| it.alias.as_ref().unwrap_or(&it.name) == &wire)
            .collect::<Vec<_>>();
        if !selected.is_empty() && selected.iter().all(|it| is_conditional(&it.directives)) {
            make_optional(&mut field.ty);
        }
        let first = selected.first()?;
        let definition = self.schema.field(of, &first.name)?;
        let docs =
            print::prose_or(definition.description.as_deref(), &format!("The field `{wire}`."));
        attributes::set_docs(&mut field.attrs, &docs);
        let of = definition.field_type.inner_type().to_owned();
        Some((inner, of, selected.iter().map(|it| &it.selection_set).collect()))
    }

    /// The fragment from which a type was generated.
    fn fragment(&self, ty: &Type) -> Option<Next<'a>> {
        let name = inner_ident(ty)?;
        let fragment = self.operation.fragment(&name)?;
        let TypeCondition::On(of) = &fragment.type_condition;
        Some((name, of.clone(), vec![&fragment.selection_set]))
    }

    fn variants(&self, item: &mut syn::ItemEnum, selections: &[&'a Selected]) -> Vec<Next<'a>> {
        let mut next = Vec::new();
        for variant in &mut item.variants {
            let of = variant.ident.to_string();
            let docs = if attributes::serde_metas(&variant.attrs)
                .iter()
                .any(|it| it.path().is_ident("other"))
            {
                "Another type, which was not known when this was generated.".to_owned()
            } else {
                print::prose_or(self.schema.description(&of), &format!("It is of the type `{of}`."))
            };
            attributes::set_docs(&mut variant.attrs, &docs);
            let payload = variant.fields.iter().next().and_then(|field| inner_ident(&field.ty));
            if let Some(payload) = payload {
                let (of, selections) = of_variant(&of, selections);
                next.push((payload, of, selections));
            }
        }
        next
    }

    fn variables(&mut self, root: &str) {
        let docs = format!("Variables of [`{}`](super::{0}).", self.operation.type_name());
        let meanings = self.variable_meanings(root);
        let Some(place) = self.places.get("Variables").copied() else { return };
        let Item::Struct(item) = &mut self.items[place] else { return };
        attributes::set_docs(&mut item.attrs, &docs);
        for field in &mut item.fields {
            let wire = wire_name(field);
            let docs =
                meanings.get(&wire).cloned().unwrap_or_else(|| format!("The variable `${wire}`."));
            attributes::set_docs(&mut field.attrs, &docs);
        }
    }

    /// A variable gets the documentation of the argument to which it is passed.
    fn variable_meanings(&self, root: &str) -> BTreeMap<String, String> {
        let mut meanings = BTreeMap::new();
        let mut waiting = vec![(root.to_owned(), vec![self.operation.flat_selection()])];
        while let Some((of, selections)) = waiting.pop() {
            for field in fields(self.operation, &selections) {
                let Some(definition) = self.schema.field(&of, &field.name) else { continue };
                for (name, value) in &field.arguments {
                    let argument = definition.arguments.iter().find(|it| &it.name == name);
                    let text = argument.and_then(|it| it.description.as_deref());
                    if let (Value::Variable(variable), Some(text)) = (value, text) {
                        let text = print::prose(text);
                        meanings.entry(variable.clone()).or_insert(text);
                    }
                }
                let of = definition.field_type.inner_type().to_owned();
                // Fragments may be recursive, but the selection without its spreads is finite and
                // bounds the depth.
                waiting.push((of, vec![&field.selection_set]));
            }
        }
        meanings
    }

    /// Documents items that have no documentation yet.
    fn rest(&mut self) {
        for item in self.items.iter_mut() {
            let (attrs, fields): (_, Vec<&mut syn::Field>) = match item {
                Item::Struct(item) => (&mut item.attrs, item.fields.iter_mut().collect()),
                Item::Enum(item) => {
                    for variant in &mut item.variants {
                        let text = format!("It is of the type `{}`.", variant.ident);
                        or_docs(&mut variant.attrs, &text);
                    }
                    (&mut item.attrs, Vec::new())
                }
                Item::Type(item) => (&mut item.attrs, Vec::new()),
                _ => continue,
            };
            or_docs(attrs, "A part of the response.");
            for field in fields {
                let text = format!("The field `{}`.", wire_name(field));
                or_docs(&mut field.attrs, &text);
            }
        }
    }
}

/// The selection on one type, whose name is that of a variant.
fn of_variant<'a>(variant: &str, selections: &[&'a Selected]) -> (String, Vec<&'a Selected>) {
    let mut found = (variant.to_owned(), Vec::new());
    for item in selections.iter().flat_map(|it| &it.items) {
        if let Selection::InlineFragment(inline) = item
            && let Some(TypeCondition::On(of)) = &inline.type_condition
            && naming::upper_camel(of) == naming::upper_camel(variant)
        {
            found.0.clone_from(of);
            found.1.push(&inline.selection_set);
        }
    }
    found
}

fn or_docs(attrs: &mut Vec<syn::Attribute>, text: &str) {
    if attributes::doc_text(attrs).is_empty() {
        attributes::set_docs(attrs, text);
    }
}

/// The innermost name of a Rust type: `Pod` of `Option<Vec<Pod>>`.
fn inner_ident(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => inner_ident(ty),
                _ => None,
            })
        }
        _ => Some(last.ident.to_string()),
    }
}
