#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's git-lfs, unmodified, against the routes of large files: git_lfs.sh PATH_OF_CAIRN.
# Skipped (77) where git-lfs is not installed.
command -v git-lfs >/dev/null || { echo "skipped: git-lfs is not installed (apt-get install git-lfs)"; exit 77; }
# shellcheck source=objects.sh
. "$(dirname "$0")/objects.sh"

# start [FLAG...]: a server, anew on the same data, and its administrator.
start() {
  if [ -n "$server" ]; then
    kill "$server"
    wait "$server" || true
    rm -f "$work/ready.json"
  fi
  start_objects "$@"
  admin=$(cat "$work/data/keys/admin.key")
}
silent_about() { ! grep -i -- "$1" "$work/out" || fail "'$1' in what was printed"; }

# From here on git sees nothing of the machine that it runs on.
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 XDG_CONFIG_HOME="$work/none"
unset GIT_DIR GIT_ASKPASS SSH_ASKPASS 2>/dev/null || true
cd "$work"
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
git config --global advice.detachedHead false
git config --global credential.helper "store --file=$work/credentials"
git config --global lfs.transfer.maxretries 1
git lfs install --skip-repo >/dev/null

use_key() { echo "http://$1:$2@${api#http://}" | sed 's/=/%3D/g' >"$work/credentials"; }
lfs_url() { echo "$api/acme/models.git/info/lfs"; }
# How often the object service has done one of its operations, and the platform one of its own.
count() {
  curl -sf -H "Authorization: ApiKey $admin" "$api/_metrics" |
    sed -n "s/^cairn_http_requests_total{.*operation=\"$1\",status=\"2xx\"} //p" | head -n 1 | grep . || echo 0
}
refusals() {
  curl -sf -H "Authorization: ApiKey $admin" "$api/_metrics" |
    awk '/^cairn_http_requests_total.*operation="lfs\.[a-z]*",status="4xx"/ { n += $NF } END { print n + 0 }'
}
# ask PATH BODY [CURL OPTION...]: a status; the body is in $work/out, the head in $work/head.
ask() {
  local path=$1 body=$2
  shift 2
  curl -s -o "$work/out" -D "$work/head" -w '%{http_code}' -u "x:$admin" \
    -H 'Accept: application/vnd.git-lfs+json' \
    -H 'Content-Type: application/vnd.git-lfs+json; charset=utf-8' --data "$body" "$@" "$api$path"
}
# batch OPERATION OID SIZE
batch() { echo "{\"operation\":\"$1\",\"objects\":[{\"oid\":\"$2\",\"size\":$3}]}"; }
href() { sed -n "s/.*\"$1\":{\"href\":\"\([^\"]*\)\".*/\1/p" "$work/out"; }

start
use_key x "$admin"
git init -q --bare origin.git
git init -q one
cd one
git config lfs.url "$(lfs_url)"
git remote add origin "$work/origin.git"
git lfs track '*.bin' >/dev/null
mkdir sub
head -c 20000000 /dev/urandom >large.bin
head -c 3000000 /dev/zero >"sub/with space.bin"
head -c 1 /dev/urandom >sub/small.bin
cp large.bin sub/same.bin
for i in $(seq 1 120); do echo "file $i $RANDOM" >"sub/$i.bin"; done
echo plain >plain.txt
git add .
git commit -qm first
run git push -q origin main
prints 'Locking support detected'
silent_about error
expect "$(git lfs ls-files | wc -l)" 124 "tracked files"
expect "$(count PutObject)" 123 "objects sent: one for each content"
# One batch call for 100 objects, one for the other 23.
expect "$(count lfs.batch)" 2 "batches of the first push"
expect "$(count lfs.verify)" 123 "verifications"
pass "124 files are pushed in two batches, each content once, and verified"
git config lfs."$(lfs_url)".locksverify true
pass "git-lfs finds that files can be locked here"

cd "$work"
GIT_LFS_SKIP_SMUDGE=1 git clone -q origin.git two
cd two
git config lfs.url "$(lfs_url)"
grep -q '^version https://git-lfs' large.bin
run git lfs pull
diff -r --exclude .git ../one ../two
expect "$(count GetObject)" 123 "objects fetched"
pass "a clone pulls them all, byte for byte"

