//! Columns: the schema of a table, and the columns that were inferred.

use std::path::Path;

use podqueue_batch::{Column, ColumnTypes};

use crate::context::Context;
use crate::failure::Failure;

/// The types of a schema file, if there is one.
pub fn read_schema(file: Option<&Path>) -> Result<ColumnTypes, Failure> {
    let Some(file) = file else { return Ok(ColumnTypes::default()) };
    ColumnTypes::read(file).map_err(|error| Failure::usage(error.to_string()))
}

/// Notes the columns of a table, with their types and how many rows have no value.
pub fn note(context: &Context, table: &Path, columns: &[Column]) {
    if columns.is_empty() {
        return;
    }
    let width = columns.iter().map(|column| column.name.chars().count()).max().unwrap_or_default();
    let mut text = format!("columns of {}:", table.display());
    for Column { name, column_type, nulls, .. } in columns {
        let nulls = if *nulls > 0 { format!(", {nulls} without a value") } else { String::new() };
        // A name may contain anything.
        let name = name.escape_debug().to_string();
        text.push_str(&format!("\n  {name:width$}  {column_type}{nulls}"));
    }
    context.output.note(text);
}
