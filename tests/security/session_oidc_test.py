#!/usr/bin/env python3
"""Signing in with a browser at an OpenID Connect issuer: a small issuer of the test's own, the whole flow, and each
thing that an attacker or a broken issuer could bring back.

    session_oidc_test.py CAIRN
"""

import base64
import hashlib
import http.server
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from session_requests import ask  # noqa: E402
from sign_in_test import Issuer, base64url, write  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
NAME, CLIENT, SECRET = "https://id.example.org/realms/team", "console", "s3cret of+the client"
QUICK_S = 30
ROLES = {"readers": {"reader": {"indices": [{"names": ["books"], "privileges": ["read"]}]}},
         "*": {"watch": {"cluster": ["monitor"]}}}


class TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """Gives the token that the test has put there for a code, once, to who shows what RFC 6749 and RFC 7636 ask for."""

    def do_POST(self):  # noqa: N802
        issuer = self.server.issuer
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        issuer.asked.append((dict(self.headers), form))
        granted = issuer.codes.pop(form.get("code"), None)
        shown = base64.b64decode(self.headers.get("Authorization", "Basic ")[6:]).decode()
        client = tuple(urllib.parse.unquote(part) for part in shown.split(":")) if shown else (form.get("client_id"),)
        right = (granted and form.get("grant_type") == "authorization_code" and client == issuer.client
                 and form.get("redirect_uri") == granted["redirect_uri"]
                 and base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest()) == granted["challenge"])
        status, body = (200, granted["answer"]) if right else (400, {"error": "invalid_grant"})
        if issuer.status:
            status, body = issuer.status, {"error": "server_error"}
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class TestIssuer(Issuer):
    def __init__(self, folder):
        super().__init__(folder, "one")
        self.codes, self.asked, self.status, self.client = {}, [], None, (CLIENT,)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TokenEndpoint)
        self.server.issuer = self
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def code_for(self, location, user="ann", groups=("readers",), answer=None, **claims):
        """What the issuer's page does once somebody has signed in: a code for where the browser came from."""
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        token = self.token(user, *groups, **{"iss": NAME, "aud": CLIENT, "nonce": asked["nonce"], **claims})
        code = base64url(os.urandom(16))
        self.codes[code] = {"redirect_uri": asked["redirect_uri"], "challenge": asked["code_challenge"],
                            "answer": {"token_type": "Bearer", "id_token": token} if answer is None else answer}
        return code


class OidcTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-oidc-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.issuer = TestIssuer(self.folder)
        self.addCleanup(self.issuer.server.server_close)
        self.addCleanup(self.issuer.server.shutdown)
        self.cairn = Cairn(BINARY)
        self.addCleanup(shutil.rmtree, self.cairn.folder, ignore_errors=True)
        self.addCleanup(lambda: self.cairn.process is not None and self.cairn.process.poll() is None and self.cairn.kill())

    def start(self, **more):
        keys, self.roles = os.path.join(self.folder, "keys.json"), os.path.join(self.folder, "roles.json")
        write(keys, {"keys": [self.issuer.key()]})
        write(self.roles, ROLES)
        settings = {"issuer": NAME, "audience": "cairn", "keys_file": keys, "roles_file": self.roles,
                    "client_id": CLIENT, "authorization_endpoint": self.issuer.address + "/auth",
                    "token_endpoint": self.issuer.address + "/token", "name": "The team", **more}
        words = [word for name, value in settings.items() for word in ("--set", f"oidc.{name}={value}")]
        return self.cairn.start(*words)

    def begin(self):
        """Where the browser is sent, its cookie, and the state."""
        sent = ask(self.cairn, "GET", "/_cairn/sessions/_oidc", {"Accept": "text/html,*/*;q=0.8"})
        self.assertEqual(sent.status, 302, sent.text)
        location, cookie = sent.field("location"), sent.cookies()[0]
        self.assertRegex(cookie, r"^cairn_sign_in=[\w-]{43}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600$")
        return location, cookie.split(";")[0], dict(urllib.parse.parse_qsl(location.split("?")[1]))["state"]

    def back(self, cookie, **query):
        return ask(self.cairn, "GET", "/_cairn/sessions/_oidc/callback?" + urllib.parse.urlencode(query),
                   {"Cookie": cookie, "Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Site": "cross-site",
                    "Sec-Fetch-Mode": "navigate"})

    def sign_in(self, **claims):
        location, cookie, state = self.begin()
        return self.back(cookie, code=self.issuer.code_for(location, **claims), state=state)

    def refused(self, reply, why, status=401):
        self.assertEqual(reply.status, status, reply.text)
        self.assertIn(why, reply.text.decode())
        self.assertEqual(reply.field("content-type"), "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", reply.field("content-security-policy"))
        self.assertIsNone(reply.field("www-authenticate"))
        self.assertFalse([one for one in reply.cookies() if "cairn_session=" in one and "Max-Age=0" not in one])

    def test_A08_the_whole_flow(self):
        self.start()
        self.cairn.ok("PUT", "/books/_doc/1?refresh=true", {"title": "one"})
        providers = ask(self.cairn, "GET", "/_cairn/sessions/_providers").body
        self.assertEqual(providers, {"providers": [{"type": "api_key"}, {
            "type": "oidc", "name": "The team", "start": "/_cairn/sessions/_oidc"}]})
        location, cookie, state = self.begin()
        self.assertTrue(location.startswith(self.issuer.address + "/auth?response_type=code&client_id=console&"))
        done = self.back(cookie, code=self.issuer.code_for(location), state=state, session_state="x", iss=NAME)
        self.assertEqual((done.status, done.field("location")), (302, "/_console/"), done.text)
        session, ended = done.cookies()
        self.assertRegex(session, r"^cairn_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=/$")
        self.assertRegex(ended, r"^cairn_sign_in=; .*Max-Age=0$")
        browser = {"Cookie": session.split(";")[0]}
        current = ask(self.cairn, "GET", "/_cairn/sessions/_current", browser).body
        self.assertEqual(current["username"], "ann")
        self.assertLessEqual(current["expires_at_ms"], time.time() * 1000 + 600_000)  # as long as the token
        self.assertEqual(ask(self.cairn, "GET", "/books/_search", browser).status, 200)
        self.assertEqual(ask(self.cairn, "GET", "/_security/api_key", browser).status, 403)
        browser["X-Cairn-CSRF"] = current["csrf_token"]
        self.assertEqual(ask(self.cairn, "PUT", "/books/_doc/2", browser, {"a": 1}).status, 403)
        self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions/_link", browser).status, 403)
        self.assertEqual(self.cairn.ok("GET", "/_cairn/limits/user:ann")["windows"]["core"]["used"], 5)

        # Over a crash, and under other roles.
        self.cairn.kill()
        self.start()
        self.assertEqual(ask(self.cairn, "GET", "/books/_search", browser).status, 200)
        write(self.roles, {"readers": {}})
        end = time.monotonic() + QUICK_S
        while ask(self.cairn, "GET", "/books/_search", browser).status == 200:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        self.assertEqual(ask(self.cairn, "GET", "/books/_search", browser).status, 403)
        self.assertEqual(ask(self.cairn, "DELETE", "/_cairn/sessions/_current", browser).status, 200)
        self.assertEqual(ask(self.cairn, "GET", "/books/_search", browser).status, 401)
        with open(os.path.join(self.cairn.data, "audit/audit.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([(one["user.name"], one["event.outcome"]) for one in lines
                          if one["action"] == "sessions.end_at_issuer"], [("ann", "success")])

    def test_A08_a_client_with_a_secret(self):
        secret = os.path.join(self.folder, "secret")
        with open(secret, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(SECRET + "\n")
        self.issuer.client = (CLIENT, SECRET)
        self.start(client_secret_file=secret)
        self.assertEqual(self.sign_in().status, 302)
        self.assertNotIn("client_id", self.issuer.asked[0][1])
        self.issuer.client = (CLIENT, "another")
        self.refused(self.sign_in(), "does not take the code")
        with open(os.path.join(self.cairn.folder, "log")) as log:
            self.assertNotIn(SECRET, log.read())

    def test_A08_states_and_browsers(self):
        self.start()
        location, cookie, state = self.begin()
        code = self.issuer.code_for(location)
        stale = "has not begun it"
        self.refused(self.back(cookie, code=code), stale)
        self.refused(self.back(cookie, code=code, state="A" * 43), stale)
        self.refused(self.back("a=b", code=code, state=state), stale)
        _, other, _ = self.begin()
        self.refused(self.back(other, code=code, state=state), stale)       # somebody else's browser
        self.refused(self.back(cookie + "; " + other, code=code, state=state), stale)
        self.assertEqual(self.issuer.asked, [])
        self.assertEqual(self.back(cookie, code=code, state=state).status, 302)
        self.refused(self.back(cookie, code=code, state=state), stale)      # replayed as it was
        self.assertEqual(len(self.issuer.asked), 1)
        location, cookie, state = self.begin()
        self.refused(self.back(cookie, code=code, state=state), "does not take the code")  # into another sign-in
        # What an issuer says instead is nobody's page.
        for query, why in (({"error": "access_denied"}, "access_denied"), ({"error": "<b>x</b>"}, "an error"),
                           ({"code": "c", "iss": "https://evil.example.org"}, "another issuer"), ({}, "no code")):
            location, cookie, state = self.begin()
            reply = self.back(cookie, state=state, **query)
            self.refused(reply, why)
            self.assertNotIn(b"<b>", reply.text)

    def test_A08_tokens_that_are_not_for_this_sign_in(self):
        self.start()
        now = int(time.time())
        for claims, why in (({"nonce": "another"}, "another sign-in"), ({"nonce": None}, "another sign-in"),
                            ({"exp": now - 120}, "expired"), ({"aud": "cairn"}, "another audience"),
                            ({"aud": "others"}, "another audience"), ({"iss": "https://id.example.org"}, "another issuer"),
                            ({"aud": [CLIENT, "others"], "azp": "others"}, "another client"), ({"sub": ""}, "no user"),
                            ({"nbf": now + 3600}, "not yet valid"), ({"exp": None}, "expires")):
            self.refused(self.sign_in(**claims), why)
        stranger = Issuer(self.folder, "stranger")
        location, cookie, state = self.begin()
        asked = dict(urllib.parse.parse_qsl(location.split("?")[1]))
        forged = stranger.token("ann", iss=NAME, aud=CLIENT, nonce=asked["nonce"])
        self.refused(self.back(cookie, code=self.issuer.code_for(location, answer={"id_token": forged}), state=state),
                     "not signed")
        self.assertEqual(self.cairn.ok("GET", "/_cairn/sessions"), {"sessions": []})
        self.assertEqual(self.sign_in(aud=[CLIENT, "others"], azp=CLIENT).status, 302)

    def test_A08_an_issuer_that_is_away(self):
        self.start()
        self.issuer.status = 500
        self.refused(self.sign_in(), "answered 500", 503)
        self.issuer.status = None
        self.refused(self.sign_in(answer={"access_token": "x"}), "without an id_token", 503)
        self.issuer.server.shutdown()
        self.issuer.server.server_close()
        self.refused(self.sign_in(), "did not answer", 503)

    def test_A08_guesses_cost_the_address(self):
        self.start()
        used = []
        for _ in range(2):
            self.refused(self.back("cairn_sign_in=x", code="c", state="s"), "has not begun it")
            used.append(self.cairn.ok("GET", "/_cairn/limits/ip:127.0.0.1")["windows"]["core"]["used"])
        self.assertEqual(used[1], used[0] + 1)

    def test_A08_without_an_issuer(self):
        self.cairn.start()
        self.assertEqual(ask(self.cairn, "GET", "/_cairn/sessions/_providers").body, {"providers": [{"type": "api_key"}]})
        for path in ("", "/callback?code=c&state=s"):
            self.assertEqual(ask(self.cairn, "GET", "/_cairn/sessions/_oidc" + path).status, 404)


if __name__ == "__main__":
    unittest.main()
