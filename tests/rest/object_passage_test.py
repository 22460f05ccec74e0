#!/usr/bin/env python3
"""The object storage on the platform's port: everything that a browser of objects asks, through the program, with an
administrator's key, with a key of few rights, and with one that has none; and what counts for whom.

    object_passage_test.py CAIRN
"""

import base64
import hashlib
import http.client
import json
import os
import re
import sys
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

ODD = ["plain", "a b", "ä/ö/ü", "dir/", "dir//double", "..", "a/../b", "./x", "/leading", "q?u=e&r#y", "pl+us%41%2F",
       "semi;colon=", "*'()!", "\u2603 \U0001f600", "back\\slash", "\"quotes\"<&>", "a" * 900]


class Passage:
    def __init__(self, cairn, key):
        self.cairn, self.key = cairn, key

    def ask(self, method, path="", query="", body=None, headers=None):
        """Status, header fields in lower case, body. `path` is escaped already."""
        connection = self.cairn.connect()
        target = "/_cairn/objects" + path + ("?" + query if query else "")
        connection.putrequest(method, target, skip_accept_encoding=True)
        sent = {"Authorization": "ApiKey " + self.key, **(headers or {})}
        if body is not None or method in ("PUT", "POST"):
            sent["Content-Length"] = str(len(body or b""))
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        return answer.status, fields, text

    def ok(self, method, path="", query="", body=None, headers=None):
        if query and body and body.startswith(b"<") or query == "policy":  # documents are sent with a digest
            digest = base64.b64encode(hashlib.md5(body or b"").digest()).decode()
            headers = {**({"Content-MD5": digest} if method in ("PUT", "POST") else {}), **(headers or {})}
        status, fields, text = self.ask(method, path, query, body, headers)
        assert 200 <= status < 300, (method, path, query, status, text)
        check_harmless(fields)
        return fields, text


def check_harmless(fields):
    assert fields["content-disposition"] == "attachment", fields
    assert fields["x-content-type-options"] == "nosniff", fields
    assert fields["content-security-policy"] == "sandbox", fields


def escaped(key):
    return urllib.parse.quote(key, safe="/")


def buckets_and_objects(root):
    root.ok("PUT", "/shelf")
    assert b"<Name>shelf</Name>" in root.ok("GET")[1]
    root.ok("HEAD", "/shelf")
    fields, _ = root.ok("PUT", "/shelf/page.html", body=b"<script>alert(1)</script>",
                        headers={"Content-Type": "text/html", "x-amz-meta-origin": "here",
                                 "Content-Disposition": "inline", "Cache-Control": "public"})
    tag = fields["etag"]
    fields, text = root.ok("GET", "/shelf/page.html")
    assert text == b"<script>alert(1)</script>" and fields["content-type"] == "text/html"
    assert fields["x-amz-meta-origin"] == "here" and fields["etag"] == tag
    fields, text = root.ok("GET", "/shelf/page.html", "response-content-disposition=inline&response-content-type=text/html")
    assert text.startswith(b"<script>")
    fields, text = root.ok("HEAD", "/shelf/page.html")
    assert text == b"" and fields["content-length"] == "25"
    status, fields, text = root.ask("GET", "/shelf/page.html", headers={"Range": "bytes=0-7"})
    assert (status, text) == (206, b"<script>")
    check_harmless(fields)
    status, fields, _ = root.ask("GET", "/shelf/page.html", headers={"If-None-Match": tag})
    assert status == 304
    status, fields, text = root.ask("GET", "/shelf/none")
    assert status == 404 and b"<Code>NoSuchKey</Code>" in text, text
    check_harmless(fields)
    # As a part of a page nothing is given.
    for purpose in ("script", "style", "iframe", "worker", "serviceworker", "object", "image"):
        status, _, text = root.ask("GET", "/shelf/page.html", headers={"Sec-Fetch-Dest": purpose})
        assert status == 403 and b"alert" not in text, purpose
    root.ok("GET", "/shelf/page.html", headers={"Sec-Fetch-Dest": "empty"})
    root.ok("DELETE", "/shelf/page.html")


