#!/usr/bin/env bash
# Runs batches under random crashes, signals, clock changes, copied and restored journals, changed
# files and faults of the service for a time, and reports each violated invariant with the smallest
# plan that violates it.
#
#   scripts/batches.sh SECONDS [SEED]       from this seed on, or from a random one
#   SEED=… scripts/batches.sh TIMES         the plan of this seed alone, this many times
#   PLAN='…' scripts/batches.sh TIMES       the printed plan, this many times
#
# PROGRAM=… tests another build of the program, such as that of an older commit; SHRINK=… limits the
# seconds that shrinking a plan may take; WIDTH=… is the number of plans played at a time. Without
# PostgreSQL, or with POSTGRES=0, all plans use SQLite. Requires Linux and a C compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || export POSTGRES=0
scripts/programs.sh podqueue-adversary podqueue
folder=${CARGO_TARGET_DIR:-target}/debug
# Whatever this script was started with (nohup, in the background), a signal ends the program.
exec env --default-signal=HUP,INT,TERM "$folder/podqueue-adversary" batches "${PROGRAM:-$folder/podqueue}" "$@"
