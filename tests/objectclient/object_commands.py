#!/usr/bin/env python3
"""`cairn objects` against `cairn serve`: every command and operation, large files, an upload that is
killed and gone on with, sync both ways, names that files cannot have, and errors.

    object_commands.py CAIRN
"""

import filecmp
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

MIB = 1 << 20
PARTS = ("--part-size", "5MiB", "--multipart-threshold", "5MiB")


class Proxy:
    """Passes connections on, byte for byte, and holds parts of uploads back from the n-th on."""

    def __init__(self, port):
        self.target = port
        self.parts = 0
        self.hold_from = None
        self.held = threading.Event()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.requests, args=(client, server), daemon=True).start()
            threading.Thread(target=self.replies, args=(server, client), daemon=True).start()

    def requests(self, client, server):
        while data := self.read(client):
            if data.startswith(b"PUT ") and b"partNumber=" in data.split(b"\r\n", 1)[0]:
                with self.lock:
                    self.parts += 1
                    hold = self.hold_from is not None and self.parts >= self.hold_from
                if hold:
                    self.held.set()
                    continue
            server.sendall(data)
        server.close()

    def replies(self, server, client):
        while data := self.read(server):
            try:
                client.sendall(data)
            except OSError:
                break
        client.close()

    @staticmethod
    def read(source):
        try:
            return source.recv(64 << 10)
        except OSError:
            return b""


OUTPOST = "op-01ac5d28a6a232904"


