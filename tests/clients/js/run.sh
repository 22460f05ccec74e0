#!/usr/bin/env bash
# Installs the official clients from the lock file and runs tests under a current Node.
#   run.sh BINARY [FILE...]
set -euo pipefail
export CAIRN_BINARY=$1
shift
cd "$(dirname "$0")"
stamp=node_modules/.installed-$(sha256sum package-lock.json | cut -c1-12)
# Several tests share this folder, and may be the first at the same time.
exec 9<package.json
flock 9
if [ ! -e "$stamp" ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch "$stamp"
fi
flock -u 9
[ $# -gt 0 ] || set -- ./*.test.mjs
exec node_modules/.bin/node --test --test-reporter=spec "$@" 9<&-
