#!/usr/bin/env bash
# Checks the packages as they would be published, unpacked, and with the features that users choose.
#
#   scripts/packages.sh           all together, with the dependencies that the tests have compiled
#   scripts/packages.sh --alone   also each by itself, and with dependencies of the features that it
#                                 asks for, without others' help: before a release
set -euo pipefail
case "${1:-}" in
  "") common=podqueue-features ;;
  # No more than a user's other crates may give build scripts and macros.
  --alone) common=podqueue-build-features ;;
  *) echo "usage: scripts/packages.sh [--alone]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

crates=(podqueue-codegen podqueue-fake podqueue-runtime podqueue-local podqueue podqueue-postgres podqueue-limits podqueue-batch podqueue-regenerate podqueue-mcp podqueue-cli)
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
unpacked=$target/packages

# Packages that an earlier run left behind have the same version, and would be taken for these.
rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/{cache,index,src}/-* "$target"/package "$unpacked"
cargo package --quiet --locked --allow-dirty --no-verify "${crates[@]/#/--package=}"

mkdir -p "$unpacked"
cp Cargo.lock "$unpacked"
{
  printf '[workspace]\nresolver = "3"\nmembers = ["*"]\n'
  # As in the workspace, so that what it has built is used.
  printf '[profile.dev.package.rustls-pki-types]\nopt-level = 2\n'
  printf '[profile.dev.package.tokio]\nopt-level = 1\n[patch.crates-io]\n'
  for crate in "${crates[@]}"; do
    # With the time of now: by that in the package, an earlier build would be taken for this one's.
    tar -xzmf "$target/package/$crate"-[0-9]*.crate -C "$unpacked"
    mv "$unpacked/$crate"-[0-9]* "$unpacked/$crate"
    printf '%s = { path = "%s" }\n' "$crate" "$crate"
  done
} >"$unpacked/Cargo.toml"
cp -r tests/features tests/build-features "$unpacked"

check() {
  printf -- '--- %s\n' "$*"
  cargo check --quiet --manifest-path "$unpacked/Cargo.toml" --target-dir "$target" \
    --package "$common" --package "$@"
}
if [ -n "${1:-}" ]; then
  # Each program and each library by itself, but for those that few crates or none use alone.
  check podqueue
  check podqueue-batch
  check podqueue-local
  check podqueue-cli
  check podqueue-cli --no-default-features --package podqueue-mcp
  check podqueue-regenerate --package podqueue-codegen --package podqueue-fake
  check podqueue-limits --package podqueue-postgres
  # The libraries of TLS are checked in podqueue as well, on which batches stand.
  check podqueue-batch --no-default-features --features postgres,rustls-no-provider
  check podqueue-batch --no-default-features --features postgres,native-tls
else
  check podqueue "${crates[@]/#/--package=}"
fi

for features in postgres serve; do
  check podqueue-batch --no-default-features --features "$features"
done
for features in "" blocking webhook http2 shared-limits account; do
  check podqueue --no-default-features --features "$features"
done
for features in "" announced-limits fake; do
  check podqueue-runtime --no-default-features --features "$features"
done
