//! Simulation: client, rate limiter, local service, batch, shared limits and shared journal in
//! one process, in virtual time, from one seed. See `docs/proofs.md`.

#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod link;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod store;
#[cfg(target_os = "linux")]
mod trace;
#[cfg(target_os = "linux")]
mod virtual_time;
#[cfg(target_os = "linux")]
mod world;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    program::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    use std::io::Write as _;
    // The clock and the random numbers of other systems are not replaced.
    let _ = writeln!(std::io::stderr(), "the simulation requires Linux");
    std::process::ExitCode::FAILURE
}
