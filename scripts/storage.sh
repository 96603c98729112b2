#!/usr/bin/env bash
# Kills `podqueue batch run` while it publishes results to an S3 server (moto's, from the Python
# registry), just before or just after the server has stored an object, and checks that no line of the
# results is lost or published twice, and that the manifest lists all parts.
#
#   scripts/storage.sh [KILLS] [SEED]       100 kills by default, from a random seed
#
# Installs the server below target/ where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${CARGO_TARGET_DIR:-target}
[ -n "${PROGRAM:-}" ] || scripts/programs.sh podqueue
tools=$folder/storage-tools
if ! "$tools/bin/python" -c 'import boto3, moto.server' 2>/dev/null; then
  python3 -m venv --clear "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/storage/requirements.txt
fi
exec "$tools/bin/python" scripts/storage/kills.py "${PROGRAM:-$folder/debug/podqueue}" "${1:-100}" "${2:-$RANDOM}"
