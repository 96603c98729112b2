//! Pages that a build script states: what fits is generated, and what does not is refused.

use std::fs;

use podqueue_codegen::{Build, Pages};
use serde_json::{Value, json};

use crate::build_script::Folder;
use crate::support::{dense, item};

const LISTS: &str = "openapi: 3.0.3
info: {title: Lists, version: '1'}
paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{name: from, in: query, schema: {type: string}}]
      responses:
        '200':
          description: A page.
          content:
            application/json:
              schema:
                type: object
                properties:
                  cats: {type: array, items: {type: string}}
                  dogs: {type: array, items: {$ref: '#/components/schemas/Dog'}}
                  page: {type: object, properties: {last: {type: string}, more: {type: boolean}}}
  /sure:
    get:
      operationId: listSure
      parameters: [{name: cursor, in: query, schema: {type: string}}]
      responses:
        '200': {description: A page., content: {application/json: {schema: {type: object, properties: {items: {type: array, items: {type: string}}, next_cursor: {type: string}}}}}}
  /search:
    post:
      operationId: search
      requestBody:
        content:
          application/json: {schema: {type: object, properties: {text: {type: string}, page: {type: object, properties: {after: {type: string}}}}}}
      responses:
        '200': {description: A page., content: {application/json: {schema: {type: object, properties: {hits: {type: array, items: {type: string}}, next: {type: string}}}}}}
  /nothing: {delete: {operationId: nothing, responses: {'204': {description: Done.}}}}
components:
  schemas:
    Dog: {type: object, properties: {id: {type: string}}}
";

/// The code, or the errors.
fn generate(name: &str, build: impl FnOnce(Build) -> Build) -> Result<String, Vec<String>> {
    let folder = Folder::new(&format!("pages-{name}"));
    folder.write("openapi/lists.yaml", LISTS);
    let (directives, failed) = folder.directives(&build(Build::new().rest(folder.path("openapi"))));
    let errors = directives.lines().filter_map(|it| it.strip_prefix("cargo::error=openapi/"));
    match failed {
        true => Err(errors.map(str::to_owned).collect()),
        false => Ok(fs::read_to_string(folder.path("out/podqueue_rest_lists.rs")).unwrap()),
    }
}

#[test]
fn stated_pages_are_streams() {
    let cursor = Pages::cursor("from", "page.last").items("dogs");
    let code = generate("cursor", |it| it.pages("listPets", cursor)).unwrap();
    let builder = item(&code, "impl ListPets {");
    assert!(builder.contains("pub fn items(self) -> __runtime::Items<types::Dog>"), "{builder}");
    let last = Pages::last_item("from", "id", "page.more").items("dogs");
    let code = generate("last", |it| it.pages("GET /pets", last)).unwrap();
    assert!(item(&code, "impl ListPets {").contains("pub fn pages(self)"));
}

#[test]
fn a_cursor_can_be_a_field_of_the_body() {
    let code = generate("body", |it| it.pages("search", Pages::cursor("page.after", "next")));
    let code = dense(&code.unwrap());
    let sent = "parameter: __runtime::__private::rest::pages::Sent::Body(&[\"page\", \"after\"]),";
    assert!(code.contains(sent), "{}", item(&code, "impl Search {"));
}

#[test]
fn a_fake_knows_how_pages_follow_each_other() {
    let folder = Folder::new("pages-fake");
    folder.write("openapi/lists.yaml", LISTS);
    let last = Pages::last_item("from", "id", "page.more").items("dogs");
    let build = Build::new().rest(folder.path("openapi")).pages("listPets", last);
    assert!(!folder.directives(&build).1);
    let text = fs::read_to_string(folder.path("out/podqueue_rest_lists.json")).unwrap();
    let description: Value = serde_json::from_str(&text).unwrap();
    let stated = |path: &str| &description["paths"][path]["get"]["x-podqueue-pages"];
    let expected = json!({
        "by": "lastItem", "query": "from", "id": "id", "more": ["page", "more"], "items": ["dogs"],
    });
    assert_eq!(stated("/pets"), &expected);
    assert_eq!(stated("/sure")["place"], json!(["next_cursor"]));
    assert_eq!(stated("/nothing"), &Value::Null);
}

#[test]
fn a_fake_permits_the_fractions_that_calls_may_send() {
    let folder = Folder::new("fake-fractions");
    folder.write("openapi/loose.yaml", include_str!("../corpus/rest/loose.yaml"));
    assert!(!folder.directives(&Build::new().rest(folder.path("openapi"))).1);
    let text = fs::read_to_string(folder.path("out/podqueue_rest_loose.json")).unwrap();
    let description: Value = serde_json::from_str(&text).unwrap();
    let least = &description["paths"]["/parts"]["get"]["parameters"][0]["schema"];
    assert_eq!(least, &json!({ "type": "number" }));
    let fields = &description["components"]["schemas"]["Thing"]["properties"];
    assert_eq!(
        (&fields["share"]["type"], &fields["count"]["type"]),
        (&json!("number"), &json!("integer"))
    );
}

