#!/usr/bin/env bash
# Installs graphql and octokit from the lock file and runs the tests under a current Node.
#   run.sh BINARY
set -euo pipefail
cd "$(dirname "$0")"
export CAIRN_BINARY=$1
stamp=node_modules/.installed-$(sha256sum package-lock.json | cut -c1-12)
if [ ! -e "$stamp" ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch "$stamp"
fi
exec node_modules/.bin/node --test --test-reporter=spec ./*.test.mjs
