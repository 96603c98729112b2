//! Command `local`: the emulator of the service.

pub use podqueue_local::program::Arguments;
use podqueue_local::program::Format;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub async fn run(context: &Context, arguments: Arguments) -> Result<Exit, Failure> {
    let format = if context.output.is_json() { Format::Json } else { Format::Shell };
    let ended = podqueue_local::program::run(arguments, format, "podqueue").await;
    ended.map(|()| Exit::Done).map_err(|failure| {
        let exit = if failure.is_usage { Exit::Usage } else { Exit::Error };
        Failure::new(exit, failure.text)
    })
}
