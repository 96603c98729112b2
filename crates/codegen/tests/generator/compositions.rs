//! Compositions of fields that several schemas describe: their number is bounded.

use std::fmt::Write as _;

use podqueue_codegen::{Generated, Source, rest};

use crate::support::{dense, described, item, lines};

/// A description with this number of pairs of schemas. The first of a pair extends the second, and
/// describes two of its fields again, by schemas of other pairs that lead on: `steps` are how many pairs
/// ahead those of the second and of the first are.
pub fn pairs(count: usize, steps: [[usize; 2]; 2]) -> String {
    let mut schemas = String::new();
    for pair in 0..count {
        let at = |step: usize| (pair + step) % count;
        let [child, next] = steps.map(|[wide, narrow]| {
            let reference =
                |kind: &str, step| format!("{{$ref: '#/components/schemas/{kind}{}'}}", at(step));
            [reference("Narrow", wide), reference("Wide", narrow)]
        });
        writeln!(
            schemas,
            "    Narrow{pair}: {{allOf: [{{$ref: '#/components/schemas/Wide{pair}'}}, {{type: object, properties: \
             {{n{pair}: {{type: string}}, child: {}, next: {}}}}}]}}
    Wide{pair}: {{type: object, properties: {{w{pair}: {{type: string}}, child: {}, next: {}}}}}",
            child[1], next[1], child[0], next[0],
        )
        .unwrap();
    }
    format!(
        "openapi: 3.0.3
info: {{title: Test, version: '1'}}
paths:
  /thing:
    get:
      operationId: getThing
      responses:
        '200': {{description: It., content: {{application/json: {{schema: {{$ref: '#/components/schemas/Narrow0'}}}}}}}}
components:
  schemas:
{schemas}"
    )
}

fn generated(count: usize) -> Generated {
    let description = pairs(count, [[1, 3], [3, 5]]);
    rest::generate(&Source::new("test.yaml", description))
        .unwrap_or_else(|it| panic!("{}", lines(&it)))
}

fn types(generated: &Generated) -> usize {
    generated.code.matches("\npub struct ").count() + generated.code.matches(" pub struct ").count()
}

#[test]
fn fields_that_narrow_each_other_have_all_fields() {
    let generated = generated(3);
    assert_eq!(lines(&generated.warnings), "");
    // A child of the first pair is one of the second, narrowed: it has the fields of three schemas.
    let code = &generated.code;
    let start = code.find("pub struct Narrow0 {").unwrap();
    assert!(code[start..].contains("pub w0: Option<String>"), "{code}");
    assert!(!code.contains("serde_json::Value"), "{code}");
}

#[test]
fn a_field_has_the_words_of_the_schema_that_says_all_of_it() {
    let generated = described(
        "openapi: 3.0.3
info: {title: Test, version: '1'}
paths: {/thing: {get: {operationId: getThing, responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}}}}
components:
  schemas:
    Base: {type: object, properties: {any: {type: object, description: General.}, own: {type: array, description: General., items: {type: object}}, both: {type: object, description: Both., properties: {a: {type: string}}}}}
    Named: {type: object, description: A name., properties: {name: {type: string}}}
    Thing:
      allOf:
        - {$ref: '#/components/schemas/Base'}
        - properties:
            any: {$ref: '#/components/schemas/Named'}
            own: {type: array, description: Its own., items: {$ref: '#/components/schemas/Named'}}
            both: {type: object, description: Its b., properties: {b: {type: string}}}
",
    );
    let thing = dense(item(&generated.code, "pub struct Thing {"));
    for field in [
        "/// A name. pub any: Option<Named>",
        "/// Its own. pub own: Vec<Named>",
        "/// Both. pub both: Option<ThingBoth>",
    ] {
        assert!(thing.contains(field), "{field} in {thing}");
    }
}

#[test]
fn fields_that_narrow_each_other_are_of_a_bounded_number_of_types() {
    // Every set of schemas may be that of a field: there are 2 to the 80th.
    let generated = generated(40);
    let count = types(&generated);
    assert!(count < 1000 + 80, "{count}");
    let warnings = lines(&generated.warnings);
    let is_named = |line: &str| {
        line.starts_with("test.yaml:") && line.contains("any value: several schemas describe what")
    };
    assert!(!warnings.is_empty() && warnings.lines().all(is_named), "{warnings}");
    // What is any value has a warning, and nothing else is.
    assert!(generated.code.contains("serde_json::Value"));
}

#[test]
fn fields_that_extend_what_is_around_them_are_of_as_many_types() {
    // Each field extends the schema that has all of them.
    let fields = |extended: &dyn Fn(usize) -> String| {
        (0..30).map(|it| format!("f{it}: {}", extended(it))).collect::<Vec<_>>().join(", ")
    };
    let extended = |it| {
        format!(
            "{{allOf: [{{$ref: '#/components/schemas/Thing'}}, {{type: object, properties: {{own{it}: {{type: string}}}}}}]}}"
        )
    };
    let generated = crate::support::thing(&fields(&extended));
    assert_eq!(lines(&generated.warnings), "");
    assert!(types(&generated) <= 33, "{}", types(&generated));
    assert!(!generated.code.contains("serde_json::Value"));
}

/// A description with unions within branches of unions, this many.
pub fn nested(count: usize) -> String {
    let union = (0..count).fold("{type: integer}".to_owned(), |inner, _| {
        format!("{{oneOf: [{{type: string}}, {{type: object, required: [a], properties: {{a: {inner}}}}}]}}")
    });
    format!(
        "openapi: 3.0.3
info: {{title: Test, version: '1'}}
paths: {{/thing: {{get: {{operationId: getThing, responses: {{'200': {{description: It., content: {{application/json: {{schema: {union}}}}}}}}}}}}}}}
"
    )
}

#[test]
fn what_is_within_too_many_unions_is_any_value_with_a_warning() {
    let whole = described(&nested(6));
    assert_eq!(lines(&whole.warnings), "");
    assert!(whole.code.contains("a: Option<i64>"), "{}", whole.code);
    let cut = described(&nested(8));
    let warnings = lines(&cut.warnings);
    assert!(warnings.contains("this is any value: it is within more than 6 unions"), "{warnings}");
    assert!(!cut.code.contains("a: Option<i64>"), "{}", cut.code);
}
