//! Naming: Rust identifiers derived from wire names.

use std::collections::HashSet;

use heck::{ToSnakeCase, ToUpperCamelCase};

/// A field, parameter or function name: `podId` becomes `pod_id`, `type` becomes `type_`.
pub(crate) fn snake(wire: &str) -> String {
    identifier(words(wire).to_snake_case(), "x")
}

/// A type or variant name: `IN_QUEUE` becomes `InQueue`. A name in a script without case gets a
/// prefix: a field could have the same name, which Rust would take for the type in a pattern.
pub(crate) fn pascal(wire: &str) -> String {
    let name = identifier(camel(wire), "X");
    let has_no_case = |c: char| c.is_alphabetic() && !c.is_uppercase() && !c.is_lowercase();
    if name.starts_with(has_no_case) { format!("Type{name}") } else { name }
}

/// Joins words in camel case, with an underscore between digits, so that `1-0` and `10` stay
/// different.
fn camel(wire: &str) -> String {
    let mut name = String::new();
    for word in words(wire).split(['-', '_']) {
        let word = word.to_upper_camel_case();
        if name.ends_with(|c: char| c.is_ascii_digit())
            && word.starts_with(|c: char| c.is_ascii_digit())
        {
            name.push('_');
        }
        name.push_str(&word);
    }
    name
}

/// The name of an enum's value: `IN_QUEUE` becomes `InQueue`, `<=` becomes `LessEqual`.
pub(crate) fn variant(wire: &str) -> String {
    const SIGNS: [(char, &str); 20] = [
        ('<', "Less"),
        ('>', "Greater"),
        ('=', "Equal"),
        ('!', "Not"),
        ('~', "Tilde"),
        ('*', "Star"),
        ('+', "Plus"),
        ('-', "Minus"),
        ('/', "Slash"),
        ('%', "Percent"),
        ('^', "Caret"),
        ('&', "And"),
        ('|', "Or"),
        ('#', "Hash"),
        ('@', "At"),
        ('$', "Dollar"),
        ('?', "Question"),
        ('.', "Dot"),
        (',', "Comma"),
        (':', "Colon"),
    ];
    if wire.trim().is_empty() {
        return "Empty".to_owned();
    }
    if wire.chars().any(is_letter) {
        let name = camel(wire);
        return match name.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("V{name}"),
            false => identifier(name, "X"),
        };
    }
    let signs = wire.chars().filter_map(|c| SIGNS.iter().find(|(sign, _)| *sign == c));
    let name: String = signs.map(|(_, name)| *name).collect();
    if name.is_empty() { pascal(wire) } else { name }
}

/// A GraphQL type's name, cased as graphql_client cases it.
pub(crate) fn upper_camel(name: &str) -> String {
    name.to_upper_camel_case()
}

/// A GraphQL operation's module, cased as graphql_client cases it.
pub(crate) fn plain_snake(name: &str) -> String {
    name.to_snake_case()
}

/// Returns true if a name is a keyword or not an identifier.
pub(crate) fn is_keyword(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_err() || name == "gen"
}

/// Names that generated code uses unqualified. A type with such a name would shadow them.
const TAKEN: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "Hash",
    "Into",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "ResponseData",
    "Result",
    "Some",
    "String",
    "Variables",
    "Vec",
];

/// Returns true if a type of this name would shadow one that generated code or its reader relies
/// on.
pub(crate) fn hides(type_name: &str) -> bool {
    TAKEN.contains(&type_name)
}

/// The Rust name of a GraphQL type, which shadows nothing: `Option` becomes `OptionType`.
pub(crate) fn shared(name: &str) -> String {
    let plain = upper_camel(name);
    // graphql_client's names for the built-in scalars.
    let is_built_in = ["Boolean", "Float", "Id", "Int"].contains(&plain.as_str());
    if plain.starts_with(|c: char| c.is_numeric()) {
        format!("Type{plain}")
    } else if is_built_in || hides(&plain) || is_keyword(&plain) {
        format!("{plain}Type")
    } else {
        plain
    }
}

/// Adds a number to a name until it is unique, and adds it to `taken`.
pub(crate) fn unique(taken: &mut HashSet<String>, name: String) -> String {
    let mut candidate = name.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{}_{number}", name.trim_end_matches('_'));
        number += 1;
    }
    candidate
}

