//! Types and calls of the interface, generated from `openapi/batches.yaml`. The server responds with
//! these types; `Api` is a client of it, and of any other Batch API.

podqueue::include_rest!("batches");