#[test]
fn pages_are_written_as_in_a_build_script() {
    for (text, pages) in [
        ("link_header()", Pages::link_header()),
        (" header( x-next ) ", Pages::header("x-next")),
        ("link(meta.next).items(data)", Pages::link("meta.next").items("data")),
        ("cursor(from, page.last).items(dogs)", Pages::cursor("from", "page.last").items("dogs")),
        ("last_item(from, id, more)", Pages::last_item("from", "id", "more")),
        ("offset(skip)", Pages::offset("skip")),
        ("number(page, 1).items(a.b)", Pages::number("page", 1).items("a.b")),
        ("none()", Pages::none()),
    ] {
        let parsed = text.parse::<Pages>().map(|it| format!("{it:?}"));
        assert_eq!(parsed, Ok(format!("{pages:?}")), "{text}");
    }
    for text in
        ["", "cursor", "cursor(a)", "number(page, one)", "offset(a", "offset(a).of(b)", "x()"]
    {
        assert!(text.parse::<Pages>().is_err_and(|it| it.contains("states no pages")), "{text}");
    }
}

#[test]
fn certain_pages_can_be_denied() {
    let has_pages = |code: &str| item(code, "impl ListSure {").contains("pub fn pages(self)");
    assert!(has_pages(&generate("certain", |it| it).unwrap()));
    assert!(!has_pages(&generate("denied", |it| it.pages("listSure", Pages::none())).unwrap()));
}

#[test]
fn pages_that_do_not_fit_are_refused_at_the_operation() {
    let dogs = |pages: Pages| pages.items("dogs");
    for (selector, pages, expected) in [
        (
            "listPets",
            Pages::cursor("from", "page.last"),
            "it is not certain which list of its response has the items; state it with `.items(…)`",
        ),
        (
            "listPets",
            dogs(Pages::cursor("form", "page.last")),
            "it has no query parameter `form`. Did you mean \"from\"?",
        ),
        (
            "listPets",
            dogs(Pages::cursor("from", "page.lost")),
            "its response has no field `page.lost`. Did you mean \"last\"?",
        ),
        ("listPets", Pages::link("page.last").items("page.more"), "`page.more` is no list"),
        (
            "listPets",
            dogs(Pages::last_item("from", "name", "page.more")),
            "its response has no field `name`",
        ),
        (
            "search",
            Pages::cursor("texts", "next"),
            "it has no query parameter `texts`, and its body has no such field. Did you mean \"text\"?",
        ),
        ("nothing", Pages::link_header(), "it has no response of JSON"),
        (
            "listPets",
            Pages::cursor("from", "cats").items("dogs"),
            "`cats` is of the type array; a cursor is text or a number",
        ),
        (
            "listPets",
            dogs(Pages::offset("from")),
            "`from` is of the type string; an offset is a number; state a cursor if the \
             response has the next one",
        ),
        (
            "listPets",
            dogs(Pages::number("from", 1)),
            "`from` is of the type string; a page number must be a number; state a cursor if \
             the response has the next one",
        ),
        (
            "listPets",
            dogs(Pages::last_item("from", "id", "page.last")),
            "`page.last` is of the type string; what says whether there are more pages is a boolean",
        ),
        ("listPets", dogs(Pages::link("page")), "`page` is of the type object; a URL is text"),
        ("listPets", Pages::link("page.last").items("page"), "`page` is no list"),
        (
            "search",
            Pages::cursor("page", "next"),
            "`page` is of the type object; a cursor is text or a number",
        ),
    ] {
        let errors = generate("wrong", |it| it.pages(selector, pages)).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        let position = match selector {
            "nothing" => "lists.yaml:33:14: ",
            "search" => "lists.yaml:26:5: ",
            _ => "lists.yaml:5:5: ",
        };
        assert!(errors[0].starts_with(position), "{errors:?}");
        assert!(errors[0].ends_with(&format!("do not fit: {expected}")), "{errors:?}");
    }
}

#[test]
fn a_selector_of_nothing_is_refused() {
    let errors = generate("unknown", |it| it.pages("listPetz", Pages::offset("from"))).unwrap_err();
    let expected = "the selector \"listPetz\" selects no operation. Did you mean \"listPets\"?";
    assert!(errors.len() == 1 && errors[0].ends_with(expected), "{errors:?}");
    let build = |it: Build| it.only(["listSure"]).pages("listSure", Pages::none());
    let selected = generate("selected", build);
    assert!(selected.is_ok(), "{selected:?}");
}

/// What `items` yields is what `pages` has in its list.
#[test]
fn items_that_are_described_inline_have_one_type() {
    let item_schema = "{type: object, properties: {id: {type: string}, of: {type: object, \
                       properties: {name: {type: string}}}}}";
    let text = LISTS.replacen(
        "items: {type: array, items: {type: string}}, next_cursor",
        &format!("items: {{type: array, items: {item_schema}}}, next_cursor"),
        1,
    );
    let folder = Folder::new("pages-inline");
    folder.write("openapi/lists.yaml", text);
    let (directives, failed) = folder.directives(&Build::new().rest(folder.path("openapi")));
    assert!(!failed, "{directives}");
    let code = fs::read_to_string(folder.path("out/podqueue_rest_lists.rs")).unwrap();
    let sure: Vec<_> =
        code.lines().filter(|it| it.contains("pub struct ListSureResponse")).collect();
    let names = ["ListSureResponse", "ListSureResponseItemsItem", "ListSureResponseItemsItemOf"];
    assert_eq!(sure, names.map(|it| format!("    pub struct {it} {{")));
    assert!(!code.contains("ListSureItem"), "the items have the type of the list");
}
