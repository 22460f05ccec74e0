#!/usr/bin/env python3
"""Keys that are disabled open nothing, by each way in, from the next request on, also after kill -9; and what is known
of their last use.

    key_state_test.py CAIRN
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

CONFIG = """
rate_limit:
  identity: { trusted_proxies: [127.0.0.1/32] }
"""
LFS = "/acme/models.git/info/lfs/objects/batch"
LFS_TYPE = "application/vnd.git-lfs+json"


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


class Person:
    """A key for both ports, a browser of it, and every way in that it has."""

    def __init__(self, cairn, name, role):
        self.cairn = cairn
        made = cairn.ok("POST", "/_security/api_key", {
            "name": name, "role_descriptors": {"r": role}, "objects": {"user": name, "policy": {
                "Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}}})
        self.id, self.key = made["id"], made["encoded"]
        self.access_key = made["objects"]["access_key_id"]
        self.objects = Objects(cairn, self.access_key, made["objects"]["secret_access_key"])
        self.sign_in()
        self.presign()

    def sign_in(self):
        connection = self.cairn.connect()
        connection.request("POST", "/_cairn/sessions", json.dumps({"api_key": self.key}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = json.loads(answer.read())
        assert answer.status in (200, 201), said
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        self.csrf = said["csrf_token"]
        connection.close()

    def presign(self):
        self.presigned = self.ask("POST", "/_cairn/objects/_presign",
                                  {"bucket": "shelf", "key": "a", "expires_in_seconds": 600})[1]["url"]

    def ask(self, method, path, body=None, **headers):
        return self.cairn.request(method, path, body, headers={"Authorization": "ApiKey " + self.key, **headers})

    def by_session(self, method, path, body=None):
        connection = self.cairn.connect()
        headers = {"Cookie": self.cookie, "X-Cairn-CSRF": self.csrf}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text)

    def get_presigned(self):
        url = urllib.parse.urlsplit(self.presigned)
        connection = http.client.HTTPConnection(url.netloc, timeout=60)
        connection.request("GET", url.path + "?" + url.query)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def ways(self):
        """The status of each way in."""
        lfs = {"operation": "download", "objects": [{"oid": "a" * 64, "size": 3}]}
        return {
            "key": self.ask("GET", "/books/_count")[0],
            "session": self.by_session("GET", "/books/_count")[0],
            "new session": self.cairn.request("POST", "/_cairn/sessions", {"api_key": self.key},
                                              headers={"Authorization": ""})[0],
            "graphql": self.ask("POST", "/graphql", {"query": "{ __typename }"})[0],
            "git-lfs": self.cairn.request("POST", LFS, json.dumps(lfs), headers={
                "Authorization": "ApiKey " + self.key, "Accept": LFS_TYPE, "Content-Type": LFS_TYPE})[0],
            "passage": self.ask("GET", "/_cairn/objects/shelf/a")[0],
            "objects": self.objects.ask("GET", "/shelf/a").status,
            "presigned": self.get_presigned(),
        }


OPEN = {"key": 200, "session": 200, "new session": 201, "graphql": 200, "git-lfs": 200, "passage": 200,
        "objects": 200, "presigned": 200}
SHUT = {"key": 401, "session": 401, "new session": 401, "graphql": 401, "git-lfs": 401, "passage": 401,
        "objects": 403, "presigned": 403}
ROLE = {"cluster": ["monitor"], "indices": [{"names": ["books"], "privileges": ["read"]},
                                            {"names": ["lfs/acme/models"], "privileges": ["read"]}]}


def listed(cairn, key_id):
    return cairn.ok("GET", "/_security/api_key?id=" + key_id)["api_keys"][0]


def listed_access_key(cairn, key_id):
    return next(one for one in cairn.ok("GET", "/_security/object_key")["object_keys"]
                if one["access_key_id"] == key_id)


def listening(person):
    """A stream of events that has begun."""
    connection = person.cairn.connect(timeout=30)
    connection.request("GET", "/_cairn/events?topics=overview", headers={"Authorization": "ApiKey " + person.key})
    stream = connection.getresponse()
    assert stream.status == 200, stream.read()
    return connection, stream


def ends(connection, stream):
    """That the server ends it, which asks every two seconds whether it still may."""
    assert b"event: ended" in stream.read()
    connection.close()


def disabled_by_each_kind(cairn):
    person = Person(cairn, "ann", ROLE)
    expect(person.ways(), OPEN, "before")
    assert listed(cairn, person.id)["enabled"] and listed_access_key(cairn, person.access_key)["enabled"]
    for kind, key_id in (("api_key", person.id), ("object_key", person.access_key)):
        path = f"/_security/{kind}/{key_id}"
        stream = listening(person) if kind == "object_key" else None
        expect(cairn.ok("PUT", path + "/_disable"), {"id": key_id, "enabled": False}, kind)
        expect(person.ways(), SHUT, kind + " disabled")
        if stream:
            ends(*stream)
        expect(cairn.ok("PUT", path + "/_disable"), {"id": key_id, "enabled": False}, kind + " again")
        cairn.kill()
        cairn.start("--config", os.path.join(cairn.folder, "cairn.yaml"))
        person.objects.netloc = urllib.parse.urlsplit(cairn.objects).netloc
        person.presigned = person.presigned.replace(urllib.parse.urlsplit(person.presigned).netloc,
                                                    urllib.parse.urlsplit(cairn.objects).netloc)
        expect({name: got for name, got in person.ways().items() if name != "presigned"},
               {name: got for name, got in SHUT.items() if name != "presigned"}, kind + " after kill -9")
        expect(cairn.ok("PUT", path + "/_enable"), {"id": key_id, "enabled": True}, kind)
        person.presign()  # for the port of this start
        person.sign_in()  # sessions of a disabled key end
        expect(person.ways(), OPEN, kind + " enabled")
    refusal = person.ask("GET", "/books/_count")
    expect(refusal[0], 200, "enabled")
    cairn.ok("PUT", f"/_security/api_key/{person.id}/_disable")
    assert "is disabled" in json.dumps(person.ask("GET", "/books/_count")[1])
    cairn.ok("PUT", f"/_security/api_key/{person.id}/_enable")


def refusals(cairn):
    with_all = {"cluster": ["manage_security", "manage_api_key"]}
    manager = Person(cairn, "manager", with_all)
    for ask in (manager.ask, manager.by_session):
        status, answer = ask("PUT", f"/_security/api_key/{manager.id}/_disable")
        expect(status, 400, answer)
        assert "its own disabling" in answer["error"]["reason"], answer
        status, answer = ask("PUT", f"/_security/object_key/{manager.access_key}/_disable")
        expect(status, 400, answer)
    expect(manager.ask("GET", "/_security/_authenticate")[0], 200, "the manager")
    admin = cairn.ok("GET", "/_security/_authenticate")["api_key"]["id"]
    status, answer = manager.ask("PUT", f"/_security/api_key/{admin}/_disable")
    expect(status, 409, answer)  # nobody else could take it back
    # Another administrator's key may disable the first one, and then not be disabled itself.
    other = cairn.ok("POST", "/_security/api_key", {"name": "other"})
    as_other = {"Authorization": "ApiKey " + other["encoded"]}
    cairn.ok("PUT", f"/_security/api_key/{admin}/_disable", headers=as_other)
    expect(cairn.request("GET", "/")[0], 401, "the first key")
    expect(manager.ask("PUT", f"/_security/api_key/{other['id']}/_disable")[0], 409, "the last one")
    cairn.ok("PUT", f"/_security/api_key/{admin}/_enable", headers=as_other)
    few = Person(cairn, "few", {"cluster": ["manage_own_api_key"]})
    nobody = {"Authorization": ""}
    for what in ("_disable", "_enable"):
        for kind, key_id in (("api_key", other["id"]), ("object_key", manager.access_key)):
            path = f"/_security/{kind}/{key_id}/{what}"
            expect(few.ask("PUT", path)[0], 403, path)
            expect(cairn.request("PUT", path, headers=nobody)[0], 401, path)
            missing = f"/_security/{kind}/none/{what}"
            expect(cairn.request("PUT", missing)[0], 404, missing)
            expect(cairn.request("GET", path)[0], 405, path)
            expect(cairn.request("PUT", path + "?force=true")[0], 400, path)
    ended = cairn.ok("POST", "/_security/api_key", {"name": "ended"})["id"]
    cairn.ok("DELETE", "/_security/api_key", {"ids": [ended]})
    expect(cairn.request("PUT", f"/_security/api_key/{ended}/_enable")[0], 400, "an ended key")


def on_the_command_line(cairn):
    key_file = os.path.join(cairn.folder, "line.key")
    with open(key_file, "w") as file:
        file.write(cairn.key)

    def run(*words):
        done = subprocess.run([sys.argv[1], "key", *words, "--server", cairn.api, "--key-file", key_file],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    key = cairn.ok("POST", "/_security/api_key", {"name": "line"})
    headers = {"Authorization": "ApiKey " + key["encoded"]}
    expect(run("disable", key["id"])[0], 0, "cairn key disable")
    expect(cairn.request("GET", "/", headers=headers)[0], 401, "the disabled key")
    assert any(key["id"] in line and line.endswith("disabled") for line in run("list")[1].splitlines()), run("list")
    code, _, said = run("enable", key["id"], "none")
    assert code != 0 and "1 of 2 keys enabled" in said, (code, said)
    expect(cairn.request("GET", "/", headers=headers)[0], 200, "the enabled key")


def audited(cairn):
    for action in ("security.disable_api_key", "security.enable_api_key", "security.disable_object_key",
                   "security.enable_object_key"):
        for outcome in ("success", "failure"):
            events = cairn.ok("GET", f"/_cairn/audit?operation={action}&outcome={outcome}")["events"]
            assert events, f"no {action} of outcome {outcome} is in the audit log"


def next_ms():
    """Uses of one millisecond are one use."""
    now = int(time.time() * 1000)
    while int(time.time() * 1000) <= now + 1:
        pass


def requests_of(cairn, person):
    """How many requests came with the API key and with the access key, in the hours that are told."""
    key = cairn.ok("GET", f"/_security/api_key?id={person.id}&with_requests=true")["api_keys"][0]
    access = next(one for one in cairn.ok("GET", "/_security/object_key?with_requests=true")["object_keys"]
                  if one["access_key_id"] == person.access_key)
    for one in key["requests"] + access["requests"]:
        assert one["hour"] % 3_600_000 == 0 and abs(one["hour"] - time.time() * 1000) <= 2 * 3_600_000, one
    return [sum(one["requests"] for one in shown["requests"]) for shown in (key, access)]


def requests_by_hour(cairn):
    person = Person(cairn, "often", {"cluster": ["manage_own_api_key"]})
    before = requests_of(cairn, person)
    for _ in range(7):
        person.ask("GET", "/_security/_authenticate")
    for _ in range(3):
        person.objects.ok("GET", "/shelf/a")
    person.by_session("GET", "/_security/_authenticate")
    counted = requests_of(cairn, person)
    expect([after - earlier for earlier, after in zip(before, counted)], [8, 3], "requests of both keys")
    assert "requests" not in listed(cairn, person.id), "they are told to who asks for them"
    cairn.stop()
    cairn.start("--config", os.path.join(cairn.folder, "cairn.yaml"))
    expect(requests_of(cairn, person), counted, "after a stop")


def last_uses(cairn):
    before = int(time.time() * 1000)
    person = Person(cairn, "used", {"cluster": ["manage_own_api_key"]})
    fresh = cairn.ok("POST", "/_security/api_key", {"name": "fresh"})
    assert "last_used" not in listed(cairn, fresh["id"])
    next_ms()
    person.ask("GET", "/_security/_authenticate", **{"X-Forwarded-For": "2001:db8::7, 127.0.0.1"})
    use = listed(cairn, person.id)["last_used"]
    expect(use["address"], "2001:db8::7", use)
    assert before <= use["at"] <= int(time.time() * 1000), use
    # A refusal for want of rights is a use of a key that verified; a wrong secret is none.
    next_ms()
    person.ask("GET", "/books/_count", **{"X-Forwarded-For": "192.0.2.9"})
    expect(listed(cairn, person.id)["last_used"]["address"], "192.0.2.9", "a refusal")
    wrong = person.key[:-6] + ("AAAAAA" if not person.key.endswith("AAAAAA") else "BBBBBB")
    expect(cairn.request("GET", "/", headers={"Authorization": "ApiKey " + wrong,
                                              "X-Forwarded-For": "192.0.2.66"})[0], 401, "a wrong secret")
    expect(listed(cairn, person.id)["last_used"]["address"], "192.0.2.9", "a wrong secret")
    assert "last_used" not in listed_access_key(cairn, person.access_key), "the passage is no use of an access key"
    person.objects.ok("GET", "/shelf/a", headers={"X-Forwarded-For": "192.0.2.10"})
    expect(listed_access_key(cairn, person.access_key)["last_used"]["address"], "192.0.2.10", "an access key")
    next_ms()
    person.by_session("GET", "/_security/_authenticate")
    expect(listed(cairn, person.id)["last_used"]["address"], "127.0.0.1", "a session")
    found = cairn.ok("POST", "/_security/_query/api_key", {
        "query": {"range": {"last_used.at": {"gte": before}}}, "sort": [{"last_used.at": "desc"}], "size": 100})
    assert person.id in [one["id"] for one in found["api_keys"]], found
    assert fresh["id"] not in [one["id"] for one in found["api_keys"]], found
    shown = cairn.ok("POST", "/graphql", {
        "query": "query($id: String!) { apiKey(id: $id) { enabled lastUsed { at address } } }",
        "variables": {"id": person.id}})
    node = shown["data"]["apiKey"]
    assert node["enabled"] is True and node["lastUsed"]["address"] == "127.0.0.1", shown
    # Over a stop and a start.
    kept = listed(cairn, person.id)["last_used"], listed_access_key(cairn, person.access_key)["last_used"]
    cairn.stop()
    cairn.start("--config", os.path.join(cairn.folder, "cairn.yaml"))
    expect((listed(cairn, person.id)["last_used"], listed_access_key(cairn, person.access_key)["last_used"]), kept,
           "after a stop")
    assert "last_used" not in listed(cairn, fresh["id"])


def main(binary):
    cairn = Cairn(binary)
    os.makedirs(cairn.folder, exist_ok=True)
    with open(os.path.join(cairn.folder, "cairn.yaml"), "w") as file:
        file.write(CONFIG)
    cairn.start("--config", os.path.join(cairn.folder, "cairn.yaml"))
    cairn.ok("PUT", "/books/_doc/1", {"title": "one"})
    root = Objects(cairn)
    root.ok("PUT", "/shelf")
    root.ok("PUT", "/shelf/a", b"abc")
    disabled_by_each_kind(cairn)
    refusals(cairn)
    on_the_command_line(cairn)
    audited(cairn)
    last_uses(cairn)
    requests_by_hour(cairn)
    expect(cairn.stop(), 0, "the stop")
    shutil.rmtree(cairn.folder)


main(sys.argv[1])
