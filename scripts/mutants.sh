#!/usr/bin/env bash
# Changes the code of the files that keep the promises, one place at a time (cargo-mutants), and checks
# that the tests of each file notice: a change that survives is a missing test or dead code. The last
# line has the figures; it fails if any change survives.
#
#   scripts/mutants.sh [FILE]...       the files below, if none is named
#
# It works on a clone of the last commit in target/mutants, and takes seconds for each change.
# OPTIONS='--re FUNCTION', or '--shard 0/4', is passed to cargo-mutants.
# Changes that have no effect are listed with their reasons in .cargo/mutants.toml.
# shellcheck disable=SC2086
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

# The tests of a file, a line for each stage: package, arguments of cargo, and of the tests. Slower
# tests run only on the changes that survived the faster ones.
tests_of() {
  local batch="podqueue-batch;--features postgres,podqueue-pgserver/installed"
  local runtime="podqueue-runtime;--features shared-limits --lib"
  case $1 in
    crates/runtime/src/retry/table.rs) echo "$runtime;retry" ;;
    src/queue/lifespan.rs) echo "podqueue;--lib;lifespan" ;;
    crates/batch/src/input_state.rs) echo "$batch --lib;input_state" ;;
    crates/batch/src/store/records.rs) echo "$batch --lib;store::records" ;;
    crates/batch/src/results/uncommitted.rs)
      echo "$batch --lib;results::uncommitted"
      echo "$batch --test postgres;recovery:: merging:: resume::" ;;
    crates/batch/src/store/postgres/*)
      echo "$batch --lib;store::postgres"
      echo "$batch --test postgres;store:: sharing::"
      echo "$batch --test postgres;outages:: recovery:: merging:: lost_lease:: connecting:: opening:: interleavings:: resume::another" ;;
    crates/runtime/src/limiter/shared/allocation.rs) echo "$runtime;limiter::shared" ;;
    crates/runtime/src/redact/secret_values.rs) echo "$runtime;redact::secret_values" ;;
    crates/runtime/src/redact/*)
      # Without the calls, which it does not need, a change compiles in a third of the time.
      local redaction="podqueue-runtime;--no-default-features --lib"
      echo "$redaction;redact::encodings redact::search"
      echo "$redaction;redact:: --skip no_piece --skip any_text --skip any_shape --skip escapes_upon --skip too_long"
      echo "$redaction;redact::" ;;
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
# A module that is declared twice, for two features, would be changed twice.
sed -i '/^#\[cfg(not(feature = "unstable-store"))\]$/,+1d' "$tree/crates/batch/src/lib.rs"
export CARGO_TARGET_DIR=$root/target/mutants/target CARGO_INCREMENTAL=1 CARGO_PROFILE_DEV_DEBUG=0
total=0 survived=0
for file; do
  out=$root/target/mutants/$(tr / - <<<"$file") found=$out/mutants.out caught=0
  rm -rf "$out"
  while IFS=';' read -r package arguments filters; do
    # Optimizing the runtime for its tests would take longer than they do.
    build=(--config profile.dev.package.podqueue-runtime.opt-level=0 $arguments)
    # Those on PostgreSQL wait for leases.
    limit=60
    if [[ $arguments == *"--test postgres"* ]]; then limit=300; fi
    (cd "$tree" && cargo test --quiet --package "$package" "${build[@]}" -- $filters </dev/null)
    status=0
    (cd "$tree" && cargo mutants --in-place --workspace --file "$file" --output "$out" --iterate --colors never --no-times \
      ${OPTIONS-} --test-package "$package" --baseline skip --timeout "${TIMEOUT:-$limit}" --build-timeout 600 \
      "${build[@]/#/--cargo-arg=}" -- -- $filters </dev/null) || status=$?
    # 2: a mutant survived, 3: a test ran into its time limit, which is a failure of the mutant.
    [ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ] || exit $status
    caught=$((caught + $(cat "$found/caught.txt" "$found/timeout.txt" | wc -l)))
    # The next stage skips what is in this file.
    cat "$found/timeout.txt" >>"$found/caught.txt"
    [ -s "$found/missed.txt" ] || break
  done < <(tests_of "$file")
  sed 's/^/survived: /' "$found/missed.txt"
  missed=$(wc -l <"$found/missed.txt")
  echo "$file: $caught caught, $missed survived"
  total=$((total + caught + missed)) survived=$((survived + missed))
done
echo "$total mutants in $# files, $survived survived"
[ $survived -eq 0 ]
