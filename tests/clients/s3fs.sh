#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's s3fs, unmodified, mounts a bucket of the object service: s3fs.sh PATH_OF_CAIRN.
# Skipped (77) where this machine has no FUSE.
# shellcheck source=objects.sh
. "$(dirname "$0")/objects.sh"
need s3fs s3fs
if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
  echo "skipped: /dev/fuse is not to be used here, and s3fs mounts with nothing else"
  exit 77
fi
start_objects

mounted=
at_end() {
  [ -z "$mounted" ] || fusermount -u "$work/mnt"
}
curl_s3() {
  curl -s --aws-sigv4 aws:amz:us-east-1:s3 --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
    -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "$@"
}
mount_bucket() {
  s3fs mounted mnt -o url="$objects" -o use_path_request_style -o endpoint=us-east-1 \
    -o sigv4 -o multipart_size=5 -o enable_content_md5 -o passwd_file="$work/passwd" >"$work/out" 2>&1 || return 1
  mounted=yes
  for _ in $(seq 1 200); do
    mountpoint -q mnt && return
    sleep 0.05
  done
  fail "the bucket was not mounted"
}
unmount() { run fusermount -u mnt; mounted=; }

printf '%s:%s' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" >passwd
chmod 600 passwd
expect "$(curl_s3 -o /dev/null -w '%{http_code}' -X PUT "$objects/mounted")" 200 "making the bucket"
mkdir mnt
if ! mount_bucket; then
  if grep -q 'Operation not permitted' "$work/out"; then
    echo "skipped: this machine does not let s3fs mount: $(tail -n 1 "$work/out")"
    exit 77
  fi
  exit 1
fi
odd_tree tree
run cp -r tree mnt/
diff -r tree mnt/tree
pass "a tree with odd names is copied in and read back"

printf more >>mnt/tree/one
expect "$(cat mnt/tree/one)" xmore "what was appended"
printf 'HEAD' | dd of=mnt/tree/large bs=4 conv=notrunc status=none
printf 'HEAD' | dd of=tree/large bs=4 conv=notrunc status=none
same tree/large mnt/tree/large
mv mnt/tree/sub mnt/tree/moved
mv mnt/tree/large 'mnt/tree/large one'
expect "$(cat mnt/tree/moved/sub/deep.txt)" deep "what was moved"
chmod 600 mnt/tree/empty
touch -d '2020-02-02 02:02:02Z' mnt/tree/empty
ln -s one mnt/tree/link
rm mnt/tree/+plus%/+
rmdir mnt/tree/+plus%
pass "files are appended to, written into, renamed, linked and removed"

unmount
mount_bucket
same tree/large 'mnt/tree/large one'
expect "$(cat mnt/tree/link)" xmore "by the link"
expect "$(stat -c '%a %Y' mnt/tree/empty)" "600 $(date -d '2020-02-02 02:02:02Z' +%s)" "mode and time"
[ ! -e mnt/tree/+plus% ] || fail "the folder came back"
expect "$(ls 'mnt/tree/with space' | wc -l)" 15 "names"
pass "it is all there when mounted again"

rm -rf mnt/tree
expect "$(ls mnt | wc -l)" 0 "names left"
unmount
expect "$(curl_s3 -o /dev/null -w '%{http_code}' -X DELETE "$objects/mounted")" 204 "removing the bucket"
pass "and gone when removed"
echo "s3fs: $passed groups passed ($(s3fs --version | head -n 1 | grep -o 'V[0-9.]*'))"
