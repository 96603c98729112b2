//! What is generated from the corpus compiles without a warning, is documented without a warning,
//! and does what it should: a crate with all of it is written, built and run.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quote::ToTokens;
use serde_json::{Value, json};
use syn::{ImplItem, Item, ReturnType, Type};

use crate::rest_corpus::{Document, large, small};
use crate::rest_samples::{Manner, Samples};

#[test]
fn what_is_generated_compiles_and_runs() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    let mut documents = small();
    documents.push(large(100));
    write_crate(&folder, &documents);
    // What the workspace has built already is not built again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", target)
            .env("RUSTDOCFLAGS", "-D warnings")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo {}:\n{said}", arguments.join(" "));
    };
    cargo(&["run", "--quiet", "--offline"]);
    cargo(&["doc", "--quiet", "--offline", "--no-deps", "--lib"]);
}

fn write_crate(folder: &Path, documents: &[Document]) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let parts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/rest/crate");
    let source = folder.join("src");
    fs::create_dir_all(&source).unwrap();
    let put = |path: PathBuf, text: &str| {
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text).unwrap();
        }
    };
    let manifest = format!(
        "[package]\nname = \"podqueue-corpus\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\npodqueue = {{ path = {workspace:?} }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n[workspace]\n"
    );
    put(folder.join("Cargo.toml"), &manifest);
    put(folder.join("Cargo.lock"), &fs::read_to_string(workspace.join("Cargo.lock")).unwrap());
    for part in ["main.rs", "rest.rs", "decode.rs", "calls.rs"] {
        put(source.join(part), &fs::read_to_string(parts.join(part)).unwrap());
    }
    let mut modules = String::from(
        "//! All that is generated from the corpus.\n#![deny(warnings, missing_docs, rust_2018_idioms)]\n\n\
         pub mod answers;\npub mod calls;\npub mod decode;\npub mod rest;\n",
    );
    let mut answers = String::from(
        "//! Answers to each operation.\n\nuse crate::decode::check;\n\n\
         /// What is wrong with how they are read.\npub fn failures() -> Vec<String> {\n    [\n",
    );
    for document in documents {
        let name = &document.name;
        writeln!(modules, "pub mod {name};").unwrap();
        let code = format!(
            "//! Generated.\n\n/// The calls of this description.\n#[derive(Clone)]\n\
             pub struct Rest(pub podqueue::rest::Rest);\n\n\
             impl crate::rest::Interface for Rest {{\n    \
             fn rest(&self) -> &podqueue::rest::Rest {{\n        &self.0\n    }}\n}}\n\n{}",
            document.generated.code
        );
        put(source.join(format!("{name}.rs")), &code);
        write_answers(document, &mut answers);
    }
    answers.push_str("    ]\n    .into_iter()\n    .flatten()\n    .collect()\n}\n");
    put(source.join("lib.rs"), &modules);
    put(source.join("answers.rs"), &answers);
}

/// A line for each operation and each manner of answering it.
fn write_answers(document: &Document, answers: &mut String) {
    let (name, file) = (&document.name, syn::parse_file(&document.generated.code).unwrap());
    for (call, ty) in answered(&file) {
        let (method, path) = call.split_once(' ').unwrap();
        for manner in [Manner::Plain, Manner::Nulls, Manner::Ahead] {
            let samples = Samples { description: &document.description, manner };
            let Some(schema) = samples.answer(path, method) else { continue };
            let value = match samples.value(&schema, 0) {
                // Any value.
                Value::Null => json!({ "any": [1, null] }).to_string(),
                value => value.to_string(),
            };
            let ty = ty.replace("types::", &format!("crate::{name}::types::"));
            let complete = manner == Manner::Plain;
            let what = format!("{name}, {call}, {manner:?}");
            writeln!(answers, "        check::<{ty}>({what:?}, {complete}, {value:?}),").unwrap();
        }
    }
}

/// The calls that have an answer, such as `GET /pods/{podId}`, and the shape that it is read as.
fn answered(file: &syn::File) -> Vec<(String, String)> {
    let mut builders = Vec::new();
    let mut answers = Vec::new();
    for item in &file.items {
        let Item::Impl(block) = item else { continue };
        let owner = block.self_ty.to_token_stream().to_string();
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            let ReturnType::Type(_, result) = &function.sig.output else { continue };
            if owner == "Rest" {
                let docs = function.attrs.iter().map(|it| it.to_token_stream().to_string());
                let mut call = docs.filter_map(|it| {
                    let text = it.split_once("\" `")?.1.split_once("`\"")?.0.to_owned();
                    text.contains(" /").then_some(text)
                });
                builders
                    .extend(call.next_back().map(|it| (result.to_token_stream().to_string(), it)));
            } else if function.sig.ident == "send" {
                answers.push((owner.clone(), shape(function, result)));
            }
        }
    }
    builders
        .into_iter()
        .filter_map(|(builder, call)| {
            let (_, ty) = answers.iter().find(|(owner, _)| *owner == builder)?;
            (!ty.contains("()")).then(|| (call, ty.clone()))
        })
        .collect()
}

/// The `S` of `let answer: Answer<S>` in `send`; a plain `T` where it answers `Result<T>` as it is.
fn shape(send: &syn::ImplItemFn, result: &Type) -> String {
    let given = send.block.stmts.iter().find_map(|statement| match statement {
        syn::Stmt::Local(local) => match &local.pat {
            syn::Pat::Type(typed) => Some(argument(&typed.ty)),
            _ => None,
        },
        _ => None,
    });
    let plain = || format!("podqueue::__private::lenient::shape::Plain<{}>", argument(result));
    given.unwrap_or_else(plain).replace(" ", "")
}

/// `T` of `Result<T>`.
fn argument(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    let inner = text.split_once('<').unwrap().1.rsplit_once('>').unwrap().0;
    inner.trim().to_owned()
}
