# SPDX-License-Identifier: Apache-2.0
"""Nodes that share one store on the cluster of on_cluster.py, for tests."""

import http.client
import os
import shutil
import subprocess
import sys
import threading
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

    def add(self, *arguments, environment=None):
        """One more node, started, and seen by the others. `environment` is its own besides."""
        node = Cairn(self.binary, environment=environment)
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


def metric(node, name):
    """Of a metric without labels. Of each node itself, so ask the one that serves."""
    connection = node.connect()
    connection.request("GET", "/_metrics", headers={"Authorization": "ApiKey " + node.key})
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))


def cairn(node, *words):
    """The command, asking that node as its administrator."""
    done = subprocess.run(
        [node.binary, *words, "--server", node.api, "--key-file",
         os.path.join(node.data, "keys/admin.key")], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Writer(threading.Thread):
    """Creates documents one after another through all nodes in turn, and asks again where a request
    failed, as clients do that are given several addresses."""

    def __init__(self, nodes, name):
        super().__init__(daemon=True)
        self.nodes, self.name = nodes, name
        self.stopping = threading.Event()
        self.acknowledged, self.failures, self.longest_s = [], [], 0.0

    def run(self):
        number = turn = 0
        while not self.stopping.is_set():
            began = time.monotonic()
            while True:
                node = self.nodes[turn % len(self.nodes)]
                turn += 1
                try:
                    status, answer = ask_briefly(
                        node, "PUT", f"/notes/_create/{self.name}-{number}", {"n": number})
                except (OSError, http.client.HTTPException) as fault:
                    status, answer = 0, repr(fault)
                # Of a request that was repeated the first one may have been done.
                if status == 201 or status == 409:
                    self.acknowledged.append(f"{self.name}-{number}")
                    break
                if status not in (0, 503):
                    self.failures.append((status, answer))
                if time.monotonic() - began > 60:
                    self.failures.append(("gave up", status, answer))
                    break
                time.sleep(0.02)
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            number += 1

    def end(self):
        self.stopping.set()
        self.join()


def lost(asked, writers):
    """Documents that were acknowledged until now, and are not there."""
    names = [name for writer in writers for name in list(writer.acknowledged)]
    found = []
    for at in range(0, len(names), 5_000):
        found += asked.ok("POST", "/notes/_mget", {"ids": names[at:at + 5_000]})["docs"]
    assert len(found) == len(names), (len(found), len(names))
    return [one["_id"] for one in found if not one["found"]]


def check_all_there(asked, writers):
    """Once they ended: what was acknowledged is there, and nothing else."""
    asked.ok("POST", "/notes/_refresh")
    for writer in writers:
        assert writer.failures == [], writer.failures[:5]
        assert writer.acknowledged
    gone = lost(asked, writers)
    assert gone == [], gone[:5]
    wanted = {name for writer in writers for name in writer.acknowledged}
    count = asked.ok("GET", "/notes/_count")["count"]
    assert count == len(wanted), (count, len(wanted))
