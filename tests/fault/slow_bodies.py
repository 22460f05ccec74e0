#!/usr/bin/env python3
"""1,500 clients that send their bodies a byte at a time, with the whole program: they hold no
threads and little memory, health and searches are answered meanwhile, and each that goes on to its
end is answered. On both ports. Then as many strangers that are refused and go on to send, who hold few
threads, and more clients with a key that trickle behind their first 4 KiB than may have a thread.

    slow_bodies.py BINARY
"""

import os
import re
import resource
import socket
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

COUNT = 1500
THREADS_MORE = 16
THREADS_OF_REFUSED = 2 * 32  # on each port
THREADS_OF_TRICKLES = 512
MEMORY_MORE = 64 << 20


def state(pid):
    """Threads, and bytes in memory."""
    with open(f"/proc/{pid}/status") as file:
        text = file.read()
    return (int(re.search(r"Threads:\s+(\d+)", text).group(1)),
            int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) << 10)


def connect(url):
    where = urllib.parse.urlsplit(url)
    return socket.create_connection((where.hostname, where.port), timeout=60)


def healthy(cairn):
    with connect(cairn.api) as peer:
        peer.sendall(b"GET /_health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert peer.recv(12) == b"HTTP/1.1 200", "health is not answered"


def slow_ones(cairn):
    """Small bodies, long ones and chunks, for the platform and for objects."""
    key = "Authorization: ApiKey " + cairn.key
    body = b'{"query":{"match_all":{}}}'
    kinds = [
        (cairn.api, f"POST /books/_search HTTP/1.1\r\nHost: x\r\n{key}\r\nContent-Type: "
         f"application/json\r\nContent-Length: {len(body)}\r\n\r\n", body, b""),
        (cairn.api, f"POST /books/_bulk HTTP/1.1\r\nHost: x\r\n{key}\r\nContent-Type: "
         "application/x-ndjson\r\nContent-Length: 50000000\r\n\r\n", b'{"index":{}}', None),
        (cairn.api, f"POST /books/_search HTTP/1.1\r\nHost: x\r\n{key}\r\nContent-Type: "
         "application/json\r\nTransfer-Encoding: chunked\r\n\r\n", b"%x\r\n" % len(body) + body,
         b"\r\n0\r\n\r\n"),
        (cairn.objects, "PUT /bucket/key HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000000\r\n\r\n",
         b"bytes of an object", None),
    ]
    for i in range(COUNT):
        url, head, start, rest = kinds[i % len(kinds)]
        peer = connect(url)
        peer.sendall(head.encode())
        yield peer, start, rest


def main(binary):
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(4096, resource.getrlimit(
        resource.RLIMIT_NOFILE)[0]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    cairn = Cairn(binary).start()
    try:
        slow_bodies(cairn)
        refused_bodies(cairn)
        trickles(cairn)
        assert cairn.stop() == 0
    finally:
        if cairn.process.poll() is None:
            cairn.kill()


def slow_bodies(cairn):
    cairn.ok("PUT", "/books/_doc/1?refresh=true", {"title": "one"})
    for _ in range(8):
        cairn.ok("POST", "/books/_search", {"query": {"match_all": {}}})
    threads_before, memory_before = state(cairn.process.pid)
    slow = list(slow_ones(cairn))
    most_threads, most_memory = 0, 0
    for at in range(10):
        for peer, start, _ in slow:
            peer.sendall(start[at:at + 1])
        healthy(cairn)
        cairn.ok("POST", "/books/_search", {"query": {"match_all": {}}})
        threads, memory = state(cairn.process.pid)
        most_threads, most_memory = max(most_threads, threads), max(most_memory, memory)
    print(f"{COUNT} slow bodies: {most_threads - threads_before} more threads, "
          f"{(most_memory - memory_before) >> 20} MiB more", flush=True)
    assert most_threads <= threads_before + THREADS_MORE, most_threads
    assert most_memory <= memory_before + MEMORY_MORE, most_memory
    for peer, start, rest in slow:
        if rest is None:
            peer.close()  # in the middle
            continue
        # One after another: this is not about many searches at once.
        peer.sendall(start[10:] + rest)
        assert peer.recv(12) == b"HTTP/1.1 200"
        peer.close()
    # Who closed in the middle wakes a handler, which tells nobody what is missing.
    while state(cairn.process.pid)[0] > threads_before + THREADS_MORE:
        healthy(cairn)
    _, memory = state(cairn.process.pid)
    assert memory <= memory_before + MEMORY_MORE, memory


def served(cairn):
    healthy(cairn)
    cairn.ok("POST", "/books/_search", {"query": {"match_all": {}}})


def refused_bodies(cairn):
    before, _ = state(cairn.process.pid)
    most = 0
    peers = []
    for i in range(COUNT):
        url, target = ((cairn.api, "POST /books/_bulk"), (cairn.objects, "PUT /bucket/key"))[i % 2]
        peer = connect(url)
        peer.sendall(f"{target} HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n".encode()
                     + b"x" * 5_000)
        peers.append(peer)
        if i % 100 == 0:
            served(cairn)
            most = max(most, state(cairn.process.pid)[0])
    for peer in peers:
        assert peer.recv(10) == b"HTTP/1.1 4"  # 401, 403; 429 where there are too many
        peer.close()
    print(f"{COUNT} refused bodies: {most - before} more threads", flush=True)
    assert most <= before + THREADS_MORE + THREADS_OF_REFUSED, most


def trickles(cairn):
    before, _ = state(cairn.process.pid)
    peers = []
    for i in range(THREADS_OF_TRICKLES + 200):
        peer = connect(cairn.api)
        expects = "Expect: 100-continue\r\n" if i % 2 else ""
        peer.sendall(f"POST /books/_bulk HTTP/1.1\r\nHost: x\r\nAuthorization: ApiKey {cairn.key}\r\n"
                     f"Content-Type: application/x-ndjson\r\n{expects}Content-Length: 50000000\r\n\r\n"
                     .encode() + (b"" if expects else b"x" * 5_000))
        peers.append(peer)
        if i % 50 == 49:
            served(cairn)
    # Those beyond end within moments: until then they have threads.
    while state(cairn.process.pid)[0] > before + THREADS_MORE + THREADS_OF_TRICKLES:
        served(cairn)
    print(f"{len(peers)} trickles: {state(cairn.process.pid)[0] - before} more threads", flush=True)
    for peer in peers:
        peer.close()
    served(cairn)


if __name__ == "__main__":
    main(sys.argv[1])
