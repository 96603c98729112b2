//! Table: rows of JSON objects as typed columns.
//!
//! Two passes, so that memory does not grow with the rows: the first infers the columns from all
//! rows, the second writes them. The members of an object are columns, `output.url`; a list is JSON
//! text. So is any column whose values are of several types, or would lose digits: no value is lost.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::value::RawValue;

use super::columns::{Column, ColumnType, ColumnTypes};
use super::csv::CellWriter;
use super::{Failure, shown};

/// Largest number of members of an object that are columns: one with more is used as a map.
const MAX_MEMBERS: usize = 256;

/// Largest depth of objects whose members are columns.
const MAX_DEPTH: usize = 8;

/// Largest integer up to which all integers are floating-point numbers.
const EXACT: u64 = 1 << 53;

/// The members of an object.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// A column, or the columns of the members of an object.
#[derive(Default)]
pub(crate) struct Node {
    /// Number of values other than null.
    values: u64,
    kind: Kind,
}

/// The type that all values so far have in common.
#[derive(Default)]
enum Kind {
    /// There was no value.
    #[default]
    Unknown,
    Boolean,
    /// Integers of 64 bits; whether all of them are floating-point numbers.
    Integer {
        is_exact: bool,
    },
    Number,
    String,
    Json,
    Object(BTreeMap<String, Node>),
}

/// The columns of rows.
pub(crate) struct Table {
    /// The members of a row, in the order of their columns.
    members: Vec<(String, Node)>,
    rows: u64,
}

impl Node {
    fn take(&mut self, value: &RawValue, depth: usize) {
        let text = value.get();
        if text == "null" {
            return;
        }
        self.values += 1;
        let kind = match text.as_bytes().first() {
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'"') if is_text(text) => Kind::String,
            Some(b'-' | b'0'..=b'9') => number(text),
            Some(b'{') if !matches!(self.kind, Kind::Json) && depth < MAX_DEPTH => {
                return self.take_object(value, depth);
            }
            _ => Kind::Json,
        };
        self.kind = match (std::mem::take(&mut self.kind), kind) {
            (Kind::Unknown, kind) => kind,
            (Kind::Boolean, Kind::Boolean) => Kind::Boolean,
            (Kind::String, Kind::String) => Kind::String,
            (Kind::Integer { is_exact: left }, Kind::Integer { is_exact: right }) => {
                Kind::Integer { is_exact: left && right }
            }
            (Kind::Number | Kind::Integer { is_exact: true }, Kind::Number)
            | (Kind::Number, Kind::Integer { is_exact: true }) => Kind::Number,
            _ => Kind::Json,
        };
    }

    fn take_object(&mut self, value: &RawValue, depth: usize) {
        if matches!(self.kind, Kind::Unknown) {
            self.kind = Kind::Object(BTreeMap::new());
        }
        let is_column = |name: &str| !name.is_empty() && !name.contains('.');
        match (&mut self.kind, members(value)) {
            // The name of a column is a path: a dot in the name of a member would be ambiguous.
            (Kind::Object(nodes), Ok(given)) if given.keys().all(|name| is_column(name)) => {
                for (name, value) in given {
                    match nodes.get_mut(&name) {
                        Some(node) => node.take(value, depth + 1),
                        None => nodes.entry(name).or_default().take(value, depth + 1),
                    }
                }
                if nodes.len() <= MAX_MEMBERS {
                    return;
                }
            }
            _ => {}
        }
        self.kind = Kind::Json;
    }

    /// Gives the column of this path a type. Returns false if its values are no objects.
    fn give(&mut self, path: &str, column_type: ColumnType) -> bool {
        if path.is_empty() {
            self.kind = column_type.into();
            return true;
        }
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        if matches!(self.kind, Kind::Unknown) {
            self.kind = Kind::Object(BTreeMap::new());
        }
        let Kind::Object(nodes) = &mut self.kind else { return false };
        nodes.entry(name.to_owned()).or_default().give(rest, column_type)
    }

    pub(crate) fn column_type(&self) -> ColumnType {
        match &self.kind {
            Kind::Boolean => ColumnType::Boolean,
            Kind::Integer { .. } => ColumnType::Integer,
            Kind::Number => ColumnType::Number,
            Kind::String | Kind::Unknown => ColumnType::String,
            Kind::Json | Kind::Object(_) => ColumnType::Json,
        }
    }

    /// The members that are columns; `None` for a column.
    pub(crate) fn members(&self) -> Option<&BTreeMap<String, Node>> {
        match &self.kind {
            Kind::Object(nodes) if !nodes.is_empty() => Some(nodes),
            _ => None,
        }
    }
}

