//! Nothing: the benchmark is the whole of this crate.
