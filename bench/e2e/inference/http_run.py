#!/usr/bin/env python3
"""Embeddings over HTTP: Cairn beside ONNX Runtime behind node's HTTP server, the same weights.

Question: does what the layers gain reach those who ask? Eight clients with one text of 8 to 256 words each
at a time, all of the machine for either server, by turns. Goals: at least three times as many texts a
second as fp32 there; the 99th percentile at most three times the median. Then the same with one core
taken by another process, which may cost its share and no more.

    http_run.py CAIRN NODE_FOLDER [--models FOLDER] [--model NAME] [--rounds N] [--seconds N]
    See run.py for what must be there.
"""

import argparse
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import models
from run import cosine

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
sys.path.insert(0, os.path.join(HERE, "../../../tests/models"))
from cairn_server import Cairn  # noqa: E402
from random_models import list_digests  # noqa: E402

CLIENTS = 8
LENGTHS = (8, 16, 32, 64, 128, 256)


def texts(count):
    numbers = random.Random(3)
    return [" ".join(f"w{numbers.randrange(5, models.WORDS)}" for _ in range(LENGTHS[i % len(LENGTHS)]))
            for i in range(count)]


class Asked:
    """A server that gives vectors, by its port, path and headers."""

    def __init__(self, name, port, path, headers):
        self.name, self.port, self.path = name, port, path
        self.headers = {"Content-Type": "application/json", **headers}

    def ask(self, connection, text):
        connection.request("POST", self.path, json.dumps({"input": [text]}), self.headers)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            sys.exit(f"{self.name}: {body[:500]}")
        return body

    def vector(self, text):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        return json.loads(self.ask(connection, text))["text_embedding"][0]["embedding"]

    def load(self, seconds):
        """Answers a second, and how long each took in ms."""
        until = time.monotonic() + seconds
        took = [[] for _ in range(CLIENTS)]

        def client(number):
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            mine = texts(60)
            for i in range(number, 1_000_000):
                begin = time.monotonic()
                if begin > until:
                    return
                self.ask(connection, mine[i % len(mine)])
                took[number].append((time.monotonic() - begin) * 1e3)
        threads = [threading.Thread(target=client, args=(i,)) for i in range(CLIENTS)]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        all_of_them = sorted(ms for one in took for ms in one)
        return len(all_of_them) / (time.monotonic() - begin), all_of_them


def started_cairn(binary, folder, options):
    served = os.path.join(folder, "served")
    os.makedirs(served)
    shutil.copytree(os.path.join(options.models, options.model), os.path.join(served, options.model))
    list_digests(os.path.join(served, options.model))
    cairn = Cairn(binary).start("--set", "inference.models_dir=" + served)
    cairn.ok("PUT", "/_inference/text_embedding/bench?timeout=120s", {
        "service": "cairn", "service_settings": {
            "model_id": options.model, "num_allocations": os.cpu_count(), "num_threads": 1}})
    return cairn


class Ort:
    def __init__(self, kind, options):
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "ort_http_peer.mjs"),
             os.path.join(options.models, f"{options.model}.{kind}.onnx"), str(os.cpu_count())],
            cwd=options.node, stdout=subprocess.PIPE, text=True)
        self.asked = Asked("ORT " + kind, int(self.process.stdout.readline()), "/", {})

    def end(self):
        self.process.terminate()
        self.process.wait()


def table(servers, options):
    print("| server | texts a second | p50 ms | p99 ms | p99 / p50 | Cairn's rate / this |")
    print("|---|---|---|---|---|---|")
    rates = {server.name: [] for server in servers}
    tails = {server.name: [] for server in servers}
    for _ in range(options.rounds):
        for server in servers:
            rate, took = server.load(options.seconds)
            rates[server.name].append(rate)
            tails[server.name].append((took[len(took) // 2], took[len(took) * 99 // 100]))
    for server in servers:
        median, tail = (statistics.median(values) for values in zip(*tails[server.name]))
        gain = statistics.median(a / b for a, b in zip(rates["Cairn"], rates[server.name]))
        print(f"| {server.name} | {statistics.median(rates[server.name]):.1f} | {median:.1f} | {tail:.1f} | "
              f"{tail / median:.1f} | {gain:.2f} |", flush=True)
    return statistics.median(rates["Cairn"])


def busy_process():
    return subprocess.Popen([sys.executable, "-c", "while True: pass"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("cairn")
    parser.add_argument("node")
    parser.add_argument("--models")
    parser.add_argument("--model", default="minilm-l6")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn-bench-")
    options.models = os.path.abspath(options.models or folder)
    cairn, peers, busy = None, [], None
    try:
        models.make(options.models, options.model)
        cairn = started_cairn(options.cairn, folder, options)
        peers = [Ort(kind, options) for kind in ("float32", "int8")]
        ours = Asked("Cairn", int(cairn.api.rsplit(":", 1)[1]), "/_inference/text_embedding/bench",
                     {"Authorization": "ApiKey " + cairn.key})
        least = min(cosine(ours.vector(text), peers[0].asked.vector(text)) for text in texts(12))
        print(f"{options.model}, {CLIENTS} clients: least cosine to ORT float32 {least:.6f}\n")
        alone = table([ours, *(peer.asked for peer in peers)], options)
        busy = busy_process()
        print("\nwith one core taken by another process:")
        shared = table([ours, *(peer.asked for peer in peers)], options)
        print(f"\nof its rate Cairn keeps {shared / alone:.2f}")
    finally:
        if busy is not None:
            busy.kill()
        for peer in peers:
            peer.end()
        if cairn is not None:
            cairn.stop()
            shutil.rmtree(cairn.folder, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