impl From<ColumnType> for Kind {
    fn from(column_type: ColumnType) -> Self {
        match column_type {
            ColumnType::Boolean => Self::Boolean,
            ColumnType::Integer => Self::Integer { is_exact: true },
            ColumnType::Number => Self::Number,
            ColumnType::String => Self::String,
            ColumnType::Json => Self::Json,
        }
    }
}

fn number(text: &str) -> Kind {
    if text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9')) {
        return match text.parse::<i64>() {
            // The sign of a zero is none of an integer.
            Ok(_) if text == "-0" => Kind::Number,
            Ok(number) => Kind::Integer { is_exact: number.unsigned_abs() <= EXACT },
            Err(_) => Kind::Json,
        };
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Kind::Number,
        _ => Kind::Json,
    }
}

/// Returns true unless it has half of a character, an escaped surrogate, which no text has.
fn is_text(string: &str) -> bool {
    !string.contains("\\u") || serde_json::from_str::<String>(string).is_ok()
}

fn members(value: &RawValue) -> Result<Members<'_>, Failure> {
    serde_json::from_str(value.get())
        .map_err(|error| Failure::content(format!("has an object that is not valid JSON: {error}")))
}

/// A value of a column.
pub(crate) enum Value<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    /// A finite number, as JSON.
    Number(&'a str),
    String(Cow<'a, str>),
    Json(&'a str),
}

impl<'a> Value<'a> {
    fn of(value: &'a RawValue, column_type: ColumnType) -> Result<Self, String> {
        let text = value.get();
        let not = |what: &str| Err(format!("{} is not {what}", shown(text)));
        Ok(match column_type {
            _ if text == "null" => Self::Null,
            ColumnType::Boolean => match text {
                "true" => Self::Boolean(true),
                "false" => Self::Boolean(false),
                _ => return not("a boolean"),
            },
            ColumnType::Integer => match text.parse() {
                Ok(number) => Self::Integer(number),
                Err(_) => return not("an integer of 64 bits"),
            },
            ColumnType::Number => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Self::Number(text),
                _ => return not("a number"),
            },
            ColumnType::String if text.starts_with('"') => match serde_json::from_str(text) {
                Ok(text) => Self::String(Cow::Owned(text)),
                Err(_) => return not("text: it has half of a character"),
            },
            ColumnType::String => Self::String(text.into()),
            ColumnType::Json => Self::Json(text),
        })
    }
}

/// Destination of the values of a table.
pub(crate) trait Sink {
    /// Writes the value of the next column. It is within `level` objects that are not null.
    fn value(&mut self, value: Value<'_>, level: usize) -> io::Result<()>;

    /// Ends the row.
    fn end_row(&mut self) -> io::Result<()>;
}

impl Table {
    /// A table whose rows have these members first, and in this order.
    pub(crate) fn new(names: &[&str]) -> Self {
        let members = names.iter().map(|name| ((*name).to_owned(), Node::default())).collect();
        Self { members, rows: 0 }
    }

    /// Infers from another row.
    pub(crate) fn infer(&mut self, row: &RawValue) -> Result<(), Failure> {
        self.rows += 1;
        for (name, value) in members(row)? {
            let known = self.members.iter().position(|(known, _)| *known == name);
            let at = known.unwrap_or_else(|| {
                self.members.push((name, Node::default()));
                self.members.len() - 1
            });
            self.members[at].1.take(value, 0);
        }
        Ok(())
    }

    /// Gives columns their types, once all rows are known: one that no row has is empty. Leaves out
    /// members that no row has.
    pub(crate) fn give(&mut self, types: &ColumnTypes) -> Result<(), Failure> {
        for (path, column_type) in &types.0 {
            let (name, rest) = path.split_once('.').unwrap_or((path, ""));
            let Some((_, node)) = self.members.iter_mut().find(|(known, _)| known == name) else {
                let names: Vec<_> = self.members.iter().map(|(name, _)| name.as_str()).collect();
                return Err(Failure::content(format!(
                    "has no column {path:?}, which the schema names: columns are {}, and members of an object such as output.NAME",
                    names.join(", ")
                )));
            };
            if !node.give(rest, *column_type) {
                return Err(Failure::content(format!(
                    "has no column {path:?}, which the schema names: not all values of {name} are objects"
                )));
            }
        }
        let given = |name: &str| types.0.keys().any(|path| path.split('.').next() == Some(name));
        let is_empty = self.rows == 0;
        self.members.retain(|(name, node)| is_empty || node.values > 0 || given(name));
        Ok(())
    }

    /// The columns.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (name, node) in &self.members {
            self.add_columns(name.clone(), node, &mut columns);
        }
        columns
    }

    fn add_columns(&self, name: String, node: &Node, columns: &mut Vec<Column>) {
        match node.members() {
            None => {
                let nulls = self.rows - node.values;
                columns.push(Column { name, column_type: node.column_type(), nulls });
            }
            Some(nodes) => {
                for (member, node) in nodes {
                    self.add_columns(format!("{name}.{member}"), node, columns);
                }
            }
        }
    }

    /// The members of a row, in the order of their columns.
    #[cfg(feature = "parquet")]
    pub(crate) fn members(&self) -> impl Iterator<Item = (&String, &Node)> {
        self.members.iter().map(|(name, node)| (name, node))
    }

    /// Writes a row; `number` says which, in an error.
    pub(crate) fn write(
        &self,
        number: u64,
        row: &RawValue,
        sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        let given = members(row)?;
        for (name, node) in &self.members {
            let value = given.get(name.as_str()).copied();
            write_node(node, value, 0, sink, &mut |why| {
                Failure::content(format!("row {number}, column {name}{why}"))
            })?;
        }
        sink.end_row().map_err(Failure::Write)
    }
}

