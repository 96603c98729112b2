//! What the generator makes of `queries/`.

include!(concat!(env!("OUT_DIR"), "/graphql.rs"));
