#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Embeddings of an encoder of random weights on one, two and three nodes: texts a second, how many each node
ran, and what a batch of another node costs on the way. With --pin each node has a processor of its own where
there are enough; else they share the machine, and what is seen is what passing batches on costs.

    models.py CAIRN [--seconds N] [--layers N] [--hidden N] [--pin]       needs python3-numpy
"""

import argparse
import http.client
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests")
sys.path[:0] = [TESTS, os.path.join(TESTS, "remote"), os.path.join(TESTS, "models")]
import random_models  # noqa: E402
from node_group import NodeGroup, cairn, patiently  # noqa: E402


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def deployment(node):
    rows = node.ok("GET", "/_ml/trained_models/heavy/_stats")["trained_model_stats"]
    return [row["deployment_stats"] for row in rows if "deployment_stats" in row][0]


def figures(node):
    out = {}
    for one in deployment(node)["nodes"]:
        (names,) = one["node"].values()
        out[names["name"]] = one
    return out


def ask(node, texts, until, times):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(node.api).netloc, timeout=120)
    body = json.dumps({"input": texts})
    headers = {"Authorization": "ApiKey " + node.key, "Content-Type": "application/json"}
    while time.monotonic() < until:
        began = time.monotonic()
        connection.request("POST", "/_inference/text_embedding/embedder", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text[:300]
        times.append(time.monotonic() - began)
    connection.close()


def measure(node, nodes, texts, seconds):
    before = {name: one["inference_count"] for name, one in figures(node).items()}
    cpu = sum(cpu_s(one.process.pid) for one in nodes)
    times, began = [], time.monotonic()
    callers = [threading.Thread(target=ask, args=(node, texts, began + seconds, times))
               for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    took = time.monotonic() - began
    cpu = sum(cpu_s(one.process.pid) for one in nodes) - cpu
    done = len(times) * len(texts)
    now = figures(node)
    ran = {name: one["inference_count"] - before.get(name, 0) for name, one in now.items()}
    print(f"{len(nodes)} node{'s' if len(nodes) > 1 else ' '}: {done / took:8.1f} texts/s, "
          f"{cpu / done * 1e3:6.2f} ms of processor time a text, median request "
          f"{statistics.median(times) * 1e3:6.0f} ms; by node: {ran}", flush=True)
    return done / took, cpu / done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--pin", action="store_true")
    given = parser.parse_args()
    random_models.HIDDEN, random_models.LAYERS = given.hidden, given.layers
    random_models.HEADS, random_models.WIDE = given.hidden // 32, given.hidden * 4
    texts = [" ".join(f"w{(i * 7 + j) % 280}" for j in range(60)) for i in range(40)]
    folder = tempfile.mkdtemp()
    group = NodeGroup(os.path.abspath(given.cairn))
    try:
        cores = sorted(os.sched_getaffinity(0))
        first = None
        for count in (1, 2, 3):
            if given.pin:
                os.sched_setaffinity(0, {cores[(count - 1) % len(cores)]})
            node = group.add()
            os.sched_setaffinity(0, set(cores))
            if first is None:
                first = node
                path = os.path.join(folder, "heavy")
                random_models.make("bert", path)
                code, said, fault = cairn(first, "model", "import", path)
                assert code == 0, said + fault
                first.ok("PUT", "/_inference/text_embedding/embedder", {
                    "service": "cairn", "service_settings": {
                        "model_id": "heavy", "num_allocations": 6, "num_threads": 1}})
            patiently(lambda: len(figures(first)) == count and all(
                one["number_of_allocations"] == 6 // count for one in figures(first).values()))
            rate, cpu = measure(first, group.nodes, texts, given.seconds)
            if count == 1:
                alone, alone_cpu = rate, cpu
            else:
                print(f"         {rate / alone:.2f} times the texts of one node, "
                      f"{cpu / alone_cpu:.2f} times its processor time a text", flush=True)
    finally:
        group.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main()
