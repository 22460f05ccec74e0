#!/usr/bin/env python3
"""Messages of a running server: a sync that fails and works again, a disk that is nearly full, a certificate
that ends soon and is renewed, an audit log that is not shipped; each told once, over restarts and kill -9,
to a receiver that is away for a while, and to a program that takes mail.

    messages_test.py CAIRN
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
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
SECRET = b"thirty-two bytes that are secret"


class Receiver:
    """Keeps what is posted to it; may be closed, and opened again at its port."""

    def __init__(self):
        self.got, self.port = [], 0
        self.open()

    def open(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), json.loads(body)))
                signed = b".".join([self.headers["webhook-id"].encode(), self.headers["webhook-timestamp"].encode(), body])
                good = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
                self.send_response(204 if self.headers["webhook-signature"] == good else 401)
                self.end_headers()

            def log_message(self, *_):
                pass
        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def told(self):
        return [(body["type"][6:], body["data"]["state"], body["data"]["subject"]) for _, body in self.got]


class Messages(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="cairn-messages-")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        secret = os.path.join(self.top, "secret")
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("whsec_" + base64.b64encode(SECRET).decode() + "\n")
        self.arguments = ["--set", f"messages.webhook.url=http://127.0.0.1:{self.receiver.port}/hook",
                          "--set", "messages.webhook.secret_file=" + secret,
                          "--set", "messages.check_interval=100ms", "--set", "messages.disk_percent=0"]
        self.one = Cairn(BINARY, self.top)
        self.addCleanup(lambda: self.one.process.poll() is None and self.one.kill())

    def until(self, done, what=""):
        until = time.monotonic() + 30
        while not done():
            self.assertLess(time.monotonic(), until, (what, self.receiver.told(), self.one.log_tail()))
            time.sleep(0.02)

    def sync(self, name):
        job = self.one.ok("POST", "/_connector/_sync_job", {"id": name, "job_type": "full"})["id"]
        self.until(lambda: self.one.ok("GET", "/_connector/_sync_job/" + job)["completed_at"], "a sync")

    def test_syncs(self):
        roots = os.path.join(self.top, "roots")
        os.makedirs(os.path.join(roots, "docs"))
        self.arguments += ["--set", "connectors.directory.roots=" + roots]
        self.one.start(*self.arguments)
        self.one.ok("PUT", "/_connector/docs", {"index_name": "docs", "service_type": "directory", "name": "Docs"})
        self.one.ok("PUT", "/_connector/docs/_configuration", {"values": {"path": os.path.join(roots, "docs")}})
        self.sync("docs")
        time.sleep(0.5)
        self.assertEqual(self.receiver.told(), [])
        os.rename(os.path.join(roots, "docs"), os.path.join(roots, "gone"))
        self.sync("docs")
        begins = ("sync_failed", "begins", "docs")
        self.until(lambda: self.receiver.told() == [begins])
        self.assertIn("Docs", self.receiver.got[0][1]["data"]["text"])
        self.sync("docs")  # it fails again: nobody is told again
        # A kill before it is written down that somebody was told would tell once more.
        self.until(lambda: self.one.ok("GET", "/_cairn/messages")["waiting"] == 0)
        self.one.kill()
        self.one.start(*self.arguments)
        time.sleep(0.6)
        self.assertEqual(self.receiver.told(), [begins])
        # The receiver is away, the server is killed meanwhile: what is over is told when it is back.
        self.receiver.close()
        os.rename(os.path.join(roots, "gone"), os.path.join(roots, "docs"))
        self.sync("docs")
        self.until(lambda: self.one.ok("GET", "/_cairn/messages")["waiting"] == 1)
        self.one.kill()
        self.receiver.open()
        self.one.start(*self.arguments)
        self.until(lambda: self.receiver.told() == [begins, ("sync_failed", "over", "docs")])
        self.until(lambda: self.one.ok("GET", "/_cairn/messages")["waiting"] == 0)
        self.assertEqual(self.one.ok("GET", "/_cairn/messages")["conditions"], [])

    def test_disk_and_mail(self):
        mails = os.path.join(self.top, "mails")
        program = os.path.join(self.top, "mailer")
        with open(program, "w") as file:
            file.write(f'#!/bin/sh\n[ "$1" = -t ] && cat >> {mails}\n')
        os.chmod(program, 0o700)
        self.arguments += ["--set", "messages.disk_percent=1", "--set", f"messages.mail.command={program},-t",
                           "--set", "messages.mail.to=ops@example.org"]
        self.one.start(*self.arguments)
        self.until(lambda: self.receiver.told() == [("disk_nearly_full", "begins", self.one.data)])
        self.until(lambda: os.path.exists(mails) and os.path.getsize(mails))
        with open(mails) as file:
            mail = file.read()
        self.assertIn("To: ops@example.org\nSubject: [cairn cairn-1] disk_nearly_full: ", mail)
        text = base64.b64decode(mail.split("\n\n")[1]).decode()
        self.assertIn("percent", text)
        state = self.one.ok("GET", "/_cairn/messages")
        self.assertEqual(state["ways"], ["webhook", "mail"])
        self.assertEqual([one["kind"] for one in state["conditions"]], ["disk_nearly_full"])
        # With a higher threshold it is over.
        self.one.stop()
        self.one.start(*self.arguments, "--set", "messages.disk_percent=100")
        self.until(lambda: len(self.receiver.told()) == 2)
        self.assertEqual(self.receiver.told()[1][:2], ("disk_nearly_full", "over"))
        environment = dict(os.environ, CAIRN_SERVER=self.one.api, CAIRN_KEY_FILE=os.path.join(self.one.data, "keys/admin.key"))
        done = subprocess.run([BINARY, "messages", "test"], env=environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "webhook\tsent\nmail\tsent\n"), done.stderr)
        done = subprocess.run([BINARY, "messages", "show"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("0 wrong; messages go by webhook, mail; 0 wait", done.stderr)
        self.receiver.close()
        done = subprocess.run([BINARY, "messages", "test", "--json"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertFalse(json.loads(done.stdout)["ways"]["webhook"]["sent"])
        self.receiver.open()

    def test_certificates_and_audit(self):
        tls = os.path.join(self.top, "tls")
        subprocess.run([BINARY, "init", "tls", tls, "--days", "5"], check=True, stdout=subprocess.DEVNULL)
        certificate = os.path.join(tls, "cert.pem")
        self.arguments += ["--set", "tls.certificate=" + certificate, "--set", "tls.key=" + os.path.join(tls, "key.pem"),
                           "--set", "audit.ship.to=s3://none/x", "--set", "audit.ship.interval=100ms"]
        self.one.start(*self.arguments)
        expected = {("certificate_ends", "begins", certificate), ("audit_not_shipped", "begins", "s3://none/x")}
        self.until(lambda: set(self.receiver.told()) == expected)
        ends = [body for _, body in self.receiver.got if body["type"] == "cairn.certificate_ends"][0]
        self.assertIn("localhost", ends["data"]["details"]["names"])
        subprocess.run([BINARY, "init", "tls", tls, "--renew"], check=True, stdout=subprocess.DEVNULL)
        self.until(lambda: ("certificate_ends", "over", certificate) in self.receiver.told())
        self.assertEqual(len(self.receiver.told()), 3)

    def test_what_lasts_is_told_again_and_without_a_way_nothing_is(self):
        self.arguments += ["--set", "messages.disk_percent=1", "--set", "messages.repeat=300ms"]
        self.one.start(*self.arguments)
        self.until(lambda: len(self.receiver.got) >= 3)
        self.assertEqual([state for _, state, _ in self.receiver.told()[:3]], ["begins", "lasts", "lasts"])
        ids = [headers["webhook-id"] for headers, _ in self.receiver.got]
        self.assertEqual(len(set(ids)), len(ids))
        self.one.stop()
        self.one.start("--set", "messages.disk_percent=1")
        self.assertEqual(self.one.ok("GET", "/_cairn/messages")["ways"], [])
        status, answer = self.one.request("POST", "/_cairn/messages/_test")
        self.assertEqual(status, 400, answer)
        self.one.stop()
        for setting in ("messages.webhook.url=nonsense", "messages.mail.command=sendmail", "messages.mail.to=a@b",
                        "messages.disk_percent=101"):
            done = subprocess.run([BINARY, "config", "check", "--set", setting], capture_output=True, text=True)
            self.assertEqual(done.returncode, 78, setting)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
