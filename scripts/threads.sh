#!/usr/bin/env bash
# Plays the threads, locks and channels of the client and of batches under many schedules for a time:
# the fair queue, shared limits and their exchange thread, the journal thread, and blocking calls.
#
#   scripts/threads.sh SECONDS [SEED]        from this seed on, or from a random one
#   SCHEDULE='…' scripts/threads.sh TEST     the printed schedule of this test
#
# The time is divided among the tests, and in each among schedules drawn at random and those of PCT.
# What a failure prints is enough to replay it, on the same code.
set -euo pipefail
cd "$(dirname "$0")/.."

tests() {
  RUSTC_WORKSPACE_WRAPPER=$PWD/scripts/rustc_for_shuttle.sh cargo test --quiet --locked --no-fail-fast \
    -p podqueue-runtime -p podqueue -p podqueue-batch -p podqueue-features --lib \
    --no-default-features --features podqueue-runtime/shared-limits,podqueue/blocking -- --test-threads 1 "$@"
}
if [ -n "${SCHEDULE:-}" ]; then
  tests --exact "${1:?the name of the test}"
  exit
fi
if ! [[ "${1:-}" =~ ^[0-9]+$ && "${2:-0}" =~ ^[0-9]+$ ]]; then
  echo "usage: scripts/threads.sh SECONDS [SEED]" >&2
  exit 2
fi
export SEED=${2:-$((RANDOM << 15 | RANDOM))}
echo "seed $SEED"
# All tests below modules of this name, and no other: the others do not run under shuttle.
count=$(tests threads:: --list | grep -c ': test$')
SECONDS_EACH=$(awk "BEGIN { print $1 / $count }")
export SECONDS_EACH
log=$(mktemp)
trap 'rm -f "$log"' EXIT
began=$(date +%s)
passed=yes
tests threads:: | tee "$log" || passed=no
schedules=$(awk '/ random schedules, .* of PCT$/ { sum += $2 + $5 } END { print sum + 0 }' "$log")
echo "$schedules schedules of $count tests from seed $SEED in $(($(date +%s) - began)) s, all pass: $passed"
[ $passed = yes ]
