#!/usr/bin/env bash
# Plays the client against a peer and callers that are drawn at random, for so many seconds, and reports
# every promise that breaks with the smallest plan that breaks it.
#
#   scripts/adversary.sh SECONDS [SEED]     from this seed on, or from a random one
#   SEED=… scripts/adversary.sh             that run alone
#   SHARED=… scripts/adversary.sh           that run with shared limits alone
#
# SHRINK=… is how many seconds making a plan smaller may take. The checks for overflow and the debug
# assertions are on: they find what nobody else does.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet --locked -p podqueue-adversary --bin podqueue-adversary -- "$@"
