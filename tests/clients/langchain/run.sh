#!/usr/bin/env bash
# Installs LangChain from the lock file and runs its tests under the Node of the other clients.
#   run.sh BINARY
set -euo pipefail
export CAIRN_BINARY=$1
cd "$(dirname "$0")"
../js/install.sh ../js
# Packages that only its other integrations ask for stay away.
../js/install.sh . --omit=peer
exec ../js/node_modules/.bin/node --test --test-reporter=spec ./*.test.mjs
