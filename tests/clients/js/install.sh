#!/usr/bin/env bash
# Installs the packages of a folder's lock file, once for each lock file.
#   install.sh FOLDER [WORD FOR npm ci...]
set -euo pipefail
cd "$1"
shift
stamp=node_modules/.installed-$(sha256sum package-lock.json | cut -c1-12)
# Several tests share a folder, and may be the first at the same time.
exec 9<package.json
flock 9
if [ ! -e "$stamp" ]; then
  npm ci --no-audit --no-fund --loglevel=error "$@"
  touch "$stamp"
fi
