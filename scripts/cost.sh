#!/usr/bin/env bash
# Overhead of a call over the same work by the raw HTTP client, as a table: instructions, requests
# per second, memory. Needs valgrind; installs the reader of its counts if missing.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "instructions are counted by valgrind: install it" >&2; exit 1; }
version=$(sed -n 's/^gungraun = "=\(.*\)"$/\1/p' benches/cost/Cargo.toml)
gungraun-runner --version 2>/dev/null | grep -qF "$version" ||
  cargo install --quiet --locked --version "$version" gungraun-runner

bench() { # name
  cargo bench --quiet --manifest-path benches/cost/Cargo.toml --target-dir target/cost --bench "$1"
}

bench instructions |
  awk '
    /::(raw|ours)_/ { split($1, name, "::"); call = name[3] }
    /Instructions:/ { split($2, count, "|"); counted[call] = count[1] / 100 }
    END {
      printf "%-28s %9s %9s %9s\n", "instructions per call", "ours", "raw", "ratio"
      for (i = split("status run", calls, " "); i > 0; i--) {
        call = calls[3 - i]
        ours = counted["ours_" call]; raw = counted["raw_" call]
        if (!ours || !raw) { print "no counts came of " call > "/dev/stderr"; exit 1 }
        printf "%-28s %9.0f %9.0f %9.2f\n", call, ours, raw, ours / raw
      }
    }'
bench cost
