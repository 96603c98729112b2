#!/usr/bin/env bash
# Lets the database of running batches fail over to a standby, COUNT times: one that is synchronous, one
# that may be behind, with clocks that are set by an hour and processes that start just then. Nothing
# is lost or submitted twice without being reported, and no live process is interrupted:
# scripts/promotions.sh COUNT [SEED]. The last line has the figures.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ ${1:-} =~ ^[0-9]+$ && ${2:-0} =~ ^[0-9]+$ ]] || { echo "usage: scripts/promotions.sh COUNT [SEED]" >&2; exit 2; }
export COUNT=$1
if [ -n "${2:-}" ]; then export SEED=$2; fi
cargo test --locked --package podqueue-batch --features postgres,podqueue-pgserver/installed \
  --test postgres -- --exact --nocapture promotions::processes_continue_on_promoted_standbys 2>&1 |
  tee /dev/stderr | grep -a ' promotions, '
