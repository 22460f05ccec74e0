#!/usr/bin/env python3
"""Changes of buckets that are only tried, on the platform's port, and policies that are simulated: what is told comes true
when the change is made, and what is said of a request is what the request is answered.

    bucket_dry_runs_test.py CAIRN
"""

import base64
import hashlib
import json
import os
import sys
import time
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

PAST = "2020-01-01T00:00:00Z"
UNBLOCKED = b"<PublicAccessBlockConfiguration/>"
VERSIONED = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


def with_digest(body):
    return {"Content-MD5": base64.b64encode(hashlib.md5(body).digest()).decode()}


def passage(cairn, method, path, body=None, key=None):
    """Through the platform's port."""
    headers = {"Authorization": "ApiKey " + (key or cairn.key)}
    if body is not None:
        headers.update(with_digest(body), **{"Content-Type": "application/octet-stream"})
    return cairn.request(method, "/_cairn/objects" + path, body, headers=headers)


def seen(root, bucket):
    """All of a bucket that a change could change."""
    out = [root.ok("GET", f"/{bucket}?versions=").body, root.ok("GET", f"/{bucket}?uploads=").body]
    for part in ("policy", "lifecycle"):
        answer = root.ask("GET", f"/{bucket}?{part}=")
        out.append((answer.status, answer.code, answer.body if answer.status == 200 else b""))
    return out


def tried(cairn, root, method, path, body=None, status=200):
    bucket = path.strip("/").partition("?")[0]
    before = seen(root, bucket)
    got, answer = passage(cairn, method, path + ("&" if "?" in path else "?") + "dry_run=true", body)
    expect(got, status, f"{method} {path} {answer}")
    expect(seen(root, bucket), before, f"{method} {path} changed something")
    return answer


def deletions(cairn, root):
    root.ok("PUT", "/gone")
    answer = tried(cairn, root, "DELETE", "/gone")
    expect(answer, {"dry_run": True, "bucket": "gone", "objects": 0, "versions": 0, "delete_markers": 0, "bytes": 0,
                    "unfinished_uploads": 0, "more": False, "would": "delete"}, "an empty bucket")
    root.ok("POST", "/gone/part?uploads=")
    expect(tried(cairn, root, "DELETE", "/gone")["unfinished_uploads"], 1, "an upload")
    expect(tried(cairn, root, "DELETE", "/gone")["would"], "delete", "which does not hold it")
    root.ok("PUT", "/gone?versioning=", VERSIONED)
    for body in (b"one", b"three"):
        root.ok("PUT", "/gone/a", body)
    root.ok("PUT", "/gone/b", b"x")
    root.ok("DELETE", "/gone/b")
    answer = tried(cairn, root, "DELETE", "/gone")
    refused = root.ask("DELETE", "/gone")
    expect(refused.code, "BucketNotEmpty", "the deletion itself")
    expect({name: answer[name] for name in ("objects", "versions", "delete_markers", "bytes", "would", "reason")},
           {"objects": 1, "versions": 3, "delete_markers": 1, "bytes": 9, "would": "refuse",
            "reason": f"BucketNotEmpty: {refused.text('Message')}"}, "a full bucket")
    # On its own port, and in any other request here, the word is never taken for a change that is made.
    for method, path, body in (("DELETE", "/gone/a?dry_run=true", None), ("PUT", "/gone/new?dry_run=true", b"x"),
                               ("PUT", "/new-one?dry_run=true", b""), ("GET", "/gone?dry_run=true", None),
                               ("POST", "/gone?delete=&dry_run=true", b"<Delete/>"), ("DELETE", "/gone?policy=&dry_run=true", None),
                               ("PUT", "/gone?versioning=&dry_run=true", VERSIONED), ("DELETE", "/gone?dry_run=perhaps", None),
                               ("DELETE", "/gone/a?dry%5Frun=true", None)):
        before = seen(root, "gone")
        status, answer = passage(cairn, method, path, body)
        expect((status, answer["error"]["type"]), (400, "illegal_argument_exception"), f"{method} {path}")
        expect(seen(root, "gone"), before, f"{method} {path} changed something")
    expect(root.ask("HEAD", "/new-one").status, 404, "no bucket was made")
    expect(root.ask("DELETE", "/gone?dry_run=true").code, "BucketNotEmpty", "on its own port it is a deletion")
    root.ok("PUT", "/empty")
    expect(passage(cairn, "DELETE", "/empty?dry_run=false")[0], 204, "false is no trial")
    root.ok("PUT", "/empty")
    root.ok("DELETE", "/empty?dry_run=true")
    expect(root.ask("HEAD", "/empty").status, 404, "port 9000 ignores it, as S3 ignores what it does not know")


