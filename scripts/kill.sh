#!/usr/bin/env bash
# Kills a process that runs a batch so many times, at random moments, and checks that nothing is lost
# and nothing submitted twice: scripts/kill.sh [kills] [seed]. The seed repeats the moments and the
# faults, as far as the machine's timing allows.
set -euo pipefail
cd "$(dirname "$0")/.."

export KILLS=${1:-200}
if [ -n "${2:-}" ]; then export SEED=$2; fi
cargo test --locked --package podqueue-batch --test batch -- --nocapture --test-threads 1 kill::
