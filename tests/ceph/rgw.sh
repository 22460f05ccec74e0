#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ceph's object gateway as Debian packages it, small and on this machine alone: one monitor, one OSD
# with a file for a disk, radosgw on loopback. A peer for benchmarks, and a second object storage for
# tests of the client library.
#   rgw.sh start FOLDER     prints the endpoint and a key as shell assignments, and ends
#   rgw.sh stop FOLDER      ends every process that start began; the folder stays
#   rgw.sh run COMMAND...   starts in a temporary folder, runs the command with RGW_ENDPOINT,
#                           RGW_ACCESS_KEY and RGW_SECRET_KEY set, and cleans up
# Needs ceph-mon, ceph-osd, radosgw and ceph-common, no systemd, no root. Without them it says
# "skipped" and ends with 77. RGW_DISK_GIB (20, sparse) is the size of the OSD's file.
# radosgw has tcp_nodelay=1: without it every small GET waits 40 ms for an acknowledgement.
set -euo pipefail

usage() { sed -n '6,9s/^# *//p' "$0" >&2; exit 64; }

require_packages() {
  local program
  for program in ceph-mon ceph-osd ceph radosgw radosgw-admin; do
    command -v "$program" >/dev/null && continue
    echo "skipped: $program is not installed (apt-get install ceph-mon ceph-osd radosgw ceph-common)"
    exit 77
  done
}

# Two ports that nobody listens on now.
free_ports() {
  /usr/bin/python3 -c '
import socket
held = [socket.socket() for _ in range(2)]
for one in held: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])'
}

write_configuration() {
  local folder=$1 monitor=$2 gateway=$3
  cat >"$folder/ceph.conf" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon_initial_members = a
mon_host = [v2:127.0.0.1:$monitor/0]
ms_bind_msgr1 = false
public_network = 127.0.0.0/8
cluster_network = 127.0.0.0/8
run_dir = $folder
admin_socket = $folder/\$name.\$pid.sock
log_file = $folder/\$name.log
crash_dir = $folder
keyring = $folder/keyring
err_to_stderr = false
log_to_stderr = false
mon_cluster_log_to_file = false
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_warn_on_pool_no_redundancy = false
mon_data_avail_crit = 1
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
[mon]
paxos_propose_interval = 0.1
mon_data = $folder/mon
[osd]
osd_data = $folder/osd
osd_objectstore = bluestore
osd_memory_target = 1073741824
bluestore_block_size = $((${RGW_DISK_GIB:-20} << 30))
osd_class_update_on_start = false
[client.rgw]
rgw_data = $folder/rgw
rgw_frontends = beast endpoint=127.0.0.1:$gateway tcp_nodelay=1
rgw_enable_usage_log = false
CONF
}

# One file with the keys of everybody.
write_keys() {
  local all=(--cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *')
  local keys=$1/keyring
  ceph-authtool --create-keyring "$keys" --gen-key -n mon. --cap mon 'allow *'
  ceph-authtool "$keys" --gen-key -n client.admin "${all[@]}"
  ceph-authtool "$keys" --gen-key -n client.rgw "${all[@]}"
  ceph-authtool "$keys" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
}

# begin NAME COMMAND...: runs it in the background and remembers its id.
begin() {
  local name=$1
  shift
  setsid "$@" >"$folder/$name.out" 2>&1 </dev/null &
  echo "$! $1" >>"$folder/pids"
}

# until_true SECONDS WHAT COMMAND...
until_true() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  while ! "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$until" ]; then
      echo "rgw.sh: $what did not come up; see the logs in $folder" >&2
      return 1
    fi
    sleep 0.2
  done
}

ask() { timeout 30 ceph -c "$CEPH_CONF" --connect-timeout 5 "$@"; }
osd_is_up() { ask osd stat | grep -q '1 up'; }
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

start() {
  folder=$1
  require_packages
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  if [ -s "$folder/pids" ]; then echo "rgw.sh: $folder is in use; stop it first" >&2; exit 1; fi
  rm -rf "$folder/mon" "$folder/osd" "$folder/rgw"
  mkdir -p "$folder/mon" "$folder/osd" "$folder/rgw"
  local monitor gateway id access secret
  read -r monitor gateway < <(free_ports)
  write_configuration "$folder" "$monitor" "$gateway"
  export CEPH_CONF="$folder/ceph.conf"
  write_keys "$folder" >"$folder/mkfs.out" 2>&1
  monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$CEPH_CONF")" \
    --addv a "[v2:127.0.0.1:$monitor]" "$folder/monmap" >>"$folder/mkfs.out" 2>&1
  ceph-mon -i a --mkfs --monmap "$folder/monmap" --keyring "$folder/keyring" -c "$CEPH_CONF" \
    >>"$folder/mkfs.out" 2>&1
  begin mon ceph-mon -i a -f -c "$CEPH_CONF"
  until_true 60 "the monitor" ask mon stat
  id=$(cat /proc/sys/kernel/random/uuid)
  ask osd new "$id" >>"$folder/mkfs.out" 2>&1
  ceph-osd -i 0 --mkfs --osd-uuid "$id" -c "$CEPH_CONF" >>"$folder/mkfs.out" 2>&1
  begin osd ceph-osd -i 0 -f -c "$CEPH_CONF"
  until_true 60 "the OSD" osd_is_up
  access=$(tr -dc A-Z0-9 </dev/urandom | head -c 20 || true)
  secret=$(tr -dc A-Za-z0-9 </dev/urandom | head -c 40 || true)
  begin rgw radosgw -f -n client.rgw -c "$CEPH_CONF"
  until_true 120 radosgw answers "$gateway"
  radosgw-admin -n client.rgw -c "$CEPH_CONF" user create --uid=cairn --display-name=cairn \
    --access-key="$access" --secret-key="$secret" >"$folder/user.json" 2>"$folder/user.err"
  printf "RGW_ENDPOINT='http://127.0.0.1:%s'\nRGW_ACCESS_KEY='%s'\nRGW_SECRET_KEY='%s'\n" \
    "$gateway" "$access" "$secret" | tee "$folder/facts"
}

# True while the process is the one that start began.
is_ours() { [ "$( (tr '\0' ' ' <"/proc/$1/cmdline") 2>/dev/null | cut -d' ' -f1)" = "$2" ]; }

stop() {
  local folder=$1 pid name round
  [ -e "$folder/pids" ] || return 0
  for round in TERM KILL; do
    tac "$folder/pids" | while read -r pid name; do
      is_ours "$pid" "$name" && kill -"$round" "$pid" 2>/dev/null || true
    done
    for _ in $(seq 100); do
      local alive=
      while read -r pid name; do
        if is_ours "$pid" "$name"; then alive=yes; fi
      done <"$folder/pids"
      [ -n "$alive" ] || break 2
      sleep 0.1
    done
  done
  rm -f "$folder/pids"
}

run() {
  require_packages
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/cairn-rgw-XXXXXX")
  trap 'status=$?; stop "$scratch"; rm -rf "$scratch"; exit $status' EXIT
  trap 'exit 143' INT TERM
  (start "$scratch") >/dev/null
  set -a
  # shellcheck disable=SC1091
  . "$scratch/facts"
  set +a
  "$@"
}

case "${1:-}" in
  start) [ $# -eq 2 ] || usage; start "$2" ;;
  stop) [ $# -eq 2 ] || usage; stop "$2" ;;
  run) [ $# -ge 2 ] || usage; shift; run "$@" ;;
  *) usage ;;
esac
