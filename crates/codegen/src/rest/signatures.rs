//! Lets progenitor decide all types, and reads off what it decided.
//!
//! Of its output only two things are kept: the `types` module, and from each function's
//! signature the types of parameters, body and answer. The rest is a client of its own, which
//! podqueue has no use for: calls go through podqueue's one way out.

use std::collections::BTreeMap;

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};
use schemars::schema::{InstanceType, SchemaObject};
use serde_json::Value;
use syn::visit_mut::VisitMut;
use syn::{FnArg, ImplItem, ImplItemFn, Item, Pat, ReturnType, Type};

use super::normalize::NamedEnum;
use super::reexports::Reexports;
use super::shorten::Shorten;
use crate::syntax::{argument, is_named};
use crate::{Diagnostic, Source, quiet};

/// What progenitor decided.
pub(super) struct Decided {
    /// The items of its `types` module.
    pub(super) types: Vec<Item>,
    /// By the name of the operation.
    pub(super) signatures: BTreeMap<String, Signature>,
}

/// The types of one operation. Parameters are named as in the normalized description; the body is
/// the parameter `body`.
pub(super) struct Signature {
    pub(super) parameters: BTreeMap<String, Type>,
    pub(super) answer: Type,
    /// The type of an event's data, if a response is a stream of events.
    pub(super) event: Option<Type>,
    /// The types of the operation's successes by status; what those are that are not JSON, their
    /// content says.
    pub(super) successes: Vec<Option<Type>>,
}

pub(super) fn decide(
    source: &Source,
    document: Value,
    enums: &[NamedEnum],
) -> Result<Decided, Diagnostic> {
    let fault = |message: String| Diagnostic::of_file(&source.name, message);
    let description: openapiv3::OpenAPI = serde_json::from_value(document)
        .map_err(|error| fault(format!("the description cannot be read: {error}")))?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_map_type("::std::collections::HashMap")
        .with_derive("PartialEq");
    for item in enums {
        let stand_in = SchemaObject {
            instance_type: Some(InstanceType::String.into()),
            format: Some(item.name.clone()),
            ..SchemaObject::default()
        };
        let path = format!("::podqueue_types::{}", item.name);
        settings.with_conversion(
            stand_in,
            path,
            [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
        );
    }
    // It panics at what it does not expect. Mending should leave nothing of that kind; where it
    // does, the user is owed a diagnostic and no backtrace.
    let tokens = quiet::catch(|| Generator::new(&settings).generate_tokens(&description))
        .map_err(|panic| fault(format!("a schema cannot be turned into a type: {panic}")))?
        .map_err(|error| fault(format!("a schema cannot be turned into a type: {error}")))?;
    let file: syn::File = syn::parse2(tokens)
        .map_err(|error| fault(format!("the generated types do not parse: {error}")))?;
    Ok(split(file))
}

fn split(file: syn::File) -> Decided {
    let mut decided = Decided { types: Vec::new(), signatures: BTreeMap::new() };
    for item in file.items {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                decided.types = module.content.map(|(_, items)| items).unwrap_or_default();
            }
            Item::Impl(block) if block.trait_.is_none() => {
                for item in block.items {
                    if let ImplItem::Fn(function) = item
                        && function.sig.asyncness.is_some()
                        && let Some(signature) = signature(&function)
                    {
                        decided.signatures.insert(function.sig.ident.to_string(), signature);
                    }
                }
            }
            _ => {}
        }
    }
    decided
}

fn signature(function: &ImplItemFn) -> Option<Signature> {
    let parameters = function
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(name) => {
                    let ty = owned(within_option(&typed.ty));
                    // All bodies are required here, so one that is an `Option` may be null.
                    let may_be_null = name.ident == "body" && is_named(&typed.ty, "Option");
                    let ty = if may_be_null { syn::parse_quote!(Option<#ty>) } else { ty };
                    Some((name.ident.to_string(), short(ty)))
                }
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
        .collect();
    let ReturnType::Type(_, result) = &function.sig.output else {
        return None;
    };
    // Result<ResponseValue<T>, Error<E>>
    let answer = short(argument(argument(result)?)?.clone());
    Some(Signature { parameters, answer, event: None, successes: Vec::new() })
}

fn short(mut ty: Type) -> Type {
    Shorten { within_types: false }.visit_type_mut(&mut ty);
    Reexports.visit_type_mut(&mut ty);
    ty
}

/// The type that a builder holds, which is no reference.
fn owned(ty: &Type) -> Type {
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            text if is_named(text, "str") => syn::parse_quote!(String),
            inner => inner.clone(),
        },
        other => other.clone(),
    }
}

/// The type of a parameter without the `Option` around one that is optional.
fn within_option(ty: &Type) -> &Type {
    argument(ty).filter(|_| is_named(ty, "Option")).unwrap_or(ty)
}
