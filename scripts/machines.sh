#!/usr/bin/env bash
# Runs one batch in four processes, kills one of them every two seconds for a while and starts it again,
# and checks that nothing is lost and nothing submitted twice: scripts/machines.sh [seconds] [seed].
set -euo pipefail
cd "$(dirname "$0")/.."

export TIME=${1:-60} EVERY=2000
export INPUTS=$((TIME * 340))
if [ -n "${2:-}" ]; then export SEED=$2; fi
cargo test --locked --package podqueue-batch --features postgres,podqueue-pgserver/installed \
  --test postgres -- --nocapture machines::four_processes
