//! A program that keeps its own data in SQLite by sqlx, and runs batches.

use podqueue_batch::{Batch, Inputs, Sqlite};
use serde_json::json;

type AnyError = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    println!("{:?}", both().await?);
    Ok(())
}

/// A number that sqlx has from SQLite, and the number of inputs of a batch.
async fn both() -> Result<(i64, u64), AnyError> {
    let pool = sqlx::SqlitePool::connect("sqlite::memory:").await?;
    let (number,): (i64,) = sqlx::query_as("SELECT 6 * 7").fetch_one(&pool).await?;
    let folder = std::env::temp_dir().join(format!("beside-sqlx-{}", std::process::id()));
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
