//! Calls of generated code, as its syntax tree shows them: their arguments, setters and wire names.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, ImplItem, Item, Lit, ReturnType, Type};

use crate::Failure;

/// One call.
#[derive(Debug, Default)]
pub struct Call {
    /// The method of `Api`.
    pub function: String,
    /// `GET /pods/{id}`, as the call sends it.
    pub operation: String,
    /// The arguments of the method, in their order.
    pub arguments: Vec<Argument>,
    /// The setters of the builder, without those that every builder has.
    pub setters: Vec<Argument>,
    /// The wire name and location of each argument and setter.
    pub wire: BTreeMap<String, Wire>,
    /// The styles of path parameters other than plain text, as source text.
    pub path_styles: BTreeMap<String, String>,
    /// The return type, as source text.
    pub returns: String,
}

/// A name, and a concrete type that it accepts.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: String,
    pub ty: String,
}

/// The location of a value in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    Path(String),
    Query(String),
    Header(String),
    Part(String),
    /// With its media type.
    Body(String),
}

/// The servers of single operations, as Rust literals.
pub fn servers(code: &str) -> BTreeSet<String> {
    let calls = code.split(".server(").skip(1);
    calls.filter_map(|it| it.split(')').next()).map(str::to_owned).collect()
}

/// All calls of a generated file.
pub fn calls(code: &str) -> Result<Vec<Call>, Failure> {
    let file = syn::parse_file(code)?;
    let mut builders = BTreeMap::new();
    let mut calls = Vec::new();
    for item in &file.items {
        let Item::Impl(item) = item else { continue };
        let name = name_of(&item.self_ty);
        for function in item.items.iter().filter_map(as_function) {
            let function_name = function.sig.ident.to_string();
            if name == "Api" && !["new", "at"].contains(&function_name.as_str()) {
                let ReturnType::Type(_, returned) = &function.sig.output else { continue };
                let arguments = arguments(function);
                let call = Call { function: function_name, arguments, ..Call::default() };
                calls.push((name_of(returned), call));
            } else if name != "Api" && item.trait_.is_none() {
                let builder: &mut Builder = builders.entry(name.clone()).or_default();
                builder.add(&function_name, function);
            }
        }
    }
    let known = |(builder, mut call): (String, Call)| {
        let builder: Builder = builders.remove(&builder).unwrap_or_default();
        call.operation = format!("{} {}", builder.method, builder.path);
        (call.setters, call.wire, call.returns) = (builder.setters, builder.wire, builder.returns);
        call.path_styles = builder.path_styles;
        call
    };
    Ok(calls.into_iter().map(known).collect())
}

/// The operations that the docs of functions name, as `GET /pods/{id}`: how both this generator and
/// the one that it is compared with document a call.
pub fn documented_operations(code: &str) -> Result<BTreeSet<String>, Failure> {
    struct Documented(BTreeSet<String>);

    impl Visit<'_> for Documented {
        fn visit_impl_item_fn(&mut self, it: &syn::ImplItemFn) {
            for attribute in it.attrs.iter().filter(|it| it.path().is_ident("doc")) {
                let syn::Meta::NameValue(doc) = &attribute.meta else { continue };
                let doc = text(&doc.value).unwrap_or_default();
                self.0.extend(doc.lines().filter_map(as_operation).map(str::to_owned));
            }
        }
    }

    let mut documented = Documented(BTreeSet::new());
    documented.visit_file(&syn::parse_file(code)?);
    Ok(documented.0)
}

/// The operation of a line that begins with one in code: a method in capitals, a space and a path.
fn as_operation(line: &str) -> Option<&str> {
    let (operation, _) = line.trim().strip_prefix('`')?.split_once('`')?;
    let (method, path) = operation.split_once(' ')?;
    let is_method = !method.is_empty() && method.bytes().all(|it| it.is_ascii_uppercase());
    (is_method && !path.contains(' ')).then_some(operation)
}

