# SPDX-License-Identifier: Apache-2.0
"""Nodes that share one store on the cluster of on_cluster.py, for tests."""

import http.client
import os
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402

LEASE_S = 3.0


class NodeGroup:
    """The first node makes the keys, the others get a copy of them."""

    def __init__(self, binary, lease_s=LEASE_S):
        self.binary, self.lease_s = binary, lease_s
        self.nodes = []

    def add(self, *arguments):
        """One more node, started, and seen by the others."""
        node = Cairn(self.binary)
        if self.nodes:
            first = self.nodes[0]
            node.store = first.store
            os.makedirs(node.data, exist_ok=True)
            shutil.copytree(os.path.join(first.data, "keys"), os.path.join(node.data, "keys"))
        node.name = f"node-{len(self.nodes) + 1}"
        node.arguments = ["--set", f"node.name={node.name}", "--set",
                          f"node.lease={int(self.lease_s * 1000)}ms", *arguments]
        self.nodes.append(node)
        self.start(node)
        patiently(lambda: node.name in self.listed(node))
        return node

    @staticmethod
    def start(node):
        return node.start(*node.arguments, wait_s=90)

    def end(self, keep=False):
        for node in self.nodes:
            if node.process is not None and node.process.poll() is None:
                node.kill()
            if not keep:
                shutil.rmtree(node.folder, ignore_errors=True)

    def listed(self, asked):
        return {one["name"]: one for one in asked.ok("GET", "/_cairn/nodes")["nodes"]}

    def serving(self, asked):
        """The node that serves, as another one is told."""
        names = [n for n, one in self.listed(asked).items() if one["role"] == "serving"]
        assert len(names) == 1, names
        return next(node for node in self.nodes if node.name == names[0])


def ask_briefly(node, method, path, body=None, headers=None, timeout=20):
    """As Cairn.request, for a node that may stand still."""
    connection = node.connect(timeout)
    try:
        return node.request(method, path, body, connection=connection, headers=headers)
    finally:
        connection.close()


def patiently(act, seconds=60):
    """What `act` gives once it is true; it may raise until then."""
    until = time.monotonic() + seconds
    while True:
        try:
            found = act()
            if found:
                return found
        except (OSError, AssertionError, EOFError, KeyError, http.client.HTTPException):
            if time.monotonic() > until:
                raise
        if time.monotonic() > until:
            raise AssertionError("it did not come to be")
        time.sleep(0.05)
