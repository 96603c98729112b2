//! Batches with inputs and results in object storage: in folders, and in a server with the interface
//! of S3.

mod faults;
mod inputs;
mod kills;
mod results;
mod server;
