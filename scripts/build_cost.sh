#!/usr/bin/env bash
# Build cost of generated code: a clean build of the library with its generators and with their
# output, and a rebuild after one query has changed. Prints seconds; quote their ratio.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive HEAD | tar -x -C "$work"
cd "$work"
unset CARGO_TARGET_DIR
cargo fetch --locked --quiet

seconds() { # what, command …
  local what=$1 start end
  shift
  start=$(date +%s.%N)
  "$@"
  end=$(date +%s.%N)
  awk -v what="$what" -v start="$start" -v end="$end" \
    'BEGIN { printf "%-52s %7.1f s\n", what, end - start }'
}
build() { cargo build --quiet --offline --package podqueue --target-dir "$1"; }

seconds "clean build, with the generators" build with
seconds "build again, nothing changed" build with
sed -i '/description/d' queries/secret_create.graphql
seconds "build again, one query changed" build with

mkdir generated
cp with/debug/build/podqueue-*/out/{podqueue_rest,graphql}.rs generated/
sed -i '/^\[build-dependencies\]/,/^$/d' Cargo.toml
cat >build.rs <<'RUST'
//! Copies what was generated before.
fn main() -> std::io::Result<()> {
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for file in ["podqueue_rest.rs", "graphql.rs"] {
        std::fs::copy(std::path::Path::new("generated").join(file), out.join(file))?;
    }
    Ok(())
}
RUST
seconds "clean build, with what they generated" build without
