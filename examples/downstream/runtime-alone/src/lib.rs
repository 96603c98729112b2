//! The calls of the shop.

/// The shop's operations and types, generated from `openapi/shop.yaml`.
pub mod shop {
    podqueue_runtime::include_rest!("shop");
}
