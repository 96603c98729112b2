//! Operations generated from queries.

use crate::support::{SCHEMA, above, dense, item, queried, query};
use podqueue_codegen::Source;
use podqueue_codegen::graphql::{self, Options, SharedTypes};

const GET: &str =
    "# Gets a pet.\nquery GetPet($id: ID!) {\n  pet(id: $id) { id petName: name color born }\n}\n";
const SAVE: &str = "mutation SavePet($input: PetInput!) { savePet(input: $input) { id } }\n";

#[test]
fn an_added_query_becomes_an_operation() {
    let before = queried(&[("queries/get.graphql", GET)]).unwrap();
    assert!(!before.contains("SavePet"));
    let after = queried(&[("queries/get.graphql", GET), ("queries/save.graphql", SAVE)]).unwrap();
    let operation = dense(item(&after, "impl __runtime::graphql::Operation for SavePet {"));
    assert!(
        operation
            .contains("type Variables = save_pet::Variables; type Data = save_pet::ResponseData;")
    );
    assert!(operation.contains("const NAME: &'static str = \"SavePet\";"));
    assert_eq!(item(&before, "pub mod get_pet {"), item(&after, "pub mod get_pet {"));
}

#[test]
fn variables_and_responses_are_typed() {
    let code = query(GET);
    let module = dense(item(&code, "pub mod get_pet {"));
    assert!(module.contains("pub use super::types::{Color, Date};"), "{module}");
    assert!(module.contains("pub struct Variables { /// Which one. pub id: String, }"), "{module}");
    for field in [
        "pub pet: Option<GetPetPet>,",
        "pub id: String,",
        "#[serde(rename = \"petName\")] pub pet_name: Option<String>,",
        "pub color: Option<Color>,",
        "pub born: Option<Date>,",
    ] {
        assert!(module.contains(field), "{field} is not in\n{module}");
    }
}

#[test]
fn users_need_no_dependency_but_podqueue() {
    let code = query(&format!("{GET}{SAVE}"));
    let serde: syn::File = syn::parse_str(&code).unwrap();
    assert!(!serde.items.is_empty());
    for path in ["use serde", " serde::", "use graphql_client", " graphql_client::", "use super::*"]
    {
        assert!(!code.contains(path), "{path}");
    }
    let derives = code.matches("__runtime::__private::serde::Serialize").count();
    assert!(derives > 3 && code.contains("#[serde(crate = \"__runtime::__private::serde\")]"));
}

#[test]
fn inputs_enums_and_scalars_are_generated_once() {
    let code = query(&format!(
        "{GET}{SAVE} mutation Again($input: PetInput!) {{ savePet(input: $input) {{ color }} }}"
    ));
    for item in ["pub struct PetInput {", "pub enum Color {", "pub type Date ="] {
        assert_eq!(code.matches(item).count(), 1, "{item}");
    }
    let types = item(&code, "pub mod types {");
    assert!(
        types.contains("pub struct Filter {"),
        "inputs that no operation uses are for users' own"
    );
}

#[test]
fn a_users_crate_shares_podqueues_types() {
    let made = graphql::generate(
        &Source::new("schema.graphql", SCHEMA),
        &[Source::new("queries/save.graphql", SAVE)],
        SharedTypes::OfPodqueue,
    )
    .unwrap();
    assert!(made.code.contains("pub use __runtime::graphql::types;"));
    assert!(!made.code.contains("pub struct PetInput"));
    assert!(made.code.contains("pub use super::types::PetInput;"));
}

