//! A fake of any HTTP service for tests: it responds as the service's OpenAPI description says, with
//! seeded values, refuses what the description refuses, and fails on request.
//!
//! With the feature `fake` of `podqueue-runtime`, generated code has `Api::fake()`, which starts one:
//!
//! ```ignore
//! let shop = shop::Api::fake();
//! let pets = shop.list_pets().limit(50).await?;
//!
//! shop.fake.add_fault(Fault::lost_response().on("addPet").times(1))?;
//! shop.fake.respond("GET /pets", json!([{ "name": "Ada" }]))?;
//! assert_eq!(shop.fake.requests().len(), 1);
//! ```
//!
//! - [`FakeService`]: the running fake: URL, seed, fixed responses, faults, clock, requests.
//! - [`Fault`]: what can go wrong, before or after the effect. [`Clock`]: time, which a test moves.
//! - [`Sampler`]: the values, which also tests without a server can use.
//!
//! The crate `jsonschema` judges if a value conforms to a schema: a value that it refuses
//! is never used.
//!
//! ```
//! # fn main() -> Result<(), podqueue_fake::Error> {
//! use podqueue_fake::{Description, Sampler, component};
//!
//! let description = Description::parse(
//!     r#"{
//!         "openapi": "3.1.0",
//!         "components": { "schemas": { "Pet": {
//!             "type": "object",
//!             "required": ["name"],
//!             "properties": { "name": { "type": "string" } }
//!         } } }
//!     }"#,
//! )?;
//! let pet = Sampler::new(&description, 42).sample(&component("Pet"))?;
//! assert!(pet["name"].is_string());
//! # Ok(())
//! # }
//! ```

mod clock;
mod decision;
mod description;
mod discriminator;
mod error;
mod faults;
mod json_schema;
mod operation;
mod pages;
mod planned_response;
mod pointer;
mod sampler;
mod server;
mod service;

pub use clock::Clock;
pub use decision::RequestRecord;
pub use description::{Description, component};
pub use error::Error;
pub use faults::Fault;
pub use sampler::Sampler;
pub use service::FakeService;

/// For the survey of this workspace. Not public API: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::pointer::remove;
}

/// The code of the page that introduces the crate compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
