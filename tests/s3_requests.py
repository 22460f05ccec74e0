"""Requests to the object storage of a test's own Cairn, signed with SigV4, by the standard library."""

import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import urllib.parse


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def text(self, name):
        """The text of the first element of that name, or None."""
        found = re.search(f"<{name}>([^<]*)</{name}>", self.body.decode(errors="replace"))
        return found.group(1) if found else None

    @property
    def code(self):
        return self.text("Code")


class Objects:
    """Asks one server, by the pair of keys of its first start or another one. `dialect`: "amz", or
    "svc" for the neutral names."""

    def __init__(self, cairn, access_key=None, secret=None, dialect="amz"):
        self.vendor = f"x-{dialect}-"
        self.scheme = "SVC4" if dialect == "svc" else "AWS4"
        self.netloc = urllib.parse.urlsplit(cairn.objects).netloc
        if access_key is None:
            with open(os.path.join(cairn.data, "keys/admin-s3.json")) as file:
                pair = json.load(file)
            access_key, secret = pair["access_key_id"], pair["secret_access_key"]
        self.access_key, self.secret = access_key, secret

    def connect(self, timeout=120):
        return http.client.HTTPConnection(self.netloc, timeout=timeout)

    def signed(self, method, path, headers=None, query="", service="s3", host=None):
        """The header fields of a request whose payload is not signed. `host`: another name of the
        server, as a bucket's own."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        day = now[:8]
        fields = {name.lower(): value for name, value in (headers or {}).items()}
        fields.update({"host": host or self.netloc, self.vendor + "date": now,
                       self.vendor + "content-sha256": "UNSIGNED-PAYLOAD"})
        names = sorted(name for name in fields
                       if name.startswith(self.vendor) or name in ("host", "content-md5"))
        pairs = sorted(part.partition("=") for part in query.split("&") if part)
        canonical = "\n".join([
            method, path, "&".join(f"{name}={value}" for name, _, value in pairs),
            "".join(f"{name}:{fields[name].strip()}\n" for name in names),
            ";".join(names), "UNSIGNED-PAYLOAD"])
        request = self.scheme.lower() + "_request"
        scope = f"{day}/us-east-1/{service}/{request}"
        text = "\n".join([self.scheme + "-HMAC-SHA256", now, scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = (self.scheme + self.secret).encode()
        for part in (day, "us-east-1", service, request):
            key = _hmac(key, part)
        fields["authorization"] = (
            f"{self.scheme}-HMAC-SHA256 Credential={self.access_key}/{scope}, "
            f"SignedHeaders={';'.join(names)}, Signature={_hmac(key, text).hex()}")
        return fields

    def ask(self, method, target, body=None, headers=None, connection=None, **signing):
        """`target`: a path that is encoded already, and a query."""
        path, _, query = target.partition("?")
        own = connection is None
        connection = connection or self.connect()
        connection.request(method, target, body=body,
                           headers=self.signed(method, path, headers, query, **signing))
        answer = connection.getresponse()
        result = Answer(answer.status, answer.headers, answer.read())
        if own:
            connection.close()
        return result

    def ok(self, method, target, body=None, **more):
        """As ask; anything but a 2xx is a failure of the test."""
        answer = self.ask(method, target, body, **more)
        if not 200 <= answer.status < 300:
            raise AssertionError(f"{method} {target} answered {answer.status}: "
                                 f"{answer.body[:2000].decode(errors='replace')}")
        return answer
