#!/usr/bin/env bash
# Makes the picture of the local service's page in the README, docs/page.png, from a real run in
# headless Chromium. Requires chromedriver and pngquant.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PICTURE=$folder/page.base64 cargo test --quiet --locked -p podqueue-local --test interface -- \
  --ignored picture::picture
base64 --decode "$folder/page.base64" | pngquant --strip --speed 1 64 - >"$folder/page.png"
mv "$folder/page.png" docs/page.png
ls -l docs/page.png
