#!/usr/bin/env bash
# Tests inputs and results in other formats than JSON Lines, with the features of the program for all of
# them: reads results back with pyarrow and DuckDB (from the Python registry).
#
#   scripts/tables.sh                                   a round trip through each format
#   scripts/tables.sh --program [ROWS] [KILLS] [SEED]   the unit tests of Parquet and compression, kills
#                                                       of the program while it converts, and its
#                                                       memory, for 1000000 rows and 20 kills by default
#
# Installs both below target/ where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${CARGO_TARGET_DIR:-target}
tools=$folder/table-tools
if ! "$tools/bin/python" -c 'import duckdb, pyarrow' 2>/dev/null; then
  python3 -m venv --clear "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/tables/requirements.txt
fi
if [ "${1:-}" = --program ]; then
  cargo test --quiet --locked --workspace --lib \
    --features podqueue-batch/compression,podqueue-batch/parquet formats::
  # Other scripts build the program anew, without these features.
  [ -n "${PROGRAM:-}" ] || cargo build --quiet --locked --workspace --bin podqueue \
    --features podqueue-cli/compression,podqueue-cli/parquet
  exec "$tools/bin/python" scripts/tables/kills.py "${PROGRAM:-$folder/debug/podqueue}" \
    "${2:-1000000}" "${3:-20}" "${4:-$RANDOM}"
fi
tables=$(mktemp -d)
trap 'rm -rf "$tables"' EXIT
PODQUEUE_TABLES=$tables cargo test --quiet --locked --workspace --test formats \
  --features podqueue-batch/compression,podqueue-batch/parquet
"$tools/bin/python" scripts/tables/read.py "$tables"
