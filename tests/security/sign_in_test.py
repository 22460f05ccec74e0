#!/usr/bin/env python3
"""Users of an OpenID Connect issuer: tokens that openssl signs, the roles of their groups, keys and roles that
change while the server runs.

    sign_in_test.py CAIRN
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

ISSUER, AUDIENCE = "https://id.example.org/realms/team", "cairn"
QUICK_S = 30
ROLES = {"readers": {"reader": {"indices": [{"names": ["books"], "privileges": ["read"]}]}},
         "operators": {"all": {"cluster": ["all"], "indices": [{"names": ["*"], "privileges": ["all"]}]}},
         "*": {"watch": {"cluster": ["monitor"]}}}


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, **more).stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    def __init__(self, folder, name):
        self.file, self.name = os.path.join(folder, name + ".pem"), name
        run("openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.file)

    def key(self):
        modulus = run("openssl", "rsa", "-in", self.file, "-noout", "-modulus").decode().strip().split("=")[1]
        return {"kty": "RSA", "kid": self.name, "alg": "RS256", "use": "sig", "e": "AQAB",
                "n": base64url(bytes.fromhex(modulus))}

    def token(self, user, *groups, **claims):
        header = {"alg": "RS256", "kid": self.name, "typ": "JWT"}
        body = {"iss": ISSUER, "aud": [AUDIENCE], "sub": user, "exp": int(time.time()) + 600,
                "groups": list(groups), **claims}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (header, body))
        signature = run("openssl", "dgst", "-sha256", "-sign", self.file, input=text.encode())
        return text + "." + base64url(signature)


def write(path, value):
    with open(path + ".new", "w") as file:
        json.dump(value, file)
    os.rename(path + ".new", path)


def until(condition, what):
    end = time.monotonic() + QUICK_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def main():
    folder = tempfile.mkdtemp(prefix="cairn-sign-in-")
    keys, roles = os.path.join(folder, "keys.json"), os.path.join(folder, "roles.json")
    first = Issuer(folder, "first")
    write(keys, {"keys": [first.key()]})
    write(roles, ROLES)
    settings = [word for name, value in (("issuer", ISSUER), ("audience", AUDIENCE), ("keys_file", keys),
                                         ("roles_file", roles)) for word in ("--set", f"oidc.{name}={value}")]
    cairn = Cairn(sys.argv[1]).start(*settings)

    def ask(token, method, path, body=None):
        return cairn.request(method, path, body, headers={"Authorization": "Bearer " + token})

    try:
        cairn.ok("PUT", "/books/_doc/1?refresh=true", {"title": "one"})
        cairn.ok("PUT", "/secret/_doc/1?refresh=true", {"title": "two"})
        ann, bob = first.token("ann", "readers"), first.token("bob")
        status, who = ask(ann, "GET", "/_security/_authenticate")
        assert status == 200 and who["username"] == "ann", who
        assert who["authentication_type"] == "token" and who["authentication_realm"]["type"] == "oidc", who
        assert sorted(who["roles"]) == ["*/watch", "readers/reader"], who
        assert ask(ann, "GET", "/books/_search")[0] == 200
        for path in ("/secret/_search", "/_search"):
            assert ask(bob, "GET", path)[0] == 403, path
        assert ask(ann, "GET", "/secret/_search")[0] == 403
        assert ask(ann, "PUT", "/books/_doc/2", {"title": "x"})[0] == 403
        assert ask(bob, "GET", "/_cluster/health")[0] == 200  # everybody's role

        # Operators make keys, which are theirs.
        carl = first.token("carl", "operators")
        status, made = ask(carl, "POST", "/_security/api_key", {"name": "of-carl"})
        assert status == 200, made
        status, owned = ask(first.token("carl", "operators", n=1), "GET", "/_security/api_key?owner=true")
        assert [key["name"] for key in owned["api_keys"]] == ["of-carl"], owned
        assert owned["api_keys"][0]["username"] == "carl", owned
        assert cairn.request("GET", "/secret/_search",
                             headers={"Authorization": "ApiKey " + made["encoded"]})[0] == 200

        # Work in the background goes on as its user.
        status, task = ask(carl, "POST", "/books/_update_by_query?wait_for_completion=false")
        assert status == 200, task
        until(lambda: ask(carl, "GET", f"/_tasks/{task['task']}")[1]["completed"], "the task does not end")

        def refused(token, why):
            status, answer = ask(token, "GET", "/books/_search")
            assert status == 401 and why in json.dumps(answer), (status, answer)

        refused(first.token("ann", "readers", exp=int(time.time()) - 120), "expired")
        refused(first.token("ann", "readers", aud="others"), "audience")
        refused(first.token("ann", "readers", iss="https://id.example.com"), "issuer")
        refused(ann[:-8] + "AAAAAAAA", "not signed")
        second = Issuer(folder, "second")
        new = second.token("ann", "readers")
        refused(new, "not signed")

        # The issuer draws another key; groups get other roles. Nobody tells the server.
        write(keys, {"keys": [first.key(), second.key()]})
        until(lambda: ask(new, "GET", "/books/_search")[0] == 200, "the new key is not taken")
        assert ask(ann, "GET", "/books/_search")[0] == 200
        write(roles, {**ROLES, "readers": {}})
        until(lambda: ask(ann, "GET", "/books/_search")[0] == 403, "the new roles are not taken")
        write(roles, {"readers": {"r": {"cluster": ["no_such_privilege"]}}})
        until(lambda: "not read again" in cairn.log_tail(), "a wrong file is not told")
        assert "no_such_privilege" in cairn.log_tail()
        assert ask(bob, "GET", "/_cluster/health")[0] == 200  # the old ones stay

        # They are counted as their user, with the limits of one.
        connection = cairn.connect()
        connection.request("GET", "/_cluster/health", headers={"Authorization": "Bearer " + bob})
        reply = connection.getresponse()
        assert reply.getheader("x-ratelimit-limit") == "5000", reply.getheaders()
        assert cairn.ok("GET", "/_cairn/limits/user:bob")["windows"]["core"]["used"] > 0
        assert cairn.stop() == 0
        broken = subprocess.run([cairn.binary, "serve", "--data", cairn.data, *settings],
                                capture_output=True, text=True)
        assert broken.returncode == 78 and "group [readers]" in broken.stderr, (broken.returncode, broken.stderr)
        lacking = subprocess.run([cairn.binary, "config", "check", *settings[:2]], capture_output=True, text=True)
        assert lacking.returncode == 78 and "oidc.audience" in lacking.stderr, lacking.stderr
    finally:
        if cairn.process.poll() is None:
            cairn.kill()
        shutil.rmtree(folder)
        shutil.rmtree(cairn.folder)


if __name__ == "__main__":
    main()