class Walk:
    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.cairn = Cairn(binary).start("--set", f"objects.outposts={OUTPOST}")
        self.folder = self.cairn.folder
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "TZ": "UTC",
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL": self.cairn.objects,
            "CAIRN_CREDENTIALS_FILE": os.path.join(self.cairn.data, "keys/admin-s3.json")}
        self.checks = 0

    def command(self, words):
        return [self.binary, "objects", *[str(word) for word in words]]

    def run(self, *words, status=0, input=None, **more):
        """Standard output of a command that must end with this status."""
        done = subprocess.run(self.command(words), input=input, capture_output=True,
                              env=dict(self.environment, **more), timeout=300)
        self.out, self.err = done.stdout, done.stderr.decode(errors="replace")
        if done.returncode != status:
            raise AssertionError(f"cairn objects {' '.join(map(str, words))}: exit status "
                                 f"{done.returncode}, not {status}\n{done.stdout.decode()}"
                                 f"{self.err}")
        self.checks += 1
        return done.stdout.decode(errors="replace")

    def json(self, *words, **more):
        return json.loads(self.run(*words, "--json", **more))

    def lines(self, *words, **more):
        return [json.loads(line) for line in self.run(*words, "--json", **more).splitlines()]

    def expect(self, what, got, wanted):
        self.checks += 1
        if got != wanted:
            raise AssertionError(f"{what}: got {got!r}, not {wanted!r}")

    def says(self, *pieces):
        """All of them stand in what was printed last."""
        for piece in pieces:
            self.expect(piece, piece in self.err + self.out.decode(errors="replace"), True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path


def same_trees(left, right):
    compared = filecmp.dircmp(left, right)
    if compared.left_only or compared.right_only or compared.funny_files:
        return False
    _, differ, errors = filecmp.cmpfiles(left, right, compared.common_files, shallow=False)
    return not differ and not errors and all(
        same_trees(os.path.join(left, d), os.path.join(right, d)) for d in compared.common_dirs)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def buckets_and_small_files(walk):
    walk.expect("mb", walk.run("mb", "s3://books"), "make_bucket: books\n")
    walk.run("mb", "s3://Not_A_Name", status=1)
    walk.says("make_bucket failed: Not_A_Name", "InvalidBucketName", "status 400", "request id")
    walk.run("mb", "s3://books", "--ignore-existing")
    walk.expect("ls", walk.run("ls").split()[-1], "books")
    source = walk.write("a.html", b"<p>hello")
    walk.run("cp", source, "s3://books/site/", "--metadata", "colour=red", "--cache-control", "no-store")
    head = walk.json("head-object", "--bucket", "books", "--key", "site/a.html")
    walk.expect("type", head["content_type"], "text/html")
    walk.expect("metadata", head["metadata"], {"colour": "red"})
    walk.expect("cache control", head["cache_control"], "no-store")
    walk.run("cp", "s3://books/site/a.html", walk.path("back.html"))
    walk.expect("bytes", read(walk.path("back.html")), b"<p>hello")
    walk.expect("time", int(os.stat(walk.path("back.html")).st_mtime) > 1_600_000_000, True)
    walk.run("cp", source, "s3://books/site/", "--no-clobber")
    walk.says("skipped")
    walk.run("cp", "-", "s3://books/piped.json", input=b"{}")
    walk.expect("pipe", walk.run("cp", "s3://books/piped.json", "-"), "{}")
    walk.run("cp", "s3://books/piped.json", "s3://books/copies/")
    walk.run("mv", "s3://books/copies/piped.json", "s3://books/moved.json")
    listed = walk.run("ls", "s3://books/", "--summarize").splitlines()
    walk.expect("ls", [line.split()[-1] for line in listed[:3]],
                ["site/", "moved.json", "piped.json"])
    walk.says("PRE site/", "Total Objects: 2", "Total Size: 4")
    walk.run("ls", "s3://books/nothing", status=1)


def large_files(walk):
    data = random.Random(5).randbytes(20 * MIB)
    source = walk.write("large.bin", data)
    done = walk.lines("cp", source, "s3://books/large.bin", *PARTS)
    walk.expect("etag", done[0]["etag"].endswith('-4"'), True)
    walk.run("cp", "s3://books/large.bin", walk.path("large.back"), "--part-size", "3MiB")
    walk.expect("20 MiB", read(walk.path("large.back")) == data, True)
    walk.run("cp", "s3://books/large.bin", "s3://books/large.copy", *PARTS, "--jobs", "2")
    walk.expect("copied", walk.run("get-object", "--bucket", "books", "--key", "large.copy",
                                   "--range", "bytes=20971510-", "-") is not None, True)
    walk.expect("end", walk.out, data[-10:])
    walk.expect("type of a copy in parts", walk.json(
        "head-object", "--bucket", "books", "--key", "large.copy")["content_type"],
        "application/octet-stream")
    with subprocess.Popen(walk.command(["cp", "-", "s3://books/stream", *PARTS]),
                          stdin=subprocess.PIPE, env=walk.environment) as stream:
        stream.stdin.write(data)
        stream.stdin.close()
        walk.expect("stream", stream.wait(), 0)
    walk.run("cp", "s3://books/stream", "-")
    walk.expect("streamed", walk.out == data, True)


def open_uploads(walk):
    return walk.json("list-multipart-uploads", "--bucket", "books").get("uploads", [])


def interrupted_uploads(walk):
    data = random.Random(6).randbytes(20 * MIB)
    source = walk.write("killed.bin", data)
    proxy = Proxy(int(walk.cairn.objects.rsplit(":", 1)[1]))
    words = ["cp", source, "s3://books/killed.bin", *PARTS, "--jobs", "1",
             "--endpoint-url", proxy.url]
    for how, extra, status in ((signal.SIGINT, [], 130), (signal.SIGKILL, ["--resume"], -9)):
        proxy.hold_from, proxy.parts = 3, 0
        proxy.held.clear()
        process = subprocess.Popen(walk.command(words + extra), env=walk.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        walk.expect("the third part is held", proxy.held.wait(60), True)
        process.send_signal(how)
        _, errors = process.communicate(timeout=90)
        walk.expect(f"exit status ({errors})", process.returncode, status)
        walk.expect("open uploads", len(open_uploads(walk)), 0 if how == signal.SIGINT else 1)
    proxy.hold_from, proxy.parts = None, 0
    done = walk.lines(*words, "--resume")
    walk.expect("parts reused", done[0].get("parts_reused"), 2)
    walk.expect("parts sent", proxy.parts, 2)
    walk.expect("open uploads", open_uploads(walk), [])
    walk.run("cp", "s3://books/killed.bin", "-")
    walk.expect("resumed", walk.out == data, True)
    states = os.listdir(walk.path(".local/state/cairn/uploads"))
    walk.expect("states", states, [])


def trees(walk):
    tree = walk.path("tree")
    names = ["a b", "a+b", "a%20b", "100%", "ümlaut", "日本語", "q?x=1", "h#f", "a&b=c", "<xml>'\"",
             "*()!~$,;:@[]{}|^`", "trail ", " lead", "two\nlines", "deep/er/x.txt", "empty"]
    for name in names:
        walk.write("tree/" + name, b"" if name == "empty" else name.encode())
    walk.run("sync", tree, "s3://books/tree", "--quiet")
    walk.expect("quiet", walk.out, b"")
    walk.expect("nothing to do", walk.lines("sync", tree, "s3://books/tree")[-1]["summary"]["done"], 0)
    walk.run("sync", "s3://books/tree", walk.path("tree.back"))
    walk.expect("trees", same_trees(tree, walk.path("tree.back")), True)
    walk.expect("nothing to do", walk.lines(
        "sync", "s3://books/tree", walk.path("tree.back"), "--exact-timestamps")[-1]["summary"]["done"], 0)
    walk.write("tree/a b", b"longer than before")
    os.remove(walk.path("tree/ümlaut"))
    walk.run("sync", tree, "s3://books/tree", "--delete", "--dry-run")
    walk.says("(dryrun) upload: ", "(dryrun) delete: s3://books/tree/ümlaut")
    walk.run("sync", tree, "s3://books/tree", "--delete")
    walk.run("sync", "s3://books/tree/", "s3://books/tree2/")
    walk.run("sync", "s3://books/tree2", walk.path("tree.back"), "--delete")
    walk.expect("trees", same_trees(tree, walk.path("tree.back")), True)
    walk.run("rm", "--recursive", "s3://books/tree2", "--exclude", "*", "--include", "*.txt")
    walk.expect("one removed", walk.out.decode(), "delete: s3://books/tree2/deep/er/x.txt\n")


def many_objects(walk):
    for number in range(1_050):
        walk.write(f"many/{number % 7}/{number}", b"%d" % number)
    walk.run("cp", "--recursive", walk.path("many"), "s3://books/many", "--quiet", "--jobs", "16")
    listed = walk.lines("ls", "--recursive", "s3://books/many/", "--summarize")
    walk.expect("listed", listed[-1]["summary"]["total_objects"], 1_050)
    removed = walk.lines("rm", "--recursive", "s3://books/many/")
    walk.expect("removed", removed[-1]["summary"], {
        "done": 1_050, "bytes": 0, "skipped": 0, "failed": 0, "dry_run": False})
    walk.run("ls", "s3://books/many/", status=1)


def keys_that_are_no_paths(walk):
    keys = ["odd/../../../outside", "odd//absolute", "odd/./here", "odd/" + "n" * 300, "odd/good",
            "odd/folder/", "odd/folder"]
    for key in keys:
        walk.run("put-object", "--bucket", "books", "--key", key, "--body", "-",
                 input=b"" if key.endswith("/") else b"x")
    inside = walk.path("in/side")
    walk.run("cp", "--recursive", "s3://books/odd", inside, status=2)
    walk.says("'..' would lead out", "absolute path", "'.' is no name", "255 bytes",
              "it marks a folder", "2 done")
    walk.expect("inside", sorted(os.listdir(inside)), ["folder", "good"])
    walk.expect("outside", os.path.exists(walk.path("outside")), False)
    walk.run("sync", "s3://books/odd", walk.path("in/sync"), status=2)
    walk.expect("inside", sorted(os.listdir(walk.path("in/sync"))), ["folder", "good"])


def presigned(walk):
    url = walk.run("presign", "s3://books/site/a.html", "--expires-in", "60").strip()
    with urllib.request.urlopen(url) as answer:
        walk.expect("presigned", answer.read(), b"<p>hello")
    put = walk.json("presign", "s3://books/by-url", "--method", "PUT", "--content-type", "text/x")
    request = urllib.request.Request(put["url"], data=b"by url", method="PUT",
                                     headers=dict(put["headers"], **{"Content-Type": "text/x"}))
    urllib.request.urlopen(request).close()
    walk.expect("put by URL", walk.run("cp", "s3://books/by-url", "-"), "by url")


def post_form(url, fields, file, name="f.txt"):
    """Sends a form as a page does. The status."""
    boundary = "boundary-of-a-test"
    body = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
                   for field, value in fields.items())
    body += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{file}\r\n--{boundary}--'
    request = urllib.request.Request(url, data=body.encode(), method="POST",
                                     headers={"Content-Type": "multipart/form-data; boundary=" + boundary})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def presigned_forms(walk):
    form = walk.json("presign", "--post", "s3://books/in/", "--expires-in", "15m", "--content-length-range", "1,1KiB",
                     "--field", "x-amz-meta-a=1", "--starts-with", "Content-Type=text/")
    walk.expect("form", (form["method"], form["expires_in"]), ("POST", 900))
    fields = {**form["fields"], "Content-Type": "text/markdown"}
    walk.expect("post", post_form(form["url"], fields, "by a form", "notes.md"), 204)
    walk.expect("posted", walk.run("cp", "s3://books/in/notes.md", "-"), "by a form")
    head = walk.json("head-object", "--bucket", "books", "--key", "in/notes.md", "--json")
    walk.expect("type", head["content_type"], "text/markdown")
    walk.expect("metadata", head["metadata"], {"a": "1"})
    walk.expect("another type", post_form(form["url"], {**fields, "Content-Type": "image/png"}, "x"), 403)
    walk.expect("too long", post_form(form["url"], fields, "x" * 1025), 400)
    walk.expect("another place", post_form(form["url"], {**fields, "key": "out/x"}, "x"), 403)
    command = walk.run("presign", "--post", "s3://books/it's here", "--curl")
    with open(walk.path("to send"), "w", encoding="utf-8") as file:
        file.write("by curl")
    done = subprocess.run(["bash", "-c", command.replace("@FILE", "@'" + walk.path("to send") + "'")],
                          capture_output=True, text=True, timeout=60)
    walk.expect("curl", (done.returncode, done.stdout), (0, ""))
    walk.expect("sent by curl", walk.run("cp", "s3://books/it's here", "-"), "by curl")
    page = walk.run("presign", "--post", "s3://books/k", "--html")
    walk.expect("page", page.count("<input type=\"hidden\""), 6)


def errors(walk):
    walk.run("head-object", "--bucket", "books", "--key", "none", status=1)
    walk.says("head_object books/none: ", "status 404", "request id ", "1 attempt")
    walk.run("get-object", "--bucket", "books", "--key", "none", walk.path("never"), "--json", status=1)
    error = json.loads(walk.err)["error"]
    walk.expect("code", (error["code"], error["operation"], error["bucket"], error["key"],
                         error["status"]), ("NoSuchKey", "get_object", "books", "none", 404))
    walk.expect("no file", os.path.exists(walk.path("never")), False)
    walk.run("put-bucket-tagging", "--tagging", '{"tag_set":[{"key":1},{"velue":"x"}]}', status=64)
    walk.says("params[:bucket]", "params[:tagging][:tag_set][0][:value]",
              "unexpected value at params[:tagging][:tag_set][1][:velue]")
    keys = json.loads(read(walk.environment["CAIRN_CREDENTIALS_FILE"]))
    wrong = walk.write("wrong.json", json.dumps(dict(keys, secret_access_key="x")).encode())
    walk.run("ls", "s3://books", "--credentials-file", wrong, status=77)
    walk.says("SignatureDoesNotMatch")
    walk.run("ls", "s3://books", "--no-sign-request", status=77)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    walk.run("ls", "--endpoint-url", f"http://127.0.0.1:{port}", "--max-attempts", "1", status=69)
    walk.says("1 attempt")
    walk.run("cp", walk.path("nothing"), "s3://books/", status=66)
    walk.run("cp", walk.write("good", b""), walk.path("nothing"), "s3://books/", status=2)
    walk.run("get-object", "--bucket", "books", "--key", "site/a.html", "/dev/full", status=73)
    walk.run("cp", "s3://books/site/a.html", "/dev/null")
    with open("/dev/full", "wb") as full:
        lost = subprocess.run(walk.command(["cp", "s3://books/site/a.html", "-"]), stdout=full,
                              stderr=subprocess.DEVNULL, env=walk.environment)
    walk.expect("lost output", lost.returncode, 74)
    walk.run("ls", "s3://books", "--debug")
    walk.says("[FILTERED]", "list-type=2")
    walk.expect("no secret", keys["secret_access_key"] in walk.err, False)
    walk.run("ls", "s3://books", "--dialect", "svc")


def account_of(walk):
    """The account of the first pair of keys."""
    request = urllib.request.Request(walk.cairn.api + "/_security/object_key",
                                     headers={"Authorization": "ApiKey " + walk.cairn.key})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["object_keys"][0]["account"]


def access_points(walk, bucket):
    """The operations on access points, one after another."""
    account = ["--account-id", account_of(walk)]
    point = [*account, "--name", "walked"]
    made = walk.json("create-access-point", *point, "--create-access-point-request",
                     json.dumps({"bucket": bucket}))
    walk.expect("bucket of the access point", walk.json("get-access-point", *point)["bucket"], bucket)
    walk.expect("access points", [one["name"] for one in walk.json(
        "list-access-points", *account, "--bucket", bucket)["access_point_list"]], ["walked"])
    policy = {"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": {"AWS": account[1]}, "Action": "s3:GetObject",
        "Resource": made["access_point_arn"] + "/object/*"}]}
    walk.run("put-access-point-policy", *point, "--put-access-point-policy-request",
             json.dumps({"policy": json.dumps(policy)}))
    walk.expect("policy", json.loads(walk.json("get-access-point-policy", *point)["policy"]), policy)
    walk.expect("public", walk.json("get-access-point-policy-status", *point)["policy_status"],
                {"is_public": False})
    walk.run("delete-access-point-policy", *point)
    # Of directory buckets alone.
    walk.json("list-access-points-for-directory-buckets", *account)
    for words in (["put-access-point-scope", *point, "--put-access-point-scope-request",
                   '{"scope":{"prefixes":["a/"]}}'],
                  ["get-access-point-scope", *point], ["delete-access-point-scope", *point]):
        walk.run(*words, status=1)
        walk.says("directory buckets")
    walk.run("delete-access-point", *point)
    # Of an outpost, of which this service has one.
    there = ["--outpost-id", OUTPOST]
    named = [*there, "--name", "on-outpost"]
    arn = walk.json("create-outpost-bucket", *named)["bucket_arn"]
    walk.expect("bucket of the outpost", walk.json("get-outpost-bucket", *named)["bucket"], "on-outpost")
    walk.expect("buckets of the outpost", [one["bucket_arn"] for one in walk.json(
        "list-regional-buckets", *account, *there)["regional_bucket_list"]], [arn])
    walk.run("access-point", "create", "walked", "s3://on-outpost", "--account", account[1],
             "--outpost", there[1])
    walk.run("delete-outpost-bucket", *named, status=1)
    walk.says("BucketHasAccessPointsAttached")
    walk.run("access-point", "delete", "walked", "--account", account[1], "--outpost", there[1])
    walk.run("delete-outpost-bucket", *named)
    return ["create-access-point", "get-access-point", "list-access-points",
            "put-access-point-policy", "get-access-point-policy", "get-access-point-policy-status",
            "delete-access-point-policy", "delete-access-point", "put-access-point-scope",
            "get-access-point-scope", "delete-access-point-scope",
            "list-access-points-for-directory-buckets", "create-outpost-bucket",
            "get-outpost-bucket", "delete-outpost-bucket", "list-regional-buckets"]


