//! Feature set of build dependencies, in `Cargo.toml`. It has no code.
