#!/usr/bin/env bash
# The limiter in memory, a Lua script in Redis, and npm's rate-limiter-flexible in one run. What is
# not installed is left out.
#   run.sh BUILD_FOLDER [arguments of ratelimit_bench]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
work=$build/ratelimit_peer
mkdir -p "$work"
redis=
trap '[ -z "$redis" ] || kill "$redis" 2> /dev/null || true' EXIT

if command -v redis-server > /dev/null; then
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" \
    > "$work/redis.log" 2>&1 &
  redis=$!
  for _ in $(seq 50); do
    redis-cli -p "$port" ping > /dev/null 2>&1 && break
    sleep 0.1
  done
  export CAIRN_BENCH_REDIS=$port
fi
"$build/bin/ratelimit_bench" "$@"

if command -v npm > /dev/null; then
  cp "$here/package.json" "$work/"
  [ -d "$work/node_modules/rate-limiter-flexible" ] ||
    npm install --prefix "$work" --no-audit --no-fund --loglevel=error > /dev/null
  node "$here/peer.mjs" "$work"
fi
