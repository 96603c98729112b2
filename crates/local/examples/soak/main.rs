//! Soak test: a million short jobs in a process that counts its allocated memory and prints it
//! after each tenth. It fails if more is allocated then than after the first jobs.
//!
//! `cargo run --release -p podqueue-local --example soak [JOBS]`

use std::io;

use peak_alloc::PeakAlloc;

mod soak;
mod wire;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[tokio::main]
async fn main() -> io::Result<()> {
    let jobs = std::env::args().nth(1).map_or(Ok(1_000_000), |jobs| jobs.parse());
    let jobs = jobs.map_err(io::Error::other)?;
    let live = || MEMORY.current_usage();
    let soak = soak::Soak { warm_up: 20_000, jobs, kept: 20_000, live, may_grow: 16 * 1024 };
    soak.run(&mut io::stdout()).await
}
