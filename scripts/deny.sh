#!/usr/bin/env bash
# Checks the licenses, duplicate versions and sources of all dependencies against deny.toml. Downloads
# those of other systems where they are missing, which no build here has needed, and installs
# cargo-deny where it is missing, which takes a minute.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.20.2
cargo deny --version 2>/dev/null | grep -qF "$version" ||
  cargo install --quiet --locked --version "$version" --profile dev cargo-deny

cargo fetch --quiet --locked
# Unused entries of deny.toml are errors.
cargo deny --offline --workspace check \
  -D unmatched-skip -D license-exception-not-encountered -D license-not-encountered \
  licenses bans sources