def lifecycles(cairn, root):
    root.ok("PUT", "/logs")
    root.ok("PUT", "/logs?versioning=", VERSIONED)
    for i in range(7):
        root.ok("PUT", f"/logs/old/{i}", b"x" * (i + 1))
    for i in range(3):
        root.ok("PUT", f"/logs/new/{i}", b"kept")
    root.ok("PUT", "/logs/lone", b"x")
    version = root.ok("GET", "/logs?versions=&prefix=lone").text("VersionId")
    root.ok("DELETE", "/logs/lone")
    root.ok("DELETE", f"/logs/lone?versionId={version}")  # a marker alone
    root.ok("POST", "/logs/part?uploads=")
    rules = (f"<LifecycleConfiguration><Rule><ID>date</ID><Status>Enabled</Status><Filter><Prefix>old/</Prefix></Filter>"
             f"<Expiration><Date>{PAST}</Date></Expiration></Rule>"
             f"<Rule><ID>off</ID><Status>Disabled</Status><Filter/><Expiration><Date>{PAST}</Date></Expiration></Rule>"
             f"<Rule><ID>markers</ID><Status>Enabled</Status><Filter/><Expiration>"
             f"<ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration></Rule>"
             f"<Rule><Status>Enabled</Status><Filter/><NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays>"
             f"</NoncurrentVersionExpiration><AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>"
             f"</AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>").encode()
    answer = tried(cairn, root, "PUT", "/logs?lifecycle=", rules)
    none = {"objects": 0, "bytes": 0}
    unnamed = answer["rules"][3].pop("id")
    assert len(unnamed) == 32, "a rule without a name gets the one that it will have"
    nothing = {"expire_now": none, "noncurrent_now": none, "delete_markers_now": 0, "uploads_now": 0}
    expect(answer, {"dry_run": True, "more": False, "rules": [
        {**nothing, "id": "date", "enabled": True, "expire_now": {"objects": 7, "bytes": 28}},
        {**nothing, "id": "off", "enabled": False},
        {**nothing, "id": "markers", "enabled": True, "delete_markers_now": 1},
        {**nothing, "enabled": True}]}, "what a walk would do now")
    # The same as the next walk does.
    root.ok("PUT", "/logs?lifecycle=", rules, headers=with_digest(rules))
    assert unnamed.encode() in root.ok("GET", "/logs?lifecycle=").body
    until = time.monotonic() + 60
    while root.ok("GET", "/logs?list-type=2").body.count(b"<Key>") != 3:
        assert time.monotonic() < until, "the rules were not applied"
        time.sleep(0.1)
    listed = root.ok("GET", "/logs?versions=").body
    expect((listed.count(b"<DeleteMarker>"), listed.count(b"<Version>")), (7, 10), "markers on top, and versions below them")
    assert b"lone" not in listed, listed
    for body, code in ((b"<LifecycleConfiguration>", "MalformedXML"), (b"<LifecycleConfiguration/>", "MalformedXML"), (b"", None)):
        real = root.ask("PUT", "/logs?lifecycle=", body, headers=with_digest(body))
        status, answer = passage(cairn, "PUT", "/logs?lifecycle=&dry_run=true", body)
        expect((status, answer["error"]["type"], answer["error"]["reason"]), (real.status, real.code, real.text("Message")),
               f"the same error {body}")
        assert code in (None, real.code), real.body


