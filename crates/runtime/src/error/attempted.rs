//! Description of what a call attempted, as the beginning of error messages.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The attempted call, such as `get_pet on the REST interface`. Formatted only for an error: every call
/// has this description, and few fail.
#[derive(Clone, Debug)]
pub struct Attempted {
    what: Cow<'static, str>,
    of: Option<(&'static str, Arc<str>)>,
    on: On,
}

#[derive(Clone, Debug)]
enum On {
    Nothing,
    Interface(&'static str),
    Named(&'static str, Arc<str>),
}

impl Attempted {
    /// An attempt at `what`, a noun phrase or the name of an operation.
    pub fn new(what: impl Into<Cow<'static, str>>) -> Self {
        Self { what: what.into(), of: None, on: On::Nothing }
    }

    /// Adds `of {noun} {name}`, such as `of pet "7"`.
    #[must_use]
    pub fn of(self, noun: &'static str, name: &Arc<str>) -> Self {
        Self { of: Some((noun, Arc::clone(name))), ..self }
    }

    /// Adds `on {noun} {name}`.
    #[must_use]
    pub fn on(self, noun: &'static str, name: &Arc<str>) -> Self {
        Self { on: On::Named(noun, Arc::clone(name)), ..self }
    }

    /// Adds `on the {interface} interface`, such as `REST`.
    #[must_use]
    pub fn on_interface(self, interface: &'static str) -> Self {
        Self { on: On::Interface(interface), ..self }
    }
}

impl fmt::Display for Attempted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some((noun, name)) = &self.of {
            write!(f, " of {noun} {:?}", ShownId(name))?;
        }
        match &self.on {
            On::Nothing => Ok(()),
            On::Interface(name) => write!(f, " on the {name} interface"),
            On::Named(noun, name) => write!(f, " on {noun} {:?}", ShownId(name)),
        }
    }
}

/// An id as error messages show it: quoted, and truncated if it is longer than any real id, since it may
/// come from the service.
pub struct ShownId<'a>(pub &'a str);

impl ShownId<'_> {
    /// The longest id that is shown in full, in bytes.
    const LONGEST: usize = 256;
}

impl fmt::Debug for ShownId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.0;
        if id.len() <= Self::LONGEST {
            return write!(f, "{id:?}");
        }
        let end = (0..=Self::LONGEST).rfind(|at| id.is_char_boundary(*at)).unwrap_or(0);
        write!(f, "{:?}… ({} bytes)", &id[..end], id.len())
    }
}

impl From<&Attempted> for String {
    fn from(attempted: &Attempted) -> Self {
        attempted.to_string()
    }
}

impl From<Attempted> for String {
    fn from(attempted: Attempted) -> Self {
        attempted.to_string()
    }
}
