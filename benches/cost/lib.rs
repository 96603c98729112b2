//! Empty library target, which Cargo requires of a package with benchmarks alone.
