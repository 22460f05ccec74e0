#!/usr/bin/env python3
"""The operator's own rules over HTTP, the header fields of the IETF's draft, and what administrators see: who uses
most, who is limited, and why a request would be refused.

    limit_rules_test.py CAIRN
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
from cairn_server import Cairn  # noqa: E402

RULES = [
    {"name": "books", "index": "books*", "match": ["GET /{index}/_count", "POST /{index}/_search"], "per": "index",
     "limit": 5},
    {"name": "tenants", "header": "X-Tenant", "per": "header", "limit": 3},
    {"name": "bulk", "match": ["POST /_bulk", "POST /{index}/_bulk"], "weight": "bytes", "limit": "100kb"},
    {"name": "searches", "match": ["POST /_msearch", "POST /{index}/_search"], "weight": "searches", "limit": 20,
     "identity": "user:*"},
    {"name": "looking", "match": "GET /_cat/*", "limit": 1, "shadow": True},
    {"name": "orders", "checks": True, "match": "POST /orders", "per": "identity", "limit": 2},
    {"name": "shops", "checks": True, "index": "shop-*", "per": "index", "weight": "bytes", "limit": "10kb"},
    {"name": "partners", "checks": True, "header": "X-Partner", "per": "header", "limit": 1, "shadow": True},
    {"name": "photos", "index": "photos", "per": "index", "limit": 2},
]
SETTINGS = {"rate_limit": {
    "rules": RULES,
    "identities": {"user:vip": {"core": 7777, "search": None}},
    "resources": {"search": {"authenticated": 1000, "unauthenticated": 1000}},
    "points": {"routes": [{"match": "GET /_aliases", "points": 600, "shadow": True}]}}}


class Reply:
    def __init__(self, reply):
        self.status, self.text = reply.status, reply.read()
        self.fields = {name.lower(): value for name, value in reply.getheaders()}

    @property
    def json(self):
        return json.loads(self.text)


def items(field):
    """Items of a list of structured fields: {name: {parameter: value}}."""
    out = {}
    for item in field.split(", "):
        assert re.fullmatch(r'"[a-z0-9_]+"(;[a-z]+=(\d+|"[a-z-]+"))+', item), field
        name, *parameters = item.split(";")
        out[name.strip('"')] = {one.split("=")[0]: json.loads(one.split("=")[1]) for one in parameters}
    return out


class Server:
    def __init__(self, binary):
        self.cairn = Cairn(binary)
        self.file = os.path.join(self.cairn.folder, "cairn.yaml")
        with open(self.file, "w") as file:
            json.dump(SETTINGS, file)
        self.cairn.start("--config", self.file)
        for index in ("books", "books-2", "films"):
            self.cairn.ok("PUT", "/" + index)
        self.keys = {}

    def key(self, user):
        if user not in self.keys:
            self.keys[user] = self.cairn.ok("POST", "/_security/api_key", {
                "name": user, "metadata": {"_cairn": {"identity": {"kind": "user", "user": user}}},
                "role_descriptors": {"r": {"cluster": ["monitor"], "indices": [
                    {"names": ["*"], "privileges": ["all"]}]}}})["encoded"]
        return self.keys[user]

    def ask(self, user, method, path, body=None, chunked=False, **fields):
        connection = self.cairn.connect()
        headers = {"Authorization": "ApiKey " + self.key(user)} if user else {}
        headers.update({name.replace("_", "-"): value for name, value in fields.items()})
        if body is not None:
            headers["Content-Type"] = "application/x-ndjson" if isinstance(body, str) else "application/json"
            body = body if isinstance(body, str) else json.dumps(body)
            if chunked:
                body = iter([body[at:at + 1000].encode() for at in range(0, len(body), 1000)])
        connection.request(method, path, body=body, headers=headers, encode_chunked=chunked)
        reply = Reply(connection.getresponse())
        connection.close()
        return reply

    def command(self, *words, expect=0):
        done = subprocess.run(
            [self.cairn.binary, "limits", *words], capture_output=True, text=True,
            env=dict(os.environ, CAIRN_SERVER=self.cairn.api,
                     CAIRN_KEY_FILE=os.path.join(self.cairn.data, "keys/admin.key")))
        assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def close(self):
        self.cairn.stop()
        shutil.rmtree(self.cairn.folder)


def refused(reply, rule):
    assert reply.status == 429, (reply.status, reply.text)
    assert "secondary rate limit" in reply.json["message"] and f"[{rule}]" in reply.json["message"], reply.text
    assert reply.json["documentation_url"].endswith("secondary-rate-limits"), reply.text
    assert 1 <= int(reply.fields["retry-after"]) <= 3601, reply.fields
    assert reply.fields.get("x-ratelimit-remaining") != "0", reply.fields


def fields_of_the_draft(server):
    reply = server.ask("ann", "GET", "/")
    policy, limit = items(reply.fields["ratelimit-policy"]), items(reply.fields["ratelimit"])
    assert policy == {"core": {"q": 5000, "w": 3600}}, policy
    assert limit["core"]["r"] == int(reply.fields["x-ratelimit-remaining"]) == 4999, limit
    assert 3590 <= limit["core"]["t"] <= 3601, limit  # windows end at whole seconds
    unverified = server.ask(None, "GET", "/", Authorization="ApiKey nonsense")
    assert unverified.status == 401 and items(unverified.fields["ratelimit-policy"])["core"]["q"] == 60
    check = server.cairn.ok("POST", "/_cairn/limits/_check", {"identity": "user:checked"})["headers"]
    assert items(check["ratelimit-policy"]) == {"core": {"q": 5000, "w": 3600}}, check
    assert items(check["ratelimit"])["core"]["r"] == 4999, check


def identities(server):
    reply = server.ask("vip", "GET", "/")
    assert reply.fields["x-ratelimit-limit"] == "7777", reply.fields
    assert "x-ratelimit-limit" not in server.ask("vip", "POST", "/films/_search", {}).fields
    assert server.ask("ann", "GET", "/").fields["x-ratelimit-limit"] == "5000"
    assert server.cairn.ok("GET", "/_cairn/limits/user:vip")["windows"]["core"]["limit"] == 7777


def by_index(server):
    replies = [server.ask(user, "GET", "/books/_count") for user in ("i1", "i2", "i1", "i2", "i1", "i2")]
    assert [reply.status for reply in replies] == [200] * 5 + [429], replies
    assert items(replies[0].fields["ratelimit"])["books"]["r"] == 4, replies[0].fields
    assert items(replies[0].fields["ratelimit-policy"])["books"] == {"q": 5, "w": 3600}
    refused(replies[5], "books")
    # Counts are by name: another index, another method; what the rule refused cost nothing else.
    assert server.ask("i1", "GET", "/books-2/_count").status == 200
    assert server.ask("i1", "GET", "/films/_count").status == 200
    assert server.ask("i1", "GET", "/books/_mapping").status == 200
    before = int(server.ask("i2", "GET", "/films/_count").fields["x-ratelimit-used"])
    refused(server.ask("i2", "GET", "/films,books/_count"), "books")
    assert int(server.ask("i2", "GET", "/films/_count").fields["x-ratelimit-used"]) == before + 1


def by_header(server):
    for user in ("h1", "h2", "h3"):
        assert server.ask(user, "GET", "/", X_Tenant="acme").status == 200
    refused(server.ask("h4", "GET", "/", x_tenant="acme"), "tenants")
    assert server.ask("h4", "GET", "/", X_Tenant="other").status == 200
    assert server.ask("h4", "GET", "/").status == 200
    # An unknown path and a caller without a key are requests too.
    assert server.ask(None, "GET", "/nowhere", X_Tenant="third").status == 401


def by_bytes(server):
    line = json.dumps({"index": {"_index": "films"}}) + "\n" + json.dumps({"text": "x" * 970}) + "\n"
    small, large = line * 30, line * 60  # some 30 and 60 KiB
    first = server.ask("b1", "POST", "/_bulk", small)
    assert first.status == 200, first.text
    left = items(first.fields["ratelimit"])["bulk"]["r"]
    assert left == 102400 - (len(small) + 1023) // 1024 * 1024, (left, len(small))
    assert items(first.fields["ratelimit-policy"])["bulk"]["qu"] == "content-bytes"
    assert server.ask("b1", "POST", "/films/_bulk", large).status == 200
    refused(server.ask("b1", "POST", "/_bulk", small), "bulk")
    assert server.ask("b1", "GET", "/films/_count").status == 200
    # Where no length is told, it counts when it was read.
    for _ in range(2):
        assert server.ask("b2", "POST", "/_bulk", large, chunked=True).status == 200
    refused(server.ask("b2", "POST", "/_bulk", small), "bulk")


def by_searches(server):
    def several(user, count):
        return server.ask(user, "POST", "/_msearch", '{"index":"films"}\n{}\n' * count)
    first = several("s1", 12)
    assert first.status == 200 and len(first.json["responses"]) == 12, first.text
    assert server.ask("s1", "POST", "/films/_search", {}).status == 200  # the 13th
    late = several("s1", 8)
    refused(late, "searches")
    assert len(late.fields) == len(set(late.fields)), late.fields
    assert several("s1", 6).status == 200  # the request that was refused counted as one
    refused(several("s1", 1), "searches")
    refused(server.ask("s1", "POST", "/films/_search", {}), "searches")
    assert server.ask("s2", "POST", "/films/_search", {}).status == 200


def shadow(server):
    for _ in range(4):
        assert server.ask("quiet", "GET", "/_cat/indices").status == 200
    log = server.cairn.log_tail(1000)
    lines = [line for line in log.splitlines() if "would_be_refused" in line and "looking" in line]
    assert len(lines) == 1, lines  # the first, then each hundredth
    for _ in range(3):
        assert server.ask("quiet", "GET", "/_aliases").status == 200  # 600 points each, in shadow
    rules = {rule["name"]: rule for rule in server.cairn.ok("GET", "/_cairn/limits/_rules")["rules"]}
    assert rules["looking"]["would_be_refused"] == 3 and rules["looking"]["refused"] == 0, rules["looking"]
    assert rules["tenants"]["refused"] == 1 and rules["tenants"]["admitted"] == 5, rules["tenants"]
    status, text = server.cairn.request("GET", "/_metrics")
    assert 'cairn_ratelimit_rule_decisions_total{rule="looking",result="shadowed"} 3' in text, text[-3000:]
    shown = server.cairn.ok("GET", "/_cairn/limits/_limited?size=100")["identities"]
    mine = [one for one in shown if one["identity"] == "user:quiet"]
    assert {one["limit"] for one in mine} >= {"points"} and not any(one["refused"] for one in mine), shown


def buckets(server):
    host = urllib.parse.urlsplit(server.cairn.objects).netloc
    statuses = []
    for _ in range(4):
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.request("GET", "/photos/one")
        statuses.append(Reply(connection.getresponse()))
        connection.close()
    assert [one.status for one in statuses] == [403] * 2 + [503] * 2 or \
        [one.status for one in statuses] == [404] * 2 + [503] * 2, [(one.status, one.text) for one in statuses]
    assert b"SlowDown" in statuses[3].text and int(statuses[3].fields["retry-after"]) >= 1, statuses[3].fields


def watching(server):
    for _ in range(40):
        server.ask("busy", "GET", "/")
    top = server.cairn.ok("GET", "/_cairn/limits/_top?size=3")
    assert top["resource"] == "core" and top["identities"][0]["identity"] == "user:busy", top
    assert top["identities"][0]["used"] == 40 and len(top["identities"]) == 3, top
    assert server.cairn.ok("GET", "/_cairn/limits/_top?resource=search")["identities"], "search"
    limited = server.cairn.ok("GET", "/_cairn/limits/_limited?size=100")["identities"]
    by_name = {(one["identity"], one.get("rule")): one for one in limited}
    assert by_name["user:b1", "bulk"]["refused"] and by_name["user:b1", "bulk"]["until"] > 0, limited
    for query in ("_top?size=0", "_top?resource=none", "_top?resource=rule:books", "_limited?size=5000", "_explain",
                  "_explain?identity=user:a&path=x", "_explain?identity=a&path=/",
                  "_explain?identity=user:a&path=/&header=x", "_explain?identity=user:a&path=/%zz",
                  "_explain?identity=user:a&path=/&body_bytes=-1"):
        assert server.cairn.request("GET", "/_cairn/limits/" + query)[0] == 400, query
    assert server.ask("ann", "GET", "/_cairn/limits/_top").status == 403


def explained(server):
    def why(identity, method, path, more=""):
        return server.cairn.ok("GET", f"/_cairn/limits/_explain?identity={identity}&method={method}&path="
                               + urllib.parse.quote(path) + more)
    answer = why("user:fresh", "POST", "/films/_search")
    assert answer["admitted"] and answer["request"]["route"] == "POST /{index}/_search", answer
    limits = {one["limit"]: one for one in answer["limits"]}
    assert limits["primary"] | {"reset": 0, "reset_in_s": 0} == {
        "limit": "primary", "cap": 1000, "used": 0, "cost": 1, "remaining": 1000, "admits": True, "resource": "search",
        "by": "rate_limit.resources.search.authenticated", "window_s": 60, "reset": 0, "reset_in_s": 0}, limits
    assert limits["points"]["cap"] == 900 and limits["points"]["endpoint"] == "POST /{index}/_search", limits
    assert set(limits) == {"primary", "concurrent", "points", "cpu", "compute", "rule"}, limits
    assert why("user:fresh", "POST", "/films/_search") == answer | {"limits": why(
        "user:fresh", "POST", "/films/_search")["limits"]}, "counts nothing"
    answer = why("user:i1", "GET", "/books/_count")
    assert not answer["admitted"] and answer["refusal"] == "rule" and answer["rule"] == "books", answer
    assert answer["retry_after"] >= 1, answer
    assert why("user:i1", "GET", "/films/_count")["admitted"]
    assert why("user:x", "GET", "/", "&header=x-tenant:acme")["rule"] == "tenants"
    assert why("user:x", "POST", "/_bulk", "&body_bytes=200000")["refusal"] == "rule"
    assert why("user:vip", "GET", "/")["limits"][0]["by"] == "rate_limit.identities.user:vip.core"
    assert why("ip:192.0.2.1", "GET", "/")["limits"][0]["by"] == "rate_limit.plans: unauthenticated"
    assert why("service:shop", "GET", "/")["limits"][0]["cap"] is None
    assert why("user:x", "PUT", "/_security/api_key")["limits"][-2]["limit"] == "content_hour"
    assert not why("user:x", "GET", "/_health/live")["limited"]
    assert why("user:quiet", "GET", "/_cat/indices")["would_be_refused"] == "rule"
    for _ in range(60):
        server.cairn.ok("POST", "/_cairn/limits/_check", {"identity": "ip:192.0.2.8"})
    answer = why("ip:192.0.2.8", "GET", "/")
    assert answer["refusal"] == "primary" and answer["limits"][0]["remaining"] == 0, answer


def other_programs(server):
    """Rules with `checks` are for what other programs ask about, and for nothing else."""
    key = server.cairn.ok("POST", "/_security/api_key", {
        "name": "shop", "role_descriptors": {"shop": {"cluster": ["check_limits"]}}})["encoded"]

    def ask(body, path="/_cairn/limits/_check", **fields):
        status, answer = server.cairn.request(
            "POST" if body else "GET", path, body,
            headers={"Authorization": "ApiKey " + key, **{name.replace("_", "-"): value for name, value in fields.items()}})
        return answer if body else status
    order = {"identity": "user:pat", "endpoint": "POST /orders"}
    assert [ask(order)["admitted"] for _ in range(3)] == [True, True, False]
    answer = ask(order)
    assert answer["refusal"] == "rule" and "[orders]" in answer["message"], answer
    assert ask(dict(order, identity="user:pet"))["admitted"]
    assert ask(dict(order, endpoint="GET /orders"))["admitted"]
    # What a refusal by a rule did not count: three were admitted.
    assert server.cairn.ok("GET", "/_cairn/limits/user:pat")["windows"]["core"]["used"] == 3
    # Another limit refuses: the rule gets its count back.
    assert ask(dict(order, identity="user:pim", cost=5001))["refusal"] == "primary"
    assert [ask(dict(order, identity="user:pim"))["admitted"] for _ in range(3)] == [True, True, False]
    shop = {"identity": "user:sam", "indices": ["shop-1", "other"], "bytes": 6000}
    assert [ask(shop)["admitted"] for _ in range(2)] == [True, False]
    assert ask(dict(shop, indices=["shop-2"], bytes=10_240))["admitted"]
    partner = {"identity": "user:sid", "headers": {"X-Partner": "p1"}}
    assert all(ask(partner)["admitted"] for _ in range(3))
    by_name = {rule["name"]: rule for rule in server.cairn.ok("GET", "/_cairn/limits/_rules")["rules"]}
    assert by_name["partners"]["would_be_refused"] == 2, by_name["partners"]
    assert (by_name["orders"]["admitted"], by_name["orders"]["refused"]) == (5, 3), by_name["orders"]
    # A proxy says the same by header fields.
    fields = {"X_Limit_Identity": "user:sol", "X_Limit_Indices": "shop-3, shop-4", "X_Limit_Bytes": "9000"}
    assert [ask(None, "/_cairn/limits/_auth", **fields) for _ in range(2)] == [200, 429]
    for wrong in ({"bytes": -1}, {"headers": {"a": 1}}, {"indices": ["a"] * 17}, {"indices": 7}):
        assert "error" in ask(dict(shop, **wrong)), wrong
    # Cairn's own requests meet no such rule.
    assert all(server.ask("pat", "GET", "/_cat/health", X_Partner="p1").status == 200 for _ in range(3))


def command_line(server):
    assert "\nuser:busy\tuser\t5000\t40\t4960\t" in server.command("top"), server.command("top")
    assert "user:b1\trule bulk\tbulk\tyes\t" in server.command("limited", "--size", "100"), "limited"
    assert "looking\tidentity\trequests\t1\thour\tshadow\t" in server.command("rules"), server.command("rules")
    text = server.command("explain", "user:new", "POST", "/films/_search")
    assert text.startswith("user:new: POST /films/_search\nadmitted\nLIMIT\tOF\tCAP\t"), text
    text = server.command("explain", "user:i1", "GET", "/books/_count", expect=1)
    assert "refused: rule [books]; fits in " in text and "rule\tbooks\t5\t5\t1\t0\t" in text, text
    text = server.command("explain", "user:new", "GET", "/", "--header", "X-Tenant: acme", "--json", expect=1)
    assert json.loads(text)["rule"] == "tenants", text
    assert "nothing limits it" in server.command("explain", "user:new", "GET", "/_health/live")
    server.command("explain", "user:new", "GET", expect=64)
    # Forgetting an identity forgets what rules counted of it.
    twenty = json.dumps({"index": {"_index": "films"}}) + "\n" + json.dumps({"text": "x" * 20_000}) + "\n"
    refused(server.ask("b1", "POST", "/_bulk", twenty), "bulk")
    server.command("reset", "user:b1")
    assert server.ask("b1", "POST", "/_bulk", twenty).status == 200


def configuration(server):
    def check(section):
        path = os.path.join(server.cairn.folder, "other.yaml")
        with open(path, "w") as file:
            json.dump({"rate_limit": section}, file)
        done = subprocess.run([server.cairn.binary, "config", "check", "--config", path], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr
    assert check(SETTINGS["rate_limit"])[0] == 0, check(SETTINGS["rate_limit"])
    status, text = check({"rules": [{"name": "a", "limit": 1, "match": "POST /_serch"}]})
    assert status != 0 and "rules[0].match" in text and "did you mean" in text, text
    printed = subprocess.run([server.cairn.binary, "config", "print", "--config", server.file], capture_output=True,
                             text=True, check=True).stdout
    assert "rate_limit.rules\t" in printed and "cairn.yaml" in printed, printed[-2000:]


def main():
    server = Server(sys.argv[1])
    try:
        for case in (fields_of_the_draft, identities, by_index, by_header, by_bytes, by_searches, shadow, buckets,
                     watching, explained, other_programs, command_line, configuration):
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
