#!/usr/bin/env python3
"""H03 and H10: thousands of connections that do nothing, or next to nothing, while others are served.

    many_connections_test.py CAIRN

Slow heads, slow bodies and slow readers are ended by the server, idle connections after the idle
time; meanwhile requests of others are answered, and threads, memory and descriptors stay bounded
and come back. How many: what the limit of open files allows this process, 5,000 at most.
"""

import os
import resource
import shutil
import socket
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

MIB = 1 << 20
PATIENCE_S = 120


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        check(time.monotonic() < end, "waited in vain:", what)
        time.sleep(0.05)


class Watched:
    """What the process of a server takes."""

    def __init__(self, pid):
        self.pid = pid

    def status(self, name):
        with open(f"/proc/{self.pid}/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1])
        raise KeyError(name)

    def threads(self):
        return self.status("Threads")

    def resident(self):
        return self.status("VmRSS") * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))


def connections(netloc, count, first):
    """Connections that have sent `first`, and keep silent from then on."""
    host, _, port = netloc.partition(":")
    out = []
    for _ in range(count):
        one = socket.create_connection((host, int(port)), timeout=60)
        one.sendall(first)
        one.setblocking(False)
        out.append(one)
    return out


def is_closed(one):
    """True once the server has ended it; what it says before that is thrown away."""
    try:
        while True:
            if not one.recv(65536):
                return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def ended(held):
    """Takes those that the server has ended out of `held`."""
    for one in [one for one in held if is_closed(one)]:
        held.remove(one)
        one.close()
    return not held


def served(cairn, objects):
    check(cairn.request("GET", "/_health/live")[0] == 200)
    check(cairn.ok("GET", "/notes/_doc/1")["_source"] == {"n": 1})
    check(objects.ok("GET", "/bucket/a").body == b"a")


def hold(cairn, objects, watched, what, held, threads_most, memory_most):
    before = watched.descriptors()
    for _ in range(5):
        served(cairn, objects)
    threads, resident = watched.threads(), watched.resident()
    print(f"{what}: {len(held)} connections, {threads} threads, {resident >> 20} MiB")
    check(threads <= threads_most, what, threads)
    check(resident <= memory_most, what, resident)
    until(lambda: (served(cairn, objects), ended(held))[1], what + " to be ended")
    until(lambda: watched.descriptors() <= before - 1, what + ": descriptors")


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(5_000, (hard - 500) // 2)
    cairn = Cairn(sys.argv[1])
    cairn.start("--set", "http.idle_timeout=3s", "--set", "http.head_timeout=3s",
                "--set", "http.max_connections=20000")
    try:
        objects = Objects(cairn)
        objects.ok("PUT", "/bucket")
        objects.ok("PUT", "/bucket/a", body=b"a")
        objects.ok("PUT", "/bucket/large", body=b"x" * (8 * MIB))
        cairn.ok("PUT", "/notes/_doc/1", {"n": 1})
        netloc = urllib.parse.urlsplit(cairn.api).netloc
        key = "Authorization: ApiKey " + cairn.key
        watched = Watched(cairn.process.pid)
        served(cairn, objects)
        threads, resident, descriptors = (watched.threads(), watched.resident(),
                                          watched.descriptors())
        few = threads + 40  # what serving others may start

        # H10: one answered request each, and then silence.
        idle = connections(netloc, count, b"GET /_health/live HTTP/1.1\r\nHost: h\r\n\r\n")
        hold(cairn, objects, watched, "H10 idle", idle, few, resident + count * 16_384 + 64 * MIB)

        # H03: a head that never ends holds no worker.
        heads = connections(netloc, count, b"GET /notes/_doc/1 HTTP/1.1\r\nHost: h\r\nX-Slow: ")
        hold(cairn, objects, watched, "H03 slow heads", heads, few,
             resident + count * 16_384 + 64 * MIB)

        # H03: a body that never comes holds its worker: there are 1,024 (http.max_workers).
        bodies = connections(netloc, min(count, 1_500), (
            f"POST /notes/_doc HTTP/1.1\r\nHost: h\r\n{key}\r\nContent-Type: application/json\r\n"
            "Content-Length: 1000000\r\n\r\n{").encode())
        hold(cairn, objects, watched, "H03 slow bodies", bodies, few + 1_024, resident + 512 * MIB)

        # H03: an object of 8 MiB that nobody reads.
        fields = objects.signed("GET", "/bucket/large")
        request = "GET /bucket/large HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        readers = connections(objects.netloc, 300, request.encode())
        for _ in range(5):
            served(cairn, objects)
        print(f"H03 slow readers: {len(readers)} connections, {watched.threads()} threads, "
              f"{watched.resident() >> 20} MiB")
        check(watched.resident() <= resident + 512 * MIB, "slow readers", watched.resident())
        for one in readers:
            one.close()
        until(lambda: watched.descriptors() <= descriptors + 20, "descriptors at the end")
        served(cairn, objects)
        print(f"before: {threads} threads, {resident >> 20} MiB, {descriptors} descriptors; after: "
              f"{watched.threads()} threads, {watched.resident() >> 20} MiB, "
              f"{watched.descriptors()} descriptors")
        check(cairn.stop() == 0)
    finally:
        if cairn.process.poll() is None:
            cairn.process.kill()
            cairn.process.wait()
        shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
