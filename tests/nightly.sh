#!/usr/bin/env bash
# The long rounds: 50 crash rounds of the whole walk, and the fault tests of the rooms with as many;
# and every file compiled by itself, which builds that take several as one (CAIRN_UNITY) do not.
# Then each parser of foreign bytes is fuzzed for CAIRN_FUZZ_SECONDS (60), under the sanitizers; what
# breaks one is left in build/fuzz.
#   tests/nightly.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${1:-build/release/bin/cairn}
export CAIRN_ROUNDS=${CAIRN_ROUNDS:-50}
python3 tests/fault/crash_walk.py "$binary"
ctest --test-dir build/release -L fault --output-on-failure --no-tests=error -E '^crash_walk$'
cmake --preset debug -B build/nightly && ninja -C build/nightly all

cmake --preset asan -B build/fuzz -DCAIRN_FUZZ=ON
for source in tests/fuzz/fuzz_*.cc; do
  target=$(basename "$source" .cc)
  ninja -C build/fuzz "$target"
  mkdir -p "build/fuzz/found/$target"
  "build/fuzz/bin/$target" -max_total_time="${CAIRN_FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix="build/fuzz/$target-" "build/fuzz/found/$target" "tests/fuzz/corpus/${target#fuzz_}"
done
