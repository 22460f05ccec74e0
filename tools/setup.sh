#!/usr/bin/env bash
# Installs what Cairn needs from Debian's packages. Idempotent; asks for nothing when all is there.
#   tools/setup.sh objects  compiler, and libraries of the client library alone
#   tools/setup.sh build    compiler and libraries
#   tools/setup.sh walk     what ./quickstart needs besides
#   tools/setup.sh test     what ./check needs besides
set -euo pipefail

objects="g++ cmake ninja-build pkg-config libboost1.81-dev libfmt-dev libisal-dev libpugixml-dev
 libsimdjson-dev libssl-dev libxxhash-dev libzstd-dev zlib1g-dev"
build="$objects ccache mold libcmark-dev libgumbo-dev libhiredis-dev libicu-dev libmariadb-dev libminizip-dev libpq-dev librocksdb-dev
 libstemmer-dev libyaml-cpp-dev doctest-dev"
walk="curl git jq ca-certificates poppler-utils"
tests="caddy chromium clang-19 libclang-rt-19-dev awscli faketime nginx-light nodejs npm python3 groff-base mariadb-client mariadb-server-core poppler-utils postgresql prometheus redis-server git-lfs
 fish libcurl4-openssl-dev lintian man-db openssl systemd zsh python3-boto3 python3-elasticsearch python3-jinja2 python3-jsonschema python3-numpy python3-torch python3-yaml rclone restic ruby-aws-sdk-s3 s3cmd s3fs wrk"

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo -- "$@"
  else
    echo "setup: packages are missing and neither root nor sudo is here. Run as root: $*" >&2
    exit 77
  fi
}

missing() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] && continue
    # A machine may have nodejs from elsewhere, with npm inside.
    case $package in npm|nodejs|python3) command -v "$package" >/dev/null && continue ;; esac
    echo "$package"
  done
}

install_all() {
  local wanted log
  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0
  log=$(mktemp)
  echo "setup: installing $(echo "$wanted" | wc -w) packages:" $wanted
  if ! { as_root apt-get update -q && as_root env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -q --no-install-recommends $wanted; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "setup: apt-get failed. Check the package sources and the network, then run this again." >&2
    exit 69
  fi
  rm -f "$log"
}

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this script knows Debian 12 only. Install the packages it names by hand." >&2
  exit 69
fi
for part in "$@"; do
  case $part in
    objects) install_all $objects ;;
    build) install_all $build ;;
    walk) install_all $walk ;;
    test) install_all $tests ;;
    *) echo "setup: unknown part $part (objects, build, walk, test)" >&2; exit 64 ;;
  esac
done
