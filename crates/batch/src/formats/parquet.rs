//! Parquet, by the low-level interfaces of its library, without Arrow: that takes a third of the
//! time to compile, and rows of JSON need no more.
//!
//! A member of an object is a column within a group, as `output.url` in SQL. A group of rows is in
//! memory while it is written, and a page of each column while it is read.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::basic::{
    Compression, ConvertedType, LogicalType, Repetition, Type as Physical, ZstdLevel,
};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::{Field, Row};
use parquet::schema::types::{Type, TypePtr};

use super::Failure;
use super::columns::{ColumnType, ColumnTypes};
use super::table::{Node, Sink, Table, Value};

/// Largest number of rows of a group, and of bytes of its values.
const GROUP_ROWS: usize = 64 * 1024;
const GROUP_BYTES: usize = 16 * 1024 * 1024;

/// Number of rows that are read at a time.
const BATCH: usize = 256;

/// Writes the rows of a file as JSON Lines.
pub(crate) fn to_json_lines(
    file: File,
    types: &ColumnTypes,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    // The library panics for some damaged files, and for types that it does not know.
    let converted = catch_unwind(AssertUnwindSafe(|| convert(file, types, to)));
    converted.unwrap_or_else(|_| {
        Err(Failure::content("is damaged, or has columns of a type that is not supported"))
    })
}

fn convert(file: File, types: &ColumnTypes, to: &mut dyn Write) -> Result<(), Failure> {
    let damaged = |error: ParquetError| {
        Failure::content(format!("is not a whole Parquet file: {error}: write it again"))
    };
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let schema = reader.metadata().file_metadata().schema_descr().root_schema_ptr();
    let columns = columns(&schema, types)?;
    let rows = reader.into_iter().with_batch_size(BATCH);
    let mut line = Vec::new();
    for (number, row) in (1_u64..).zip(rows) {
        line.clear();
        write_row(&row.map_err(damaged)?, &columns, &mut line)
            .map_err(|why| Failure::content(format!("row {number}, column {why}")))?;
        line.push(b'\n');
        to.write_all(&line).map_err(Failure::Write)?;
    }
    Ok(())
}

/// Meaning of the values of a column, beyond what they tell.
enum Meaning {
    Value,
    Json,
    /// A time, in nanoseconds if the library does not say otherwise, of UTC or of no zone.
    Time {
        is_utc: bool,
    },
    /// The members of an object.
    Members(Vec<Meaning>),
}

impl Meaning {
    fn of(field: &Type) -> Self {
        let info = field.get_basic_info();
        let is_list = info.converted_type() != ConvertedType::NONE;
        match info.logical_type_ref() {
            Some(LogicalType::Json) => Self::Json,
            Some(LogicalType::Timestamp(time)) => Self::Time { is_utc: time.is_adjusted_to_u_t_c },
            None if field.is_group() && !is_list => {
                Self::Members(field.get_fields().iter().map(|field| Self::of(field)).collect())
            }
            _ => Self::Value,
        }
    }
}

fn columns(schema: &Type, types: &ColumnTypes) -> Result<Vec<Meaning>, Failure> {
    let fields = schema.get_fields();
    if let Some(name) = repeated_name(schema) {
        return Err(Failure::content(format!(
            "has two columns {name:?}: a value of JSON has each name once"
        )));
    }
    for (name, column_type) in &types.0 {
        let is_text = fields.iter().any(|field| {
            field.name() == name
                && field.is_primitive()
                && field.get_physical_type() == Physical::BYTE_ARRAY
        });
        if !is_text || *column_type != ColumnType::Json {
            return Err(Failure::content(format!(
                "has types of its own, so the schema may only name columns of text that are json: {name:?} is {}",
                if is_text { "text" } else { "no such column" }
            )));
        }
    }
    let meaning = |field: &TypePtr| match types.0.contains_key(field.name()) {
        true => Meaning::Json,
        false => Meaning::of(field),
    };
    for (field, column) in columns_of(schema) {
        if column == ConvertedType::INTERVAL {
            return Err(Failure::content(format!(
                "has the column {field:?} of the type INTERVAL, which is not supported: write it as a number or text"
            )));
        }
    }
    Ok(fields.iter().map(meaning).collect())
}

