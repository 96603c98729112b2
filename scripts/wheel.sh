#!/usr/bin/env bash
# Builds the program podqueue as a Python wheel, in target/wheels, and tries it: installed from the
# file into an empty environment, without a network. Takes a profile of cargo's, `dist` by default.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${1:-dist}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$target/wheel-tools
if [ ! -x "$tools/bin/maturin" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet 'maturin>=1.9,<2.0'
fi

rm -rf "$target/wheels"
"$tools/bin/maturin" build --quiet --locked --profile "$profile" --target-dir "$target" \
  --manifest-path crates/cli/Cargo.toml --out "$target/wheels"

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
python3 -m venv "$fresh"
"$fresh/bin/pip" install --quiet --no-index --disable-pip-version-check "$target"/wheels/podqueue-*.whl
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
[ "$("$fresh/bin/podqueue" --version)" = "podqueue $version" ]
"$fresh/bin/podqueue" run --help >/dev/null
ls -l "$target"/wheels/*.whl | awk '{ printf "%s: %.1f MB, installs and runs\n", $NF, $5 / 1000000 }' |
  sed "s|$target/wheels/||"
