//! Samples conform to their schemas, are the same for a seed, end in recursive schemas, and have
//! the tags of the branches that they are made of.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use podqueue_fake::{Description, Sampler, component};
use serde_json::{Value, json};

fn description() -> Description {
    let mut description = schemas();
    let schemas = description["components"]["schemas"].as_object_mut().unwrap();
    schemas.extend(bases().as_object().unwrap().clone());
    Description::new(description).unwrap()
}

/// Schemas that others extend, and integers of wide ranges.
fn bases() -> Value {
    json!({
        "Base": {
            "type": "object", "required": ["v"], "properties": { "v": { "type": "integer" } },
            "discriminator": { "propertyName": "v", "mapping": {
                "0": "Base", "1": "#/components/schemas/BaseOne", "2": "BaseTwo",
            } },
        },
        "BaseOne": { "allOf": [{ "$ref": "#/components/schemas/Base" }, {
            "required": ["one"], "properties": { "one": { "type": "boolean" } },
        }] },
        "BaseTwo": { "allOf": [{ "$ref": "#/components/schemas/Base" }, {
            "required": ["two"], "properties": { "two": { "type": "boolean" } },
        }], "discriminator": { "propertyName": "v", "mapping": {
            "2": "BaseTwo", "3": "BaseThree",
        } } },
        "BaseThree": { "allOf": [{ "$ref": "#/components/schemas/BaseTwo" }] },
        "Holder": { "required": ["base"], "properties": { "base": {
            "allOf": [{ "$ref": "#/components/schemas/Base" }],
            "properties": { "own": { "type": "boolean" } },
        } } },
        "Release": {
            "oneOf": [
                { "$ref": "#/components/schemas/FirstRelease" },
                { "$ref": "#/components/schemas/LaterRelease" },
            ],
            "discriminator": { "propertyName": "version", "mapping": { "1": "FirstRelease" },
                "defaultMapping": "LaterRelease" },
        },
        "FirstRelease": { "type": "object", "properties": {
            "version": { "type": "integer" }, "date": { "type": "string" },
        } },
        "LaterRelease": { "type": "object", "properties": {
            "version": { "type": "integer" }, "date": { "type": "integer" },
        } },
        "Wide": { "type": "object", "required": ["above", "unsigned", "third"], "properties": {
            "above": { "type": "integer", "minimum": 9_223_372_036_854_775_808_u64 },
            "unsigned": { "type": "integer", "format": "uint64" },
            "third": { "type": "integer", "minimum": 0.5, "maximum": 10.5, "multipleOf": 3 },
        } },
        "Policy": {
            "type": "object", "required": ["name"],
            "properties": { "name": { "enum": ["Default", "Bandit"] } },
            "discriminator": { "propertyName": "name" },
        },
        "DefaultPolicy": { "allOf": [{ "$ref": "#/components/schemas/Policy" }],
            "x-ms-discriminator-value": "Default" },
        "BanditPolicy": { "allOf": [{ "$ref": "#/components/schemas/Policy" }, {
            "required": ["slack"], "properties": { "slack": { "type": "number" } },
        }], "x-ms-discriminator-value": "Bandit" },
    })
}

