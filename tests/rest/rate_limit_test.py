#!/usr/bin/env python3
"""The limits over HTTP: headers on every class of reply, every limit, shadow mode, exemption, reload,
restarts, two nodes on one Redis, and the command line.

    rate_limit_test.py CAIRN [NAME...]

Servers run with --test-routes and --test-identities. A limit's minute is some seconds, so that a
window can be seen to end; nothing is asserted about how fast anything is.
"""

import base64
import http.client
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

BINARY = None
NAMES = ("limit", "remaining", "used", "reset", "resource")
FLAGS = ("--test-routes", "--test-identities")


class Answer:
    def __init__(self, reply):
        self.status = reply.status
        self.text = reply.read()
        self.headers = reply.headers
        try:
            self.json = json.loads(self.text) if self.text else None
        except ValueError:
            self.json = None

    def limit(self, name):
        value = self.headers.get("x-ratelimit-" + name)
        return value if name == "resource" or value is None else int(value)

    def wait(self):
        return self.headers.get("retry-after")


class Server:
    """A Cairn with a policy; `ask` presents a fixture token, a key, or nothing."""

    def __init__(self, limits=None, tokens=None, apps=None, words=FLAGS, environment=None):
        self.cairn = Cairn(BINARY, environment=environment)
        self.file = os.path.join(self.cairn.folder, "cairn.yaml")
        self.fixtures = {"tokens": tokens or {}, "oauth_apps": apps or {}}
        self.words = words
        self.write(limits or {})
        self.start()

    def write(self, limits, text=None):
        """The whole file at once, as an editor that knows its trade does it."""
        content = {"rate_limit": limits}
        if "--test-identities" in self.words:
            content.update(self.fixtures)
        with open(self.file + ".new", "w") as file:
            file.write(text if text is not None else json.dumps(content))
        os.rename(self.file + ".new", self.file)

    def start(self):
        self.cairn.start("--config", self.file, *self.words)

    def ask(self, method, path, token=None, key=None, body=None, headers=None, connection=None):
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = "token " + token
        if key is not None:
            sent["Authorization"] = "ApiKey " + key
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = json.dumps(body)
        own = connection is None
        connection = connection or self.cairn.connect()
        connection.request(method, path, body=body, headers=sent)
        answer = Answer(connection.getresponse())
        if own:
            connection.close()
        return answer

    def admin(self, method, path, body=None):
        return self.ask(method, path, key=self.cairn.key, body=body)

    def log(self):
        return self.cairn.log_tail(10_000)

    def metrics(self):
        """Values by series. A scraper refuses a text that has one twice."""
        lines = [line for line in self.admin("GET", "/_metrics").text.decode().splitlines()
                 if line and not line.startswith("#")]
        out = dict(line.rsplit(" ", 1) for line in lines)
        equal(sorted(line.rsplit(" ", 1)[0] for line in lines), sorted(out), "each series once")
        return out

    def close(self):
        if self.cairn.process.poll() is None:
            code = self.cairn.stop()
            check(code == 0, f"the server ended with {code}\n" + self.cairn.log_tail())
        shutil.rmtree(self.cairn.folder, ignore_errors=True)


def check(true, what):
    if not true:
        raise AssertionError(what)


def equal(got, want, what):
    check(got == want, f"{what}: {got!r}, expected {want!r}")


def until(ready, what, seconds=60):
    """Waits for something that must come; how long it takes is not the question."""
    end = time.monotonic() + seconds
    while not ready():
        check(time.monotonic() < end, "in vain: " + what)
        time.sleep(0.02)


def user(name, **facts):
    return {"kind": "user", "user": name, **facts}


def primary(answer, status, what):
    equal(answer.status, status, what)
    equal(answer.limit("remaining"), 0, what + ", remaining")
    check(answer.json["message"].startswith("API rate limit exceeded for "), answer.text)
    check("secondary" not in answer.json["message"].lower(), answer.text)
    check("secondary" not in answer.json["documentation_url"], answer.text)


def secondary(answer, status, what):
    equal(answer.status, status, what)
    check(answer.limit("remaining") != 0, what + ": remaining 0 is for primary refusals")
    check("secondary rate limit" in answer.json["message"], answer.text)
    check(answer.json["documentation_url"].endswith("secondary-rate-limits"), answer.text)
    check(int(answer.wait()) >= 1, what + ": retry-after")


# --- cases

