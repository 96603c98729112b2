//! Formats of texts that become types: dates, times and UUIDs, if the build script asks for them.

use schemars::schema::{InstanceType, SchemaObject};
use syn::Path;
use syn::parse_quote;

/// The crate whose types dates and times have: [`Build::dates`](crate::Build::dates).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dates {
    /// `chrono::DateTime<Utc>` and `chrono::NaiveDate`.
    Chrono,
    /// `jiff::Timestamp` and `jiff::civil::Date`.
    Jiff,
    /// `time::OffsetDateTime` and `time::Date`.
    Time,
}

/// The formats that become types; all others are texts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Formats {
    pub(crate) dates: Option<Dates>,
    pub(crate) uuids: bool,
}

/// The crate of the paths by which the type generator names these types.
const STAND_IN: &str = "podqueue_formats";

impl Formats {
    /// The formats, and for each the path of its type in the runtime's module `formats`.
    fn types(self) -> Vec<(&'static str, String)> {
        let mut types = Vec::new();
        if let Some(dates) = self.dates {
            let name = match dates {
                Dates::Chrono => "chrono",
                Dates::Jiff => "jiff",
                Dates::Time => "time",
            };
            types.push(("date-time", format!("{name}::DateTime")));
            types.push(("date", format!("{name}::Date")));
        }
        if self.uuids {
            types.push(("uuid", "uuid::Uuid".to_owned()));
        }
        types
    }

    /// Returns true if texts of this format get a type.
    pub(super) fn has(self, format: &str) -> bool {
        self.types().iter().any(|(name, _)| *name == format)
    }

    /// The schemas that the type generator replaces, each with the path that it writes.
    pub(super) fn stand_ins(self) -> impl Iterator<Item = (SchemaObject, String)> {
        self.types().into_iter().map(|(format, ty)| {
            let schema = SchemaObject {
                instance_type: Some(InstanceType::String.into()),
                format: Some(format.to_owned()),
                ..SchemaObject::default()
            };
            (schema, format!("::{STAND_IN}::{ty}"))
        })
    }
}

/// The type of the runtime in place of such a path.
pub(super) fn replace(path: &mut Path) {
    if path.leading_colon.is_some()
        && path.segments.len() == 3
        && path.segments[0].ident == STAND_IN
    {
        let (module, name) = (&path.segments[1], &path.segments[2]);
        let formats: Path = parse_quote!(__runtime::__private::lenient::formats);
        *path = parse_quote!(#formats::Parsed<#formats::#module::#name>);
    }
}
