//! Inputs and results in other formats than JSON Lines.

use std::fs;
use std::path::Path;

use podqueue_batch::{
    Batch, Column, ColumnType, ColumnTypes, ErrorKind, Inputs, Open, Reader, State,
};
use serde_json::{Value, json};

use crate::support::{Folder, endpoint, service};

/// A batch in this folder with the inputs of this file.
fn open(folder: &Folder, inputs: &str) -> Open {
    open_with(folder, Inputs::file(folder.path(inputs)))
}

fn open_with(folder: &Folder, inputs: Inputs) -> Open {
    Batch::open(folder.journal()).inputs(inputs).results(folder.path("results.jsonl"))
}

/// Such as `id string 0`.
fn listed(columns: &[Column]) -> Vec<String> {
    let list = |it: &Column| format!("{} {} {}", it.name, it.column_type, it.nulls);
    columns.iter().map(list).collect()
}

/// The names of the files in the folder of copies.
fn copies(folder: &Folder) -> Vec<String> {
    let Ok(files) = fs::read_dir(folder.path("results.jsonl.inputs")) else { return Vec::new() };
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

fn outputs(folder: &Folder) -> Vec<Value> {
    folder.results().into_values().map(|mut line| line["output"].take()).collect()
}

const ROWS: &str = "id,n,note\nzero,0,\none,1,\"a,\nb\"\ntwo,2,\"\"\n";

#[tokio::test]
async fn rows_of_a_csv_file_are_inputs() {
    let folder = Folder::new();
    let local = service().start().await.unwrap();
    folder.write("rows.csv", ROWS);
    let batch = open_with(&folder, Inputs::file(folder.path("rows.csv")).key_field("id"));
    let batch = batch.await.unwrap();
    assert_eq!(listed(batch.columns()), ["id string 0", "n integer 0", "note string 1"]);
    let report = batch.run(endpoint(&local, "echo")).await.unwrap();
    assert_eq!(report.counts.of(State::Completed), 3);
    let expected = [
        json!({ "id": "zero", "n": 0 }),
        json!({ "id": "one", "n": 1, "note": "a,\nb" }),
        json!({ "id": "two", "n": 2, "note": "" }),
    ];
    assert_eq!(outputs(&folder), expected);
    assert_eq!(folder.results()[&2]["key"], "two");
    drop(batch);
    // The copy is kept, and the rows are not inferred again.
    assert_eq!(copies(&folder).len(), 1);
    let again = open_with(&folder, Inputs::file(folder.path("rows.csv")).key_field("id"));
    assert!(again.await.unwrap().columns().is_empty());
    // Without the file, the copy is the file of inputs.
    fs::remove_file(folder.path("rows.csv")).unwrap();
    Batch::open(folder.journal()).results(folder.path("results.jsonl")).await.unwrap();
}

#[tokio::test]
async fn a_file_that_was_touched_is_the_same_and_one_that_has_changed_is_refused() {
    let folder = Folder::new();
    let local = service().start().await.unwrap();
    folder.write("rows.csv", "n\n1\n2\n");
    let batch = open(&folder, "rows.csv").await.unwrap();
    batch.run(endpoint(&local, "double")).take(1).await.unwrap();
    drop(batch);
    // Another file with the same content.
    fs::remove_file(folder.path("rows.csv")).unwrap();
    folder.write("rows.csv", "n\n1\n2\n");
    drop(open(&folder, "rows.csv").await.unwrap());
    folder.write("rows.csv", "n\n10\n20\n30\n");
    let error = open(&folder, "rows.csv").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged);
    let text = error.to_string();
    assert!(
        text.contains("rows.csv have changed since the batch began: restore the file"),
        "{text}"
    );
    let batch = open(&folder, "rows.csv").accept_changed_inputs().await.unwrap();
    assert_eq!((batch.changed_inputs().pending, batch.changed_inputs().kept), (1, 1));
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(outputs(&folder), [2, 40, 60].map(|n| json!({ "n": n })));
    drop(batch);
    let types = ColumnTypes::parse(r#"{"n": "string"}"#).unwrap();
    let other = Inputs::file(folder.path("rows.csv")).types(types);
    let error = open_with(&folder, other).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
    assert!(error.to_string().contains("with another schema of its inputs"), "{error}");
}

#[tokio::test]
async fn files_that_cannot_be_converted_are_refused_in_one_line_before_a_file_is_created() {
    for (name, content, types, why) in [
        ("rows.csv", "n\n1,2\n", "{}", "rows.csv has 2 cells in row 1 (line 2), and 1 column"),
        (
            "rows.csv",
            "n\n\"1\n2\n",
            "{}",
            "rows.csv has a quote in line 2 that never ends: close it",
        ),
        (
            "rows.csv",
            "n\nx\n",
            r#"{"n": "integer"}"#,
            "rows.csv: row 1 (line 2), column \"n\": \"x\" is not an integer",
        ),
        (
            "rows.csv",
            "n\n1\n",
            r#"{"m": "integer"}"#,
            "rows.csv has no column \"m\", which the schema names",
        ),
        ("rows.csv", "n\n", "{}", "has no inputs"),
        #[cfg(feature = "compression")]
        ("rows.csv.gz", "n\n1\n", "{}", "could not decompress"),
        #[cfg(feature = "compression")]
        ("rows.jsonl.zst", "n\n1\n", "{}", "could not decompress"),
        #[cfg(feature = "parquet")]
        ("rows.parquet", "n\n1\n", "{}", "rows.parquet is not a whole Parquet file"),
    ] {
        let folder = Folder::new();
        folder.write(name, content);
        let inputs = Inputs::file(folder.path(name)).types(ColumnTypes::parse(types).unwrap());
        let error = open_with(&folder, inputs).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Inputs, "{error}");
        let text = error.to_string();
        assert!(text.contains(why) && !text.contains('\n'), "{text}");
        assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 1, "{text}");
    }
    let folder = Folder::with(1);
    let types = ColumnTypes::parse(r#"{"n": "string"}"#).unwrap();
    let error = open_with(&folder, folder.inputs().types(types.clone()));
    error.await.expect("types of no column change nothing");
    let folder = Folder::with(1);
    let inputs = Inputs::file(folder.path("inputs.jsonl")).types(types);
    let error = open_with(&folder, inputs).await.unwrap_err();
    assert!(error.to_string().contains("pass no schema"), "{error}");
    let error = Batch::open(folder.journal()).inputs(Inputs::file(folder.path("rows.csv")));
    assert_eq!(error.await.unwrap_err().kind(), ErrorKind::Settings, "without results");
}

