//! CSV as in RFC 4180, with a header: its rows as JSON Lines, and the cells of a table.
//!
//! A quoted cell is text. Of cells without quotes, an empty cell is no value, and the type of its
//! column is inferred from all of them: `true` and `false`, or numbers, where each cell is a JSON
//! number and stays as it is written, or else text. So `007` and `10115 ` are text, and an integer
//! of any size keeps its digits.
//!
//! The reader is written here, and not a dependency, for what others do not tell: whether a cell was
//! quoted, and where a quote begins that never ends, without reading the rest into memory.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::mem::take;

use serde_json::value::RawValue;

use super::columns::{Column, ColumnType, ColumnTypes};
use super::{Failure, shown};
use crate::inputs::MAX_LINE_BYTES;

/// A number of things: `1 cell`, `2 cells`.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A record: a row, or the header.
#[derive(Default)]
struct Record {
    text: Vec<u8>,
    cells: Vec<Cell>,
    /// The line of the file where it begins, from one.
    line: u64,
}

/// A cell of a record: the end of its text, and whether it was quoted.
struct Cell {
    end: usize,
    is_quoted: bool,
}

/// Reads records.
struct Records<R> {
    reader: R,
    record: Record,
    /// Number of lines that were read.
    lines: u64,
}

/// Part of a cell that was read last.
#[derive(Clone, Copy)]
enum Position {
    Start,
    Plain,
    /// Within quotes, which began in this line.
    Quoted(u64),
    /// After a quote in a quoted cell: its end, or the first half of an escaped quote.
    AfterQuote(u64),
}

impl<R: BufRead> Records<R> {
    fn new(reader: R) -> Self {
        Self { reader, record: Record::default(), lines: 0 }
    }

    /// Reads the next record that is not blank. Returns false at the end.
    fn next(&mut self) -> Result<bool, Failure> {
        loop {
            let mut record = take(&mut self.record);
            record.text.clear();
            record.cells.clear();
            record.line = self.lines + 1;
            let has_read = self.read(&mut record)?;
            let is_blank = matches!(record.cells.as_slice(), [Cell { end: 0, is_quoted: false }]);
            self.record = record;
            if !has_read || !is_blank {
                return Ok(has_read);
            }
        }
    }

    fn read(&mut self, record: &mut Record) -> Result<bool, Failure> {
        let (mut position, mut has_read) = (Position::Start, false);
        loop {
            let bytes = self.reader.fill_buf().map_err(Failure::Read)?;
            if bytes.is_empty() {
                return match position {
                    Position::Quoted(line) => Err(unclosed(line)),
                    _ if has_read => {
                        self.lines += 1;
                        record.end_cell(position, true);
                        Ok(true)
                    }
                    _ => Ok(false),
                };
            }
            has_read = true;
            let (mut read, mut is_whole) = (0, false);
            for &byte in bytes {
                read += 1;
                let line = self.lines + 1;
                if byte == b'\n' {
                    self.lines += 1;
                }
                position = match (position, byte) {
                    (Position::Quoted(line), b'"') => Position::AfterQuote(line),
                    (Position::AfterQuote(line), b'"') => {
                        record.text.push(byte);
                        Position::Quoted(line)
                    }
                    (Position::Quoted(_), _) => {
                        record.text.push(byte);
                        position
                    }
                    (_, b',') => {
                        record.end_cell(position, false);
                        Position::Start
                    }
                    (_, b'\n') => {
                        record.end_cell(position, true);
                        is_whole = true;
                        break;
                    }
                    (Position::Start, b'"') => Position::Quoted(line),
                    // The first half of a line break.
                    (Position::AfterQuote(_), b'\r') => position,
                    (Position::AfterQuote(_), _) => {
                        let cell = record.cells.len() + 1;
                        return Err(Failure::content(format!(
                            "has text after the closing quote of cell {cell} in line {line}: a quote within quotes is written twice"
                        )));
                    }
                    (Position::Start | Position::Plain, _) => {
                        record.text.push(byte);
                        if record.line == 1 && record.is_byte_order_mark() {
                            record.text.clear();
                            Position::Start
                        } else {
                            Position::Plain
                        }
                    }
                };
            }
            self.reader.consume(read);
            if is_whole {
                return Ok(true);
            }
            // Of a row without text, each comma takes memory, too.
            if record.text.len() + size_of_val(record.cells.as_slice()) >= MAX_LINE_BYTES {
                return Err(match position {
                    Position::Quoted(line) => unclosed(line),
                    _ => Failure::content(format!(
                        "has a row in line {} that is longer than {} MiB",
                        record.line,
                        MAX_LINE_BYTES >> 20
                    )),
                });
            }
        }
    }
}

