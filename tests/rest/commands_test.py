#!/usr/bin/env python3
"""The commands that look after a server: `cairn top` in a terminal and as text, `cairn indices`, `endpoints`,
`repositories` and `snapshots` from nothing to a restored index, and what each says when it is refused.

    commands_test.py CAIRN
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402

BINARY = ""


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="cairn-commands-")
        cls.one = Cairn(BINARY, cls.top).start("--set", "path.repo=" + os.path.join(cls.top, "repo"))

    @classmethod
    def tearDownClass(cls):
        cls.one.kill()
        shutil.rmtree(cls.top, True)

    def environment(self, **more):
        return {**os.environ, "CAIRN_SERVER": self.one.api,
                "CAIRN_KEY_FILE": os.path.join(self.one.data, "keys/admin.key"), **more}

    def cairn(self, *words, status=0, data=None, **environment):
        done = subprocess.run([BINARY, *words], input=data, capture_output=True, text=True, timeout=60,
                              env=self.environment(**environment))
        self.assertEqual(done.returncode, status, (words, done.stdout[-2000:], done.stderr[-2000:]))
        self.errors = done.stderr
        return done.stdout

    def path(self, name, text):
        path = os.path.join(self.top, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_indices(self):
        body = self.path("body.json", json.dumps({"settings": {"index.max_result_window": 50},
                                                  "aliases": {"shelf": {}}}))
        mapping = self.path("mapping.json", json.dumps({"properties": {"title": {"type": "text"}}}))
        self.cairn("indices", "create", "books", "--body", body, "--mapping", mapping,
                   "--setting", "index.refresh_interval=1s")
        self.assertEqual(self.errors, "index books created\n")
        shown = json.loads(self.cairn("indices", "show", "books"))["books"]
        self.assertEqual(shown["mappings"]["properties"]["title"]["type"], "text")
        self.assertEqual(shown["settings"]["index"]["max_result_window"], "50")
        self.assertIn("shelf", shown["aliases"])
        self.cairn("indices", "create", "books", status=1)
        self.assertIn("already exists", self.errors)
        self.cairn("indices", "create", "logs-1", "--json")
        self.cairn("indices", "create", "logs-2", data="{}")
        self.cairn("indices", "create", ".hidden")
        self.one.ok("PUT", "/books/_doc/1?refresh=true", {"title": "one"})
        rows = [line.split("\t") for line in self.cairn("indices", "list").splitlines()]
        self.assertEqual([row[0] for row in rows], ["books", "logs-1", "logs-2"])
        self.assertEqual(rows[0][1:4], ["open", "green", "1"])
        self.assertEqual([one["index"] for one in json.loads(self.cairn("indices", "list", "logs-*", "--json"))],
                         ["logs-1", "logs-2"])
        self.assertIn(".hidden", self.cairn("indices", "list", "--hidden"))
        row = self.cairn("indices", "stats", "books").splitlines()[0].split("\t")
        self.assertEqual(row[:3], ["books", "1", "0"])
        self.assertIn("indices", json.loads(self.cairn("indices", "stats", "--json")))
        self.cairn("indices", "delete", "logs-*", status=64)
        self.assertIn("--yes", self.errors)
        self.cairn("indices", "delete", "logs-*", "--yes")
        self.assertEqual(self.errors, "index logs-1 deleted\nindex logs-2 deleted\n")
        self.cairn("indices", "delete", "logs-*", "--yes", status=1)
        self.cairn("indices", "delete", "books", "none", ".hidden", status=2)
        self.assertIn("no such index [none]", self.errors)
        self.assertEqual(self.cairn("indices", "list"), "")
        self.cairn("indices", "show", "books", status=1)
        self.cairn("indices", "create", "x", "--body", self.path("broken", "{"), status=64)
        self.cairn("indices", "create", "x", "--body", os.path.join(self.top, "none"), status=66)
        self.cairn("indices", "create", "x", "--setting", "nothing", status=64)
        self.cairn("indices", "burn", status=64)
        self.cairn("indices", status=64)

    def test_endpoints(self):
        names = {line.split("\t")[0] for line in self.cairn("endpoints", "list").splitlines()}
        self.assertIn(".cairn-rerank", names)
        self.cairn("endpoints", "create", "mine", "--task", "text_embedding")
        self.assertEqual(self.errors, "endpoint mine created\n")
        shown = json.loads(self.cairn("endpoints", "show", "mine"))["endpoints"][0]
        self.assertEqual(shown["service_settings"]["model_id"], "cairn-mini")
        row = [line.split("\t") for line in self.cairn("endpoints", "list", "text_embedding").splitlines()
               if line.startswith("mine\t")][0]
        self.assertEqual(row[1:4], ["text_embedding", "cairn", "cairn-mini"])
        made = json.loads(self.cairn("endpoints", "ask", "mine", "one text", "another"))
        self.assertEqual(len(made["text_embedding"]), 2)
        body = self.path("endpoint.json", json.dumps({"service": "cairn", "service_settings": {
            "model_id": "cairn-mini", "num_threads": 1, "num_allocations": 1}}))
        self.cairn("endpoints", "create", "order", "--task", "rerank", "--body", body)
        ranked = json.loads(self.cairn("endpoints", "ask", "order", "a cat", "a train to the north",
                                       "--query", "railway journey"))
        self.assertEqual(len(ranked["rerank"]), 2)
        self.cairn("endpoints", "create", "other", "--task", "text_embedding", "--model", "none", status=1)
        self.cairn("endpoints", "create", "other", status=64)
        self.cairn("endpoints", "create", "other", "--task", "rerank", "--threads", "no", status=64)
        self.cairn("endpoints", "create", "other", "--task", "rerank", "--threads", "1", "--body", body, status=64)
        self.cairn("endpoints", "delete", "mine", "order", "--json")
        self.cairn("endpoints", "delete", "mine", status=1)

    def test_repositories_and_snapshots(self):
        self.cairn("indices", "create", "kept")
        self.one.ok("PUT", "/kept/_doc/1?refresh=true", {"title": "one"})
        folder = os.path.join(self.top, "repo/safe")
        self.cairn("repositories", "create", "safe", folder)
        self.assertEqual(self.cairn("repositories", "list"), f"safe\tfs\t{folder}\t-\n")
        self.assertEqual(json.loads(self.cairn("repositories", "show", "safe"))["safe"]["type"], "fs")
        self.cairn("repositories", "verify", "safe")
        self.cairn("repositories", "create", "elsewhere", "/etc/x", status=1)
        self.assertIn("path.repo", self.errors)
        self.cairn("repositories", "create", "bucket", "s3://none/x", status=1)
        self.cairn("repositories", "create", "bucket", folder, "--client", "x", status=64)
        self.cairn("snapshots", "create", "safe/monday", "--indices", "kept")
        self.assertEqual(self.errors, "snapshot monday: SUCCESS, 1 index\n")
        self.cairn("snapshots", "create", "safe/tuesday", "--no-wait")
        until = time.monotonic() + 30
        while "SUCCESS" not in self.cairn("snapshots", "list", "safe").splitlines()[-1]:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        rows = [line.split("\t") for line in self.cairn("snapshots", "list").splitlines()]
        self.assertEqual([row[:3] for row in rows], [["safe", "monday", "SUCCESS"], ["safe", "tuesday", "SUCCESS"]])
        self.cairn("snapshots", "restore", "safe/monday", status=1)  # it is there, and open
        self.assertEqual(self.cairn("snapshots", "restore", "safe/monday", "--rename", "kept=again"), "again\n")
        self.one.ok("POST", "/again/_refresh")
        self.assertEqual(self.one.ok("GET", "/again/_count")["count"], 1)
        self.assertEqual(json.loads(self.cairn("snapshots", "show", "safe/monday"))["snapshots"][0]["indices"], ["kept"])
        self.cairn("snapshots", "delete", "safe/monday", "safe/none", status=2)
        self.cairn("snapshots", "delete", "monday", status=64)
        self.cairn("repositories", "cleanup", "safe")
        self.assertRegex(self.errors, r"^\d+ blobs deleted, ")
        self.cairn("snapshots", "restore", "safe/tuesday", "--rename", "nothing", status=64)
        self.cairn("repositories", "delete", "safe")
        self.cairn("snapshots", "list", "safe", status=1)
        self.cairn("indices", "delete", "kept", "again")

    def test_top_as_text(self):
        stop = threading.Event()

        def ask():
            connection = self.one.connect()
            while not stop.is_set():
                self.one.request("GET", "/_cluster/health", connection=connection)
                time.sleep(0.005)
        asking = threading.Thread(target=ask)
        asking.start()
        try:
            text = self.cairn("top", "--once", "--interval", "500ms")
            figures = json.loads(self.cairn("top", "--json", "--interval", "500ms"))
        finally:
            stop.set()
            asking.join()
        for part in ("cairn top  ", "requests   ", "memory     ", "disk       ", "Requests by operation", "cluster.health"):
            self.assertIn(part, text)
        self.assertNotIn("\x1b", text)
        health = [one for one in figures["operations"] if one["operation"] == "cluster.health"][0]
        self.assertGreater(health["per_second"], 2)
        self.assertGreater(health["mean_ms"], 0)
        self.assertGreater(health["total"], 2)
        self.assertGreater(figures["memory"]["process_bytes"], 1 << 20)
        self.assertGreater(figures["disk"]["total_bytes"], 1 << 20)
        self.assertEqual(figures["denied"], [])
        if any(one["operation"] == "cairn.top_limits" for one in self.one.ok("GET", "/_cairn/routes")["routes"]):
            self.assertGreater(len(figures["identities"]), 0)
            self.assertIn("Identities", text)
        self.cairn("top", "--interval", "1ms", status=64)
        self.cairn("top", "--once", status=69, CAIRN_SERVER="http://127.0.0.1:1")
        narrow = self.one.ok("POST", "/_security/api_key", {"name": "n", "role_descriptors": {"r": {"cluster": ["monitor"]}}})
        key = self.path("narrow.key", narrow["encoded"])
        self.assertIn("Requests by operation", self.cairn("top", "--once", "--interval", "200ms", CAIRN_KEY_FILE=key))
        none = self.one.ok("POST", "/_security/api_key", {"name": "n", "role_descriptors": {"r": {"cluster": ["none"]}}})
        self.cairn("top", "--once", status=77, CAIRN_KEY_FILE=self.path("none.key", none["encoded"]))
        self.assertIn("monitor", self.errors)

    def terminal(self, columns, rows, *words):
        """A program in a pseudo terminal of a size, and the end that a person would sit at."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen([BINARY, *words], stdin=slave, stdout=slave, stderr=slave,
                                   env=self.environment(TERM="xterm"), start_new_session=True)
        self.addCleanup(os.close, slave)
        self.addCleanup(os.close, master)
        return process, master, slave

    def read_until(self, master, done, seconds=20):
        text, until = "", time.monotonic() + seconds
        while not done(text):
            self.assertLess(time.monotonic(), until, text[-2000:])
            if select.select([master], [], [], 0.1)[0]:
                text += os.read(master, 65536).decode(errors="replace")
        return text

    def test_top_in_a_terminal(self):
        for end in ("q", signal.SIGTERM):
            process, master, slave = self.terminal(60, 15, "top", "--interval", "200ms")
            text = self.read_until(master, lambda text: text.count("cairn top  ") >= 4)
            # A screen of its own, drawn over itself, never larger than the terminal.
            self.assertTrue(text.startswith("\x1b[?1049h"), text[:40])
            frames = re.split("\x1b\\[H", text)[1:-1]
            self.assertGreaterEqual(len(frames), 3)
            for frame in frames:
                lines = re.sub("\x1b\\[[?0-9;]*[a-zA-Z]", "", frame).split("\r\n")
                self.assertLessEqual(len(lines), 15)
                for line in lines:
                    self.assertLessEqual(len(line), 60, line)
            if end == "q":
                fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 8, 30, 0, 0))
                os.write(master, b"x")  # another key looks at once
                text = self.read_until(master, lambda text: text.count("\x1b[H") >= 3)
                last = re.sub("\x1b\\[[?0-9;]*[a-zA-Z]", "", re.split("\x1b\\[H", text)[-2]).split("\r\n")
                self.assertLessEqual(len(last), 8)
                os.write(master, b"q")
                self.assertEqual(process.wait(timeout=20), 0)
            else:
                process.send_signal(end)
                self.assertEqual(process.wait(timeout=20), 143)
            text = self.read_until(master, lambda text: "\x1b[?1049l" in text)
            self.assertTrue(termios.tcgetattr(slave)[3] & termios.ICANON)
            self.assertTrue(termios.tcgetattr(slave)[3] & termios.ECHO)

    def test_top_while_the_server_goes_away(self):
        other = Cairn(BINARY, os.path.join(self.top, "other"))
        os.makedirs(other.folder, exist_ok=True)
        other.start()
        process, master, _ = self.terminal(100, 24, "top", "--interval", "200ms", "--server", other.api,
                                           "--key-file", os.path.join(other.data, "keys/admin.key"))
        self.read_until(master, lambda text: "requests   " in text)
        other.kill()
        self.read_until(master, lambda text: "it is asked again" in text)
        os.write(master, b"q")
        self.assertEqual(process.wait(timeout=20), 0)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
