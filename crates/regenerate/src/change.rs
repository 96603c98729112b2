//! Change of an interface: one item of a diff, with its severity for each audience.

use std::fmt;

/// Reason of a changed server or path.
pub(crate) const OTHER_URL: &str = "calls go to another URL";

/// The kind of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// An OpenAPI description.
    Rest,
    /// A GraphQL schema.
    GraphQl,
}

/// One item that was added, removed or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path of the item: `Template.readme`, `mutation saveTemplate(input)`,
    /// `GET /pods/{podId} (query includeMachine)`.
    pub path: String,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// Its effects, the most severe first; empty if no program needs a change.
    pub effects: Vec<Effect>,
}

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A new item, with its type, if it has one.
    Added(String),
    /// A removed item, with its type, if it had one.
    Removed(String),
    /// A different type, default, path, wording of an operation or other property: the old value,
    /// the new value.
    Changed(String, String),
    /// A deprecation, with its reason, which may be empty.
    Deprecated(String),
    /// A different wording of the description.
    Reworded,
}

/// The effect of a change on one audience.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    /// Its severity.
    pub severity: Severity,
    /// The affected audience.
    pub audience: Audience,
    /// The reason, in words.
    pub reason: &'static str,
}

/// Severity of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Running programs fail once the service has changed.
    Breaking,
    /// Running programs may do something else: a name stays, and its meaning may not.
    Behavior,
    /// Running programs continue to work; their source needs a change at the next build.
    SourceChange,
}

/// A group of users of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Programs that call an operation.
    Callers,
    /// Programs that read responses.
    Readers,
    /// Programs that fill in inputs.
    Writers,
}

impl Change {
    /// Returns true if running programs fail.
    pub fn is_breaking(&self) -> bool {
        self.effects.iter().any(|effect| effect.severity == Severity::Breaking)
    }

    /// Returns true if running programs fail or may do something else, so that a report lists it
    /// first.
    pub fn affects_running_programs(&self) -> bool {
        self.effects.iter().any(|effect| effect.severity <= Severity::Behavior)
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Callers => "callers",
            Self::Readers => "readers",
            Self::Writers => "writers",
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.kind {
            ChangeKind::Added(of) => write!(f, "added       {path}{}", WithType(of))?,
            ChangeKind::Removed(of) => write!(f, "removed     {path}{}", WithType(of))?,
            ChangeKind::Changed(from, to) => {
                write!(f, "changed     {path}: {} -> {}", or_nothing(from), or_nothing(to))?;
            }
            ChangeKind::Deprecated(reason) => write!(f, "deprecated  {path}{}", WithType(reason))?,
            ChangeKind::Reworded => write!(f, "reworded    {path}")?,
        }
        self.effects.iter().try_for_each(|effect| write!(f, "; {effect}"))
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Breaking => "BREAKS",
            Severity::Behavior => "CHECK",
            Severity::SourceChange => "source change for",
        };
        write!(f, "{severity} {} ({})", self.audience, self.reason)
    }
}

/// A colon and a type, or nothing without a type.
struct WithType<'a>(&'a str);

impl fmt::Display for WithType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}
