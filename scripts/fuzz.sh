#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds, 10 if not said otherwise.
#
#   scripts/fuzz.sh [seconds] [target]...
#
# With PROFILE=dev it does not optimize, and uses what the tests have built: for a few seconds.
#
# It needs a C++ compiler for libFuzzer, and no more: the flags below are those with which cargo-fuzz
# instruments, without the sanitizers, which find nothing in code without `unsafe`. What is found goes
# to fuzz/artifacts/; give it to the target's binary to see it again.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-10}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in fuzz/fuzz_targets/*.rs; do
    targets+=("$(basename "$file" .rs)")
  done
fi

host=$(rustc -vV | sed -n 's/^host: //p')
profile=${PROFILE:-release}
case "$profile" in
  dev) build=${CARGO_TARGET_DIR:-target} folder=debug ;;
  *) build=${CARGO_TARGET_DIR:-target}/fuzz folder=$profile ;;
esac
cp Cargo.lock fuzz/Cargo.lock
# The flags are for the target alone: a build script would miss what they call.
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 \
  -Cdebug-assertions -Coverflow-checks" \
  cargo build --manifest-path fuzz/Cargo.toml --target-dir "$build" --target "$host" --profile "$profile"

for target in "${targets[@]}"; do
  printf '\n=== %s\n' "$target"
  mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
  "$build/$host/$folder/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=8192 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="fuzz/artifacts/$target/" "fuzz/corpus/$target" "fuzz/seeds/$target"
done