def headers_on_every_class():
    server = Server({"plans": {"user": 100, "unauthenticated": 50}}, tokens={"ann": user("ann")})
    try:
        used = 0
        for method, path, body, status in (
                ("GET", "/_test/core", None, 200), ("GET", "/_test/sleep?ms=no", None, 400),
                ("GET", "/_test/boom", None, 500), ("POST", "/_test/write", {}, 200),
                ("HEAD", "/_test/core", None, 200)):
            used += 1
            got = server.ask(method, path, token="ann", body=body)
            equal(got.status, status, method + " " + path)
            equal([got.limit(name) for name in NAMES if name != "reset"], [100, 100 - used, used, "core"],
                  f"{method} {path}, headers")
            check(time.time() - 2 <= got.limit("reset") - 3600 <= time.time() + 2, "reset")
            check(got.wait() is None, "retry-after on what is no refusal")
        # A 304 to who is known is free; to a stranger it is not.
        tag = server.ask("GET", "/_test/etag", token="ann").headers["etag"]
        for _ in range(2):
            got = server.ask("GET", "/_test/etag", token="ann", headers={"If-None-Match": tag})
            equal((got.status, got.limit("used"), got.text), (304, used + 1, b""), "304")
        # Whoever presents nothing, or what does not verify, is counted by address.
        equal(server.ask("GET", "/_test/core").limit("used"), 1, "a stranger")
        got = server.ask("GET", "/_test/etag", headers={"If-None-Match": tag})
        equal((got.status, got.limit("used"), got.limit("limit")), (304, 2, 50), "a stranger's 304")
        for n, wrong in enumerate(("token nobody", "ApiKey x", "Bearer x")):
            got = server.ask("GET", "/_test/core", headers={"Authorization": wrong})
            equal((got.status, got.limit("limit"), got.limit("used")), (401, 50, 3 + n), wrong)
        # Real keys, of one user in one bucket.
        made = [server.admin("POST", "/_security/api_key", {
            "name": "k", "role_descriptors": {"r": {"cluster": ["monitor"]}},
            "metadata": {"_cairn": {"identity": user("bob")}}}).json["encoded"] for _ in range(2)]
        for n, (path, status) in enumerate((("/", 200), ("/_security/api_key?id=x", 403), ("/nothing/there/is", 400),
                                            ("/absent/_doc/1", 403), ("/_test/core", 200))):
            got = server.ask("GET", path, key=made[n % 2])
            equal((got.status, got.limit("used"), got.limit("limit")), (status, n + 1, 100), path)
        got = server.ask("PATCH", "/", key=made[0])
        equal((got.status, got.limit("used")), (405, 6), "405")
        # Probes and metrics are nobody's.
        check(server.ask("GET", "/_health/live").limit("limit") is None, "a probe has headers")
    finally:
        server.close()


def rate_limit_route():
    server = Server({"plans": {"user": 3}}, tokens={"ann": user("ann")})
    try:
        before = server.ask("GET", "/rate_limit", token="ann")
        equal(before.status, 200, "before anything")
        equal(before.json["rate"]["used"], 0, "used")
        for _ in range(3):
            last = server.ask("GET", "/_test/core", token="ann")
        primary(server.ask("GET", "/_test/core", token="ann"), 403, "the fourth")
        for _ in range(3):
            got = server.ask("GET", "/rate_limit", token="ann")
            equal(got.status, 200, "while exhausted")
            core = {name: last.limit(name) for name in ("limit", "used", "remaining", "reset")}
            equal(got.json["rate"], core, "rate")
            equal(got.json["resources"]["core"], core, "core")
            equal(list(got.json["rate"]), ["limit", "used", "remaining", "reset"], "order")
            equal({name: got.limit(name) for name in core}, core, "headers")
        for name, limit in (("search", 30), ("code_search", 10), ("graphql", 5000), ("scim", 15000)):
            equal(got.json["resources"][name]["limit"], limit, name)
        check("lfs" not in got.json["resources"], "the bucket of large files is shown")
        server.ask("GET", "/_test/search", token="ann")
        equal(server.ask("GET", "/rate_limit", token="ann").json["resources"]["search"]["used"], 1, "search")
        equal(server.ask("GET", "/rate_limit").json["rate"]["limit"], 60, "of a stranger")
    finally:
        server.close()
    server = Server({"enabled": False})
    try:
        equal(server.ask("GET", "/rate_limit").status, 404, "where there are no limits")
        check(server.ask("GET", "/_test/core").limit("limit") is None, "headers without limits")
    finally:
        server.close()