def access_grants(walk, bucket):
    """The operations on access grants, one after another."""
    account = ["--account-id", account_of(walk)]
    root = f"arn:aws:iam::{account[1]}:root"
    scope = f"s3://{bucket}/*"
    walk.run("create-access-grants-instance", *account)
    for operation in ("get-access-grants-instance", "list-access-grants-instances"):
        walk.run(operation, *account)
        walk.says("default")
    where = {"location_scope": scope, "iam_role_arn": root}
    location = walk.json("create-access-grants-location", *account,
                         "--create-access-grants-location-request",
                         json.dumps(where))["access_grants_location_id"]
    there = [*account, "--name", location]
    walk.run("update-access-grants-location", *there, "--update-access-grants-location-request",
             json.dumps({"iam_role_arn": root}))
    walk.expect("scope", walk.json("get-access-grants-location", *there)["location_scope"], scope)
    walk.run("list-access-grants-locations", *account)
    walk.says(location)
    walk.run("get-access-grants-instance-for-prefix", *account, "--s3-prefix", scope)
    walk.says("default")
    grant = walk.json("create-access-grant", *account, "--create-access-grant-request", json.dumps({
        "access_grants_location_id": location, "permission": "READ",
        "access_grants_location_configuration": {"s3_sub_prefix": "a/*"},
        "grantee": {"grantee_type": "IAM", "grantee_identifier": root}}))["access_grant_id"]
    walk.expect("permission", walk.json("get-access-grant", *account, "--name", grant)["permission"],
                "READ")
    walk.run("list-access-grants", *account)
    walk.says(grant)
    given = walk.json("get-data-access", *account, "--target", f"s3://{bucket}/a/*",
                      "--permission", "READ")
    walk.expect("credentials", sorted(given["credentials"]),
                ["access_key_id", "expiration", "secret_access_key", "session_token"])
    walk.run("delete-access-grant", *account, "--name", grant)
    walk.run("delete-access-grants-location", *there)
    walk.run("delete-access-grants-instance", *account)
    return ["create-access-grants-instance", "get-access-grants-instance",
            "list-access-grants-instances", "get-access-grants-instance-for-prefix",
            "create-access-grants-location", "update-access-grants-location",
            "get-access-grants-location", "list-access-grants-locations", "create-access-grant",
            "get-access-grant", "list-access-grants", "get-data-access", "delete-access-grant",
            "delete-access-grants-location", "delete-access-grants-instance"]