/// The untyped public fields of structs, as `Pet::notes`: by a rule that names neither generator's way
/// to write it. A field is untyped if its type mentions a `serde_json::Value`, directly, in a list, a
/// map or an option, or by the name of an alias or of a wrapper of such a type. A wrapper is a struct
/// whose only field has no name on the wire. A struct without any field
/// counts as untyped: it is what some make of an object without described fields, which it drops.
/// Fields that collect what the others leave are not counted where there are others; alone they make a
/// wrapper. The files of a generator are read together: a wrapper may be in another one than the field.
pub fn untyped_fields(files: &[String]) -> Result<Vec<String>, Failure> {
    #[derive(Default)]
    struct Found {
        /// What aliases and wrappers mention.
        other_names: BTreeMap<String, BTreeSet<String>>,
        fields: Vec<(String, BTreeSet<String>)>,
        /// The fields of each struct that collect what the others leave.
        collecting: BTreeSet<(String, String)>,
    }

    impl Visit<'_> for Found {
        fn visit_item_type(&mut self, it: &syn::ItemType) {
            self.other_names.insert(it.ident.to_string(), names_of(&it.ty));
        }

        fn visit_item_struct(&mut self, it: &syn::ItemStruct) {
            let name = it.ident.to_string();
            let is_collecting = |field: &syn::Field| {
                let own = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                let attributes = field.attrs.iter().map(|it| it.to_token_stream().to_string());
                attributes.into_iter().any(|it| it.contains("flatten"))
                    || self.collecting.contains(&(name.clone(), own))
            };
            if matches!(&it.fields, syn::Fields::Named(fields) if fields.named.is_empty()) {
                self.other_names.insert(name, BTreeSet::from(["Value".to_owned()]));
                return;
            }
            let mut fields = it.fields.iter();
            if let (Some(only), None) = (fields.next(), fields.next())
                && (only.ident.is_none() || is_collecting(only))
            {
                self.other_names.insert(name, names_of(&only.ty));
                return;
            }
            for field in it.fields.iter().filter(|it| !is_collecting(it)) {
                if let (Some(own), syn::Visibility::Public(_)) = (&field.ident, &field.vis) {
                    self.fields.push((format!("{name}::{own}"), names_of(&field.ty)));
                }
            }
        }
    }

    let files = files.iter().map(|it| syn::parse_file(it)).collect::<Result<Vec<_>, _>>()?;
    let mut collecting = Collecting(BTreeSet::new());
    files.iter().for_each(|it| collecting.visit_file(it));
    let mut found = Found { collecting: collecting.0, ..Found::default() };
    files.iter().for_each(|it| found.visit_file(it));
    let mut untyped = BTreeSet::from(["Value".to_owned()]);
    loop {
        let before = untyped.len();
        let more = found.other_names.iter().filter(|(_, it)| !it.is_disjoint(&untyped));
        let more: Vec<_> = more.map(|(name, _)| name.clone()).collect();
        untyped.extend(more);
        if untyped.len() == before {
            break;
        }
    }
    let fields = found.fields.into_iter().filter(|(_, it)| !it.is_disjoint(&untyped));
    Ok(fields.map(|(name, _)| name).collect())
}

/// The fields that collect what the others leave, as the runtime's macro names them: the lines of
/// `object! { Pet { 0 "name" name required; 1 "" more additional; } }`.
struct Collecting(BTreeSet<(String, String)>);

impl Visit<'_> for Collecting {
    fn visit_macro(&mut self, it: &syn::Macro) {
        if it.path.segments.last().is_none_or(|it| it.ident != "object") {
            return;
        }
        let mut tokens = it.tokens.clone().into_iter();
        let name = tokens.next().map(|it| it.to_string()).unwrap_or_default();
        let Some(proc_macro2::TokenTree::Group(fields)) = tokens.next() else { return };
        let fields: Vec<_> = fields.stream().into_iter().map(|it| it.to_string()).collect();
        for line in fields.split(|it| it == ";") {
            if let [_, _, own, properties @ ..] = line
                && properties.iter().any(|it| it == "additional")
            {
                self.0.insert((name.clone(), own.clone()));
            }
        }
    }
}

/// The last segments of all paths in a type. `Value` is that of `serde_json` only.
fn names_of(ty: &Type) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);

    impl Visit<'_> for Names {
        fn visit_path(&mut self, it: &syn::Path) {
            let names: Vec<_> = it.segments.iter().map(|it| it.ident.to_string()).collect();
            match names.as_slice() {
                [.., module, last] if last == "Value" && module != "serde_json" => {}
                [last] if last == "Value" => {}
                // A map of any values.
                [.., module, last] if last == "Map" && module == "serde_json" => {
                    self.0.insert("Value".to_owned());
                }
                [.., last] => drop(self.0.insert(last.clone())),
                [] => {}
            }
            visit::visit_path(self, it);
        }
    }

    let mut names = Names(BTreeSet::new());
    names.visit_type(ty);
    names.0
}

#[derive(Default)]
struct Builder {
    setters: Vec<Argument>,
    wire: BTreeMap<String, Wire>,
    path_styles: BTreeMap<String, String>,
    returns: String,
    method: String,
    path: String,
}

impl Builder {
    fn add(&mut self, name: &str, function: &syn::ImplItemFn) {
        match name {
            "send" => self.returns = function.sig.output.to_token_stream().to_string(),
            "call" => self.visit_block(&function.block),
            "null" | "set" | "timeout" => {}
            _ if function.sig.inputs.len() == 2 => self.setters.extend(arguments(function)),
            _ => {}
        }
    }

    fn links(&mut self, wire: Wire, value: Option<&Expr>) {
        let tokens = value.map(|it| it.to_token_stream().to_string()).unwrap_or_default();
        let after = tokens.split("self . ").nth(1).unwrap_or_default();
        let field = after.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '#').next();
        if let Some(field) = field.filter(|it| !it.is_empty()) {
            self.wire.insert(field.to_owned(), wire);
        }
    }
}

