#!/bin/sh
# Runs a program with enough open files for the tests, if the system permits them. Cargo runs tests
# with it (.cargo/config.toml).
most=$(ulimit -H -n)
if [ "$most" = unlimited ] || [ "$most" -gt 8192 ]; then most=8192; fi
ulimit -S -n "$most"
exec "$@"
