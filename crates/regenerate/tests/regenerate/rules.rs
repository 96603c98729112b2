//! Rules of values: one that becomes tighter is to be checked by writers, one that becomes looser by
//! readers, and the other direction affects no running program.

use crate::support::report;

/// A description with these fields in a request and in a response.
fn described(sent: &str, read: &str, query: &str) -> String {
    format!(
        "openapi: 3.1.0
paths:
  /a:
    post:
      operationId: a
      parameters: [{{name: q, in: query, schema: {query}}}]
      requestBody: {{required: true, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Sent'}}}}}}}}
      responses: {{'200': {{description: It., content: {{application/json: {{schema: {{$ref: '#/components/schemas/Read'}}}}}}}}}}
components:
  schemas:
    Sent: {{type: object, properties: {{f: {sent}}}}}
    Read: {{type: object, properties: {{f: {read}}}}}
"
    )
}

const TIGHTER: &str = "values that were accepted may be refused";
const LOOSER: &str = "values may arrive that were ruled out";

/// The report on a field that changes in a request, a response and a parameter.
fn changed(name: &str, before: &str, now: &str) -> String {
    let same = |field: &str| described(field, field, field);
    report(name, &same(before), &same(now))
}

#[test]
fn a_rule_that_becomes_tighter_is_to_be_checked_by_writers_and_a_looser_one_by_readers() {
    for (index, (loose, tight, rule)) in [
        ("{type: integer}", "{type: integer, minimum: 1}", "minimum: nothing -> 1"),
        ("{type: integer, minimum: 1}", "{type: integer, minimum: 2}", "minimum: 1 -> 2"),
        ("{type: number, maximum: 9}", "{type: number, maximum: 8.5}", "maximum: 9 -> 8.5"),
        (
            "{type: number, exclusiveMinimum: 1}",
            "{type: number, exclusiveMinimum: 2}",
            "exclusiveMinimum: 1 -> 2",
        ),
        (
            "{type: number, maximum: 5}",
            "{type: number, maximum: 5, exclusiveMaximum: true}",
            "exclusiveMaximum: nothing -> 5",
        ),
        (
            "{type: integer, minimum: 0}",
            "{type: integer, minimum: 0, exclusiveMinimum: 0}",
            "exclusiveMinimum: nothing -> 0",
        ),
        ("{type: string}", "{type: string, minLength: 1}", "minLength: nothing -> 1"),
        ("{type: string, maxLength: 9}", "{type: string, maxLength: 8}", "maxLength: 9 -> 8"),
        ("{type: string}", "{type: string, pattern: ^a}", "pattern: nothing -> ^a"),
        ("{type: string}", "{type: string, enum: [a]}", "enum: nothing -> a list of values"),
        ("{type: string}", "{type: string, format: uuid}", "format: nothing -> uuid"),
        (
            "{type: integer, format: int64}",
            "{type: integer, format: int32}",
            "format: int64 -> int32",
        ),
        ("{type: integer, multipleOf: 2}", "{type: integer, multipleOf: 4}", "multipleOf: 2 -> 4"),
        (
            "{type: array, items: {type: string}}",
            "{type: array, items: {type: string}, minItems: 1}",
            "minItems: nothing -> 1",
        ),
        (
            "{type: array, items: {type: string}, maxItems: 3}",
            "{type: array, items: {type: string}, maxItems: 2}",
            "maxItems: 3 -> 2",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, items: {type: string}, uniqueItems: true}",
            "uniqueItems: nothing -> true",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, items: {type: string, minLength: 2}}",
            "[] minLength: nothing -> 2",
        ),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, additionalProperties: {type: string, maxLength: 2}}",
            "{} maxLength: nothing -> 2",
        ),
        (
            "{type: object, properties: {a: {}, b: {}}}",
            "{type: object, properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}",
            "anyOf required: nothing -> [[\"a\"],[\"b\"]]",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let report = changed(&format!("rules-{index}"), loose, tight);
        for line in [
            format!("changed     Sent.f {rule}; CHECK writers ({TIGHTER})"),
            format!("changed     POST /a (query q) {rule}; CHECK callers ({TIGHTER})"),
            format!("changed     Read.f {rule}"),
        ] {
            assert!(report.contains(&format!("  {line}\n")), "{line} is not in\n{report}");
        }
        let others = report.split_once("affect no running program").unwrap().1;
        assert!(others.contains("Read.f "), "{report}");

        let report = changed(&format!("rules-back-{index}"), tight, loose);
        let (name, values) = rule.split_once(": ").unwrap();
        let (from, to) = values.split_once(" -> ").unwrap();
        let line =
            format!("  changed     Read.f {name}: {to} -> {from}; CHECK readers ({LOOSER})\n");
        assert!(report.contains(&line), "{line} is not in\n{report}");
        assert!(!report.contains("writers") && !report.contains("callers"), "{report}");
        assert!(!report.contains("BREAKS"), "{report}");
    }
}

#[test]
fn a_rule_of_another_kind_is_to_be_checked_by_both() {
    for (index, (before, now, rule)) in [
        ("{type: string, pattern: ^a}", "{type: string, pattern: ^b}", "pattern: ^a -> ^b"),
        (
            "{type: object, if: {required: [a]}, then: {required: [b]}}",
            "{type: object, if: {required: [a]}, then: {required: [c]}}",
            r#"then: {"required":["b"]} -> {"required":["c"]}"#,
        ),
        (
            "{type: object, discriminator: {propertyName: k, mapping: {a: Sent, b: Read}}}",
            "{type: object, discriminator: {propertyName: k, mapping: {b: Sent, a: Read}}}",
            r#"discriminator: {"mapping":{"a":"Sent","b":"Read"},"propertyName":"k"} -> {"mapping":{"a":"Read","b":"Sent"},"propertyName":"k"}"#,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let report = changed(&format!("rules-other-{index}"), before, now);
        for line in [
            format!("Sent.f {rule}; CHECK writers ({TIGHTER})"),
            format!("Read.f {rule}; CHECK readers ({LOOSER})"),
        ] {
            assert!(report.contains(&line), "{line} is not in\n{report}");
        }
    }
}

/// Readers ignore the fields that they do not know.
#[test]
fn fields_that_are_no_longer_accepted_are_to_be_checked_by_writers_alone() {
    let open = "{type: object, properties: {a: {type: string}}}";
    let closed = "{type: object, additionalProperties: false, properties: {a: {type: string}}}";
    let report = changed("rules-closed", open, closed);
    let line = format!("Sent.f additionalProperties: nothing -> false; CHECK writers ({TIGHTER})");
    assert!(report.contains(&line), "{report}");
    let report = changed("rules-opened", closed, open);
    assert!(!report.contains("CHECK") && !report.contains("BREAKS"), "{report}");
}

#[test]
fn rules_that_move_to_a_named_schema_are_no_change() {
    let inline = described("{type: object, additionalProperties: false}", "{}", "{}");
    let named = described("{$ref: '#/components/schemas/Inner'}", "{}", "{}")
        + "    Inner: {type: object, additionalProperties: false}\n";
    let report = report("rules-named", &inline, &named);
    assert!(!report.contains("CHECK") && !report.contains("BREAKS"), "{report}");
}
