#!/usr/bin/env bash
# Fetches axe-core, which checks the accessibility of the local service's page in its tests, into
# target/. Without node or a network, that test is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.14.1
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/axe
[ "$(cat "$folder/version" 2>/dev/null)" != "$version" ] || exit 0
if ! command -v npm >/dev/null 2>&1; then
  echo "axe-core was not fetched: npm is not installed" >&2
  exit 0
fi
mkdir -p "$folder"
if timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" \
  "axe-core@$version"; then
  echo "$version" >"$folder/version"
else
  echo "axe-core was not fetched: npm cannot reach its registry" >&2
fi
