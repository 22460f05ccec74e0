#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's rclone, unmodified, against the object service: rclone.sh PATH_OF_CAIRN.
# shellcheck source=objects.sh
. "$(dirname "$0")/objects.sh"
need rclone rclone
# It makes every bucket with x-amz-acl: private, which buckets of the usual ownership do not take.
export CAIRN_OBJECTS__NEW_BUCKET_OWNERSHIP=ObjectWriter
start_objects

rc() {
  rclone --config /dev/null --s3-provider Other --s3-endpoint "$objects" --s3-env-auth \
    --s3-region us-east-1 --retries 1 --low-level-retries 1 "$@"
}

odd_tree tree
run rc mkdir :s3:tree
run rc lsd :s3:
prints ' tree$'
run rc copy --s3-upload-cutoff 5Mi --s3-chunk-size 5Mi tree :s3:tree
run rc check tree :s3:tree
prints '0 differences found'
run rc check --download tree :s3:tree
expect "$(rc lsf -R --files-only :s3:tree | wc -l)" "$(find tree -type f | wc -l)" "files listed"
pass "a tree with odd names goes up, its large file in parts, and is checked"

run rc copy -v tree :s3:tree
prints 'There was nothing to transfer'
run rc sync :s3:tree back
diff -r tree back
pass "nothing is sent twice; all of it comes down"

run rc copyto :s3:tree/large :s3:tree/copy/large
run rc --s3-copy-cutoff 5Mi --s3-chunk-size 5Mi copyto :s3:tree/large :s3:tree/copy/parts
run rc moveto ':s3:tree/with space/a+b' ':s3:tree/copy/b+a %'
rc cat :s3:tree/copy/parts >parts
same parts tree/large
expect "$(rc cat ':s3:tree/copy/b+a %')" 'a+b' "what was moved"
run rc lsf ':s3:tree/with space'
silent_about '^a+b'
pass "objects are copied inside, whole and in parts, and moved"

run rc sync tree :s3:tree
expect "$(rc lsf :s3:tree/copy | wc -l)" 0 "what sync left of the copies"
head -c 12000000 /dev/urandom >piped
run rc --s3-chunk-size 5Mi rcat :s3:tree/piped <piped
rc cat :s3:tree/piped | cmp - piped
expect "$(rc cat --offset 5242875 --count 10 :s3:tree/piped | md5sum)" \
  "$(tail -c +5242876 piped | head -c 10 | md5sum)" "a range over two parts"
pass "what vanished is deleted; streams of unknown length go up in parts"

expect "$(rc md5sum :s3:tree/one | cut -d' ' -f1)" "$(md5sum <tree/one | cut -d' ' -f1)" "MD5"
touch -d '2020-02-02 02:02:02.5Z' tree/one
run rc copy -v tree :s3:tree
prints 'one: Updated modification time'
run rc lsl :s3:tree/one
prints '2020-02-02'
pass "sums and times are kept"

run curl -sf "$(rc link --expire 1m ':s3:tree/with space/ümlaut')"
expect "$(cat "$work/out")" 'ümlaut' "the object by its link"
pass "a link works"

run rc mkdir :s3:versions
run rc backend versioning :s3:versions Enabled
echo 1 >v && run rc copyto v :s3:versions/v
echo 22 >v && run rc copyto v :s3:versions/v
run rc deletefile :s3:versions/v
expect "$(rc lsf :s3:versions | wc -l)" 0 "objects beside the marker"
expect "$(rc lsf --s3-versions :s3:versions | wc -l)" 2 "versions"
run rc backend cleanup-hidden :s3:versions
expect "$(rc lsf --s3-versions :s3:versions | wc -l)" 0 "versions after the cleanup"
pass "versions are listed and cleaned up"

run rc backend list-multipart-uploads :s3:tree
prints '"tree": \[\]'
read -r id secret <<<"$(make_pair --account 210987654321)"
refused env AWS_ACCESS_KEY_ID="$id" AWS_SECRET_ACCESS_KEY="$secret" rclone --config /dev/null \
  --s3-provider Other --s3-endpoint "$objects" --s3-env-auth --retries 1 lsf :s3:tree
prints AccessDenied
pass "another account is refused"

run rc purge :s3:tree
run rc rmdir :s3:versions
expect "$(rc lsd :s3: | wc -l)" 0 "buckets left"
pass "buckets are emptied and removed"
echo "rclone: $passed groups passed ($(rclone version | head -n 1))"
