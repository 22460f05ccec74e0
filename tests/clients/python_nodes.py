#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian's Python client of the search platform, unmodified, given the addresses of several nodes that share a
store: it writes and reads on while they are killed, stopped and drained, and finds by itself which ones there are.

    python_nodes.py CAIRN        run by tests/remote/on_cluster.py
"""

import os
import sys
import threading
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "remote")]
from elasticsearch import ConflictError, Elasticsearch  # noqa: E402
from node_group import NodeGroup, patiently  # noqa: E402

INDEX = "notes"


def client_of(nodes):
    # Its own 0.1 s for a sniff is less than it takes another node to serve. It does not sniff at each fault: that
    # would make the node that it has just found dead, and that others still list, one to choose from at once.
    return Elasticsearch(
        [node.api for node in nodes], headers={"Authorization": "ApiKey " + nodes[0].key},
        sniff_on_start=True, sniffer_timeout=0.5, sniff_timeout=20, max_retries=5, retry_on_timeout=True,
        timeout=20)


class Writer(threading.Thread):
    """Writes documents and reads them, through a client of its own."""

    def __init__(self, name, nodes):
        super().__init__(daemon=True)
        self.name, self.client = name, client_of(nodes)
        self.acknowledged, self.failure = [], None
        self.stopping = threading.Event()

    def run(self):
        number = 0
        while not self.stopping.is_set() and self.failure is None:
            try:
                self.write(f"{self.name}-{number}", number)
            except Exception as fault:  # whatever the client does not mend by itself
                self.failure = fault
            number += 1
            time.sleep(0.005)

    def write(self, one, number):
        try:
            self.client.create(index=INDEX, id=one, document={"n": number})
        except ConflictError:
            pass  # the client repeated a request whose first one had been done
        self.acknowledged.append(one)
        assert self.client.get(index=INDEX, id=one)["_source"]["n"] == number, one
        self.client.search(index=INDEX, query={"term": {"n": number}})

    def goes_on(self):
        wanted = len(self.acknowledged) + 5
        patiently(lambda: self.failure or len(self.acknowledged) >= wanted, 120)
        if self.failure:
            raise self.failure

    def knows(self):
        return sorted(one.host for one in self.client.transport.connection_pool.connections)


class Walk:
    def __init__(self, group):
        self.group = group
        self.living = [group.add() for _ in range(3)]
        self.living[0].ok("PUT", "/" + INDEX, {})
        self.writers = [Writer(f"w{i}", self.living) for i in range(2)]

    def serving(self):
        return patiently(lambda: self.group.serving(self.living[0]), 120)

    def leaves(self):
        """The one that serves; it is asked no more by this test, and is known to clients until it ends."""
        node = self.serving()
        self.living.remove(node)
        return node

    def check(self):
        """Each client goes on, and knows the nodes that there are."""
        self.serving()
        wanted = sorted(node.api for node in self.living)
        for writer in self.writers:
            writer.goes_on()
            patiently(lambda: writer.failure or writer.knows() == wanted, 120)
            writer.goes_on()

    def add(self):
        self.living.append(self.group.add())
        self.check()

    def killed(self):
        self.leaves().kill()
        self.check()
        self.add()

    def stopped(self):
        assert self.leaves().stop() == 0
        self.check()
        self.add()

    def drained(self):
        node = self.leaves()
        self.living[0].ok("POST", f"/_cairn/nodes/{node.name}/_drain")
        patiently(lambda: self.group.serving(self.living[0]) is not node, 120)
        for writer in self.writers:
            writer.goes_on()
        assert node.stop() == 0
        self.check()

    def end(self):
        for writer in self.writers:
            writer.stopping.set()
            writer.join()
        client = client_of(self.living)
        client.indices.refresh(index=INDEX)
        wanted = [one for writer in self.writers for one in writer.acknowledged]
        assert client.count(index=INDEX)["count"] == len(wanted), len(wanted)
        found = client.mget(index=INDEX, body={"ids": wanted})["docs"]
        assert [one["_id"] for one in found if not one["found"]] == []
        assert [writer.failure for writer in self.writers] == [None, None]
        print(f"{len(wanted)} documents written, none lost")


def main():
    group = NodeGroup(sys.argv[1])
    try:
        walk = Walk(group)
        for writer in walk.writers:
            writer.start()
        for step in (walk.check, walk.killed, walk.stopped, walk.drained, walk.end):
            began = time.monotonic()
            step()
            print(f"ok {step.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    finally:
        group.end()


if __name__ == "__main__":
    main()
