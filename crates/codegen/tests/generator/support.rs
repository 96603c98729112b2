//! Helpers of the generator's tests.

use podqueue_codegen::graphql::SharedTypes;
use podqueue_codegen::{Diagnostic, Generated, Source, graphql, rest};

/// Generates from a description in YAML; an error fails the test.
pub fn described(description: &str) -> Generated {
    match rest::generate(&Source::new("openapi/test.yaml", description)) {
        Ok(generated) => generated,
        Err(diagnostics) => panic!("{}", lines(&diagnostics)),
    }
}

/// A description with one operation, `GET /thing`, that answers with the schema `Thing`, whose
/// properties are given: YAML in flow style, such as `a: {type: string}`.
pub fn thing(properties: &str) -> Generated {
    described(&format!(
        "openapi: 3.0.3
info: {{title: Test, version: '1'}}
paths:
  /thing:
    get:
      operationId: getThing
      responses:
        '200':
          description: The thing.
          content: {{application/json: {{schema: {{$ref: '#/components/schemas/Thing'}}}}}}
components:
  schemas:
    Thing: {{type: object, properties: {{{properties}}}}}
"
    ))
}

/// A description with the given operations: lines of YAML under `paths:`, indented by two.
pub fn paths(paths: &str) -> Generated {
    described(&format!("openapi: 3.0.3\ninfo: {{title: Test, version: '1'}}\npaths:\n{paths}\n"))
}

/// A schema to write queries against.
pub const SCHEMA: &str = r#"
type Query {
  "Reads a pet."
  pet("Which one." id: ID!): Pet
  pets(filter: Filter, limit: Int = 10): [Pet!]!
  animal: Animal
}

type Mutation {
  "Changes a pet."
  savePet("What it shall be." input: PetInput!): Pet
}

"A pet."
type Pet {
  "Identifies it."
  id: ID!
  "What it is called."
  name: String
  color: Color
  born: Date
  tags: [Tag!]
  apiKey: String
}

type Tag { key: String value: String }
type Fish { id: ID! depth: Float }
union Animal = Pet | Fish

"What a pet looks like."
enum Color {
  "Like snow."
  WHITE
  dark_brown
  self
}

scalar Date

"A pet to keep."
input PetInput {
  "What it shall be called."
  name: String!
  color: Color
  password: String
  friends: [PetInput!]
  parent: PetInput
}

input Order { color: Color! }
input Basket { orders: [Order!]! first: Order }
input Delivery { order: Order! }
input Filter { name: String = "x" colors: [Color!] not: Filter }
"#;

/// Generates from queries against [`SCHEMA`], each with its file's name.
pub fn queried(files: &[(&str, &str)]) -> Result<String, Vec<Diagnostic>> {
    let files: Vec<_> = files.iter().map(|(name, text)| Source::new(*name, *text)).collect();
    let schema = Source::new("schema.graphql", SCHEMA);
    graphql::generate(&schema, &files, SharedTypes::All).map(|generated| generated.code)
}

/// The same where there must be no error.
pub fn query(text: &str) -> String {
    match queried(&[("queries/test.graphql", text)]) {
        Ok(code) => code,
        Err(diagnostics) => panic!("{}", lines(&diagnostics)),
    }
}

/// Diagnostics as a user sees them.
pub fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The part of the code that begins with a line, up to the line that closes it.
pub fn item<'a>(code: &'a str, start: &str) -> &'a str {
    let mut offset = 0;
    for line in code.split_inclusive('\n') {
        if line.trim_start().starts_with(start) {
            let indentation = &line[..line.len() - line.trim_start().len()];
            let closing = format!("\n{indentation}}}\n");
            let end =
                code[offset..].find(&closing).map_or(code.len(), |at| offset + at + closing.len());
            return &code[offset..end];
        }
        offset += line.len();
    }
    panic!("there is no `{start}` in:\n{code}")
}

/// The doc comment and the attributes right above a line.
pub fn above<'a>(code: &'a str, start: &str) -> &'a str {
    let mut begin = 0;
    let mut offset = 0;
    let mut in_attribute = false;
    for line in code.split_inclusive('\n') {
        let text = line.trim();
        if text.starts_with(start) {
            return &code[begin..offset];
        }
        offset += line.len();
        let is_attribute = in_attribute || text.starts_with("#[");
        in_attribute = is_attribute && !text.ends_with(']');
        if !is_attribute && !text.starts_with("///") {
            begin = offset;
        }
    }
    panic!("there is no `{start}` in:\n{code}")
}

/// Code without the white space that formatting puts in.
pub fn dense(code: &str) -> String {
    code.split_whitespace().collect::<Vec<_>>().join(" ").replace(", )", ")").replace("( ", "(")
}
