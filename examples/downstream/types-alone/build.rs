//! Generates the types of the description in `openapi/`, with types of the crates time and uuid.

use podqueue_codegen::{Build, Dates};

fn main() {
    Build::new().rest("openapi").dates(Dates::Time).uuids().run();
}
