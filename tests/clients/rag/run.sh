#!/usr/bin/env bash
# Runs examples/rag as a reader would, with the packages of its lock file, under a current Node.
#   run.sh BINARY
set -euo pipefail
export CAIRN_BINARY=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../../examples/rag"
exec 9<package.json
flock 9  # the documents' test installs here too
stamp=node_modules/.installed-$(sha256sum package-lock.json | cut -c1-12)
if [ ! -e "$stamp" ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch "$stamp"
fi
flock -u 9
exec node_modules/.bin/node --test --test-reporter=spec "$here/rag.test.mjs" 9<&-
