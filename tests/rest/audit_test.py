#!/usr/bin/env python3
"""The audit log of a running server: searched by every column, page by page; exported and verified with the
public key alone, by this program and by openssl; shipped to its own bucket and to another server's under
kill -9, with no line left out and none there twice.

    audit_test.py CAIRN
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402

BINARY = ""
FREE = ["--set", "rate_limit.enabled=false"]


class Audit(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="cairn-audit-")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.kill()

    def server(self, name="one", **environment):
        folder = os.path.join(self.top, name)
        os.makedirs(folder, exist_ok=True)
        out = Cairn(BINARY, folder, environment)
        self.servers.append(out)
        return out

    def cairn(self, server, *words, status=0, data=None):
        """Standard output of a command."""
        done = subprocess.run([BINARY, *words], input=data, capture_output=True, text=True, timeout=60, env=dict(
            os.environ, CAIRN_SERVER=server.api,
            CAIRN_KEY_FILE=os.path.join(server.data, "keys/admin.key")))
        self.assertEqual(done.returncode, status, (words[:4], done.stdout[-2000:], done.stderr[-2000:]))
        self.errors = done.stderr
        return done.stdout

    def objects(self, server, *words):
        """`cairn objects` with the keys of the first start."""
        with open(os.path.join(server.data, "keys/admin-s3.json")) as file:
            keys = json.load(file)
        done = subprocess.run(
            [BINARY, "objects", *words, "--endpoint-url", server.objects, "--region", "us-east-1"],
            capture_output=True, text=True, timeout=60,
            env=dict(os.environ, AWS_ACCESS_KEY_ID=keys["access_key_id"],
                     AWS_SECRET_ACCESS_KEY=keys["secret_access_key"]))
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout

    def fetch(self, server, place, name):
        """The shipped objects of a place as files, in their order."""
        folder = os.path.join(self.top, name)
        shutil.rmtree(folder, ignore_errors=True)
        self.objects(server, "sync", place, folder)
        # A kill may leave what the client tried the other store with, in a folder of its own.
        return sorted(os.path.join(where, file) for where, _, files in os.walk(folder) for file in files
                      if not where.endswith("/~cairn"))

    def key_of(self, server):
        path = os.path.join(server.folder, "audit.pub")
        with open(path, "w") as file:
            file.write(self.cairn(server, "audit", "key"))
        return path

    def log_lines(self, server):
        folder = os.path.join(server.data, "audit")
        names = sorted(os.listdir(folder), key=lambda name: (name == "audit.jsonl", name[:-6]))
        lines = []
        for name in names:
            with open(os.path.join(folder, name)) as file:
                lines += file.read().splitlines()
        return lines

    def test_searches(self):
        one = self.server().start()
        one.ok("PUT", "/books")
        one.ok("PUT", "/bookshop")
        one.ok("DELETE", "/books")
        key = one.ok("POST", "/_security/api_key", {"name": "ann", "role_descriptors": {"r": {"cluster": ["monitor"]}}})
        ann = {"Authorization": "ApiKey " + key["encoded"]}
        self.assertEqual(one.request("PUT", "/books/_doc/1", {"a": 1}, headers=ann)[0], 403)
        self.assertEqual(one.request("GET", "/", headers={"Authorization": "ApiKey bm86bm8="})[0], 401)

        def found(query):
            return [(line.get("action", "-"), line["url.path"]) for line in one.ok("GET", "/_cairn/audit?" + query)["events"]]
        everything = found("size=1000")
        self.assertEqual(len(everything), 6, everything)
        self.assertEqual(everything[0][1], "/")
        self.assertEqual(found("resource=books"), [("index", "/books/_doc/1"), ("indices.delete", "/books"),
                                                    ("indices.create", "/books")])
        self.assertEqual(found("resource=/book*&outcome=success"),
                         [("indices.delete", "/books"), ("indices.create", "/bookshop"), ("indices.create", "/books")])
        self.assertEqual(found("operation=indices.*&outcome=access_granted&size=1"), [("indices.delete", "/books")])
        self.assertEqual(found("identity=ann"), [("index", "/books/_doc/1")])
        self.assertEqual(found("identity=" + key["id"]), [("index", "/books/_doc/1")])
        self.assertEqual(found("outcome=authentication_failed"), [everything[0]])
        self.assertEqual(found("since=2999-01-01"), [])
        self.assertEqual(found("until=2000-01-01T00:00:00Z"), [])
        self.assertEqual(len(found("since=2000-01-01&until=2999-01-01")), 6)
        page, pages = one.ok("GET", "/_cairn/audit?size=2"), 0
        while "next" in page:
            pages += 1
            page = one.ok("GET", f"/_cairn/audit?size=2&before={page['next']}")
        self.assertIn(pages, (2, 3))
        for query in ("since=yesterday", "size=0", "size=1001", "size=x", "before=-1", "unknown=1"):
            self.assertEqual(one.request("GET", "/_cairn/audit?" + query)[0], 400, query)
        # Who may read it: a privilege of its own.
        self.assertEqual(one.request("GET", "/_cairn/audit", headers=ann)[0], 403)
        reader = one.ok("POST", "/_security/api_key", {"name": "r", "role_descriptors": {"r": {"cluster": ["read_audit"]}}})
        reader = {"Authorization": "ApiKey " + reader["encoded"]}
        for path in ("", "/_export", "/_key", "/_shipping"):
            self.assertEqual(one.request("GET", "/_cairn/audit" + path, headers=reader)[0], 200, path)
        for method, path in (("POST", "/_cairn/audit/_ship"), ("GET", "/_security/api_key"), ("GET", "/_cluster/settings")):
            self.assertEqual(one.request(method, path, headers=reader)[0], 403, path)
        # The command line: a table, lines for programs, nothing found.
        table = self.cairn(one, "audit", "search", "--identity", "ann", "--since", "1h").splitlines()
        self.assertEqual(len(table), 2, table)
        self.assertEqual(table[0].split("\t")[2:5], ["access_denied", "403", "ann"])
        lines = self.cairn(one, "audit", "search", "--json", "--limit", "3").splitlines()
        self.assertEqual(len([json.loads(line) for line in lines]), 3)
        self.cairn(one, "audit", "search", "--resource", "none", status=3)
        self.cairn(one, "audit", "search", "--since", "whenever", status=64)
        self.cairn(one, "audit", "ship", status=1)
        self.assertEqual(self.cairn(one, "audit", "shipping"), "shipped nowhere: audit.ship.to names no bucket\n")

    def test_export(self):
        one = self.server().start("--set", "audit.file_size=4kb", "--set", "audit.files=100", *FREE)
        for i in range(60):
            one.request("GET", f"/i{i}", headers={"Authorization": "ApiKey bm86bm8="})
        public = self.key_of(one)
        path = os.path.join(self.top, "export.ndjson")
        self.cairn(one, "audit", "export", "--out", path)
        with open(path) as file:
            lines = file.read().splitlines()
        self.assertEqual([line for line in lines if '"audit.seal"' not in line], self.log_lines(one))
        self.cairn(one, "audit", "verify", "--public-key", public, path)
        self.assertIn("60 lines in 1 segments, number 1 to 60, 0 faults", self.errors)
        # It goes on behind what is there, and behind what was cut in its middle.
        for i in range(20):
            one.request("GET", f"/j{i}", headers={"Authorization": "ApiKey bm86bm8="})
        with open(path, "a") as file:
            file.write('{"@timestamp":"half a li')
        self.cairn(one, "audit", "export", "--out", path)
        report = json.loads(self.cairn(one, "audit", "verify", "--public-key", public, path, "--json"))
        self.assertEqual((report["lines"], report["segments"], report["faults"]), (80, 2, []))
        whole = self.cairn(one, "audit", "export")
        self.assertEqual(len(whole.splitlines()), 81)
        self.cairn(one, "audit", "verify", "--public-key", public, "-", data=whole)
        self.assertEqual(len(self.cairn(one, "audit", "export", "--after", "75").splitlines()), 6)
        # Whatever is changed is named.
        for change in (lambda text: text.replace("/i7", "/i8", 1), lambda text: text.split("\n", 1)[1],
                       lambda text: text.rsplit("\n", 2)[0] + "\n"):
            with open(path) as file:
                changed = change(file.read())
            self.cairn(one, "audit", "verify", "--public-key", public, "-", data=changed, status=65)
        self.cairn(one, "audit", "verify", "--public-key", public, "-", data="", status=65)
        other = self.server("other").start()
        self.cairn(one, "audit", "verify", "--public-key", self.key_of(other), path, status=65)
        with open(os.path.join(self.top, "words"), "w") as file:
            file.write("words\n")
        self.cairn(one, "audit", "export", "--out", os.path.join(self.top, "words"), status=64)
        # Without this program: the digest of the lines, and openssl's word on the signature.
        segment = one.request("GET", "/_cairn/audit/_export?after=60")[1]
        lines, seal = segment.rstrip("\n").rsplit("\n", 1)
        import base64
        import hashlib
        told = json.loads(seal)
        self.assertEqual(hashlib.sha256((lines + "\n").encode()).hexdigest(), told["sha256"])
        signed, rest = seal.split(',"signature":"')
        names = [os.path.join(self.top, name) for name in ("signed", "signature")]
        for name, content in zip(names, (signed.encode(), base64.b64decode(rest[:-2]))):
            with open(name, "wb") as file:
                file.write(content)
        checked = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin",
                                  "-in", names[0], "-sigfile", names[1]], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        # A log that was edited is given with the word that it was.
        self.assertEqual(one.stop(), 0)
        current = os.path.join(one.data, "audit/audit.jsonl")
        with open(current) as file:
            text = file.read()
        with open(current, "w") as file:
            file.write(text.replace("/j19", "/j18", 1))
        one.start(*FREE)
        faults = json.loads(one.request("GET", "/_cairn/audit/_export?after=60")[1].splitlines()[-1])["faults"]
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("it was edited", faults[0])

    def check_shipped(self, server, where, place, public):
        """What lies there is the log, line by line, up to its end."""
        files = self.fetch(where, place, "shipped")
        report = json.loads(self.cairn(server, "audit", "verify", "--public-key", public, *files, "--json"))
        self.assertEqual(report["faults"], [])
        lines = []
        for path in files:
            with open(path) as file:
                lines += [line for line in file.read().splitlines() if '"audit.seal"' not in line]
        here = self.log_lines(server)
        self.assertEqual(lines, here[:len(lines)])
        return len(lines), len(here)

    def ship_under_kills(self, server, where, place, arguments):
        chance = random.Random(7)
        public = None
        for round in range(6):
            server.start(*arguments, *FREE)
            public = public or self.key_of(server)
            stop, refused = threading.Event(), []

            def refuse():
                while not stop.is_set():
                    try:
                        server.request("GET", "/x", headers={"Authorization": "ApiKey bm86bm8="})
                    except OSError:
                        return
                    refused.append(1)
            threads = [threading.Thread(target=refuse) for _ in range(2)]
            for thread in threads:
                thread.start()
            while len(refused) < 60:
                time.sleep(0.01)
            time.sleep(chance.random() * 0.3)
            server.kill()
            stop.set()
            for thread in threads:
                thread.join()
        server.start(*arguments, *FREE)
        state = json.loads(self.cairn(server, "audit", "ship", "--json"))
        self.assertIsNone(state["last_error"])
        shipped, there = self.check_shipped(server, where, place, public)
        self.assertGreater(shipped, 300)
        self.assertGreaterEqual(shipped, there - 1)  # the line of `audit ship` itself may be behind it
        self.assertEqual(server.stop(), 0)
        return shipped

    def test_shipped_to_its_own_bucket_under_kill(self):
        one = self.server().start()
        self.objects(one, "mb", "s3://trail")
        one.stop()
        arguments = ["--set", "audit.ship.to=s3://trail/logs", "--set", "audit.ship.interval=20ms",
                     "--set", "audit.file_size=16kb", "--set", "audit.files=1000"]
        self.ship_under_kills(one, one, "s3://trail/logs", arguments)

    def test_shipped_to_another_server_under_kill(self):
        far = self.server("far").start()
        self.objects(far, "mb", "s3://trail")
        with open(os.path.join(far.data, "keys/admin-s3.json")) as file:
            keys = json.load(file)
        one = self.server("one", CAIRN_S3__CLIENT__FAR__ACCESS_KEY=keys["access_key_id"],
                          CAIRN_S3__CLIENT__FAR__SECRET_KEY=keys["secret_access_key"])
        arguments = ["--set", "audit.ship.to=s3://far@trail/logs", "--set", "audit.ship.interval=20ms",
                     "--set", "s3.client.far.endpoint=" + far.objects, "--set", "s3.client.far.region=us-east-1"]
        self.ship_under_kills(one, far, "s3://trail/logs", arguments)
        # The other server goes away and comes back: that is told, and then goes on.
        far.kill()
        one.start(*arguments)
        one.request("GET", "/x", headers={"Authorization": "ApiKey bm86bm8="})
        self.cairn(one, "audit", "ship", status=1)
        self.assertIn("reason", one.ok("GET", "/_cairn/audit/_shipping")["last_error"])

    def test_a_bucket_that_is_not_there(self):
        one = self.server().start("--set", "audit.ship.to=s3://none/x", "--set", "audit.ship.interval=0s")
        self.cairn(one, "audit", "ship", status=1)
        self.assertIn("none", self.errors)
        self.objects(one, "mb", "s3://none")
        self.cairn(one, "audit", "ship")
        one.stop()
        for value, why in (("s3://", "names no bucket"), ("bucket/x", "s3://"), ("s3://who@b/x", "[who]")):
            done = subprocess.run([BINARY, "config", "check", "--set", "audit.ship.to=" + value],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 78)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
