//! Batches of jobs that survive a crash.
mod batch;
mod clock;
mod error;
mod inputs;
mod journal;
mod progress;
mod results;
mod run;
mod runner;
mod state;
mod status;
pub mod store;
mod ticket;
mod unknown;

pub use batch::{Batch, Checked, Open, Retried};
pub use error::{Error, ErrorKind, Result};
pub use inputs::Inputs;
pub use progress::{MaxFailures, Progress, Report, Stopped};
pub use run::{Run, Stopper};
pub use state::{Counts, State};
pub use status::{Reader, Status, UnknownInput};
pub use store::Sqlite;
pub use unknown::OnUnknown;