cd ../one
run git push -q origin main
run git lfs push --all origin
expect "$(count PutObject)" 123 "objects sent after pushing again"
git checkout -qb other
cp plain.txt sub/new.bin
git add sub/new.bin
git commit -qm second
run git push -q origin other
expect "$(count PutObject)" 124 "objects sent after one more file"
pass "what is there is not sent again"

cd ..
rm -rf three
git -c filter.lfs.process= -c filter.lfs.smudge= -c filter.lfs.required=false clone -q origin.git three
printf '[lfs]\n\turl = %s\n' "$(lfs_url)" >three/.lfsconfig
(cd three && run git lfs pull && cmp large.bin ../one/large.bin)
pass "the address in .lfsconfig does as well"

cd one
id=$(printf %s "$admin" | base64 -d | cut -d: -f1)
use_key "$id" "$(printf %s "$admin" | base64 -d | cut -d: -f2)"
rm -rf .git/lfs/objects
run git lfs fetch --all
pass "the id and the key are taken as name and password too"

use_key x "$(printf '%s:%s' "$id" wrong | base64)"
rm -rf .git/lfs/objects
before=$(count lfs.batch)
refused git lfs fetch --all
refused git lfs push --all origin
rm -f "$work/credentials"
refused git lfs fetch --all
expect "$(count lfs.batch)" "$before" "batches answered"
pass "a wrong key is refused, and so is none"

make_key() {
  curl -sf -H "Authorization: ApiKey $admin" -H 'Content-Type: application/json' \
    --data "{\"name\":\"$1\",\"role_descriptors\":{\"r\":{\"indices\":[{\"names\":[\"$2\"],\"privileges\":[$3]}]}}}" \
    "$api/_security/api_key" | sed -n 's/.*"encoded":"\([^"]*\)".*/\1/p'
}
use_key x "$(make_key other 'lfs/acme/others' '"read","write"')"
refused git lfs fetch --all
prints 'repository \[acme/models\] does not exist for this API key'
use_key x "$(make_key reader lfs/acme/models '"read"')"
run git lfs fetch --all
echo new >reader.bin
git add reader.bin
git commit -qm third
refused git push -q origin other
prints 'may not write repository \[acme/models\]'
use_key x "$(make_key writer 'lfs/acme/*' '"write","read"')"
run git push -q origin other
pass "read to fetch and write to push, for the repositories that the key names"

cd ..
use_key x "$admin"
# A body that is not what its name says: sent by the client itself, its object spoiled.
GIT_LFS_SKIP_SMUDGE=1 git clone -q origin.git four
cd four
git config lfs.url "$(lfs_url)"
git lfs track '*.bin' >/dev/null
echo honest >honest.bin
git add honest.bin
git commit -qm spoiled
oid=$(printf 'honest\n' | sha256sum | cut -d' ' -f1)
chmod u+w ".git/lfs/objects/${oid:0:2}/${oid:2:2}/$oid"
printf 'broken\n' >".git/lfs/objects/${oid:0:2}/${oid:2:2}/$oid"
refused git push -q origin main
expect "$(ask /acme/models/info/lfs/objects/batch "$(batch download "$oid" 7)")" 200 "batch"
prints '"code":404'
cd ..
expect "$(ask /acme/models/info/lfs/objects/batch "$(batch upload "$oid" 7)")" 200 "batch"
upload=$(href upload)
put() { curl -s -o "$work/out" -w '%{http_code}' -X PUT "$@" "$upload"; }
expect "$(put -H "x-amz-content-sha256: $oid" --data-binary broken)" 400 "another body"
prints XAmzContentSHA256Mismatch
expect "$(put -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' --data-binary broken)" 403 "unsigned"
expect "$(put --data-binary broken)" 403 "without the hash"
expect "$(curl -s -o "$work/out" -w '%{http_code}' "$upload")" 403 "reading by the URL of a PUT"
expect "$(ask /acme/models/info/lfs/verify "{\"oid\":\"$oid\",\"size\":7}")" 404 "verify"
printf 'honest\n' >honest
expect "$(put -H "x-amz-content-sha256: $oid" --data-binary @honest)" 200 "the right body"
expect "$(ask /acme/models/info/lfs/verify "{\"oid\":\"$oid\",\"size\":7}")" 200 "verify"
expect "$(ask /acme/models/info/lfs/verify "{\"oid\":\"$oid\",\"size\":8}")" 422 "verify"
pass "a body that is not what its name says is refused, by client and by hand"

