#!/usr/bin/env bash
# Kills `podqueue batch serve` at random moments of uploads, validation, runs, cancellation and
# finalizing, and checks that no confirmed batch and no line of it is lost or there twice, that no
# request is processed twice, and that each unknown outcome is reported.
#
#   scripts/serve.sh SECONDS [SEED]       from this seed on, or from a random one
set -euo pipefail
cd "$(dirname "$0")/.."
export SERVE_SECONDS=${1:?the number of seconds} SERVE_SEED=${2:-$RANDOM}
echo "seed $SERVE_SEED"
cargo test --quiet --locked -p podqueue-cli --test program -- \
  --nocapture --exact batch_serve::a_server_that_is_killed_at_any_moment_loses_nothing
# The same with two servers that share a folder and a database, behind one address: one is killed
# every 2 seconds.
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
  cargo test --quiet --locked -p podqueue-cli --features podqueue-pgserver/installed --test database -- \
    --nocapture --exact shared_folder::servers_that_are_killed_in_turn_lose_nothing
fi
