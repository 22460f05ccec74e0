#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's awscli, unmodified, against the object service: awscli.sh PATH_OF_CAIRN.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=objects.sh
. "$here/objects.sh"
need /usr/bin/aws awscli
# /usr/bin: a version manager may have another python3, without the package.
/usr/bin/python3 "$here/forked_aws.py" --listen "$work/aws" &
loaded=$!
at_end() { kill "$loaded"; }
start_objects
for _ in $(seq 1 600); do
  [ -S "$work/aws" ] && break
  kill -0 "$loaded" || fail "awscli was not loaded"
  sleep 0.05
done

bucket="awscli-$RANDOM"
aws() { /usr/bin/python3 -IS "$here/forked_aws.py" "$work/aws" "$@"; }
s3() { aws --endpoint-url "$objects" s3 "$@"; }
api() { aws --endpoint-url "$objects" s3api "$@"; }
# as ACCESS_KEY SECRET s3|s3api WORD...
as() {
  local id=$1 secret=$2
  shift 2
  AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret aws --endpoint-url "$objects" "$@"
}
nobody() { aws --endpoint-url "$objects" --no-sign-request s3api "$@"; }
# expect_error CODE COMMAND...: the command fails, and says so.
expect_error() {
  local code=$1
  shift
  refused "$@"
  prints "($code)"
}
# contains PATTERN COMMAND...: reads all of the output, so that the command never writes to nobody.
contains() {
  local pattern=$1
  shift
  run "$@"
  prints "$pattern"
}

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
    -H "$3" -T "$2" "$objects/$bucket/$1"
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
[ "$(curl -s -o /dev/null -w '%{http_code}' "$objects/$bucket/facts")" = 403 ]
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

versioned="$bucket-versions"
api create-bucket --bucket "$versioned" --object-lock-enabled-for-bucket >/dev/null
first=$(api put-object --bucket "$versioned" --key k --body body1 --query VersionId --output text)
api put-object --bucket "$versioned" --key k --body body2 >/dev/null
contains '"DeleteMarker": true' api delete-object --bucket "$versioned" --key k
expect_error NoSuchKey api get-object --bucket "$versioned" --key k none
api get-object --bucket "$versioned" --key k --version-id "$first" back >/dev/null
same back body1
[ "$(api list-object-versions --bucket "$versioned" --query '[length(Versions),length(DeleteMarkers)]' --output text)" = "2	1" ]
pass "versions and delete markers"
api put-object-retention --bucket "$versioned" --key k --version-id "$first" \
  --retention "Mode=GOVERNANCE,RetainUntilDate=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)"
expect_error AccessDenied api delete-object --bucket "$versioned" --key k --version-id "$first"
api delete-object --bucket "$versioned" --key k --version-id "$first" --bypass-governance-retention >/dev/null
pass "a locked version stays until the lock is lifted"
tags='TagSet=[{Key=team,Value=a b}]'
api put-bucket-tagging --bucket "$versioned" --tagging "$tags"
contains '"a b"' api get-bucket-tagging --bucket "$versioned"
pass "tags"

read -r id secret <<<"$(make_pair --account 210987654321)"
api put-object --bucket "$versioned" --key open --body body1 >/dev/null
expect_error AccessDenied as "$id" "$secret" s3api get-object --bucket "$versioned" --key open none
allow() {
  echo "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":$1,
    \"Action\":\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::$versioned/open\"}]}"
}
api put-bucket-policy --bucket "$versioned" --policy "$(allow '{"AWS":"210987654321"}')"
run as "$id" "$secret" s3api get-object --bucket "$versioned" --key open none
expect_error AccessDenied nobody get-object --bucket "$versioned" --key open none
expect_error AccessDenied api put-bucket-policy --bucket "$versioned" --policy "$(allow '"*"')"
api delete-public-access-block --bucket "$versioned"
api put-bucket-policy --bucket "$versioned" --policy "$(allow '"*"')"
run nobody get-object --bucket "$versioned" --key open none
same none body1
pass "a policy opens an object for another account, and for everybody"
expect_error AccessControlListNotSupported \
  api put-object-acl --bucket "$versioned" --key open --acl public-read
head -c 32 /dev/urandom >key
expect_error InvalidRequest api put-object --bucket "$versioned" --key sse --body body1 \
  --sse-customer-algorithm AES256 --sse-customer-key fileb://key
pass "ACLs are off by default, and a customer's key needs TLS"
expect_error InvalidAccessKeyId as NOBODY x s3 ls
expect_error SignatureDoesNotMatch as "$AWS_ACCESS_KEY_ID" wrong s3 ls
pass "wrong keys are refused"
echo "awscli: $passed groups passed ($(aws --version))"