/// A name that two columns, or two members of a group, have.
fn repeated_name(schema: &Type) -> Option<&str> {
    let mut names = HashSet::new();
    schema.get_fields().iter().find_map(|field| match names.insert(field.name()) {
        false => Some(field.name()),
        true if field.is_group() => repeated_name(field),
        true => None,
    })
}

/// The columns, and those within groups.
fn columns_of(schema: &Type) -> Vec<(&str, ConvertedType)> {
    let mut columns = Vec::new();
    for field in schema.get_fields() {
        match field.is_group() {
            true => columns.extend(columns_of(field)),
            false => columns.push((field.name(), field.get_basic_info().converted_type())),
        }
    }
    columns
}

/// Appends an object; the error begins with the name of the column.
fn write_row(row: &Row, columns: &[Meaning], line: &mut Vec<u8>) -> Result<(), String> {
    line.push(b'{');
    for ((name, field), meaning) in row.get_column_iter().zip(columns) {
        // An absent member, like the empty cell of a CSV file.
        if matches!(field, Field::Null) {
            continue;
        }
        write_name(name, line);
        let colon = |why: String| format!("{name}: {why}");
        match (meaning, field) {
            (Meaning::Members(columns), Field::Group(row)) => {
                write_row(row, columns, line).map_err(|why| format!("{name}.{why}"))?;
            }
            (Meaning::Json, Field::Str(text)) => json(text, line).map_err(colon)?,
            (Meaning::Json, Field::Bytes(bytes)) => match bytes.as_utf8() {
                Ok(text) => json(text, line).map_err(colon)?,
                Err(_) => return Err(colon("is not UTF-8".to_owned())),
            },
            (Meaning::Time { is_utc }, field) => time(field, *is_utc, line).map_err(colon)?,
            (_, field) => write_field(field, line).map_err(colon)?,
        }
    }
    line.push(b'}');
    Ok(())
}

/// Appends the name of a member of an object.
fn write_name(name: &str, line: &mut Vec<u8>) {
    if line.last() != Some(&b'{') {
        line.push(b',');
    }
    string(name, line);
    line.push(b':');
}

fn json(text: &str, line: &mut Vec<u8>) -> Result<(), String> {
    let value: &serde_json::value::RawValue =
        serde_json::from_str(text).map_err(|_| "is not valid JSON".to_owned())?;
    // A line break in JSON is white space.
    line.extend(
        value.get().bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }),
    );
    Ok(())
}

fn string(text: &str, line: &mut Vec<u8>) {
    // Memory takes all of it.
    let _ = serde_json::to_writer(line, text);
}

/// Appends a time as in RFC 3339, without its zone if it has none.
fn time(field: &Field, is_utc: bool, line: &mut Vec<u8>) -> Result<(), String> {
    let (seconds, shown, nanoseconds) = match *field {
        // The library only knows longer units.
        Field::Long(time) => {
            let shown = Field::TimestampMicros(time.div_euclid(1_000));
            (time.div_euclid(1_000_000_000), shown, format!("{:03}", time.rem_euclid(1_000)))
        }
        Field::TimestampMillis(time) => (time.div_euclid(1_000), field.clone(), String::new()),
        Field::TimestampMicros(time) => (time.div_euclid(1_000_000), field.clone(), String::new()),
        _ => return Err("is not a time of a known unit".to_owned()),
    };
    let shown = if is_shown(seconds) { shown.to_string() } else { return Err(beyond()) };
    let mut parts = shown.split(' ').map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    let (date, time, zone) = (part(), part(), part());
    let zone = if is_utc { zone } else { String::new() };
    string(&format!("{date}T{time}{nanoseconds}{zone}"), line);
    Ok(())
}

