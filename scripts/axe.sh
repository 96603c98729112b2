#!/usr/bin/env bash
# Fetches axe-core, which checks the accessibility of the local service's page in its tests, into
# target/. Requires npm.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.14.1
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/axe
[ "$(cat "$folder/version" 2>/dev/null)" != "$version" ] || exit 0
mkdir -p "$folder"
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" \
  "axe-core@$version"
echo "$version" >"$folder/version"
