//! Types without a client: dates, times, UUIDs and nulls by type, and a dependency tree without tokio
//! and reqwest.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use std::process::Command;

use serde_json::{from_value, json, to_value};
use time::{Date, Month, OffsetDateTime};
use types_alone::loans::types::{Loan, Renewal};
use uuid::Uuid;

#[test]
fn request_bodies_have_types() {
    let (id, due) = (Uuid::from_u128(7), Date::from_calendar_date(2024, Month::May, 1).unwrap());
    let written = "00000000-0000-0000-0000-000000000007";
    let loan = Loan::new(due, id);
    assert_eq!(to_value(&loan).unwrap(), json!({"id": written, "due": "2024-05-01"}));
    let loan = Loan { returned: Some(None), note: Some(Some("torn".to_owned())), ..loan };
    let json = json!({"id": written, "due": "2024-05-01", "returned": null, "note": "torn"});
    assert_eq!(to_value(&loan).unwrap(), json);
    assert_eq!(from_value::<Loan>(json).unwrap(), loan, "null and absent stay apart");
    let lent = OffsetDateTime::from_unix_timestamp(0).unwrap();
    let loan = Loan { lent: Some(lent.into()), returned: Some(Some(lent.into())), ..loan };
    let json = to_value(&loan).unwrap();
    assert_eq!(json["lent"], "1970-01-01T00:00:00Z");
    assert_eq!(json["returned"], "1970-01-01T00:00:00Z");
}

#[test]
fn lists_take_the_values_that_single_ones_take() {
    let (id, day) = (Uuid::from_u128(7), Date::from_calendar_date(2024, Month::May, 1).unwrap());
    let read: Loan = from_value(json!({"id": "8", "extensions": ["2024-05-02", "?"]})).unwrap();
    let written = "00000000-0000-0000-0000-000000000007";
    let renewal = Renewal::new([day], [id]);
    let json = json!({"days": ["2024-05-01"], "loans": [written]});
    assert_eq!(to_value(&renewal).unwrap(), json);
    // Also values that were read, whatever their format.
    let renewal = Renewal::new(read.extensions, read.id);
    let json = json!({"days": ["2024-05-02", "?"], "loans": ["8"]});
    assert_eq!(to_value(&renewal).unwrap(), json);
}

#[test]
fn a_text_of_another_format_is_kept() {
    let json = json!({"id": "7", "due": "soon", "lent": "1970-01-01T01:00:00+01:00",
                      "extensions": ["2024-05-02", "?"]});
    let loan: Loan = from_value(json.clone()).unwrap();
    let due = loan.due.as_ref().unwrap();
    assert_eq!((due.value(), due.as_str()), (None, "soon"));
    let lent = loan.lent.as_ref().unwrap().value().unwrap();
    assert_eq!(lent.unix_timestamp(), 0);
    assert!(loan.extensions[0].value().is_some() && loan.extensions[1].value().is_none());
    assert_eq!(to_value(&loan).unwrap(), json, "as it came");
    assert!(format!("{loan:?}").contains("\"soon\""));
    let error = from_value::<Loan>(json!({"extensions": ["2024-05-02", {}]})).unwrap_err();
    assert!(error.to_string().starts_with("extensions[1]: "), "{error}");
}

#[test]
fn the_dependency_tree_has_no_client() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "--prefix", "none", "--edges", "normal"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.contains("podqueue-runtime v"), "{tree}");
    for package in ["tokio", "reqwest", "hyper", "podqueue"] {
        assert!(!tree.lines().any(|line| line.starts_with(&format!("{package} v"))), "{tree}");
    }
}
