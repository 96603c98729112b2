//! Nothing: what counts are the features in `Cargo.toml`.
