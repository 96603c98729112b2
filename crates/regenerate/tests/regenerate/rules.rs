//! Rules of values: one that becomes tighter is to be checked by writers, one that becomes looser by
//! readers, and the other direction affects no running program.

use crate::support::{Checkout, report};

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
            "{type: array, items: {type: object, additionalProperties: {type: string}}}",
            "{type: array, items: {type: object, additionalProperties: {type: string, maxLength: 2}}}",
            "[]{} maxLength: nothing -> 2",
        ),
        (
            "{oneOf: [{type: integer}, {type: string}]}",
            "{oneOf: [{type: integer}, {type: string, maxLength: 2}]}",
            "|2 maxLength: nothing -> 2",
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

/// The lines of the report on a field, without the two spaces in front.
fn lines_of(name: &str, before: &str, now: &str) -> Vec<String> {
    let report = changed(name, before, now);
    let lines = report.lines().filter_map(|line| line.strip_prefix("  changed     "));
    lines.map(str::to_owned).collect()
}

#[test]
fn null_that_is_no_longer_accepted_breaks_writers_alone() {
    for (index, (before, now)) in [
        ("{type: [string, 'null']}", "{type: string}"),
        ("{type: string, nullable: true}", "{type: string}"),
        ("{anyOf: [{type: string}, {type: 'null'}]}", "{type: string}"),
        ("{type: [string, 'null']}", "{type: [string, 'null'], enum: [a]}"),
        (
            "{oneOf: [{$ref: '#/components/schemas/Named'}, {type: 'null'}]}",
            "{$ref: '#/components/schemas/Named'}",
        ),
        ("{oneOf: [{$ref: '#/components/schemas/Named'}, {type: 'null'}]}", "{type: string}"),
    ]
    .into_iter()
    .enumerate()
    {
        let named = "    Named: {type: string}\n";
        let of = |field: &str| described(field, field, "{type: string}") + named;
        let of_report = report(&format!("rules-null-{index}"), &of(before), &of(now));
        let line = "Sent.f null: accepted -> refused; BREAKS writers (it must no longer be null)";
        assert!(of_report.contains(line), "{line} is not in\n{of_report}");
        assert!(!of_report.contains("readers (it"), "{of_report}");
        let back = report(&format!("rules-null-back-{index}"), &of(now), &of(before));
        assert!(back.contains("Sent.f null: refused -> accepted; source change"), "{back}");
        assert!(!back.contains("BREAKS"), "{back}");
    }
    let lines = lines_of(
        "rules-null-within",
        "{type: array, items: {type: [integer, 'null']}}",
        "{type: array, items: {type: integer}}",
    );
    let line = "Sent.f [] null: accepted -> refused; BREAKS writers (it must no longer be null)";
    assert!(lines.iter().any(|it| it == line), "{lines:?}");
}

/// A change of a named schema is listed at its name, once.
#[test]
fn null_and_the_default_of_a_named_schema_are_compared() {
    let named = |of: &str| {
        let field = "{$ref: '#/components/schemas/Named'}";
        described(field, "{}", field) + &format!("    Named: {of}\n")
    };
    let report_of = report(
        "rules-named-null",
        &named("{type: [string, 'null'], default: a}"),
        &named("{type: string, default: b}"),
    );
    assert_eq!(
        report_of,
        "REST description, openapi/shop.yaml: 2 changes, 1 of them breaking
  changed     Named: string = \"a\" -> string = \"b\"; CHECK writers (what is left out has another meaning)
  changed     Named null: accepted -> refused; BREAKS writers (it must no longer be null)
"
    );
    // A default beside the name replaces that of the named schema.
    let beside = described("{$ref: '#/components/schemas/Named', default: c}", "{}", "{}")
        + "    Named: {type: string, default: a}\n";
    let without = beside.replace(", default: c", "");
    for (name, before, now, line) in [
        ("beside", &without, &beside, "Sent.f: Named = \"a\" -> Named = \"c\"; CHECK writers"),
        ("alone", &beside, &without, "Sent.f: Named = \"c\" -> Named = \"a\"; CHECK writers"),
    ] {
        let report_of = report(&format!("rules-default-{name}"), before, now);
        assert!(report_of.contains(line), "{report_of}");
        assert!(!report_of.contains("changed     Named"), "{report_of}");
    }
    let gone = lines_of(
        "rules-default-gone",
        "{type: string, allOf: [{default: a}]}",
        "{type: string, allOf: [{}]}",
    );
    let line =
        "Sent.f: string = \"a\" -> string; CHECK writers (what is left out has another meaning)";
    assert!(gone.iter().any(|it| it == line), "{gone:?}");
}

#[test]
fn all_parts_of_a_composition_narrow_its_values() {
    let whole = "{allOf: [{type: string, enum: [a, b]}]}";
    let narrowed = "{allOf: [{type: string, enum: [a, b]}, {enum: [a]}]}";
    let report_of = changed("rules-parts-enum", whole, narrowed);
    let line = "removed     Sent.f.b; BREAKS writers (it has no effect, or is refused)";
    assert!(report_of.contains(line), "{report_of}");
    let lines = lines_of(
        "rules-parts-maximum",
        "{type: integer, maximum: 9}",
        "{type: integer, maximum: 9, allOf: [{maximum: 7}, {maximum: 8}]}",
    );
    let line = format!("Sent.f maximum: 9 -> 7; CHECK writers ({TIGHTER})");
    assert!(lines.contains(&line), "{lines:?}");
    let lines = lines_of(
        "rules-parts-pattern",
        "{type: string, pattern: ^a}",
        "{type: string, pattern: ^a, allOf: [{pattern: b$}]}",
    );
    assert!(lines.iter().any(|it| it.contains("CHECK writers")), "{lines:?}");
}

#[test]
fn a_field_that_becomes_read_only_or_write_only_breaks_those_who_have_used_it() {
    let lines = lines_of("rules-read-only", "{type: string}", "{type: string, readOnly: true}");
    let line = "Sent.f readOnly: nothing -> true; BREAKS writers (it has no effect, or is refused)";
    assert!(lines.iter().any(|it| it == line), "{lines:?}");
    assert!(lines.iter().any(|it| it == "Read.f readOnly: nothing -> true"), "{lines:?}");
    let lines = lines_of("rules-write-only", "{type: string}", "{type: string, writeOnly: true}");
    let line = "Read.f writeOnly: nothing -> true; BREAKS readers (it is no longer sent)";
    assert!(lines.iter().any(|it| it == line), "{lines:?}");
    assert!(lines.iter().any(|it| it == "Sent.f writeOnly: nothing -> true"), "{lines:?}");
    // What a request does not contain may change.
    let read_only = "{type: string, readOnly: true}";
    let removed = report(
        "rules-read-only-gone",
        &described(read_only, "{}", "{}"),
        &described(read_only, "{}", "{}").replace("f:", "g:"),
    );
    assert!(!removed.contains("writers (it"), "{removed}");
}

#[test]
fn a_tag_that_changes_breaks_both_and_one_that_comes_is_to_be_checked() {
    let tagged = |discriminator: &str| {
        let member = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
        format!("{{oneOf: [{}, {}]{discriminator}}}", member("Cat"), member("Dog"))
    };
    let of = |discriminator: &str| {
        let field = tagged(discriminator);
        let tags = "properties: {k: {type: string}, t: {type: string}}";
        described(&field, &field, "{type: string}")
            + &format!("    Cat: {{type: object, {tags}}}\n    Dog: {{type: object, {tags}}}\n")
    };
    let by = |name: &str, mapping: &str| {
        of(&format!(", discriminator: {{propertyName: {name}{mapping}}}"))
    };
    let cat_dog = ", mapping: {c: '#/components/schemas/Cat', d: '#/components/schemas/Dog'}";
    let differently = "BREAKS readers (its values are told apart differently)";
    for (name, before, now, lines) in [
        (
            "tag",
            by("k", ""),
            by("t", ""),
            vec![
                format!("Read.f discriminator: k -> t; {differently}"),
                "Sent.f discriminator: k -> t; BREAKS writers".to_owned(),
            ],
        ),
        (
            "swapped",
            by("k", cat_dog),
            by("k", &cat_dog.replace("Cat", "x").replace("Dog", "Cat").replace('x', "Dog")),
            vec![
                format!("Read.f discriminator mapping c: Cat -> Dog; {differently}"),
                "Sent.f discriminator mapping d: Dog -> Cat; BREAKS writers".to_owned(),
            ],
        ),
        (
            "values",
            by("k", ""),
            by("k", cat_dog),
            vec!["Sent.f discriminator mapping Cat: Cat -> nothing; BREAKS writers".to_owned()],
        ),
        (
            "new",
            of(""),
            by("k", cat_dog),
            vec![format!("Sent.f discriminator: nothing -> k; CHECK writers ({TIGHTER})")],
        ),
    ] {
        let report_of = report(&format!("rules-tag-{name}"), &before, &now);
        for line in lines {
            assert!(report_of.contains(&line), "{line} is not in\n{report_of}");
        }
    }
    let explicit = ", mapping: {Cat: '#/components/schemas/Cat'}";
    let same = report("rules-tag-same", &by("k", ""), &by("k", explicit));
    assert!(same.contains("not in anything that affects"), "{same}");
}

#[test]
fn a_number_that_is_written_differently_is_no_change() {
    let of = |rules: &str| {
        let field = format!("{{type: number, {rules}}}");
        described(&field, &field, &field)
    };
    let checkout = Checkout::new("rules-numbers")
        .write("openapi/shop.yaml", &of("maximum: 1, default: 1, enum: [1, 2]"))
        .write("now.yaml", &of("maximum: 1.0, default: 1.0, enum: [2.0, 1.0]"));
    let run = checkout.run(&["--rest", "now.yaml", "--check"]);
    assert!(run.code == 0 && run.out.contains("no drift"), "{}", run.out);
}