fn schemas() -> Value {
    json!({
        "openapi": "3.0.3",
        "components": { "schemas": {
            "Tree": { "type": "object", "required": ["children"], "properties": {
                "children": { "type": "array", "items": { "$ref": "#/components/schemas/Tree" } },
                "parent": { "$ref": "#/components/schemas/Tree" },
            } },
            "Pet": {
                "oneOf": [
                    { "$ref": "#/components/schemas/Dog" },
                    { "$ref": "#/components/schemas/Cat" },
                ],
                "discriminator": { "propertyName": "kind", "mapping": {
                    "hound": "#/components/schemas/Dog",
                } },
            },
            // Each branch extends the union.
            "Dog": { "allOf": [{ "$ref": "#/components/schemas/Named" }, { "properties": {
                "bark": { "type": "boolean" },
            } }] },
            "Cat": { "allOf": [{ "$ref": "#/components/schemas/Named" }, { "required": ["lives"],
                "properties": { "lives": { "type": "integer", "minimum": 0, "maximum": 9,
                    "exclusiveMaximum": true } },
            } ] },
            "Named": { "type": "object", "required": ["name", "kind", "secret"], "properties": {
                "name": { "type": "string", "pattern": "^[A-Z][a-z]{2,5}$" },
                "kind": { "type": "string" },
                "at": { "type": "string", "format": "date-time", "nullable": true },
                "secret": { "type": "string", "writeOnly": true },
            } },
            "Never": { "allOf": [{ "type": "string" }, { "type": "integer" }] },
            "Endless": { "type": "object", "required": ["next"], "properties": {
                "next": { "$ref": "#/components/schemas/Endless" },
            } },
            // A union of two types that extend it, told apart by what they list.
            "Party": {
                "oneOf": [
                    { "$ref": "#/components/schemas/Person" },
                    { "$ref": "#/components/schemas/Company" },
                ],
                "discriminator": { "propertyName": "type", "mapping": {
                    "person": "#/components/schemas/Person",
                    "company": "#/components/schemas/Company",
                } },
            },
            "Person": { "allOf": [{ "$ref": "#/components/schemas/Party" }, { "properties": {
                "born": { "type": "string", "format": "date" },
            } }] },
            "Company": { "allOf": [{ "$ref": "#/components/schemas/Party" }, { "properties": {
                "owner": { "$ref": "#/components/schemas/Party" },
            } }] },
            "Versioned": {
                "oneOf": [
                    { "$ref": "#/components/schemas/First" },
                    { "$ref": "#/components/schemas/Second" },
                ],
                "discriminator": { "propertyName": "version", "mapping": {
                    "1": "#/components/schemas/First",
                    "2": "#/components/schemas/AliasOfSecond",
                } },
            },
            "AliasOfSecond": { "$ref": "#/components/schemas/Second" },
            "First": { "type": "object", "properties": { "version": { "type": "integer" } } },
            "Second": { "type": "object", "properties": { "version": { "enum": [2] } } },
            "Message": {
                "oneOf": [
                    { "$ref": "#/components/schemas/Text" },
                    { "$ref": "#/components/schemas/Image" },
                ],
                "discriminator": { "propertyName": "type" },
            },
            "Text": { "properties": { "type": { "enum": ["text"] } } },
            "Image": { "properties": { "type": { "enum": ["image"] } } },
            // Mistakes of published descriptions.
            "Page[Pet]": { "type": "object", "required": ["size", "size"], "properties": {
                "size": { "type": "integer", "minimum": "0", "maximum": 9, "description": 7 },
                "kind": { "type": "any" },
                "empty": { "type": "string", "enum": [] },
                "gone": { "$ref": "#/components/schemas/Gone" },
                "elsewhere": { "$ref": "other.yaml#/Thing" },
                "next": { "$ref": "#/components/schemas/Page[Pet]" },
            } },
        } },
    })
}

fn samples(seed: u64, name: &str) -> Vec<Value> {
    let description = description();
    let mut sampler = Sampler::new(&description, seed);
    (0..200).map(|_| sampler.sample(&component(name)).unwrap()).collect()
}

#[test]
fn the_same_seed_gives_the_same_values() {
    assert_eq!(samples(7, "Pet"), samples(7, "Pet"));
    assert_ne!(samples(7, "Pet"), samples(8, "Pet"));
}

#[test]
fn recursion_ends() {
    let trees = samples(7, "Tree");
    assert!(trees.iter().any(|it| it["children"][0]["children"].is_array()), "{trees:?}");
    assert!(trees.iter().all(|it| it.to_string().len() < 20_000));
}

#[test]
fn values_have_what_their_branch_has() {
    let (mut cats, mut nulls, mut secrets) = (0, 0, 0);
    for pet in samples(7, "Pet") {
        let name = pet["name"].as_str().unwrap();
        assert!((3..=6).contains(&name.len()) && name.is_ascii(), "{pet}");
        match pet["kind"].as_str().unwrap() {
            "hound" => {}
            "Cat" => {
                assert!((0..9).contains(&pet["lives"].as_i64().unwrap()), "{pet}");
                cats += 1;
            }
            kind => panic!("{kind}"),
        }
        nulls += usize::from(pet.get("at").is_some_and(Value::is_null));
        secrets += usize::from(pet.get("secret").is_some());
    }
    assert!(cats > 20 && nulls > 10, "{cats} {nulls}");
    // It is only written: a response may have it, and need not.
    assert!((1..200).contains(&secrets), "{secrets}");
}

#[test]
fn a_type_that_extends_its_union_has_its_own_tag() {
    for company in samples(7, "Company") {
        assert_eq!(company["type"], "company", "{company}");
    }
    let owners = samples(7, "Company");
    let owners: Vec<_> = owners.iter().map(|it| it["owner"]["type"].clone()).collect();
    assert!(owners.contains(&json!("person")) && owners.contains(&json!("company")), "{owners:?}");
}

