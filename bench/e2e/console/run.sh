#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How fluent the console is with large lists, how soon it is seen, and what an open one costs the server: see run.mjs.
#   run.sh CAIRN [--quick] [--documents N] [--objects N] [--files N] [--lines N] [--paints N] [--seconds N]
set -euo pipefail
binary=$(realpath "$1")
shift
here=$(dirname "$(realpath "$0")")
"$here/../../../tests/clients/js/install.sh" "$here/../../../tests/console" >&2
exec "$here/../../../tests/console/node_modules/.bin/node" "$here/run.mjs" "$binary" "$@"
