#!/usr/bin/env bash
# Installs the packages in a bare Debian 12, and uses, upgrades, removes and purges them there: what an
# administrator does, but for systemd, which a chroot has not. Needs root and Debian's packages; takes minutes.
#   install_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
step() { printf '== %s\n' "$1"; }
fail() { echo "install_test: $1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "install_test: debootstrap and chroot need root" >&2; exit 77; }
command -v debootstrap >/dev/null || apt-get install -y -q --no-install-recommends debootstrap >/dev/null

work=$(mktemp -d)
root=$work/root
server=
end() {
  [ -z "$server" ] || kill -9 "$(pid_of_server)" 2>/dev/null || true
  umount -l "$root/proc" "$root/dev" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap end EXIT

step "a bare Debian 12"
# From where this machine has its own packages.
mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
[ -n "$mirror" ] || mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 5 "$work/debootstrap.log" >&2; fail "debootstrap failed"; }
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp -a /etc/apt/apt.conf.d "$root/etc/apt/"
if [ -e /etc/apt/sources.list.d/debian.sources ]; then
  rm -f "$root/etc/apt/sources.list"
  cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/"
fi
cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
in_root() { env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$@"; }
inside() { in_root "$root" "$@"; }
# Names of packages as the shell inside finds them.
install() { inside sh -c "apt-get install -y -q --no-install-recommends $*" >"$work/apt.log" 2>&1 || { tail -n 15 "$work/apt.log" >&2; fail "apt install $* failed"; }; }
as_cairn() { in_root --userspec=cairn:cairn "$root" "$@"; }

step "packages, of this version and of a next one"
cpack --config "$build/CPackConfig.cmake" -B "$work/now" >/dev/null 2>&1
sed 's/CPACK_PACKAGE_VERSION "[^"]*"/CPACK_PACKAGE_VERSION "99.0.0"/' "$build/CPackConfig.cmake" >"$work/next.cmake"
cpack --config "$work/next.cmake" -B "$work/next" >/dev/null 2>&1
mkdir "$root/now" "$root/next"
cp "$work"/now/*.deb "$root/now"
cp "$work"/next/cairn_*.deb "$root/next"
inside apt-get update -q >/dev/null

pid_of_server() { sed -E 's/.*"pid":([0-9]+).*/\1/' "$root/var/lib/cairn/ready.json"; }
start() {
  as_cairn cairn serve --ready-file /var/lib/cairn/ready.json 2>>"$work/log" &
  server=$!
  for _ in $(seq 300); do [ -s "$root/var/lib/cairn/ready.json" ] && return; sleep 0.1; done
  tail -n 5 "$work/log" >&2
  fail "the server did not start"
}
stop() {
  kill "$(pid_of_server)"
  rm -f "$root/var/lib/cairn/ready.json"
  wait "$server" || fail "the server did not end in order"
  server=
}

step "apt install"
install './now/*.deb'
inside stat -c '%a %U:%G' /etc/cairn /etc/cairn/cairn.yaml /var/lib/cairn >"$work/modes"
diff - "$work/modes" <<'MODES' || fail "modes or owners"
750 root:cairn
640 root:cairn
750 cairn:cairn
MODES
as_cairn cairn config check

step "served as the user cairn"
start
key=(--key-file /var/lib/cairn/keys/admin.key)
as_cairn cairn health
as_cairn cairn key create --name kept --cluster monitor "${key[@]}" >/dev/null
as_cairn cairn doctor || fail "the doctor is not content"
stop
as_cairn cairn doctor || fail "the doctor is not content with a stopped server"

step "upgrade"
echo '# mine' >>"$root/etc/cairn/cairn.yaml"
install './next/cairn_*.deb'
grep -q '# mine' "$root/etc/cairn/cairn.yaml" || fail "an upgrade replaced the settings"
start
as_cairn cairn key list "${key[@]}" | grep -q kept || fail "an upgrade lost data"
stop

step "remove and purge"
inside apt-get remove -y -q cairn >/dev/null
[ ! -e "$root/usr/bin/cairn" ] || fail "the program is still there"
[ -e "$root/etc/cairn/cairn.yaml" ] || fail "remove took the settings"
inside apt-get purge -y -q cairn >/dev/null
[ ! -e "$root/etc/cairn" ] || fail "purge left the settings"
[ -d "$root/var/lib/cairn/objects" ] || fail "purge took the data"

step "again, on the data that stayed, and purged with it"
install './now/cairn_*.deb'
start
as_cairn cairn key list "${key[@]}" | grep -q kept || fail "the data is not what it was"
stop
touch "$root/etc/cairn/purge-data"
inside apt-get purge -y -q cairn >/dev/null
[ ! -e "$root/var/lib/cairn" ] || fail "purge left the data although it was to go"
echo "install_test: everything passed"