def primary_limits():
    tokens = {"ann": user("ann"), "ann-app": {"kind": "app_user", "user": "ann"},
              "ann-oauth": {"kind": "oauth_user", "user": "ann"},
              "member": user("mia", enterprise=True), "i21": {"kind": "installation", "id": 1, "repos": 21},
              "big": {"kind": "installation", "id": 2, "repos": 500, "users": 500},
              "ent": {"kind": "installation", "id": 3, "enterprise": True},
              "wf": {"kind": "workflow", "repo": "o/r"}, "wfe": {"kind": "workflow", "repo": "e/r", "enterprise": True}}
    server = Server({"plans": {"user": 4}, "time": {"hour_s": 8, "minute_s": 3}}, tokens=tokens,
                    apps={"client": {"secret": "sesame"}, "clienta": {"secret": "s", "enterprise": True}})
    try:
        for n, name in enumerate(("ann", "ann-app", "ann-oauth", "ann")):
            got = server.ask("GET", "/_test/core", token=name)
            equal((got.status, got.limit("used")), (200, n + 1), "tokens of one user share a bucket: " + name)
        for name in ("ann", "ann-app"):
            got = server.ask("GET", "/_test/core", token=name)
            primary(got, 403, name)
            equal(got.limit("used"), 4, "a refusal is not counted")
        until(lambda: time.time() >= got.limit("reset"), "the reset")
        equal(server.ask("GET", "/_test/core", token="ann").limit("used"), 1, "at the reset")
        for name, limit in (("member", 15000), ("i21", 6050), ("big", 12500), ("ent", 15000), ("wf", 1000),
                            ("wfe", 15000)):
            equal(server.ask("GET", "/_test/core", token=name).limit("limit"), limit, name)
        for pair, limit in (("client:sesame", 5000), ("clienta:s", 15000)):
            basic = "Basic " + base64.b64encode(pair.encode()).decode()
            got = server.ask("GET", "/_test/core", headers={"Authorization": basic})
            equal((got.status, got.limit("limit")), (200, limit), pair)
        wrong = "Basic " + base64.b64encode(b"client:wrong").decode()
        equal(server.ask("GET", "/_test/core", headers={"Authorization": wrong}).status, 401, "a wrong secret")
        got = server.ask("POST", "/_test/lfs", token="ann", body={})
        equal((got.limit("resource"), got.limit("limit")), ("lfs", 3000), "large files")
    finally:
        server.close()


