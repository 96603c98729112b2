//! Client tests against the local service: two independent implementations of one interface,
//! compared with each other. `tests/README.md` lists the tests of each row of the interface's
//! tables.

mod support;

#[cfg(feature = "account")]
mod account;
mod authentication;
mod deletions;
mod desynchronized_connection;
mod graphql;
mod lifetimes;
mod many_waits;
mod matrix;
mod openai;
mod queue;
mod rest;
mod schema;
mod states;
mod unpolled;