/// Names that no file may have, whatever its extension: on Windows they are those of devices.
pub(crate) fn devices() -> impl Iterator<Item = String> {
    let ports = ["com", "lpt"].into_iter().flat_map(|it| (0..=9).map(move |n| format!("{it}{n}")));
    ["con", "prn", "aux", "nul"].into_iter().map(str::to_owned).chain(ports)
}

/// The Rust names of the items of one scope, given the wire name and the preferred Rust name of
/// each; an item that is not on the wire has no wire name. `number` makes a name unique.
///
/// Of equal Rust names, the item whose wire name is that name keeps it, whatever the order, and
/// otherwise the item whose wire name is most similar: of `@id`, `Id` and `id`, that is `id`.
pub(crate) fn distinct(
    taken: &mut HashSet<String>,
    names: Vec<(Option<String>, String)>,
    number: fn(&mut HashSet<String>, String) -> String,
) -> Vec<String> {
    let distance = |wire: &Option<String>, name: &str| match wire.as_deref() {
        Some(wire) if wire == name => 0,
        Some(wire) if wire == name.trim_end_matches('_') => 1,
        Some(wire) if reads_as(wire, name) => 2,
        Some(_) => 3,
        None => 4,
    };
    let mut order: Vec<_> =
        names.iter().enumerate().map(|(at, (wire, name))| (distance(wire, name), at)).collect();
    order.sort_unstable();
    let mut names: Vec<_> = names.into_iter().map(|(_, name)| name).collect();
    for (_, at) in order {
        names[at] = number(taken, std::mem::take(&mut names[at]));
    }
    names
}

/// Returns true if a wire name and a Rust name differ in case and underscores only.
pub(crate) fn reads_as(wire: &str, name: &str) -> bool {
    let folded = |name: &str| name.replace('_', "").to_lowercase();
    folded(wire) == folded(name)
}

/// A name that is not taken, as by `unique`, for names that have no underscores.
pub(crate) fn unique_pascal(taken: &mut HashSet<String>, name: String) -> String {
    let mut candidate = name.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{}{number}", name.trim_end_matches('_'));
        number += 1;
    }
    candidate
}

/// A name that is not taken, for a type of a description: its case is changed by the type generator.
pub(crate) fn unique_type(taken: &mut HashSet<String>, name: String) -> String {
    let mut candidate = name.clone();
    let mut number = 2;
    while !taken.insert(cased(&candidate)) {
        candidate = format!("{}{number}", name.trim_end_matches('_'));
        number += 1;
    }
    candidate
}

/// A type name in the case of the type generator: `A100_80gb` and `A10080gb` are the same.
pub(crate) fn cased(name: &str) -> String {
    let name = name.to_upper_camel_case();
    if name.starts_with(may_begin) { name } else { format!("X{name}") }
}

/// The candidate with the smallest edit distance to a name; none if that is too large.
pub(crate) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let folded = name.to_lowercase();
    candidates
        .iter()
        .filter(|candidate| !candidate.starts_with("__"))
        .map(|candidate| {
            (strsim::damerau_levenshtein(&folded, &candidate.to_lowercase()), *candidate)
        })
        .filter(|(distance, candidate)| {
            let length = name.chars().count().max(candidate.chars().count());
            *distance <= (length / 3).max(1) && *distance < length
        })
        .min()
        .map(|(_, candidate)| candidate)
}

fn words(wire: &str) -> String {
    match wire {
        "+1" => "plus1".to_owned(),
        "-1" => "minus1".to_owned(),
        _ => wire
            .chars()
            .filter(|c| *c != '\'')
            .map(|c| if is_letter(c) || c == '_' { c } else { '-' })
            .collect(),
    }
}

/// Returns true if a letter or digit may be part of an identifier: the `²` of `m²` may not.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (c.is_alphanumeric() && syn::parse_str::<syn::Ident>(&format!("a{c}")).is_ok())
}

/// Returns true if an identifier may begin with a character: not with a digit or a combining mark.
fn may_begin(c: char) -> bool {
    c.is_ascii_alphabetic() || syn::parse_str::<syn::Ident>(&format!("{c}a")).is_ok()
}

