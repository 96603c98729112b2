#!/usr/bin/env bash
# scripts/generated.sh [COMMIT] shows what changed in the code generated from the corpus since COMMIT
# (HEAD, if none is given).
set -euo pipefail
cd "$(dirname "$0")/.."

git rev-parse --quiet --verify "${1:-HEAD}^{commit}" >/dev/null || { echo "usage: scripts/generated.sh [COMMIT]" >&2; exit 2; }
base=$(mktemp -d)
trap 'git worktree remove --force "$base"' EXIT
git worktree add --quiet --detach "$base" "${1:-HEAD}"

# generate FOLDER TARGET writes the code of all documents to TARGET/tmp/generated. The test fails where
# the code differs from its snapshots, which is what the diff is for.
generate() {
  rm -rf "$2/tmp/generated"
  cargo test --quiet --manifest-path "$1/Cargo.toml" --package podqueue-codegen --target-dir "$2" \
    --test generator -- snapshots:: >"$2.log" 2>&1 || [ -d "$2/tmp/generated" ] || { cat "$2.log" >&2; exit 1; }
}
generate "$base" "$PWD/target/generated-base"
generate . "$PWD/target/generated"

git diff --no-index --stat --patch target/generated-base/tmp/generated target/generated/tmp/generated || true
