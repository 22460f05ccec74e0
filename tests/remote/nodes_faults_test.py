#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several nodes, one store, and what is wrong around them: clocks that stand hours apart or are set
right meanwhile, a Redis of the limits that goes and comes back, and one kill -9 after another.

    nodes_faults_test.py BINARY        run by on_cluster.py

CAIRN_NODES_KILLS (3): how many nodes are killed; CAIRN_SEED: when.
"""

import calendar
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from fault_proxy import FaultProxy  # noqa: E402
from node_group import (NodeGroup, Writer, cairn, check_all_there, lost,  # noqa: E402
                        metric, patiently)

BINARY = os.path.abspath(sys.argv.pop(1))
HOUR_S = 3600
CLOCKS_LEASE_S = 4.0  # nobody may lose it because the machine is busy


def other_clock(**settings):
    """The environment of a process whose wall clock libfaketime (Debian's package) sets. The steady
    clock stays the machine's, as where a date is wrong and nothing else."""
    files = subprocess.run(["dpkg", "-L", "libfaketime"], capture_output=True, text=True).stdout
    libraries = [one for one in files.split() if one.endswith("/libfaketime.so.1")]
    if not libraries:
        raise unittest.SkipTest("faketime is not installed")
    return {"LD_PRELOAD": libraries[0], "FAKETIME_DONT_FAKE_MONOTONIC": "1", **settings}


class SettableClock:
    """A wall clock that can be set while processes go by it."""

    def __init__(self, ahead_s):
        self.folder = tempfile.mkdtemp(prefix="cairn-clock-")
        self.file = os.path.join(self.folder, "clock")
        self.set(ahead_s)
        self.environment = other_clock(FAKETIME_TIMESTAMP_FILE=self.file, FAKETIME_NO_CACHE="1")

    def set(self, ahead_s):
        with open(self.file + ".new", "w") as file:
            file.write(f"{ahead_s:+d}\n")
        os.rename(self.file + ".new", self.file)

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Redis:
    """A redis-server of the test's own, with a way to it that can be cut."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-redis-")
        self.process = None
        for _ in range(10):  # another one may take the port first
            with socket.socket() as held:
                held.bind(("127.0.0.1", 0))
                self.port = held.getsockname()[1]
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                 "--appendonly", "no", "--maxmemory-policy", "noeviction", "--dir", self.folder],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if patiently(lambda: self.process.poll() is not None or self.answers()) and \
                    self.process.poll() is None:
                break
        else:
            raise RuntimeError("redis-server does not start")
        self.way = FaultProxy("127.0.0.1", self.port)

    def answers(self):
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"

    def end(self):
        self.way.end()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Counted:
    """Somebody with a limit, who asks one node after another and keeps what the answers say."""

    def __init__(self, nodes, name):
        self.nodes, self.name = nodes, name
        self.turn, self.uses, self.refusals = 0, [], 0
        made = nodes[0].ok("POST", "/_security/api_key", {
            "name": name, "metadata": {"_cairn": {"identity": {"kind": "user", "user": name}}}})
        self.headers = {"Authorization": "ApiKey " + made["encoded"]}

    def ask(self):
        """True where it was admitted. Nodes that are not there are left out."""
        self.turn += 1
        node = self.nodes[self.turn % len(self.nodes)]
        if node.process.poll() is not None:
            return self.ask()
        connection = node.connect()
        connection.request("GET", "/_cluster/health", headers=self.headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status == 429:
            assert answer.headers["x-ratelimit-remaining"] == "0", answer.headers.items()
            self.refusals += 1
            return False
        assert answer.status == 200, (answer.status, body)
        self.uses.append(int(answer.headers["x-ratelimit-used"]))
        return True

    def ask_often(self, count):
        for _ in range(count):
            assert self.ask(), f"refused after {len(self.uses)}"

    def ask_until_refused(self):
        """How many were admitted before each node refused."""
        before = len(self.uses)
        refused_in_turn = 0
        while refused_in_turn < len(self.nodes):
            refused_in_turn = 0 if self.ask() else refused_in_turn + 1
        return len(self.uses) - before

    def shown(self, asked):
        return asked.ok("GET", "/_cairn/limits/user:" + self.name)


def events(node, name):
    """What the log of a node says of an event."""
    with open(os.path.join(node.folder, "log"), errors="replace") as file:
        lines = [json.loads(line) for line in file if line.startswith("{")]
    return [line for line in lines if line["event"] == name]


class Faults(unittest.TestCase):
    def setUp(self):
        self.group = NodeGroup(BINARY)
        self.addCleanup(self.group.end)

    def drain(self, node, asked):
        code, _, said = cairn(asked, "node", "drain", node.name)
        self.assertEqual(code, 0, said)

    def set_draining(self, node, draining, asked):
        """Of one that does not serve, for which nobody has to wait."""
        node_id = self.group.listed(asked)[node.name]["id"]
        asked.ok("POST", f"/_cairn/nodes/{node_id}/{'_drain' if draining else '_resume'}")
        patiently(lambda: self.group.listed(asked)[node.name]["draining"] is draining)

    def hand_over(self, to, kill):
        """Makes the store that node's: the one that serves is drained, or killed."""
        serving = self.group.serving(to)
        third, = [node for node in self.group.nodes if node is not to and node is not serving]
        self.set_draining(third, True, to)  # only that node may follow
        if kill:
            serving.kill()
        else:
            self.drain(serving, to)
        patiently(lambda: self.group.serving(to) is to)
        if kill:
            self.group.start(serving)
            patiently(lambda: serving.name in self.group.listed(to))
        else:
            self.set_draining(serving, False, to)
        self.set_draining(third, False, to)

    def test_clocks_that_are_an_hour_apart(self):
        self.group.lease_s = CLOCKS_LEASE_S
        right = self.group.add()
        ahead = self.group.add(environment=other_clock(FAKETIME=f"+{HOUR_S}"))
        behind = self.group.add(environment=other_clock(FAKETIME=f"-{HOUR_S}"))
        nodes = [right, ahead, behind]
        # The clocks are what this test is about.
        for node, wanted in ((right, 0), (ahead, HOUR_S), (behind, -HOUR_S)):
            said = events(node, "ready")[0]["time"]
            at = calendar.timegm(time.strptime(said[:19], "%Y-%m-%dT%H:%M:%S"))
            self.assertLess(abs(at - time.time() - wanted), 600)
        for node in nodes:
            self.assertEqual({name: one["role"] for name, one in self.group.listed(node).items()},
                             {"node-1": "serving", "node-2": "standing_by",
                              "node-3": "standing_by"})
        right.ok("PUT", "/notes", {})
        key = right.ok("POST", "/_security/api_key", {"name": "half an hour", "expiration": "30m"})
        long_key = right.ok("POST", "/_security/api_key", {"name": "a day", "expiration": "1d"})
        writers = [Writer(nodes, f"w{i}") for i in range(2)]
        for writer in writers:
            writer.start()
        # Nobody takes the store from one that lives, whoever looks at it with which clock.
        first_id = self.group.listed(right)["node-1"]["id"]
        until = time.monotonic() + 1.5 * self.group.lease_s
        while time.monotonic() < until:
            for node in nodes:
                listed = self.group.listed(node)
                self.assertEqual(len(listed), 3)
                self.assertEqual((listed["node-1"]["id"], listed["node-1"]["role"]),
                                 (first_id, "serving"))
            time.sleep(0.1)
        rows = behind.ok("GET", "/_cat/nodes?format=json&h=name,uptime&time=ms")
        for row in rows:
            self.assertTrue(1_000 < int(row["uptime"]) < 600_000, rows)
        served = ["node-1"]
        for kill in (False, True):
            for node in (ahead, right, behind, ahead, behind, right):
                self.hand_over(node, kill)
                served.append(node.name)
                # An expiry is a time of day: it goes by the clock of the node that serves.
                for each, lives in ((key, node is not ahead), (long_key, True)):
                    status, _ = behind.request("GET", "/_security/_authenticate", headers={
                        "Authorization": "ApiKey " + each["encoded"]})
                    self.assertEqual(status, 200 if lives else 401)
        for writer in writers:
            writer.end()
        for node in nodes:
            check_all_there(node, writers)
        print(f"clocks an hour apart, longest wait of a write over {len(served) - 1} hand-overs: "
              f"{max(writer.longest_s for writer in writers):.2f} s", flush=True)
        # Nothing changed hands besides, and only who was killed was found to have ended.
        self.assertEqual({node.name: len(events(node, "serves")) for node in nodes},
                         {node.name: served.count(node.name) for node in nodes})
        for node in nodes:
            for ended in events(node, "node_ended"):
                self.assertEqual(ended["reason"], "its process is gone")
            self.assertEqual(events(node, "step_failed"), [])
            self.assertEqual(node.stop(), 0)

    def test_a_clock_that_is_set_while_its_node_serves(self):
        clock = SettableClock(HOUR_S)
        self.addCleanup(clock.end)
        self.group.lease_s = CLOCKS_LEASE_S
        first = self.group.add(environment=clock.environment)
        second = self.group.add()
        first.ok("PUT", "/notes", {})
        node_id = self.group.listed(second)["node-1"]["id"]
        writers = [Writer([first, second], f"w{i}") for i in range(2)]
        for writer in writers:
            writer.start()
        # Set right; for longer than the second one waits for one that is silent.
        clock.set(0)
        until = time.monotonic() + 1.6 * self.group.lease_s
        while time.monotonic() < until:
            self.check_serves_on(first, second, node_id)
            time.sleep(0.1)
        # And wrong again.
        clock.set(-HOUR_S)
        there = [len(writer.acknowledged) for writer in writers]
        patiently(lambda: all(len(writer.acknowledged) > count + 1
                              for writer, count in zip(writers, there)))
        self.check_serves_on(first, second, node_id)
        for writer in writers:
            writer.end()
        check_all_there(second, writers)
        print(f"clock set by an hour, longest wait of a write: "
              f"{max(writer.longest_s for writer in writers):.2f} s", flush=True)
        self.assertEqual(events(second, "node_ended"), [])
        # Each finding is told once, in seconds.
        told = [round(one["service_ahead_seconds"] / 60) for one in events(first, "clock_differs")]
        self.assertEqual(told, [-60, 60])
        self.assertEqual(len(events(first, "clock_agrees")), 1)
        self.assertEqual(events(second, "clock_differs"), [])
        for node in (first, second):
            self.assertEqual(node.stop(), 0)

    def check_serves_on(self, node, asked, node_id):
        listed = self.group.listed(asked).get(node.name, {})
        self.assertEqual((listed.get("id"), listed.get("role")), (node_id, "serving"),
                         node.log_tail(3))

    def add_limited(self, redis, limit, timeout_ms):
        return [self.group.add(
            "--set", "rate_limit.store.kind=redis",
            "--set", f"rate_limit.store.urls=redis://127.0.0.1:{redis.way.port}/0",
            "--set", f"rate_limit.store.timeout_ms={timeout_ms}",
            "--set", f"rate_limit.plans.user={limit}") for _ in range(3)]

    def test_a_limit_in_redis_holds_over_take_overs(self):
        limit = 90
        redis = Redis()
        self.addCleanup(redis.end)
        # Long enough for a machine that is busy: the count shall be exact.
        nodes = self.add_limited(redis, limit, timeout_ms=30_000)
        ann = Counted(nodes, "ann")
        ann.ask_often(limit // 3)
        killed = self.group.serving(nodes[0])
        killed.kill()
        ann.ask_often(limit // 3)
        self.group.start(killed)
        serving = self.group.serving(killed)
        self.assertIsNot(serving, killed)
        self.drain(serving, killed)
        ann.ask_until_refused()
        self.assertIsNot(self.group.serving(killed), serving)
        # Each was one more, whoever counted it.
        self.assertEqual(ann.uses, list(range(1, limit + 1)))
        shown = ann.shown(killed)
        self.assertEqual((shown["store"], shown["windows"]["core"]["used"]), ("redis", limit))
        # A Redis that is slow is waited for.
        redis.way.mode = "slow"
        ben = Counted(nodes, "ben")
        ben.ask_often(len(nodes))
        self.assertEqual(ben.uses, [1, 2, 3])
        for node in nodes:
            self.assertEqual(events(node, "store_away"), [])
            self.assertEqual(node.stop(), 0)

    def test_limits_while_redis_is_cut_off(self):
        limit = 60
        share = limit // 2  # of rate_limit.store.nodes as it comes
        redis = Redis()
        self.addCleanup(redis.end)
        nodes = self.add_limited(redis, limit, timeout_ms=2_000)
        ann, ben, cyd = (Counted(nodes, name) for name in ("ann", "ben", "cyd"))
        ann.ask_often(limit // 3)
        redis.way.mode = "cut"
        doctor = self.ask_doctor(redis)
        # The node that serves gives away its share of what was left, and no more.
        first = self.group.serving(nodes[0])
        self.assertEqual(ann.ask_until_refused(), (limit - limit // 3) // 2)
        self.assertEqual(ben.ask_until_refused(), share)
        self.check_told(first, ann, is_away=True)
        # A node that hands over tells the next one what it gave away, and does without nothing more.
        self.drain(first, first)
        self.assertEqual(metric(first, "cairn_ratelimit_fallback_active"), 0)
        second = self.group.serving(first)
        self.assertEqual((ann.ask_until_refused(), ben.ask_until_refused()), (0, 0))
        self.assertEqual(cyd.ask_until_refused(), share)
        self.check_told(second, ann, is_away=True)
        # Of one that is killed the last seconds are lost: the next one may give its share again.
        self.assertEqual(cairn(first, "node", "resume", first.name)[0], 0)
        second.kill()
        again = {one.name: one.ask_until_refused() for one in (ann, ben, cyd)}
        for name, count in again.items():
            self.assertLessEqual(count, share, name)
        third = self.group.serving(first)
        self.assertEqual(doctor(), "fault")
        redis.way.mode = "pass"
        # What was counted apart comes into Redis, and the rest is given away once.
        for one in (ann, ben, cyd):
            known = min(limit, len(one.uses) - again[one.name])
            patiently(lambda one=one, known=known: one.shown(third)["store"] == "redis" and
                      one.shown(third)["windows"]["core"]["used"] >= known)
            one.ask_until_refused()
            self.assertLessEqual(len(one.uses), limit + again[one.name])
        self.check_told(third, ann, is_away=False)
        self.group.start(second)
        self.drain(third, second)
        dan = Counted(nodes, "dan")
        dan.ask_until_refused()
        self.assertEqual(dan.uses, list(range(1, limit + 1)))

    def check_told(self, serving, of, is_away):
        """The log, the metrics, and what is shown of an identity say how it is."""
        self.assertEqual(of.shown(serving)["store"], "away" if is_away else "redis")
        self.assertEqual(metric(serving, "cairn_ratelimit_fallback_active"), int(is_away))
        self.assertGreater(metric(serving, "cairn_ratelimit_decided_apart_total"), 0)
        self.assertGreater(metric(serving, "cairn_ratelimit_store_failures_total"), 0)
        if not is_away:
            self.assertGreater(metric(serving, "cairn_ratelimit_merged_windows_total"), 0)
        self.assertEqual(len(events(serving, "store_away" if is_away else "store_back")), 1)

    def ask_doctor(self, redis):
        """What `cairn doctor` finds of Redis: a function that waits for it."""
        asked = subprocess.Popen(
            [BINARY, "doctor", "--json", "--data", redis.folder, "--set",
             "rate_limit.store.kind=redis", "--set",
             f"rate_limit.store.urls=redis://127.0.0.1:{redis.way.port}/0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        def health():
            found = json.loads(asked.communicate(timeout=120)[0])["findings"]
            return next(one["health"] for one in found if one["subject"] == "redis")
        return health

    def test_one_kill_after_another(self):
        rounds = int(os.environ.get("CAIRN_NODES_KILLS", "3"))
        seed = int(os.environ.get("CAIRN_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
        print(f"seed {seed}", flush=True)
        rng = random.Random(seed)
        self.group.lease_s = 10.0  # as it comes
        nodes = [self.group.add() for _ in range(3)]
        nodes[0].ok("PUT", "/notes", {})
        writers = [Writer(nodes, f"w{i}") for i in range(2)]
        for writer in writers:
            writer.start()
        waits = []
        for number in range(rounds):
            time.sleep(rng.uniform(0, 0.5))
            killed = self.group.serving(nodes[number % len(nodes)])
            left = next(node for node in nodes if node is not killed)
            for writer in writers:
                writer.longest_s = 0.0
            there = [len(writer.acknowledged) for writer in writers]
            killed.kill()
            # Of the first one the answer may have been on its way.
            patiently(lambda: all(len(writer.acknowledged) > count + 1
                                  for writer, count in zip(writers, there)), 120)
            waits.append(max(writer.longest_s for writer in writers))
            copy = left.ok("GET", "/notes/_recovery")["notes"]["shards"][0]
            replay_s = copy["total_time_in_millis"] / 1000
            self.assertLess(waits[-1], 15 + replay_s, f"round {number}")
            self.assertEqual(lost(left, writers), [], f"round {number}")
            self.group.start(killed)
            patiently(lambda: killed.name in self.group.listed(left))
        for writer in writers:
            writer.end()
        check_all_there(nodes[0], writers)
        written = sum(len(writer.acknowledged) for writer in writers)
        print(f"{rounds} kills, {written} documents; the wait of a write: longest "
              f"{max(waits):.2f} s, mean {sum(waits) / len(waits):.2f} s", flush=True)
        for node in nodes:
            self.assertEqual(node.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