fn identifier(name: String, when_empty: &str) -> String {
    let mut name = if name.is_empty() { when_empty.to_owned() } else { name };
    if !name.starts_with(may_begin) {
        name.insert(0, '_');
    }
    if is_keyword(&name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_identifiers() {
        assert_eq!(snake("podId"), "pod_id");
        assert_eq!(snake("type"), "type_");
        assert_eq!(snake(&snake("type")), "type_", "naming a name changes nothing");
        assert_eq!(snake("X-Request-ID"), "x_request_id");
        assert_eq!(snake("3d"), "_3d");
        assert_eq!(snake("***"), "x");
        assert_eq!(pascal("IN_QUEUE"), "InQueue");
        assert_eq!(pascal("self"), "Self_");
        assert_eq!(variant("IN_QUEUE"), "InQueue");
        assert_eq!(variant("<="), "LessEqual");
        assert_eq!(variant("13.0"), "V13_0");
        assert_eq!(variant("130"), "V130");
        assert_eq!(variant("2024-01-02T03"), "V2024_01_02t03");
        assert_eq!(pascal("rtx_4090"), "Rtx4090");
        assert_eq!(pascal("a100_80gb"), "A100_80gb");
        assert_eq!(variant("+1"), "Plus1");
        assert_eq!(variant(""), "Empty");
        assert_eq!(variant("\u{2764}"), "X");
        assert_eq!(snake("area_m²"), "area_m");
        assert_eq!(snake("co₂_kg"), "co_kg");
        assert_eq!(pascal("①"), "X");
        assert_eq!((pascal("名前"), snake("名前")), ("Type名前".to_owned(), "名前".to_owned()));
        assert_eq!(variant("½"), "X");
        assert_eq!(variant("<½"), "Less");
    }

    #[test]
    fn every_letter_and_digit_of_unicode_makes_a_valid_identifier() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_alphanumeric()) {
            for wire in [c.to_string(), format!("a{c}")] {
                for name in [snake(&wire), variant(&wire)] {
                    assert!(!is_keyword(&name), "{c:?} gives {name:?}");
                }
            }
        }
    }

    #[test]
    fn a_wire_name_that_is_the_rust_name_keeps_it() {
        let names = |wires: &[&str]| {
            let names = wires.iter().map(|it| (Some((*it).to_owned()), snake(it))).collect();
            distinct(&mut HashSet::new(), names, unique)
        };
        assert_eq!(names(&["@id", "Id", "id"]), ["id_3", "id_2", "id"]);
        assert_eq!(names(&["Self", "self"]), ["self_2", "self_"]);
        assert_eq!(names(&["-x", "x"]), ["x_2", "x"]);
        assert_eq!(names(&["fooBar", "foo-bar", "foo_bar"]), ["foo_bar_2", "foo_bar_3", "foo_bar"]);
        assert_eq!(names(&["@id", "id_2", "id"]), ["id_3", "id_2", "id"]);
        assert!(reads_as("podId", "pod_id") && reads_as("type", "type_"));
        assert!(!reads_as("@id", "id") && !reads_as("Id", "id_2"));
    }

    #[test]
    fn repeated_names_are_numbered() {
        let mut taken = HashSet::new();
        assert_eq!(unique(&mut taken, "id".into()), "id");
        assert_eq!(unique(&mut taken, "id".into()), "id_2");
        assert_eq!(unique(&mut taken, "type_".into()), "type_");
        assert_eq!(unique(&mut taken, "type_".into()), "type_2");
        assert_eq!(unique_pascal(&mut taken, "Id".into()), "Id");
        assert_eq!(unique_pascal(&mut taken, "Id".into()), "Id2");
        assert_eq!(unique_pascal(&mut taken, "Self_".into()), "Self_");
        assert_eq!(unique_pascal(&mut taken, "Self_".into()), "Self2");
        assert_eq!(unique_type(&mut taken, "A100_80gb".into()), "A100_80gb");
        assert_eq!(unique_type(&mut taken, "A10080gb".into()), "A10080gb2");
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["name", "names", "imageName", "__typename", "id"];
        assert_eq!(nearest("nmae", &names), Some("name"));
        assert_eq!(nearest("NAME", &names), Some("name"));
        assert_eq!(nearest("image_name", &names), Some("imageName"));
        assert_eq!(nearest("it", &names), Some("id"));
        assert_eq!(nearest("price", &names), None);
        assert_eq!(nearest("x", &names), None);
    }
}
