#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pictures of every page of the console, beside those of the console before: see pictures.mjs.
#   pictures.sh BINARY [--out FOLDER] [--before COMMIT] [--only WORD] [--docs FOLDER]
set -euo pipefail
binary=$(realpath "$1")
shift
here=$(dirname "$(realpath "$0")")
"$here/../clients/js/install.sh" "$here" >&2
exec "$here/node_modules/.bin/node" "$here/pictures.mjs" "$binary" "$@"
