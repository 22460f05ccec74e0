#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model with allocations on three nodes: all of them run batches, every request is answered alike
whoever runs it, and none fails when nodes die, stand still or take over.

    nodes_models_test.py BINARY        run by on_cluster.py
"""

import math
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "models")]
from node_group import NodeGroup, ask_briefly, cairn, patiently  # noqa: E402
import random_models  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
INPUTS = [" ".join(f"w{(i * 7 + j) % 280}" for j in range(1 + i % 23)) for i in range(200)]


def stats(node):
    rows = node.ok("GET", "/_ml/trained_models/heavy/_stats")["trained_model_stats"]
    found = [row["deployment_stats"] for row in rows if "deployment_stats" in row]
    return found[0]


def by_name(node):
    """What each node has of the deployment."""
    out = {}
    for one in stats(node)["nodes"]:
        (names,) = one["node"].values()
        out[names["name"]] = one
    return out


def allocations(node):
    return {name: one["number_of_allocations"] for name, one in by_name(node).items()}


def embeddings(node, inputs):
    answer = node.ok("POST", "/_inference/text_embedding/embedder", {"input": inputs})
    return [one["embedding"] for one in answer["text_embedding"]]


class Caller(threading.Thread):
    """Asks for embeddings through one node until it is told to stop."""

    def __init__(self, node, wanted):
        super().__init__(daemon=True)
        self.node, self.wanted = node, wanted
        self.stopping = threading.Event()
        self.answered, self.failures, self.longest_s = 0, [], 0.0

    def run(self):
        while not self.stopping.is_set():
            began = time.monotonic()
            status, answer = ask_briefly(self.node, "POST", "/_inference/text_embedding/embedder",
                                         {"input": INPUTS}, timeout=60)
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            if status != 200:
                self.failures.append((status, answer))
            elif [one["embedding"] for one in answer["text_embedding"]] != self.wanted:
                self.failures.append("another answer")
            else:
                self.answered += 1

    def end(self):
        self.stopping.set()
        self.join()
        assert self.failures == [], self.failures[:3]
        assert self.answered > 0


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.group = NodeGroup(BINARY)
        self.first, self.second, self.third = (self.group.add() for _ in range(3))
        path = os.path.join(self.folder, "heavy")
        random_models.make("bert", path)
        code, said, fault = cairn(self.first, "model", "import", path)
        self.assertEqual(code, 0, said + fault)
        self.first.ok("PUT", "/_inference/text_embedding/embedder", {
            "service": "cairn", "service_settings": {
                "model_id": "heavy", "num_allocations": 6, "num_threads": 1}})

    def tearDown(self):
        for node in self.group.nodes:
            if node.process is not None and node.process.poll() is None:
                node.process.send_signal(signal.SIGCONT)
        self.group.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def test_all_nodes_run_it_and_none_is_missed(self):
        first, second, third = self.first, self.second, self.third
        patiently(lambda: allocations(first) == {"node-1": 2, "node-2": 2, "node-3": 2})
        self.assertEqual(stats(first)["allocation_status"],
                         {"allocation_count": 6, "target_allocation_count": 6,
                          "state": "fully_allocated"})
        wanted = embeddings(first, INPUTS)
        for vector in wanted:
            self.assertEqual(len(vector), random_models.HIDDEN)
            self.assertAlmostEqual(math.fsum(x * x for x in vector), 1, 3)
        for _ in range(5):
            self.assertEqual(embeddings(second, INPUTS), wanted)
        ran = {name: one["inference_count"] for name, one in by_name(first).items()}
        print(f"inputs by node: {ran}", flush=True)
        self.assertTrue(all(count > 0 for count in ran.values()), ran)
        self.assertEqual(sum(ran.values()), 6 * len(INPUTS))

        callers = [Caller(first, wanted) for _ in range(3)]
        for caller in callers:
            caller.start()
        third.kill()
        # The process is gone, so its record ends at once.
        patiently(lambda: set(allocations(first)) == {"node-1", "node-2"})
        second.process.send_signal(signal.SIGSTOP)
        patiently(lambda: allocations(first) == {"node-1": 6})
        second.process.send_signal(signal.SIGCONT)
        patiently(lambda: allocations(first) == {"node-1": 3, "node-2": 3})
        for caller in callers:
            caller.end()
        print(f"{sum(c.answered for c in callers)} requests, the longest took "
              f"{max(c.longest_s for c in callers):.2f} s", flush=True)

        # A node that takes over has the deployment, and places it anew.
        self.group.start(third)
        patiently(lambda: set(allocations(first)) == {"node-1", "node-2", "node-3"})
        first.kill()
        patiently(lambda: embeddings(second, INPUTS) == wanted)
        patiently(lambda: sorted(allocations(second).values()) == [3, 3])
        self.assertEqual(embeddings(third, INPUTS), wanted)

    def test_a_node_that_shall_run_none_runs_none(self):
        patiently(lambda: set(allocations(self.first)) == {"node-1", "node-2", "node-3"})
        self.third.kill()
        alone = self.group.add("--set", "node.models=false")
        patiently(lambda: allocations(self.first) == {"node-1": 3, "node-2": 3})
        self.assertIn(alone.name, self.group.listed(self.first))
        # Fewer allocations come back to the node that serves.
        self.first.ok("PUT", "/_inference/text_embedding/embedder/_update",
                      {"service_settings": {"num_allocations": 1}})
        patiently(lambda: allocations(self.first) == {"node-1": 1})

    def test_a_table_stays_where_it_is(self):
        self.first.ok("PUT", "/_inference/text_embedding/light", {
            "service": "cairn", "service_settings": {
                "model_id": "cairn-mini", "num_allocations": 6, "num_threads": 1}})
        patiently(lambda: len(allocations(self.first)) == 3)
        rows = self.first.ok("GET", "/_ml/trained_models/cairn-mini/_stats")["trained_model_stats"]
        light = [row["deployment_stats"] for row in rows
                 if row.get("deployment_stats", {}).get("deployment_id") == "light"]
        self.assertEqual([one["number_of_allocations"] for one in light[0]["nodes"]], [6])


if __name__ == "__main__":
    unittest.main()
