//! Nothing: the benchmarks are the whole of this crate.
