//! The store on SQLite.

use std::fs;
use std::path::Path;

use podqueue_batch::ErrorKind;
use podqueue_batch::store::{OpenStore, Sqlite, Store};

mod rules;

use self::rules::{
    a_claim_ends_where_its_bytes_do, a_commit_takes_effect_as_a_whole_or_not_at_all,
    an_input_passes_through_its_states, claim, claims_stay_within_the_bound_of_all_charges,
    copies_are_not_claimed, counts, inputs_are_listed_page_by_page, stored,
};

fn in_a_folder(test: impl Fn(&dyn Fn() -> Sqlite)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.journal");
    test(&|| Sqlite::file(&path));
}

#[test]
fn sqlite_fulfils_the_contract_of_a_store() {
    in_a_folder(|open| an_input_passes_through_its_states(open));
    in_a_folder(|open| a_commit_takes_effect_as_a_whole_or_not_at_all(open));
    in_a_folder(|open| a_claim_ends_where_its_bytes_do(open));
    in_a_folder(|open| copies_are_not_claimed(open));
    in_a_folder(|open| claims_stay_within_the_bound_of_all_charges(open));
    in_a_folder(|open| inputs_are_listed_page_by_page(open));
}

#[test]
fn a_journal_is_open_once_and_can_be_read_meanwhile() {
    in_a_folder(|open| {
        let missing = open().inspect().map(drop).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::Journal);
        let mut store = open().open().unwrap();
        store.add(&[stored("a")], &[]).unwrap();
        assert_eq!(open().open().map(drop).unwrap_err().kind(), ErrorKind::InUse);
        let mut reader = open().inspect().unwrap();
        assert_eq!(counts(&mut reader), "1 pending");
        claim(&mut store, 1);
        assert_eq!(counts(&mut reader), "1 intent");
        reader.add(&[stored("b")], &[]).unwrap_err();
        drop(store);
        open().open().unwrap();
    });
}

#[test]
fn a_file_that_is_no_journal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prompts.jsonl");
    fs::write(
        &path,
        "{\"prompt\": \"a lighthouse, at dawn, in the style of a woodcut\"}\n".repeat(99),
    )
    .unwrap();
    let database = folder.path().join("users.db");
    let tables = rusqlite::Connection::open(&database).unwrap();
    tables.execute_batch("CREATE TABLE users (name)").unwrap();
    drop(tables);
    let refused = |path: &Path| {
        let error = Sqlite::file(path).open().map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAJournal, "{error}");
    };
    for path in [&path, &database] {
        refused(path);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    // A file of that name may belong to another program.
    let lock = folder.path().join("users.db.lock");
    fs::write(&lock, "mine").unwrap();
    refused(&database);
    assert_eq!(fs::read_to_string(&lock).unwrap(), "mine");
    let error = Sqlite::file("/nowhere/a.journal").open().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_journal() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    let mut store = Sqlite::file(folder.path().join("a.journal")).open().unwrap();
    store.add(&[stored("a")], &[]).unwrap();
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 4, "with -wal, -shm and .lock: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}
