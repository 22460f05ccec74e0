#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures net::Server beside nginx, in turns, on the same core: small JSON replies, the same with a
# tenth of the requests waiting 2 ms, GET and PUT of 1 MiB. Prints medians and ratios.
#   bench/e2e/http/run.sh [path of bench_http]      ROUNDS=5 SECONDS_EACH=3 CONNECTIONS=64
# And the whole way of a small request beside the bare one, where there is a program
# (CAIRN=build/release/bin/cairn): `GET /` with a key (credentials, limits, privileges, audit, JSON,
# metrics), and `/_health/live`.
# Needs nginx, wrk and two cores: servers run on core 0, wrk on core 1.
# nginx does: `return 200` with the same JSON; a static file by sendfile; PUT read whole into memory
# by the echo module and dropped, or without that module read and dropped by `return 204`. It has
# one worker process and no access log. bench_http reads a PUT in pieces and drops it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
program=${1:-build/release/bin/bench_http}
whole=${CAIRN:-build/release/bin/cairn}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-3}
connections=${CONNECTIONS:-64}
port=${PORT:-18080}
for tool in nginx wrk taskset; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done
[ -x "$program" ] || { echo "$program is not built (CAIRN_BENCH=ON, target bench_http)" >&2; exit 1; }

work=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
chmod 755 "$work"

head -c 1048576 /dev/urandom >"$work/big"
cat >"$work/put.lua" <<'LUA'
wrk.method = "PUT"
wrk.body = string.rep("x", 1048576)
LUA

echo_module=/usr/lib/nginx/modules/ngx_http_echo_module.so
sink='return 204;'
load=
if [ -e "$echo_module" ]; then
  sink='client_body_in_single_buffer on; echo_read_request_body; echo -n "";'
  load="load_module $echo_module;"
fi
cat >"$work/nginx.conf" <<CONF
$load
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/error.log warn;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_max_body_size 16m;
  client_body_buffer_size 2m;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  server {
    listen 127.0.0.1:$port backlog=4096;
    root $work;
    location = /small {
      default_type application/json;
      return 200 '{"took":1,"timed_out":false,"hits":{"total":{"value":3},"max_score":1.25,"hits":[]},"n":12345678}';
    }
    location = /big { default_type application/octet-stream; }
    location = /put { $sink }
  }
}
CONF

taskset -c 0 nginx -c "$work/nginx.conf" & pids+=($!)
taskset -c 0 "$program" $((port + 1)) "$work/big" >/dev/null & pids+=($!)
cairn=$!
taskset -c 0 "$program" $((port + 2)) "$work/big" 10 >/dev/null & pids+=($!)
waiting=$!
for _ in $(seq 100); do
  [ -e "$work/nginx.pid" ] && nginx_worker=$(cat /proc/"${pids[0]}"/task/*/children) &&
    [ -n "$nginx_worker" ] && break
  sleep 0.1
done
nginx_worker=${nginx_worker// /}

key=
if [ -x "$whole" ]; then
  taskset -c 0 "$whole" serve --data "$work/data" --api-listen "127.0.0.1:$((port + 3))" \
    --objects-listen 127.0.0.1:0 --ready-file "$work/ready" >/dev/null 2>&1 & pids+=($!)
  served=$!
  for _ in $(seq 100); do [ -s "$work/ready" ] && break; sleep 0.1; done
  admin=$(grep -oE '[A-Za-z0-9+/=_-]{20,}' "$work/data/keys/admin.key" | tail -1)
  # A key that is counted and never refused, as a back end of one's own has.
  key=$(curl -sf -H "Authorization: ApiKey $admin" -H 'Content-Type: application/json' \
    "http://127.0.0.1:$((port + 3))/_security/api_key" \
    -d '{"name":"bench","metadata":{"_cairn":{"identity":{"kind":"service","id":"bench"}}}}' |
    grep -oE '"encoded":"[^"]+"' | cut -d'"' -f4)
  [ -n "$key" ] || { echo "$whole gave no key" >&2; exit 1; }
fi

# CPU time of a process in nanoseconds.
cpu_of() { cat /proc/"$1"/task/*/schedstat | awk '{ total += $1 } END { printf "%.0f", total }'; }

# measure NAME PORT PATH PID [wrk options]: appends "requests/s p99_ms cpu_us" to the file NAME.
measure() {
  local name=$1 where=$2 path=$3 pid=$4 before after
  shift 4
  before=$(cpu_of "$pid")
  taskset -c 1 wrk -t1 -c"$connections" -d"${seconds}s" --latency "$@" \
    "http://127.0.0.1:$where$path" >"$work/out"
  after=$(cpu_of "$pid")
  if grep -q 'Non-2xx\|Socket errors' "$work/out"; then
    echo "$name: $(grep 'Non-2xx\|Socket errors' "$work/out")" >&2
  fi
  awk -v cpu=$((after - before)) '
    /^ *99%/ { p99 = $2; unit = p99; gsub(/[0-9.]/, "", unit); p99 += 0
               if (unit == "us") p99 /= 1000; if (unit == "s") p99 *= 1000 }
    /requests in/ { count = $1 }
    /^Requests\/sec/ { rate = $2 }
    END { printf "%s %.3f %.2f\n", rate, p99, cpu / count / 1000 }' "$work/out" >>"$work/$name"
}

for round in $(seq "$rounds"); do
  echo "round $round of $rounds" >&2
  measure small.nginx "$port" /small "$nginx_worker"
  measure small.cairn $((port + 1)) /small "$cairn"
  if [ -n "$key" ]; then
    measure whole.cairn $((port + 3)) / "$served" -H "Authorization: ApiKey $key"
    measure live.cairn $((port + 3)) /_health/live "$served"
  fi
  measure waiting.cairn $((port + 2)) /small "$waiting"
  measure get.nginx "$port" /big "$nginx_worker"
  measure get.cairn $((port + 1)) /big "$cairn"
  measure put.nginx "$port" /put "$nginx_worker" -s "$work/put.lua"
  measure put.cairn $((port + 1)) /put "$cairn" -s "$work/put.lua"
done

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
column() { awk -v n="$2" '{ print $n }' "$work/$1" | median; }
printf '\n%-16s %12s %10s %12s\n' "(medians of $rounds)" requests/s 'p99 ms' 'CPU us/req'
for name in small.nginx small.cairn ${key:+whole.cairn live.cairn} waiting.cairn get.nginx get.cairn put.nginx put.cairn; do
  printf '%-16s %12.0f %10.2f %12.2f\n' "$name" "$(column $name 1)" "$(column $name 2)" "$(column $name 3)"
done
ratio() { awk -v a="$(column "$1" "$3")" -v b="$(column "$2" "$3")" 'BEGIN { printf "%.2f", a / b }'; }
printf '\n'
echo "small replies: $(ratio small.cairn small.nginx 1) x nginx (goal >= 1), p99 $(ratio small.cairn small.nginx 2) x (goal <= 1)"
if [ -n "$key" ]; then
  echo "GET / with a key: $(ratio whole.cairn small.nginx 1) x nginx's small reply (goal >= 0.85)"
  echo "/_health/live: $(ratio live.cairn small.nginx 1) x nginx's small reply"
fi
echo "a tenth waits 2 ms: $(ratio waiting.cairn small.cairn 1) x without (goal >= 0.75)"
echo "GET 1 MiB: $(ratio get.cairn get.nginx 1) x nginx (goal >= 0.9)"
echo "PUT 1 MiB: $(ratio put.cairn put.nginx 1) x nginx (goal >= 0.9)"
