//! A change of an interface, and whom it affects.

use std::fmt;

/// What describes the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// An OpenAPI description.
    Rest,
    /// A GraphQL schema.
    GraphQl,
}

/// One thing that was added, removed or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is about: `Template.readme`, `mutation saveTemplate(input)`,
    /// `GET /pods/{podId} (query includeMachine)`.
    pub path: String,
    /// What happened to it.
    pub what: What,
    /// Whom it affects, the worst first; empty if nobody has to do anything.
    pub effects: Vec<Effect>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new. With its type, if it has one.
    Added(String),
    /// It no longer exists. With its type, if it had one.
    Removed(String),
    /// Its type, default or the like is different: the old value, the new one.
    Changed(String, String),
    /// It is deprecated, for a reason that may be empty.
    Deprecated(String),
    /// Its description is worded differently.
    Described,
}

/// Whom a change affects, and how.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    /// How badly.
    pub severity: Severity,
    /// Whom.
    pub who: Who,
    /// Why.
    pub why: &'static str,
}

/// How badly a change affects somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Programs that run today fail, once the service has changed.
    Breaks,
    /// Programs that run today keep running; their source needs a change at the next build.
    Adapts,
}

/// Who uses an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// Those who call an operation.
    Callers,
    /// Those who read responses.
    Readers,
    /// Those who fill in inputs.
    Writers,
}

impl Change {
    /// Whether programs that run today fail.
    pub fn is_breaking(&self) -> bool {
        self.effects.iter().any(|effect| effect.severity == Severity::Breaks)
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Callers => "callers",
            Self::Readers => "readers",
            Self::Writers => "writers",
        })
    }
}
