//! The page of the local service in a real browser: headless Chromium, driven over WebDriver.
//!
//! Without `chromedriver` these tests are skipped, with a line that says so. Nothing waits for time:
//! a test waits until the page shows something, and fails if it never does.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod accessibility;
mod connection;
mod driver;
mod endpoints;
mod job;
mod jobs;
mod keyboard;
mod neighbours;
mod picture;
mod scale;
mod submit;
mod support;
mod time;
mod traffic;
mod under_way;
mod workers;
