//! The calls of the meters, from code that `podqueue-regenerate --into src/generated` writes. A CI job
//! adds `--check` to see that it is current.

mod generated;

pub use generated::meters;
