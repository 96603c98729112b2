//! A crate with the code generated from the whole corpus: it compiles, is linted and documented
//! without warnings, and runs against a server.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use quote::ToTokens;
use serde_json::{Value, json};
use syn::{ImplItem, Item, ReturnType, Type};

use podqueue_codegen::Source;
use podqueue_codegen::graphql::{self, Options};

use crate::forward_compatibility;
use crate::rest_corpus::{Document, large, small};
use crate::rest_samples::{Manner, Samples};
use crate::support::lines;

#[test]
fn generated_code_compiles_and_runs() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    let mut documents = small();
    documents.push(large(100));
    forward_compatibility::write_library(&folder.with_file_name("growth"));
    write_crate(&folder, &documents);
    let built = run(
        Command::new(env!("CARGO")).args([
            "build",
            "--offline",
            "--message-format=json-render-diagnostics",
        ]),
        &folder,
    );
    // Build artifacts are shared.
    let dependencies = ["podqueue", "futures_util", "serde", "serde_json"]
        .map(|name| (name, artifact(&built, name)));
    let mut commands = vec![Command::new(artifact(&built, "podqueue-corpus"))];
    for (tool, more) in [
        ("rustdoc", vec!["--out-dir", "doc"]),
        ("clippy-driver", vec!["--crate-type=lib", "--emit=metadata", "--out-dir", "lints"]),
    ] {
        if Command::new(tool).arg("--version").output().is_err() {
            continue;
        }
        let mut command = Command::new(tool);
        command.args(["--edition=2024", "--crate-name=podqueue_corpus", "src/lib.rs"]);
        command.args(["-D", "warnings"]).args(more);
        for (name, file) in &dependencies {
            command.arg(format!("--extern={name}={}", file.display()));
            command.arg(format!("-Ldependency={}", file.parent().unwrap().display()));
        }
        commands.push(command);
    }
    // Each uses one processor.
    thread::scope(|scope| {
        for command in &mut commands {
            scope.spawn(|| run(command, &folder));
        }
    });
}

/// Runs a command that must succeed, and gives what it printed.
fn run(command: &mut Command, folder: &Path) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = command.current_dir(folder).env("CARGO_TARGET_DIR", target).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The file that cargo built of a target: its program, or its library.
fn artifact(messages: &str, name: &str) -> PathBuf {
    let mut files = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).unwrap();
        if message["reason"] != "compiler-artifact" || message["target"]["name"] != name {
            return None;
        }
        let mut files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
        let library = files.rfind(|it| it.ends_with(".rlib")).map(str::to_owned);
        message["executable"].as_str().map(str::to_owned).or(library)
    });
    files.next_back().unwrap_or_else(|| panic!("{name} was not built")).into()
}

/// Preamble of generated code, in place of the macro that includes it.
const GENERATED: &str =
    "//! Generated.\n\n#[allow(unused_imports)]\nuse podqueue as __runtime;\n\n";

fn write_crate(folder: &Path, documents: &[Document]) {
    let workspace = forward_compatibility::workspace();
    let parts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/rest/crate");
    let source = folder.join("src");
    fs::create_dir_all(&source).unwrap();
    let put = |path: PathBuf, text: &str| {
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text).unwrap();
        }
    };
    // With the features and profiles of the workspace, its dependencies are built already.
    let features = json!(workspace.join("tests/features"));
    let manifest = format!(
        r#"[package]
name = "podqueue-corpus"
version = "0.0.0"
edition = "2024"

[dependencies]
podqueue = {{ path = "../growth", default-features = false }}
podqueue-features = {{ path = {features} }}
futures-util = {{ version = "0.3", default-features = false }}
tokio = {{ version = "1", features = ["macros", "rt"] }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"

[profile.dev]
debug = "line-tables-only"

[profile.dev.package."*"]
debug = false

[profile.dev.package.rustls-pki-types]
opt-level = 2

[profile.dev.package.tokio]
opt-level = 1

[workspace]
"#
    );
    put(folder.join("Cargo.toml"), &manifest);
    put(folder.join("Cargo.lock"), &fs::read_to_string(workspace.join("Cargo.lock")).unwrap());
    for part in fs::read_dir(&parts).unwrap().map(|it| it.unwrap().path()) {
        let name = part.file_name().unwrap();
        put(source.join(name), &fs::read_to_string(&part).unwrap());
    }
    put(source.join("graphql.rs"), &format!("{GENERATED}{}", operations()));
    let mut modules = String::from(
        "//! All that is generated from the corpus.\n#![deny(warnings, missing_docs, rust_2018_idioms)]\n\n\
         pub mod answers;\npub mod calls;\npub mod checks;\npub mod decode;\npub mod error_bodies;\npub mod expansions;\n\
         pub mod fragments;\n\
         #[deny(clippy::nursery, clippy::pedantic, missing_copy_implementations)]\n\
         pub mod graphql;\npub mod operations;\npub mod pages;\npub mod round_trips;\npub mod sent;\npub mod server;\npub mod streamed;\npub mod sent_streams;\npub mod style_table;\npub mod union_values;\npub mod wire;\n\
         pub mod wrappers;\n",
    );
    let mut answers = String::from(
        "//! Answers to each operation.\n\n\
         #[allow(unused_imports)]\nuse podqueue as __runtime;\n\nuse crate::decode::check;\n\n\
         /// Failed checks of decoding.\npub fn failures() -> Vec<String> {\n    [\n",
    );
    for document in documents {
        let name = &document.name;
        writeln!(modules, "pub mod {name};").unwrap();
        let code = format!("{GENERATED}{}", document.generated.code);
        put(source.join(format!("{name}.rs")), &code);
        write_answers(document, &mut answers);
    }
    answers.push_str("    ]\n    .into_iter()\n    .flatten()\n    .collect()\n}\n");
    put(source.join("lib.rs"), &modules);
    put(source.join("answers.rs"), &answers);
}

/// The code generated from the queries of the corpus.
fn operations() -> String {
    let read = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/graphql");
        Source::read(&folder.join(name)).unwrap()
    };
    let options = Options::default().scalar("DateTime", "crate::operations::Moment");
    let made = graphql::generate(&read("schema.graphql"), &[read("queries.graphql")], options);
    made.unwrap_or_else(|diagnostics| panic!("{}", lines(&diagnostics))).code
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

/// The calls that have an answer, such as `GET /pods/{podId}`, and the type that it is read as.
fn answered(file: &syn::File) -> Vec<(String, String)> {
    let mut builders = Vec::new();
    let mut answers = Vec::new();
    for item in &file.items {
        let Item::Impl(block) = item else { continue };
        let owner = block.self_ty.to_token_stream().to_string();
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            let ReturnType::Type(_, result) = &function.sig.output else { continue };
            if owner == "Api" {
                let docs = function.attrs.iter().map(|it| it.to_token_stream().to_string());
                let mut call = docs.filter_map(|it| {
                    let text = it.split_once("\" `")?.1.split_once('`')?.0.to_owned();
                    text.contains(" /").then_some(text)
                });
                builders
                    .extend(call.next_back().map(|it| (result.to_token_stream().to_string(), it)));
            } else if function.sig.ident == "send" {
                answers.push((owner.clone(), argument(result).replace(' ', "")));
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

/// `T` of `Sending<T>`.
fn argument(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    let inner = text.split_once('<').unwrap().1.rsplit_once('>').unwrap().0;
    inner.trim().trim_end_matches(',').to_owned()
}
