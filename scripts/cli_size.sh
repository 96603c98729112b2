#!/usr/bin/env bash
# Builds the program podqueue as it is released, and prints its size and the time that it takes to
# start, as a table. Fails above 15 MB, or 10 ms for `--version`.
set -euo pipefail
cd "$(dirname "$0")/.."

most_bytes=15000000
most_milliseconds=10

cargo build --quiet --locked --profile dist -p podqueue-cli
program=${CARGO_TARGET_DIR:-target}/dist/podqueue

bytes=$(wc -c <"$program")
# The median of many starts, so that what else the machine does counts little.
milliseconds() {
  for _ in $(seq 51); do
    local before=${EPOCHREALTIME/[.,]/}
    "$program" "$@" >/dev/null
    local after=${EPOCHREALTIME/[.,]/}
    echo $((after - before))
  done | sort -n | sed -n 26p | awk '{ printf "%.1f", $1 / 1000 }'
}
version=$(milliseconds --version)
help=$(milliseconds run --help)

printf '| %-28s | %10s | %8s |\n' "what" "measured" "at most"
printf '|%s|%s|%s|\n' "$(printf -- '-%.0s' {1..30})" "$(printf -- '-%.0s' {1..12})" "$(printf -- '-%.0s' {1..10})"
printf '| %-28s | %7s MB | %5s MB |\n' "stripped release binary" \
  "$(awk "BEGIN { printf \"%.1f\", $bytes / 1000000 }")" "$((most_bytes / 1000000))"
printf '| %-28s | %7s ms | %5s ms |\n' "podqueue --version" "$version" "$most_milliseconds"
printf '| %-28s | %7s ms | %8s |\n' "podqueue run --help" "$help" ""

[ "$bytes" -le "$most_bytes" ] && awk "BEGIN { exit !($version <= $most_milliseconds) }"
