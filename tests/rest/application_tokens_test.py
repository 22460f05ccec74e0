#!/usr/bin/env python3
"""Tokens that applications mint for users, installations and workflows: whom they count for, what they may, and how
they end.

    application_tokens_test.py CAIRN
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
from cairn_server import Cairn  # noqa: E402


class Server:
    def __init__(self, binary):
        self.cairn = Cairn(binary).start()
        for index in ("books", "films"):
            self.cairn.ok("PUT", "/" + index)
        self.ann = self.key("ann", {"kind": "user", "user": "ann"}, {"indices": [
            {"names": ["books"], "privileges": ["read", "write", "view_index_metadata"]}]})
        made = self.cairn.ok("POST", "/_security/api_key", {
            "name": "builder", "role_descriptors": {"none": {}},
            "metadata": {"_cairn": {"identity": {"kind": "oauth_app", "id": "builder"}}}})
        self.client_id, self.client_secret = made["id"], made["api_key"]

    def key(self, name, identity, role):
        return self.cairn.ok("POST", "/_security/api_key", {
            "name": name, "role_descriptors": {"r": role}, "metadata": {"_cairn": {"identity": identity}}})["encoded"]

    def ask(self, method, path, body=None, authorization=None):
        """Status, body, and the header fields of limits."""
        connection = self.cairn.connect()
        headers = {"Authorization": authorization} if authorization else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        return reply.status, json.loads(text), {name: value for name, value in reply.getheaders()}

    def as_app(self, method, path, body=None):
        pair = base64.b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        return self.ask(method, path, body, "Basic " + pair)

    def grants(self, more=""):
        return f"/_security/application/{self.client_id}/grant" + more

    def token(self, account, **more):
        return self.as_app("POST", "/_security/application/token", {"account": account, **more})


def of_a_user(server):
    status, answer, headers = server.token("user:ann")
    assert status == 404 and "nobody has granted" in json.dumps(answer), (status, answer)
    assert headers["x-ratelimit-limit"] == "5000", "an application has a limit of its own"
    reading = {"r": {"indices": [{"names": ["*"], "privileges": ["read", "view_index_metadata"]}]}}
    status, granted, _ = server.ask("PUT", server.grants(), {"role_descriptors": reading}, "ApiKey " + server.ann)
    assert status == 200 and granted["account"] == "user:ann", granted
    status, token, _ = server.token("user:ann")
    assert status == 200 and token["token_type"] == "bearer" and token["expires_in"] == 8 * 3600, token
    assert token["kind"] == "oauth_user", token
    for scheme in ("Bearer ", "token ", "ApiKey "):
        assert server.ask("GET", "/books/_count", authorization=scheme + token["access_token"])[0] == 200, scheme
    # It counts for ann, with all that ann does besides.
    used = [int(server.ask("GET", "/books/_count", authorization=one)[2]["x-ratelimit-used"])
            for one in ("ApiKey " + server.ann, "Bearer " + token["access_token"], "ApiKey " + server.ann)]
    assert used == list(range(used[0], used[0] + 3)), used
    # It may what the grant says, as far as ann may.
    bearer = "Bearer " + token["access_token"]
    assert server.ask("PUT", "/books/_doc/1", {"a": 1}, bearer)[0] == 403
    assert server.ask("GET", "/films/_count", authorization=bearer)[0] == 403
    assert server.ask("GET", "/_security/api_key", authorization=bearer)[0] == 403
    # The secret of the application opens public data only.
    assert server.as_app("GET", "/books/_count")[0] == 403
    assert server.as_app("GET", "/rate_limit")[0] == 200
    shown = server.ask("GET", server.grants(), authorization="ApiKey " + server.ann)[1]["grants"]
    assert [one["account"] for one in shown] == ["user:ann"], shown


def of_others(server):
    put = lambda identity: server.cairn.request("PUT", server.grants(), {"identity": identity})  # noqa: E731
    assert put({"kind": "installation", "id": 17, "repositories": 21})[0] == 200
    assert put({"kind": "workflow", "repo": "acme/models"})[0] == 200
    assert put({"kind": "service", "id": "x"})[0] == 400
    for account, limit, lifetime in (("inst:17", "6050", 3600), ("wf:acme/models", "1000", 86400)):
        status, token, _ = server.token(account)
        assert status == 200 and token["expires_in"] == lifetime, token
        reply = server.ask("GET", "/books/_mapping", authorization="Bearer " + token["access_token"])
        assert reply[0] == 200 and reply[2]["x-ratelimit-limit"] == limit, reply
    status, answer, _ = server.ask("PUT", server.grants(), {"identity": {"kind": "workflow", "repo": "x"}},
                                   "ApiKey " + server.ann)
    assert status == 403 and "manage_api_key" in json.dumps(answer), answer
    assert len(server.cairn.ok("GET", server.grants())["grants"]) == 3
    # Who was granted nothing sees nothing.
    assert server.ask("GET", server.grants(), authorization="ApiKey " + server.key(
        "cid", {"kind": "user", "user": "cid"}, {"cluster": ["monitor"]}))[1] == {"grants": []}


def ends(server):
    status, short, _ = server.token("user:ann", expires_in="1s")
    assert status == 200 and short["expires_in"] == 1, short
    bearer = "Bearer " + short["access_token"]
    end = time.monotonic() + 20
    while server.ask("GET", "/books/_count", authorization=bearer)[0] != 401:
        assert time.monotonic() < end, "a token that does not end"
        time.sleep(0.2)
    token = server.token("user:ann")[1]["access_token"]
    assert server.as_app("DELETE", "/_security/application/token", {"access_token": token})[0] == 200
    assert server.ask("GET", "/books/_count", authorization="Bearer " + token)[0] == 401
    assert server.as_app("DELETE", "/_security/application/token", {"access_token": token})[0] == 404
    tokens = [server.token("user:ann")[1]["access_token"] for _ in range(3)]
    other = server.token("inst:17")[1]["access_token"]
    status, answer, _ = server.ask("DELETE", server.grants("/user:ann"), authorization="ApiKey " + server.ann)
    assert status == 200 and answer["tokens_ended"] >= 3, answer
    for token in tokens:
        assert server.ask("GET", "/books/_count", authorization="Bearer " + token)[0] == 401
    assert server.ask("GET", "/books/_count", authorization="Bearer " + other)[0] == 200
    assert server.token("user:ann")[0] == 404
    assert server.ask("DELETE", server.grants("/user:ann"), authorization="ApiKey " + server.ann)[0] == 404
    # A grant survives a crash that comes when it was answered, and so do its tokens.
    assert server.ask("PUT", server.grants(), {}, "ApiKey " + server.ann)[0] == 200
    server.cairn.kill()
    server.cairn.start()
    status, token, _ = server.token("user:ann")
    assert status == 200, token
    assert server.ask("GET", "/books/_count", authorization="Bearer " + other)[0] == 200
    audit = ""
    for folder, _, files in os.walk(server.cairn.data):
        for name in files:
            if "audit" in folder or "audit" in name:
                with open(os.path.join(folder, name), errors="replace") as file:
                    audit += file.read()
    for operation in ("security.grant_application", "security.create_token", "security.revoke_application"):
        assert operation in audit, operation
    assert token["access_token"] not in audit and server.client_secret not in audit


def wrong(server):
    ann = "ApiKey " + server.ann
    for status, method, path, body, who in (
            (404, "PUT", "/_security/application/nobody/grant", {}, ann),
            (400, "PUT", server.grants(), {"roles": {}}, ann),
            (400, "PUT", server.grants(), {"role_descriptors": {"r": {"cluster": ["no_such"]}}}, ann),
            (401, "PUT", server.grants(), {}, None),
            (400, "POST", "/_security/application/token", {"account": "user:ann"}, ann),
            (400, "POST", "/_security/application/token", {"account": "user:ann"}, None),
            (403, "DELETE", server.grants("/inst:17"), None, ann)):
        got, answer, _ = server.ask(method, path, body, who)
        assert got == status, (method, path, got, answer)
    for body in ({}, {"account": 7}, {"account": "user:ann", "expires_in": "9h"}, {"account": "user:ann", "scope": "x"},
                 {"account": "user:ann", "expires_in": "-1"}, {"account": "user:ann", "expires_in": "1ms"}):
        assert server.as_app("POST", "/_security/application/token", body)[0] == 400, body
    # The application's key ends, and with it the minting.
    server.cairn.ok("DELETE", "/_security/api_key", {"ids": [server.client_id]})
    assert server.token("user:ann")[0] == 401


def command_line(server):
    def run(*words, key=None, expect=0):
        path = os.path.join(server.cairn.folder, "some.key")
        with open(path, "w") as file:
            file.write(key or server.cairn.key)
        done = subprocess.run([server.cairn.binary, "applications", *words, "--server", server.cairn.api, "--key-file", path],
                              capture_output=True, text=True)
        assert done.returncode == expect, (words, done)
        return done.stdout
    cid = server.key("cid", {"kind": "user", "user": "cid"}, {"indices": [{"names": ["*"], "privileges": ["read"]}]})
    assert run("grant", server.client_id, "--index", "books:read", key=cid) == "user:cid\n"
    granted = json.loads(run("list", server.client_id, "--json"))["grants"]
    own = next(one for one in granted if one["account"] == "user:cid")
    assert own["role_descriptors"]["role"]["indices"] == [{"names": ["books"], "privileges": ["read"]}], own
    assert "user:cid" in run("list", server.client_id)
    run("grant", server.client_id, "--kind", "workflow", "--repo", "acme/models", key=cid, expect=77)
    account = run("grant", server.client_id, "--kind", "workflow", "--repo", "acme/models").strip()
    run("grant", server.client_id, "--user", "a", "--id", "b", expect=64)
    run("grant", "nobody", key=cid, expect=1)
    assert server.token("user:cid")[0] == 200
    assert run("revoke", server.client_id, "user:cid", "user:none", expect=2) == "user:cid\t1 tokens ended\n"
    run("revoke", server.client_id, account)
    assert server.token("user:cid")[0] == 404


def main():
    server = Server(sys.argv[1])
    try:
        for case in (of_a_user, of_others, command_line, ends, wrong):
            case(server)
            print(f"ok {case.__name__}")
    finally:
        if server.cairn.process.poll() is None:
            server.cairn.stop()
        shutil.rmtree(server.cairn.folder)


if __name__ == "__main__":
    main()
