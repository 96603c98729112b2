//! Columns: the names and types of a table.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind, Result};

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnType {
    /// `true` and `false`.
    Boolean,
    /// Integers of 64 bits.
    Integer,
    /// Floating-point numbers of 64 bits; in CSV, the number as it is written.
    Number,
    /// Text.
    String,
    /// Any value, as JSON text.
    Json,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Json => "json",
        })
    }
}

/// A column of a table that was read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The name: of a member of an object, its path, such as `output.url`.
    pub name: String,
    /// The type, given or inferred from all rows.
    pub column_type: ColumnType,
    /// Number of rows without a value.
    pub nulls: u64,
}

/// The types of columns, by name. The types of other columns are inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnTypes(pub(crate) BTreeMap<String, ColumnType>);

impl ColumnTypes {
    /// Reads a file with a JSON object: the types by the names of columns, such as
    /// `{"id": "string", "output.score": "number"}`. The types are `boolean`, `integer`, `number`,
    /// `string` and `json`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] if the file cannot be read, or is no such object.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| {
            Error::file(ErrorKind::Settings, "read the types of the columns in", path, error)
        })?;
        Self::parse(&text).map_err(|error| {
            Error::new(ErrorKind::Settings, format!("{}: {error}", path.display()))
        })
    }

    /// Parses the text of such a file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] if it is no such object.
    pub fn parse(text: &str) -> Result<Self> {
        let refused = |why: String| {
            let message = format!(
                "{why}; expected a JSON object of types by column, such as {{\"id\": \"string\"}}, where a type is boolean, integer, number, string or json"
            );
            Error::new(ErrorKind::Settings, message)
        };
        let named: BTreeMap<String, &RawValue> = serde_json::from_str(text)
            .map_err(|error| refused(format!("this is no schema of columns: {error}")))?;
        let mut types = BTreeMap::new();
        for (name, value) in named {
            let column_type = serde_json::from_str(value.get())
                .map_err(|_| refused(format!("column {name:?} has the type {value}")))?;
            types.insert(name, column_type);
        }
        Ok(Self(types))
    }

    /// Returns true if no type is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The types as text, which is equal for equal types.
    pub(crate) fn canonical(&self) -> Option<String> {
        (!self.is_empty()).then(|| serde_json::to_string(&self.0).unwrap_or_default())
    }
}