#[test]
fn descriptions_and_comments_are_the_docs() {
    let code = query(&format!("{GET}{SAVE}"));
    let docs = above(&code, "pub struct GetPet;");
    assert!(docs.contains("/// Gets a pet.\n///\n/// Reads a pet.\n"), "{docs}");
    assert!(docs.contains("`queries/test.graphql`"), "{docs}");
    let module = item(&code, "pub mod get_pet {");
    assert!(above(module, "pub struct GetPetPet").contains("/// A pet.\n"));
    assert!(above(module, "pub pet_name").contains("/// What it is called.\n"));
    assert!(above(module, "pub id: String,").contains("/// Which one.\n"));
    let types = item(&code, "pub mod types {");
    assert!(above(types, "pub struct PetInput").contains("/// A pet to keep.\n"));
    assert!(
        above(item(types, "pub struct PetInput {"), "pub name")
            .contains("/// What it shall be called.\n")
    );
    assert!(above(types, "pub enum Color").contains("/// What a pet looks like.\n"));
    assert!(above(types, "White,").contains("/// Like snow.\n"));
}

#[test]
fn enums_are_open_and_their_variants_are_valid_identifiers() {
    let code = query(GET);
    let variants = item(&code, "pub enum Color {");
    for variant in ["White,", "DarkBrown,", "Self_,", "Other(String),"] {
        assert!(variants.contains(variant), "{variant} is not in {variants}");
    }
}

#[test]
fn an_input_has_a_default_and_omits_none() {
    let code = query(SAVE);
    assert!(above(&code, "pub struct PetInput").contains("Default"));
    let input = dense(item(&code, "pub struct PetInput {"));
    assert!(
        input.contains(
            "#[serde(skip_serializing_if = \"Option::is_none\")] pub color: Option<Color>,"
        ),
        "{input}"
    );
    assert!(input.contains("pub friends: Option<Vec<PetInput>>,"), "{input}");
    assert!(input.contains("pub parent: Option<Box<PetInput>>,"), "{input}");
}

#[test]
fn an_input_that_requires_an_enum_has_no_default() {
    let code = query(SAVE);
    for (input, has_default) in [("Order", false), ("Delivery", false), ("Basket", true)] {
        let attributes = above(&code, &format!("pub struct {input} {{"));
        assert_eq!(attributes.contains("Default"), has_default, "{input}: {attributes}");
    }
}

#[test]
fn a_variable_with_a_default_is_optional() {
    let code = query(
        "query Pets($limit: Int! = 5, $f: Filter = {colors: [WHITE]}) { pets(limit: $limit, filter: $f) { id } }",
    );
    let module = dense(item(&code, "pub mod pets {"));
    assert!(
        module.contains("pub limit: Option<i64>,") && module.contains("pub f: Option<Filter>,"),
        "{module}"
    );
}

#[test]
fn a_field_of_an_input_with_a_default_is_optional_and_never_null() {
    let schema = "type Query { a(page: Page): Int }
        input Page { size: Int! = 10 order: Order! = UP after: String! } enum Order { UP DOWN }";
    let made = graphql::generate(
        &Source::new("schema.graphql", schema),
        &[Source::new("queries/a.graphql", "query A($page: Page) { a(page: $page) }")],
        SharedTypes::Here,
    );
    let code = made.unwrap().code;
    let page = dense(item(&code, "pub struct Page {"));
    for field in ["pub size: Option<i64>,", "pub order: Option<Order>,", "pub after: String,"] {
        assert!(page.contains(field), "{field} is not in {page}");
    }
    assert!(above(&code, "pub struct Page {").contains("Default"));
    let shape = dense(item(&code, "pub static PAGE"));
    assert!(shape.contains("name: \"size\", shape: Shape::Int, presence: Presence::NotNull,"));
}

