#!/usr/bin/env bash
# Plays the client against a random peer and random callers for a time, and reports each violated
# invariant with the smallest plan that violates it.
#
#   scripts/adversary.sh SECONDS [SEED]     from this seed on, or from a random one
#   SEED=… scripts/adversary.sh             the run of this seed alone
#   SHARED=… scripts/adversary.sh           the run with shared limits of this seed alone
#
# SHRINK=… limits the seconds that shrinking a plan may take. Overflow checks and debug assertions
# are enabled.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/programs.sh podqueue-adversary
exec "${CARGO_TARGET_DIR:-target}/debug/podqueue-adversary" "$@"
