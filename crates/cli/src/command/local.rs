//! The local service.

pub use podqueue_local::program::Arguments;

use crate::exit::Exit;
use crate::failure::Failure;

pub async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    podqueue_local::program::run(arguments, "podqueue")
        .await
        .map(|()| Exit::Done)
        .map_err(|error| Failure::new(Exit::Error, error))
}
