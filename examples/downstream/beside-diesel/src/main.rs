//! A program that keeps its own data in SQLite by diesel, and runs batches.

use diesel::dsl::sql;
use diesel::sql_types::BigInt;
use diesel::{Connection, RunQueryDsl, SqliteConnection};
use podqueue_batch::{Batch, Inputs, Sqlite};
use serde_json::json;

type AnyError = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    println!("{:?}", both().await?);
    Ok(())
}

/// A number that diesel has from SQLite, and the number of inputs of a batch.
async fn both() -> Result<(i64, u64), AnyError> {
    let mut connection = SqliteConnection::establish(":memory:")?;
    let number = diesel::select(sql::<BigInt>("6 * 7")).get_result(&mut connection)?;
    let folder = std::env::temp_dir().join(format!("beside-diesel-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let batch = Batch::open(Sqlite::file(folder.join("journal")))
        .inputs(Inputs::iter([json!({"n": 1}), json!({"n": 2})]))
        .results(folder.join("results.jsonl"))
        .await?;
    let inputs = batch.status().await?.counts.total();
    drop(batch);
    std::fs::remove_dir_all(&folder)?;
    Ok((number, inputs))
}

#[tokio::test]
async fn one_sqlite_serves_both() {
    assert_eq!(both().await.expect("both work"), (42, 2));
}
