#!/usr/bin/env bash
# Installs the other libraries from the lock file and compares.
#   run.sh ENCODE_TEXTS REPOSITORY [SCRIPT] [ARGUMENTS]
set -euo pipefail
program=$(realpath "$1")
repository=$(realpath "$2")
script=${3:-compare.mjs}
shift $(($# < 3 ? $# : 3))
cd "$(dirname "$0")"
stamp=node_modules/.installed-$(sha256sum package-lock.json | cut -c1-12)
exec 9<package.json
flock 9
if [ ! -e "$stamp" ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch "$stamp"
fi
flock -u 9
exec node "./$script" "$program" "$repository" "$@" 9<&-
