#!/usr/bin/env bash
# Builds programs of the workspace, for the scripts that run them.
#
#   scripts/programs.sh NAME…
#
# Built by its package alone, a program would have other features of the dependencies than the tests
# have, and all of them would be compiled once more. Naming the workspace selects the features, naming
# a test those of the tests, and naming the programs what is built: with the tests, hardly anything.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --locked --workspace "${@/#/--bin=}" --test packaging
