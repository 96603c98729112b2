#!/usr/bin/env bash
# Records the terminal session at the top of the README, docs/terminal.svg, from a real run against
# the local service. Installs what draws it into target/ where that is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.5.0
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
recorder=$target/recorder/bin/term-transcript
[ -x "$recorder" ] ||
  cargo install --quiet --locked --root "$target/recorder" --features portable-pty \
    --version "$version" term-transcript-cli
scripts/programs.sh podqueue

folder=$(mktemp -d)
: >"$folder/service.env"
podqueue=$target/debug/podqueue
"$podqueue" local --listen 127.0.0.1:0 >"$folder/service.env" 2>/dev/null &
service=$!
trap 'kill $service; wait $service; rm -rf "$folder"' EXIT
until grep -q PODQUEUE_GRAPHQL_URL "$folder/service.env"; do sleep 0.1; done
set -a
. "$folder/service.env"
set +a
for n in $(seq 40); do echo "{\"n\": $n}"; done >"$folder/prompts.jsonl"

mkdir -p docs
svg=$PWD/docs/terminal.svg
cd "$folder"
PATH=$(dirname "$podqueue"):$PATH PS1= TERM=xterm-256color COLUMNS=96 LANG=C.UTF-8 \
  "$recorder" exec --pty 40x96 --shell bash --args=--norc --args=--noprofile \
  --init 'stty -echo; PS1=' --init-timeout 3s --io-timeout 1500ms --palette dracula --window podqueue \
  --pure-svg --hard-wrap 96 --width 864 --line-height 1.35em \
  "podqueue run echo '{\"hello\": \"world\"}'" \
  "podqueue run count -f n=2 --stream" \
  "podqueue batch run prompts.jsonl --endpoint echo --out answers.jsonl" \
  "podqueue doctor echo" |
  # Some viewers draw several spaces as one.
  sed -E ':next; s/(>[^<]*) /\1\xc2\xa0/; t next' >"$svg"
echo "docs/terminal.svg"
