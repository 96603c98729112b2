#!/usr/bin/env bash
# Changes the code of the files that keep the promises, one place at a time (cargo-mutants), and checks
# that the tests of each file notice: a change that survives is a missing test or dead code. The last
# line has the figures; it fails if any change survives.
#
#   scripts/mutants.sh [FILE]...       the files below, if none is named
#
# It works on a clone of the last commit in target/mutants, and takes half a minute for each change.
# Changes that have no effect are listed with their reasons in .cargo/mutants.toml.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

# The tests of a file: package, arguments of cargo, and of its tests.
tests_of() {
  case $1 in
    crates/runtime/src/retry/*) echo "podqueue-tests;--test client;retry_table retries foreign_records jobs" ;;
    src/queue/lifespan.rs) echo "podqueue-tests;--test client;--skip redaction --skip run_all" ;;
    crates/batch/src/input_state.rs | crates/batch/src/store/records.rs | crates/batch/src/results/uncommitted.rs)
      echo "podqueue-batch;--features postgres,podqueue-pgserver/installed --lib --test batch --test postgres;--skip kill:: --skip machines:: --skip promotions::" ;;
    crates/batch/src/store/postgres/*)
      echo "podqueue-batch;--features postgres,podqueue-pgserver/installed --lib --test postgres;--skip kill:: --skip promotions::" ;;
    crates/runtime/src/limiter/shared/*) echo "podqueue-runtime;--lib;limiter::shared" ;;
    crates/runtime/src/redact/* | crates/runtime/src/redact.rs) echo "podqueue-runtime,podqueue-tests;--lib --test client;redact secrecy" ;;
    *) return 1 ;;
  esac
}

if [ $# -eq 0 ]; then
  set -- crates/runtime/src/retry/table.rs crates/batch/src/store/records.rs src/queue/lifespan.rs \
    crates/batch/src/input_state.rs crates/batch/src/results/uncommitted.rs \
    crates/batch/src/store/postgres/{transaction,recovery,leases,loss}.rs \
    crates/runtime/src/limiter/shared/allocation.rs crates/runtime/src/redact/{encodings,search,secret_values}.rs
fi
for file; do
  tests_of "$file" >/dev/null || { echo "usage: scripts/mutants.sh [FILE]..., where $file is none of those named in it" >&2; exit 2; }
done

command -v cargo-mutants >/dev/null 2>&1 || cargo install cargo-mutants --version 27.1.0 --locked
tree=$root/target/mutants/tree
rm -rf "$tree"
git clone --quiet "$root" "$tree"
export CARGO_TARGET_DIR=$root/target/mutants/target CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
total=0 survived=0
for file; do
  IFS=';' read -r packages arguments filters <<<"$(tests_of "$file")"
  out=$root/target/mutants/$(tr / - <<<"$file")
  rm -rf "$out"
  status=0
  # shellcheck disable=SC2086
  (cd "$tree" && cargo mutants --in-place --workspace --file "$file" --output "$out" --colors never --no-times \
    --test-package "$packages" --timeout-multiplier 3 --minimum-test-timeout 60 \
    $(printf -- '--cargo-test-arg=%s ' $arguments) -- -- $filters) || status=$?
  # 2: a mutant survived, 3: a test ran into its time limit, which is a failure of the mutant.
  [ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ] || exit $status
  found=$out/mutants.out
  [ ! -s "$found/missed.txt" ] || sed 's/^/survived: /' "$found/missed.txt"
  caught=$(cat "$found/caught.txt" "$found/timeout.txt" | wc -l) missed=$(wc -l <"$found/missed.txt")
  echo "$file: $caught caught, $missed survived, $(wc -l <"$found/unviable.txt") that do not compile"
  total=$((total + caught + missed)) survived=$((survived + missed))
done
echo "$total mutants in $# files, $survived survived"
[ $survived -eq 0 ]