many() { seq 1 "$1" | while read -r i; do printf '%s{"oid":"%064x","size":1}' "${comma:-}" "$i"; comma=,; done; }
expect "$(ask /acme/models.git/info/lfs/objects/batch "{\"operation\":\"upload\",\"objects\":[$(many 100)]}")" 200 "100 objects"
expect "$(grep -o '"href"' "$work/out" | wc -l)" 200 "URLs"
expect "$(ask /acme/models.git/info/lfs/objects/batch "{\"operation\":\"upload\",\"objects\":[$(many 101)]}")" 413 "101 objects"
prints '"message":"the batch has 101 objects, and at most 100 are taken'
prints '"request_id":"'
grep -qi '^content-type: application/vnd.git-lfs+json' "$work/head"
expect "$(ask /acme/models.git/info/lfs/objects/batch '{"operation":"copy","objects":[]}')" 422 "operation"
expect "$(ask /acme/models.git/info/lfs/objects/batch '{')" 422 "no JSON"
expect "$(ask /.hidden/x/info/lfs/objects/batch "$(batch download "$oid" 7)")" 404 "no repository"
for body in '{' '[]' '{"path":7}' '{}' '{"path":"/a"}'; do
  expect "$(ask /acme/models.git/info/lfs/locks "$body")" 422 "a lock of $body"
done
expect "$(ask /acme/models.git/info/lfs/locks/verify '{"limit":-1}')" 422 "a limit"
expect "$(ask /acme/models.git/info/lfs/locks/verify '{"cursor":"x"}')" 422 "a cursor"
expect "$(ask /acme/models.git/info/lfs/locks/nonsense/unlock '{}')" 404 "no lock"
expect "$(curl -s -o "$work/out" -w '%{http_code}' -u "x:$admin" "$api/acme/models.git/info/lfs/locks?limit=x")" 422 "a limit"
expect "$(curl -s -o "$work/out" -w '%{http_code}' "$api/acme/models.git/info/lfs/locks")" 401 "nobody"
expect "$(ask /acme/models.git/info/lfs/objects/batch "$(batch download "$oid" 7)" -u x:y)" 401 "wrong key"
grep -qi '^lfs-authenticate: basic' "$work/head"
grep -qi '^content-type: application/vnd.git-lfs+json' "$work/head"
prints '"message":"unable to authenticate'
pass "refusals have the form and the statuses of the protocol"

# Locks, with the real client: ann and bob have keys of their own, and cid one for reading.
make_user_key() {
  curl -sf -H "Authorization: ApiKey $admin" -H 'Content-Type: application/json' \
    --data "{\"name\":\"$1\",\"metadata\":{\"_cairn\":{\"identity\":{\"kind\":\"user\",\"user\":\"$1\"}}},\"role_descriptors\":{\"r\":{\"indices\":[{\"names\":[\"lfs/acme/models\"],\"privileges\":[$2]}]}}}" \
    "$api/_security/api_key" | sed -n 's/.*"encoded":"\([^"]*\)".*/\1/p'
}
ann=$(make_user_key ann '"read","write"') bob=$(make_user_key bob '"read","write"')
git init -q --bare "$work/locks.git"
git init -q locks
cd locks
git remote add origin "$work/locks.git"
git config lfs.url "$(lfs_url)"
git config lfs."$(lfs_url)".locksverify true
git lfs track --lockable '*.psd' >/dev/null
echo cover >cover.psd
mkdir 'a b'
echo other >'a b/other.psd'
git add .
git commit -qm first
use_key x "$ann"
run git push -q origin main
run git lfs lock cover.psd
prints 'Locked cover.psd'
run git lfs lock 'a b/other.psd'
refused git lfs lock cover.psd
run git lfs locks
prints 'cover.psd.*ann.*ID:'
prints 'a b/other.psd.*ann.*ID:'
echo more >>cover.psd
git commit -qam second
run git push -q origin main
prints 'Consider unlocking your own locked files'
use_key x "$bob"
refused git lfs lock cover.psd
prints 'is locked already, by ann'
git config user.name Bob
echo bob >>cover.psd
git commit -qam third
refused git push -q origin main
prints 'Unable to push locked files'
prints 'cover.psd - ann'
refused git lfs unlock cover.psd
refused git lfs unlock --force cover.psd
prints 'may not manage repository'
use_key x "$(make_user_key cid '"read"')"
run git lfs locks
refused git lfs lock new.psd
use_key x "$(make_user_key dan '"manage","write","read"')"
run git lfs unlock --force cover.psd
# Another key of ann's is ann.
use_key x "$(make_user_key ann '"write","read"')"
run git lfs unlock --force 'a b/other.psd'
use_key x "$bob"
run git push -q origin main
run git lfs lock cover.psd
start
git config lfs.url "$(lfs_url)"
use_key x "$bob"
run git lfs locks
prints 'cover.psd.*bob.*ID:'
for i in $(seq 1 130); do
  expect "$(ask /acme/models.git/info/lfs/locks "{\"path\":\"f$i\"}")" 201 "lock $i"