def operations(walk):
    """Every operation of the service, most of them with what another one has set."""
    upload = ["--bucket", "ops", "--key", "up"]
    b, o = ["--bucket", "ops"], ["--bucket", "ops", "--key", "k"]
    walk.run("create-bucket", *b, "--object-lock-enabled-for-bucket", "--object-ownership",
             "BucketOwnerPreferred")
    walk.run("put-object", *o, "--body", "-", "--content-type", "text/plain", input=b"12345")
    walk.run("put-bucket-tagging", *b, "--tagging", '{"TagSet":[{"Key":"a","Value":"b"}]}')
    walk.expect("tags", walk.json("get-bucket-tagging", *b)["tag_set"], [{"key": "a", "value": "b"}])
    policy = {"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::ops/*"}]}
    rule = {"rules": [{"id": "r", "status": "Enabled", "filter": {"prefix": "x"}, "expiration": {"days": 1}}]}
    cors = {"cors_rules": [{"allowed_methods": ["GET"], "allowed_origins": ["*"]}]}
    sse = {"rules": [{"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}]}
    done = ["put-bucket-tagging", "get-bucket-tagging", "create-bucket", "put-object"]
    for words in (
            ["list-buckets"], ["head-bucket", *b], ["get-bucket-location", *b],
            ["list-objects", *b], ["list-objects-v2", *b], ["list-object-versions", *b],
            ["put-bucket-versioning", *b, "--versioning-configuration", '{"status":"Enabled"}'],
            ["get-bucket-versioning", *b], ["delete-bucket-tagging", *b],
            ["put-bucket-acl", *b, "--acl", "private"], ["get-bucket-acl", *b],
            ["put-bucket-ownership-controls", *b, "--ownership-controls",
             '{"rules":[{"object_ownership":"ObjectWriter"}]}'],
            ["get-bucket-ownership-controls", *b],
            ["put-object-acl", *o, "--acl", "private"], ["get-object-acl", *o],
            ["delete-bucket-ownership-controls", *b],
            ["put-public-access-block", *b, "--public-access-block-configuration",
             '{"block_public_acls":true}'],
            ["get-public-access-block", *b], ["delete-public-access-block", *b],
            ["put-bucket-policy", *b, "--policy", json.dumps(policy)], ["get-bucket-policy", *b],
            ["get-bucket-policy-status", *b], ["delete-bucket-policy", *b],
            ["put-bucket-cors", *b, "--cors-configuration", json.dumps(cors)],
            ["get-bucket-cors", *b], ["delete-bucket-cors", *b],
            ["put-bucket-lifecycle-configuration", *b, "--lifecycle-configuration", json.dumps(rule)],
            ["get-bucket-lifecycle-configuration", *b], ["delete-bucket-lifecycle", *b],
            ["put-object-lock-configuration", *b, "--object-lock-configuration",
             '{"object_lock_enabled":"Enabled"}'],
            ["get-object-lock-configuration", *b],
            ["put-bucket-encryption", *b, "--server-side-encryption-configuration", json.dumps(sse)],
            ["get-bucket-encryption", *b], ["delete-bucket-encryption", *b],
            ["put-bucket-request-payment", *b, "--request-payment-configuration", '{"payer":"BucketOwner"}'],
            ["get-bucket-request-payment", *b], ["get-bucket-accelerate-configuration", *b],
            ["get-bucket-logging", *b], ["get-bucket-notification-configuration", *b],
            ["put-bucket-logging", *b, "--document", "<BucketLoggingStatus/>"],
            ["put-bucket-notification-configuration", *b, "--document",
             "<NotificationConfiguration/>"],
            ["put-bucket-accelerate-configuration", *b, "--document",
             "<AccelerateConfiguration><Status>Suspended</Status></AccelerateConfiguration>"],
            ["delete-bucket-website", *b], ["delete-bucket-replication", *b],
            ["head-object", *o], ["get-object", *o, walk.path("k.out")],
            ["get-object-attributes", *o, "--object-attributes", "ETag,ObjectSize"],
            ["put-object-tagging", *o, "--tagging", '{"tag_set":[]}'], ["get-object-tagging", *o],
            ["delete-object-tagging", *o],
            ["put-object-retention", *o, "--retention",
             '{"mode":"GOVERNANCE","retain_until_date":"2030-01-01T00:00:00Z"}'],
            ["get-object-retention", *o],
            ["put-object-legal-hold", *o, "--legal-hold", '{"status":"OFF"}'],
            ["get-object-legal-hold", *o],
            ["copy-object", "--bucket", "ops", "--key", "copy", "--copy-source", "ops/k"],
            ["delete-object", "--bucket", "ops", "--key", "copy"],
            ["delete-objects", *b, "--delete", '{"Objects":[{"Key":"none"}]}'],
            ["list-multipart-uploads", *b], ["list-directory-buckets"]):
        walk.json(*words) if words[0].startswith(("get", "list")) else walk.run(*words)
        done.append(words[0])
    upload_id = walk.json("create-multipart-upload", *upload)["upload_id"]
    part = [*upload, "--upload-id", upload_id, "--part-number"]
    etag = walk.json("upload-part", *part, "1", "--body", "-", input=b"part")["etag"]
    walk.run("upload-part-copy", *part, "2", "--copy-source", "ops/k")
    walk.expect("parts", len(walk.json("list-parts", *part[:-1])["parts"]), 2)
    walk.json("complete-multipart-upload", *part[:-1], "--multipart-upload",
              json.dumps({"parts": [{"part_number": 1, "etag": etag}]}))
    upload_id = walk.json("create-multipart-upload", *upload)["upload_id"]
    walk.run("abort-multipart-upload", *upload, "--upload-id", upload_id)
    # Tables of the bucket, and their rows: of the journal one for each change.
    expires = '{"record_expiration":{"expiration":"DISABLED"}}'
    walk.run("create-bucket-metadata-configuration", *b, "--metadata-configuration",
             '{"journal_table_configuration":%s}' % expires)
    walk.run("update-bucket-metadata-journal-table-configuration", *b,
             "--journal-table-configuration", expires)
    walk.run("update-bucket-metadata-inventory-table-configuration", *b,
             "--inventory-table-configuration", '{"configuration_state":"DISABLED"}')
    shown = walk.json("get-bucket-metadata-configuration", *b)
    walk.expect("journal", "ACTIVE" in json.dumps(shown), True)
    name = b[1]
    walk.run("cp", "-", f"s3://{name}/told", input=b"x")
    walk.run("rm", f"s3://{name}/told")
    rows = [json.loads(line) for line in
            walk.run("table", "export", "--bucket", name).splitlines()]
    walk.expect("rows", [(row["record_type"], row["key"]) for row in rows],
                [("CREATE", "told"), ("DELETE", "told")])
    csv = walk.run("table", "export", "--bucket", name, "--format", "csv").splitlines()
    walk.expect("csv", (len(csv), csv[0].split(",")[:3]), (3, ["bucket", "key", "sequence_number"]))
    walk.run("table", "export", "--bucket", name, "--table", "inventory", status=1)
    walk.run("list-bucket-metadata-table-rows", *b, "--table", "journal")
    walk.run("delete-bucket-metadata-configuration", *b)
    done += ["create-bucket-metadata-configuration", "get-bucket-metadata-configuration",
             "delete-bucket-metadata-configuration",
             "update-bucket-metadata-journal-table-configuration",
             "update-bucket-metadata-inventory-table-configuration",
             "list-bucket-metadata-table-rows"]
    done += access_points(walk, name) + access_grants(walk, name)
    # What the service says no to, and how: nothing there, or nothing that it answers.
    for words in (["get-bucket-website", *b], ["get-bucket-replication", *b],
                  ["restore-object", *o, "--restore-request", '{"days":1}'],
                  ["create-session", *b],
                  ["rename-object", *o, "--rename-source", "other"]):
        done.append(words[0])
        walk.run(*words, status=1)
        walk.says("status ", "attempt")
    walk.run("delete-bucket", *b, status=1)
    done += ["create-multipart-upload", "upload-part", "upload-part-copy", "list-parts",
             "complete-multipart-upload", "abort-multipart-upload", "delete-bucket"]
    listed = walk.run("--help").split("with its parameters as options:")[1]
    listed = listed.split("every command of the object storage:")[0]
    every = [word for word in listed.split() if "-" in word]
    walk.expect("operations that were not walked", sorted(set(every) - set(done)), [])


def ends(walk):
    walk.run("rb", "s3://books", status=1)
    walk.says("BucketNotEmpty")
    walk.run("create-multipart-upload", "--bucket", "books", "--key", "open")
    walk.run("put-bucket-versioning", "--bucket", "books", "--versioning-configuration",
             '{"Status":"Enabled"}')
    walk.run("rm", "s3://books/large.bin")
    walk.run("rb", "s3://books", "--force", "--quiet")
    walk.expect("buckets", [line["bucket"] for line in walk.lines("ls")], ["ops"])


def main():
    walk = Walk(sys.argv[1])
    try:
        for part in (buckets_and_small_files, large_files, interrupted_uploads, trees, many_objects,
                     keys_that_are_no_paths, presigned, presigned_forms, errors, operations, ends):
            part(walk)
            print(f"ok   {part.__name__.replace('_', ' ')}", flush=True)
    except AssertionError:
        print(walk.cairn.log_tail(), file=sys.stderr)
        raise
    finally:
        walk.cairn.kill()
        shutil.rmtree(walk.folder, ignore_errors=True)
    print(f"{walk.checks} checks")


if __name__ == "__main__":
    main()
