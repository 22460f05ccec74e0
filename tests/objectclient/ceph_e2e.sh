#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ceph_e2e.sh TEST_PROGRAM: the client library's end-to-end test against Ceph's object gateway, which
# nobody here wrote. Ends with 77 and a line where Ceph is not installed.
set -euo pipefail
if [ -z "${RGW_ENDPOINT:-}" ]; then
  exec "$(dirname "$0")/../ceph/rgw.sh" run "$0" "$@"
fi
export CAIRN_E2E_ENDPOINT=$RGW_ENDPOINT CAIRN_E2E_ACCESS=$RGW_ACCESS_KEY CAIRN_E2E_SECRET=$RGW_SECRET_KEY
exec "$1"