fn unclosed(line: u64) -> Failure {
    Failure::content(format!("has a quote in line {line} that never ends: close it"))
}

impl Record {
    fn is_byte_order_mark(&self) -> bool {
        self.cells.is_empty() && self.text == b"\xef\xbb\xbf"
    }

    fn end_cell(&mut self, position: Position, is_last: bool) {
        let is_quoted = matches!(position, Position::AfterQuote(_));
        // The first half of a line break.
        if is_last && matches!(position, Position::Plain) && self.text.ends_with(b"\r") {
            self.text.pop();
        }
        self.cells.push(Cell { end: self.text.len(), is_quoted });
    }

    /// The text of a cell, and whether it was quoted.
    fn cell(&self, number: usize) -> Result<(&str, bool), std::str::Utf8Error> {
        let start = number.checked_sub(1).map_or(0, |before| self.cells[before].end);
        let Cell { end, is_quoted } = self.cells[number];
        Ok((std::str::from_utf8(&self.text[start..end])?, is_quoted))
    }
}

/// Rows of a CSV file with their columns.
struct Rows<R> {
    records: Records<R>,
    names: Vec<String>,
    /// Number of rows that were read.
    row: u64,
}

impl<R: BufRead> Rows<R> {
    fn new(reader: R) -> Result<Self, Failure> {
        let mut records = Records::new(reader);
        if !records.next()? {
            return Err(Failure::content("has no header: its first line names the columns"));
        }
        let (mut names, mut known) = (Vec::<String>::new(), HashSet::new());
        for number in 0..records.record.cells.len() {
            let cell = records.record.cell(number);
            let (name, _) = cell.map_err(|_| {
                Failure::content(format!("has a name in column {} that is not UTF-8", number + 1))
            })?;
            if name.is_empty() || !known.insert(name) {
                let what =
                    if name.is_empty() { "no name" } else { "the name of an earlier column" };
                return Err(Failure::content(format!(
                    "has {what} for column {} in its header: the first line names each column once",
                    number + 1
                )));
            }
            names.push(name.to_owned());
        }
        Ok(Self { records, names, row: 0 })
    }

    /// Reads the next row, whose cells `take` gets by the number of their column.
    fn next(
        &mut self,
        mut take: impl FnMut(usize, &str, bool) -> Result<(), String>,
    ) -> Result<bool, Failure> {
        if !self.records.next()? {
            return Ok(false);
        }
        self.row += 1;
        let record = &self.records.record;
        let (row, line, cells) = (self.row, record.line, record.cells.len());
        if cells != self.names.len() {
            return Err(Failure::content(format!(
                "has {} in row {row} (line {line}), and {}",
                counted(cells, "cell"),
                counted(self.names.len(), "column")
            )));
        }
        for (number, name) in self.names.iter().enumerate() {
            let taken = match record.cell(number) {
                Ok((text, is_quoted)) => take(number, text, is_quoted),
                Err(_) => Err("is not UTF-8".to_owned()),
            };
            taken.map_err(|why| {
                Failure::content(format!("row {row} (line {line}), column {name:?}: {why}"))
            })?;
        }
        Ok(true)
    }
}

/// Inferred type of a column, after some of its cells.
struct Inference {
    nulls: u64,
    cells: u64,
    is_boolean: bool,
    is_number: bool,
    is_integer: bool,
}

impl Inference {
    fn new() -> Self {
        Self { nulls: 0, cells: 0, is_boolean: true, is_number: true, is_integer: true }
    }

    fn take(&mut self, text: &str, is_quoted: bool) {
        if text.is_empty() && !is_quoted {
            self.nulls += 1;
            return;
        }
        self.cells += 1;
        self.is_boolean &= !is_quoted && matches!(text, "true" | "false");
        self.is_number &= !is_quoted && is_number(text);
        self.is_integer &= self.is_number && is_integer(text);
    }

    fn column_type(&self) -> ColumnType {
        match self {
            Self { cells: 0, .. } => ColumnType::String,
            Self { is_boolean: true, .. } => ColumnType::Boolean,
            Self { is_integer: true, .. } => ColumnType::Integer,
            Self { is_number: true, .. } => ColumnType::Number,
            _ => ColumnType::String,
        }
    }
}

fn is_integer(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
}