def together(count, one):
    """Runs `one(i)` on threads at a time; their results."""
    out = [None] * count
    gate = threading.Barrier(count)

    def work(i):
        gate.wait()
        out[i] = one(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


def secondary_limits():
    tokens = {name: user(name) for name in
              ("crowd", "points", "write", "query", "cpu", "minute", "hour", "route")}
    # Minutes so long that none ends while it is filled.
    limits = {"time": {"hour_s": 86_400, "minute_s": 86_000},
              "secondary": {"concurrent": 3, "points_per_minute": {"rest": 10, "graphql": 12},
                            "cpu_ms_per_minute": {"total": 300, "graphql": 200},
                            "content_per_minute": 3, "content_per_hour": 500},
              "points": {"routes": [{"match": "POST /_test/content", "points": 0},
                                    {"match": "GET /_test/core2", "content": True, "content_per_hour": 1}]}}
    server = Server(limits, tokens=tokens)
    try:
        sleepers = [threading.Thread(target=server.ask, args=("GET", "/_test/sleep?ms=5000", "crowd")) for _ in range(3)]
        for sleeper in sleepers:
            sleeper.start()

        def under_way():
            return server.admin("GET", "/_cairn/limits/user:crowd").json["secondary"]["concurrent"]["used"]

        until(lambda: under_way() == 3, "three requests at a time")
        secondary(server.ask("GET", "/_test/core", token="crowd"), 403, "the fourth at a time")
        for sleeper in sleepers:
            sleeper.join()
        equal(server.ask("GET", "/_test/core", token="crowd").status, 200, "afterwards")
        equal(under_way(), 0, "all are released")

        for _ in range(10):
            equal(server.ask("GET", "/_test/core", token="points").status, 200, "points")
        secondary(server.ask("GET", "/_test/core", token="points"), 403, "the eleventh point")
        equal(server.ask("GET", "/_test/etag", token="points").status, 200, "another endpoint")
        for _ in range(2):
            equal(server.ask("POST", "/_test/write", token="write", body={}).status, 200, "5 points")
        secondary(server.ask("POST", "/_test/write", token="write", body={}), 403, "10 points")

        query, mutation = {"query": "{ viewer }"}, {"query": "mutation M { add }"}
        for one in (mutation, mutation, query, query):
            got = server.ask("POST", "/_test/graphql", token="query", body=one)
            equal((got.status, got.limit("resource")), (200, "graphql"), "GraphQL")
        secondary(server.ask("POST", "/_test/graphql", token="query", body=query), 403, "12 points")

        equal(server.ask("GET", "/_test/cpu?ms=400", token="cpu").status, 200, "CPU time")
        check(at_rest(server, "cpu")["cpu_ms_per_minute"]["total"]["used"] >= 400, "CPU time that was taken")
        secondary(server.ask("GET", "/_test/core", token="cpu"), 403, "after 400 ms of 300")

        for _ in range(3):
            equal(server.ask("POST", "/_test/content", token="minute", body={}).status, 200, "content")
        got = server.ask("POST", "/_test/content", token="minute", body={})
        secondary(got, 403, "content of a minute")
        check("content creation" in got.json["message"], got.text)
        equal(server.ask("GET", "/_test/core", token="minute").status, 200, "what makes no content")

        equal(server.ask("GET", "/_test/core2", token="route").status, 200, "a route of its own")
        secondary(server.ask("GET", "/_test/core2", token="route"), 403, "content of that route")
        # One administrator's eye sees what no client does.
        got = server.admin("GET", "/_cairn/limits/user:minute")
        equal((got.status, got.json["secondary"]["content_per_minute"]["used"]), (200, 3), "the administrator")
        check(server.ask("GET", "/_cairn/limits/user:minute", token="minute").status == 403, "a user")
    finally:
        server.close()
    server = Server({"secondary": {"content_per_hour": 2, "content_per_minute": 50}}, tokens=tokens)
    try:
        for _ in range(2):
            server.ask("POST", "/_test/content", token="hour", body={})
        secondary(server.ask("POST", "/_test/content", token="hour", body={}), 403, "content of an hour")
    finally:
        server.close()


def at_rest(server, name):
    """What is counted of a user once no request is under way: the CPU time of one comes after its answer."""
    while True:
        seen = server.admin("GET", "/_cairn/limits/user:" + name).json["secondary"]
        if seen["concurrent"]["used"] == 0:
            return seen
        time.sleep(0.001)


def graphql_limits():
    """POST /graphql itself: its points at the default, its share of CPU time, and what is refused how."""
    long = {"hour_s": 86_400, "minute_s": 86_000}  # no minute ends while it is filled

    def key_of(server, name):
        return server.admin("POST", "/_security/api_key", {
            "name": name, "metadata": {"_cairn": {"identity": user(name)}},
            "role_descriptors": {"r": {"cluster": ["all"], "indices": [{"names": ["*"], "privileges": ["all"]}]}}}).json["encoded"]

    def counted(server, name):
        return server.admin("GET", "/_cairn/limits/user:" + name).json["secondary"]

    def refused(answer, what):
        """As every platform answers: no GraphQL error in a 200, which a client would take for an answer."""
        secondary(answer, 429, what)
        equal(answer.limit("resource"), "graphql", what)
        check("data" not in answer.json and "errors" not in answer.json, answer.text)
    query = {"query": "{ rateLimit { cost } }"}
    mutation = {"query": "mutation { indicesDelete(index: \"none\") { status } }"}
    server = Server({"time": long})
    try:
        ann, bob = key_of(server, "ann"), key_of(server, "bob")
        shown = counted(server, "ann")
        equal((shown["points_per_minute"]["limit_graphql"], shown["points_per_minute"]["limit_rest"]), (2000, 900), "points")
        equal({name: one["limit"] for name, one in shown["cpu_ms_per_minute"].items()}, {"total": 90_000, "graphql": 60_000},
              "CPU time")
        connection = server.cairn.connect()
        for number in range(1_990):
            got = server.ask("POST", "/graphql", key=ann, body=query, connection=connection)
            check(got.status == 200 and got.json["data"], f"{number}: {got.text}")
        equal(counted(server, "ann")["points_per_minute"]["used"], {"POST /graphql": 1_990}, "a query is a point")
        got = server.ask("POST", "/graphql", key=ann, body=mutation)
        equal(got.status, 200, "a mutation")
        equal(counted(server, "ann")["points_per_minute"]["used"], {"POST /graphql": 1_995}, "a mutation is five")
        for _ in range(3):
            equal(server.ask("POST", "/graphql", key=ann, body=query).status, 200, "up to 1,998")
        before = got.limit("used") + 3
        refused(server.ask("POST", "/graphql", key=ann, body=mutation), "a mutation has no room")
        for _ in range(2):
            equal(server.ask("POST", "/graphql", key=ann, body=query).status, 200, "the 2,000th")
        got = server.ask("POST", "/graphql", key=ann, body=query)
        refused(got, "beyond 2,000")
        equal(got.limit("used"), before + 2, "a refusal costs nothing of the primary limit")
        refused(server.ask("POST", "/graphql", key=ann, body=[query, query]), "a list")
        equal(server.ask("GET", "/", key=ann).status, 200, "points are of an endpoint")
        equal(server.ask("POST", "/graphql", key=bob, body=query).status, 200, "somebody else")
        connection.close()
    finally:
        server.close()
    heavy = {"query": "{ __schema { types { name fields { name args { name type { kind name ofType { kind name } } } } } } }"}
    server = Server({"time": long, "secondary": {"cpu_ms_per_minute": {"total": 100_000, "graphql": 150}}})
    try:
        cat, dan = key_of(server, "cat"), key_of(server, "dan")
        for number in range(1_000):
            used = at_rest(server, "cat")["cpu_ms_per_minute"]["graphql"]["used"]
            got = server.ask("POST", "/graphql", key=cat, body=heavy)
            equal(got.status == 200, used < 150, f"{number}: after {used} ms of 150")
            if got.status != 200:
                break
        refused(got, "GraphQL has had its CPU time")
        check(number > 0 and used < 5_000, f"{number}: {used} ms")
        refused(server.ask("POST", "/graphql", key=cat, body=query), "the smallest query")
        refused(server.ask("POST", "/graphql", key=cat, body=mutation), "a mutation")
        equal(server.ask("GET", "/_test/cpu?ms=300", key=cat).status, 200, "REST has the rest of it")
        equal(server.ask("GET", "/", key=cat).status, 200, "REST still")
        equal(server.ask("GET", "/_test/cpu?ms=300", key=dan).status, 200, "CPU time of REST")
        equal(server.ask("POST", "/graphql", key=dan, body=query).status, 200, "is not GraphQL's")
    finally:
        server.close()
    server = Server({"time": long, "secondary": {"cpu_ms_per_minute": {"total": 200, "graphql": 150}}})
    try:
        eve = key_of(server, "eve")
        equal(server.ask("GET", "/_test/cpu?ms=300", key=eve).status, 200, "CPU time of REST")
        at_rest(server, "eve")
        refused(server.ask("POST", "/graphql", key=eve, body=query), "both together have had theirs")
    finally:
        server.close()


def statuses_and_bodies():
    server = Server({"plans": {"user": 1}, "status": {"primary": 429, "secondary": 403, "lfs": 429},
                     "resources": {"lfs": {"window": 60, "authenticated": 1, "unauthenticated": 1}}},
                    tokens={"ann": user("ann")})
    try:
        server.ask("GET", "/_test/core", token="ann")
        got = server.ask("GET", "/_test/core", token="ann")
        primary(got, 429, "configured")
        check(got.headers["content-type"].startswith("application/json"), got.headers["content-type"])
        equal(got.json["error"]["type"], "rate_limit_exceeded_exception", "for clients of the platform")
        equal(got.json["status"], 429, "status")
        check(server.ask("HEAD", "/_test/core", token="ann").text == b"", "HEAD has a body")
        server.ask("POST", "/_test/lfs", token="ann", body={})
        got = server.ask("POST", "/_test/lfs", token="ann", body={})
        equal((got.status, got.headers["content-type"]), (429, "application/vnd.git-lfs+json"), "large files")
        check(int(got.wait()) >= 1, "large files, retry-after")
        check(got.json["message"].startswith("API rate limit exceeded for "), got.text)
    finally:
        server.close()


def large_files():
    server = Server({"resources": {"lfs": {"window": 3600, "authenticated": 5, "unauthenticated": 3}}},
                    words=FLAGS + ("--set", "lfs.public=open/*"))
    try:
        oids = [hashlib.sha256(b"%d" % i).hexdigest() for i in range(40)]

        def batch(operation, repository="acme/models", **credentials):
            return server.ask("POST", "/%s/info/lfs/objects/batch" % repository, body={
                "operation": operation, "objects": [{"oid": oid, "size": 1} for oid in oids]},
                headers={"Content-Type": "application/vnd.git-lfs+json", "Accept": "application/vnd.git-lfs+json"},
                **credentials)

        def verify(oid, ticket=None):
            more = {"X-Cairn-Batch": ticket} if ticket else {}
            return server.ask("POST", "/acme/models/info/lfs/verify", key=key, body={"oid": oid, "size": 1},
                              headers={"Content-Type": "application/vnd.git-lfs+json",
                                       "Accept": "application/vnd.git-lfs+json", **more})

        key = server.admin("POST", "/_security/api_key", {"name": "pusher", "role_descriptors": {"r": {"indices": [
            {"names": ["lfs/acme/models"], "privileges": ["read", "write"]}]}}}).json["encoded"]
        got = batch("upload", key=key)
        equal((got.status, got.limit("used"), got.limit("resource")), (200, 1, "lfs"), "a batch counts once")
        ticket = got.json["objects"][0]["actions"]["verify"]["header"]["X-Cairn-Batch"]
        for oid in oids:  # far more of them than the limit
            got = verify(oid, ticket)
            equal((got.status, got.limit("used")), (404, 1), "announced by a counted batch: free")
        equal(verify(oids[0], ticket).limit("used"), 2, "once for each object")
        equal(verify(oids[0]).limit("used"), 3, "announced by none")
        equal(verify(oids[0], "0" * 32).limit("used"), 4, "a made-up ticket")
        equal(batch("upload", key=key).limit("remaining"), 0, "the last one")
        equal(verify(oids[0]).status, 429, "the limit")

        got = batch("download", "open/data")
        equal((got.status, got.limit("limit"), got.limit("used")), (200, 3, 1), "a stranger reads what is public")
        got = batch("download")
        equal((got.status, got.headers["lfs-authenticate"], got.limit("used")), (401, 'Basic realm="Cairn"', 2),
              "and is asked for a key elsewhere")
        equal(batch("upload", "open/data").status, 401, "or to write")
        equal(batch("download", "open/data").status, 429, "within the limit of addresses")
    finally:
        server.close()


def shadow_and_exempt():
    server = Server({"shadow": True, "plans": {"user": 1}}, tokens={"ann": user("ann")})
    try:
        for n in range(3):
            got = server.ask("GET", "/_test/core", token="ann")
            equal((got.status, got.limit("limit"), got.limit("remaining")), (200, 1, 0), "in the shadow")
        told = [line for line in server.log().splitlines() if "would_be_refused" in line]
        check(len(told) == 1 and "primary" in told[0] and "ann" not in told[0], "the shadow is logged once: " + str(told))
    finally:
        server.close()
    server = Server({"plans": {"user": 1}, "identity": {"exempt": ["user:vip"]}},
                    tokens={"vip": user("vip"), "ann": user("ann")})
    try:
        for n in range(3):
            got = server.ask("GET", "/_test/core", token="vip")
            equal((got.status, got.limit("used")), (200, n + 1), "exempt: counted, not refused")
            got = server.admin("GET", "/")
            equal((got.status, got.limit("used")), (200, n + 1), "the administrator is exempt")
        fresh = server.admin("POST", "/_security/api_key", {"name": "fresh"}).json["encoded"]
        got = server.ask("GET", "/", key=fresh)
        equal((got.status, got.limit("used")), (200, 1), "the administrator leaves its keys what they have")
        server.ask("GET", "/_test/core", token="ann")
        primary(server.ask("GET", "/_test/core", token="ann"), 403, "others")
        seen = server.metrics()
        of = '{surface="code_hosting",resource="core",result="%s"}'
        for result, count in (("admitted", 2), ("shadowed", 2), ("refused", 1)):
            equal(int(seen["cairn_ratelimit_decisions_total" + of % result]), count, "metrics: " + result)
        equal(int(seen['cairn_ratelimit_refused_total{surface="code_hosting",kind="primary"}']), 1, "metrics: kinds")
    finally:
        server.close()


def reload():
    server = Server({"plans": {"user": 100}}, tokens={"ann": user("ann")})
    try:
        def limit():
            return server.ask("GET", "/_test/core", token="ann").limit("limit")

        equal(limit(), 100, "at the start")
        server.write({"plans": {"user": 70}})
        until(lambda: limit() == 70, "a changed file is noticed")
        check(server.ask("GET", "/_test/core", token="ann").limit("used") > 2, "counts go on")
        server.write({"plans": {"user": 60}})
        server.cairn.process.send_signal(signal.SIGHUP)
        until(lambda: limit() == 60, "SIGHUP")
        # Nothing of a policy that cannot be is taken.
        for text, why in (('{"rate_limit": {"plans": {"user": 50, "usr": 1}}}', "usr"), ('{"rate_limit": {"plans', ""),
                          ('{"rate_limit": {"plans": {"user": 50}}, "shutdown": {"grace": "-1"}}', "shutdown.grace")):
            told = server.log().count("settings not reloaded")
            server.write(None, text=text)
            until(lambda: server.log().count("settings not reloaded") > told, "a line about " + text)
            check(why in server.log().split("settings not reloaded")[-1], why)
            equal(limit(), 60, "the old policy stays")
        server.write({"plans": {"user": 55}, "store": {"kind": "redis", "urls": ["redis://127.0.0.1:1"]}})
        until(lambda: limit() == 55, "the next good file")
        check("need a restart" in server.log() and "rate_limit.store" in server.log(), "what needs a restart is told")
        equal(server.admin("GET", "/_cairn/limits").json["rate_limit"]["plans"]["user"], 55, "the policy in use")
    finally:
        server.close()


def restarts():
    server = Server({"plans": {"user": 10}}, tokens={"ann": user("ann")})
    try:
        for _ in range(7):
            last = server.ask("GET", "/_test/core", token="ann")
        server.cairn.stop()
        server.start()
        got = server.ask("GET", "/_test/core", token="ann")
        equal((got.limit("used"), got.limit("reset")), (8, last.limit("reset")), "after SIGTERM")
        until(lambda: server.admin("GET", "/_metrics").status == 200, "metrics")
        time.sleep(5)  # what is counted is saved within this time: that is the promise
        server.cairn.kill()
        server.start()
        got = server.ask("GET", "/_test/core", token="ann")
        equal((got.limit("used"), got.limit("reset")), (9, last.limit("reset")), "after kill -9")
    finally:
        server.close()


def refused_starts():
    for words, message in ((("--test-routes", "--api-listen", "0.0.0.0:0", "--set", "listen.allow_plaintext=true"),
                            "loopback"),
                           (("--set", "rate_limit.tokens={}", "--set", "rate_limit.plans.usr=1"), "plans.us"),
                           (("--set", 'tokens={"a":{"kind":"user","user":"a"}}'), "--test-identities"),
                           (("--set", 'rate_limit.points.routes=[{"match":"POST /_bulk"},{"match":"POST /_blk"}]'),
                            "did you mean [POST /_bulk]?")):
        done = subprocess.run([BINARY, "config", "check", *words], capture_output=True, text=True)
        equal(done.returncode, 78, " ".join(words))
        check(message in done.stderr, done.stderr)


def command_line():
    server = Server({"plans": {"user": 50, "service": None},
                     "store": {"kind": "memory", "urls": ["redis://u:hush@127.0.0.1:1"]}},
                    tokens={"hidden-token": user("ann")}, apps={"client": {"secret": "hidden-secret"}})
    try:
        key_file = os.path.join(server.cairn.data, "keys/admin.key")

        def cairn(*words, expect=0):
            done = subprocess.run([BINARY, *words], capture_output=True, text=True,
                                  env=dict(os.environ, CAIRN_SERVER=server.cairn.api, CAIRN_KEY_FILE=key_file))
            equal(done.returncode, expect, " ".join(words) + "\n" + done.stderr)
            return done.stdout

        made = {}
        for kind, *more in (("user", "--user", "ann"), ("installation", "--id", "7", "--fact", "repositories=21"),
                            ("oauth_app", "--id", "x"), ("workflow", "--repo", "o/r"), ("service", "--id", "shop")):
            made[kind] = cairn("key", "create", "--name", kind, "--kind", kind, *more).strip()
        for kind, limit in (("user", 50), ("installation", 6050), ("oauth_app", 5000), ("workflow", 1000),
                            ("service", None)):
            got = server.ask("GET", "/_test/core", key=made[kind])
            equal((got.status, got.limit("limit")), (200, limit), kind)
        cairn("key", "create", "--name", "x", "--kind", "workflow", expect=1)
        cairn("key", "create", "--name", "x", "--user", "a", "--id", "b", expect=64)
        weak = os.path.join(server.cairn.folder, "weak.key")
        weak_key = cairn("key", "create", "--name", "weak", "--cluster", "manage_own_api_key,monitor").strip()
        with open(weak, "w") as file:
            file.write(weak_key)
        got = server.ask("POST", "/_security/api_key", key=weak_key, body={
            "name": "x", "role_descriptors": {"r": {}}, "metadata": {"_cairn": {"identity": {"kind": "service"}}}})
        equal(got.status, 403, "kinds are given by who has manage_api_key")
        cairn("limits", "show", "user:ann", "--key-file", weak, expect=77)

        shown = json.loads(cairn("limits", "show", "user:ann", "--json"))
        equal((shown["account"], shown["windows"]["core"]["used"]), ("user:ann", 1), "show")
        check("core\t50\t1\t49\t" in cairn("limits", "show", "user:ann"), "the table")
        check(cairn("limits", "status").startswith("RESOURCE\tLIMIT\tUSED\tREMAINING\tRESETS\ncore\t"), "status")
        check('"GET /_test/core":1' in cairn("limits", "show", "user:ann"), "endpoints have names")
        equal(json.loads(cairn("limits", "policy"))["rate_limit"]["plans"]["user"], 50, "policy")
        cairn("limits", "reset", "user:ann", "user:nobody")
        equal(json.loads(cairn("limits", "show", "user:ann", "--json"))["windows"]["core"]["used"], 0, "reset")
        cairn("limits", "show", "nobody", expect=1)
        done = subprocess.run([BINARY, "key", "show", "nope", "--server", server.cairn.api, "--key-file", key_file],
                              capture_output=True, text=True)
        equal((done.returncode, done.stderr), (1, "cairn: there is no key [nope]\n"), "a key that is not there")
        # No secret is shown anywhere.
        every = cairn("config", "print", "--config", server.file, *FLAGS[1:]) + cairn("limits", "policy")
        check("rate_limit.plans.user" in every and "hush" not in every and "hidden" not in every, every)
        check("cairn.yaml" in [row for row in every.splitlines() if row.startswith("rate_limit.plans.user\t")][0],
              "where a value came from")
        check("rate_limit" in json.loads(cairn("config", "schema"))["properties"], "schema")
        check("hidden" not in server.log() and "hush" not in server.log(), "the log holds a secret")
    finally:
        server.close()


class Redis:
    """A redis-server of the test's own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-redis-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.answers, "redis-server answers")

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(7) == b"+PONG\r\n"
        except OSError:
            return False

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def two_nodes():
    if shutil.which("redis-server") is None:
        print("       redis-server is not installed: two nodes are not tested")
        return
    redis = Redis()
    nodes = []
    try:
        limits = {"plans": {"user": 300}, "secondary": {"concurrent": None, "points_per_minute": {"rest": None}},
                  "store": {"kind": "redis", "urls": [f"redis://127.0.0.1:{redis.port}/0"], "timeout_ms": 2000}}
        nodes = [Server(limits, tokens={"ann": user("ann")}) for _ in range(2)]

        def client(i):
            connection = nodes[i % 2].cairn.connect()
            out = [nodes[0].ask("GET", "/_test/core", token="ann", connection=connection) for _ in range(30)]
            connection.close()
            return out

        answers = [one for some in together(20, client) for one in some]
        admitted = [one for one in answers if one.status == 200]
        equal(len(admitted), 300, "admitted by both nodes")
        equal(sorted(one.limit("used") for one in admitted), list(range(1, 301)), "each has a number of its own")
        equal(len({one.limit("reset") for one in answers}), 1, "one window")
        for one in answers:
            if one.status != 200:
                primary(one, 403, "the others")
        decided = 'cairn_ratelimit_decisions_total{surface="code_hosting",resource="core",result="%s"}'
        for result, count in (("admitted", 300), ("refused", 300)):
            equal(sum(int(node.metrics().get(decided % result, 0)) for node in nodes), count, "metrics: " + result)
    finally:
        for node in nodes:
            node.close()
        redis.close()


CASES = [headers_on_every_class, rate_limit_route, primary_limits, secondary_limits, graphql_limits, statuses_and_bodies,
         large_files, shadow_and_exempt, reload, restarts, refused_starts, command_line, two_nodes]


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    failed = 0
    for case in CASES:
        if wanted and case.__name__ not in wanted:
            continue
        began = time.monotonic()
        try:
            case()
            print(f"ok     {case.__name__}: {(time.monotonic() - began) * 1000:.0f} ms")
        except (AssertionError, KeyError, TypeError, OSError, http.client.HTTPException, RuntimeError) as fault:
            failed += 1
            print(f"FAILED {case.__name__}: {type(fault).__name__} {fault}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
