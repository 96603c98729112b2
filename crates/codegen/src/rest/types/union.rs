//! Enums of discriminated unions: a variant for each branch, and one for all other values.

use std::collections::{BTreeMap, HashMap, HashSet};

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use serde_json::Value;
use syn::{Ident, Item, ItemEnum, Type, parse_quote};

use super::fields::docs_or;
use crate::rest::normalize::{Alternative, Branch, NamedEnum, RequiredFields, Unions};
use crate::syntax::{argument, is_named};
use crate::{attributes, naming, print};

/// Turns an untagged enum of the type generator into a discriminated union, and implements reading
/// and writing. For a union that is sent, `required_fields` has the required fields of types that
/// are also received.
pub(super) fn rewrite(
    item: &mut ItemEnum,
    branches: &[Branch],
    required_fields: Option<&RequiredFields>,
) -> TokenStream {
    let docs = docs_or(&item.attrs, "One of several types.");
    attributes::set_docs(&mut item.attrs, &docs);
    ["Serialize", "Deserialize"].iter().for_each(|it| attributes::remove(&mut item.attrs, it));
    attributes::set_serde(&mut item.attrs, &[]);
    // The description decides how large a variant is.
    item.attrs.push(parse_quote!(#[allow(clippy::large_enum_variant)]));
    item.attrs.push(parse_quote!(#[non_exhaustive]));

    let name = item.ident.clone();
    let types = item.variants.iter().map(|it| it.fields.iter().next().map(|it| it.ty.clone()));
    let types: Vec<Type> = types.map(|ty| ty.unwrap_or_else(|| parse_quote!(()))).collect();
    let mut taken = HashSet::new();
    // A base may have a thousand branches: each type is written once.
    let words: Vec<_> = types.iter().map(|ty| ty.to_token_stream().to_string()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    words.iter().for_each(|it| *counts.entry(it).or_default() += 1);
    let are_alone: Vec<_> = words.iter().map(|it| counts[it.as_str()] == 1).collect();
    let idents = types.iter().zip(branches).zip(&are_alone).map(|((ty, branch), is_alone)| {
        let ident = match is_alone {
            true => variant(ty, &name, branch),
            false => naming::pascal(&branch.name),
        };
        format_ident!("{}", naming::unique_pascal(&mut taken, ident))
    });
    let idents: Vec<Ident> = idents.collect();
    let other = format_ident!("{}", naming::unique_pascal(&mut taken, "Other".to_owned()));
    let docs = branches.iter().map(|branch| print::docs(&docs_of(branch)));
    item.variants = parse_quote! {
        #(#docs #idents(#types),)*
        /// A value of none of these types, as it came.
        #other(__runtime::__private::serde_json::Value)
    };

    let lines = types.iter().zip(&idents).zip(branches).enumerate();
    let lines = lines.map(|(place, ((ty, ident), branch))| {
        let place = Literal::usize_unsuffixed(place);
        let alternatives = branch.alternatives.iter().map(alternative);
        let required_fields =
            required_fields.and_then(|it| it.get(&unboxed(ty).to_token_stream().to_string()));
        let required_fields = required_fields.into_iter().flat_map(|it| it.keys());
        quote!(#place #ident [#(#alternatives)*] [#(#required_fields)*];)
    });
    let alone = types.iter().zip(&idents).zip(&are_alone).filter(|(_, is_alone)| **is_alone);
    let sources = alone.map(|((ty, ident), _)| {
        let source = unboxed(ty);
        let value = if is_named(ty, "Box") { quote!(Box::new(value)) } else { quote!(value) };
        quote! {
            impl From<#source> for #name {
                fn from(value: #source) -> Self {
                    Self::#ident(#value)
                }
            }
        }
    });
    quote! {
        #(#sources)*
        __runtime::__private::discriminated_union! { #name #other { #(#lines)* } }
    }
}

/// Returns true if an item is an implementation for a union.
pub(super) fn is_implemented(item: &Item, unions: &Unions) -> bool {
    let Item::Impl(block) = item else { return false };
    let Type::Path(path) = &*block.self_ty else { return false };
    path.path.segments.last().is_some_and(|it| unions.contains_key(&it.ident.to_string()))
}

/// The values to which constructors set tags, by the names of type and field.
#[derive(Default)]
pub(super) struct Tags(BTreeMap<String, BTreeMap<String, TokenStream>>);

impl Tags {
    /// The tags of all types in unions. A field for which two unions require different values has
    /// none.
    pub(super) fn of(items: &[Item], unions: &Unions, enums: &[NamedEnum]) -> Self {
        let mut values: BTreeMap<(String, String), Vec<&Value>> = BTreeMap::new();
        for item in items {
            let Item::Enum(item) = item else { continue };
            let branches = unions.get(&item.ident.to_string()).into_iter().flatten();
            for (variant, branch) in item.variants.iter().zip(branches) {
                let Some(field) = variant.fields.iter().next() else { continue };
                let conditions = branch.alternatives.iter().filter(|it| !it.is_otherwise());
                let [Alternative { tags, .. }] = conditions.collect::<Vec<_>>()[..] else {
                    continue;
                };
                let Some(ty) = last(unboxed(&field.ty)) else { continue };
                for (tag, listed) in tags {
                    let known = values.entry((ty.to_string(), tag.clone())).or_default();
                    for value in listed {
                        if !known.contains(&value) {
                            known.push(value);
                        }
                    }
                }
            }
        }
        let is_text = |ty: &Type| {
            let is_enum = |name: &Ident| enums.iter().any(|it| *name == naming::cased(&it.name));
            is_named(ty, "String") || last(ty).is_some_and(is_enum)
        };
        let mut tags = Self::default();
        for item in items {
            let Item::Struct(item) = item else { continue };
            for field in &item.fields {
                let wire = crate::syntax::wire_name(field);
                let key = (item.ident.to_string(), wire);
                let Some([value]) = values.get(&key).map(Vec::as_slice) else { continue };
                let ty = argument(&field.ty).filter(|_| is_named(&field.ty, "Option"));
                let ty = ty.unwrap_or(&field.ty);
                let value = match value {
                    Value::String(text) if is_text(ty) => quote!(#text.into()),
                    Value::Bool(flag) if is_named(ty, "bool") => quote!(#flag),
                    Value::Number(number) => {
                        match (number.as_i64(), number.as_u64(), number.as_f64()) {
                            (Some(number), ..) if is_named(ty, "i64") => {
                                Literal::i64_unsuffixed(number).into_token_stream()
                            }
                            (_, Some(number), _) if is_named(ty, "u64") => {
                                Literal::u64_unsuffixed(number).into_token_stream()
                            }
                            (_, _, Some(number)) if is_named(ty, "f64") => {
                                Literal::f64_unsuffixed(number).into_token_stream()
                            }
                            _ => continue,
                        }
                    }
                    _ => continue,
                };
                tags.0.entry(key.0).or_default().insert(key.1, value);
            }
        }
        tags
    }

    pub(super) fn of_type(&self, name: &Ident) -> Option<&BTreeMap<String, TokenStream>> {
        self.0.get(&name.to_string())
    }
}

/// The name of a variant: that of its type, without the name of the union as a prefix.
fn variant(ty: &Type, union: &Ident, branch: &Branch) -> String {
    const KINDS: [(&str, &str); 8] = [
        ("String", "String"),
        ("bool", "Boolean"),
        ("f64", "Number"),
        ("i64", "Integer"),
        ("u64", "Integer"),
        ("Vec", "Array"),
        ("HashMap", "Object"),
        ("Map", "Object"),
    ];
    let ty = unboxed(ty);
    if let Some((_, name)) = KINDS.iter().find(|(kind, _)| is_named(ty, kind)) {
        return (*name).to_owned();
    }
    let Some(ident) = last(ty).map(Ident::to_string) else { return "Shape".to_owned() };
    let own = naming::pascal(&format!("{union}_{}", branch.name));
    match ident.strip_prefix(&union.to_string()) {
        Some(rest) if ident.starts_with(&own) && !naming::is_keyword(rest) => rest.to_owned(),
        _ => ident,
    }
}

fn last(ty: &Type) -> Option<&Ident> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|it| &it.ident)
}

/// `T` of `Box<T>`, which occurs in recursive types.
fn unboxed(ty: &Type) -> &Type {
    argument(ty).filter(|_| is_named(ty, "Box")).unwrap_or(ty)
}

/// The condition for an object of a branch, in the runtime's macro.
fn alternative(alternative: &Alternative) -> TokenStream {
    let tags = alternative.tags.iter().map(|(name, values)| {
        let values = values.iter().chain(&alternative.implied).map(|value| match value {
            Value::Bool(flag) => quote!(Flag(#flag)),
            Value::Number(number) => match number.as_i128() {
                Some(number) => {
                    let number = Literal::i128_unsuffixed(number);
                    quote!(Number(#number))
                }
                None => {
                    let number = Literal::f64_unsuffixed(number.as_f64().unwrap_or_default());
                    quote!(Fraction(#number))
                }
            },
            text => {
                let text = text.as_str().unwrap_or_default();
                quote!(Text(#text))
            }
        });
        quote!(#name [#(#values),*])
    });
    let fields = |may_be_null: bool| {
        let fields = alternative.required.iter().filter(move |it| *it.1 == may_be_null);
        fields.map(|(name, _)| name).collect::<Vec<_>>()
    };
    let (required, nullable) = (fields(false), fields(true));
    let known = &alternative.known;
    let known = known.iter();
    quote!({ #(#tags)* ; #(#required)* ; #(#nullable)* ; #(#known)* })
}

fn docs_of(branch: &Branch) -> String {
    let (conditions, is_default) = match branch.alternatives.as_slice() {
        [conditions @ .., last] if last.is_otherwise() && !conditions.is_empty() => {
            (conditions, true)
        }
        conditions => (conditions, false),
    };
    let all = conditions.iter().map(|it| {
        let tags = it.tags.iter().map(|(name, values)| {
            let values = values.iter().chain(&it.implied).map(|it| match it {
                Value::String(text) => format!("`{text}`"),
                other => format!("`{other}`"),
            });
            let mut values: Vec<_> = values.collect();
            values.extend(is_default.then(|| "none of the others".to_owned()));
            format!("`{name}` is {}", listed(values, "or"))
        });
        let fields = it.required.keys().filter(|name| !it.tags.iter().any(|(tag, _)| tag == *name));
        let fields: Vec<_> = fields.map(|name| format!("`{name}`")).collect();
        let has = (!fields.is_empty()).then(|| format!("it has {}", listed(fields, "and")));
        let all: Vec<_> = tags.chain(has).collect();
        all.join(", ")
    });
    let all: Vec<_> = all.filter(|it| !it.is_empty()).collect();
    match (conditions.len(), all.as_slice()) {
        (0, _) => "A value that is no object, or a map.".to_owned(),
        (1, [only]) => format!("Where {only}."),
        _ => "One of the types.".to_owned(),
    }
}

/// `a, b or c`, truncated if long.
fn listed(mut words: Vec<String>, word: &str) -> String {
    const MAX_WORDS: usize = 4;
    if words.len() > MAX_WORDS {
        words.truncate(MAX_WORDS);
        return format!("{}, …", words.join(", "));
    }
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
        None => String::new(),
    }
}
