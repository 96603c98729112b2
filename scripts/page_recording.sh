#!/usr/bin/env bash
# Makes the recording in the README of the local service, docs/clock.webp, from a real run in
# headless Chromium. Requires chromedriver and img2webp (Debian's package `webp`).
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
FRAMES=$folder cargo test --quiet --locked -p podqueue-local --test interface -- \
  --ignored picture::recording
frames=()
for frame in "$folder"/*; do
  base64 --decode "$frame" >"$frame.png"
  frames+=(-d "${frame##*-}" "$frame.png")
done
img2webp -loop 0 -min_size -lossless -m 6 "${frames[@]}" -o docs/clock.webp
ls -l docs/clock.webp
