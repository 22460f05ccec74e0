#!/usr/bin/env bash
# Installs the packages in a bare Debian 12, and uses, upgrades, removes and purges them there, with a backup
# that brings everything back: what an administrator does, but for a running systemd, which a chroot has not.
# Needs root and Debian's packages; takes minutes.
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
in_root() { env -i HOME="${home:-/root}" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$@"; }
inside() { in_root "$root" "$@"; }
# Names of packages as the shell inside finds them.
apt_install() { inside sh -c "apt-get install -y -q --no-install-recommends $*" >"$work/apt.log" 2>&1 || { tail -n 15 "$work/apt.log" >&2; fail "apt install $* failed"; }; }
as_cairn() { home=/var/lib/cairn in_root --userspec=cairn:cairn "$root" "$@"; }

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
apt_install './now/*.deb'
inside stat -c '%a %U:%G' /etc/cairn /etc/cairn/cairn.yaml /var/lib/cairn >"$work/modes"
diff - "$work/modes" <<'MODES' || fail "modes or owners"
750 root:cairn
640 root:cairn
750 cairn:cairn
MODES
as_cairn cairn config check

step "the unit, by the systemd of that Debian"
apt_install systemd
unit=/usr/lib/systemd/system/cairn.service
inside systemd-analyze verify --man=no "$unit" >"$work/verify" 2>&1 || fail "systemd-analyze verify: $(cat "$work/verify")"
! grep cairn "$work/verify" || fail "systemd-analyze verify has something to say of the unit"
# In tenths: 1.5.
inside systemd-analyze security --offline=true --threshold=15 "$unit" >"$work/security" 2>&1 ||
  fail "systemd-analyze security: $(tail -n 1 "$work/security")"
grep 'Overall exposure level' "$work/security"

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
apt_install './next/cairn_*.deb'
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

step "again, on the data that stayed"
apt_install './now/cairn_*.deb'
install -d -m 0750 -o "$(inside id -u cairn)" -g "$(inside id -g cairn)" "$root/srv/backups"
echo 'path.repo: [/srv/backups]' >"$root/etc/cairn/conf.d/backups.yaml"
start
as_cairn cairn key list "${key[@]}" | grep -q kept || fail "the data is not what it was"

step "everything is put into a backup"
objects=(--credentials-file /var/lib/cairn/keys/admin-s3.json --endpoint-url http://127.0.0.1:9000)
seq 1 500 | sed 's/.*/{"n": &, "text": "the river number &"}/' |
  as_cairn cairn bulk load - --index rivers --quiet --checkpoint /var/lib/cairn/load --rejects /var/lib/cairn/rejects "${key[@]}"
as_cairn cairn objects mb s3://photos "${objects[@]}" >/dev/null
head -c 3000000 "$root/usr/bin/cairn" >"$work/photo"
as_cairn cairn objects cp - s3://photos/one.jpg --quiet "${objects[@]}" <"$work/photo"
# What there is, in the words of the program; how much room it takes hangs on when segments were written.
what_is_there() {
  as_cairn cairn indices list "${key[@]}" --json | grep -v '"[a-z.]*store.size"'
  as_cairn cairn search 'river number 321' --index rivers "${key[@]}" | head -n 3
  as_cairn cairn objects ls s3://photos "${objects[@]}"
  as_cairn cairn objects cp s3://photos/one.jpg - --quiet "${objects[@]}" | sha256sum
  as_cairn cairn key list "${key[@]}" | grep kept | cut -f1,2
}
what_is_there >"$work/before"
grep -q "$(sha256sum <"$work/photo" | cut -d' ' -f1)" "$work/before" || fail "the object is not what was put"
grep -q 321 "$work/before" || fail "the search finds nothing: $(cat "$work/before")"
as_cairn cairn backup init /srv/backups/safe --backup-key /srv/backups/key >/dev/null
as_cairn cairn backup create /srv/backups/safe --backup-key /srv/backups/key "${key[@]}"
as_cairn cairn backup verify /srv/backups/safe --backup-key /srv/backups/key --all
stop

step "purged with the data"
touch "$root/etc/cairn/purge-data"
inside apt-get purge -y -q cairn >/dev/null
[ ! -e "$root/var/lib/cairn" ] && [ ! -e "$root/etc/cairn" ] || fail "purge left data or settings although they were to go"

step "installed and restored: everything is back"
apt_install './now/cairn_*.deb'
as_cairn cairn backup restore /srv/backups/safe --backup-key /srv/backups/key --into /var/lib/cairn
# A key is read by its owner alone.
install -D -m 0600 "$root/srv/backups/key" "$root/srv/again/backup.key"
inside cairn backup restore /srv/backups/safe --backup-key /srv/again/backup.key --into /srv/again/restored --config-into /srv/again/settings >/dev/null
grep -q /srv/backups "$root/srv/again/settings/conf.d/backups.yaml" || fail "the settings are not in the backup"
inside install -m 0640 -o root -g cairn /srv/again/settings/conf.d/backups.yaml /etc/cairn/conf.d/
start
what_is_there >"$work/after"
diff "$work/before" "$work/after" || fail "not everything is back"
as_cairn cairn doctor || fail "the doctor is not content after the restore"
stop
as_cairn cairn engine verify /var/lib/cairn || fail "the restored folder does not verify"
echo "install_test: everything passed"
