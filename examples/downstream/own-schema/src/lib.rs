//! Operations of `queries/` against `schema.graphql`, a schema that is not podqueue's.

podqueue::include_queries!();
