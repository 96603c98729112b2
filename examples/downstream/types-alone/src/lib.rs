//! The types of a library's loans.

/// The types, generated from `openapi/loans.yaml`.
pub mod loans {
    podqueue_runtime::include_rest!("loans");
}
