#!/usr/bin/env python3
"""GET /_cairn/limits/_explain for both ports: for a table of operations of the object storage and of git-lfs, what it
says is what a request is charged then.

    limit_explain_test.py CAIRN
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

SETTINGS = {"rate_limit": {
    "objects": 10_000,
    "points": {"routes": [{"match": "PUT /{bucket}?tagging", "points": 17}]},
    "rules": [
        {"name": "photos", "index": "photos*", "per": "index", "limit": 50},
        {"name": "tenants", "header": "X-Tenant", "per": "header", "limit": 50},
        {"name": "watched", "match": "GET /_cat/*", "limit": 0, "shadow": True}]}}

UPLOAD = "no-such-upload"
# Method, target, header fields, operation, points, rules.
OPERATIONS = [
    ("GET", "/", {}, "ListBuckets", 1, []),
    ("PUT", "/plain", {}, "CreateBucket", 5, []),
    ("HEAD", "/plain", {}, "HeadBucket", 1, []),
    ("GET", "/plain", {}, "ListObjects", 1, []),
    ("GET", "/plain?list-type=2&prefix=a", {}, "ListObjectsV2", 1, []),
    ("GET", "/plain?location", {}, "GetBucketLocation", 1, []),
    ("GET", "/plain?versions", {}, "ListObjectVersions", 1, []),
    ("PUT", "/plain?tagging", {}, "PutBucketTagging", 17, []),
    ("GET", "/plain?tagging", {}, "GetBucketTagging", 1, []),
    ("PUT", "/plain/a/b%20c", {}, "PutObject", 5, []),
    ("PUT", "/plain/copy", {"x-amz-copy-source": "/plain/a/b%20c"}, "CopyObject", 5, []),
    ("GET", "/plain/a/b%20c", {"Range": "bytes=0-1"}, "GetObject", 1, []),
    ("HEAD", "/plain/none", {}, "HeadObject", 1, []),
    ("GET", "/plain/copy?tagging", {}, "GetObjectTagging", 1, []),
    ("GET", "/plain/copy?retention", {}, "GetObjectRetention", 1, []),
    ("POST", "/plain/large?uploads", {}, "CreateMultipartUpload", 5, []),
    ("PUT", f"/plain/large?partNumber=1&uploadId={UPLOAD}", {}, "UploadPart", 5, []),
    ("PUT", f"/plain/large?partNumber=1&uploadId={UPLOAD}", {"x-amz-copy-source": "/plain/copy"}, "UploadPartCopy", 5,
     []),
    ("GET", f"/plain/large?uploadId={UPLOAD}", {}, "ListParts", 1, []),
    ("POST", f"/plain/large?uploadId={UPLOAD}", {}, "CompleteMultipartUpload", 5, []),
    ("DELETE", f"/plain/large?uploadId={UPLOAD}", {}, "AbortMultipartUpload", 5, []),
    ("POST", "/plain?delete", {}, "DeleteObjects", 5, []),
    ("DELETE", "/plain/copy", {}, "DeleteObject", 5, []),
    ("PUT", "/photos", {}, "CreateBucket", 5, ["photos"]),
    ("GET", "/photos/one", {"X-Tenant": "acme"}, "GetObject", 1, ["photos", "tenants"]),
    ("DELETE", "/photos", {}, "DeleteBucket", 5, ["photos"]),
    ("PATCH", "/plain/odd", {}, None, 5, []),  # no operation: it counts all the same
    ("GET", "/plain?metrics&id=1", {}, None, 1, []),
]
LARGE_FILES = [
    ("POST", "/own/repo.git/info/lfs/objects/batch", {"operation": "upload", "transfers": ["basic"], "objects": []},
     "lfs.batch"),
    ("GET", "/own/repo.git/info/lfs/locks?limit=3", None, "lfs.list_locks"),
    ("POST", "/own/repo.git/info/lfs/locks", {"path": "a.bin"}, "lfs.lock"),
    ("POST", "/own/repo.git/info/lfs/locks/verify", {}, "lfs.verify_locks"),
    ("POST", "/own/repo.git/info/lfs/verify", {"oid": "0" * 64, "size": 3}, "lfs.verify"),
]


class Server:
    def __init__(self, binary):
        self.cairn = Cairn(binary)
        file = os.path.join(self.cairn.folder, "cairn.yaml")
        with open(file, "w") as out:
            json.dump(SETTINGS, out)
        self.cairn.start("--config", file)
        self.objects = Objects(self.cairn)

    def explain(self, identity, method, path, **more):
        query = urllib.parse.urlencode(dict({"identity": identity, "method": method, "path": path}, **more))
        return self.cairn.ok("GET", "/_cairn/limits/_explain?" + query)

    def of_objects(self, method, target, fields=None, identity="user:admin"):
        header = ",".join(f"{name}:{value}" for name, value in (fields or {}).items())
        return self.explain(identity, method, target, listener="objects", **({"header": header} if header else {}))

    def counted(self, account):
        """What the limiter has counted of an account: used of each resource, points of each endpoint, used of rules."""
        shown = self.cairn.ok("GET", "/_cairn/limits/" + account)
        return ({name: window["used"] for name, window in shown["windows"].items() if window["used"]},
                shown["secondary"]["points_per_minute"]["used"])

    def operations(self):
        _, text = self.cairn.request("GET", "/_metrics")
        found = re.findall(r'cairn_http_requests_total\{([^}]*)\} (\d+)', text)
        counts = {}
        for labels, count in found:
            operation = re.search(r'operation="([^"]*)"', labels)
            if operation and 'surface="objects"' in labels:
                counts[operation.group(1)] = counts.get(operation.group(1), 0) + int(count)
        return counts

    def close(self):
        self.cairn.stop()
        shutil.rmtree(self.cairn.folder)


def within_a_minute(action):
    """Points by the minute are estimates once a minute has passed: what crosses a minute is done again."""
    while True:
        begun = time.time() // 60
        out = action()
        if time.time() // 60 == begun:
            return out


def limits_of(answer):
    return {one["limit"]: one for one in answer["limits"] if one["limit"] != "rule"}


def check_charge(server, account, answer, ask, resource, points, rules):
    """That `ask` is charged what `answer` said."""
    def once():
        server.cairn.request("DELETE", "/_cairn/limits/" + account)
        reply = ask()
        return reply, server.counted(account)
    reply, (used, counted) = within_a_minute(once)
    limits = limits_of(answer)
    assert used == {resource: limits["primary"]["cost"]}, (answer, used)
    assert limits["primary"]["resource"] == resource, answer
    assert counted == ({limits["points"]["endpoint"]: points} if points else {}), (answer, counted)
    assert limits["points"]["cost"] == points, answer
    fields = {name.lower(): value for name, value in dict(reply).items()}
    assert int(fields["x-ratelimit-limit"]) == limits["primary"]["cap"], (answer, fields)
    assert int(fields["x-ratelimit-used"]) == limits["primary"]["cost"], (answer, fields)
    shown = re.findall(r'"([a-z_]+)"', fields["ratelimit-policy"])
    asked = [one["rule"] for one in answer["limits"] if one["limit"] == "rule"]
    assert asked == rules and shown == [resource] + rules, (answer, fields)


def object_operations(server):
    for method, target, fields, operation, points, rules in OPERATIONS:
        answer = server.of_objects(method, target, fields)
        request = answer["request"]
        assert answer["limited"] and answer["admitted"], (method, target, answer)
        assert request.get("operation") == operation, (method, target, answer)
        assert answer["limits"][0]["by"] == "rate_limit.objects", answer
        before = server.operations()
        asks = []

        def ask():
            reply = server.objects.ask(method, target, headers=fields)
            asks.append(reply.status)
            return reply.headers
        check_charge(server, "user:admin", answer, ask, "objects", points, rules)
        if operation:
            after = server.operations()
            assert after[operation] - before.get(operation, 0) == len(asks), (method, target, before, after)
        assert server.of_objects(method, target, fields)["limits"][0]["used"] == 1, "it counted nothing of its own"


def addresses_of_objects(server):
    answer = server.of_objects("GET", "/plain/a", identity="ip:127.0.0.1")

    def ask():
        connection = server.objects.connect()
        connection.request("GET", "/plain/a")
        reply = connection.getresponse()
        reply.read()
        connection.close()
        return reply.headers
    check_charge(server, "ip:127.0.0.1", answer, ask, "objects", 1, [])
    # What is not understood counts as its address', whoever asks.
    answer = server.of_objects("GET", "/plain/%zz", identity="ip:127.0.0.1")
    assert answer["request"]["not_understood"] and answer["limits"][0]["cost"] == 1, answer
    status, said = server.cairn.request(
        "GET", "/_cairn/limits/_explain?identity=user:admin&listener=objects&path=/plain/%25zz")
    assert status == 400 and "as its address'" in said["error"]["reason"], said
    # A bucket of its own host name.
    answer = server.of_objects("PUT", "/key", {"Host": "photos.s3.localhost"})
    assert answer["request"]["bucket"] in ("photos", "key"), answer
    preflight = server.of_objects("OPTIONS", "/plain/a")
    assert not preflight["limited"] and "browsers" in preflight["why"], preflight


def handed_out(server):
    """Objects of large files come and go by addresses that a counted batch gave out."""
    oid = hashlib.sha256(b"abc").hexdigest()
    batch = server.cairn.ok("POST", "/own/repo.git/info/lfs/objects/batch", {
        "operation": "upload", "transfers": ["basic"], "objects": [{"oid": oid, "size": 3}]},
        headers={"Content-Type": "application/vnd.git-lfs+json", "Accept": "application/vnd.git-lfs+json"})
    upload = batch["objects"][0]["actions"]["upload"]
    link, fields = urllib.parse.urlsplit(upload["href"]), upload.get("header", {})
    answer = server.of_objects("PUT", link.path + "?" + link.query, {**fields, "Host": link.netloc})
    assert not answer["limited"] and answer["admitted"] and "signed it" in answer["why"], answer
    server.cairn.request("DELETE", "/_cairn/limits/user:admin")
    connection = server.objects.connect()
    connection.request("PUT", link.path + "?" + link.query, body=b"abc", headers=fields)
    reply = connection.getresponse()
    assert reply.status == 200, (reply.status, reply.read())
    reply.read()
    assert "x-ratelimit-limit" not in reply.headers, reply.headers
    assert server.counted("user:admin")[0].get("objects", 0) == 0


def large_files(server):
    key = server.cairn.ok("POST", "/_security/api_key", {
        "name": "lou", "metadata": {"_cairn": {"identity": {"kind": "user", "user": "lou"}}},
        "role_descriptors": {"r": {"indices": [{"names": ["*"], "privileges": ["all"]}], "cluster": ["all"]}}})
    for method, path, body, operation in LARGE_FILES:
        answer = server.explain("user:lou", method, path)
        assert answer["request"]["operation"] == operation, answer
        assert answer["request"].get("may_be_paid_for", False) == (operation == "lfs.verify"), answer

        def ask():
            connection = server.cairn.connect()
            kind = "application/vnd.git-lfs+json"
            connection.request(method, path, body=None if body is None else json.dumps(body),
                               headers={"Authorization": "ApiKey " + key["encoded"], "Content-Type": kind,
                                        "Accept": kind})
            reply = connection.getresponse()
            reply.read()
            connection.close()
            return reply.headers
        check_charge(server, "user:lou", answer, ask, "lfs", 0, [])


def shadow_rules_stand_apart(server):
    answer = server.explain("user:quiet", "GET", "/_cat/indices")
    assert answer["admitted"] and answer["would_be_refused"] == "rule" and answer["rule"] == "watched", answer
    assert answer["shadow_rules"] == ["watched"], answer
    for _ in range(60):
        server.cairn.ok("POST", "/_cairn/limits/_check", {"identity": "ip:192.0.2.8"})
    answer = server.explain("ip:192.0.2.8", "GET", "/_cat/indices")
    assert answer["refusal"] == "primary" and "rule" not in answer, answer
    assert answer["shadow_rules"] == ["watched"], answer


def command_line(server):
    def run(*words):
        return subprocess.run(
            [server.cairn.binary, "limits", "explain", *words], capture_output=True, text=True,
            env=dict(os.environ, CAIRN_SERVER=server.cairn.api,
                     CAIRN_KEY_FILE=os.path.join(server.cairn.data, "keys/admin.key")))
    done = run("user:admin", "PUT", "/photos?tagging", "--objects")
    assert done.returncode == 0 and "points\tPUT /{bucket}?tagging\t900\t" in done.stdout, done
    assert "\nrule\tphotos\t50\t" in done.stdout, done
    done = run("user:admin", "OPTIONS", "/photos", "--objects")
    assert done.returncode == 0 and "nothing limits it: browsers" in done.stdout, done
    status, said = server.cairn.request("GET", "/_cairn/limits/_explain?identity=user:a&path=/&listener=nine")
    assert status == 400 and "[listener]" in said["error"]["reason"], said


def main():
    server = Server(sys.argv[1])
    try:
        for case in (object_operations, addresses_of_objects, handed_out, large_files, shadow_rules_stand_apart,
                     command_line):
            try:
                case(server)
            except AssertionError:
                print(f"FAILED {case.__name__}", file=sys.stderr)
                raise
            print(f"ok {case.__name__}")
    finally:
        server.close()


if __name__ == "__main__":
    main()
