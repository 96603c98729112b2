#!/usr/bin/env bash
# Checks the local service with independent tools: its descriptions by a validator of OpenAPI, its
# responses by schemathesis, its GraphQL schema by another implementation of GraphQL, its
# OpenAI-compatible paths by OpenAI's own client, and so the Batch API in front of it.
#
# It wants Python 3.10 or later and npm, and keeps what it installs in the target folder.
# SECONDS_EACH is the duration of the schemathesis run for each description; without it, schemathesis
# sends the same few requests every time, as long as SEED is the same.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=${SEED:-1}
export PYTHONDONTWRITEBYTECODE=1
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
descriptions=(crates/local/openapi/queue.yaml openapi/podqueue.yaml crates/local/openapi/workers.yaml openapi/account.yaml)

step() { printf '\n--- %s\n' "$*"; }

step "tools"
# shellcheck source=scripts/conformance/tools.sh
source scripts/conformance/tools.sh

step "descriptions"
"$tools/bin/python" -m openapi_spec_validator "${descriptions[@]}" crates/batch/openapi/batches.yaml

step "service"
scripts/programs.sh podqueue-local podqueue
announced=$(mktemp)
batches=$(mktemp -d)
env -u PODQUEUE_API_KEY "$target/debug/podqueue-local" --listen 127.0.0.1:0 --endpoint attached \
  --worker "poet=exec $tools/bin/python -u scripts/conformance/poet.py" >"$announced" &
service=$!
trap 'kill "$service" ${server:-} 2>/dev/null || true; rm -rf "$announced" "$batches" .schemathesis' EXIT
for _ in $(seq 100); do
  grep -q LOG_LEVEL "$announced" && break
  sleep 0.05
done
# shellcheck source=/dev/null
source "$announced"

step "GraphQL schema"
"$tools/bin/python" scripts/conformance/graphql_schema.py

step "OpenAI's client"
"$tools/bin/python" scripts/conformance/openai_client.py

step "OpenAI's client of the Batch API"
export BATCH_KEY=conformance
(umask 077 && echo "us $BATCH_KEY" >"$batches/keys")
"$target/debug/podqueue" batch serve poet=poet --dir "$batches/state" --listen 127.0.0.1:0 \
  --api-key-file "$batches/keys" >"$batches/url" &
server=$!
for _ in $(seq 100); do
  [ -s "$batches/url" ] && break
  sleep 0.05
done
export BATCH_URL
BATCH_URL=$(cat "$batches/url")
"$tools/bin/python" scripts/conformance/batch_client.py
NODE_TOOLS="$node_tools" node scripts/conformance/batch_client.mjs
kill "$server"

# Without a time, fewer: each example is sent in each phase.
examples=20
if [ -n "${SECONDS_EACH:-}" ]; then examples=50; fi
check() {
  step "schemathesis: $1"
  "$tools/bin/schemathesis" --config-file "scripts/conformance/$3.toml" run "$1" \
    --url "$2" --header "Authorization: Bearer $PODQUEUE_API_KEY" --max-examples "$examples" \
    ${SECONDS_EACH:+--max-time "$SECONDS_EACH"} --continue-on-failure --seed "$seed" \
    --request-timeout 10 --no-color "${@:4}"
}
all=(--checks all --phases "examples,coverage,fuzzing,stateful")
failed=0
check "${descriptions[0]}" "$PODQUEUE_BASE_URL" schemathesis "${all[@]}" || failed=1
check "${descriptions[1]}" "$PODQUEUE_REST_URL" schemathesis "${all[@]}" || failed=1
check "${descriptions[2]}" "$PODQUEUE_BASE_URL" schemathesis "${all[@]}" || failed=1
# Its coverage has 3,000 requests, of which those of logs wait for lines: these, and random ones, are
# sent where a time is given. Its configuration says which checks it passes.
account=(--phases "examples,coverage" --exclude-path-regex "/logs$")
if [ -n "${SECONDS_EACH:-}" ]; then account=(--phases "examples,coverage,fuzzing,stateful"); fi
check "${descriptions[3]}" "$PODQUEUE_ACCOUNT_URL" account "${account[@]}" || failed=1
# Whatever it was sent, it still runs.
kill -0 "$service"
exit "$failed"
