#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Concurrent writes and reads of a few documents through three nodes of one store, while nodes are
killed, stand still, are stopped, drained, and lose the cluster or each other. Each document's history is checked
for linearizability (tests/fault/linearizability.py): whichever node is asked, what was acknowledged
is seen by whoever reads later, by its id or by a search after a refresh. A search that a node
answers for a silent one may see a write before it is acknowledged, so it stands in no order; it
must see what was acknowledged before it was asked.

    nodes_history.py BINARY [--seconds N] [--seed N]        run by on_cluster.py
"""

import argparse
import collections
import http.client
import json
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "fault"))
from fault_proxy import FaultProxy  # noqa: E402
from history_check import DONE, REFUSED, UNKNOWN, Histories, check  # noqa: E402
from linearizability import Operation, check_itself  # noqa: E402
from node_group import NodeGroup, patiently  # noqa: E402

THREADS = 6
KEYS = 6
KEYS_S = 2.5  # how long these are written to
NODES = 3
INDEX = "/history"


def ask_briefly(node, method, path, body, headers):
    """Status, answer and the fields of its head."""
    connection = node.connect(20)
    try:
        sent = {"Authorization": "ApiKey " + node.key, "Content-Type": "application/json",
                **(headers or {})}
        if body is not None and not isinstance(body, str):
            body = json.dumps(body)
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None, answer.headers
    finally:
        connection.close()


class DocumentHistories(Histories):
    """With what was acknowledged of each document, by its sequence numbers."""

    def __init__(self):
        super().__init__()
        self.newest = {}  # key to the highest one, and whether there is a document then
        self.deletes = collections.Counter()  # that were begun
        self.known_deletes = collections.defaultdict(list)  # sequence numbers of those that ended

    def begin_delete(self, key):
        with self.lock:
            self.deletes[key] += 1

    def acknowledge(self, key, number, exists):
        with self.lock:
            self.newest[key] = max(self.newest.get(key, (-1, False)), (number, exists))
            if not exists:
                self.known_deletes[key].append(number)

    def acknowledged(self, key):
        with self.lock:
            return self.newest.get(key, (-1, False))

    def check_seen(self, key, acknowledged, seen):
        """`seen`: the sequence number that a search found; None: no document."""
        number, exists = acknowledged
        if seen is not None:
            assert seen >= number, f"{key}: {number} was acknowledged, and then {seen} was found"
        elif exists:
            with self.lock:
                known = self.known_deletes[key]
                gone = len(known) < self.deletes[key] or max(known, default=-1) > number
            assert gone, f"{key}: {number} was acknowledged, and then nothing was found"


class Caller(threading.Thread):
    """Asks any node, one request after another, until it is told to stop."""

    def __init__(self, nodes, keys, histories, seed):
        super().__init__(daemon=True)
        self.nodes, self.keys, self.histories = nodes, keys, histories
        self.rng = random.Random(seed)
        self.seen = {}  # key to (version, value) of the last read
        self.stopping = threading.Event()
        self.failure = None
        self.known = self.by_replicas = 0

    def run(self):
        try:
            while not self.stopping.is_set():
                self.one()
        except BaseException as error:
            self.failure = error

    def ask(self, method, path, body=None, headers=None):
        """Status 0 where nobody knows."""
        node = self.rng.choice(self.nodes)
        self.answered_by_replica = False
        try:
            status, answer, fields = ask_briefly(node, method, path, body, headers)
        except (OSError, EOFError, http.client.HTTPException):
            return 0, None
        self.answered_by_replica = fields.get("Cairn-Replica") == "true"
        return status, answer

    def one(self):
        key = self.rng.choice(self.keys)
        kind = self.rng.choices(["read", "search", "look", "write", "bulk", "create", "swap",
                                 "delete"], [5, 2, 2, 2, 1, 2, 4, 1])[0]
        if kind == "swap" and key not in self.seen:
            kind = "read"
        act = getattr(self, kind)
        outcome, operation = act(key, time.monotonic())
        if outcome is not UNKNOWN:
            self.known += 1
            operation.answered = time.monotonic()
        else:
            time.sleep(0.02)
        operation.done = outcome
        self.histories.add(key, operation)

    def read(self, key, called):
        status, answer = self.ask("GET", f"{INDEX}/_doc/{key}")
        if status == 404 and answer.get("found") is False:
            return DONE, Operation("read", called)
        if status != 200:
            return self.no_answer(status, answer), Operation("read", called)
        value = answer["_source"]["value"]
        self.seen[key] = ((answer["_seq_no"], answer["_primary_term"]), value)
        return DONE, Operation("read", called, value=value)

    def search(self, key, called):
        status, answer = self.ask("POST", f"{INDEX}/_refresh")
        if status == 200:
            status, answer = self.ask("POST", f"{INDEX}/_search",
                                      {"query": {"ids": {"values": [key]}}})
        if status == 200 and self.answered_by_replica:
            return UNKNOWN, Operation("read", called)
        if status != 200:
            return self.no_answer(status, answer), Operation("read", called)
        hits = answer["hits"]["hits"]
        value = hits[0]["_source"]["value"] if hits else None
        return DONE, Operation("read", called, value=value)

    def look(self, key, called):
        """A search of what has been acknowledged, where a replica answers it."""
        acknowledged = self.histories.acknowledged(key)
        status, answer = self.ask("POST", f"{INDEX}/_search", {
            "query": {"ids": {"values": [key]}}, "seq_no_primary_term": True})
        if status == 200 and self.answered_by_replica:
            self.by_replicas += 1
            hits = answer["hits"]["hits"]
            seen = hits[0]["_seq_no"] if hits else None
            self.histories.check_seen(key, acknowledged, seen)
        elif status != 200:
            self.no_answer(status, answer)
        return UNKNOWN, Operation("read", called)

    def put(self, key, kind, called, conditions, old=None):
        value = self.histories.new_value()
        status, answer = self.ask("PUT", f"{INDEX}/_doc/{key}?{conditions}", {"value": value})
        operation = Operation(kind, called, value=value, old=old)
        if status in (200, 201):
            self.histories.acknowledge(key, answer["_seq_no"], True)
            return DONE, operation
        if status == 409:
            return REFUSED, operation
        return self.no_answer(status, answer), operation

    def write(self, key, called):
        return self.put(key, "write", called, self.rng.choice(["", "refresh=true"]))

    def create(self, key, called):
        return self.put(key, "create", called, "op_type=create")

    def swap(self, key, called):
        version, old = self.seen[key]
        return self.put(key, "swap", called,
                        f"if_seq_no={version[0]}&if_primary_term={version[1]}", old)

    def bulk(self, key, called):
        value = self.histories.new_value()
        lines = json.dumps({"index": {"_id": key}}) + "\n" + json.dumps({"value": value}) + "\n"
        status, answer = self.ask("POST", f"{INDEX}/_bulk", lines,
                                  {"Content-Type": "application/x-ndjson"})
        operation = Operation("write", called, value=value)
        if status == 200 and not answer["errors"]:
            self.histories.acknowledge(key, answer["items"][0]["index"]["_seq_no"], True)
            return DONE, operation
        if status == 200:
            status = answer["items"][0]["index"]["status"]
        return self.no_answer(status, answer), operation

    def delete(self, key, called):
        self.histories.begin_delete(key)
        status, answer = self.ask("DELETE", f"{INDEX}/_doc/{key}")
        if status == 200 or status == 404 and answer.get("result") == "not_found":
            self.histories.acknowledge(key, answer["_seq_no"], False)
            return DONE, Operation("delete", called)
        return self.no_answer(status, answer), Operation("delete", called)

    @staticmethod
    def no_answer(status, answer):
        # Of a server's faults, and where it has too much to do, nobody knows.
        if status not in (0, 429) and status < 500:
            raise AssertionError(f"{status}: {answer}")
        return UNKNOWN


class Disturber:
    """What happens to nodes meanwhile; each thing ends before the next one begins."""

    def __init__(self, group, proxies, between, rng):
        self.group, self.proxies, self.between, self.rng = group, proxies, between, rng
        self.counts = {}

    def one(self):
        what = self.rng.choice(["kill", "stall", "stop", "drain", "cut", "slow", "busy", "deaf",
                                "apart"])
        self.counts[what] = self.counts.get(what, 0) + 1
        # Mostly the one that serves.
        node = self.rng.choice(self.group.nodes)
        if self.rng.random() < 0.7:
            node = patiently(lambda: self.group.serving(self.rng.choice(self.group.nodes)), 90)
        getattr(self, what, lambda n: self.through_proxy(n, what))(node)

    def kill(self, node):
        node.kill()
        time.sleep(self.rng.uniform(0, 2))
        self.group.start(node)

    def stop(self, node):
        assert node.stop() == 0, node.log_tail(30)
        self.group.start(node)

    def stall(self, node):
        node.process.send_signal(signal.SIGSTOP)
        time.sleep(self.rng.uniform(0.1, 3 * self.group.lease_s))
        node.process.send_signal(signal.SIGCONT)

    def drain(self, node):
        other = self.rng.choice(self.group.nodes)
        try:
            listed = self.group.listed(other)[node.name]
            other.request("POST", f"/_cairn/nodes/{listed['id']}/_drain")
            time.sleep(self.rng.uniform(0.5, 3))
            other.request("POST", f"/_cairn/nodes/{listed['id']}/_resume")
        except (OSError, AssertionError, KeyError, http.client.HTTPException):
            pass  # nobody serves for a moment

    def through_proxy(self, node, mode):
        proxy = self.proxies[node.name]
        proxy.mode = mode
        time.sleep(self.rng.uniform(0.1, 3 * self.group.lease_s))
        proxy.mode = "pass"

    def apart(self, node):
        """The others do not reach it, and it reaches the cluster."""
        proxy = self.between[node.name]
        proxy.mode = self.rng.choice(["cut", "slow"])
        time.sleep(self.rng.uniform(0.1, 2 * self.group.lease_s))
        proxy.mode = "pass"


def start_nodes(group):
    """Each has a way of its own to the cluster, and the others have one to it."""
    proxies, between = {}, {}
    place = os.environ["CAIRN_TEST_STORE"].replace("{name}", f"history-{os.getpid()}")
    endpoint = urllib.parse.urlsplit(place.split("endpoint=")[1])
    for number in range(1, NODES + 1):
        proxy = FaultProxy(endpoint.hostname, endpoint.port)
        proxies[f"node-{number}"] = proxy
        port = free_port()
        between[f"node-{number}"] = FaultProxy("127.0.0.1", port)
        group.add("--set", "store.url=" + place.replace(endpoint.netloc, f"127.0.0.1:{proxy.port}"),
                  "--set", f"node.listen=127.0.0.1:{port}",
                  "--set", f"node.address=127.0.0.1:{between[f'node-{number}'].port}")
    return proxies, between


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def disturb(disturber, until, failures):
    try:
        while time.monotonic() < until:
            time.sleep(disturber.rng.uniform(0.2, 2))
            disturber.one()
    except BaseException as error:
        failures.append(error)


def live(group, proxies, between, rng, seconds):
    """Histories of many documents over `seconds` of faults, with a read of each at the end."""
    histories, keys, failures = DocumentHistories(), [], []
    disturber = Disturber(group, proxies, between, random.Random(rng.random()))
    until = time.monotonic() + seconds
    disturbing = threading.Thread(target=disturb, args=(disturber, until, failures), daemon=True)
    callers = []
    generation = 0
    while time.monotonic() < until and not failures:
        keys[:] = [f"k{generation}-{i}" for i in range(KEYS)]
        if generation == 0:
            callers = [Caller(group.nodes, keys, histories, rng.random()) for _ in range(THREADS)]
            for thread in [*callers, disturbing]:
                thread.start()
        generation += 1
        time.sleep(KEYS_S)
    disturbing.join()
    for caller in callers:
        caller.stopping.set()
    for caller in callers:
        caller.join()
        failures += [caller.failure] if caller.failure is not None else []
    if failures:
        raise failures[0]
    read_all(group, histories, rng)
    check(histories)
    return histories, disturber.counts, callers


def read_all(group, histories, rng):
    last = Caller(group.nodes, [], histories, rng.random())
    for key in list(histories.of):
        def read(key=key):
            outcome, operation = last.read(key, time.monotonic())
            operation.answered, operation.done = time.monotonic(), outcome
            if outcome is DONE:
                histories.add(key, operation)
            return outcome is DONE
        patiently(read)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float,
                        default=float(os.environ.get("CAIRN_NODES_SECONDS", "40")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CAIRN_SEED", "0")) or
                        random.SystemRandom().randrange(1, 1 << 31))
    arguments = parser.parse_args()
    check_itself()
    print(f"seed {arguments.seed} (CAIRN_SEED={arguments.seed} draws the same faults)", flush=True)
    rng = random.Random(arguments.seed)
    group = NodeGroup(arguments.binary)
    passed = False
    try:
        proxies, between = start_nodes(group)
        group.nodes[0].ok("PUT", INDEX,
                          {"mappings": {"properties": {"value": {"type": "keyword"}}}})
        histories, counts, callers = live(group, proxies, between, rng, arguments.seconds)
        known = sum(caller.known for caller in callers)
        by_replicas = sum(caller.by_replicas for caller in callers)
        operations = sum(map(len, histories.of.values()))
        faults = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
        print(f"{len(histories.of)} documents, {operations} operations ({known} answered), "
              f"{by_replicas} searches by replicas, {faults}: every history has an order", flush=True)
        assert known > 100, "next to nothing was answered"
        for node in group.nodes:
            assert node.stop() == 0, node.log_tail(30)
        passed = True
    finally:
        if not passed:
            for node in group.nodes:
                print(f"--- {node.name}, {node.folder}\n" + node.log_tail(40), file=sys.stderr)
        group.end(keep=not passed)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
