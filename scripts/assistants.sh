#!/usr/bin/env bash
# Checks `podqueue mcp` with the clients that others use: the official SDKs for Python and TypeScript,
# over standard input and output and over HTTP, and the protocol's inspector.
#
# It wants Python 3.10 or later and npm, and keeps what it installs in the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export PYTHONDONTWRITEBYTECODE=1

step() { printf '\n--- %s\n' "$*"; }

step "tools"
# shellcheck source=scripts/conformance/tools.sh
source scripts/conformance/tools.sh
scripts/programs.sh podqueue
export PODQUEUE="$target/debug/podqueue" NODE_TOOLS="$node_tools"
# No settings of this machine: every job is one of a local service.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for name in $(compgen -e PODQUEUE_); do unset "$name"; done

step "the Python SDK"
HOME="$home" "$tools/bin/python" scripts/conformance/mcp_client.py

step "the TypeScript SDK"
HOME="$home" node scripts/conformance/mcp_client.mjs

step "the inspector"
inspect() {
  HOME="$home" "$node_tools/node_modules/.bin/mcp-inspector" --cli \
    "$PODQUEUE" mcp --allow local --files "$home" --state "$home/state" "$@"
}
# Schemas that some clients cannot read are errors.
inspect --method tools/list --strict >"$home/tools" 2>"$home/findings" || { cat "$home/findings"; exit 1; }
tail -n 1 "$home/findings"
inspect --method tools/call --tool-name local_start >"$home/called"
grep -q '"repeated": false' "$home/called"
inspect --method resources/templates/list >"$home/templates"
grep -q 'batch://{name}/summary' "$home/templates"
