#!/usr/bin/env bash
# Runs the examples, which must be built, and compares what the README shows of the quick start with
# what it prints.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}/debug/examples
"$folder/batch"
for example in examples/*.rs; do
  name=$(basename "$example" .rs)
  if [ "$name" != quickstart ]; then "$folder/$name"; fi
done

# Ports and ids differ from run to run.
normalized() { sed -E 's/127\.0\.0\.1:[0-9]+/127.0.0.1:PORT/; s/[0-9a-f-]{36}-u1/ID/'; }
printed=$("$folder/quickstart")
echo "$printed"
printed=$(normalized <<<"$printed")
shown=$(awk '/^```text$/ { is_shown = 1; next } /^```$/ { is_shown = 0 } is_shown && NF' README.md | normalized)
[ -n "$shown" ]
while read -r line; do
  grep -Fxq -- "$line" <<<"$printed" || { echo "README.md: quickstart does not print: $line" >&2; exit 1; }
done <<<"$shown"
