//! Tests of `podqueue batch run` and `batch export` with tables as inputs and results.

use std::fs;

use serde_json::json;

use crate::support::Fixture;

const ROWS: &str = "id,n,note\n007,1,a\n008,2,\n009,3,\"b,\nc\"\n";

impl Fixture {
    fn write(&self, name: &str, text: &str) {
        fs::write(self.home.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.home.path().join(name)).unwrap()
    }
}

#[tokio::test]
async fn a_table_is_run_and_its_results_are_a_table() {
    let fixture = Fixture::start().await;
    fixture.write("rows.csv", ROWS);
    fixture.write("schema.json", "{\"output.n\": \"number\", \"output.x\": \"boolean\"}");
    let checked = fixture.run(&["batch", "run", "rows.csv", "--dry-run"]).await;
    checked.assert_code(0);
    assert!(checked.stderr.contains("columns of rows.csv:\n  id    string\n  n     integer\n  note  string, 1 without a value\n"), "{checked:?}");
    let run =
        ["batch", "run", "rows.csv", "-e", "echo", "-o", "out.csv", "--out-schema", "schema.json"];
    let part = fixture.run(&[&run[..], &["--take", "1"]].concat()).await;
    part.assert_code(3);
    assert!(part.stderr.contains("out.csv is written once the batch has ended"), "{part:?}");
    assert!(!fixture.home.path().join("out.csv").exists());
    let ended = fixture.run(&run).await;
    ended.assert_code(0);
    assert!(ended.stderr.contains("wrote 3 results to out.csv"), "{ended:?}");
    assert!(ended.stderr.contains("\n  output.x      boolean, 3 without a value\n"), "{ended:?}");
    // Only the first command converts the inputs.
    assert!(!ended.stderr.contains("columns of rows.csv"), "{ended:?}");
    let table = fixture.read("out.csv");
    let header =
        "index,status,job_id,output.id,output.n,output.note,output.x,delay_ms,execution_ms\n";
    assert!(table.starts_with(header), "{table}");
    assert!(table.contains(",\"007\",1,\"a\",,"), "{table}");
    // The other commands take the name of the table, too.
    assert_eq!(fixture.status("out.csv").await["completed"], 3);
    let outputs: Vec<_> = fixture.lines("out.results.jsonl");
    let outputs = outputs.iter().map(|line| line["output"].clone());
    let expected = json!({ "id": "009", "n": 3, "note": "b,\nc" });
    assert!(outputs.into_iter().any(|output| output == expected));
    // A table that is lost is written again.
    fs::remove_file(fixture.home.path().join("out.csv")).unwrap();
    let again = fixture.run(&run).await;
    again.assert_code(0);
    assert_eq!((fixture.read("out.csv"), fixture.submissions()), (table.clone(), 3));
    let export =
        ["batch", "export", "out.csv", "--out", "other.csv", "--out-schema", "schema.json"];
    fixture.run(&export).await.assert(0, "");
    assert_eq!(fixture.read("other.csv"), table);
}