/// Returns true if the library can show a time, by its seconds since 1970: of the years 1 to 9999.
fn is_shown(seconds: i64) -> bool {
    (-62_135_596_800..253_402_300_800).contains(&seconds)
}

fn beyond() -> String {
    "is a time before the year 1 or after 9999".to_owned()
}

/// Appends a value as JSON.
fn write_field(field: &Field, line: &mut Vec<u8>) -> Result<(), String> {
    match field {
        Field::Null => line.extend_from_slice(b"null"),
        Field::Bool(_)
        | Field::Byte(_)
        | Field::Short(_)
        | Field::Int(_)
        | Field::Long(_)
        | Field::UByte(_)
        | Field::UShort(_)
        | Field::UInt(_)
        | Field::ULong(_) => line.extend_from_slice(field.to_string().as_bytes()),
        Field::Float16(value) => {
            write_number(&f32::from(*value), f32::from(*value).is_finite(), line)?
        }
        Field::Float(value) => write_number(value, value.is_finite(), line)?,
        Field::Double(value) => write_number(value, value.is_finite(), line)?,
        Field::Str(text) => string(text, line),
        Field::Bytes(bytes) => match bytes.as_utf8() {
            Ok(text) => string(text, line),
            Err(_) => {
                return Err("is binary: write it as text, such as base64 or a URL".to_owned());
            }
        },
        Field::Date(days) if !is_shown(i64::from(*days) * 86_400) => return Err(beyond()),
        // A decimal is text, since its digits count. The library ends one without a scale with a dot.
        Field::Decimal(_) => string(field.to_string().trim_end_matches('.'), line),
        Field::Date(_) | Field::TimeMillis(_) | Field::TimeMicros(_) => {
            string(&field.to_string(), line);
        }
        Field::TimestampMillis(_) | Field::TimestampMicros(_) => time(field, true, line)?,
        Field::Group(row) => {
            write_members(row.get_column_iter().map(|(name, field)| (name.clone(), field)), line)?
        }
        Field::ListInternal(list) => {
            line.push(b'[');
            for (at, field) in list.elements().iter().enumerate() {
                if at > 0 {
                    line.push(b',');
                }
                write_field(field, line)?;
            }
            line.push(b']');
        }
        Field::MapInternal(map) => {
            let name = |key: &Field| match key {
                Field::Str(name) => name.clone(),
                key => key.to_string(),
            };
            write_members(map.entries().iter().map(|(key, field)| (name(key), field)), line)?;
        }
    }
    Ok(())
}

fn write_members<'a>(
    members: impl Iterator<Item = (String, &'a Field)>,
    line: &mut Vec<u8>,
) -> Result<(), String> {
    line.push(b'{');
    for (name, field) in members.filter(|(_, field)| !matches!(field, Field::Null)) {
        write_name(&name, line);
        write_field(field, line)?;
    }
    line.push(b'}');
    Ok(())
}

fn write_number(
    number: &impl serde::Serialize,
    is_finite: bool,
    line: &mut Vec<u8>,
) -> Result<(), String> {
    if !is_finite {
        return Err("is infinite or not a number (NaN), which JSON does not have".to_owned());
    }
    let _ = serde_json::to_writer(line, number);
    Ok(())
}

/// A table as Parquet.
pub(crate) struct ParquetSink<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<ColumnBuffer>,
    /// The number of the next column.
    next: usize,
    rows: usize,
    bytes: usize,
}

/// The values of a column in the current group of rows.
struct ColumnBuffer {
    values: Values,
    /// For each row, the number of objects and values on its path that are not null.
    levels: Vec<i16>,
}

