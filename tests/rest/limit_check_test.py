#!/usr/bin/env python3
"""The limiter for other programs: questions one by one and many at a time, by header fields, and nginx and Caddy
with the settings of examples/limits in front of a small service.

    limit_check_test.py CAIRN
"""

import contextlib
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

START_S = 20


def until(condition, what):
    end = time.monotonic() + START_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self):
        type(self).asked += 1
        body = b"served\n"
        self.send_response(403 if self.path == "/forbidden" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Checker:
    def __init__(self, cairn):
        self.cairn = cairn
        self.key = cairn.ok("POST", "/_security/api_key", {
            "name": "proxy", "role_descriptors": {"proxy": {"cluster": ["check_limits"]}}})["encoded"]
        self.connection = cairn.connect()

    def ask(self, body):
        return self.cairn.request("POST", "/_cairn/limits/_check", body, connection=self.connection,
                                  headers={"Authorization": "ApiKey " + self.key})

    def ok(self, body):
        status, answer = self.ask(body)
        assert status == 200, (status, answer)
        return answer

    def by_fields(self, query="", **fields):
        connection = self.cairn.connect()
        with contextlib.closing(connection):
            connection.request("GET", "/_cairn/limits/_auth" + query, headers={
                "Authorization": "ApiKey " + self.key,
                **{"X-Limit-" + name.capitalize(): value for name, value in fields.items()}})
            reply = connection.getresponse()
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, json.loads(reply.read())


def one_by_one(cairn, checker):
    first = checker.ok({"identity": "user:ann"})
    assert first["admitted"] and first["identity"] == "user:ann", first
    assert first["headers"]["x-ratelimit-limit"] == "5000" and first["headers"]["x-ratelimit-used"] == "1", first
    assert checker.ok({"identity": "user:ann", "cost": 10})["headers"]["x-ratelimit-used"] == "11"
    assert cairn.ok("GET", "/_cairn/limits/user:ann")["windows"]["core"]["used"] == 11
    # The same account as a key that names the user has.
    ann = cairn.ok("POST", "/_security/api_key", {"name": "ann", "role_descriptors": {"r": {"cluster": ["monitor"]}},
                   "metadata": {"_cairn": {"identity": {"kind": "user", "user": "ann"}}}})["encoded"]
    assert cairn.request("GET", "/_cluster/health", headers={"Authorization": "ApiKey " + ann})[0] == 200
    assert cairn.ok("GET", "/_cairn/limits/user:ann")["windows"]["core"]["used"] == 12
    # Facts raise a limit.
    big = {"kind": "installation", "id": 17, "repositories": 21}
    assert checker.ok({"identity": big})["headers"]["x-ratelimit-limit"] == "6050"
    # An address is counted by its network.
    assert checker.ok({"identity": "ip:2001:db8::1"})["identity"] == "ip:2001:db8::/64"
    assert checker.ok({"identity": "ip:2001:db8::2"})["headers"]["x-ratelimit-used"] == "2"
    # Until it is used up; a refusal costs nothing.
    answers = [checker.ok({"identity": "ip:192.0.2.7", "resource": "search"}) for _ in range(12)]
    assert [answer["admitted"] for answer in answers] == [True] * 10 + [False] * 2, answers
    refused = answers[-1]
    assert refused["refusal"] == "primary" and 1 <= refused["retry_after"] <= 61, refused
    assert refused["headers"]["x-ratelimit-remaining"] == "0" and refused["headers"]["retry-after"], refused
    assert refused["message"].startswith("API rate limit exceeded for 192.0.2.7"), refused
    assert refused["documentation_url"].endswith("#primary-limits"), refused
    # A whole batch that costs more than is left is refused, and counts nothing.
    assert not checker.ok({"identity": "user:bea", "cost": 5001})["admitted"]
    assert checker.ok({"identity": "user:bea", "cost": 5000})["headers"]["x-ratelimit-remaining"] == "0"


def secondary(cairn, checker):
    answers = [checker.ok({"identity": "user:cid", "endpoint": "POST /orders", "points": 300}) for _ in range(4)]
    assert [answer["admitted"] for answer in answers] == [True] * 3 + [False], answers
    assert answers[3]["refusal"] == "points" and "secondary" in answers[3]["message"], answers[3]
    assert checker.ok({"identity": "user:cid", "endpoint": "GET /orders", "points": 300})["admitted"]
    assert checker.ok({"identity": "user:dan", "content": True})["admitted"]
    many = [checker.ok({"identity": "user:dan", "content": True, "points": 0}) for _ in range(80)]
    assert many[-1]["refusal"] == "content_minute", many[-1]
    assert checker.ok({"identity": "user:eve", "cpu_ms": 89_000})["admitted"]
    assert checker.ok({"identity": "user:eve", "cpu_ms": 2_000})["admitted"]
    assert checker.ok({"identity": "user:eve"})["refusal"] == "cpu"


def many_at_once(cairn, checker):
    answer = checker.ok({"checks": [{"identity": f"user:m{i % 10}"} for i in range(100)]})
    assert [one["headers"]["x-ratelimit-used"] for one in answer["results"][-10:]] == ["10"] * 10, answer["results"][-1]
    assert checker.ok({"checks": []}) == {"results": []}
    for body, why in (({"checks": [{"identity": "user:m0"}] * 101}, "at most 100"),
                      ({"checks": [{"identity": "user:m0"}, {"identity": "nobody"}]}, "there is no identity"),
                      ({"checks": [{"identity": "user:m0"}], "identity": "user:x"}, "stands alone")):
        status, answer = checker.ask(body)
        assert status == 400 and why in json.dumps(answer), (status, answer)
    assert checker.ok({"identity": "user:m0"})["headers"]["x-ratelimit-used"] == "11"  # faults counted nothing


def wrong(cairn, checker):
    for body, why in (({}, "Required [identity]"), ({"identity": "alice"}, "there is no identity"),
                      ({"identity": "user:" + "x" * 600}, "at most 512 bytes"),
                      ({"identity": {"kind": "robot"}}, "robot"), ({"identity": 7}, "must be an object"),
                      ({"identity": "user:a", "resource": "none"}, "no resource"),
                      ({"identity": "user:a", "cost": -1}, "[cost] must be from 0"),
                      ({"identity": "user:a", "cost": 1000001}, "[cost] must be from 0"),
                      ({"identity": "user:a", "cpu_ms": -5}, "[cpu_ms]"),
                      ({"identity": "user:a", "endpoint": ""}, "[endpoint]"),
                      ({"identity": "user:a", "prize": 1}, "prize")):
        status, answer = checker.ask(body)
        assert status == 400 and why in json.dumps(answer), (body, status, answer)
    other = cairn.ok("POST", "/_security/api_key", {
        "name": "other", "role_descriptors": {"r": {"cluster": ["monitor", "manage_own_api_key"]}}})["encoded"]
    for method, path in (("POST", "/_cairn/limits/_check"), ("GET", "/_cairn/limits/_auth")):
        body = {"identity": "user:a"} if method == "POST" else None
        assert cairn.request(method, path, body, headers={"Authorization": "ApiKey " + other})[0] == 403
        assert cairn.request(method, path, body, headers={"Authorization": ""})[0] == 401
    assert cairn.request("GET", "/_cairn/limits", headers={"Authorization": "ApiKey " + checker.key})[0] == 403


def by_fields(cairn, checker):
    status, headers, _ = checker.by_fields(identity="ip:192.0.2.20")
    assert status == 200 and headers["x-ratelimit-limit"] == "60" and "retry-after" not in headers, headers
    status, headers, _ = checker.by_fields(identity="ip:192.0.2.20", cost="59", endpoint="GET /x")
    assert status == 200 and headers["x-ratelimit-remaining"] == "0", headers
    status, headers, body = checker.by_fields(identity="ip:192.0.2.20")
    assert status == 429 and headers["retry-after"] and "rate limit exceeded" in body["message"], (headers, body)
    assert checker.by_fields("?denied=403", identity="ip:192.0.2.20")[0] == 403
    for query, fields in (("?denied=200", {"identity": "ip:192.0.2.21"}), ("", {}), ("", {"identity": "x"}),
                          ("", {"identity": "ip:192.0.2.21", "cost": "one"})):
        assert checker.by_fields(query, **fields)[0] == 400, (query, fields)


def settings_of(name, ports, key, folder):
    """An example with the ports and the key of this test."""
    with open(os.path.join(ROOT, "examples/limits", name)) as file:
        text = file.read()
    for usual, port in ports.items():
        assert f"127.0.0.1:{usual}" in text, (name, usual)
        text = text.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{port}")
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text.replace('"ApiKey CAIRN_LIMITS_KEY"', f'"ApiKey {key}"'))
    return path