#[tokio::test]
async fn a_conversion_that_was_interrupted_begins_anew() {
    let (folder, other) = (Folder::new(), Folder::new());
    // The name of the copy, from a batch of the same file.
    folder.write("rows.csv", "n\n1\n2\n");
    let results = other.path("results.jsonl");
    let opening = Batch::open(other.journal()).inputs(Inputs::file(folder.path("rows.csv")));
    drop(opening.results(results).await.unwrap());
    let [name] = copies(&other).try_into().unwrap();
    fs::create_dir(folder.path("results.jsonl.inputs")).unwrap();
    folder.write(&format!("results.jsonl.inputs/{name}.part"), "{\"n\":1}\n{\"n\":7}\n{\"n\"");
    let batch = open(&folder, "rows.csv").await.unwrap();
    assert_eq!(batch.status().await.unwrap().counts.total(), 2);
    assert_eq!(copies(&folder), std::slice::from_ref(&name));
    let copy = fs::read_to_string(folder.path("results.jsonl.inputs").join(name)).unwrap();
    assert_eq!(copy, "{\"n\":1}\n{\"n\":2}\n");
}

/// Runs a batch of these inputs on the endpoint that echoes, and reads its results.
async fn echoed(folder: &Folder, inputs: impl Iterator<Item = Value>) -> Reader {
    let local = service().start().await.unwrap();
    folder.write_inputs(inputs);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "echo")).await.unwrap();
    drop(batch);
    Reader::open(&folder.journal()).unwrap()
}

