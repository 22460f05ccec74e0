#!/usr/bin/env python3
"""Buckets of another store come with all that their objects carry: cairn objects sync --from-endpoint-url.

    object_import_test.py CAIRN

The other store is a Cairn too, asked as any S3 store is. What arrives is compared by requests of this test.
"""

import base64
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = None
KEPT = ("Content-Type", "Cache-Control", "Content-Disposition", "Content-Language", "x-amz-meta-kind", "x-amz-meta-empty",
        "x-amz-storage-class", "x-amz-tagging-count", "ETag", "x-amz-website-redirect-location")


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def imported(far, near, *more, expect=0, source="s3://source/a", target="s3://target/b", keys=None):
    words = [BINARY, "objects", "sync", source, target, "--from-endpoint-url", far.objects,
             "--from-credentials-file", keys or os.path.join(far.data, "keys/admin-s3.json"), "--endpoint-url", near.objects,
             "--credentials-file", os.path.join(near.data, "keys/admin-s3.json"), "--quiet", *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    check(done.returncode == expect, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def fill(objects):
    objects.ok("PUT", "/source")
    versioning(objects, "/source")
    objects.ok("PUT", "/source?ownershipControls=", "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule></OwnershipControls>")
    objects.ok("DELETE", "/source?publicAccessBlock=")
    headers = {"Content-Type": "text/x-kept", "Cache-Control": "max-age=7", "Content-Disposition": "attachment", "Content-Language": "de",
               "x-amz-meta-kind": "page", "x-amz-meta-empty": "", "x-amz-tagging": "colour=light%20blue&n=1", "x-amz-storage-class": "STANDARD_IA",
               "x-amz-website-redirect-location": "/elsewhere"}
    objects.ok("PUT", "/source/a/page", b"first", headers=headers)
    objects.ok("PUT", "/source/a/page", b"second", headers=headers)
    objects.ok("PUT", "/source/a/gone", b"once")
    objects.ok("DELETE", "/source/a/gone")
    objects.ok("PUT", "/source/a/m%C3%BCll%20+%26.txt", b"odd name")
    objects.ok("PUT", "/source/a/empty", b"")
    objects.ok("PUT", "/source/a/public", b"for all", headers={"x-amz-acl": "public-read"})
    objects.ok("PUT", "/source/outside", b"not below the prefix")
    begun = objects.ok("POST", "/source/a/parts?uploads=").text("UploadId")
    tags = [objects.ok("PUT", f"/source/a/parts?partNumber={n}&uploadId={begun}", bytes([64 + n]) * size).headers["ETag"]
            for n, size in ((1, 6 << 20), (2, 6 << 20), (3, 100))]
    objects.ok("POST", f"/source/a/parts?uploadId={begun}", "<CompleteMultipartUpload>" + "".join(
        f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in enumerate(tags, 1)) + "</CompleteMultipartUpload>")
    for i in range(1100):  # more than a page
        objects.ok("PUT", f"/source/a/many/{i:04}", str(i).encode(), connection=CONNECTIONS.setdefault(id(objects), objects.connect()))


CONNECTIONS = {}


def versioning(objects, bucket):
    objects.ok("PUT", bucket + "?versioning=", "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")


def versions_of(objects, bucket, prefix):
    """[(key below the prefix, marker or ETag)], the newest first."""
    out, marker = [], ""
    while True:
        page = objects.ok("GET", f"/{bucket}?encoding-type=url{marker}&prefix={prefix}&versions=").body.decode()
        for kind, inner in re.findall(r"<(Version|DeleteMarker)>(.*?)</\1>", page, re.S):
            key = re.search(r"<Key>(.*?)</Key>", inner).group(1)
            etag = re.search(r"<ETag>(.*?)</ETag>", inner)
            out.append((key[len(prefix):], etag.group(1) if kind == "Version" else "marker"))
        if "<IsTruncated>true" not in page:
            return out
        following = re.search(r"<NextKeyMarker>(.*?)</NextKeyMarker>", page).group(1)
        version = re.search(r"<NextVersionIdMarker>(.*?)</NextVersionIdMarker>", page).group(1)
        marker = f"&key-marker={following}&version-id-marker={version}"


def with_versions(far, near):
    source, target = Objects(far), Objects(near)
    fill(source)
    target.ok("PUT", "/target")
    target.ok("PUT", "/target?ownershipControls=", "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule></OwnershipControls>")
    target.ok("DELETE", "/target?publicAccessBlock=")
    said = imported(far, near, "--versions", expect=64)
    check("put-bucket-versioning" in said, said)
    versioning(target, "/target")
    imported(far, near, "--versions", "--dry-run")
    check(versions_of(target, "target", "b/") == [], "a dry run copies nothing")
    imported(far, near, "--versions", "--acls")
    expected = versions_of(source, "source", "a/")
    check(len(expected) > 1100 and expected == versions_of(target, "target", "b/"), len(expected), versions_of(target, "target", "b/")[:10])
    for key in ("page", "m%C3%BCll%20+%26.txt", "empty", "parts", "public"):
        one, other = (side.ok("GET", path + key) for side, path in ((source, "/source/a/"), (target, "/target/b/")))
        check(one.body == other.body, key)
        for header in KEPT:
            check(one.headers.get(header) == other.headers.get(header), key, header, one.headers.get(header), other.headers.get(header))
    check(target.ok("GET", "/target/b/page?tagging=").body == source.ok("GET", "/source/a/page?tagging=").body, "tags")
    check(target.ask("GET", "/target/b/gone").status == 404, "deleted there, deleted here")
    check(b"AllUsers" in target.ok("GET", "/target/b/public?acl=").body and b"AllUsers" not in target.ok("GET", "/target/b/page?acl=").body, "grants")
    check(target.ask("GET", "/target/outside").status == 404 and target.ask("GET", "/target/boutside").status == 404, "the prefix")
    imported(far, near, "--versions")
    check(expected == versions_of(target, "target", "b/"), "a second run has nothing to do")
    source.ok("PUT", "/source/a/page", b"third")
    source.ok("DELETE", "/source/a/public")
    imported(far, near, "--versions")
    check(versions_of(source, "source", "a/") == versions_of(target, "target", "b/"), "what came since")
    target.ok("PUT", "/target/b/page", b"its own")
    source.ok("PUT", "/source/a/page", b"fourth")
    said = imported(far, near, "--versions", expect=1)
    check("versions of its own" in said and target.ok("GET", "/target/b/page").body == b"its own", said)


def without_versions(far, near):
    source, target = Objects(far), Objects(near)
    target.ok("DELETE", "/target/b/page")
    imported(far, near)
    check(target.ok("GET", "/target/b/page").body == b"fourth", "the current one")
    source.ok("PUT", "/source/a/empty", b"not any more")
    imported(far, near)
    check(target.ok("GET", "/target/b/empty").body == b"not any more", "another size")
    for words in (("--delete",), ("--versions", "--delete")):
        check("without --delete" in imported(far, near, *words, expect=64), words)
    done = subprocess.run([BINARY, "objects", "sync", ".", "s3://target", "--versions"], capture_output=True, text=True)
    check(done.returncode == 64 and "two buckets" in done.stderr, done.returncode, done.stderr)


def locked(far, near):
    """Retention and legal hold, of versions and of uploads in parts."""
    source, target = Objects(far), Objects(near)
    lock = {"x-amz-bucket-object-lock-enabled": "true"}
    source.ok("PUT", "/held", headers=lock)

    def retained(mode, until):
        return {"x-amz-object-lock-mode": mode, "x-amz-object-lock-retain-until-date": until}
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
    def put(key, body, headers):
        digest = base64.b64encode(hashlib.md5(body).digest()).decode()
        source.ok("PUT", "/held/" + key, body, headers={**headers, "Content-MD5": digest})
    put("over", b"over", retained("GOVERNANCE", soon.strftime("%Y-%m-%dT%H:%M:%SZ")))
    late, later = "2087-01-02T03:04:05Z", "2088-01-02T03:04:05Z"
    put("both", b"first", {**retained("GOVERNANCE", late), "x-amz-object-lock-legal-hold": "ON"})
    put("both", b"second", retained("COMPLIANCE", later))
    source.ok("PUT", "/held/free", b"free")
    put("was", b"was held", {"x-amz-object-lock-legal-hold": "ON"})
    off = b"<LegalHold><Status>OFF</Status></LegalHold>"
    source.ok("PUT", "/held/was?legal-hold=", off, headers={"Content-MD5": base64.b64encode(hashlib.md5(off).digest()).decode()})
    begun = source.ok("POST", "/held/parts?uploads=", headers={**retained("COMPLIANCE", late), "x-amz-object-lock-legal-hold": "ON"}).text("UploadId")
    tags = [source.ok("PUT", f"/held/parts?partNumber={n}&uploadId={begun}", bytes([64 + n]) * size).headers["ETag"]
            for n, size in ((1, 6 << 20), (2, 100))]
    source.ok("POST", f"/held/parts?uploadId={begun}", "<CompleteMultipartUpload>" + "".join(
        f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in enumerate(tags, 1)) + "</CompleteMultipartUpload>")
    while datetime.datetime.now(datetime.timezone.utc) <= soon:
        time.sleep(0.05)  # until the first retention is over

    def locks_of(objects, bucket):
        """{key: [(mode, until, hold, bytes)]}, the newest first, as HEAD of each version tells them."""
        out = {}
        page = objects.ok("GET", f"/{bucket}?versions=").body.decode()
        for inner in re.findall(r"<Version>(.*?)</Version>", page, re.S):
            key, version = (re.search(f"<{name}>(.*?)</{name}>", inner).group(1) for name in ("Key", "VersionId"))
            head = objects.ok("GET", f"/{bucket}/{key}?versionId={version}")
            out.setdefault(key, []).append(tuple(head.headers.get("x-amz-object-lock-" + name) for name in
                                                 ("mode", "retain-until-date", "legal-hold")) + (len(head.body),))
        return out

    def moved(bucket, *more, expect):
        return imported(far, near, *more, expect=expect, source="s3://held", target=f"s3://{bucket}")
    target.ok("PUT", "/locked", headers=lock)
    moved("locked", "--versions", expect=0)

    def in_force(locks):
        """Without retention that is over, and with holds that are off as none."""
        return {key: [(None, None, None, one[3]) if key == "over" else one[:2] + (None if one[2] == "OFF" else one[2],) + one[3:]
                      for one in versions] for key, versions in locks.items()}
    there, here = locks_of(source, "held"), locks_of(target, "locked")
    check(in_force(there) == in_force(here), there, here)
    check([one[0] for one in here["both"]] == ["COMPLIANCE", "GOVERNANCE"] and here["both"][1][2] == "ON", here)
    check(here["parts"][0][0] == "COMPLIANCE" and here["over"][0][0] is None, here)
    version = re.search(r"<Version>.*?<Key>parts</Key>.*?<VersionId>(.*?)</VersionId>",
                        re.sub(r"(?s)^.*?(?=<Version><Key>parts)", "", target.ok("GET", "/locked?versions=&prefix=parts").body.decode()), re.S).group(1)
    check(target.ask("DELETE", f"/locked/parts?versionId={version}").status == 403, "it is locked here")
    check("not carried over" not in moved("locked", "--versions", expect=0), "a second run has nothing to tell")
    # A bucket without object lock takes the objects, and what they lose is told by name.
    target.ok("PUT", "/open")
    versioning(target, "/open")
    said = moved("open", "--versions", expect=2)
    lines = sorted(line for line in said.splitlines() if "not carried over" in line)
    where = ": the target bucket has no object lock"
    check([line.partition("not carried over: ")[2] for line in lines] == [
        "s3://open/both: retention COMPLIANCE until 2088-01-02T03:04:05.000Z" + where,
        "s3://open/both: retention GOVERNANCE until 2087-01-02T03:04:05.000Z, legal hold" + where,
        "s3://open/parts: retention COMPLIANCE until 2087-01-02T03:04:05.000Z, legal hold" + where], said)
    check([len(versions) for versions in locks_of(target, "open").values()] == [2, 1, 1, 1, 1], locks_of(target, "open"))
    target.ok("PUT", "/now")
    said = moved("now", "--json", expect=2)
    told = [json.loads(line) for line in said.splitlines() if '"without"' in line]
    check(sorted(one["destination"] for one in told) == ["s3://now/both", "s3://now/parts"], said)
    # Who may read objects and not their locks is told so.
    target.ok("PUT", "/blind", headers=lock)
    said = imported(far, near, "--versions", expect=2, source="s3://held", target="s3://blind", keys=reader_of(far))
    check("s3://blind/free: its retention, which cannot be read" in said and "its legal hold" in said, said)


def reader_of(far):
    """A user of the other store who may list and read objects, and nothing else: a file of its keys."""
    policy = {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:ListBucketVersions", "s3:GetObject", "s3:GetObjectVersion"], "Resource": "*"}]}
    made = far.ok("POST", "/_security/object_key", {"user": "reader", "policy": policy})
    path = os.path.join(far.folder, "reader.json")
    with open(path, "w") as file:
        json.dump(made, file)
    return path


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    far, near = (Cairn(BINARY).start("--set", "rate_limit.enabled=false") for _ in range(2))
    for part in (with_versions, without_versions, locked):
        part(far, near)
        print(f"{part.__name__}: as it should be", flush=True)
    check(far.stop() == 0 and near.stop() == 0, "stop")


if __name__ == "__main__":
    main()
