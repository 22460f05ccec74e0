#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Three nodes of Cairn over one store: documents are loaded and searched while the node that serves is
# killed, and then the next one is drained. Ends with 0 only where nothing was lost and no request failed.
#   examples/cluster/run.sh          the store is on Ceph, where Ceph is installed
#   examples/cluster/run.sh --own    … on the object storage of one more Cairn
# All of it is on loopback with free ports and in a temporary folder, and is ended. The program is
# CAIRN_BINARY, or build/release/bin/cairn, or the `cairn` that is installed.
set -euo pipefail
[ -z "${CAIRN_BINARY:-}" ] || CAIRN_BINARY=$(realpath "$CAIRN_BINARY")
cd "$(dirname "$0")"
project=$(cd ../.. && pwd)

own=no
for argument in "$@"; do
  case $argument in
    --own) own=yes ;;
    -h|--help) sed -n '3,8p' "$0" | cut -c3-; exit 0 ;;
    *) echo "run.sh: unknown argument $argument (--own)" >&2; exit 64 ;;
  esac
done

say() { printf '%s\n' "$*"; }
fail() { echo "run.sh: $*" >&2; exit 1; }

cairn=${CAIRN_BINARY:-$project/build/release/bin/cairn}
[ -x "$cairn" ] || cairn=$(command -v cairn) ||
  fail "there is no cairn: ./quickstart builds it, or name it in CAIRN_BINARY"
for program in jq npm; do
  command -v $program >/dev/null || fail "$program is not installed (apt-get install $program)"
done

# ---- what was started, and its end ---------------------------------------------------------------

folder=$(mktemp -d "${TMPDIR:-/tmp}/cairn-cluster-XXXXXX")
nodes=() ceph=

# Jobs of this shell that still run: another process cannot have such an id.
running() { [[ " "$(jobs -pr | tr '\n' ' ') == *" $1 "* ]]; }

# end_process PID: asks it to end, and after 30 seconds makes it.
end_process() {
  running "$1" || return 0
  kill "$1" || return 0
  for _ in $(seq 300); do
    running "$1" || return 0
    sleep 0.1
  done
  kill -9 "$1" || true
}

# The nodes go before what they stand on.
end_all() {
  local status=$? pid
  trap - EXIT
  for pid in "${nodes[@]}"; do end_process "$pid"; done
  for pid in $(jobs -pr); do end_process "$pid"; done
  [ -z "$ceph" ] || "$project/tests/ceph/rgw.sh" stop "$ceph" || status=1
  if [ $status -eq 0 ]; then rm -rf "$folder"; else say "The logs are in $folder"; fi
  exit $status
}
trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# until_ready NAME PID: waits until the Cairn has written its ready file.
until_ready() {
  for _ in $(seq 1200); do
    [ ! -s "$folder/$1.ready" ] || return 0
    running "$2" || break
    sleep 0.05
  done
  tail -n 5 "$folder/$1.log" >&2
  fail "$1 did not start"
}

# serve NAME WORD...: one Cairn in the background, with a data folder of its own; its id is in $pid.
serve() {
  local name=$1
  shift
  "$cairn" serve --data "$folder/$name" --api-listen 127.0.0.1:0 --objects-listen 127.0.0.1:0 \
    --ready-file "$folder/$name.ready" "$@" >"$folder/$name.log" 2>&1 </dev/null &
  pid=$!
}

of_ready() { jq -r ".$2" "$folder/$1.ready"; }

# ---- what the nodes stand on ---------------------------------------------------------------------

# A gateway, a monitor and a disk of Ceph, as the tests start them.
start_ceph() {
  ceph=$folder/ceph
  say "Starting Ceph, which takes half a minute."
  "$project/tests/ceph/rgw.sh" start "$ceph" >/dev/null || fail "Ceph did not start; --own does without it"
  # shellcheck disable=SC1091
  . "$ceph/facts"
  endpoint=$RGW_ENDPOINT
  export AWS_ACCESS_KEY_ID=$RGW_ACCESS_KEY AWS_SECRET_ACCESS_KEY=$RGW_SECRET_KEY
  say "Object storage: Ceph on ${endpoint#http://}, with one monitor, one OSD and one gateway"
}

start_own_storage() {
  serve storage
  until_ready storage "$pid"
  endpoint=$(of_ready storage objects)
  local pair=$folder/storage/keys/admin-s3.json
  AWS_ACCESS_KEY_ID=$(jq -r .access_key_id "$pair") AWS_SECRET_ACCESS_KEY=$(jq -r .secret_access_key "$pair")
  export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
  say "Object storage: one more Cairn on ${endpoint#http://}, $1"
}

have_ceph() {
  local program
  for program in ceph-mon ceph-osd ceph radosgw radosgw-admin; do
    command -v $program >/dev/null || return 1
  done
}

start_storage() {
  export AWS_EC2_METADATA_DISABLED=true
  if [ $own = yes ]; then
    start_own_storage "as --own asked"
  elif have_ceph; then
    start_ceph
  else
    start_own_storage "since Ceph is not installed (apt-get install ceph-mon ceph-osd radosgw ceph-common)"
  fi
  "$cairn" objects mb s3://team --endpoint-url "$endpoint" >/dev/null
  export CAIRN_STORE__URL="s3://team/search?endpoint=$endpoint"
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Where limits are counted for all nodes. Redis takes no port of its own choice, so some are tried.
start_redis() {
  if ! command -v redis-server >/dev/null; then
    say "Limits: counted by the node that serves, since redis-server is not installed (apt-get install redis-server)"
    return
  fi
  local port pid
  for _ in $(seq 10); do
    port=$((20000 + RANDOM % 10000))
    ! answers "$port" || continue
    redis-server --port "$port" --bind 127.0.0.1 --save '' --maxmemory-policy noeviction --dir "$folder" \
      >"$folder/redis.log" 2>&1 </dev/null &
    pid=$!
    for _ in $(seq 200); do
      running "$pid" || break
      if grep -q 'Ready to accept connections' "$folder/redis.log"; then
        export CAIRN_RATE_LIMIT__STORE__KIND=redis CAIRN_RATE_LIMIT__STORE__URLS="redis://127.0.0.1:$port/0"
        say "Limits: counted in Redis on 127.0.0.1:$port"
        return
      fi
      sleep 0.05
    done
    end_process "$pid"
  done
  fail "redis-server did not start: $(tail -n 1 "$folder/redis.log")"
}

# start_node NAME: the first one makes the keys, the others get a copy of them, and nothing else.
start_node() {
  if [ ${#nodes[@]} -gt 0 ]; then
    mkdir "$folder/$1"
    cp -a "$folder/one/keys" "$folder/$1/"
  fi
  serve "$1" --set "node.name=$1"
  nodes+=("$pid")
  until_ready "$1" "$pid"
}

# ---- the walk ------------------------------------------------------------------------------------

[ -d node_modules ] || say "Fetching the official JavaScript client, once."
"$project/tests/clients/js/install.sh" "$PWD" >"$folder/npm.log" 2>&1 ||
  { tail -n 5 "$folder/npm.log" >&2; fail "the packages of the client were not installed"; }
start_storage
start_redis
for name in one two three; do start_node "$name"; done
say "Store of three nodes: s3://team/search in that object storage"
say
status=0
{
  CAIRN_BINARY=$cairn CAIRN_FOLDER=$folder node_modules/.bin/node walk.mjs one two three 2>&3 &
  wait $! || status=$?
  # The node that was killed, without the shell's word about it.
  for pid in "${nodes[@]}"; do running "$pid" || wait "$pid" || true; done
} 3>&2 2>/dev/null
exit $status
