//! Tests of the formats: what a table has, what is refused, and that rows come back as they were.

use std::fmt::Write as _;
use std::io::BufReader;
#[cfg(any(feature = "compression", feature = "parquet"))]
use std::io::Write as _;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::columns::{Column, ColumnType, ColumnTypes};
use super::table::{CsvSink, Sink, Table};
#[cfg(feature = "compression")]
use super::{Compression, Compressor, reader};
use super::{Failure, csv};

fn types(text: &str) -> ColumnTypes {
    ColumnTypes::parse(text).expect("types")
}

fn table(rows: &[Box<RawValue>], types: &ColumnTypes) -> Result<Table, Failure> {
    let mut table = Table::new(&["index"]);
    rows.iter().try_for_each(|row| table.infer(row))?;
    table.give(types)?;
    Ok(table)
}

fn write_rows(table: &Table, rows: &[Box<RawValue>], sink: &mut dyn Sink) -> Result<(), Failure> {
    (1..).zip(rows).try_for_each(|(number, row)| table.write(number, row, sink))
}

fn to_csv(rows: &[Box<RawValue>], types: &ColumnTypes) -> Result<String, Failure> {
    let table = table(rows, types)?;
    let mut sink = CsvSink::new(Vec::new(), &table).expect("memory");
    write_rows(&table, rows, &mut sink)?;
    Ok(String::from_utf8(sink.into_inner()).expect("text"))
}

/// The rows of a CSV file, read by a few bytes at a time, and its columns.
fn from_csv(text: impl AsRef<[u8]>, types: &ColumnTypes) -> Result<(String, Vec<Column>), String> {
    let text = text.as_ref();
    let open = || BufReader::with_capacity(3, text);
    let mut lines = Vec::new();
    let converted = csv::infer(open(), types)
        .and_then(|columns| csv::to_json_lines(open(), &columns, &mut lines).map(|()| columns));
    match converted {
        Ok(columns) => Ok((String::from_utf8(lines).expect("text"), columns)),
        Err(Failure::Content(what)) => Err(what),
        Err(failure) => panic!("{failure:?}"),
    }
}

fn raw(text: &str) -> Vec<Box<RawValue>> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Such as `a integer 2`, by column.
fn listed(columns: &[Column]) -> Vec<String> {
    let list = |it: &Column| format!("{} {} {}", it.name, it.column_type, it.nulls);
    columns.iter().map(list).collect()
}

#[test]
fn cells_are_text_numbers_or_nothing_by_their_column_and_quotes() {
    let text = "\u{feff}\"id\",n,float,ok,zip,quoted,big,none\r\n\
                a,1,1.50,true,007,\"1\",12345678901234567890123,\r\n\
                \r\n\
                \"b\"\"\n,c\",-2,1e3,false,10,\"\",9007199254740993,\r\n\
                ,,,,,,,";
    let (rows, columns) = from_csv(text, &ColumnTypes::default()).expect("rows");
    let expected = concat!(
        r#"{"id":"a","n":1,"float":1.50,"ok":true,"zip":"007","quoted":"1","big":12345678901234567890123}"#,
        "\n",
        r#"{"id":"b\"\n,c","n":-2,"float":1e3,"ok":false,"zip":"10","quoted":"","big":9007199254740993}"#,
        "\n{}\n",
    );
    assert_eq!(rows, expected);
    let expected = [
        "id string 1",
        "n integer 1",
        "float number 1",
        "ok boolean 1",
        "zip string 1",
        "quoted string 1",
        "big integer 1",
        "none string 3",
    ];
    assert_eq!(listed(&columns), expected);
}

