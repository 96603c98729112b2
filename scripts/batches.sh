#!/usr/bin/env bash
# Runs batches while processes are killed and interrupted, clocks turned, journals copied and put back,
# files changed and the service disturbed, all drawn at random, for so many seconds; and reports every
# invariant that breaks with the smallest plan that breaks it.
#
#   scripts/batches.sh SECONDS [SEED]       from this seed on, or from a random one
#   SEED=… scripts/batches.sh TIMES         that plan alone, so many times
#   PLAN='…' scripts/batches.sh TIMES       the plan that was printed
#
# PROGRAM=… is another program than the one built from here, such as that of an older commit; SHRINK=…
# how many seconds making a plan smaller may take; WIDTH=… how many plans are played at a time.
# Without PostgreSQL, or with POSTGRES=0, only batches in files are played. Linux, and a C compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || export POSTGRES=0
cargo build --quiet --locked -p podqueue-adversary -p podqueue-cli
folder=${CARGO_TARGET_DIR:-target}/debug
exec "$folder/podqueue-adversary-batches" "${PROGRAM:-$folder/podqueue}" "$@"
