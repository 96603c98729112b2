//! Samples conform to their schemas, are the same for a seed, end in recursive schemas, and have
//! the tags of the branches that they are made of.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use podqueue_fake::{Description, Sampler, component};
use serde_json::{Value, json};

fn description() -> Description {
    Description::new(json!({
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
        } },
    }))
    .unwrap()
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
fn a_schema_without_values_has_no_sample() {
    let description = description();
    let mut sampler = Sampler::new(&description, 7);
    let refused = sampler.sample(&component("Never")).unwrap_err().to_string();
    assert!(refused.contains("is not of type"), "{refused}");
    assert_eq!(sampler.discarded(), 25);
    let refused = sampler.sample("/components/schemas/Unknown").unwrap_err().to_string();
    assert!(refused.contains("cannot be compiled"), "{refused}");
}
