//! What generated calls find around them in podqueue, for calls that are generated elsewhere.

/// The one way out.
pub mod call {
    pub use podqueue::rest::call::*;
}
