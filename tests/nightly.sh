#!/usr/bin/env bash
# The long rounds: 50 crash rounds of the whole walk, and the fault tests of the rooms with as many;
# and every file compiled by itself, which builds that take several as one (CAIRN_UNITY) do not.
#   tests/nightly.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${1:-build/release/bin/cairn}
export CAIRN_ROUNDS=${CAIRN_ROUNDS:-50}
python3 tests/fault/crash_walk.py "$binary"
ctest --test-dir build/release -L fault --output-on-failure --no-tests=error -E '^crash_walk$'
cmake --preset debug -B build/nightly && ninja -C build/nightly all
