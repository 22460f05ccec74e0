#!/usr/bin/env python3
"""Receives messages of Cairn, verifies them (Standard Webhooks), and prints a line for each.

    receiver.py HOST:PORT SECRET_FILE
"""

import base64
import hashlib
import hmac
import http.server
import json
import sys
import time

TOLERANCE_SECONDS = 300


def verify(headers, body, secret):
    """Whether somebody with the secret sent this body, a moment ago."""
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent}.".encode() + body
    mac = "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    # There may be several while a secret is replaced.
    return any(hmac.compare_digest(mac, each) for each in headers.get("webhook-signature", "").split())


def main():
    with open(sys.argv[2]) as file:
        secret = base64.b64decode(file.read().strip().removeprefix("whsec_"))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            good = verify(self.headers, body, secret)
            if good:
                message = json.loads(body)
                print(f"{message['type']} {message['data']['state']}: {message['data']['text']}", flush=True)
            self.send_response(204 if good else 401)
            self.end_headers()

        def log_message(self, *_):
            pass

    host, port = sys.argv[1].rsplit(":", 1)
    http.server.HTTPServer((host, int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main()