done
run git lfs locks
expect "$(grep -c 'ID:' "$work/out")" 131 "locks over two pages"
cd ..
pass "files are locked, seen, kept from others, and given back; a restart keeps them"

key=$(field "$work/data/keys/admin-s3.json" access_key_id):$(field "$work/data/keys/admin-s3.json" secret_access_key)
expect "$(curl -s --aws-sigv4 aws:amz:us-east-1:s3 --user "$key" \
  -H 'x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' \
  "$objects/lfs/acme/models/$oid")" honest "the object in the bucket"
pass "large files are objects of the bucket lfs"

# used: what the limit of large files has counted for the key "writer", this request included.
writer=$(make_key writer 'lfs/acme/*' '"write","read"')
used() {
  expect "$(ask /acme/models.git/info/lfs/objects/batch "$1" -u "x:$writer")" 200 "batch"
  sed -n 's/^x-ratelimit-used: \([0-9]*\).*/\1/p' "$work/head"
}
first=$(used '{"operation":"download","objects":[]}')
grep -qi '^x-ratelimit-resource: lfs' "$work/head"
grep -qi '^x-ratelimit-limit: 3000' "$work/head"
again=$(used "{\"operation\":\"upload\",\"objects\":[$(many 100)]}")
expect "$again" $((first + 1)) "used after a batch of 100"
used "$(batch download "$oid" 7)" >/dev/null
expect "$(curl -s "$(href download)")" honest "a download"
third=$(used '{"operation":"download","objects":[]}')
expect "$third" $((first + 3)) "used after a transfer"
pass "a batch counts once whatever its objects, and a transfer not at all"

# Forty calls in ten seconds: enough for a push of twenty files, once they are not spent already.
# (git-lfs waits for the batch as it is told, and not for verifications: those must have room.)
cat >"$work/small.yaml" <<END
rate_limit:
  objects: 1
  resources:
    lfs: {window: 10, authenticated: 40}
END
start --config "$work/small.yaml"
use_key x "$writer"
git init -q five
cd five
git config lfs.url "$(lfs_url)"
git config lfs.transfer.maxretries 8
git remote add origin "$work/origin.git"
git lfs track '*.bin' >/dev/null
nothing='{"operation":"download","objects":[]}'
# spend: calls until one is refused; the answer to that is in $work/out and $work/head.
spend() {
  for _ in $(seq 1 200); do
    [ "$(ask /acme/models.git/info/lfs/objects/batch "$nothing" -u "x:$writer")" = 429 ] && return 0
  done
  fail "no call was refused"
}
# The window may be over before git-lfs comes to its call, on a busy machine: then once more.
for round in 1 2 3 4 5; do
  for i in $(seq 1 20); do echo "slow $round $i $RANDOM" >"$round-$i.bin"; done
  git add .
  git commit -qm "slow $round"
  spend
  before=$(refusals)
  run git push -q origin main:slow
  expect "$(count PutObject)" $((round * 20)) "objects sent"
  [ "$(refusals)" -gt "$before" ] && break
  [ "$round" -lt 5 ] || fail "no call of git-lfs was refused"
done
spend
grep -qi '^retry-after: [1-9]' "$work/head"
grep -qi '^x-ratelimit-remaining: 0' "$work/head"
grep -qi '^content-type: application/vnd.git-lfs+json' "$work/head"
prints '"message":"API rate limit exceeded'
prints '"documentation_url":'
cd ..
pass "over the limit git-lfs waits as it is told, and gets there"

start
use_key x "$admin"
cd two
git config lfs.url "$(lfs_url)"
rm -rf .git/lfs/objects
run git lfs fetch --all
pass "they are there after a restart"
echo "git-lfs: $passed groups passed ($(git lfs version | cut -d' ' -f1))"