def odd_names(root):
    root.ok("PUT", "/odd")
    for number, key in enumerate(ODD):
        root.ok("PUT", "/odd/" + escaped(key), body=str(number).encode())
    for number, key in enumerate(ODD):
        assert root.ok("GET", "/odd/" + escaped(key))[1] == str(number).encode(), key
    _, text = root.ok("GET", "/odd", "list-type=2&encoding-type=url&max-keys=1000")
    listed = [urllib.parse.unquote_plus(one) for one in re.findall(r"<Key>(.*?)</Key>", text.decode())]
    assert listed == sorted(ODD, key=lambda key: key.encode()), listed
    _, text = root.ok("GET", "/odd", "list-type=2&delimiter=%2F&prefix=dir%2F")
    assert b"<Key>dir/</Key>" in text and b"<Prefix>dir//</Prefix>" in text, text
    first = root.ok("GET", "/odd", "list-type=2&max-keys=3")[1].decode()
    token = re.search("<NextContinuationToken>(.*?)</NextContinuationToken>", first).group(1)
    again = root.ok("GET", "/odd", "list-type=2&max-keys=1000&continuation-token=" + urllib.parse.quote(token))[1]
    assert again.count(b"<Key>") == len(ODD) - 3
    body = "<Delete>" + "".join(f"<Object><Key>{xml(key)}</Key></Object>" for key in ODD) + "</Delete>"
    _, text = root.ok("POST", "/odd", "delete", body.encode())
    assert text.count(b"<Deleted>") == len(ODD), text
    root.ok("DELETE", "/odd")
    status, _, text = root.ask("HEAD", "/odd")
    assert status == 404


