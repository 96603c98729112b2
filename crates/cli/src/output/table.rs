//! Table: cells in aligned columns, with the colors of the program.

use std::fmt;
use std::io::{self, IsTerminal};

use anstyle::{AnsiColor, Style};
use console::{Term, measure_text_width, truncate_str};
use serde_json::Value;

use crate::json::one_line;

pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const BUSY: Style = AnsiColor::Yellow.on_default();
pub const FAINT: Style = Style::new().dimmed();

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: Style::new() }
    }

    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// Rows of cells, aligned by the display width of characters. The last column is truncated at the
/// edge of the terminal.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn with_header<const N: usize>(names: [&str; N]) -> Self {
        let header = names.map(|name| Cell::new(name).style(FAINT));
        Self { rows: vec![header.to_vec()] }
    }

    pub fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        let cells = cells.map(|cell| Cell { text: one_line(cell.text.trim()), ..cell });
        self.rows.push(cells.to_vec());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| measure_text_width(&cell.text)).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let edge = io::stdout().is_terminal().then(|| usize::from(Term::stdout().size().1));
        for row in &self.rows {
            let mut used = 0;
            for (column, cell) in row.iter().enumerate() {
                let style = cell.style;
                if column + 1 < row.len() {
                    let space = widths[column] - measure_text_width(&cell.text) + 2;
                    write!(f, "{style}{}{style:#}{:space$}", cell.text, "")?;
                    used += widths[column] + 2;
                } else {
                    let available =
                        edge.map_or(usize::MAX, |edge| edge.saturating_sub(used).max(10));
                    write!(f, "{style}{}{style:#}", truncate_str(&cell.text, available, "…"))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Adds a row for each member of an object that has a value. The values of environment variables
/// may be secrets, and are not shown.
pub fn members(table: &mut Table, prefix: &str, object: &Value) {
    let Value::Object(object) = object else {
        return table.row([prefix.into(), cell_text(object).into()]);
    };
    for (name, value) in object {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            Value::Object(variables) if name == "env" && !variables.is_empty() => {
                let names: Vec<_> = variables.keys().map(String::as_str).collect();
                table.row([path.into(), format!("{} (values redacted)", names.join(", ")).into()]);
            }
            Value::Object(_) => members(table, &path, value),
            Value::Array(items) if items.is_empty() => {}
            _ => table.row([path.into(), cell_text(value).into()]),
        }
    }
}

fn cell_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if !items.iter().any(|item| item.is_array() || item.is_object()) => {
            items.iter().map(cell_text).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_display_width() {
        let mut table = Table::default();
        table.row(["画家".into(), "COMPLETED".into()]);
        table.row(["echo".into(), "two\nlines".into()]);
        table.row(["e\u{301}te\u{301}".into(), "x".into()]);
        let lines = "画家  COMPLETED\necho  two lines\ne\u{301}te\u{301}   x\n";
        assert_eq!(anstream::adapter::strip_str(&table.to_string()).to_string(), lines);
    }
}
