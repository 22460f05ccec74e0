#!/usr/bin/env python3
"""`cairn bulk load`: every line of a file once, whatever cuts the load: kill -9 of the command at random
moments, kill -9 of the server, an interrupt; rejected lines with their reasons; batches that are too large;
limits that are waited for; a server that answers as it should not.

    bulk_load_test.py CAIRN
"""

import http.client
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402

BINARY = ""


class Strange(http.server.BaseHTTPRequestHandler):
    """A server that answers bulk requests as it is told: a list of (status, headers, body or None for good)."""
    answers = []
    bodies = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        Strange.bodies.append(body)
        status, headers, answer = Strange.answers.pop(0) if Strange.answers else (200, {}, None)
        if answer is None:
            items = [{"index": {"status": 201}} for _ in range(len(body.splitlines()) // 2)]
            answer = json.dumps({"errors": False, "items": items})
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


class Between:
    """Passes requests on to the server of a test, and ends a process at the request it is told: before the server
    has it, when the server has answered and the client does not know, or after the answer."""

    def __init__(self, test):
        self.test, self.moment, self.left, self.lock = test, None, 0, threading.Lock()
        between = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                between.answer(self)

            do_GET = do_PUT = do_HEAD = do_POST

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def cut_after(self, process, batches, moment, how, pause):
        with self.lock:
            self.process, self.left, self.moment, self.how, self.pause = process, batches, moment, how, pause

    def reached(self, moment):
        """Ends the process, if this is the moment. The pause lets it go on to any line of its own code."""
        with self.lock:
            if self.left or moment != self.moment:
                return
            self.moment = None
        time.sleep(self.pause)
        self.process.send_signal(self.how)

    def answer(self, request):
        with self.lock:
            self.left = max(self.left - 1, 0)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        self.reached("before")
        host = urllib.parse.urlsplit(self.test.one.api)
        server = http.client.HTTPConnection(host.hostname, host.port, timeout=60)
        try:
            passed = {name: value for name, value in request.headers.items() if name.lower() != "connection"}
            server.request(request.command, request.path, body, passed)
            answer = server.getresponse()
            text = answer.read()
            self.reached("unanswered")
            request.send_response(answer.status)
            for name in ("Content-Type", "Retry-After"):
                if answer.headers[name]:
                    request.send_header(name, answer.headers[name])
            request.send_header("Content-Length", str(len(text)))
            request.end_headers()
            request.wfile.write(text)
        except (OSError, http.client.HTTPException):
            request.close_connection = True
        finally:
            server.close()
        self.reached("answered")


class BulkLoad(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="cairn-bulk-")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.one = Cairn(BINARY, self.top).start()
        self.addCleanup(self.one.kill)
        self.input = os.path.join(self.top, "books.ndjson")

    def write(self, lines):
        with open(self.input, "w") as file:
            for line in lines:
                file.write((line if isinstance(line, str) else json.dumps(line)) + "\n")

    def begin(self, *words, **more):
        return subprocess.Popen(
            [BINARY, "bulk", "load", *words], stdin=more.get("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=dict(
                os.environ, CAIRN_SERVER=more.get("server", self.one.api),
                CAIRN_KEY_FILE=more.get("key", os.path.join(self.one.data, "keys/admin.key"))))

    def load(self, *words, status=0, data=None, **more):
        if data is not None:
            more["stdin"] = subprocess.PIPE
        out, self.errors = (process := self.begin(*words, **more)).communicate(data, timeout=120)
        self.assertEqual(process.returncode, status, (words, out, self.errors))
        return out

    def documents(self, index="books"):
        self.one.ok("POST", f"/{index}/_refresh")
        page = self.one.ok("POST", f"/{index}/_search?scroll=1m", {"size": 1000, "query": {"match_all": {}}})
        hits = []
        while page["hits"]["hits"]:
            hits += page["hits"]["hits"]
            page = self.one.ok("POST", "/_search/scroll", {"scroll": "1m", "scroll_id": page["_scroll_id"]})
        return hits

    def rejects(self):
        with open(self.input + ".rejects") as file:
            return [json.loads(line) for line in file]

    def test_each_line_once_and_rejects_with_reasons(self):
        self.one.ok("PUT", "/books", {"mappings": {"properties": {"year": {"type": "integer"}}}})
        self.write([{"n": 1, "year": 1999}, "", {"n": 2, "year": "no year"}, "{broken", "[1]", {"n": 3}, '"text"'])
        out = json.loads(self.load(self.input, "--index", "books", "--json", status=2))
        self.assertEqual((out["lines"], out["loaded"], out["rejected"], out["done"]), (7, 2, 4, True))
        self.assertEqual(sorted(hit["_source"]["n"] for hit in self.documents()), [1, 3])
        told = self.rejects()
        self.assertEqual([one["line"] for one in told], [3, 4, 5, 7])
        self.assertEqual(told[0]["document"], {"n": 2, "year": "no year"})
        self.assertEqual(told[0]["status"], 400)
        self.assertIn("year", told[0]["error"]["reason"])
        self.assertEqual(told[1]["document"], "{broken")
        self.assertIn("no JSON", told[1]["error"]["reason"])
        # Once more with --resume: all of it is there already; without: it begins anew.
        self.load(self.input, "--index", "books", "--resume", status=2)
        self.assertEqual(len(self.documents()), 2)
        self.assertIn("loaded already", self.errors)
        self.load(self.input, "--index", "books", status=2)
        self.assertEqual(len(self.documents()), 4)
        self.assertEqual(len(self.rejects()), 4)

    def test_ids_of_a_field(self):
        self.write([{"isbn": "a", "v": 1}, {"isbn": 7}, {"v": 2}, {"isbn": "a", "v": 3}])
        self.load(self.input, "--index", "books", "--id", "isbn", "--batch-lines", "1", status=2)
        self.assertEqual({hit["_id"]: hit["_source"].get("v") for hit in self.documents()}, {"a": 3, "7": None})
        self.assertIn("[isbn]", self.rejects()[0]["error"]["reason"])

    def test_standard_input(self):
        text = "".join(json.dumps({"n": i}) + "\n" for i in range(500))
        checkpoint = os.path.join(self.top, "c")
        self.load("-", "--index", "books", "--rejects", os.path.join(self.top, "r"), data=text)
        self.load("-", "--index", "books", "--resume", data=text, status=64)
        begin = "".join(text.splitlines(True)[:200])
        self.load("-", "--index", "more", "--checkpoint", checkpoint, "--batch-lines", "10",
                  "--rejects", os.path.join(self.top, "r"), data=begin)
        # Cut in the middle: what the checkpoint has is skipped in the same input.
        with open(checkpoint) as file:
            state = json.load(file)
        state["done"] = False
        with open(checkpoint, "w") as file:
            json.dump(state, file)
        resumed = ("-", "--index", "more", "--checkpoint", checkpoint, "--resume", "--rejects", os.path.join(self.top, "r"))
        self.load(*resumed, data="x" + text, status=65)
        self.load(*resumed, data=text)
        for index in ("books", "more"):
            self.assertEqual(sorted(hit["_source"]["n"] for hit in self.documents(index)), list(range(500)))

    def test_under_kill(self):
        count = 6000
        self.write([{"n": i, "text": "words " * (i % 40)} if i % 97 else "{broken" for i in range(count)])
        broken = [i + 1 for i in range(count) if i % 97 == 0]
        chance = random.Random(3)
        words = (self.input, "--index", "books", "--resume", "--batch-lines", "150", "--quiet")
        between = Between(self)
        kills = 0
        # Of 40 batches at most five pass before each kill: how fast the machine is does not matter.
        while kills < 100:
            process = self.begin(*words, server=between.url)
            between.cut_after(process, chance.randint(1, 5), chance.choice(["before", "unanswered", "answered"]),
                              signal.SIGKILL if kills % 4 else signal.SIGINT, chance.random() * 0.02)
            process.communicate(timeout=120)
            if process.returncode == 2:
                break
            if kills % 5 == 2:
                self.one.kill()
                self.one.start()
            kills += 1
        self.assertEqual(process.returncode, 2)
        self.assertGreater(kills, 6)
        self.load(*words, status=2)
        self.assertEqual(sorted(hit["_source"]["n"] for hit in self.documents()),
                         [i for i in range(count) if i % 97])
        self.assertEqual([one["line"] for one in self.rejects()], broken)

    def test_a_server_that_goes_away_is_waited_for(self):
        self.write([{"n": i} for i in range(4000)])
        port = self.one.api.rsplit(":", 1)[1]
        process = self.begin(self.input, "--index", "books", "--batch-lines", "50")
        time.sleep(0.3)
        self.one.kill()
        time.sleep(0.5)
        self.restart(port)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(len(self.documents()), 4000)

    def restart(self, port):
        """On the port of before: Cairn.start() takes a free one."""
        ready = os.path.join(self.one.folder, "ready.json")
        os.remove(ready)
        log = open(os.path.join(self.one.folder, "log"), "ab")
        self.one.process = subprocess.Popen(
            [BINARY, "serve", "--data", self.one.data, "--api-listen", "127.0.0.1:" + port,
             "--objects-listen", "127.0.0.1:0", "--ready-file", ready], stdout=log, stderr=log)
        log.close()
        until = time.monotonic() + 30
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def test_what_servers_say(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Strange)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}"
        self.write([{"n": i} for i in range(8)])

        def run(answers, status, *words):
            Strange.answers, Strange.bodies = answers, []
            if os.path.exists(self.input + ".checkpoint"):
                os.remove(self.input + ".checkpoint")
            self.load(self.input, "--index", "b", *words, status=status, server=url)
            return len(Strange.bodies)

        item = {"index": {"status": 201}}
        # Some had no room: they alone are sent again.
        busy = {"errors": True, "items": [item] * 5 + [{"index": {"status": 429}}] * 3}
        self.assertEqual(run([(200, {}, json.dumps(busy))], 0), 2)
        self.assertEqual(Strange.bodies[1].count('{"index"'), 3)
        # A limit is waited for as the server says: one second, not the minute of the rules.
        begun = time.monotonic()
        self.assertEqual(run([(429, {"Retry-After": "1"}, "{}")], 0), 2)
        self.assertGreaterEqual(time.monotonic() - begun, 1)
        # Too large: in halves; one line that is too large alone is rejected.
        self.assertEqual(run([(413, {}, "{}")], 0), 3)
        self.assertEqual(run([(413, {}, "{}")] * 4, 2), 7)
        self.assertEqual(self.rejects()[0]["status"], 413)
        # A fault of the server passes, or it does not.
        self.assertEqual(run([(500, {}, "{}")], 0), 2)
        run([(503, {}, "{}")] * 100, 75, "--give-up", "300ms")
        self.assertIn("--resume", self.errors)
        Strange.answers = []
        self.load(self.input, "--index", "b", "--resume", server=url)
        run([(400, {}, json.dumps({"error": {"type": "t", "reason": "no such thing"}}))], 64)
        self.assertIn("no such thing", self.errors)
        run([(401, {}, "{}")], 77)
        run([(200, {}, json.dumps({"items": [item]}))], 65)
        run([(200, {}, "no JSON")], 65)
        forbidden = {"items": [{"index": {"status": 403, "error": {"reason": "not yours"}}}] * 8}
        run([(200, {}, json.dumps(forbidden))], 77)
        self.assertIn("not yours", self.errors)

    def test_what_is_refused_at_once(self):
        self.write([{"n": 1}])
        self.load(self.input, status=64)
        self.load(os.path.join(self.top, "none"), "--index", "b", status=66)
        self.load(self.top, "--index", "b", status=64)
        for words in (("--batch-lines", "0"), ("--batch-size", "1tb"), ("--give-up", "soon")):
            self.load(self.input, "--index", "b", *words, status=64)
        self.load(self.input, "--index", "b", "--give-up", "0s", status=69, server="http://127.0.0.1:1")
        os.remove(self.input + ".checkpoint")
        with open(self.input + ".checkpoint", "w") as file:
            file.write("no checkpoint")
        self.load(self.input, "--index", "b", status=65)
        os.remove(self.input + ".checkpoint")
        key = self.one.ok("POST", "/_security/api_key", {"name": "n", "role_descriptors": {"r": {"cluster": ["monitor"]}}})
        path = os.path.join(self.top, "narrow.key")
        with open(path, "w") as file:
            file.write(key["encoded"])
        self.load(self.input, "--index", "b", status=77, key=path)
        # The checkpoint of what was cut is not passed over; another index is not gone on with.
        self.load(self.input, "--index", "b", status=73)
        self.load(self.input, "--index", "c", "--resume", status=64)
        self.load(self.input, "--index", "b", "--resume")
        self.assertEqual(len(self.documents("b")), 1)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
