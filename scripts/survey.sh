#!/usr/bin/env bash
# Tries the REST generator on descriptions that others wrote, and on random ones.
#
#   scripts/survey.sh PLACE…                    a row for each description in folders and files
#   scripts/survey.sh --drive PLACE…            makes every call against a mock server (needs node)
#   scripts/survey.sh --random SECONDS [SEED]   random descriptions
#   scripts/survey.sh --grown OPERATIONS TYPES  prints a description of that size
#
# The table says whether a description generates and compiles, how many operations it has (in), how
# many calls there are (out) and how many operations are named in warnings as left out (named), and
# what generating and `cargo check` cost: seconds, and peak memory of the largest process.
#
# With --drive, a mock server that others made checks each request against the description, and
# values that others made are the arguments. What does not go out, is refused, does not decode, or
# loses a field that its schema has, is a finding; so is a published example that does not decode.
# Operations that cannot be driven are listed with the reason.
#
# Exits with 1 if there are findings: something panics, does not compile, or is left out without a
# warning. A finding of --random comes with its seed and the smallest description that has it.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
cp Cargo.lock survey/Cargo.lock
cargo run --quiet --manifest-path survey/Cargo.toml --target-dir "$target" -- "$@"
