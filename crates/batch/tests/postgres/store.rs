//! The store on PostgreSQL.

use podqueue_batch::store::{OpenStore, Postgres, Store};

use crate::journal;
use crate::rules::{
    a_claim_ends_where_its_bytes_do, a_commit_takes_effect_as_a_whole_or_not_at_all,
    an_input_passes_through_its_states, claims_stay_within_the_bound_of_all_charges,
    copies_are_not_claimed, inputs_are_listed_page_by_page, stored,
};

fn in_a_batch(test: impl Fn(&dyn Fn() -> Postgres)) {
    let folder = tempfile::tempdir().unwrap();
    test(&|| journal::of(folder.path()));
}

#[test]
fn postgres_fulfils_the_contract_of_a_store() {
    in_a_batch(|open| an_input_passes_through_its_states(open));
    in_a_batch(|open| a_commit_takes_effect_as_a_whole_or_not_at_all(open));
    in_a_batch(|open| a_claim_ends_where_its_bytes_do(open));
    in_a_batch(|open| copies_are_not_claimed(open));
    in_a_batch(|open| claims_stay_within_the_bound_of_all_charges(open));
    in_a_batch(|open| inputs_are_listed_page_by_page(open));
}

#[test]
fn a_request_of_a_reader_reaches_the_process_that_runs_the_batch() {
    in_a_batch(|open| {
        let mut store = open().open().unwrap();
        store.add(&[stored("a")], &[]).unwrap();
        let mut reader = open().inspect().unwrap();
        reader.request(&[("n", "1".to_owned())]).unwrap();
        assert_eq!(store.note("n").unwrap().as_deref(), Some("1"));
    });
}
