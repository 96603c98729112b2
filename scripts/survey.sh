#!/usr/bin/env bash
# Runs the REST generator on published and on random descriptions.
#
#   scripts/survey.sh PLACE…                    a row for each description in folders and files
#   scripts/survey.sh --against openapi-to-rust [PLACE…]  this generator and another one, side by side
#   scripts/survey.sh --untyped FILE…           lists the fields of generated code that are untyped
#   scripts/survey.sh --selected FILE SELECTOR…  what checking the selected operations costs
#   scripts/survey.sh --drive PLACE…            makes every call against a mock server (needs node)
#   scripts/survey.sh --samples COUNT [SEED] PLACE…  takes schema-valid values through the types
#   scripts/survey.sh --random SECONDS [SEED]   random descriptions
#   scripts/survey.sh --synthetic OPERATIONS TYPES  prints a description of that size
#
# The table says whether a description generates and compiles, how many operations it has (in), how
# many calls there are (out) and how many operations are named in warnings as left out (named), and
# what generating and `cargo check` cost: seconds (of the check also those of the processor, which a
# busy machine changes little), and peak memory of the largest process.
#
# With --against, the table has both sides of each column, and a star where this generator is behind.
# It ends with the number of rows in which it is ahead, equal and behind. The other generator is
# installed from the registry below the target folder, and compiled with the dependencies that it
# names. Untyped are the public fields of structs that hold a `serde_json::Value`, also by the name of an
# alias or of a struct that only wraps one, and those of a struct without fields, which drops what is
# there. Lines of code are neither blank nor comments. After the table the same calls are made by
# both, against a server that records them: a line for each (survey/wire/), equal, or what of a side
# is not as described.
#
# With --selected, the processor time of `cargo check` above that of an empty crate, median of three.
#
# With --drive, an independent mock server checks each request against the description, and makes
# the arguments from the same schemas. A finding is a call that is not sent, is refused, does not
# decode or loses a field that its schema has, and a published example that does not decode.
# Operations that cannot be driven are listed with the reason.
#
# With --samples, at least COUNT seeded values, the same number of each component, go JSON → type →
# JSON, judged by a library: what comes out has to be valid and equal, but for the differences that
# reading leniently documents, which are counted (survey/src/samples/comparison.rs lists them). A
# loss that a warning of the generator names is counted as warned; any other one is a finding, and
# so are a value that a union forbids and that is read as one of its branches, and a valid one that is
# read as none. A component of which no value is judged is listed with the reason. The last line has
# the figures.
#
# Exits with 1 if there are findings: something panics, does not compile, or is left out without a
# warning. A finding of --random comes with its seed and the smallest description that has it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/programs.sh podqueue-survey
exec "${CARGO_TARGET_DIR:-target}/debug/podqueue-survey" "$@"
