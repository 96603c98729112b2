//! Inputs of which it is not known whether the service accepted them.

use std::fmt;

use podqueue::SecretString;

/// What to do with an input if it is not known whether the service accepted it: its submission was
/// sent and got no readable response, or the process ended in between.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum OnUnknown {
    /// Leave it in the state [`Unknown`](crate::State::Unknown), listed and counted: no input is
    /// submitted twice.
    #[default]
    Hold,
    /// Submit it again: at least once, at the price that its job may run, and be billed, more than
    /// once.
    Resubmit,
    /// Leave it as well, and let its webhook tell: each submission carries this http or https URL,
    /// with the batch, the index, the attempt and a keyed hash of them in its query. Pass what your
    /// server receives to [`Batch::deliver`](crate::Batch::deliver). Inputs that the service never
    /// accepted stay unknown: no call comes for them.
    ByWebhook(SecretString),
}

impl fmt::Debug for OnUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hold => "Hold",
            Self::Resubmit => "Resubmit",
            Self::ByWebhook(_) => "ByWebhook(..)",
        })
    }
}