#[test]
fn only_types_that_operations_use_are_generated() {
    let schema = "type Query { a(in: In): Answer b(in: Other): Float }
        input In { more: More } input More { kind: Kind again: In } input Other { other: OtherKind }
        enum Kind { A } enum OtherKind { B } enum Color { C } scalar Date scalar Unused
        type Answer { color: Color date: Date }";
    let queries = [Source::new("a.graphql", "query A($in: In) { a(in: $in) { color date } }")];
    let schema = Source::new("schema.graphql", schema);
    let generated = |shared| graphql::generate(&schema, &queries, shared).unwrap().code;
    let code = generated(SharedTypes::Here);
    for used in ["struct In ", "struct More ", "enum Kind ", "enum Color ", "type Date ", "MORE:"] {
        assert!(code.contains(used), "{used}");
    }
    for unused in ["struct Other ", "enum OtherKind ", "type Unused ", "OTHER:"] {
        assert!(!code.contains(unused), "{unused}");
        assert!(generated(SharedTypes::All).contains(unused), "{unused}");
    }
}

#[test]
fn a_scalar_may_have_a_type_of_the_user() {
    let schema =
        "type Query { a(at: Date!): Date b(in: In): Int } scalar Date input In { at: Date! }";
    let queries = "query A($at: Date!) { a(at: $at) } query B($in: In) { b(in: $in) }";
    let schema = Source::new("schema.graphql", schema);
    let queries = [Source::new("a.graphql", queries)];
    let generate = |options: Options| graphql::generate(&schema, &queries, options);
    let code = generate(Options::default().scalar("Date", "time::OffsetDateTime")).unwrap().code;
    assert!(code.contains("pub type Date = time::OffsetDateTime;"), "{code}");
    assert!(!above(&code, "pub struct In {").contains("Default"), "it need not have one");
    let error = |options| generate(options).unwrap_err()[0].message.clone();
    assert_eq!(
        error(Options::default().scalar("Dat", "X")),
        "there is no scalar `Dat` to give a type to"
    );
    assert_eq!(
        error(Options::default().scalar("Date", "a b")),
        "`a b`, for the scalar `Date`, is not a type"
    );
    assert_eq!(
        error(Options::from(SharedTypes::OfPodqueue).scalar("Date", "X")),
        "the scalar `Date` has podqueue's type; name a schema of your own to give it another"
    );
}

#[test]
fn a_type_that_is_added_to_a_union_does_not_break_responses() {
    let code = query("query A { animal { __typename ... on Pet { id } ... on Fish { depth } } }");
    let shapes = dense(item(&code, "pub enum AAnimal {"));
    assert!(
        shapes.contains("Pet(AAnimalOnPet),") && shapes.contains("Fish(AAnimalOnFish),"),
        "{shapes}"
    );
    assert!(shapes.contains("#[serde(other)] Unknown,"), "{shapes}");
}

#[test]
fn the_text_of_an_operation_includes_the_fragments_that_it_reaches() {
    let code = query(
        "query One { pet(id: 1) { ...A } }\nquery Two { pet(id: 2) { id } }\n\
         fragment A on Pet { ...B }\nfragment B on Pet { name }\n",
    );
    let text = |operation: &str| {
        let operation =
            item(&code, &format!("impl __runtime::graphql::Operation for {operation} {{"));
        let text = operation.split("TEXT: &'static str = \"").nth(1).unwrap();
        text.split("\";\n").next().unwrap().to_owned()
    };
    assert_eq!(
        text("One"),
        "query One { pet(id: 1) { ...A } } fragment A on Pet { ...B } fragment B on Pet { name }"
    );
    assert_eq!(text("Two"), "query Two { pet(id: 2) { id } }");
}

#[test]
fn a_field_selected_directly_and_in_a_fragment_is_one_field() {
    let code = query("query One { pet(id: 1) { id ...A } } fragment A on Pet { id name }");
    let pet = dense(item(&code, "pub struct OnePet {"));
    assert!(pet.contains("pub id: String,") && pet.contains("pub name: Option<String>,"), "{pet}");
    assert!(!pet.contains("flatten"), "{pet}");
    let code =
        query("query One { pet(id: 1) { tags { key } ...A } } fragment A on Pet { id name }");
    assert!(dense(item(&code, "pub struct OnePet {")).contains("#[serde(flatten)] pub a: A,"));
}
