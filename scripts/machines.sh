#!/usr/bin/env bash
# Runs one batch in four processes, kills one of them every two seconds for a while and starts it again,
# and checks that nothing is lost and nothing submitted twice; then again with the documented limits,
# which the four share: no 429, and 95 % of the rate: scripts/machines.sh [seconds] [seed].
set -euo pipefail
cd "$(dirname "$0")/.."

[[ ${1:-60} =~ ^[0-9]+$ ]] || { echo "usage: scripts/machines.sh [seconds] [seed]" >&2; exit 2; }
export TIME=${1:-60} EVERY=2000 LEAST=95
export INPUTS=$((TIME * 1000))
if [ -n "${2:-}" ]; then export SEED=$2; fi
cargo test --locked --package podqueue-batch --features postgres,podqueue-pgserver/installed \
  --test postgres -- --nocapture --test-threads 1 machines::four_processes machines::processes_that_are_killed
