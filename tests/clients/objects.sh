# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of clients of the object service, with the path of cairn as $1: a scratch
# folder that is HOME too, a server on free loopback ports that ends with the script, its first pair
# of keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the words all of them check with.
set -euo pipefail

cairn=${1:?usage: $(basename "$0") PATH_OF_CAIRN}
work=$(mktemp -d "/tmp/cairn-$(basename "$0" .sh)-XXXXXX")
server=
at_end() { :; }  # a script may have more to take down, before its server ends
finish() {
  status=$?
  at_end || true
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
    echo "failed; what was printed last:"; tail -n 20 "$work/out" 2>/dev/null || true
    echo "the log of the server:"; tail -n 20 "$work/log" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

need() {
  command -v "$1" >/dev/null || { echo "$1 is not installed (apt-get install $2)"; exit 1; }
}

field() { sed -n "s/.*\"$2\" *: *\"\([^\"]*\)\".*/\1/p" "$1"; }

# start_objects [FLAG...]
start_objects() {
  "$cairn" serve --data "$work/data" --api-listen 127.0.0.1:0 --objects-listen 127.0.0.1:0 \
    --ready-file "$work/ready.json" "$@" >"$work/log" 2>&1 &
  server=$!
  for _ in $(seq 1 600); do
    [ -s "$work/ready.json" ] && break
    kill -0 "$server" || { echo "cairn did not start"; exit 1; }
    sleep 0.05
  done
  api=$(field "$work/ready.json" api)
  objects=$(field "$work/ready.json" objects)
  AWS_ACCESS_KEY_ID=$(field "$work/data/keys/admin-s3.json" access_key_id)
  AWS_SECRET_ACCESS_KEY=$(field "$work/data/keys/admin-s3.json" secret_access_key)
}

# make_pair [OPTION...]: "access-key secret" of another account or user.
make_pair() {
  "$cairn" key create --objects --server "$api" --key-file "$work/data/keys/admin.key" "$@" \
    >"$work/pair.json"
  echo "$(field "$work/pair.json" access_key_id) $(field "$work/pair.json" secret_access_key)"
}

passed=0
pass() { passed=$((passed + 1)); echo "ok $passed - $1"; }
fail() { echo "$1"; return 1; }
# Runs a command that must succeed, or must fail; what it prints is in $work/out.
run() { "$@" >"$work/out" 2>&1 || fail "failed: $*"; }
refused() { if "$@" >"$work/out" 2>&1; then fail "should have been refused: $*"; fi; }
prints() { grep -q -- "$1" "$work/out" || fail "no '$1' in what was printed"; }
silent_about() { ! grep -- "$1" "$work/out" || fail "'$1' in what was printed"; }
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }
expect() { [ "$1" = "$2" ] || fail "$3: got '$1', expected '$2'"; }
status_of() { curl -s -o /dev/null -w '%{http_code}' "$@"; }

# odd_tree FOLDER: files with all names that Linux takes and a URL, XML or shell may stumble over.
odd_tree() {
  mkdir -p "$1/with space" "$1/sub/sub" "$1/+plus%"
  : >"$1/empty"
  printf x >"$1/one"
  head -c 20000000 /dev/urandom >"$1/large"
  local name
  for name in 'a b' 'a+b' 'a%20b' '100%' 'ümlaut' '日本語' 'emoji😀' 'q?x=1' 'h#f' 'a&b=c' "<xml>'\"" \
    '*()!~$,;:@[]{}|^`' 'trail ' ' lead' 'a  b'; do
    printf '%s' "$name" >"$1/with space/$name"
  done
  printf deep >"$1/sub/sub/deep.txt"
  printf plus >"$1/+plus%/+"
}

export HOME="$work" AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
export AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true AWS_PAGER=
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_CA_BUNDLE AWS_CONFIG_FILE 2>/dev/null || true
cd "$work"