/// Writes the columns of a node; `refuse` makes the error of a value from the rest of its column's
/// name and what is wrong with it.
fn write_node(
    node: &Node,
    value: Option<&RawValue>,
    level: usize,
    sink: &mut dyn Sink,
    refuse: &mut dyn FnMut(String) -> Failure,
) -> Result<(), Failure> {
    let value = value.filter(|value| value.get() != "null");
    let Some(nodes) = node.members() else {
        let value = match value {
            None => Value::Null,
            Some(value) => {
                Value::of(value, node.column_type()).map_err(|why| refuse(format!(": {why}")))?
            }
        };
        return sink.value(value, level).map_err(Failure::Write);
    };
    let (given, level) = match value {
        Some(value) => (members(value)?, level + 1),
        None => (Members::new(), level),
    };
    for (name, node) in nodes {
        let value = given.get(name.as_str()).copied();
        write_node(node, value, level, sink, &mut |why| refuse(format!(".{name}{why}")))?;
    }
    Ok(())
}

/// A table as CSV.
pub(crate) struct CsvSink<W>(CellWriter<W>);

impl<W: Write> CsvSink<W> {
    /// Begins with the header.
    pub(crate) fn new(to: W, table: &Table) -> io::Result<Self> {
        let mut cells = CellWriter::new(to);
        for column in table.columns() {
            match column
                .name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
            {
                true => cells.plain(&column.name)?,
                false => cells.quoted(&column.name)?,
            }
        }
        cells.end_row()?;
        Ok(Self(cells))
    }

    pub(crate) fn into_inner(self) -> W {
        self.0.into_inner()
    }
}

impl<W: Write> Sink for CsvSink<W> {
    fn value(&mut self, value: Value<'_>, _: usize) -> io::Result<()> {
        match value {
            Value::Null => self.0.null(),
            Value::Boolean(value) => self.0.plain(if value { "true" } else { "false" }),
            Value::Integer(value) => self.0.plain(&value.to_string()),
            Value::Number(text) => self.0.plain(text),
            Value::String(text) => self.0.quoted(&text),
            Value::Json(text) => self.0.quoted(text),
        }
    }

    fn end_row(&mut self) -> io::Result<()> {
        self.0.end_row()
    }
}
