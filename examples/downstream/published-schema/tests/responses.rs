//! Responses beyond the schema, and unusual names on the wire.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]
#![allow(deprecated, reason = "services deprecate what they go on to send")]

use podqueue::graphql::Operation;
use published_schema::types::{BoxType, By, Kind, OptionType, PetInput2, SelfType, VariablesType};
use published_schema::{Everything, everything, odd};
use serde_json::{from_value, json, to_value};

#[test]
fn nulls_unknown_fields_and_unknown_types() {
    let data: everything::ResponseData = from_value(json!({
        "node": {"__typename": "Rocket", "id": "1", "thrust": 3},
        "pet": null,
        "any": {"__typename": "Rocket", "thrust": 3},
        "more": [1, 2],
    }))
    .unwrap();
    let node = data.node.unwrap();
    assert_eq!(node.id, "1");
    assert!(matches!(node.on, everything::EverythingNodeOn::Unknown));
    assert_eq!(data.pet, None);
    assert_eq!(data.any, Some(everything::EverythingAny::Unknown));
}

#[test]
fn members_of_a_union_and_fragments() {
    let data: everything::ResponseData = from_value(json!({
        "node": {
            "__typename": "Pet", "id": "1", "name": null,
            "self": {"id": "2", "name": "Rex", "title": "Sir"},
        },
        "pet": {"id": "3", "name": "Tom", "self": "3"},
        "any": {"__typename": "fish", "fn": 7},
    }))
    .unwrap();
    let everything::EverythingNodeOn::Pet(pet) = data.node.unwrap().on else { panic!() };
    let itself = pet.self_.unwrap();
    assert_eq!((itself.looks.id.as_str(), itself.title.as_deref()), ("2", Some("Sir")));
    assert_eq!(data.pet.unwrap().name.as_deref(), Some("Tom"));
    let Some(everything::EverythingAny::fish(fish)) = data.any else { panic!() };
    assert_eq!(fish.fn_, Some(7));
}

#[test]
fn enums_take_values_that_came_later() {
    let data: odd::ResponseData = from_value(json!({"odd": "b"})).unwrap();
    assert_eq!(data.odd, Some(BoxType::Other("b".to_owned())));
    assert_eq!(Kind::from("fish"), Kind::Fish);
    // The name that is one of Rust already keeps it.
    assert_eq!(SelfType::from("A"), SelfType::A);
    assert_eq!(SelfType::A2.as_str(), "a");
}

#[test]
fn odd_names_go_out_as_the_schema_has_them() {
    let input = OptionType {
        not_2: Some(Box::default()),
        fn_: Some(vec![None]),
        kind: Some(Kind::Other("NEW".to_owned())),
        ..Default::default()
    };
    assert_eq!(to_value(&input).unwrap(), json!({"_not": {}, "fn": [null], "kind": "NEW"}));
    let variables = odd::Variables {
        p: Some(PetInput2 { a: Some(VariablesType { a_2: Some(1), ..Default::default() }) }),
        ..Default::default()
    };
    assert_eq!(to_value(&variables).unwrap()["p"]["a"].as_object().unwrap().len(), 1);
    let by = everything::Variables { by: Some(By::Id("1".to_owned())), kind: None, at: None };
    assert_eq!(to_value(&by).unwrap(), json!({"by": {"id": "1"}}));
    assert!(Everything::TEXT.starts_with("query Everything($kind: Kind, $at: at, $by: By) {"));
}
