//! Seeded, schema-valid values of an OpenAPI description.
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

mod description;
mod error;
mod json_schema;
mod sampler;

pub use description::{Description, component};
pub use error::Error;
pub use sampler::Sampler;
