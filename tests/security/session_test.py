#!/usr/bin/env python3
"""Browsers that sign in: sessions for API keys, links that open one, and what pages of other origins, other
programs of the host and guessers can do about them.

    session_test.py CAIRN
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from session_requests import ask  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
QUICK_S = 30
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Browser:
    """A session, and the requests that a page makes with it."""

    def __init__(self, cairn, api_key=None, code=None, headers=()):
        self.cairn = cairn
        given = {"code": code} if code else {"api_key": api_key or cairn.key}
        self.reply = ask(cairn, "POST", "/_cairn/sessions", headers, given)
        assert self.reply.status == 201, (self.reply.status, self.reply.text)
        self.set_cookie = self.reply.cookies()[0]
        self.cookie = self.set_cookie.split(";")[0]
        self.csrf, self.id = self.reply.body["csrf_token"], self.reply.body["id"]

    def ask(self, method, path, body=None, headers=None, csrf=True):
        fields = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
        if csrf:
            fields["X-Cairn-CSRF"] = self.csrf
        fields.update(headers or {})
        return ask(self.cairn, method, path, {name: value for name, value in fields.items() if value is not None}, body)


class SessionTest(unittest.TestCase):
    def setUp(self):
        self.cairn = Cairn(BINARY)
        self.addCleanup(shutil.rmtree, self.cairn.folder, ignore_errors=True)
        self.addCleanup(lambda: self.cairn.process is not None and self.cairn.process.poll() is None and self.cairn.kill())

    def start(self, *arguments, **settings):
        words = [word for name, value in settings.items() for word in ("--set", f"{name.replace('__', '.')}={value}")]
        return self.cairn.start(*arguments, *words)

    def key(self, name="ann", **more):
        return self.cairn.ok("POST", "/_security/api_key", {"name": name, **more})

    def audit(self):
        with open(os.path.join(self.cairn.data, "audit/audit.jsonl")) as file:
            return [json.loads(line) for line in file]

    # --- what is for everybody

    def test_A08_signing_in_and_out(self):
        self.start()
        made = self.key()
        browser = Browser(self.cairn, made["encoded"])
        reply = browser.reply
        self.assertEqual(reply.body["key"], {"id": made["id"], "name": "ann"})
        self.assertEqual(reply.body["username"], "admin")
        self.assertEqual(reply.body["idle_ms"], 3_600_000)
        self.assertAlmostEqual(reply.body["expires_at_ms"], time.time() * 1000 + 43_200_000, delta=600_000)
        self.assertEqual(reply.field("cache-control"), "no-store")
        self.assertRegex(browser.set_cookie, r"^cairn_session=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Path=/$")
        self.assertNotIn(browser.cookie.split("=")[1], reply.text.decode())

        current = browser.ask("GET", "/_cairn/sessions/_current", csrf=False)
        self.assertEqual((current.status, current.body), (200, reply.body))
        self.assertEqual(browser.ask("GET", "/_security/_authenticate").body["username"], "admin")
        self.assertEqual(browser.ask("PUT", "/books/_doc/1", {"a": 1}).status, 201)
        self.assertEqual(browser.ask("DELETE", "/books").status, 200)
        listed = browser.ask("GET", "/_cairn/sessions").body["sessions"]
        self.assertEqual([(one["id"], one["current"], one["address"]) for one in listed], [(browser.id, True, "127.0.0.1")])

        out = browser.ask("DELETE", "/_cairn/sessions/_current")
        self.assertEqual((out.status, out.body), (200, {"acknowledged": True}))
        self.assertRegex(out.cookies()[0], r"^cairn_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0$")
        after = browser.ask("GET", "/_cairn/sessions/_current")
        self.assertEqual(after.status, 401)
        self.assertEqual(after.cookies(), out.cookies())
        self.assertIn("sign in again", after.why())
        self.assertEqual(ask(self.cairn, "GET", "/_cairn/sessions/_current").status, 401)

        lines = [(line["action"], line["event.outcome"], line.get("apikey.id"), line.get("session.id"))
                 for line in self.audit() if line["action"].startswith(("sessions.", "indices.delete"))]
        self.assertEqual(lines, [("sessions.begin", "success", made["id"], None),
                                 ("indices.delete", "success", made["id"], browser.id),
                                 ("sessions.end_current", "success", made["id"], browser.id),
                                 ("sessions.get_current", "failure", None, None),
                                 ("sessions.get_current", "failure", None, None)])
        with open(os.path.join(self.cairn.folder, "log")) as log, \
                open(os.path.join(self.cairn.data, "audit/audit.jsonl")) as audit:
            told = log.read() + audit.read()
        for secret in (browser.cookie.split("=")[1], browser.csrf, made["encoded"], made["api_key"]):
            self.assertNotIn(secret, told)

    def test_A08_what_begins_no_session(self):
        self.start()
        ended = self.key("ended")
        self.cairn.ok("DELETE", "/_security/api_key", {"ids": [ended["id"]]})
        wrong = [({"api_key": "nonsense"}, 401), ({"api_key": ended["encoded"]}, 401), ({"api_key": ""}, 401),
                 ({"code": "A" * 43}, 401), ({"code": ""}, 401), ({}, 400), ({"api_key": 1}, 400),
                 ({"api_key": self.cairn.key, "code": "x"}, 400), ({"api_key": self.cairn.key, "more": 1}, 400)]
        for body, status in wrong:
            reply = ask(self.cairn, "POST", "/_cairn/sessions", (), body)
            self.assertEqual((reply.status, reply.cookies()), (status, []), (body, reply.text))
        self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions").status, 400)
        # A form of another site cannot be JSON, and says where it comes from.
        form = ask(self.cairn, "POST", "/_cairn/sessions", {"Content-Type": "text/plain", "Content-Length": "0"})
        self.assertIn(form.status, (400, 406))
        for site in ("cross-site", "same-site"):
            reply = ask(self.cairn, "POST", "/_cairn/sessions", {"Sec-Fetch-Site": site}, {"api_key": self.cairn.key})
            self.assertEqual((reply.status, reply.cookies()), (403, []))
        large = ask(self.cairn, "POST", "/_cairn/sessions", (), {"api_key": "A" * 20_000})
        self.assertEqual(large.status, 413)
        self.assertEqual(self.cairn.ok("GET", "/_cairn/sessions"), {"sessions": []})

    # --- attacks

    def test_A08_changes_need_the_token_of_the_session(self):
        self.start()
        mine, other = Browser(self.cairn), Browser(self.cairn)
        self.assertNotEqual(mine.csrf, other.csrf)
        for method in ("PUT", "POST", "DELETE", "PATCH", "OPTIONS"):
            for header in (None, "", other.csrf, mine.csrf[:-1], mine.csrf + "A", mine.cookie.split("=")[1]):
                reply = mine.ask(method, "/books", headers={"X-Cairn-CSRF": header})
                self.assertEqual(reply.status, 403, (method, header, reply.text))
                self.assertEqual(reply.cookies(), [])
        self.assertIn("X-Cairn-CSRF", mine.ask("PUT", "/books", csrf=False).why())
        self.assertEqual(mine.ask("GET", "/books", csrf=False).status, 404)
        self.assertEqual(mine.ask("HEAD", "/books", csrf=False).status, 404)
        self.assertEqual(mine.ask("PUT", "/books").status, 200)

    def test_A08_pages_of_other_origins_have_no_session(self):
        self.start()
        browser = Browser(self.cairn)
        for site in ("cross-site", "same-site", "nonsense"):
            for method in ("GET", "PUT"):
                reply = browser.ask(method, "/books", headers={"Sec-Fetch-Site": site})
                self.assertEqual((reply.status, reply.cookies()), (403, []), (site, method))
        # A browser that tells nothing, and a person who types an address.
        for site in (None, "none", "same-origin"):
            self.assertEqual(browser.ask("GET", "/_cluster/health", headers={"Sec-Fetch-Site": site}).status, 200)

    def test_A08_a_session_is_always_a_new_one(self):
        self.start()
        attacker = Browser(self.cairn, self.key("eve")["encoded"])
        planted = {"Cookie": attacker.cookie}
        victim = Browser(self.cairn, headers=planted)
        self.assertNotEqual(victim.cookie, attacker.cookie)
        self.assertEqual(attacker.ask("GET", "/_cairn/sessions/_current").body["key"]["name"], "eve")
        chosen = {"Cookie": "cairn_session=" + "A" * 43}
        self.assertNotIn("A" * 43, Browser(self.cairn, headers=chosen).set_cookie)

    def test_A08_cookies_that_are_none(self):
        self.start()
        browser = Browser(self.cairn)
        value = browser.cookie.split("=")[1]
        path = "/_cluster/health"

        def status(*cookies):
            return ask(self.cairn, "GET", path, [("Cookie", cookie) for cookie in cookies]).status

        self.assertEqual(status(browser.cookie), 200)
        self.assertEqual(status("a=b; " + browser.cookie + "; c"), 200)
        self.assertEqual(status("a=b", browser.cookie), 200)
        # Of other ports, which share their cookies with this one.
        for name in ("cairn_session2", "CAIRN_SESSION", "xcairn_session", "session", "__Host-cairn_session", "cairn_sign_in"):
            self.assertEqual(status(f"{name}={value}"), 401, name)
        for wrong in (value[:-1], value + "A", "", "A" * 43, "\"" + value + "\"", value.swapcase(), "A" * 15_000):
            reply = ask(self.cairn, "GET", path, {"Cookie": "cairn_session=" + wrong})
            self.assertEqual(reply.status, 401)
            self.assertIn("Max-Age=0", reply.cookies()[0])
        two = ask(self.cairn, "GET", path, {"Cookie": f"{browser.cookie}; cairn_session=x"})
        self.assertEqual(two.status, 400)
        self.assertIn("more than one cookie", two.why())
        self.assertEqual(status(browser.cookie, "cairn_session=x"), 400)
        self.assertEqual(status("cairn_session=" + "A" * 70_000), 431)
        self.assertEqual(status(browser.cookie), 200)

    def test_A08_credentials_go_before_cookies(self):
        self.start()
        admin, reader = Browser(self.cairn), self.key("reader", role_descriptors={"r": {"cluster": ["monitor"]}})
        header = {"Authorization": "ApiKey " + reader["encoded"]}
        self.assertEqual(admin.ask("PUT", "/books", headers=header).status, 403)
        self.assertEqual(admin.ask("PUT", "/books", headers={"Authorization": "ApiKey bm86bm8="}).status, 401)
        # Programs need no token, whatever else they send.
        self.assertEqual(admin.ask("PUT", "/books", csrf=False, headers={
            "Authorization": "ApiKey " + self.cairn.key, "Sec-Fetch-Site": "cross-site"}).status, 200)
        self.assertEqual(admin.ask("GET", "/_cairn/sessions/_current", headers=header).status, 401)
        self.assertEqual(admin.ask("DELETE", "/_cairn/sessions/_current", headers=header).status, 401)
        self.assertEqual(admin.ask("GET", "/_cairn/sessions/_current").status, 200)

    def test_A08_browsers_are_asked_for_no_password_by_pages(self):
        self.start()
        health, current = "/_cluster/health", "/_cairn/sessions/_current"
        for path, fields in ((health, {"X-Cairn-CSRF": ""}), (health, {"Sec-Fetch-Mode": "cors"}), (current, {}),
                             (health, {"Cookie": "cairn_session=x"})):
            reply = ask(self.cairn, "GET", path, fields)
            self.assertEqual((reply.status, reply.field("www-authenticate")), (401, "ApiKey"), fields)
        for fields in ({}, {"Sec-Fetch-Mode": "navigate"}):
            self.assertIn("Basic", ask(self.cairn, "GET", "/_cluster/health", fields).field("www-authenticate"))

    # --- a session is its key

    def test_A08_a_session_may_what_its_key_may_now(self):
        self.start()
        made = self.key("reader", role_descriptors={"r": {"cluster": ["monitor"]}})
        browser = Browser(self.cairn, made["encoded"])
        self.assertEqual(browser.ask("GET", "/_cluster/health").status, 200)
        self.assertEqual(browser.ask("PUT", "/books").status, 403)
        self.cairn.ok("PUT", f"/_security/api_key/{made['id']}", {
            "role_descriptors": {"r": {"indices": [{"names": ["books"], "privileges": ["all"]}]}}})
        self.assertEqual(browser.ask("GET", "/_cluster/health").status, 403)
        self.assertEqual(browser.ask("PUT", "/books").status, 200)
        self.cairn.ok("DELETE", "/_security/api_key", {"ids": [made["id"]]})
        ended = browser.ask("GET", "/books")
        self.assertEqual(ended.status, 401)
        self.assertIn("has been invalidated", ended.why())
        self.assertEqual(self.cairn.ok("GET", "/_cairn/sessions")["sessions"], [])

    def test_A08_a_session_ends_with_the_secret_that_opened_it(self):
        self.start()
        made = self.key()
        browser = Browser(self.cairn, made["encoded"])
        self.cairn.ok("POST", f"/_security/api_key/{made['id']}/_rotate", {"overlap": "1h"})
        self.assertEqual(browser.ask("GET", "/_cairn/sessions/_current").status, 200)
        self.cairn.ok("POST", f"/_security/api_key/{made['id']}/_rotate", {"overlap": "0s"})
        self.assertEqual(browser.ask("GET", "/_cairn/sessions/_current").status, 401)

    def test_A08_a_session_ends_with_its_key_and_its_time(self):
        self.start(console__session_idle="10s", console__session_max="12s")
        short = Browser(self.cairn, self.key("short", expiration="2s")["encoded"])
        until = short.reply.body["expires_at_ms"]
        self.assertLess(until, time.time() * 1000 + 2_500)
        used = Browser(self.cairn)
        self.assertLess(used.reply.body["expires_at_ms"], time.time() * 1000 + 12_500)
        end = time.monotonic() + QUICK_S
        while short.ask("GET", "/_cairn/sessions/_current").status == 200:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        self.assertGreaterEqual(time.time() * 1000, until)
        while (reply := used.ask("GET", "/_cairn/sessions/_current")).status == 200:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        self.assertIn("as long as a session may", reply.why())

    def test_A08_requests_count_as_the_keys(self):
        self.start()
        made = self.key("counted", metadata={"_cairn": {"identity": {"kind": "user", "user": "ann"}}})
        browser = Browser(self.cairn, made["encoded"])
        self.assertEqual(browser.reply.field("x-ratelimit-limit"), "5000")
        self.assertEqual(browser.reply.field("x-ratelimit-used"), "1")  # signing in is the key's too
        reply = browser.ask("GET", "/_cluster/health")
        self.assertEqual((reply.status, reply.field("x-ratelimit-used")), (200, "2"))
        self.assertEqual(self.cairn.request("GET", "/_cluster/health", headers={
            "Authorization": "ApiKey " + made["encoded"]})[0], 200)
        self.assertEqual(browser.ask("GET", "/_cluster/health").field("x-ratelimit-used"), "4")
        self.assertEqual(self.cairn.ok("GET", "/_cairn/limits/user:ann")["windows"]["core"]["used"], 4)

    def test_A08_a_session_over_its_keys_limit(self):
        self.start(rate_limit__plans__user="3")
        made = self.key("limited", metadata={"_cairn": {"identity": {"kind": "user", "user": "bob"}}})
        browser = Browser(self.cairn, made["encoded"])
        statuses = [browser.ask("GET", "/_cluster/health").status for _ in range(4)]
        self.assertEqual(statuses[:2], [200, 200])
        self.assertIn(statuses[-1], (403, 429))
        refused = ask(self.cairn, "POST", "/_cairn/sessions", (), {"api_key": made["encoded"]})
        self.assertEqual((refused.status, refused.cookies()), (statuses[-1], []))

    def test_A08_guesses_cost_the_address(self):
        self.start(rate_limit__plans__unauthenticated="12")
        guesses = [lambda: ask(self.cairn, "POST", "/_cairn/sessions", (), {"api_key": "bm86bm8="}),
                   lambda: ask(self.cairn, "POST", "/_cairn/sessions", (), {"code": "B" * 43}),
                   lambda: ask(self.cairn, "GET", "/_cluster/health", {"Cookie": "cairn_session=" + "A" * 43})]
        statuses = [guesses[i % 3]().status for i in range(15)]
        self.assertEqual(statuses[:12], [401] * 12)
        self.assertTrue(all(one in (403, 429) for one in statuses[12:]), statuses)
        # Who has the right ones is let in all the same, and is counted as what they are.
        browser = Browser(self.cairn)
        self.assertEqual(browser.ask("GET", "/_cluster/health").status, 200)

    # --- lists and ends

    def test_A08_whose_sessions_one_sees_and_ends(self):
        self.start()
        reader = self.key("reader", role_descriptors={"r": {"cluster": ["monitor"]}})
        mine, second, admin = (Browser(self.cairn, reader["encoded"]), Browser(self.cairn, reader["encoded"]),
                               Browser(self.cairn))

        def seen(browser):
            return {one["id"] for one in browser.ask("GET", "/_cairn/sessions").body["sessions"]}

        self.assertEqual(seen(mine), {mine.id, second.id})
        self.assertEqual(seen(admin), {mine.id, second.id, admin.id})
        self.assertEqual(mine.ask("DELETE", f"/_cairn/sessions/{admin.id}").status, 404)
        self.assertEqual(mine.ask("DELETE", "/_cairn/sessions/nonsense").status, 404)
        self.assertEqual(mine.ask("DELETE", f"/_cairn/sessions/{second.id}").status, 200)
        self.assertEqual(second.ask("GET", "/_cairn/sessions/_current").status, 401)
        self.assertEqual(admin.ask("DELETE", f"/_cairn/sessions/{mine.id}").status, 200)
        self.assertEqual(mine.ask("GET", "/_cairn/sessions/_current").status, 401)
        self.assertEqual(seen(admin), {admin.id})

    def test_A08_a_key_has_so_many_sessions(self):
        self.start()
        made = self.key()
        first = Browser(self.cairn, made["encoded"])
        others = [Browser(self.cairn, made["encoded"]) for _ in range(31)]
        self.assertEqual(first.ask("GET", "/_cairn/sessions/_current").status, 200)
        last = Browser(self.cairn, made["encoded"])
        self.assertEqual(others[0].ask("GET", "/_cairn/sessions/_current").status, 401)  # unused longest
        for browser in (first, others[1], last):
            self.assertEqual(browser.ask("GET", "/_cairn/sessions/_current").status, 200)

    def test_A08_sessions_outlive_the_server(self):
        self.start()
        kept, out = Browser(self.cairn), Browser(self.cairn)
        self.assertEqual(out.ask("DELETE", "/_cairn/sessions/_current").status, 200)
        for end in (self.cairn.kill, self.cairn.stop):
            end()
            self.start()
            current = kept.ask("GET", "/_cairn/sessions/_current")
            self.assertEqual((current.status, current.body), (200, kept.reply.body))
            self.assertEqual(kept.ask("PUT", "/books/_doc/1", {"a": 1}).status // 100, 2)
            self.assertEqual(out.ask("GET", "/_cairn/sessions/_current").status, 401)
        self.cairn.stop()
        for folder, _, files in os.walk(self.cairn.data):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    held = file.read()
                for secret in (kept.cookie.split("=")[1], kept.csrf):
                    self.assertNotIn(secret.encode(), held, name)

    # --- links

    def test_A08_a_link_signs_in_once(self):
        self.start()
        made = self.key("ann")
        header = {"Authorization": "ApiKey " + made["encoded"]}
        link = self.cairn.ok("POST", "/_cairn/sessions/_link", headers=header)
        self.assertEqual(link["url"], f"{self.cairn.api}/_console/#/sign-in?code={link['code']}")
        self.assertRegex(link["code"], r"^[A-Za-z0-9_-]{43}$")
        self.assertLess(link["expires_at_ms"], time.time() * 1000 + 660_000)
        browser = Browser(self.cairn, code=link["code"])
        self.assertEqual(browser.reply.body["key"], {"id": made["id"], "name": "ann"})
        again = ask(self.cairn, "POST", "/_cairn/sessions", (), {"code": link["code"]})
        self.assertEqual(again.status, 401)
        self.assertIn("cairn console", again.why())
        # What a session could do with it would outlast the session.
        self.assertEqual(browser.ask("POST", "/_cairn/sessions/_link").status, 403)
        self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions/_link").status, 401)
        # A link is worth what its key is.
        for end in (lambda: self.cairn.ok("POST", f"/_security/api_key/{made['id']}/_rotate", {"overlap": "0s"}),
                    lambda: self.cairn.ok("DELETE", "/_security/api_key", {"ids": [made["id"]]})):
            link = self.cairn.ok("POST", "/_cairn/sessions/_link", headers=header)
            rotated = end()
            header = {"Authorization": "ApiKey " + rotated.get("encoded", "")}
            self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions", (), {"code": link["code"]}).status, 401)
        # Of one key, the oldest go.
        links = [self.cairn.ok("POST", "/_cairn/sessions/_link")["code"] for _ in range(17)]
        self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions", (), {"code": links[0]}).status, 401)
        Browser(self.cairn, code=links[1])
        self.cairn.kill()
        self.start()
        self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions", (), {"code": links[2]}).status, 401)
        with open(os.path.join(self.cairn.folder, "log")) as log:
            told = log.read()
        self.assertFalse([code for code in links if code in told])

    def test_A08_the_command_line_prints_a_link(self):
        self.start()
        run = subprocess.run([BINARY, "console", "--print"], capture_output=True, text=True, timeout=60, env={
            **os.environ, "CAIRN_SERVER": self.cairn.api, "CAIRN_KEY_FILE": self.cairn.data + "/keys/admin.key"})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith(self.cairn.api + "/_console/#/sign-in?code="), run.stdout)
        Browser(self.cairn, code=run.stdout.strip().split("code=")[1])

    def test_A08_where_browsers_reach_the_server(self):
        self.start(console__public_url="https://search.example.org/", api__base_path="/cairn")
        reply = ask(self.cairn, "POST", "/cairn/_cairn/sessions", (), {"api_key": self.cairn.key})
        self.assertRegex(reply.cookies()[0],
                         r"^__Host-cairn_session=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Path=/; Secure$")
        value = reply.cookies()[0].split(";")[0].split("=")[1]
        for name, status in (("__Host-cairn_session", 200), ("cairn_session", 401)):
            self.assertEqual(ask(self.cairn, "GET", "/cairn/_cluster/health", {"Cookie": f"{name}={value}"}).status, status)
        link = self.cairn.ok("POST", "/cairn/_cairn/sessions/_link")["url"]
        self.assertTrue(link.startswith("https://search.example.org/cairn/_console/#/sign-in?code="), link)

    def first_lines(self, *more):
        """What a server says on a terminal until it is ready."""
        ours, theirs = pty.openpty()
        ready = os.path.join(self.cairn.folder, "ready.json")
        server = subprocess.Popen([BINARY, "serve", "--data", self.cairn.data, "--api-listen", "127.0.0.1:0",
                                   "--objects-listen", "127.0.0.1:0", "--ready-file", ready, *more],
                                  stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        self.addCleanup(lambda: server.poll() is None and (server.kill(), server.wait()))
        os.close(theirs)
        text, end = "", time.monotonic() + QUICK_S
        while time.monotonic() < end and not (os.path.exists(ready) and "/_console/" in text):
            if select.select([ours], [], [], 0.2)[0]:
                text += os.read(ours, 65536).decode(errors="replace")
            elif os.path.exists(ready):
                break
        return server, ours, text

    def test_A08_the_first_start_shows_a_link_on_a_terminal(self):
        server, ours, text = self.first_lines()
        found = re.search(r"(http://[^/\s]+)/_console/#/sign-in\?code=([A-Za-z0-9_-]{43})", text)
        self.assertTrue(found, text)
        self.cairn.api = found[1]
        browser = Browser(self.cairn, code=found[2])
        self.assertEqual(browser.reply.body["username"], "admin")
        self.assertEqual(ask(self.cairn, "POST", "/_cairn/sessions", (), {"code": found[2]}).status, 401)
        server.send_signal(signal.SIGTERM)
        server.wait(60)
        os.close(ours)
        os.remove(os.path.join(self.cairn.folder, "ready.json"))
        server, ours, text = self.first_lines()
        self.assertNotIn("code=", text)
        server.send_signal(signal.SIGTERM)
        server.wait(60)
        os.close(ours)

    def test_A08_a_log_has_no_link(self):
        self.start()
        with open(os.path.join(self.cairn.folder, "log")) as log:
            self.assertNotIn("code=", log.read())

    # --- pages of other origins that use API keys

    def test_A08_other_origins_are_closed_by_default(self):
        self.start()
        origin = {"Origin": "https://app.example.org"}
        reply = ask(self.cairn, "OPTIONS", "/books", {**origin, "Access-Control-Request-Method": "PUT"})
        self.assertEqual(reply.status, 401)
        for fields in (origin, {**origin, "Authorization": "ApiKey " + self.cairn.key}):
            reply = ask(self.cairn, "GET", "/_cluster/health", fields)
            self.assertEqual([one for one, _ in reply.fields if one.lower().startswith("access-control")], [])

    def test_A08_other_origins_that_are_named(self):
        self.start(http__cors__enabled="true", http__cors__allow_origin="https://app.example.org,http://localhost:3000",
                   rate_limit__plans__unauthenticated="3")
        wanted = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,content-type"}
        for _ in range(5):  # more than the primary limit, which they do not touch
            reply = ask(self.cairn, "OPTIONS", "/books/_doc/1", {"Origin": "https://app.example.org", **wanted})
            self.assertEqual(reply.status, 200, reply.text)
            self.assertEqual(reply.field("x-ratelimit-used"), "0")
        self.assertEqual(reply.field("access-control-allow-origin"), "https://app.example.org")
        self.assertIn("PUT", reply.field("access-control-allow-methods"))
        allowed = reply.field("access-control-allow-headers").lower()
        self.assertIn("authorization", allowed)
        self.assertNotIn("csrf", allowed)
        self.assertEqual(reply.field("vary"), "Origin")
        points = self.cairn.ok("GET", "/_cairn/limits/ip:127.0.0.1")
        self.assertIn("{preflight}", json.dumps(points))

        key = {"Authorization": "ApiKey " + self.cairn.key}
        reply = ask(self.cairn, "GET", "/_cluster/health", {"Origin": "http://localhost:3000", **key})
        self.assertEqual((reply.status, reply.field("access-control-allow-origin")), (200, "http://localhost:3000"))
        shown = reply.field("access-control-expose-headers").lower()
        for name in ("x-ratelimit-remaining", "ratelimit", "retry-after"):
            self.assertIn(name, shown)
        self.assertIsNone(reply.field("access-control-allow-credentials"))
        # Answers without the origin must not be kept for it.
        self.assertEqual(ask(self.cairn, "GET", "/_cluster/health", key).field("vary"), "Origin")
        for origin in ("https://evil.example.org", "https://app.example.org.evil.com", "null", "http://app.example.org",
                       "https://app.example.org:444", ""):
            reply = ask(self.cairn, "GET", "/_cluster/health", {"Origin": origin, **key})
            self.assertEqual((reply.status, reply.field("access-control-allow-origin")), (200, None), origin)
            reply = ask(self.cairn, "OPTIONS", "/books", {"Origin": origin, **wanted})
            self.assertEqual((reply.status, reply.field("access-control-allow-origin")), (403, None), origin)
        # A session is not for them, though they may ask.
        browser = Browser(self.cairn)
        reply = browser.ask("PUT", "/books", headers={"Origin": "https://app.example.org", "Sec-Fetch-Site": "cross-site"})
        self.assertEqual(reply.status, 403)
        # Errors can be read, and what has no preflight is refused as ever.
        reply = ask(self.cairn, "GET", "/books/_search", {"Origin": "http://localhost:3000"})
        self.assertEqual((reply.status, reply.field("access-control-allow-origin")), (401, "http://localhost:3000"))

    def test_A08_all_origins(self):
        self.start(http__cors__enabled="true", http__cors__allow_origin="*")
        reply = ask(self.cairn, "GET", "/_health/ready", {"Origin": "https://any.example.org"})
        self.assertEqual((reply.status, reply.field("access-control-allow-origin")), (200, "*"))
        self.assertIsNone(reply.field("access-control-allow-credentials"))

    def test_A08_settings_that_are_wrong(self):
        for words, told in ((("http.cors.enabled=true",), "http.cors.allow_origin"),
                            (("http.cors.allow_origin=app.example.org",), "is no origin"),
                            (("http.cors.allow_origin=https://a.example/x",), "is no origin"),
                            (("console.session_idle=1s",), "console.session_idle"),
                            (("console.session_max=10s", "console.session_idle=1m"), "console.session_max"),
                            (("console.public_url=search.example.org",), "console.public_url"),
                            (("oidc.token_endpoint=https://id.example.org/token",), "belong together")):
            run = subprocess.run([BINARY, "config", "check", *(part for word in words for part in ("--set", word))],
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 78, (words, run.stdout, run.stderr))
            self.assertIn(told, run.stderr)

    # --- the other port

    def test_A08_a_browser_at_the_object_storage(self):
        self.start()
        page = ask(self.cairn, "GET", "/", {"Accept": BROWSER}, at=self.cairn.objects)
        self.assertEqual((page.status, page.field("content-type")), (200, "text/html; charset=utf-8"), page.text)
        self.assertIn(f'href="{self.cairn.api}/_console/"', page.text.decode())
        self.assertIn("default-src 'none'", page.field("content-security-policy"))
        self.assertEqual(page.field("x-content-type-options"), "nosniff")
        hostile = ask(self.cairn, "GET", "/", {"Accept": BROWSER, "Host": "\"><script>alert(1)</script>"}, at=self.cairn.objects)
        self.assertNotIn(b"<script", hostile.text)
        for accept in ("*/*", "application/xml", None):
            reply = ask(self.cairn, "GET", "/", {"Accept": accept} if accept else {}, at=self.cairn.objects)
            self.assertEqual(reply.status, 403, accept)
            self.assertIn(b"<Error>", reply.text)
        self.assertEqual(ask(self.cairn, "GET", "/bucket", {"Accept": BROWSER}, at=self.cairn.objects).status, 404)


if __name__ == "__main__":
    unittest.main()
