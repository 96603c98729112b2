//! What was found, in words for a person or for the log of a nightly CI.

use std::fmt;

use podqueue_codegen::Source;

use crate::changes::{Change, Effect, Interface, Severity, What};
use crate::findings::{Document, Findings, State};

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for document in &self.documents {
            write!(f, "{document}")?;
        }
        if !self.warnings.is_empty() {
            writeln!(f, "\nwarnings of the generator:")?;
            self.warnings.iter().try_for_each(|warning| writeln!(f, "  {warning}"))?;
        }
        if !self.mistakes.is_empty() {
            writeln!(f, "\nqueries that do not validate:")?;
            self.mistakes.iter().try_for_each(|mistake| writeln!(f, "  {mistake}"))?;
        } else if self.documents.iter().any(|it| it.interface == Interface::GraphQl) {
            let queries = Source::name_of(&self.queries);
            writeln!(f, "\nall queries of {queries} validate")?;
        }
        Ok(())
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = match self.interface {
            Interface::Rest => "REST description",
            Interface::GraphQl => "GraphQL schema",
        };
        write!(f, "{title}, {}: ", Source::name_of(&self.file))?;
        match self.state {
            State::New => writeln!(f, "new"),
            State::Same => writeln!(f, "no drift"),
            State::Different if self.changes.is_empty() => {
                writeln!(f, "changed, but not in anything that affects generated code")
            }
            State::Different => {
                let breaking = self.changes.iter().filter(|change| change.is_breaking()).count();
                let many = if self.changes.len() == 1 { "change" } else { "changes" };
                writeln!(f, "{} {many}, {breaking} of them breaking", self.changes.len())?;
                self.changes.iter().try_for_each(|change| writeln!(f, "  {change}"))
            }
        }?;
        match &self.replaces {
            Some(replaced) => writeln!(f, "  replaces {}", Source::name_of(replaced)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.what {
            What::Added(of) => write!(f, "added       {path}{}", Typed(of))?,
            What::Removed(of) => write!(f, "removed     {path}{}", Typed(of))?,
            What::Changed(from, to) => {
                write!(f, "changed     {path}: {} -> {}", or_nothing(from), or_nothing(to))?;
            }
            What::Deprecated(reason) => write!(f, "deprecated  {path}{}", Typed(reason))?,
            What::Described => write!(f, "reworded    {path}")?,
        }
        self.effects.iter().try_for_each(|effect| write!(f, "; {effect}"))
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.severity {
            Severity::Breaks => "BREAKS",
            Severity::Adapts => "source change for",
        };
        write!(f, "{how} {} ({})", self.who, self.why)
    }
}

/// A type after a colon, where there is one.
struct Typed<'a>(&'a str);

impl fmt::Display for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}
