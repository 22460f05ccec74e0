#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's s3cmd, unmodified, against the object service: s3cmd.sh PATH_OF_CAIRN.
# shellcheck source=objects.sh
. "$(dirname "$0")/objects.sh"
need s3cmd s3cmd
start_objects

s3() {
  /usr/bin/s3cmd --no-ssl --host "${objects#http://}" --host-bucket "${objects#http://}" \
    --region us-east-1 --no-progress --config /dev/null \
    --access_key "$AWS_ACCESS_KEY_ID" --secret_key "$AWS_SECRET_ACCESS_KEY" "$@"
}

odd_tree tree
run s3 mb s3://tree
run s3 ls
prints 's3://tree$'
run s3 info s3://tree
prints 'Location: *us-east-1'
refused s3 mb s3://Not_A_Name
run s3 --multipart-chunk-size-mb 5 sync tree/ s3://tree/t/
expect "$(s3 ls -r s3://tree | wc -l)" "$(find tree -type f | wc -l)" "files listed"
run s3 sync s3://tree/t/ back/
diff -r tree back
run s3 sync tree/ s3://tree/t/
silent_about 'upload:'
pass "a tree with odd names goes up, its large file in parts, comes down, and is in step"

run s3 info s3://tree/t/large
prints 'File size: *20000000'
run s3 ls s3://tree/t/
prints 'DIR  *s3://tree/t/sub/'
run s3 du s3://tree
prints 's3://tree'
run s3 get --force --continue s3://tree/t/large part
same part tree/large
pass "facts, folders and sums are told"

run s3 cp s3://tree/t/large s3://tree/copy/large
run s3 cp 's3://tree/t/with space/a+b' 's3://tree/copy/b+a %'
run s3 mv 's3://tree/copy/b+a %' 's3://tree/copy/moved'
run s3 get s3://tree/copy/moved moved
expect "$(cat moved)" 'a+b' "what was moved"
run s3 modify --add-header 'Content-Type: text/x-test' --add-header x-amz-meta-color:red s3://tree/copy/moved
run s3 info s3://tree/copy/moved
prints 'MIME type: *text/x-test'
prints 'x-amz-meta-color: red'
printf 'from a pipe' >pipe
run s3 put - s3://tree/piped <pipe
run s3 get s3://tree/piped -
prints 'from a pipe'
pass "objects are copied, moved, changed, and taken from pipes"

cat >policy.json <<'END'
{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::210987654321:root"},
 "Action":["s3:GetObject","s3:ListBucket"],"Resource":["arn:aws:s3:::tree","arn:aws:s3:::tree/*"]}]}
END
read -r id secret <<<"$(make_pair --account 210987654321)"
as_other() { AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret s3 "$@"; }
refused as_other get s3://tree/piped other
run s3 setpolicy policy.json s3://tree
run as_other get s3://tree/piped other
expect "$(cat other)" 'from a pipe' "the object for another account"
refused as_other put pipe s3://tree/theirs
run s3 delpolicy s3://tree
refused as_other get --force s3://tree/piped other
pass "a policy opens a bucket for another account, and its removal shuts it"

cat >rules.xml <<'END'
<LifecycleConfiguration><Rule><ID>tmp</ID><Filter><Prefix>tmp/</Prefix></Filter><Status>Enabled</Status>
<Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>
END
run s3 setlifecycle rules.xml s3://tree
run s3 getlifecycle s3://tree
prints '<Days>3</Days>'
run s3 dellifecycle s3://tree
run s3 expire --expiry-days 5 --expiry-prefix old/ s3://tree
run s3 getlifecycle s3://tree
prints '<Days>5</Days>'
cat >cors.xml <<'END'
<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>
END
run s3 setcors cors.xml s3://tree
expect "$(curl -s -D - -o /dev/null -X OPTIONS -H 'Origin: http://a.example.com' \
  -H 'Access-Control-Request-Method: GET' "$objects/tree/piped" | grep -ci '^access-control-allow-origin: \*')" 1 "preflight"
run s3 delcors s3://tree
pass "rules of lifecycle and CORS are set and removed"

run s3 put --multipart-chunk-size-mb 5 --storage-class STANDARD_IA --server-side-encryption tree/large s3://tree/sse
run s3 info s3://tree/sse
prints 'Storage: *STANDARD_IA'
prints 'SSE: *AES256'
run s3 multipart s3://tree
silent_about large
pass "storage classes and encryption are kept"

url=$(s3 signurl s3://tree/piped +60)
expect "$(curl -s -o /dev/null -w '%{http_code}' "$url")" 200 "its presigned URLs, which are of version 2"
expect "$(curl -s -o /dev/null -w '%{http_code}' "$url&prefix=a")" 403 "one with more than was signed"
pass "presigned URLs work with curl; with more than was signed they do not"
run s3 del 's3://tree/copy/large'
run s3 rb --force --recursive s3://tree
expect "$(s3 ls | wc -l)" 0 "buckets left"
pass "a bucket is emptied and removed"
echo "s3cmd: $passed groups passed ($(/usr/bin/s3cmd --version))"
