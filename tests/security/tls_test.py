#!/usr/bin/env python3
"""TLS as an administrator meets it: certificates of `cairn init tls`, replaced while the server runs,
asked of clients; and what `cairn doctor` says of all that.

    tls_test.py CAIRN
"""

import contextlib
import http.client
import json
import os
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

CAIRN = os.path.abspath(sys.argv[1])
QUICK_S = 30


def run(*words, environment=None):
    return subprocess.run([CAIRN, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(environment or {})})


class Tls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-tls-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.tls = os.path.join(self.folder, "tls")
        self.init("--client", "ann")
        self.server = None

    def tearDown(self):
        if self.server and self.server.process.poll() is None:
            self.server.kill()
        if self.server:
            shutil.rmtree(self.server.folder)

    def path(self, name):
        return os.path.join(self.tls, name)

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def init(self, *more):
        done = run("init", "tls", self.tls, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def serve(self, *more):
        self.server = self.server or Cairn(CAIRN)
        self.server.start("--set", "tls.certificate=" + self.path("cert.pem"), "--set",
                          "tls.key=" + self.path("key.pem"), *more)
        return self.server

    def context(self, client=None):
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        if client:
            context.load_cert_chain(self.path(client))
        return context

    def status(self, url, client=None):
        """Of a request to a listener; "refused" where it breaks the connection off."""
        try:
            connection = http.client.HTTPSConnection(urllib.parse.urlsplit(url).netloc, timeout=10,
                                                     context=self.context(client))
            with contextlib.closing(connection):
                connection.request("GET", "/", headers={"Authorization": "ApiKey " + self.server.key})
                return connection.getresponse().status
        except (ssl.SSLError, ConnectionError):
            return "refused"

    def serial(self):
        """Of the certificate that the API shows."""
        host, port = urllib.parse.urlsplit(self.server.api).netloc.split(":")
        with socket.create_connection((host, int(port)), timeout=10) as plain:
            with self.context().wrap_socket(plain, server_hostname=host) as secure:
                return secure.getpeercert()["serialNumber"]

    def doctor(self, *more, environment=None):
        done = run("doctor", "--json", "--data", self.server.data, *more,
                   environment={"CAIRN_CA_FILE": self.path("ca.pem"), **(environment or {})})
        self.assertTrue(done.stdout, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if answer["healthy"] else 1)
        return answer

    def listeners(self):
        return [word for name, url in (("api", self.server.api), ("objects", self.server.objects))
                for word in ("--set", f"listen.{name}={urllib.parse.urlsplit(url).netloc}")]

    def with_tls(self):
        return ["--set", "tls.certificate=" + self.path("cert.pem"), "--set", "tls.key=" + self.path("key.pem")]

    def test_init_makes_what_is_missing(self):
        for name, mode in (("ca.pem", 0o644), ("ca-key.pem", 0o600), ("cert.pem", 0o644),
                           ("key.pem", 0o600), ("client-ann.pem", 0o600)):
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), mode, name)
        before = {name: self.text(name) for name in os.listdir(self.tls)}
        self.assertIn("--renew", self.init("--client", "bob"))
        self.assertEqual(before, {name: self.text(name) for name in before})
        self.assertTrue(os.path.exists(self.path("client-bob.pem")))
        self.init("--renew", "--name", "10.1.2.3", "--days", "7")
        self.assertEqual(before["ca.pem"], self.text("ca.pem"))
        self.assertNotEqual(before["cert.pem"], self.text("cert.pem"))
        for words, status in ((("--days", "0"), 64), (("--client", "../x"), 64), (("--name", "a b"), 65)):
            self.assertEqual(run("init", "tls", self.tls, *words, "--renew").returncode, status, words)
        shutil.copy(self.path("key.pem"), self.path("ca-key.pem"))
        self.assertEqual(run("init", "tls", self.tls, "--renew").returncode, 65)

    def test_a_replaced_certificate_is_taken_without_a_signal(self):
        server = self.serve()
        self.assertTrue(server.api.startswith("https://"))
        self.assertEqual(self.status(server.api), 200)
        self.assertEqual(self.status(server.objects), 400)  # a key of the API is no signature
        first = self.serial()
        self.init("--renew")
        until = time.monotonic() + QUICK_S
        while self.serial() == first and time.monotonic() < until:
            time.sleep(0.1)
        self.assertNotEqual(self.serial(), first)
        self.assertEqual(self.status(server.api), 200)
        self.assertIn("certificate read again", server.log_tail())

    def test_the_command_line_trusts_whom_it_is_told_to(self):
        server = self.serve()
        key = ["--server", server.api, "--key-file", os.path.join(server.data, "keys/admin.key")]
        done = run("key", "list", *key)
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn("certificate", done.stderr)
        self.assertEqual(run("key", "list", *key, "--ca-file", self.path("ca.pem")).returncode, 0)
        self.assertEqual(
            run("key", "list", *key, environment={"CAIRN_CA_FILE": self.path("ca.pem")}).returncode, 0)
        self.assertEqual(run("key", "list", *key, "--ca-file", "/nowhere").returncode, 64)
        # A probe sends nothing secret, so it trusts anybody.
        for words, said in (((), "ready\n"), (("--live",), "live\n")):
            done = run("health", "--server", server.api, *words)
            self.assertEqual((done.returncode, done.stdout), (0, said), done.stderr)
        self.assertEqual(run("health", "--server", server.api, "--no").returncode, 64)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(run("health", "--server", server.api).returncode, 69)

    def test_clients_that_must_show_a_certificate(self):
        server = self.serve("--set", "tls.api_client_authority=" + self.path("ca.pem"))
        self.assertEqual(self.status(server.api), "refused")
        self.assertEqual(self.status(server.api, "client-ann.pem"), 200)
        self.assertEqual(self.status(server.objects), 400)  # that one asks nobody
        key = ["--server", server.api, "--key-file", os.path.join(server.data, "keys/admin.key"),
               "--ca-file", self.path("ca.pem")]
        done = run("key", "list", *key)
        self.assertEqual(done.returncode, 69)
        self.assertIn("certificate required", done.stderr)
        done = run("key", "list", *key, "--certificate-file", self.path("client-ann.pem"))
        self.assertEqual(done.returncode, 0, done.stderr)
        # Whoever holds a certificate still needs a key.
        connection = http.client.HTTPSConnection(urllib.parse.urlsplit(server.api).netloc,
                                                 context=self.context("client-ann.pem"))
        connection.request("GET", "/")
        self.assertEqual(connection.getresponse().status, 401)

    def test_doctor_on_a_server_in_order(self):
        self.serve()
        answer = self.doctor(*self.listeners(), *self.with_tls())
        found = {(one["subject"], one["health"]) for one in answer["findings"]}
        self.assertTrue(answer["healthy"], answer)
        for subject in ("settings", "data folder", "certificate", "listen.api", "listen.objects", "indices"):
            self.assertIn((subject, "ok"), found)
        # It does not trust by itself.
        answer = self.doctor(*self.listeners(), *self.with_tls(), environment={"CAIRN_CA_FILE": ""})
        (told,) = [one for one in answer["findings"] if one["subject"] == "server"]
        self.assertIn("CAIRN_CA_FILE", told["advice"])
        self.assertEqual(self.server.stop(), 0)
        answer = self.doctor(*self.listeners(), *self.with_tls())
        self.assertIn("keys", [one["subject"] for one in answer["findings"]])
        self.assertTrue(answer["healthy"], answer)

    def test_doctor_tells_what_is_to_be_done(self):
        self.serve()
        self.assertEqual(self.server.stop(), 0)

        def faults(*more):
            answer = self.doctor(*more)
            self.assertFalse(answer["healthy"])
            return {one["subject"]: one["text"] + "\n" + one["advice"] for one in answer["findings"]
                    if one["health"] == "fault"}

        admin = os.path.join(self.server.data, "keys/admin.key")
        os.chmod(admin, 0o644)
        self.assertIn("chmod 600", faults()["keys"])
        os.chmod(admin, 0o600)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.assertIn("another program",
                          faults("--set", f"listen.api=127.0.0.1:{taken.getsockname()[1]}")["listen.api"])
        other = self.with_tls()[:-1] + ["tls.key=" + self.path("ca-key.pem")]
        self.assertIn("does not belong", faults(*other)["certificate"])
        self.assertIn("is no folder", faults("--set", "path.repo=/nowhere/at/all")["path.repo"])
        with open(os.path.join(self.server.data, "VERSION"), "r+") as file:
            file.truncate(1)
        self.assertIn("engine verify", faults()["data folder"])
        self.assertEqual(run("doctor", "--set", "no.such=1").returncode, 78)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