def xml(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def versions_and_settings(root):
    root.ok("PUT", "/kept", headers={"x-amz-bucket-object-lock-enabled": "true"})
    assert b"Enabled" in root.ok("GET", "/kept", "versioning")[1]
    first = root.ok("PUT", "/kept/a", body=b"one")[0]["x-amz-version-id"]
    second = root.ok("PUT", "/kept/a", body=b"two")[0]["x-amz-version-id"]
    assert root.ok("GET", "/kept/a", "versionId=" + first)[1] == b"one"
    text = root.ok("GET", "/kept", "versions")[1]
    assert first.encode() in text and second.encode() in text
    root.ok("PUT", "/kept/a", "tagging", b"<Tagging><TagSet><Tag><Key>k</Key><Value>v w</Value></Tag></TagSet></Tagging>")
    assert b"<Value>v w</Value>" in root.ok("GET", "/kept/a", "tagging")[1]
    root.ok("DELETE", "/kept/a", "tagging")
    root.ok("PUT", "/kept/a", "legal-hold", b"<LegalHold><Status>ON</Status></LegalHold>")
    assert b"ON" in root.ok("GET", "/kept/a", "legal-hold")[1]
    status, _, text = root.ask("DELETE", "/kept/a", "versionId=" + second)
    assert status == 403, text
    root.ok("PUT", "/kept/a", "legal-hold", b"<LegalHold><Status>OFF</Status></LegalHold>")
    root.ok("DELETE", "/kept/a", "versionId=" + second)
    root.ok("PUT", "/kept/b", headers={"x-amz-copy-source": "/kept/a?versionId=" + first}, body=b"")
    assert root.ok("GET", "/kept/b")[1] == b"one"
    assert b"AccessControlPolicy" in root.ok("GET", "/kept/b", "acl")[1]
    lifecycle = (b"<LifecycleConfiguration><Rule><ID>old</ID><Status>Enabled</Status><Filter><Prefix>tmp/</Prefix></Filter>"
                 b"<Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>")
    root.ok("PUT", "/kept", "lifecycle", lifecycle)
    assert b"<ID>old</ID>" in root.ok("GET", "/kept", "lifecycle")[1]
    policy = json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::kept/hidden/*"}]}).encode()
    root.ok("PUT", "/kept", "policy", policy)
    assert json.loads(root.ok("GET", "/kept", "policy")[1])["Statement"][0]["Effect"] == "Deny"
    root.ok("DELETE", "/kept", "policy")
    assert b"LocationConstraint" in root.ok("GET", "/kept", "location")[1]


def uploads_in_parts(root):
    size = 5 << 20
    parts = [bytes([65 + n]) * size for n in range(2)] + [b"the end"]
    text = root.ok("POST", "/shelf/large%20one", "uploads")[1].decode()
    upload = re.search("<UploadId>(.*?)</UploadId>", text).group(1)
    tags = []
    for number, part in enumerate(parts, 1):
        tags.append(root.ok("PUT", "/shelf/large%20one", f"partNumber={number}&uploadId={upload}", part)[0]["etag"])
    assert root.ok("GET", "/shelf/large%20one", "uploadId=" + upload)[1].count(b"<Part>") == 3
    assert upload.encode() in root.ok("GET", "/shelf", "uploads")[1]
    done = "<CompleteMultipartUpload>" + "".join(
        f"<Part><PartNumber>{n}</PartNumber><ETag>{xml(tag)}</ETag></Part>" for n, tag in enumerate(tags, 1)) + \
        "</CompleteMultipartUpload>"
    assert b"CompleteMultipartUploadResult" in root.ok("POST", "/shelf/large%20one", "uploadId=" + upload, done.encode())[1]
    assert hashlib.sha256(root.ok("GET", "/shelf/large%20one")[1]).digest() == hashlib.sha256(b"".join(parts)).digest()
    text = root.ok("POST", "/shelf/given-up", "uploads")[1].decode()
    upload = re.search("<UploadId>(.*?)</UploadId>", text).group(1)
    root.ok("DELETE", "/shelf/given-up", "uploadId=" + upload)
    assert root.ask("GET", "/shelf/given-up", "uploadId=" + upload)[0] == 404


def chunked_body(cairn):
    """A body whose length nobody said."""
    connection = cairn.connect()
    connection.request("PUT", "/_cairn/objects/shelf/streamed", body=iter([b"a" * 70000, b"b" * 10]), encode_chunked=True,
                       headers={"Authorization": "ApiKey " + cairn.key, "Transfer-Encoding": "chunked"})
    answer = connection.getresponse()
    text = answer.read()
    # As on its own port: a length is needed.
    assert answer.status in (200, 411), (answer.status, text)
    connection.close()


def presigned(cairn, root):
    root.ok("PUT", "/shelf/a%20%C3%A4.txt", body=b"words")
    url = cairn.ok("POST", "/_cairn/objects/_presign", {"bucket": "shelf", "key": "a ä.txt", "expires_in_seconds": 60})["url"]
    assert url.startswith(cairn.objects), url
    place = urllib.parse.urlsplit(url)
    for changed, status in ((url, 200), (url.replace("shelf", "other"), 403)):
        place = urllib.parse.urlsplit(changed)
        connection = http.client.HTTPConnection(place.netloc, timeout=60)
        connection.request("GET", place.path + "?" + place.query)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == status, (changed, answer.status, text)
        assert status != 200 or text == b"words"
        connection.close()
    # To look at: by content, in a sandbox.
    for name, text, type_ in (("page.png", b"<!doctype html><script>", None), ("page.html", b"just words", "text/plain; charset=utf-8"),
                              ("x", b"\x89PNG\r\n\x1a\n" + bytes(8), "image/png"), ("empty", b"", None)):
        root.ok("PUT", "/shelf/" + name, body=text, headers={"Content-Type": "text/html"})
        made = cairn.ok("POST", "/_cairn/objects/_presign", {"bucket": "shelf", "key": name, "preview": True})
        assert made["type"] == type_, (name, made)
        place = urllib.parse.urlsplit(made["url"])
        connection = http.client.HTTPConnection(place.netloc, timeout=60)
        connection.request("GET", place.path + "?" + place.query)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read() == text
        assert answer.getheader("Content-Security-Policy") == "sandbox", answer.getheaders()
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Content-Type") == (type_ or "application/octet-stream")
        assert answer.getheader("Content-Disposition") == ("inline" if type_ else "attachment")
        connection.close()
        root.ok("DELETE", "/shelf/" + name)
    assert cairn.request("POST", "/_cairn/objects/_presign", {"bucket": "shelf", "key": "none", "preview": True})[0] == 404
    for body in ({"bucket": "shelf"}, {"bucket": "a/b", "key": "k"}, {"bucket": "shelf", "key": "k", "method": "POST"},
                 {"bucket": "shelf", "key": "k", "expires_in_seconds": 0}, {"bucket": "shelf", "key": "k", "more": 1},
                 {"bucket": "shelf", "key": "k", "expires_in_seconds": 604801}):
        status, answer = cairn.request("POST", "/_cairn/objects/_presign", body)
        assert status == 400, (body, status, answer)


def narrow_keys(cairn, root):
    """A reader of one bucket, and a key without an access key."""
    policy = {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"],
         "Resource": ["arn:aws:s3:::shelf", "arn:aws:s3:::shelf/*"]}]}
    accounts = cairn.ok("GET", "/_security/object_account")
    made = cairn.ok("POST", "/_security/api_key",
                    {"name": "reader", "role_descriptors": {"r": {"cluster": []}},
                     "objects": {"user": "reader", "policy": policy, "policy_name": "read"}})
    assert accounts is not None
    reader = Passage(cairn, made["encoded"])
    root.ok("PUT", "/shelf/words.txt", body=b"words")
    assert reader.ok("GET", "/shelf/words.txt")[1] == b"words"
    assert b"<Key>words.txt</Key>" in reader.ok("GET", "/shelf", "list-type=2")[1]
    for method, path, body in (("PUT", "/shelf/words.txt", b"mine"), ("DELETE", "/shelf/words.txt", None),
                               ("GET", "/kept/b", None), ("PUT", "/new-bucket", b"")):
        status, fields, text = reader.ask(method, path, body=body)
        assert status == 403 and b"<Code>AccessDenied</Code>" in text, (method, path, status, text)
        check_harmless(fields)
    assert root.ok("GET", "/shelf/words.txt")[1] == b"words"
    # What counts: the object storage's limits, once.
    _, fields, _ = reader.ask("GET", "/shelf/words.txt")
    before = int(fields["x-ratelimit-used"])
    assert fields["x-ratelimit-resource"] == "objects", fields
    _, fields, _ = reader.ask("GET", "/shelf/words.txt")
    assert int(fields["x-ratelimit-used"]) == before + 1, fields

    other = cairn.ok("POST", "/_security/api_key", {"name": "no-objects", "role_descriptors": {"r": {"cluster": ["monitor"]}}})
    status, fields, text = Passage(cairn, other["encoded"]).ask("GET")
    assert status == 403 and "access key" in json.loads(text)["error"]["reason"], text
    assert fields["content-type"] == "application/json"
    for headers in ({"Authorization": ""}, {"Authorization": "ApiKey bm9uZTpub25l"}):
        status, _, text = root.ask("GET", "/shelf/words.txt", headers=headers)
        assert status in (400, 401), (status, text)
    cairn.ok("DELETE", "/_security/api_key", {"ids": [made["id"]]})
    assert reader.ask("GET", "/shelf/words.txt")[0] == 401


def literal_paths(cairn, root):
    """Escapes in the part of the path that is this port's."""
    status, _, text = Passage(cairn, cairn.key).ask("GET", "/shelf/words.txt")
    assert status == 200
    connection = cairn.connect()
    connection.request("GET", "/%5fcairn/%6fbjects/shelf/words.txt", headers={"Authorization": "ApiKey " + cairn.key})
    answer = connection.getresponse()
    assert answer.status == 200 and answer.read() == b"words"
    connection.close()
    status, _, text = root.ask("PATCH", "/shelf/words.txt")
    assert status == 405, (status, text)


def main():
    # With a limit of its own, so that what counts is told.
    cairn = Cairn(sys.argv[1]).start("--set", "rate_limit.objects=100000")
    root = Passage(cairn, cairn.key)
    buckets_and_objects(root)
    odd_names(root)
    versions_and_settings(root)
    uploads_in_parts(root)
    chunked_body(cairn)
    presigned(cairn, root)
    narrow_keys(cairn, root)
    literal_paths(cairn, root)
    assert cairn.stop() == 0
    print("ok")


if __name__ == "__main__":
    main()
