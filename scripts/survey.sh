#!/usr/bin/env bash
# Tries the REST generator on descriptions that others wrote, and on random ones.
#
#   scripts/survey.sh PLACE…                    a row for each description in folders and files
#   scripts/survey.sh --random SECONDS [SEED]   random descriptions
#
# The table says whether a description generates and compiles, how many operations it has (in), how
# many calls there are (out) and how many operations are named in warnings as left out (named), and
# what generating and `cargo check` cost: seconds, and peak memory of the largest process.
# Exits with 1 if something panics, does not compile, or is left out without a warning.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
cp Cargo.lock survey/Cargo.lock
cargo run --quiet --manifest-path survey/Cargo.toml --target-dir "$target" -- "$@"
