//! Leniency of generated types: no field is required, no enum is closed, no default is invented.

use crate::support::{above, dense, item, thing};

#[test]
fn every_field_may_be_absent_or_null() {
    let code = thing(
        "id: {type: string}, size: {type: integer}, price: {type: number}, on: {type: boolean}, \
         list: {type: array, items: {}}, map: {type: object, additionalProperties: {properties: {a: {}}}}, \
         free: {type: object}",
    )
    .code;
    let object = dense(item(&code, "__runtime::__private::object! {"));
    for (field, ty) in [
        ("id", "Option<String>,"),
        ("on", "Option<bool>,"),
        ("size", "Option<i64>,"),
        ("price", "Option<f64>,"),
        ("list", "Vec<__runtime::__private::serde_json::Value>,"),
        ("map", "HashMap<String, ThingMapValue>,"),
        ("free", "__runtime::__private::serde_json::Map<"),
    ] {
        assert!(code.contains(&format!("pub {field}: {ty}")), "{field}");
        assert!(object.contains(&format!("\"{field}\" {field} optional")), "{object}");
    }
}

#[test]
fn items_of_lists_and_maps_are_typed() {
    let code = thing(
        "sizes: {type: array, items: {type: integer}}, \
         grid: {type: array, items: {type: array, items: {type: number}}}, \
         gaps: {type: array, items: {type: string, nullable: true}}, \
         costs: {type: object, additionalProperties: {type: number}}, \
         flags: {type: array, items: {type: boolean}}, \
         kinds: {type: array, items: {type: string, enum: [a]}}",
    )
    .code;
    for (field, ty) in [
        ("sizes", "Vec<i64>"),
        ("grid", "Vec<Vec<f64>>"),
        ("gaps", "Vec<Option<String>>"),
        ("flags", "Vec<bool>"),
        ("kinds", "Vec<ThingKindsItem>"),
        ("costs", "HashMap<String, f64>"),
    ] {
        assert!(code.contains(&format!("pub {field}: {ty},")), "{field}");
    }
}

#[test]
fn branches_of_an_untagged_union_are_distinguished_by_their_json() {
    let code = thing(
        "id: {type: string}, \
         of: {oneOf: [{type: object, properties: {a: {type: string}}}, {type: integer}]}, \
         or: {oneOf: [{type: object, properties: {b: {type: string}}}, {type: array, items: {type: string}}]}",
    )
    .code;
    assert!(dense(item(&code, "__runtime::__private::object! {")).contains("id optional;"));
    let code = dense(&code);
    assert!(code.contains("ThingOf Other { Integer[] Object[0 \"a\" a optional;] }"), "{code}");
    assert!(code.contains("ThingOr Other { Array[] Object[0 \"b\" b optional;] }"), "{code}");
}

