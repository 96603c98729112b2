#!/usr/bin/env bash
# Runs client, local service, batches, shared limits and a shared journal in one process, in virtual
# time, under random faults for a time, and reports each violated invariant with its seed.
#
#   scripts/simulate.sh SECONDS [SEED]       from this seed on, or from a random one
#   SEED=… scripts/simulate.sh               the run of this seed alone, with its trace
#   SEED=… WITHOUT=… scripts/simulate.sh     without these parts of its plan, as a finding names them
#
# The last line has the figures. A seed that has begun is run to its end, which takes up to a few
# minutes; after ten minutes of the processor, or ten without a line of the trace, it is reported.
# Every eighth seed is run twice, and the traces are compared. Requires Linux.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${SEED:-} ]]; then
  # Words, not a word.
  # shellcheck disable=SC2086
  set -- seed "$SEED" trace ${WITHOUT:-}
elif [[ $# -lt 1 ]]; then
  echo "usage: scripts/simulate.sh SECONDS [SEED]" >&2
  exit 2
fi
scripts/programs.sh podqueue-simulation
exec "${CARGO_TARGET_DIR:-target}/debug/podqueue-simulation" "$@"