#[test]
fn tags_are_numbers_where_those_of_the_branch_are() {
    let pointer = component("Versioned");
    for seed in 0..20 {
        for value in samples(seed, "Versioned") {
            assert!(matches!(value["version"].as_u64(), Some(1 | 2)), "{value}");
        }
    }
    description().check(&pointer, &json!({ "version": 1 })).unwrap();
    description().check(&pointer, &json!({ "version": "1" })).unwrap_err();
}

#[test]
fn a_value_of_a_base_is_one_of_the_schemas_that_extend_it() {
    let bases = samples(7, "Base");
    for (v, field) in [(1, "one"), (2, "two"), (0, "v")] {
        let is_one = |it: &&Value| it["v"] == v && it.get(field).is_some();
        assert!(bases.iter().any(|it| is_one(&it)), "{v}: {bases:?}");
    }
    assert!(bases.iter().all(|it| matches!(it["v"].as_u64(), Some(0..=3))), "{bases:?}");
    // A branch has its own tag, that of the nearest base.
    assert!(samples(7, "BaseOne").iter().all(|it| it["v"] == 1));
    assert!(samples(7, "BaseTwo").iter().all(|it| it["v"] == 2 || it["v"] == 3));
    assert!(samples(7, "BaseThree").iter().all(|it| it["v"] == 3));
    let policies = samples(7, "Policy");
    assert!(policies.iter().all(|it| it.get("slack").is_some() == (it["name"] == "Bandit")));
    assert!(policies.iter().any(|it| it["name"] == "Default"), "{policies:?}");
    // What extends it inline is no such branch.
    let holders = samples(7, "Holder");
    assert!(holders.iter().all(|it| it["base"].get("one").is_none()), "{holders:?}");
}

#[test]
fn a_default_branch_has_no_tag_of_another() {
    let description = description();
    let check = |value: Value| description.check(&component("Release"), &value).is_ok();
    for (value, expected) in [
        (json!({ "version": 1, "date": "d" }), true),
        (json!({ "version": 1, "date": 5 }), false),
        (json!({ "version": 2, "date": 5 }), true),
        (json!({ "date": 5 }), true),
    ] {
        assert_eq!(check(value.clone()), expected, "{value}");
    }
    let releases = samples(7, "Release");
    for is_kind in [
        (|it: &Value| it["version"] == 1) as fn(&Value) -> bool,
        |it| it.get("version").is_none(),
        |it| it.get("version").is_some_and(|it| *it != 1),
    ] {
        assert!(releases.iter().any(is_kind), "{releases:?}");
    }
}

#[test]
fn integers_fill_the_range_that_is_stated() {
    for value in samples(7, "Wide") {
        assert!(value["above"].as_u64().unwrap() > i64::MAX.cast_unsigned(), "{value}");
        assert!(value["third"].as_i64().unwrap() % 3 == 0, "{value}");
    }
    assert!(samples(7, "Wide").iter().any(|it| it["unsigned"].as_u64() == Some(u64::MAX)));
}

#[test]
fn a_branch_has_the_tags_that_it_lists() {
    let messages = samples(7, "Message");
    for kind in ["text", "image"] {
        assert!(messages.iter().any(|it| it["type"] == kind), "{messages:?}");
    }
}

#[test]
fn mistakes_in_a_schema_leave_it_samples() {
    let pages = samples(7, "Page[Pet]");
    assert!(pages.iter().all(|it| it["size"].as_i64().unwrap() <= 9 && it.get("empty").is_none()));
    assert!(pages.iter().any(|it| it["next"]["size"].is_i64()), "{pages:?}");
    assert!(pages.iter().any(|it| it.get("gone").is_some()), "{pages:?}");
}

#[test]
fn a_schema_without_values_has_no_sample() {
    let description = description();
    let mut sampler = Sampler::new(&description, 7);
    let refused = sampler.sample(&component("Never")).unwrap_err().to_string();
    assert!(refused.contains("is not of type"), "{refused}");
    assert_eq!(sampler.discarded(), 25);
    let refused = sampler.sample(&component("Endless")).unwrap_err().to_string();
    assert_eq!(refused, "the schema requires itself recursively, so no value is finite");
    let refused = sampler.sample("/components/schemas/Unknown").unwrap_err().to_string();
    assert!(refused.contains("cannot be compiled"), "{refused}");
}
