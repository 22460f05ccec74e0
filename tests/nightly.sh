#!/usr/bin/env bash
# What takes too long for ./check: the crash walk and the fault tests with 50 rounds, twenty kills of nodes, histories for
# twenty minutes (half an hour with several nodes), a day of a hundred nodes, queries and tokenizers beside their slow or foreign twins by the ten thousand, ThreadSanitizer over the rooms with threads, every source and header compiled by itself, each
# parser of foreign bytes fuzzed for CAIRN_FUZZ_SECONDS (60), the packages installed in a bare Debian 12
# (needs root), pictures of every page of the console beside those of the console before, and the benchmarks. Every part runs;
# the names of those that failed come last. What breaks a parser is left in build/fuzz-long/tests/fuzz.
#   tests/nightly.sh [PART...]      crash history twins nodes upgrade unit tsan apart steps fuzz install pictures bench; all without one
set -uo pipefail
cd "$(dirname "$0")/.."
binary=$PWD/build/release/bin/cairn
failed=""

crash() {
  CAIRN_ROUNDS=${CAIRN_ROUNDS:-50} python3 tests/fault/crash_walk.py "$binary" &&
    CAIRN_CUT_STEP=1 CAIRN_ROUNDS=${CAIRN_ROUNDS:-50} ctest --test-dir build/release -L fault --output-on-failure \
      --no-tests=error -E '^(crash_walk|history)$' &&
    CAIRN_ROUNDS=${CAIRN_ROUNDS:-20} ctest --test-dir build/release -R '^rest_sources$' --output-on-failure \
      --no-tests=error --timeout 3600 &&
    CAIRN_NODES_KILLS=${CAIRN_NODES_KILLS:-20} ctest --test-dir build/release -R '^(remote|ceph)_nodes_faults$' \
      --output-on-failure --no-tests=error
}

history() {
  python3 tests/fault/history_check.py "$binary" --seconds "${CAIRN_HISTORY_SECONDS:-1200}" &&
    CAIRN_NODES_SECONDS=${CAIRN_NODES_SECONDS:-1800} ctest --test-dir build/release -R '^(remote|ceph)_nodes_history$' \
      --output-on-failure --no-tests=error
}

twins() {
  local seed=$RANDOM code=0
  echo "seed $seed"
  python3 tests/rest/queries_test.py "$binary" "$seed" 1000 || code=1
  TEXTS=20000 SEED=$seed ctest --test-dir build/release -R '^tokenizers$' --output-on-failure --no-tests=error || code=1
  return $code
}

# A day of a hundred nodes and ten thousand shards, from another seed each time.
nodes() {
  local seed=$RANDOM
  echo "seed $seed"
  cmake --preset release -DCAIRN_UNIT_TESTS=all >/dev/null && ninja -C build/release nodes_test &&
    CAIRN_SIMULATED_HOURS=${CAIRN_SIMULATED_HOURS:-24} CAIRN_SIMULATION_SEED=$seed build/release/bin/nodes_test -tc='simulation*'
}

# As the program is compiled; ./check has most of them under the sanitizers alone.
unit() {
  cmake --preset release -DCAIRN_UNIT_TESTS=all >/dev/null && ninja -C build/release all unit_tests &&
    ctest --test-dir build/release -L unit --output-on-failure --no-tests=error -j2
}

# Nodes of two versions on one store: CAIRN_OTHER_BINARY is the program of the one before.
upgrade() {
  [ -n "${CAIRN_OTHER_BINARY:-}" ] || { echo "no CAIRN_OTHER_BINARY: nothing to upgrade from"; return 0; }
  ctest --test-dir build/release -R '^(remote|ceph)_nodes$' --output-on-failure --no-tests=error
}

# Rooms whose objects are shared by threads.
tsan() {
  local room code=0
  cmake --preset tsan -DCAIRN_UNITY=ON >/dev/null || return 1
  for room in os ratelimit net nodes index inference connectors objectstore snapshots; do
    ninja -C build/tsan "${room}_test" || return 1
    # Searches are parted among threads, however small; RocksDB holds more locks at once than the search for deadlocks has room for.
    CAIRN_SHARE_SEARCHES=1 TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=0 exitcode=66 detect_deadlocks=0" \
      build/tsan/bin/"${room}_test" || code=1
  done
  return $code
}

apart() {
  cmake --preset debug -B build/nightly >/dev/null && ninja -C build/nightly all &&
    tools/headers_alone.py build/nightly
}

# What a request costs for n, 2n and 4n of whatever a client can make large.
steps() {
  cmake --preset fuzz -B build/fuzz-long -DCAIRN_FUZZ_COMPARES=ON >/dev/null && ninja -C build/fuzz-long cairn_steps &&
    ctest --test-dir build/fuzz-long -R '^complexity$' --output-on-failure --no-tests=error
}

fuzz() {
  local source name parser code=0
  cmake --preset fuzz -B build/fuzz-long -DCAIRN_FUZZ_COMPARES=ON >/dev/null || return 1
  for source in tests/fuzz/fuzz_*.cc; do
    name=$(basename "$source" .cc)
    parser=${name#fuzz_}
    ninja -C build/fuzz-long "$name" || return 1
    build/fuzz-long/bin/"$name" -max_total_time="${CAIRN_FUZZ_SECONDS:-60}" -timeout=60 -rss_limit_mb=4096 \
      -artifact_prefix="build/fuzz-long/tests/fuzz/$parser-" "build/fuzz-long/tests/fuzz/found/$parser" \
      "tests/fuzz/corpus/$parser" || code=1
  done
  return $code
}

install() { tests/package/install_test.sh build/release; }

# What differs is in build/pictures/report.html; only an empty page fails.
pictures() { tests/console/pictures.sh "$binary"; }

bench() {
  cmake --preset release -B build/bench -DCAIRN_BENCH=ON >/dev/null && ninja -C build/bench &&
    bench/e2e/http/run.sh build/bench/bin/bench_http &&
    bench/e2e/start/run.py "$binary" &&
    bench/e2e/busy/run.py "$binary" &&
    bench/e2e/ratelimit/run.py "$binary" &&
    bench/e2e/sizing/run.py "$binary" &&
    bench/e2e/console/run.sh "$binary" &&
    build/bench/bin/index_bench &&
    build/bench/bin/md5_bench
}

for part in "${@:-crash history twins nodes upgrade unit tsan apart steps fuzz install pictures bench}"; do
  for one in $part; do
    printf '\n== %s\n' "$one"
    "$one" || failed+=" $one"
  done
done
[ -z "$failed" ] || { echo "nightly: failed:$failed" >&2; exit 1; }
echo "nightly: everything passed"
