#![doc = include_str!("../README.md")]
//! The code of the README, compiled and run as this crate's doc tests.