/// Returns true if the text is a JSON number, without white space around it.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && text.ends_with(|last: char| last.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The columns of a CSV file, of these types or inferred ones.
pub(crate) fn infer(reader: impl BufRead, types: &ColumnTypes) -> Result<Vec<Column>, Failure> {
    let mut rows = Rows::new(reader)?;
    if let Some(unknown) = types.0.keys().find(|name| !rows.names.contains(name)) {
        return Err(Failure::content(format!(
            "has no column {unknown:?}, which the schema names: its columns are {}",
            rows.names.join(", ")
        )));
    }
    let mut inferences: Vec<_> = rows.names.iter().map(|_| Inference::new()).collect();
    while rows.next(|number, text, is_quoted| {
        inferences[number].take(text, is_quoted);
        Ok(())
    })? {}
    let column = |(name, inference): (String, Inference)| {
        let column_type = types.0.get(&name).copied();
        let column_type = column_type.unwrap_or_else(|| inference.column_type());
        Column { name, column_type, nulls: inference.nulls }
    };
    Ok(take(&mut rows.names).into_iter().zip(inferences).map(column).collect())
}

/// Writes the rows of a CSV file with these columns as JSON Lines.
pub(crate) fn to_json_lines(
    reader: impl BufRead,
    columns: &[Column],
    to: &mut dyn Write,
) -> Result<(), Failure> {
    let mut rows = Rows::new(reader)?;
    if !rows.names.iter().eq(columns.iter().map(|column| &column.name)) {
        return Err(Failure::content("has changed while it was converted"));
    }
    let names: Vec<_> = rows.names.iter().map(|name| json_string(name)).collect();
    let mut line = Vec::new();
    loop {
        line.clear();
        line.push(b'{');
        let has_row = rows.next(|number, text, is_quoted| {
            if text.is_empty() && !is_quoted {
                return Ok(());
            }
            if line.len() > 1 {
                line.push(b',');
            }
            line.extend_from_slice(names[number].as_bytes());
            line.push(b':');
            write_value(columns[number].column_type, text, &mut line)
        })?;
        if !has_row {
            return Ok(());
        }
        line.extend_from_slice(b"}\n");
        to.write_all(&line).map_err(Failure::Write)?;
    }
}

/// Appends a cell as a JSON value.
fn write_value(column_type: ColumnType, text: &str, line: &mut Vec<u8>) -> Result<(), String> {
    let not = |what: &str| Err(format!("{} is not {what}", shown(text)));
    let value = match column_type {
        ColumnType::String => json_string(text),
        ColumnType::Boolean => match text.to_ascii_lowercase().as_str() {
            is @ ("true" | "false") => is.to_owned(),
            _ => return not("a boolean"),
        },
        ColumnType::Integer if is_number(text) && is_integer(text) => text.to_owned(),
        // Such as 007 and +7, which are none of JSON.
        ColumnType::Integer => match text.trim().parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => return not("an integer"),
        },
        ColumnType::Number if is_number(text) => text.to_owned(),
        ColumnType::Number => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => number.to_string(),
            _ => return not("a number"),
        },
        ColumnType::Json => match serde_json::from_str::<&RawValue>(text) {
            // A line break in JSON is white space.
            Ok(value) => value.get().replace(['\n', '\r'], " "),
            Err(_) => return not("valid JSON"),
        },
    };
    line.extend_from_slice(value.as_bytes());
    Ok(())
}

fn json_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Writes cells, so that the reader above reads them as they were: text in quotes, other values
/// without.
pub(crate) struct CellWriter<W> {
    to: W,
    is_first: bool,
}

impl<W: Write> CellWriter<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, is_first: true }
    }

    pub(crate) fn null(&mut self) -> io::Result<()> {
        self.separate()
    }

    pub(crate) fn plain(&mut self, text: &str) -> io::Result<()> {
        self.separate()?;
        self.to.write_all(text.as_bytes())
    }

    pub(crate) fn quoted(&mut self, text: &str) -> io::Result<()> {
        self.separate()?;
        write!(self.to, "\"{}\"", text.replace('"', "\"\""))
    }

    pub(crate) fn end_row(&mut self) -> io::Result<()> {
        self.is_first = true;
        self.to.write_all(b"\n")
    }

    fn separate(&mut self) -> io::Result<()> {
        if take(&mut self.is_first) { Ok(()) } else { self.to.write_all(b",") }
    }

    pub(crate) fn into_inner(self) -> W {
        self.to
    }
}