#[test]
fn given_types_take_the_place_of_inferred_ones() {
    let types =
        types(r#"{"a": "string", "b": "integer", "c": "number", "d": "boolean", "e": "json"}"#);
    let text = "a,b,c,d,e,f\n1,+7,\" 2.5\",True,\"{\"\"x\"\":\n[1]}\",x\n";
    let (rows, _) = from_csv(text, &types).expect("rows");
    assert_eq!(rows, "{\"a\":\"1\",\"b\":7,\"c\":2.5,\"d\":true,\"e\":{\"x\": [1]},\"f\":\"x\"}\n");
    for (cell, why) in [
        ("1,2,3,true,[", r#"row 2 (line 3), column "e": "[" is not valid JSON"#),
        ("1,2,3,yes,1", r#"column "d": "yes" is not a boolean"#),
        ("1,2,NaN,true,1", r#"column "c": "NaN" is not a number"#),
        ("1,2.5,3,true,1", r#"column "b": "2.5" is not an integer"#),
    ] {
        let error = from_csv(format!("a,b,c,d,e\n1,2,3,true,1\n{cell}\n"), &types).expect_err(cell);
        assert!(error.contains(why), "{error}");
    }
    let error = from_csv("a,b\n1,2\n", &types).expect_err("a column that is not there");
    assert_eq!(error, "has no column \"c\", which the schema names: its columns are a, b");
}

#[test]
fn errors_of_a_csv_file_name_the_row_or_the_line() {
    for (text, why) in [
        (&b""[..], "has no header"),
        (b"\n\n", "has no header"),
        (b"a,\n1,2\n", "has no name for column 2 in its header"),
        (b"a,b,a\n", "has the name of an earlier column for column 3"),
        (b"a,b\n1,2\n1\n", "has 1 cell in row 2 (line 3), and 2 columns"),
        (b"a,b\n1,2,3\n", "has 3 cells in row 1 (line 2), and 2 columns"),
        (b"a,b\n1,\"2\n3\n4", "has a quote in line 2 that never ends"),
        (b"a,b\n1,\"2\n3\"4\n", "has text after the closing quote of cell 2 in line 3"),
        (b"a,b\n1,\xff\n", "row 1 (line 2), column \"b\": is not UTF-8"),
    ] {
        let error = from_csv(text, &ColumnTypes::default()).expect_err(why);
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_row_that_never_ends_is_refused_before_all_of_the_file_is_in_memory() {
    struct Endless<'a>(u8, &'a std::cell::Cell<usize>);
    impl std::io::Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1.set(self.1.get() + buffer.len());
            buffer.fill(self.0);
            Ok(buffer.len())
        }
    }
    use std::io::Read as _;
    // A cell without text takes several bytes of memory.
    for (begin, byte, most, expected) in [
        (&b"a\n\""[..], b'x', 40 << 20, "has a quote in line 2 that never ends"),
        (b"a\n", b'x', 40 << 20, "has a row in line 2 that is longer than 32 MiB"),
        (b"a\n", b',', 4 << 20, "has a row in line 2 that is longer than 32 MiB"),
    ] {
        let read = std::cell::Cell::new(0);
        let text = begin.chain(Endless(byte, &read));
        let refused = csv::infer(BufReader::with_capacity(1 << 20, text), &ColumnTypes::default());
        let Err(Failure::Content(why)) = refused else { panic!("{refused:?}") };
        assert!(why.contains(expected), "{why}");
        assert!(read.get() < most, "{}", read.get());
    }
}

#[test]
fn types_that_are_none_are_refused() {
    for text in ["", "[]", "{\"a\": 1}", "{\"a\": \"int\"}", "{\"a\": [\"string\"]}"] {
        let error = ColumnTypes::parse(text).expect_err(text).to_string();
        assert!(error.contains("expected a JSON object of types by column"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn columns_are_inferred_from_all_rows_and_lose_nothing() {
    let rows = raw(concat!(
        r#"{"index": 0, "a": 1, "big": 9007199254740993, "mixed": 1, "out": {"x": 1, "l": [1, 2]}, "half": "\ud800"}"#,
        "\n",
        r#"{"index": 1, "a": 2.5, "big": 9007199254740992, "mixed": "1", "out": {"y": null, "z": {}}, "half": "a"}"#,
        "\n",
        r#"{"index": 2, "a": null, "big": -9223372036854775808, "mixed": null, "out": null, "dot": {"a.b": 1}, "wide": 0.5}"#,
        "\n",
        r#"{"index": 3, "wide": 9007199254740993, "huge": 18446744073709551616, "e": 1e400, "out": {"x": true}}"#,
        "\n",
    ));
    let csv = to_csv(&rows, &ColumnTypes::default()).expect("a table");
    let expected = concat!(
        "index,a,big,half,mixed,out.l,out.x,out.y,out.z,dot,wide,e,huge\n",
        r#"0,1,9007199254740993,"""\ud800""","1","[1, 2]","1",,,,,,"#,
        "\n",
        r#"1,2.5,9007199254740992,"""a""","""1""",,,,"{}",,,,"#,
        "\n",
        r#"2,,-9223372036854775808,,,,,,,"{""a.b"": 1}","0.5",,"#,
        "\n",
        r#"3,,,,,,"true",,,,"9007199254740993","1e400","18446744073709551616""#,
        "\n",
    );
    assert_eq!(csv, expected);
    let found = table(&rows, &ColumnTypes::default()).expect("a table").columns();
    assert!(listed(&found).contains(&"a number 2".to_owned()), "{found:?}");
    assert!(listed(&found).contains(&"out.x json 2".to_owned()), "{found:?}");
    // More members than columns: a map.
    let many = (0..300).fold(String::from("{\"m\": {"), |mut text, n| {
        let _ = write!(text, "{}\"k{n}\": {n}", if n > 0 { "," } else { "" });
        text
    });
    let found = table(&raw(&format!("{many}}}}}")), &ColumnTypes::default()).expect("a table");
    assert_eq!(listed(&found.columns()), ["m json 0"]);
}

#[test]
fn given_types_of_a_table_are_kept_or_the_row_and_column_are_named() {
    let rows = raw("{\"index\": 0, \"out\": {\"x\": 1}}\n{\"index\": 1, \"out\": {\"x\": \"b\"}}");
    let given = |text: &str| to_csv(&rows, &types(text));
    let table = "index,out.x,out.y\n0,\"1\",\n1,\"b\",\n";
    assert_eq!(given(r#"{"out.x": "string", "out.y": "integer"}"#).expect("a table"), table);
    let table = "index,out\n0,\"{\"\"x\"\": 1}\"\n1,\"{\"\"x\"\": \"\"b\"\"}\"\n";
    assert_eq!(given(r#"{"out": "json"}"#).expect("a table"), table);
    for (text, why) in [
        (r#"{"out.x": "integer"}"#, r#"row 2, column out.x: "\"b\"" is not an integer"#),
        (r#"{"none": "string"}"#, "has no column \"none\""),
        (r#"{"index.x": "string"}"#, "not all values of index are objects"),
    ] {
        let Err(Failure::Content(found)) = given(text) else { panic!("{text}") };
        assert!(found.contains(why), "{found}");
    }
}

#[cfg(feature = "compression")]
#[test]
fn compressed_content_is_read_in_several_members_and_refused_if_torn() {
    let text = "{\"n\": 1}\n".repeat(1_000);
    for compression in [Compression::Gzip, Compression::Zstd] {
        let compressed = || {
            let mut compressor = Compressor::new(Vec::new(), compression).expect("memory");
            compressor.write_all(text.as_bytes()).expect("memory");
            compressor.finish().expect("memory")
        };
        let decompressed = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(bytes).expect("a file");
            std::io::Seek::rewind(&mut file).expect("a file");
            let mut found = String::new();
            let mut reader = reader(file, compression)?;
            std::io::Read::read_to_string(&mut reader, &mut found).map(|_| found)
        };
        let whole = compressed();
        assert!(whole.len() < text.len() / 10);
        let twice = [whole.clone(), compressed()].concat();
        assert_eq!(decompressed(&twice).expect("two members"), text.repeat(2));
        for length in (0..whole.len()).step_by(7).skip(1) {
            decompressed(&whole[..length]).expect_err("a torn end");
        }
        decompressed(b"{\"n\": 1}\n").expect_err("not compressed");
    }
}

/// A random value of a few types, which repeat, so that columns have types.
fn value(random: &mut fastrand::Rng, kind: u8, depth: u8) -> Value {
    const TEXTS: &[&str] =
        &["", " ", "a", "1", "true", "null", "a,\"b\"\r\n", "é\u{1f600}", "\r", "{}"];
    match kind {
        0 => Value::Null,
        1 => json!(random.bool()),
        2 => json!(random.i64(-100..100)),
        3 => json!(random.i64(..)),
        4 => json!(random.u64(..)),
        5 => json!(f64::from(random.i32(..)) / 8.0),
        6 => json!(TEXTS[random.usize(..TEXTS.len())]),
        7 if depth < 3 => {
            let kinds = random.u8(..9);
            (0..random.usize(..4)).map(|_| value(random, kinds, depth + 1)).collect()
        }
        8 if depth < 3 => Value::Object(members(random, depth + 1, &[8, 2, 5], 9)),
        _ => json!("x"),
    }
}

/// An object whose members have these kinds of values, most of the time, and else one of all kinds.
fn members(random: &mut fastrand::Rng, depth: u8, kinds: &[u8], all: u8) -> Map<String, Value> {
    let mut members = Map::new();
    for (number, kind) in kinds.iter().enumerate() {
        let kind = match random.u8(..20) {
            0 => random.u8(..all),
            1..4 => 0,
            _ => *kind,
        };
        members.insert(format!("m{number}"), value(random, kind, depth));
    }
    members
}

/// Without nulls, and numbers as floating-point numbers where they are equal to one.
fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let some = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(some.map(|(name, value)| (name.clone(), comparable(value))).collect())
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() != 0.0 || float.abs() <= 9e15 => json!(float),
            _ => value.clone(),
        },
        value => value.clone(),
    }
}

fn random_rows(seed: u64, all: u8) -> (Vec<Value>, Vec<Box<RawValue>>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let kinds: Vec<_> = (0..random.usize(2..6)).map(|_| random.u8(1..all)).collect();
    let rows = (0..random.usize(1..40)).map(|index| {
        let mut row = members(&mut random, 0, &kinds, all);
        row.insert("index".to_owned(), json!(index));
        Value::Object(row)
    });
    let rows: Vec<_> = rows.collect();
    let raw = rows.iter().map(|row| to_raw_value(row).expect("JSON")).collect();
    (rows, raw)
}

#[test]
fn random_rows_come_back_from_csv_as_they_were() {
    for seed in 0..300 {
        // Without objects, whose members would be columns.
        let (rows, raw) = random_rows(seed, 8);
        let columns = table(&raw, &ColumnTypes::default()).expect("a table").columns();
        let csv = to_csv(&raw, &ColumnTypes::default()).expect("a table");
        // JSON in a cell is text, unless the schema says otherwise.
        let json = columns.iter().filter(|column| column.column_type == ColumnType::Json);
        let json = json.map(|column| (column.name.clone(), ColumnType::Json)).collect();
        let (lines, _) = from_csv(&csv, &ColumnTypes(json)).expect("rows");
        let found: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        let found: Vec<_> = found.iter().map(comparable).collect();
        let expected: Vec<_> = rows.iter().map(comparable).collect();
        assert_eq!(found, expected, "{seed}\n{csv}");
    }
}

#[cfg(feature = "parquet")]
mod parquet_files {
    use std::io::Seek;

    use super::*;
    use crate::formats::parquet::{ParquetSink, to_json_lines};

    fn to_parquet(rows: &[Box<RawValue>]) -> std::fs::File {
        let table = table(rows, &ColumnTypes::default()).expect("a table");
        let mut sink =
            ParquetSink::new(tempfile::tempfile().expect("a file"), &table).expect("a file");
        write_rows(&table, rows, &mut sink).expect("a table");
        let mut file = sink.finish().expect("a file");
        file.rewind().expect("a file");
        file
    }

    fn from_parquet(file: std::fs::File, types: &ColumnTypes) -> Result<Vec<Value>, String> {
        let mut lines = Vec::new();
        match to_json_lines(file, types, &mut lines) {
            Ok(()) => {}
            Err(Failure::Content(what)) => return Err(what),
            Err(failure) => panic!("{failure:?}"),
        }
        let lines = String::from_utf8(lines).expect("text");
        Ok(lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect())
    }

    #[test]
    fn random_rows_come_back_from_parquet_as_they_were() {
        for seed in 0..300 {
            let (rows, raw) = random_rows(seed, 9);
            let found = from_parquet(to_parquet(&raw), &ColumnTypes::default()).expect("rows");
            let found: Vec<_> = found.iter().map(comparable).collect();
            let expected: Vec<_> = rows.iter().map(comparable).collect();
            assert_eq!(found, expected, "{seed}");
        }
    }

    #[test]
    fn a_file_that_is_none_or_damaged_is_refused() {
        let (_, raw) = random_rows(1, 9);
        let mut whole = Vec::new();
        std::io::Read::read_to_end(&mut to_parquet(&raw), &mut whole).expect("a file");
        let read = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(bytes).expect("a file");
            from_parquet(file, &ColumnTypes::default())
        };
        for bytes in [&b""[..], b"a,b\n1,2\n", &whole[..whole.len() - 1], &whole[..whole.len() / 2]]
        {
            let error = read(bytes).expect_err("a damaged file");
            assert!(error.starts_with("is not a whole Parquet file: "), "{error}");
        }
        // A damaged byte may change a value, or the file is refused: but nothing crashes.
        for at in (0..whole.len()).step_by(3) {
            whole[at] ^= 0x55;
            let _ = read(&whole);
            whole[at] ^= 0x55;
        }
    }

    #[test]
    fn a_column_of_text_may_be_given_the_type_json_and_no_other() {
        let raw = raw("{\"index\": 1, \"t\": \"[1,\\n2]\"}");
        let read = |text| from_parquet(to_parquet(&raw), &types(text));
        assert_eq!(read(r#"{"t": "json"}"#).expect("rows"), [json!({ "index": 1, "t": [1, 2] })]);
        for text in [r#"{"t": "integer"}"#, r#"{"index": "json"}"#, r#"{"none": "json"}"#] {
            let error = read(text).expect_err(text);
            assert!(error.contains("has types of its own"), "{error}");
        }
    }

    /// A file with one row of these columns, as other programs write them.
    fn foreign(columns: &[(&str, Written)]) -> std::fs::File {
        use ::parquet::column::writer::ColumnWriter;
        use ::parquet::file::writer::SerializedFileWriter;
        use ::parquet::schema::parser::parse_message_type;

        let fields: String = columns.iter().map(|(column, _)| format!("{column};\n")).collect();
        let schema = parse_message_type(&format!("message schema {{\n{fields}}}")).expect(&fields);
        let file = tempfile::tempfile().expect("a file");
        let mut writer =
            SerializedFileWriter::new(file, schema.into(), Default::default()).expect("a file");
        let mut group = writer.next_row_group().expect("a group");
        for (_, value) in columns {
            let mut column = group.next_column().expect("a column").expect("a column");
            let written = match (column.untyped(), value) {
                (ColumnWriter::Int32ColumnWriter(to), Written::Short(value)) => {
                    to.write_batch(&[*value], None, None)
                }
                (ColumnWriter::Int64ColumnWriter(to), Written::Long(value)) => {
                    to.write_batch(&[*value], None, None)
                }
                (ColumnWriter::DoubleColumnWriter(to), Written::Double(value)) => {
                    to.write_batch(&[*value], None, None)
                }
                (ColumnWriter::ByteArrayColumnWriter(to), Written::Bytes(value)) => {
                    to.write_batch(&[value.to_vec().into()], None, None)
                }
                (ColumnWriter::FixedLenByteArrayColumnWriter(to), Written::Bytes(value)) => {
                    let value: ::parquet::data_type::ByteArray = value.to_vec().into();
                    to.write_batch(&[value.into()], None, None)
                }
                _ => panic!("another type"),
            };
            written.expect("a value");
            column.close().expect("a column");
        }
        group.close().expect("a group");
        writer.into_inner().expect("a file")
    }

    enum Written {
        Short(i32),
        Long(i64),
        Double(f64),
        Bytes(&'static [u8]),
    }

    #[test]
    fn types_of_other_programs_are_text_numbers_or_refused() {
        use Written::{Bytes, Double, Long, Short};

        let second = 1_000_000_000;
        let time = 1_782_864_000 * second + 123_456_789;
        let file = foreign(&[
            ("required int64 ns (TIMESTAMP(NANOS,true))", Long(time)),
            ("required int64 local (TIMESTAMP(NANOS,false))", Long(-1)),
            ("required int64 us (TIMESTAMP(MICROS,true))", Long(time / 1_000)),
            ("required int64 ms (TIMESTAMP(MILLIS,false))", Long(time / 1_000_000)),
            ("required int32 day (DATE)", Short(20_635)),
            ("required int64 price (DECIMAL(18,2))", Long(1_050)),
            ("required int64 whole (DECIMAL(18,0))", Long(99_999)),
            ("required int64 big (INTEGER(64,false))", Long(-1)),
            ("required binary old", Bytes(b"text")),
        ]);
        let expected = json!({
            "ns": "2026-07-01T00:00:00.123456789+00:00",
            "local": "1969-12-31T23:59:59.999999999",
            "us": "2026-07-01T00:00:00.123456+00:00",
            "ms": "2026-07-01T00:00:00.123",
            "day": "2026-07-01",
            "price": "10.50",
            "whole": "99999",
            "big": u64::MAX,
            "old": "text",
        });
        assert_eq!(from_parquet(file, &ColumnTypes::default()).expect("a row"), [expected]);
        let twice = foreign(&[("required int64 x", Long(1)), ("required int64 x", Long(2))]);
        let error = from_parquet(twice, &ColumnTypes::default()).expect_err("two values");
        assert!(error.contains("has two columns \"x\""), "{error}");
        for (column, value, why) in [
            ("required double x", Double(f64::NAN), "row 1, column x: is infinite or not a number"),
            ("required binary x", Bytes(b"\xff"), "row 1, column x: is binary"),
            ("required binary x (JSON)", Bytes(b"{"), "row 1, column x: is not valid JSON"),
            ("required int32 x (DATE)", Short(i32::MAX), "is a time before the year 1"),
            (
                "required int64 x (TIMESTAMP(MILLIS,true))",
                Long(i64::MAX),
                "is a time before the year 1",
            ),
            (
                "required fixed_len_byte_array(12) x (INTERVAL)",
                Bytes(b"123456789012"),
                "has the column \"x\" of the type INTERVAL",
            ),
        ] {
            let error = from_parquet(foreign(&[(column, value)]), &ColumnTypes::default());
            let error = error.expect_err(column);
            assert!(error.contains(why), "{error}");
        }
    }
}
