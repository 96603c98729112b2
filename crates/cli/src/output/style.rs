//! What the colors mean.

use anstyle::{AnsiColor, Style};

pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const BUSY: Style = AnsiColor::Yellow.on_default();
pub const FAINT: Style = Style::new().dimmed();
