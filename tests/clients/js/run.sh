#!/usr/bin/env bash
# Installs the official clients from the lock file and runs tests under a current Node.
#   run.sh BINARY [FILE...]
set -euo pipefail
export CAIRN_BINARY=$1
shift
cd "$(dirname "$0")"
./install.sh .
[ $# -gt 0 ] || set -- ./*.test.mjs
exec node_modules/.bin/node --test --test-reporter=spec "$@"
