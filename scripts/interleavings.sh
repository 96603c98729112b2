#!/usr/bin/env bash
# Executes the SQL statements of processes that share a batch on PostgreSQL one at a time, in orders that
# seeds decide, with broken connections, killed processes and ended leases, and reports the first
# violated invariant with the simplest schedule that violates it.
#
#   scripts/interleavings.sh SECONDS [SEED]            from this seed on, or from a random one
#   COUNT=1 scripts/interleavings.sh SECONDS SEED      the schedule of this seed alone
#   scripts/interleavings.sh all                       all schedules of small pairs with one deviation,
#                                                      or two preemptions
set -euo pipefail
cd "$(dirname "$0")/.."

[[ ${1:-} =~ ^([0-9]+|all)$ ]] || { sed -n '6,9s/^# *//p' "$0" >&2; exit 2; }
if [ "$1" = all ]; then export ALL=1; else export TIME=$1; fi
if [ -n "${2:-}" ]; then export SEED=$2; fi
cargo test --quiet --locked --package podqueue-batch --features postgres,podqueue-pgserver/installed \
  --test postgres -- --nocapture --test-threads 1 interleavings:: |
  grep --line-buffered -Ev '^(running|test |failures:| *interleavings|\.*$)'
