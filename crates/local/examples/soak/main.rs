//! Does the memory stay flat while jobs come and go? A million short jobs, in a process whose
//! resident memory is printed after each tenth; it fails where that grows by more than 16 MiB
//! after the first fifth.
//!
//! `cargo run --release -p podqueue-local --example soak [JOBS]`

use std::io;

mod soak;
mod wire;

#[tokio::main]
async fn main() -> io::Result<()> {
    let jobs = std::env::args().nth(1).map_or(Ok(1_000_000), |jobs| jobs.parse());
    let jobs = jobs.map_err(io::Error::other)?;
    let soak = soak::Soak { jobs, kept: 20_000, may_grow: 16 * 1024 * 1024 };
    soak.run(&mut io::stdout()).await
}
