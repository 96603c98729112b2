#!/usr/bin/env bash
# Builds the docs of the libraries, without a warning, and compares the public API of each crate with
# its list in api/. UPDATE_SNAPSHOTS=1 rewrites the lists.
set -euo pipefail
cd "$(dirname "$0")/.."

crates=(podqueue podqueue-batch podqueue-codegen podqueue-fake podqueue-limits podqueue-local podqueue-mcp podqueue-postgres podqueue-regenerate podqueue-runtime)
target=${CARGO_TARGET_DIR:-target}

# The features of docs.rs. The simulation would turn on the unstable module of podqueue-batch.
docs() {
  RUSTDOCFLAGS="-D warnings $*" cargo doc --workspace --exclude podqueue-simulation --lib --no-deps --locked \
    --features podqueue/account,podqueue/blocking,podqueue/webhook,podqueue/http2,podqueue/shared-limits,podqueue-batch/postgres,podqueue-batch/serve,podqueue-limits/postgres,podqueue-runtime/fake,podqueue-runtime/chrono,podqueue-runtime/jiff,podqueue-runtime/time,podqueue-runtime/uuid
}
# The lists depend on the version of rustdoc.
if ! rustc --version | grep -q '^rustc 1\.95\.'; then
  docs
  echo "no lists: they are those of Rust 1.95, and this is $(rustc --version)"
  exit 0
fi
# rustdoc writes JSON as an unstable option only, which a stable rustdoc accepts with this variable.
# It is set for rustdoc only: the build scripts of dependencies read it and would be run again.
wrapper=$(mktemp)
trap 'rm -f "$wrapper"' EXIT
printf '#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec "%s" "$@"\n' "${RUSTDOC:-rustdoc}" >"$wrapper"
chmod +x "$wrapper"
RUSTDOC=$wrapper docs -Z unstable-options --output-format json
cargo run --quiet --locked --manifest-path api/Cargo.toml --target-dir "$target" -- \
  "$target/doc" "${crates[@]}"