def through(port, path="/"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(connection):
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()


def proxies(cairn, checker):
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    api = urllib.parse.urlsplit(cairn.api).port
    for name, example in (("nginx", "nginx.conf"), ("caddy", "Caddyfile")):
        folder, port = tempfile.mkdtemp(prefix="cairn-proxy-"), free_port()
        path = settings_of(example, {9200: api, 8000: service.server_address[1], 8080: port}, checker.key, folder)
        command = {"nginx": ["nginx", "-e", "stderr", "-p", folder, "-c", path, "-g",
                             f"daemon off; pid {folder}/pid; error_log stderr;"],
                   "caddy": ["caddy", "run", "--config", path, "--adapter", "caddyfile"]}[name]
        environment = dict(os.environ, CAIRN_LIMITS_KEY=checker.key, HOME=folder, XDG_DATA_HOME=folder,
                           XDG_CONFIG_HOME=folder)
        with open(os.path.join(folder, "log"), "w") as log:
            proxy = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            until(lambda: listens(port) or proxy.poll() is not None, name)
            with open(os.path.join(folder, "log")) as file:
                assert proxy.poll() is None, file.read()
            cairn.ok("DELETE", "/_cairn/limits/ip:127.0.0.1")
            before = Service.asked
            status, headers, body = through(port)
            assert (status, body) == (200, b"served\n"), (name, status, body)
            assert headers["x-ratelimit-limit"] == "60" and headers["x-ratelimit-remaining"] == "59", (name, headers)
            assert through(port, "/forbidden")[0] == 403, name  # the service's own refusal stays what it is
            statuses = [through(port)[0] for _ in range(60)]
            assert statuses == [200] * 58 + [429] * 2, (name, statuses)
            assert Service.asked - before == 60, (name, Service.asked - before)
            status, headers, body = through(port)
            assert status == 429 and int(headers["retry-after"]) >= 1, (name, headers)
            assert headers["x-ratelimit-remaining"] == "0" and b"rate limit exceeded" in body, (name, headers, body)
        finally:
            proxy.terminate()
            proxy.wait(timeout=20)
            shutil.rmtree(folder)
    service.shutdown()


def main():
    cairn = Cairn(sys.argv[1]).start()
    try:
        checker = Checker(cairn)
        for part in (one_by_one, secondary, many_at_once, wrong, by_fields, proxies):
            part(cairn, checker)
            print(part.__name__, flush=True)
        assert cairn.stop() == 0
        # Where limits are off everybody passes.
        cairn.start("--set", "rate_limit.enabled=false")
        checker.connection = cairn.connect()
        answer = checker.ok({"identity": "ip:192.0.2.7", "cost": 1000})
        assert answer == {"admitted": True, "identity": "ip:192.0.2.7", "headers": {}}, answer
        assert cairn.stop() == 0
    finally:
        if cairn.process.poll() is None:
            cairn.kill()
        shutil.rmtree(cairn.folder)


if __name__ == "__main__":
    main()