#[test]
fn required_fields_of_a_response_are_optional() {
    let made = crate::support::described(
        "openapi: 3.0.3
paths:
  /a: {get: {responses: {200: {description: A, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}}}
components: {schemas: {Thing: {type: object, required: [id], properties: {id: {type: string}}}}}",
    );
    assert!(made.code.contains("pub id: Option<String>,"));
}

#[test]
fn an_enum_keeps_unknown_values() {
    let code =
        thing("status: {type: string, description: How it is., enum: [RUNNING, in-queue, Other]}")
            .code;
    let variants = item(&code, "pub enum ThingStatus {");
    for variant in ["Running,", "InQueue,", "Other,", "Other2(String),"] {
        assert!(variants.contains(variant), "{variant} is not in {variants}");
    }
    assert!(above(&code, "pub enum ThingStatus").contains("#[non_exhaustive]"));
    let text = dense(item(&code, "__runtime::__private::open_enum! {"));
    for value in ["InQueue \"in-queue\";", "Other \"Other\";", "ThingStatus Other2 {"] {
        assert!(text.contains(value), "{value} is not in {text}");
    }
    assert!(!code.contains("TryFrom"), "a value that is not known is no error");
}

#[test]
fn a_response_may_get_more_fields() {
    let code = thing("id: {type: string}").code;
    assert!(above(&code, "pub struct Thing").contains("#[non_exhaustive]"));
    assert!(dense(item(&code, "__runtime::__private::object! {")).ends_with("default }"));
}

#[test]
fn descriptions_are_the_docs() {
    let code = thing(
        "memoryInGb: {type: number, description: RAM in GB.}, bare: {type: string}, \
         status: {type: string, description: How it is., enum: [A]}, \
         inner: {type: object, description: What is inside., properties: {a: {type: string}}}",
    )
    .code;
    assert!(above(&code, "pub memory_in_gb").contains("/// RAM in GB.\n"));
    assert!(above(&code, "pub bare").contains("/// The field `bare`.\n"));
    assert!(above(&code, "pub enum ThingStatus").contains("/// How it is.\n"));
    assert!(above(&code, "A,").contains("/// `A`.\n"));
    assert!(above(&code, "pub struct ThingInner").contains("/// What is inside.\n"));
}

#[test]
fn null_and_absent_are_apart_in_what_is_sent() {
    let code = crate::support::described(
        "openapi: 3.1.0
paths:
  /a: {patch: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Change'}}}}, responses: {200: {description: A, content: {application/json: {schema: {$ref: '#/components/schemas/Seen'}}}}}}}
components:
  schemas:
    MaybeName: {type: [string, 'null']}
    Owner: {properties: {id: {type: string}}}
    Seen: {type: object, properties: {note: {type: [string, 'null']}}}
    Change:
      type: object
      required: [must]
      properties:
        note: {type: [string, 'null'], description: What to remember.}
        tags: {type: [array, 'null'], items: {type: string}}
        map: {type: [object, 'null'], additionalProperties: {type: integer}}
        kind: {enum: [a, null]}
        name: {$ref: '#/components/schemas/MaybeName'}
        owner: {oneOf: [{$ref: '#/components/schemas/Owner'}, {type: 'null'}]}
        inner: {type: [object, 'null'], properties: {more: {type: [boolean, 'null']}}}
        parent: {anyOf: [{$ref: '#/components/schemas/Change'}, {type: 'null'}]}
        must: {type: [string, 'null']}
        plain: {type: string}
        seen: {type: [string, 'null'], readOnly: true}
        any: {}",
    )
    .code;
    let change = item(&code, "pub struct Change {");
    for (field, ty) in [
        ("note", "Option<Option<String>>"),
        ("tags", "Option<Option<Vec<String>>>"),
        ("map", "Option<Option<HashMap<String, i64>>>"),
        ("kind", "Option<Option<ChangeKind>>"),
        ("name", "Option<Option<String>>"),
        ("owner", "Option<Option<Owner>>"),
        ("inner", "Option<Option<ChangeInner>>"),
        ("parent", "Option<Option<Box<Change>>>"),
        ("must", "Option<String>"),
        ("plain", "Option<String>"),
        ("seen", "Option<String>"),
        ("any", "Option<__runtime::__private::serde_json::Value>"),
    ] {
        assert!(change.contains(&format!("pub {field}: {ty},")), "{field} in {change}");
    }
    assert!(change.contains("/// `None` is an absent field, `Some(None)` is null."), "{change}");
    assert!(item(&code, "pub struct ChangeInner {").contains("pub more: Option<Option<bool>>,"));
    assert!(item(&code, "pub struct Seen {").contains("pub note: Option<String>,"));
}

#[test]
fn the_branches_of_a_union_name_no_crate_but_the_runtime() {
    let code = thing(
        "of: {oneOf: [{type: object, required: [a], properties: {a: {type: string}}}, {type: object}]}",
    )
    .code;
    assert!(dense(&code).contains("Object[{ ;;; }]"), "{code}");
    let mut foreign = code.match_indices("::serde").map(|(place, _)| code[..place].to_owned());
    assert!(foreign.all(|before| before.ends_with("__private")), "{code}");
}
