//! Command `batch unknown`: the inputs whose submission has an unknown outcome.

use podqueue_batch::State;

use crate::batches::location::BatchLocation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Table;

pub fn run(context: &Context, location: &BatchLocation) -> Result<Exit, Failure> {
    let failed = |error| location.failure(&error);
    let mut reader = location.journal().read().map_err(failed)?;
    let unknown = reader.unknown().map_err(failed)?;
    let in_flight = reader.status().map_err(failed)?.counts.of(State::Intent);
    if context.output.is_json() {
        for input in &unknown {
            context.output.json(input)?;
        }
    } else if !unknown.is_empty() {
        let mut table = Table::with_header(["INDEX", "LINE", "KEY", "ATTEMPT", "WHY"]);
        for input in &unknown {
            table.row([
                input.index.to_string().into(),
                input.line.to_string().into(),
                input.key.as_ref().map(|key| key.get().to_owned()).unwrap_or_default().into(),
                input.attempt.to_string().into(),
                input.reason.as_str().into(),
            ]);
        }
        context.output.styled(table)?;
    }
    if in_flight > 0 {
        context.output.hint(format!(
            "{in_flight} more are being submitted; if the process that did so is dead, the next run lists them"
        ));
    }
    Ok(Exit::Done)
}
