#!/bin/sh
# Compiles a crate of the workspace for scripts/threads.sh: cargo runs it in place of rustc, for these
# crates only, so that their dependencies are those of the other tests.
exec "$@" --cfg shuttle
