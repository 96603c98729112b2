//! Acyclicity test: the module graph of each crate of this workspace has no cycle.
//!
//! `graph` defines what a use is.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod graph;

use std::fs;
use std::path::Path;

use graph::Modules;

#[test]
fn modules_form_no_cycles() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let members = fs::read_dir(workspace.join("crates")).unwrap();
    let names = members.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let crates = names.map(|name| format!("crates/{name}")).chain([".".to_owned()]);
    let mut found = Vec::new();
    for name in crates {
        let circles = Modules::read(&workspace.join(&name).join("src")).circles();
        found.extend(circles.into_iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(found.is_empty(), "modules use each other:\n{}", found.join("\n"));
}

fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let files = files
        .iter()
        .map(|(path, text)| (path.split('/').map(str::to_owned).collect(), (*text).to_owned()));
    Modules::of(files.collect()).circles()
}

/// The top-level modules, each with all its files, such as `queue`, form no cycle either.
#[test]
fn folders_of_the_client_form_no_cycles() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src");
    assert_eq!(Modules::read(&src).folders().circles(), [""; 0]);
}

#[test]
fn cycles_are_found() {
    for (a, b) in [
        ("use crate::b::B;", "use crate::a::A;"),
        ("fn a() { super::b::b() }", "impl crate::a::A for B {}"),
        ("use super::{b as other};", "use super::{Renamed};"),
        ("mod inner { use super::super::b::B; }", "use crate::{a::{self, A}};"),
        ("use crate::c::OfB;", "fn b() -> crate::a::A { todo!() }"),
    ] {
        let found = circles(&[
            ("lib", "mod a; mod b; mod c; pub use a::A as Renamed;"),
            ("a", a),
            ("b", b),
            ("c/mod", "pub(crate) use crate::b::B as OfB;"),
        ]);
        assert_eq!(found, ["a -> b, b -> a"], "{a} {b}");
    }
    let found = circles(&[
        ("lib", "mod a; fn root() { a::b::b() }"),
        ("a", "mod b; use self::b::b; struct A;"),
        ("a/b", "use super::A; pub fn b() {}"),
    ]);
    assert_eq!(found, ["a -> a::b, a::b -> a"]);
    let found = circles(&[
        ("lib", "mod a;"),
        ("a", "mod b; pub use self::b::B; struct A(B);"),
        ("a/b", "use super::A; pub struct B;"),
    ]);
    assert_eq!(found, ["a -> a::b, a::b -> a"]);
}

#[test]
fn acyclic_uses_are_no_cycle() {
    let found = circles(&[
        ("lib", "mod a; mod b; mod c; pub use a::A; pub use c::c; struct Root;"),
        ("a", "use crate::b::B; #[cfg(test)] mod tests { use crate::c::c; }"),
        ("b", "pub(in crate::a) struct B; use std::fmt; fn c() { c::d(); ::a::e(); }"),
        (
            "c",
            "use super::{A, Root}; pub fn c() {} impl C { #[cfg(test)] fn d() { crate::root() } }",
        ),
    ]);
    assert_eq!(found, [""; 0]);
}
