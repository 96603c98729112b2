//! GraphQL operations generated from `queries/`, as for the queries of other crates.

use crate as __runtime;

include!(concat!(env!("OUT_DIR"), "/graphql.rs"));