fn rows(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn results_are_exported_as_a_table_in_the_order_of_the_inputs() {
    let folder = Folder::new();
    let inputs = (0..50).map(|n| match n {
        7 => json!({ "n": n, "tags": ["a", "b,\"c\""], "id": 9_007_199_254_740_993_u64 }),
        _ => json!({ "n": n, "id": n }),
    });
    let mut reader = echoed(&folder, inputs).await;
    let out = folder.path("answers.csv");
    let exported = reader.export_to(&[], &out, &ColumnTypes::default()).unwrap();
    assert_eq!(exported.results, 50);
    let of_output: Vec<_> =
        listed(&exported.columns).into_iter().filter(|it| it.starts_with("output")).collect();
    assert_eq!(of_output, ["output.id integer 0", "output.n integer 0", "output.tags json 49"]);
    let rows = rows(&out);
    assert_eq!(rows.len(), 51);
    let names = "index,status,job_id,output.id,output.n,output.tags,delay_ms,execution_ms";
    assert_eq!(rows[0], names);
    let [row, next] = [&rows[8], &rows[9]];
    assert!(row.starts_with("7,\"COMPLETED\",\""), "{row}");
    assert!(row.contains(r#",9007199254740993,7,"[""a"",""b,\""c\""""]","#), "{row}");
    assert!(next.starts_with("8,") && next.contains(",8,8,,"), "{next}");
    // The table is itself a file of inputs.
    let second = Folder::new();
    let inputs = Inputs::file(&out).key_field("index");
    let batch = open_with(&second, inputs).await.unwrap();
    assert_eq!(batch.check().await.unwrap().valid, 50);
}

#[tokio::test]
async fn an_export_that_fails_leaves_what_was_there_and_names_row_and_column() {
    let folder = Folder::new();
    let inputs = (0..3).map(|n| json!({ "n": if n == 2 { json!("x") } else { json!(n) } }));
    let mut reader = echoed(&folder, inputs).await;
    let out = folder.path("answers.csv");
    folder.write("answers.csv", "what was there");
    // A process that was killed left a part.
    folder.write("answers.csv.part", "torn");
    let types = ColumnTypes::parse(r#"{"output.n": "integer"}"#).unwrap();
    let error = reader.export_to(&[], &out, &types).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Results);
    let text = error.to_string();
    assert!(text.contains("row 3, column output.n: \"\\\"x\\\"\" is not an integer"), "{text}");
    assert_eq!(rows(&out), ["what was there"]);
    assert!(!folder.path("answers.csv.part").exists());
    let types = ColumnTypes::parse(r#"{"output.n": "string", "output.m": "integer"}"#).unwrap();
    let exported = reader.export_to(&[], &out, &types).unwrap();
    let given: Vec<_> = exported.columns.iter().map(|it| (&*it.name, it.column_type)).collect();
    assert!(given.contains(&("output.m", ColumnType::Integer)), "{given:?}");
    assert!(rows(&out)[1].contains(",,\"0\","), "{:?}", rows(&out));
    // While another process writes it.
    let part = fs::File::create(folder.path("answers.csv.part")).unwrap();
    part.lock().unwrap();
    let error = reader.export_to(&[], &out, &ColumnTypes::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    drop(part);
    // Never over the results or the inputs.
    for own in ["results.jsonl", "inputs.jsonl"].map(|name| folder.path(name)) {
        let before = rows(&own);
        let error = reader.export_to(&[], &own, &ColumnTypes::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Settings);
        assert_eq!(rows(&own), before);
    }
    // A batch without results has an empty table.
    let empty = Folder::with(1);
    drop(empty.open().await.unwrap());
    let mut reader = Reader::open(&empty.journal()).unwrap();
    let out = empty.path("answers.csv");
    assert_eq!(reader.export_to(&[], &out, &ColumnTypes::default()).unwrap().results, 0);
    assert_eq!(rows(&out).len(), 1);
}

#[test]
fn formats_of_features_that_are_off_and_compressed_parquet_are_refused() {
    use podqueue_batch::FileFormat;
    for name in ["a", "a.jsonl", "a.json", "b.CSV", "a.csv.txt"] {
        let format = FileFormat::of(Path::new(name)).unwrap();
        assert_eq!(format.is_json_lines(), name != "b.CSV", "{name}");
    }
    for (name, feature, has_feature) in [
        ("a.parquet", "parquet", cfg!(feature = "parquet")),
        ("a.csv.gz", "compression", cfg!(feature = "compression")),
        ("a.zst", "compression", cfg!(feature = "compression")),
    ] {
        match FileFormat::of(Path::new(name)) {
            Ok(format) => assert!(has_feature && !format.is_json_lines(), "{name}"),
            Err(error) => {
                let why = format!("{name} needs a build with the feature `{feature}`");
                assert!(!has_feature && error.to_string() == why, "{error}");
            }
        }
    }
    if cfg!(feature = "parquet") {
        FileFormat::of(Path::new("a.parquet.gz")).unwrap_err();
    }
}
