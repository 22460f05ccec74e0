#!/usr/bin/env bash
# Installs the browser tests' packages from the lock file and runs tests under a current Node.
#   run.sh BINARY [FILE...]      files relative to this folder
set -euo pipefail
export CAIRN_BINARY=$(realpath "$1")
shift
cd "$(dirname "$0")"
../clients/js/install.sh .
[ $# -gt 0 ] || set -- *.test.mjs pages/*.test.mjs
exec node_modules/.bin/node --test --test-reporter=spec "$@"