enum Values {
    Boolean(Vec<bool>),
    Integer(Vec<i64>),
    Number(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl ColumnBuffer {
    fn new(column_type: ColumnType) -> Self {
        let values = match column_type {
            ColumnType::Boolean => Values::Boolean(Vec::new()),
            ColumnType::Integer => Values::Integer(Vec::new()),
            ColumnType::Number => Values::Number(Vec::new()),
            ColumnType::String | ColumnType::Json => Values::Text(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }
}

impl<W: Write + Send> ParquetSink<W> {
    pub(crate) fn new(to: W, table: &Table) -> io::Result<Self> {
        let fields = table.members().map(|(name, node)| field(name, node));
        let fields = fields.collect::<Result<_, _>>().map_err(io::Error::other)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build();
        let schema = Arc::new(schema.map_err(io::Error::other)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("podqueue version ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(to, schema, Arc::new(properties));
        let columns = table.columns();
        let columns = columns.iter().map(|column| ColumnBuffer::new(column.column_type)).collect();
        let writer = writer.map_err(io::Error::other)?;
        Ok(Self { writer, columns, next: 0, rows: 0, bytes: 0 })
    }

    /// Writes the end of the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.write_group()?;
        self.writer.into_inner().map_err(failed)
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column().map_err(failed)? else { break };
            let levels = Some(column.levels.as_slice());
            let written = match (writer.untyped(), &column.values) {
                (ColumnWriter::BoolColumnWriter(writer), Values::Boolean(values)) => {
                    writer.write_batch(values, levels, None)
                }
                (ColumnWriter::Int64ColumnWriter(writer), Values::Integer(values)) => {
                    writer.write_batch(values, levels, None)
                }
                (ColumnWriter::DoubleColumnWriter(writer), Values::Number(values)) => {
                    writer.write_batch(values, levels, None)
                }
                (ColumnWriter::ByteArrayColumnWriter(writer), Values::Text(values)) => {
                    writer.write_batch(values, levels, None)
                }
                _ => return Err(io::Error::other("a column has another type than its buffer")),
            };
            written.map_err(failed)?;
            writer.close().map_err(failed)?;
            column.levels.clear();
            match &mut column.values {
                Values::Boolean(values) => values.clear(),
                Values::Integer(values) => values.clear(),
                Values::Number(values) => values.clear(),
                Values::Text(values) => values.clear(),
            }
        }
        group.close().map_err(failed)?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn value(&mut self, value: Value<'_>, level: usize) -> io::Result<()> {
        let column = &mut self.columns[self.next];
        self.next += 1;
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        let mut level = i16::try_from(level).map_err(io::Error::other)?;
        if !matches!(value, Value::Null) {
            level += 1;
        }
        column.levels.push(level);
        self.bytes += match &value {
            Value::String(text) => text.len(),
            Value::Json(text) => text.len(),
            _ => size_of::<u64>(),
        };
        match (value, &mut column.values) {
            (Value::Null, _) => {}
            (Value::Boolean(value), Values::Boolean(values)) => values.push(value),
            (Value::Integer(value), Values::Integer(values)) => values.push(value),
            (Value::Number(text), Values::Number(values)) => {
                values.push(text.parse().map_err(io::Error::other)?);
            }
            (Value::String(value), Values::Text(values)) => values.push(text(&value)),
            (Value::Json(value), Values::Text(values)) => values.push(text(value)),
            _ => return Err(io::Error::other("a value has another type than its column")),
        }
        Ok(())
    }

    fn end_row(&mut self) -> io::Result<()> {
        self.next = 0;
        self.rows += 1;
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }
}

/// The error of a write, which is that of the file where it failed.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

/// The schema of a column, or of the group of an object's members.
fn field(name: &str, node: &Node) -> Result<TypePtr, ParquetError> {
    if let Some(nodes) = node.members() {
        let fields = nodes.iter().map(|(name, node)| field(name, node));
        let group = Type::group_type_builder(name).with_repetition(Repetition::OPTIONAL);
        return group.with_fields(fields.collect::<Result<_, _>>()?).build().map(Arc::new);
    }
    let (physical, logical) = match node.column_type() {
        ColumnType::Boolean => (Physical::BOOLEAN, None),
        ColumnType::Integer => (Physical::INT64, None),
        ColumnType::Number => (Physical::DOUBLE, None),
        ColumnType::String => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Json => (Physical::BYTE_ARRAY, Some(LogicalType::Json)),
    };
    Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()
        .map(Arc::new)
}
