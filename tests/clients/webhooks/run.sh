#!/usr/bin/env bash
# Installs the library of Standard Webhooks from the lock file and lets it judge messages of Cairn.
#   run.sh BINARY
set -euo pipefail
export CAIRN_BINARY=$1
cd "$(dirname "$0")"
../js/install.sh "$PWD"
exec node --test webhooks.test.mjs
