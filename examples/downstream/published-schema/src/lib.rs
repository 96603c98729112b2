//! Operations of `queries/` against `schema.graphql`, a schema of constructs that generators get
//! wrong. The generated code compiles without warnings.
#![deny(warnings, missing_docs, unreachable_pub)]

podqueue::include_queries!();
