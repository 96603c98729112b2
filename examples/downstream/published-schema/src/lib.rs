//! Operations of `queries/` against `schema.graphql`, which has all that makes a generator stumble.
//! Nothing of it makes the compiler complain.
#![deny(warnings, missing_docs, unreachable_pub)]

podqueue::include_queries!();
