#!/usr/bin/env bash
# Builds the program podqueue as a Python wheel, in target/wheels, and tries it: installed from the
# file into an empty environment, without a network. Takes a profile of cargo's, `dist` by default.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${1:-dist}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$target/wheel-tools
if [ ! -x "$tools/bin/wheel" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet 'maturin>=1.9,<2.0' wheel
fi

rm -rf "$target/wheels"
"$tools/bin/maturin" build --quiet --locked --profile "$profile" --target-dir "$target" \
  --manifest-path crates/cli/Cargo.toml --out "$target/wheels"

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

# The list of components names the folder of the build, which is private to the build machine.
"$tools/bin/wheel" unpack --dest "$fresh/unpacked" "$target"/wheels/podqueue-*.whl >/dev/null
sed -i "s|path+file://$PWD|path+file:///podqueue|g" "$fresh"/unpacked/*/*.dist-info/sboms/*
SOURCE_DATE_EPOCH=315532800 "$tools/bin/wheel" pack --dest-dir "$target/wheels" "$fresh"/unpacked/* >/dev/null

python3 -m venv "$fresh"
"$fresh/bin/pip" install --quiet --no-index --disable-pip-version-check "$target"/wheels/podqueue-*.whl
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
[ "$("$fresh/bin/podqueue" --version)" = "podqueue $version" ]
"$fresh/bin/podqueue" run --help >/dev/null

# Package metadata: the name, the README, both licenses; and a tag that pip registries accept. No
# file except the program names the folder.
"$fresh/bin/python" - "$target"/wheels/podqueue-*.whl "$PWD" <<'END'
import email, re, sys, zipfile

wheel = zipfile.ZipFile(sys.argv[1])
folder = next(name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name)
metadata = email.message_from_string(wheel.read(f"{folder}/METADATA").decode())
tags = email.message_from_string(wheel.read(f"{folder}/WHEEL").decode()).get_all("Tag")
assert metadata["Name"] == "podqueue", metadata["Name"]
assert metadata["License-Expression"] == "MIT OR Apache-2.0", metadata["License-Expression"]
assert metadata.get_payload().startswith("# podqueue-cli\n"), "no README"
assert metadata["Description-Content-Type"].startswith("text/markdown")
for file in metadata.get_all("License-File"):
    assert wheel.read(f"{folder}/licenses/{file}"), file
assert len(metadata.get_all("License-File")) == 2
beside = [name for name in wheel.namelist() if name.startswith(f"{folder}/")]
assert any("/sboms/" in name for name in beside), beside
named = [name for name in beside if sys.argv[2].encode() in wheel.read(name)]
assert not named, named
assert all(re.fullmatch(r"py3-none-(manylinux|musllinux|macosx|win)\w+", tag) for tag in tags), tags
END

"$fresh/bin/pip" uninstall --quiet --yes podqueue
[ ! -e "$fresh/bin/podqueue" ]
ls -l "$target"/wheels/*.whl | awk '{ printf "%s: %.1f MB, installs and runs\n", $NF, $5 / 1000000 }' |
  sed "s|$target/wheels/||"
