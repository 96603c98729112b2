//! Program that runs generated code: decodes responses, and makes calls over HTTP.

use podqueue_corpus::{
    answers, calls, error_bodies, expansions, fragments, operations, pages, round_trips, sent, sent_streams, streamed, style_table, union_values, wire,
    wrappers,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut failures = answers::failures();
    failures.extend(sent::failures().await);
    failures.extend(calls::failures().await);
    failures.extend(operations::failures().await);
    failures.extend(fragments::failures().await);
    failures.extend(union_values::failures().await);
    failures.extend(wire::failures().await);
    failures.extend(pages::failures().await);
    failures.extend(error_bodies::failures().await);
    failures.extend(streamed::failures().await);
    failures.extend(sent_streams::failures().await);
    failures.extend(expansions::failures().await);
    failures.extend(style_table::failures().await);
    failures.extend(round_trips::failures().await);
    failures.extend(wrappers::failures().await);
    for failure in &failures {
        eprintln!("{failure}");
    }
    std::process::exit(i32::from(!failures.is_empty()));
}