impl Visit<'_> for Builder {
    fn visit_expr_call(&mut self, it: &syn::ExprCall) {
        if it.func.to_token_stream().to_string().ends_with("RestCall :: new") {
            self.method = it.args.get(2).and_then(text).unwrap_or_default();
        }
        visit::visit_expr_call(self, it);
    }

    fn visit_expr_method_call(&mut self, it: &ExprMethodCall) {
        visit::visit_expr_method_call(self, it);
        let name = it.args.first().and_then(text).unwrap_or_default();
        match it.method.to_string().as_str() {
            "literal" => self.path.push_str(&name),
            "parameter" | "parameter_styled" => {
                let style = it.args.get(2).map(|it| it.to_token_stream().to_string());
                self.path_styles.extend(style.map(|it| (name.clone(), it)));
                self.path.push_str(&format!("{{{name}}}"));
                self.links(Wire::Path(name), it.args.get(1));
            }
            "query" | "query_encoded" => self.links(Wire::Query(name), it.args.get(1)),
            "header" | "optional_header" | "header_styled" => {
                self.links(Wire::Header(name), it.args.get(1))
            }
            "value" | "files" => self.links(Wire::Part(name), it.args.get(1)),
            "json" => self.links(Wire::Body("application/json".to_owned()), it.args.first()),
            "form" => {
                let media = "application/x-www-form-urlencoded".to_owned();
                self.links(Wire::Body(media), it.args.first());
            }
            "json_as" | "raw" => self.links(Wire::Body(name), it.args.get(1)),
            _ => {}
        }
    }
}

fn as_function(item: &ImplItem) -> Option<&syn::ImplItemFn> {
    match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    }
}

fn arguments(function: &syn::ImplItemFn) -> Vec<Argument> {
    let typed = function.sig.inputs.iter().filter_map(|it| match it {
        syn::FnArg::Typed(it) => {
            Some(Argument { name: it.pat.to_token_stream().to_string(), ty: concrete(&it.ty) })
        }
        syn::FnArg::Receiver(_) => None,
    });
    typed.collect()
}

/// `String` for `impl Into<String>`, `Vec<T>` for `impl IntoIterator<Item = T>`.
fn concrete(ty: &Type) -> String {
    let Type::ImplTrait(it) = ty else { return name_of(ty) };
    for bound in &it.bounds {
        let syn::TypeParamBound::Trait(bound) = bound else { continue };
        let Some(last) = bound.path.segments.last() else { continue };
        let syn::PathArguments::AngleBracketed(inner) = &last.arguments else { continue };
        match inner.args.first() {
            Some(syn::GenericArgument::Type(ty)) => return concrete(ty),
            Some(syn::GenericArgument::AssocType(item)) => {
                return format!("Vec<{}>", concrete(&item.ty));
            }
            _ => {}
        }
    }
    name_of(ty)
}

fn name_of(ty: &Type) -> String {
    ty.to_token_stream().to_string()
}

fn text(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(it) => match &it.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        Expr::Reference(it) => text(&it.expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untyped_fields_are_counted_however_they_are_written() {
        for (code, expected) in [
            ("pub struct A { pub a: Option<Vec<serde_json::Value>>, pub b: String }", "A::a"),
            ("pub struct A { pub a: Any, pub b: Value } type Any = serde_json::Value;", "A::a"),
            (
                "pub struct A { pub a: Map, pub b: i64 } pub struct Map(pub Vec<::serde_json::Value>);",
                "A::a",
            ),
            (
                "pub struct A { pub a: More } pub struct More { #[serde(flatten)] pub rest: \
                 std::collections::BTreeMap<String, serde_json::Value> }",
                "A::a",
            ),
            (
                "pub struct A { pub a: More } pub struct More { pub rest: HashMap<String, serde_json::Value> } \
                 r::object! { More { 0 \"\" rest additional; } default }",
                "A::a",
            ),
            (
                "pub struct A { pub a: serde_json::Map<String, serde_json::Value>, pub b: u8 }",
                "A::a",
            ),
            ("pub struct A { pub a: Vec<B>, pub b: u8 } pub struct B {}", "A::a"),
            // The rest beside fields, and a struct whose field has a name.
            (
                "pub struct A { pub a: B, #[serde(flatten)] pub rest: serde_json::Value } pub struct B { pub b: serde_json::Value }",
                "B::b",
            ),
            (
                "pub struct A { pub a: B, rest: serde_json::Value } pub struct B { pub b: u8, pub rest: serde_json::Value } object! { B { 0 \"b\" b; 1 \"rest\" rest additional; } }",
                "",
            ),
        ] {
            let found = untyped_fields(&[code.to_owned()]).unwrap();
            assert_eq!(found.join(" "), expected, "{code}");
        }
    }
}
