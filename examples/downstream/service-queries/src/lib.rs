//! The operations of `queries/`, against the schema that podqueue comes with.

podqueue::include_queries!();