def policies(cairn, root):
    root.ok("PUT", "/rules")
    one = {"Sid": "one", "Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::rules/x/*"}
    two = {**one, "Sid": "two", "Resource": "arn:aws:s3:::rules/y/*"}
    unnamed = {name: value for name, value in two.items() if name != "Sid"}

    def text(*statements):
        return json.dumps({"Version": "2012-10-17", "Statement": list(statements)}).encode()

    def change(body):
        return tried(cairn, root, "PUT", "/rules?policy=", body)

    expect(change(text(one)), {"dry_run": True, "valid": True, "public": False,
                               "changes": [{"change": "added", "statement": 0, "sid": "one"}]}, "a first policy")
    body = text(one, unnamed)
    root.ok("PUT", "/rules?policy=", body, headers=with_digest(body))
    expect(change(text(one, unnamed))["changes"], [], "the same")
    expect(change(text({**one, "Action": "s3:PutObject"}))["changes"],
           [{"change": "changed", "statement": 0, "sid": "one"}, {"change": "removed", "statement": 1}], "another")
    everybody = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::rules/*"}
    for body in (text(everybody), b"{", b"[]", text({**one, "Resource": "arn:aws:s3:::others/*"}), text(one, one),
                 text({"Effect": "Deny", "Principal": "*", "Action": "s3:NoSuchThing", "Resource": "arn:aws:s3:::rules/*"})):
        real = root.ask("PUT", "/rules?policy=", body, headers=with_digest(body))
        assert real.status >= 400, body
        status, answer = passage(cairn, "PUT", "/rules?policy=&dry_run=true", body)
        expect((status, answer["error"]["type"], answer["error"]["reason"]), (real.status, real.code, real.text("Message")),
               f"the same error {body}")
    root.ok("PUT", "/rules?publicAccessBlock=", UNBLOCKED, headers=with_digest(UNBLOCKED))
    expect(change(text(everybody))["public"], True, "for everybody")


def rights(cairn, root):
    """Who may not make a change may not try it."""
    policy = {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
    made = cairn.ok("POST", "/_security/api_key", {"name": "few", "role_descriptors": {"r": {"cluster": ["monitor"]}},
                                                   "objects": {"user": "few", "policy": policy, "policy_name": "p"}})
    body = json.dumps(policy).encode()
    for method, path, sent in (("DELETE", "/logs", None), ("PUT", "/logs?lifecycle=", b"<LifecycleConfiguration/>"),
                               ("PUT", "/logs?policy=", body), ("DELETE", "/no-such-bucket", None)):
        real = passage(cairn, method, path, sent, made["encoded"])
        status, answer = passage(cairn, method, path + ("&" if "?" in path else "?") + "dry_run=true", sent, made["encoded"])
        expect(status, real[0], f"{method} {path}")
        assert answer["error"]["type"] in real[1], (answer, real)
    few = {"requests": [{"principal": "*", "action": "s3:GetObject", "key": "k"}]}
    for headers, wanted in (({"Authorization": "ApiKey " + made["encoded"]}, 403), ({"Authorization": ""}, 401)):
        expect(cairn.request("POST", "/_cairn/buckets/logs/_simulate", few, headers=headers)[0], wanted, "who may not simulate")
    reader = cairn.ok("POST", "/_security/api_key", {"name": "looks", "role_descriptors": {"r": {"cluster": ["read_security"]}}})
    expect(cairn.request("POST", "/_cairn/buckets/logs/_simulate", few,
                         headers={"Authorization": "ApiKey " + reader["encoded"]})[0], 200, "who may")


class Cast:
    """Users of two accounts with keys, and who does not sign."""

    def __init__(self, cairn, root):
        self.cairn, self.root = cairn, root
        accounts = cairn.ok("GET", "/_security/object_account")["accounts"]
        self.own = accounts[0]["id"]
        self.other = cairn.ok("POST", "/_security/object_account", {"name": "guests"})["id"]
        self.keys = {"*": None}
        read = {"Version": "2012-10-17", "Statement": [
            {"Sid": "Reads", "Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}]}
        no = {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "s3:*", "Resource": "*"},
            {"Sid": "NotThese", "Effect": "Deny", "Action": "s3:DeleteObject", "Resource": "arn:aws:s3:::stage/secret/*"}]}
        every = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
        for account in (self.own, self.other):
            self.user(account, None, {})
            for name, policies in (("reader", {"read": read}), ("careful", {"no": no}), ("nobody", {}), ("full", {"all": every})):
                self.user(account, name, policies)

    def user(self, account, name, policies):
        cairn = self.cairn
        if name is not None:
            cairn.ok("PUT", f"/_security/object_account/{account}/user/{name}", {"policies": policies})
        body = {"account": account, **({"user": name} if name else {})}
        made = cairn.ok("POST", "/_security/object_key", body)
        principal = f"{account}/{name}" if name else f"arn:aws:iam::{account}:root"
        self.keys[principal] = Objects(cairn, made["access_key_id"], made["secret_access_key"])

    def does(self, principal, method, target, body=None, headers=None):
        """The status of the real request."""
        signer = self.keys[principal]
        if signer is not None:
            return self.keys[principal].ask(method, target, body, headers=headers).status
        connection = self.root.connect()
        connection.request(method, target, body=body, headers=headers or {})
        status = connection.getresponse().status
        connection.close()
        return status


ALL = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket", "s3:GetObjectTagging", "s3:PutObjectTagging",
       "s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:GetBucketAcl", "s3:GetObjectAcl", "s3:GetLifecycleConfiguration",
       "s3:GetObjectVersion", "s3:ListBucketVersions", "s3:ListBucketMultipartUploads"]
TAGS = b"<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"


def request_of(action, key):
    """Method, target, body and header fields of the request that needs the action alone."""
    path = "/stage" + ("/" + urllib.parse.quote(key) if key else "")
    return {"s3:GetObject": ("GET", path, None, {}), "s3:PutObject": ("PUT", path, b"x", {}),
            "s3:DeleteObject": ("DELETE", path, None, {}), "s3:ListBucket": ("GET", "/stage?list-type=2", None, {}),
            "s3:GetObjectTagging": ("GET", path + "?tagging=", None, {}),
            "s3:PutObjectTagging": ("PUT", path + "?tagging=", TAGS, with_digest(TAGS)),
            "s3:GetBucketPolicy": ("GET", "/stage?policy=", None, {}),
            "s3:PutBucketPolicy": ("PUT", "/stage?policy=", b"{", with_digest(b"{")),
            "s3:GetBucketAcl": ("GET", "/stage?acl=", None, {}), "s3:GetObjectAcl": ("GET", path + "?acl=", None, {}),
            "s3:GetLifecycleConfiguration": ("GET", "/stage?lifecycle=", None, {}),
            "s3:GetObjectVersion": ("GET", path + "?versionId=null", None, {}),
            "s3:ListBucketVersions": ("GET", "/stage?versions=", None, {}),
            "s3:ListBucketMultipartUploads": ("GET", "/stage?uploads=", None, {})}[action]


def of_bucket(action):
    return "Bucket" in action or "Lifecycle" in action


def statement(effect, principal, action, resource="arn:aws:s3:::stage/*", **more):
    return {"Effect": effect, "Principal": principal, "Action": action, "Resource": resource, **more}


def scenes(cast):
    """What the bucket says: its policy, its switches, whether its lists of grants count."""
    everything = ["arn:aws:s3:::stage", "arn:aws:s3:::stage/*"]
    other_reader = f"arn:aws:iam::{cast.other}:user/reader"
    yield "nothing", None, False, "BucketOwnerEnforced", None
    yield "everybody reads", [statement("Allow", "*", "s3:GetObject", Sid="Open")], True, "BucketOwnerEnforced", None
    yield "everybody would read, but for the block", [statement("Allow", "*", "s3:GetObject", Sid="Open")], "restrict", \
        "BucketOwnerEnforced", None
    yield "another account", [statement("Allow", {"AWS": cast.other}, "s3:*", everything, Sid="Guests")], True, \
        "BucketOwnerEnforced", None
    yield "one user of it", [statement("Allow", {"AWS": other_reader}, ["s3:GetObject", "s3:PutObject"])], True, \
        "BucketOwnerEnforced", None
    yield "denials", [statement("Allow", "*", ["s3:GetObject", "s3:PutObject"]),
                      statement("Deny", "*", "s3:GetObject", "arn:aws:s3:::stage/secret/*", Sid="Hidden"),
                      statement("Deny", {"AWS": f"arn:aws:iam::{cast.own}:user/full"}, "s3:ListBucket", "arn:aws:s3:::stage")], True, \
        "BucketOwnerEnforced", None
    yield "by address, agent and prefix", [
        statement("Allow", "*", "s3:GetObject", Condition={"IpAddress": {"aws:SourceIp": "127.0.0.0/8"}}),
        statement("Deny", "*", "s3:GetObject", "arn:aws:s3:::stage/a*", Condition={"StringLike": {"aws:UserAgent": "Bad/*"}}),
        statement("Deny", "*", "s3:PutObject", Condition={"StringNotEquals": {"s3:x-amz-server-side-encryption": "AES256"}}),
        statement("Allow", "*", "s3:ListBucket", "arn:aws:s3:::stage", Condition={"StringEquals": {"s3:prefix": "a"}})], True, \
        "BucketOwnerEnforced", None
    yield "by tags", [statement("Allow", "*", ["s3:GetObject", "s3:GetObjectTagging"],
                                Condition={"StringEquals": {"s3:ExistingObjectTag/k": "v"}})], True, "BucketOwnerEnforced", None
    yield "lists of grants", None, True, "ObjectWriter", "public-read"
    yield "lists of grants that are ignored", None, "ignore", "ObjectWriter", "public-read"
    yield "lists for who has an account", None, True, "ObjectWriter", "authenticated-read"


def set_scene(root, policy, open_, ownership, acl):
    root.ask("DELETE", "/stage?policy=")
    block = UNBLOCKED
    root.ok("PUT", "/stage?publicAccessBlock=", block, headers=with_digest(block))
    body = f"<OwnershipControls><Rule><ObjectOwnership>{ownership}</ObjectOwnership></Rule></OwnershipControls>".encode()
    if acl is None:
        # Grants of the scene before would hold ACLs on.
        root.ask("PUT", "/stage?acl=", headers={"x-amz-acl": "private"})
    root.ok("PUT", "/stage?ownershipControls=", body, headers=with_digest(body))
    if acl is not None:
        root.ok("PUT", "/stage?acl=", headers={"x-amz-acl": acl})
    refill(root, acl)
    if policy is not None:
        text = json.dumps({"Version": "2012-10-17", "Statement": policy}).encode()
        root.ok("PUT", "/stage?policy=", text, headers=with_digest(text))
    if open_ is not True:
        switches = {"ignore": ["IgnorePublicAcls"], "restrict": ["RestrictPublicBuckets"],
                    False: ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"]}[open_]
        block = ("<PublicAccessBlockConfiguration>" + "".join(f"<{one}>true</{one}>" for one in switches) +
                 "</PublicAccessBlockConfiguration>").encode()
        root.ok("PUT", "/stage?publicAccessBlock=", block, headers=with_digest(block))


KEYS = ["a", "secret/b", "shared"]


def refill(root, acl):
    for key in KEYS:
        fields = {"x-amz-server-side-encryption": "AES256"}  # which a scene asks for
        root.ok("PUT", f"/stage/{key}", b"x", headers={**fields, "x-amz-acl": acl} if acl and key == "shared" else fields)
    root.ok("PUT", "/stage/shared?tagging=", TAGS, headers=with_digest(TAGS))


def simulated(cast, requests, policy=None, bucket="stage"):
    body = {"requests": requests, **({"policy": policy} if policy else {})}
    results = []
    for at in range(0, len(requests), 100):
        answer = cast.cairn.ok("POST", f"/_cairn/buckets/{bucket}/_simulate", {**body, "requests": requests[at:at + 100]})
        results += answer["results"]
    for result in results:
        expect(result["allowed"], result["decision"] == "allow", str(result))
    return results


def simulations(cairn, root):
    cast = Cast(cairn, root)
    root.ok("PUT", "/stage")
    compared = {True: 0, False: 0}
    for what, policy, open_, ownership, acl in scenes(cast):
        set_scene(root, policy, open_, ownership, acl)
        rows = []
        for principal in cast.keys:
            for action in ALL:
                for key in [""] if of_bucket(action) else KEYS:
                    rows.append((principal, action, key, {}, {}))
        if "agent" in what:
            for principal in cast.keys:
                rows += [(principal, "s3:GetObject", "a", {"aws:UserAgent": "Bad/1"}, {"User-Agent": "Bad/1"}),
                         (principal, "s3:GetObject", "a", {"aws:UserAgent": "Good/1"}, {"User-Agent": "Good/1"}),
                         (principal, "s3:PutObject", "a", {"s3:x-amz-server-side-encryption": "AES256"},
                          {"x-amz-server-side-encryption": "AES256"}),
                         (principal, "s3:ListBucket", "", {"s3:prefix": "a"}, "prefix=a"),
                         (principal, "s3:ListBucket", "", {"s3:prefix": "b"}, "prefix=b")]
        if acl is not None:
            for principal in cast.keys:
                rows += [(principal, "s3:PutObject", "a", {"s3:x-amz-acl": "public-read"}, {"x-amz-acl": "public-read"})]
        answers = simulated(cast, [{"principal": p, "action": a, **({"key": k} if k else {}), "context": c}
                                   for p, a, k, c, _ in rows])
        for (principal, action, key, context, extra), answer in zip(rows, answers):
            method, target, body, headers = request_of(action, key)
            if isinstance(extra, str):
                target += "&" + extra
            else:
                headers = {**headers, **extra}
            status = cast.does(principal, method, target, body, headers)
            # A policy that only its shape stops was let through to there; another account's is no method at all.
            allowed = status not in (403, 405)
            expect(answer["allowed"], allowed, f"{what}: {principal} {action} {key} {context} was answered {status}, {answer}")
            compared[allowed] += 1
            if method in ("PUT", "DELETE") and allowed and key:
                refill(root, acl)
    assert min(compared.values()) > 500, compared
    print("compared", compared, flush=True)
    reasons(cast, root)


def reasons(cast, root):
    reader, careful = f"{cast.own}/reader", f"{cast.own}/careful"
    guest, owner = f"{cast.other}/full", f"arn:aws:iam::{cast.own}:root"

    def by(principal, action, key=None, policy=None, **context):
        request = {"principal": principal, "action": action, "context": context, **({"key": key} if key else {})}
        answer = simulated(cast, [request], policy)[0]
        return answer["decision"], answer["by"]

    set_scene(root, None, False, "BucketOwnerEnforced", None)
    expect(by(owner, "s3:GetObject", "a"), ("allow", [{"where": "owner", "effect": "allow"}]), "the owner")
    expect(by(reader, "s3:GetObject", "a"),
           ("allow", [{"where": "identity policy", "effect": "allow", "policy": "read", "statement": 0, "sid": "Reads"}]), "a user")
    expect(by(careful, "s3:DeleteObject", "secret/b"),
           ("explicit_deny", [{"where": "identity policy", "effect": "deny", "policy": "no", "statement": 1, "sid": "NotThese"}]),
           "a user's own denial")
    expect(by("*", "s3:GetObject", "a"), ("implicit_deny", []), "nobody")
    # A draft, which the bucket does not have.
    draft = {"Version": "2012-10-17", "Statement": [
        statement("Deny", "*", "s3:DeleteObject"), statement("Allow", "*", "s3:GetObject", Sid="Open"),
        statement("Allow", {"AWS": cast.other}, "s3:PutObject", Sid="Guests")]}
    expect(by("*", "s3:GetObject", "a", draft)[0], "implicit_deny", "a public draft behind the block")
    assert {"where": "public access block", "effect": "deny"} in by("*", "s3:GetObject", "a", draft)[1]
    block = UNBLOCKED
    root.ok("PUT", "/stage?publicAccessBlock=", block, headers=with_digest(block))
    open_ = {"where": "bucket policy", "effect": "allow", "statement": 1, "sid": "Open"}
    expect(by("*", "s3:GetObject", "a", draft), ("allow", [open_]), "a public draft")
    expect(by("*", "s3:GetObject", "a", json.dumps(draft)), ("allow", [open_]), "the same as text")
    expect(by(owner, "s3:DeleteObject", "a", draft),
           ("explicit_deny", [{"where": "bucket policy", "effect": "deny", "statement": 0}]), "the owner, denied")
    decision, why = by(guest, "s3:PutObject", "a", draft)
    expect(decision, "allow", "both accounts agree")
    expect([one["where"] for one in why], ["identity policy", "bucket policy"], "and both are named")
    expect(by(f"{cast.other}/nobody", "s3:PutObject", "a", draft),
           ("implicit_deny", [{"where": "bucket policy", "effect": "allow", "statement": 2, "sid": "Guests"}]),
           "a user whose own account allows nothing")
    assert root.ask("GET", "/stage?policy=").status == 404, "the draft stayed one"
    refuse_nonsense(cast)


def refuse_nonsense(cast):
    good = {"principal": "*", "action": "s3:GetObject", "key": "k"}
    path = "/_cairn/buckets/stage/_simulate"
    for body, word in (({}, "requests"), ({"requests": []}, "requests"), ({"requests": [good] * 101}, "100"),
                       ({"requests": [1]}, "objects"), ({"requests": [{**good, "more": 1}]}, "more"),
                       ({"requests": [{**good, "principal": "nobody-there"}]}, "nobody-there"),
                       ({"requests": [{**good, "principal": "arn:aws:iam::1:group/x"}]}, "ARN"),
                       ({"requests": [{**good, "action": "s3:Nothing"}]}, "s3:Nothing"),
                       ({"requests": [{**good, "action": "s3:ListAllMyBuckets"}]}, "s3:ListAllMyBuckets"),
                       ({"requests": [{"principal": "*", "action": "s3:GetObject"}]}, "key"),
                       ({"requests": [{**good, "action": "s3:ListBucket"}]}, "key"),
                       ({"requests": [good, {**good, "context": {"aws:Nothing": "x"}}]}, "request [1]"),
                       ({"requests": [{**good, "context": {"aws:PrincipalArn": "x"}}]}, "aws:PrincipalArn"),
                       ({"requests": [{**good, "context": {"aws:PrincipalOrgID": "x"}}]}, "ever has"),
                       ({"requests": [{**good, "context": {"aws:SourceIp": {}}}]}, "aws:SourceIp"),
                       ({"requests": [{**good, "context": {"aws:SecureTransport": "perhaps"}}]}, "perhaps"),
                       ({"requests": [good], "policy": {"Statement": []}}, "Statement"), ({"requests": [good], "policy": 1}, "policy")):
        status, answer = cast.cairn.request("POST", path, body)
        expect(status, 400, str(body))
        assert word in answer["error"]["reason"], (body, answer)
    for bucket in ("no-such-bucket", ".cairn-auth"):
        expect(cast.cairn.request("POST", f"/_cairn/buckets/{bucket}/_simulate", {"requests": [good]})[0], 404, bucket)


def main():
    cairn = Cairn(sys.argv[1]).start("--set", "objects.lifecycle_interval=1s")
    root = Objects(cairn)
    deletions(cairn, root)
    lifecycles(cairn, root)
    policies(cairn, root)
    rights(cairn, root)
    simulations(cairn, root)
    assert cairn.stop() == 0
    print("ok")


if __name__ == "__main__":
    main()
