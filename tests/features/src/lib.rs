//! Feature set: the features of dependencies that the workspaces share, in `Cargo.toml`. It has no
//! code.
