//! The page of the local service in a real browser: headless Chromium, driven over WebDriver.
//!
//! Without `chromedriver` these tests are skipped, with a message. No test sleeps: it waits until
//! the page shows a state, and fails if it never does.

mod accessibility;
mod clock_and_faults;
mod connection;
mod driver;
mod endpoints;
mod job;
mod jobs;
mod keyboard;
mod pending_actions;
mod picture;
mod scale;
#[cfg(unix)]
mod sessions;
mod submit;
mod support;
mod token_isolation;
mod traffic;
mod workers;
