"""A Cairn of a test's own: started on free loopback ports, killed or stopped, asked over HTTP."""

import atexit
import http.client
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.parse


class Cairn:
    """One data folder and, while started, one process. CAIRN_TEST_STORE, "s3://bucket/{name}?…",
    names the place on a cluster that every Cairn with a folder of its own uses as its store."""

    def __init__(self, binary, folder=None, environment=None):
        self.binary = os.path.abspath(binary)
        self.folder = folder or tempfile.mkdtemp(prefix="cairn-test-")
        self.data = os.path.join(self.folder, "data")
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None
        atexit.register(self._end)
        place = os.environ.get("CAIRN_TEST_STORE", "")
        self.store = ["--store", place.replace("{name}", os.path.basename(self.folder))] if place \
            else []

    def start(self, *arguments, wait_s=30):
        ready = os.path.join(self.folder, "ready.json")
        if os.path.exists(ready):
            os.remove(ready)
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--data", self.data, "--api-listen", "127.0.0.1:0",
             "--objects-listen", "127.0.0.1:0", "--ready-file", ready, *self.store,
             *arguments],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        log.close()
        until = time.monotonic() + wait_s
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("cairn did not start:\n" + self.log_tail())
            time.sleep(0.005)
        with open(ready) as file:
            facts = json.load(file)
        self.api, self.objects = facts["api"], facts["objects"]
        with open(os.path.join(self.data, "keys/admin.key")) as file:
            self.key = file.read().strip()
        return self

    def kill(self):
        """kill -9, as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def _end(self):
        """A test that fails leaves no server behind."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def stop(self):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=90)

    def log_tail(self, lines=20):
        with open(os.path.join(self.folder, "log"), errors="replace") as file:
            return "".join(file.readlines()[-lines:])

    def connect(self, timeout=60):
        return http.client.HTTPConnection(urllib.parse.urlsplit(self.api).netloc, timeout=timeout)

    def request(self, method, path, body=None, connection=None, headers=None):
        """Status and parsed body. `body`: a value that becomes JSON, or text as it is."""
        own = connection is None
        connection = connection or self.connect()
        sent = {"Authorization": "ApiKey " + self.key}
        if body is not None:
            if not isinstance(body, (str, bytes)):
                body = json.dumps(body)
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        text = answer.read()
        if own:
            connection.close()
        try:
            return answer.status, json.loads(text) if text else None
        except ValueError:
            return answer.status, text.decode(errors="replace")

    def ok(self, method, path, body=None, **more):
        """As request; anything but a 2xx is a failure of the test."""
        status, answer = self.request(method, path, body, **more)
        if not 200 <= status < 300:
            raise AssertionError(f"{method} {path} answered {status}: {answer}")
        return answer
