#!/usr/bin/env bash
# The nearest vectors of Cairn, of hnswlib and faiss, and of usearch and LanceDB under Node.js, the same vectors and questions, one after the other:
# bench/e2e/search/vectors_run.sh [clustered|uniform] [COUNT]. Installs peers that are missing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
kind=${1:-clustered} count=${2:-200000}
dpkg -s libhnswlib-dev libfaiss-dev > /dev/null 2>&1 ||
  apt-get install -y libhnswlib-dev libfaiss-dev
cmake --preset release -B build/bench -DCAIRN_BENCH=ON
ninja -C build/bench vectors_bench
g++ -O3 -march=native -std=c++17 -w bench/e2e/search/vectors_peers.cc -o build/bench/bin/vectors_peers \
  -fopenmp -lfaiss -lblas -llapack
node=build/bench/vectors
mkdir -p $node
for package in usearch @lancedb/lancedb; do
  [ -d $node/node_modules/$package ] || npm install --prefix $node --silent --no-audit --no-fund $package
done
cp bench/e2e/search/vectors_peers.mjs $node/
build/bench/bin/vectors_bench "$kind" "$count"
build/bench/bin/vectors_peers "$kind" "$count" $node/data.bin
for peer in usearch lancedb; do
  taskset -c 0 node $node/vectors_peers.mjs $peer $node/data.bin
done
