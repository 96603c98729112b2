//! Several descriptions in one folder, and descriptions in several files.

use crate::support::Checkout;

fn described(field: &str) -> String {
    format!(
        "openapi: 3.0.3
paths:
  /type: {{get: {{operationId: match, responses: {{'200': {{description: It., content: {{application/json: {{schema: {{$ref: '#/components/schemas/Self'}}}}}}}}}}}}}}
components: {{schemas: {{Self: {{type: object, properties: {{{field}: {{type: string}}}}}}}}}}
"
    )
}

#[test]
fn one_of_several_descriptions_is_named() {
    let checkout = Checkout::new("several")
        .write("openapi/shop.yaml", &described("impl"))
        .write("openapi/type.yaml", &described("fn"))
        .write("now.yaml", &described("async"));
    let run = checkout.run(&["--rest", "now.yaml"]);
    assert_eq!(run.code, 3);
    assert_eq!(
        run.err,
        "podqueue-regenerate: openapi:1:1: expected exactly one OpenAPI description here, found more \
         than one; name one of the files instead\n"
    );
    let run = checkout.run(&["--rest", "now.yaml", "--openapi", "openapi/type.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(
        run.out,
        "\
REST description, openapi/type.yaml: 2 changes, 1 of them breaking
  added       Self.async: string
  removed     Self.fn: string; BREAKS readers (it is no longer sent)
"
    );
    assert!(checkout.read("openapi/type.yaml").contains("async:"));
    assert_eq!(checkout.read("openapi/shop.yaml"), described("impl"));
}

#[test]
fn a_file_that_is_not_there_yet_is_made() {
    let checkout = Checkout::new("several-new")
        .write("openapi/shop.yaml", &described("impl"))
        .write("now.yaml", &described("fn"));
    let run = checkout.run(&["--rest", "now.yaml", "--openapi", "openapi/more/type.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out, "REST description, openapi/more/type.json: new\n");
    assert!(checkout.read("openapi/more/type.json").starts_with("{\n"));
}

/// What is wrong with a part is said of the part, and what of the description cannot be read is not
/// taken for a change of the service.
#[test]
fn the_file_at_fault_is_named() {
    let whole = described("n").replace("{type: string}", "{$ref: 'parts/n.yaml'}");
    let checkout = Checkout::new("several-fault")
        .write("openapi/shop.yaml", &whole)
        .write("openapi/parts/n.yaml", "type: string\n")
        .write("now/shop.yaml", &whole)
        .write("now/parts/n.yaml", "type: 'string\n");
    let run = checkout.run(&["--rest", "now/shop.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.starts_with("podqueue-regenerate: now/parts/n.yaml:2:1: "), "{}", run.err);
    assert_eq!(checkout.read("openapi/parts/n.yaml"), "type: string\n");

    let checkout = checkout.write("now/parts/n.yaml", "type: string\n");
    let checkout = checkout.write("openapi/parts/n.yaml", "type: 'string\n");
    let run = checkout.run(&["--rest", "now/shop.yaml", "--check"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.starts_with("podqueue-regenerate: openapi/parts/n.yaml:2:1: "), "{}", run.err);
}
