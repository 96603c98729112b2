//! REST interface: calls and types generated from `openapi/`.
//!
//! Each operation in the description becomes a method of [`Rest`] that returns a builder to be
//! awaited. Types are read leniently: every field may be absent or null, enums keep values that the
//! description does not list, unknown fields are ignored.
//!
//! ```no_run
//! # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
//! let pod = client.rest().get_pod("pod-id").include_machine(true).await?;
//! println!("{:?} costs {:?} credits per hour", pod.name, pod.cost_per_hr);
//! # Ok(())
//! # }
//! ```
//!
//! Any other description becomes such calls in a crate of yours, by
//! [`include_rest!`](crate::include_rest).

/// Generated from `openapi/`, like the calls of other crates.
mod generated {
    use crate as __runtime;

    include!(concat!(env!("OUT_DIR"), "/podqueue_rest.rs"));
}

pub use generated::*;
pub use podqueue_runtime::{Authorization, Part};

use crate::client::Client;

impl Client {
    /// The REST interface: Pods and templates, read by id.
    #[must_use]
    pub fn rest(&self) -> Rest {
        Rest::new(self)
    }
}
