//! Accessors of Rust syntax trees: names of items and fields, arguments of types.

use syn::{Field, GenericArgument, Item, PathArguments, Type};

use crate::attributes;

/// The name of a struct or an enum.
pub(crate) fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    }
}

/// The name of a field on the wire.
pub(crate) fn wire_name(field: &Field) -> String {
    attributes::serde_value(&field.attrs, "rename")
        .or_else(|| field.ident.as_ref().map(ToString::to_string))
        .unwrap_or_default()
}

/// The first generic argument of a type: `T` of `Vec<T>`.
pub(crate) fn argument(ty: &Type) -> Option<&Type> {
    arguments(ty).first().copied()
}

/// The generic arguments of a type that are types.
pub(crate) fn arguments(ty: &Type) -> Vec<&Type> {
    let Type::Path(path) = ty else { return Vec::new() };
    match path.path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => {
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

/// Returns true if a type is one of this name, such as `Option`, with any path prefix or arguments.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if attributes::ends_with(&path.path, name))
}
