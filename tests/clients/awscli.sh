#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's awscli, unmodified, against the object service: awscli.sh PATH_OF_CAIRN.
# CAIRN_OBJECTS=http://host:port with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set asks a service
# that runs already instead of starting one. Skipped (77) where awscli is not installed.
set -euo pipefail

command -v aws >/dev/null || { echo "skipped: awscli is not installed (apt-get install awscli)"; exit 77; }
# A version manager's stand-in may hide the packaged program.
[ -x /usr/bin/aws ] && PATH="/usr/bin:$PATH"

work=$(mktemp -d /tmp/cairn-awscli-XXXXXX)
server=
finish() {
  status=$?
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  [ "$status" -eq 0 ] || { echo "failed; the log of the server:"; tail -n 20 "$work/log" 2>/dev/null || true; }
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

if [ -z "${CAIRN_OBJECTS:-}" ]; then
  cairn=${1:?usage: awscli.sh PATH_OF_CAIRN}
  "$cairn" serve --data "$work/data" --api-listen 127.0.0.1:0 --objects-listen 127.0.0.1:0 \
    --ready-file "$work/ready.json" >"$work/log" 2>&1 &
  server=$!
  for _ in $(seq 1 600); do
    [ -s "$work/ready.json" ] && break
    kill -0 "$server" || { echo "cairn did not start"; exit 1; }
    sleep 0.05
  done
  field() { sed -n "s/.*\"$2\" *: *\"\([^\"]*\)\".*/\1/p" "$1"; }
  CAIRN_OBJECTS=$(field "$work/ready.json" objects)
  AWS_ACCESS_KEY_ID=$(field "$work/data/keys/admin-s3.json" access_key_id)
  AWS_SECRET_ACCESS_KEY=$(field "$work/data/keys/admin-s3.json" secret_access_key)
  export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
fi
export AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true AWS_PAGER= HOME="$work"
unset AWS_PROFILE AWS_SESSION_TOKEN 2>/dev/null || true

bucket="awscli-$$-$RANDOM"
passed=0
s3() { aws --endpoint-url "$CAIRN_OBJECTS" s3 "$@"; }
api() { aws --endpoint-url "$CAIRN_OBJECTS" s3api "$@"; }
pass() { passed=$((passed + 1)); echo "ok $passed - $1"; }
# expect_error CODE COMMAND...: the command fails, and says so.
expect_error() {
  local code=$1
  shift
  if "$@" >"$work/out" 2>&1; then echo "expected $code from: $*"; return 1; fi
  grep -q "($code)" "$work/out" || { echo "expected $code from: $*"; cat "$work/out"; return 1; }
}
same() { cmp "$1" "$2" || { echo "$1 and $2 differ"; return 1; }; }

# contains PATTERN COMMAND...: reads all of the output, so that the command never writes to nobody.
contains() {
  local pattern=$1
  shift
  "$@" >"$work/out"
  grep -q -- "$pattern" "$work/out" || { echo "no '$pattern' from: $*"; cat "$work/out"; return 1; }
}

cd "$work"
mkdir -p tree/sub "tree/with space"
: >tree/empty
printf x >tree/one
head -c 20000000 /dev/urandom >tree/large
head -c 100000 /dev/urandom >"tree/with space/ümlaut + plus & more.bin"
printf 'deep' >tree/sub/deep.txt

s3 mb "s3://$bucket" >/dev/null
contains " $bucket\$" s3 ls
api head-bucket --bucket "$bucket"
[ "$(api get-bucket-location --bucket "$bucket" --output text)" = None ]
pass "a bucket is made and found"
expect_error InvalidBucketName api create-bucket --bucket Not_A_Name
expect_error 404 api head-bucket --bucket "$bucket-none"
expect_error NoSuchBucket s3 ls "s3://$bucket-none"
pass "wrong names are refused"

for name in empty one large; do
  s3 cp --no-progress "tree/$name" "s3://$bucket/cp/$name" >/dev/null
  s3 cp --no-progress "s3://$bucket/cp/$name" "back-$name" >/dev/null
  same "tree/$name" "back-$name"
done
pass "files of 0 B, 1 B and 20 MB go up and come down"
[ "$(api head-object --bucket "$bucket" --key cp/large --query ContentLength)" = 20000000 ]
contains '-3' api head-object --bucket "$bucket" --key cp/large --query ETag
contains ' 20000000 large$' s3 ls "s3://$bucket/cp/"
pass "a large file is one multipart object"
printf 'from a pipe' | s3 cp - "s3://$bucket/pipe"
[ "$(s3 cp "s3://$bucket/pipe" -)" = 'from a pipe' ]
pass "streams go both ways"

s3 sync --no-progress tree "s3://$bucket/tree" >/dev/null
[ "$(s3 sync --no-progress tree "s3://$bucket/tree" | wc -l)" = 0 ]
s3 sync --no-progress "s3://$bucket/tree" tree2 >/dev/null
diff -r tree tree2
pass "a folder is synchronised up and down"
rm tree/one
contains 'delete: .*/tree/one' s3 sync --no-progress --delete tree "s3://$bucket/tree"
expect_error 404 api head-object --bucket "$bucket" --key tree/one
pass "what vanished is deleted"
s3 cp --no-progress "s3://$bucket/cp/large" "s3://$bucket/copied" >/dev/null
s3 mv --no-progress "s3://$bucket/copied" "s3://$bucket/moved" >/dev/null
s3 cp --no-progress "s3://$bucket/moved" moved >/dev/null
same moved tree/large
pass "objects are copied and moved inside"

printf 'one' >body1
printf 'two' >body2
api put-object --bucket "$bucket" --key facts --body body1 --content-type text/x-test \
  --cache-control no-store --metadata color=red,size=large >put.json
etag=$(api head-object --bucket "$bucket" --key facts --query ETag --output text)
[ "$(api head-object --bucket "$bucket" --key facts --query 'Metadata.color' --output text)" = red ]
[ "$(api head-object --bucket "$bucket" --key facts --query ContentType --output text)" = text/x-test ]
pass "what is said about an object is kept"
api get-object --bucket "$bucket" --key facts --range bytes=1-1 range >/dev/null
[ "$(cat range)" = n ]
expect_error InvalidRange api get-object --bucket "$bucket" --key facts --range bytes=9-10 range
expect_error 304 api get-object --bucket "$bucket" --key facts --if-none-match "$etag" none
expect_error PreconditionFailed api get-object --bucket "$bucket" --key facts --if-match '"x"' none
expect_error NoSuchKey api get-object --bucket "$bucket" --key nothing none
pass "ranges and conditions of reads"
# This awscli has no option for conditional writes; curl signs them by itself.
signed_put() {
  curl -s -o "$work/out" -w '%{http_code}' --aws-sigv4 aws:amz:us-east-1:s3 \
    --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' \
    -H "$3" -T "$2" "$CAIRN_OBJECTS/$bucket/$1"
}
[ "$(signed_put facts body2 'If-None-Match: *')" = 412 ]
[ "$(signed_put fresh body2 'If-None-Match: *')" = 200 ]
[ "$(signed_put facts body2 'If-Match: "x"')" = 412 ]
[ "$(signed_put facts body1 "If-Match: $etag")" = 200 ]
pass "conditional writes"
for sum in CRC32 SHA1 SHA256; do
  api put-object --bucket "$bucket" --key "sum-$sum" --body body1 --checksum-algorithm "$sum" >/dev/null
  contains "Checksum$sum" \
    api head-object --bucket "$bucket" --key "sum-$sum" --checksum-mode ENABLED
done
pass "checksums of three algorithms are verified and returned"
expect_error InvalidDigest api put-object --bucket "$bucket" --key facts --body body1 --content-md5 AAAA
expect_error BadDigest api put-object --bucket "$bucket" --key facts --body body1 \
  --content-md5 AAAAAAAAAAAAAAAAAAAAAA==
pass "a wrong Content-MD5 is refused"

url=$(s3 presign "s3://$bucket/facts" --expires-in 60)
[ "$(curl -sf "$url")" = one ]
case $url in *0) changed=${url%?}1 ;; *) changed=${url%?}0 ;; esac
[ "$(curl -s -o /dev/null -w '%{http_code}' "$changed")" = 403 ]
[ "$(curl -s -o /dev/null -w '%{http_code}' "$CAIRN_OBJECTS/$bucket/facts")" = 403 ]
pass "a presigned URL works with curl; changed or without a signature it does not"

[ "$(api list-objects --bucket "$bucket" --prefix tree/ --delimiter / --query 'length(CommonPrefixes)')" = 2 ]
[ "$(api list-objects-v2 --bucket "$bucket" --page-size 2 --query 'length(Contents)')" \
  = "$(s3 ls --recursive "s3://$bucket" | wc -l)" ]
pass "listings in pages are complete"
id=$(api create-multipart-upload --bucket "$bucket" --key parts --query UploadId --output text)
api upload-part --bucket "$bucket" --key parts --upload-id "$id" --part-number 1 --body body1 >/dev/null
[ "$(api list-parts --bucket "$bucket" --key parts --upload-id "$id" --query 'length(Parts)')" = 1 ]
[ "$(api list-multipart-uploads --bucket "$bucket" --query 'length(Uploads)')" = 1 ]
expect_error InvalidPart api complete-multipart-upload --bucket "$bucket" --key parts \
  --upload-id "$id" --multipart-upload 'Parts=[{PartNumber=1,ETag=wrong}]'
api abort-multipart-upload --bucket "$bucket" --key parts --upload-id "$id"
expect_error NoSuchUpload api list-parts --bucket "$bucket" --key parts --upload-id "$id"
pass "an upload is followed and aborted"

printf '{"Objects":[{"Key":"facts"},{"Key":"never there"}],"Quiet":false}' >delete.json
[ "$(api delete-objects --bucket "$bucket" --delete file://delete.json --query 'length(Deleted)')" = 2 ]
expect_error BucketNotEmpty api delete-bucket --bucket "$bucket"
s3 rm "s3://$bucket/pipe" >/dev/null
s3 rm --recursive "s3://$bucket/tree" >/dev/null
s3 rb --force "s3://$bucket" >/dev/null
expect_error 404 api head-bucket --bucket "$bucket"
pass "objects and bucket are removed"
expect_error InvalidAccessKeyId env AWS_ACCESS_KEY_ID=NOBODY aws --endpoint-url "$CAIRN_OBJECTS" s3 ls
expect_error SignatureDoesNotMatch env AWS_SECRET_ACCESS_KEY=wrong aws --endpoint-url "$CAIRN_OBJECTS" s3 ls
pass "wrong keys are refused"
echo "awscli: $passed groups passed ($(aws --version))"
