#!/usr/bin/env python3
"""Work that nobody waits for any more ends: a client asks for much, over a real socket, and leaves.

Measured is the processor time that the server takes: for the whole answer, and where the client has
left right behind its request, by an end and by a reset. The second must stay below half of the first;
a server that goes on takes all of it. No time of a clock is looked at.

    gone_clients_test.py BINARY
"""

import json
import os
import random
import re
import socket
import struct
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
WHOLE_MS_MIN = 600  # less says nothing: a client that has left is noticed after 75 ms
DOCUMENTS = 20_000


class Fixture:
    def __init__(self, binary):
        self.cairn = Cairn(binary).start()

    def cpu_ms(self):
        with open(f"/proc/{self.cairn.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * TICK_MS

    def connections(self):
        status, text = self.cairn.request("GET", "/_metrics")
        assert status == 200
        return int(re.search(r'cairn_net_connections\{server="api"\} (\d+)', text).group(1))

    def ask_and_leave(self, method, path, body, how):
        where = urllib.parse.urlsplit(self.cairn.api)
        text = (body if isinstance(body, str) else json.dumps(body)).encode()
        peer = socket.create_connection((where.hostname, where.port), timeout=60)
        peer.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: ApiKey "
                     f"{self.cairn.key}\r\nContent-Type: application/json\r\nContent-Length: "
                     f"{len(text)}\r\n\r\n".encode() + text)
        if how == "reset":
            # A reset throws away what was not read yet, so the handler must have begun.
            before = self.cpu_ms()
            while self.cpu_ms() < before + 5 * TICK_MS:
                time.sleep(0.001)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        # The connection is counted until its handler has ended; the last one is that of the count.
        while self.connections() > 1:
            time.sleep(0.01)

    def fill(self):
        numbers = random.Random(11)
        self.cairn.ok("PUT", "/books", {"mappings": {"properties": {
            "k": {"type": "keyword"}, "t": {"type": "text"}}}})
        self.cairn.ok("PUT", "/meanings", {"mappings": {"properties": {
            "s": {"type": "semantic_text"}}}})
        for _ in range(DOCUMENTS // 2_500):
            rows = []
            for _ in range(2_500):
                rows.append('{"index":{}}')
                rows.append(json.dumps({"k": f"{numbers.getrandbits(128):032x}"}))
            self.cairn.ok("POST", "/books/_bulk", "\n".join(rows) + "\n",
                          headers={"Content-Type": "application/x-ndjson"})
        for i in range(40):
            self.cairn.ok("PUT", f"/long/_doc/{i}", {"t": " ".join(
                f"w{numbers.randrange(50)}" for _ in range(120_000))})
        self.cairn.ok("POST", "/_refresh")


def wildcards(count):
    """Each looks at every term of `k`."""
    return {"bool": {"should": [{"wildcard": {"k": f"*{i:x}*{i * 7 % 256:x}*a*"}}
                                for i in range(count)]}}


def requests():
    query = wildcards(500)
    yield "a search", "POST", "/books/_search", {"size": 0, "query": query}
    yield "a count", "POST", "/books/_count", {"query": query}
    yield "a highlight", "POST", "/long/_search", {
        "size": 40, "_source": False, "query": {"match": {"t": " ".join(f"w{i}" for i in range(50))}},
        "highlight": {"max_analyzed_offset": -1, "fields": {"t": {"number_of_fragments": 0}}}}
    # One call of inference is over too soon, so many: a batch whose texts are embedded.
    rows = []
    for i in range(300):
        text = " ".join(f"Sentence number {i} {j} tells of word{j * i % 9_973}." for j in range(1_500))
        rows += ['{"index":{}}', json.dumps({"s": text})]
    yield "a batch that embeds", "POST", "/meanings/_bulk", "\n".join(rows) + "\n"


def main():
    house = Fixture(sys.argv[1])
    house.fill()
    try:
        for name, method, path, body in requests():
            house.cairn.ok(method, path, body)  # so that all is loaded
            before = house.cpu_ms()
            house.cairn.ok(method, path, body)
            whole = house.cpu_ms() - before
            assert whole >= WHOLE_MS_MIN, f"{name} takes {whole:.0f} ms only"
            for how in ("end", "reset"):
                before = house.cpu_ms()
                house.ask_and_leave(method, path, body, how)
                spent = house.cpu_ms() - before
                print(f"{name}: {whole:.0f} ms, after an {how} {spent:.0f} ms"
                      .replace("an reset", "a reset"), flush=True)
                assert spent < whole / 2, f"{name} goes on after its client has left ({how})"
        assert house.cairn.stop() == 0
    finally:
        if house.cairn.process.poll() is None:
            house.cairn.kill()


if __name__ == "__main__":
    main()