#[tokio::test]
async fn errors_of_tables_are_one_line_with_their_exit_code() {
    let fixture = Fixture::start().await;
    fixture.write("rows.csv", ROWS);
    fixture.write("open.csv", "n\n\"1\n2\n");
    fixture.write("schema.json", "{\"note\": \"integer\"}");
    fixture.write("none.json", "{\"note\": \"int\"}");
    fixture.write("in.jsonl", "{\"n\": 1}\n");
    fixture.write("taken.csv", "n\n1\n");
    let why = "rows.csv: row 1 (line 2), column \"note\": \"a\" is not an integer";
    for (arguments, why) in [
        (&["open.csv", "-o", "out.jsonl"][..], "open.csv has a quote in line 2 that never ends"),
        (&["rows.csv", "-o", "out.jsonl", "--input-schema", "schema.json"], why),
        (&["rows.csv", "-o", "out.jsonl", "--input-schema", "none.json"], "a type is boolean"),
        (&["rows.csv", "-o", "out.csv", "--out-schema", "gone.json"], "could not read the types"),
        (&["rows.csv", "-o", "out.jsonl", "--out-schema", "schema.json"], "is for a table"),
        (
            &["rows.csv", "-o", "out.jsonl.gz", "--out-schema", "schema.json"],
            if cfg!(feature = "compression") { "is for a table" } else { "feature `compression`" },
        ),
        (&["rows.csv", "-o", "file:///tmp/out.csv"], "is a folder of object storage"),
        (&["rows.csv", "-o", "s3://bucket/out.parquet"], "is a folder of object storage"),
        (&["in.jsonl", "-o", "out.csv", "--input-schema", "schema.json"], "pass no schema"),
        (&["rows.csv", "-o", "rows.csv"], "--out names the file of the inputs"),
        (&["rows.csv", "-o", "gone/out.csv"], "in a folder that does not exist"),
        (&["rows.csv", "-o", "taken.csv"], "has content that is not of this batch"),
        (&["rows.csv", "-o", "out.csv", "--journal", "out.csv"], "a file of its own"),
        (&["rows.csv", "-o", "out.csv", "--journal", "postgres://h/d#n"], "of one machine only"),
        (
            &["rows.csv", "-o", "out.parquet.gz"],
            if cfg!(feature = "parquet") { "compressed within" } else { "feature `parquet`" },
        ),
    ] {
        let ended = fixture.run(&[&["batch", "run", "-e", "echo"], arguments].concat()).await;
        ended.fails(2, why);
        assert_eq!(ended.stderr.trim_end().lines().filter(|line| line.contains(why)).count(), 1);
    }
    assert_eq!(fixture.submissions(), 0);
    let files = fs::read_dir(fixture.home.path()).unwrap().count();
    assert_eq!(files, 6, "nothing was created");
    // A value that is not of its type, at the end: the results are there.
    fixture.write("schema.json", "{\"output.note\": \"integer\"}");
    let run = ["batch", "run", "rows.csv", "-e", "echo", "-o", "out.csv"];
    let ended = fixture.run(&[&run[..], &["--out-schema", "schema.json"]].concat()).await;
    ended.fails(1, "row 1, column output.note: \"\\\"a\\\"\" is not an integer");
    let again = "podqueue batch export out.results.jsonl --out out.csv";
    assert!(ended.stderr.contains(again), "{ended:?}");
    fixture.run(&run).await.assert_code(0);
    // A table that has changed is refused, and the hint says how to accept it.
    fixture.write("rows.csv", &ROWS.replace("007", "070"));
    let changed = fixture.run(&run).await;
    changed.fails(2, "have changed since the batch began: restore the file");
    assert!(changed.stderr.contains("--force"), "{changed:?}");
    fixture.run(&[&run[..], &["--force"]].concat()).await.assert_code(0);
}

#[cfg(unix)]
#[tokio::test]
async fn an_export_replaces_tables_only() {
    let fixture = Fixture::start().await;
    fixture.write("rows.csv", ROWS);
    for out in ["a.jsonl", "b.jsonl"] {
        let run = ["batch", "run", "rows.csv", "-e", "echo", "-o", out];
        fixture.run(&run).await.assert_code(0);
    }
    let path = |name: &str| fixture.home.path().join(name);
    let pipe = std::process::Command::new("mkfifo").arg(path("pipe.csv")).status().unwrap();
    assert!(pipe.success());
    let (journal, other) = (fs::read(path("a.jsonl.journal")).unwrap(), fixture.read("b.jsonl"));
    for (out, why) in [
        ("a.jsonl", "is a file of the batch itself"),
        ("a.jsonl.journal", "is a file of the batch itself"),
        ("a.jsonl.failed.jsonl", "is a file of the batch itself"),
        ("rows.csv", "is a file of the batch itself"),
        ("b.jsonl", "has the results of another batch"),
        ("pipe.csv", "is not a regular file"),
    ] {
        fixture.run(&["batch", "export", "a.jsonl", "--out", out]).await.fails(2, why);
    }
    assert_eq!(fs::read(path("a.jsonl.journal")).unwrap(), journal);
    assert_eq!(fixture.read("b.jsonl"), other);
    // The file behind a link is replaced, and not the link.
    fixture.write("table.csv", "an earlier table");
    std::os::unix::fs::symlink("table.csv", path("link.csv")).unwrap();
    let export = ["batch", "export", "a.jsonl", "--out", "link.csv"];
    fixture.run(&export).await.assert_code(0);
    assert!(fs::symlink_metadata(path("link.csv")).unwrap().is_symlink());
    assert!(fixture.read("table.csv").starts_with("index,"));
}

#[tokio::test]
async fn refused_rows_are_named_by_their_number() {
    let fixture = Fixture::start().await;
    fixture.write("rows.csv", "id,n\na,1\n,2\n");
    let run = ["batch", "run", "rows.csv", "-e", "echo", "-o", "out.jsonl", "--key-field", "id"];
    let ended = fixture.run(&run).await;
    ended.assert_code(3);
    assert!(ended.stdout.contains("rows.csv, row 2"), "{ended:?}");
}
