#!/usr/bin/env python3
"""`cairn limits wait` reads answers of every kind, and the example over Node keeps to the limits of a server.

    limit_wait_test.py CAIRN
"""

import json
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

BINARY = None


def wait(answer, *words):
    done = subprocess.run([BINARY, "limits", "wait", *words], input=answer, capture_output=True, text=True, timeout=60,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    return done.returncode, done.stdout.strip(), done.stderr


def answer(status, *fields, body=""):
    return "\r\n".join([f"HTTP/1.1 {status} Text", *fields, "", body])


def answers():
    now = int(time.time())
    spent = ("x-ratelimit-remaining: 0", f"x-ratelimit-reset: {now + 40}")
    secondary = '{"message": "You have exceeded a secondary rate limit."}'
    for text, words, status, printed in (
            (answer(200), (), 1, ""),
            (answer(403, body="you may not"), (), 1, ""),
            (answer(404), (), 1, ""),
            (answer(429, "Retry-After: 7"), ("--print",), 0, "7 secondary"),
            (answer(429, "Retry-After: 7"), ("--print", "--attempt", "2"), 0, "28 secondary"),
            (answer(403, body=secondary), ("--print", "--longest", "100"), 0, "secondary"),
            (answer(403, *spent), ("--print",), 0, "primary"),
            (answer(200, body='{"errors": [{"type": "RATE_LIMITED"}]}'), ("--resource", "graphql", "--print"), 0,
             "primary"),
            (answer(200, body='{"errors": [{"type": "RATE_LIMITED"}]}'), ("--print",), 1, ""),
            (answer(503, body="<Error><Code>SlowDown</Code></Error>"), ("--print",), 0, "secondary"),
            (answer(100) + answer(429, "retry-after: 3"), ("--print",), 0, "3 secondary"),
            (answer(429, "Retry-After: 7"), ("--longest", "6"), 75, ""),
            (answer(429, "Retry-After: 7"), ("--attempt", "5"), 75, ""),
            (answer(429, "Retry-After: 7"), ("--attempt", "1", "--retries", "1"), 75, ""),
            ("nothing of the kind", (), 65, ""),
            ("", (), 65, ""),
            (answer(200), ("--attempt", "x"), 64, ""),
            (answer(200), ("--atempt", "1"), 64, ""),
            (answer(200), ("word",), 64, "")):
        got, out, error = wait(text, *words)
        assert got == status and printed in out and (out or not printed), (text, words, got, out, error)
        assert bool(error) == (status >= 64), (text, words, error)
    got, out, _ = wait(answer(403, *spent), "--print")
    assert 35 <= int(out.split()[0]) <= 42, out
    began = time.monotonic()
    assert wait(answer(429, "Retry-After: 1"))[:2] == (0, "1 secondary")
    assert time.monotonic() - began >= 1, "it did not wait"
    assert wait(answer(200, body="x" * 3_000_000))[0] == 1


def over_node():
    """Three requests in a window of two seconds are all there is."""
    cairn = Cairn(BINARY)
    settings = os.path.join(cairn.folder, "cairn.yaml")
    with open(settings, "w") as file:
        json.dump({"rate_limit": {"time": {"hour_s": 2}, "plans": {"user": 3}}}, file)
    cairn.start("--config", settings)
    try:
        key = cairn.ok("POST", "/_security/api_key", {
            "name": "polite", "role_descriptors": {"r": {"cluster": ["monitor"]}}})["encoded"]
        path = os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(
            ["node", os.path.join(ROOT, "examples/limits/polite_client.mjs"), cairn.api + "/_cluster/health", "7",
             "ApiKey " + key], capture_output=True, text=True, timeout=120, env=dict(os.environ, PATH=path))
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert [line.split()[0] for line in lines] == ["200"] * 7, lines
        assert 7 < int(lines[-1].split()[2]) <= 7 + 4, lines  # it was refused, and came back once for each
    finally:
        cairn.stop()
        shutil.rmtree(cairn.folder)


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    answers()
    over_node()
    print("ok")


if __name__ == "__main__":
    main()
