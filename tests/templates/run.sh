#!/usr/bin/env bash
# Installs the JavaScript library from the lock file and compares.
#   run.sh RENDER_TEMPLATES
set -euo pipefail
program=$(realpath "$1")
shift
cd "$(dirname "$0")"
stamp=node_modules/.installed-$(sha256sum package-lock.json | cut -c1-12)
exec 9<package.json
flock 9
if [ ! -e "$stamp" ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch "$stamp"
fi
flock -u 9
exec node ./compare.mjs "$program" "$@" 9<&-
