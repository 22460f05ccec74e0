#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches while the node that serves says nothing: another one answers them from the store, and
misses nothing that was acknowledged; what it cannot answer waits.

    nodes_reading_test.py BINARY        run by on_cluster.py
"""

import http.client
import json
import os
import signal
import sys
import threading
import time
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
from node_group import NodeGroup, patiently  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
LEASE_S = 30.0  # so long nobody takes over


def ask(node, method, path, body=None, key=None, timeout=20):
    """Status, answer, and whether a replica gave it; status 0 where none came in time."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(node.api).netloc, timeout=timeout)
    headers = {"Authorization": "ApiKey " + (key or node.key)}
    if body is not None and not isinstance(body, str):
        body = json.dumps(body)
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None, \
            answer.headers.get("Cairn-Replica") == "true"
    except TimeoutError:
        return 0, None, False
    finally:
        connection.close()


class Reading(unittest.TestCase):
    def setUp(self):
        self.group = NodeGroup(BINARY, LEASE_S)
        self.first, self.second = self.group.add(), self.group.add()
        patiently(lambda: '"event":"reads"' in self.second.log_tail(1000))

    def tearDown(self):
        self.first.process.send_signal(signal.SIGCONT)
        self.group.end()

    def replica(self, method, path, body=None, key=None):
        status, answer, by_replica = ask(self.second, method, path, body, key)
        self.assertEqual(status, 200, answer)
        self.assertTrue(by_replica, answer)
        return answer

    def ids(self, path, body=None, key=None):
        return {hit["_id"] for hit in self.replica("POST", path, body, key)["hits"]["hits"]}

    def test_a_silent_node_is_answered_for(self):
        first, second = self.first, self.second
        first.ok("PUT", "/old", {"mappings": {"properties": {"text": {"type": "semantic_text"}}}})
        for i in range(3):
            second.ok("PUT", f"/old/_doc/{i}", {"text": f"number {i} of the winter apples"})
        first.ok("POST", "/old/_flush")
        ended = first.ok("POST", "/_security/api_key", {"name": "ended"})
        first.ok("DELETE", "/_security/api_key", {"ids": [ended["id"]]})
        # All of this the other node has been told of by nobody.
        made = first.ok("POST", "/_security/api_key", {"name": "made"})
        first.ok("DELETE", "/old/_doc/0")
        first.ok("PUT", "/old/_doc/3", {"text": "one more"})
        first.ok("PUT", "/new/_doc/1", {"n": 1})
        first.ok("POST", "/_aliases", {"actions": [{"add": {"index": "new", "alias": "both"}},
                                                   {"add": {"index": "old", "alias": "both"}}]})
        first.ok("PUT", "/_inference/text_embedding/mine", {
            "service": "elasticsearch", "service_settings": {
                "model_id": "cairn-mini", "num_allocations": 1, "num_threads": 1}})
        patiently(lambda: not ask(second, "GET", "/old/_count")[2])

        first.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        self.assertEqual(self.ids("/old/_search", {}), {"1", "2", "3"})
        print(f"searched {time.monotonic() - began:.2f} s after the owner stood still", flush=True)
        began = time.monotonic()
        self.assertEqual(self.replica("GET", "/both/_count")["count"], 4)
        print(f"and again in {time.monotonic() - began:.3f} s", flush=True)
        self.assertEqual(self.ids("/both/_search", {"query": {"term": {"n": 1}}}, made["encoded"]),
                         {"1"})
        self.assertEqual(
            self.ids("/old/_search", {"query": {"semantic": {"field": "text", "query": "fruit"}}}),
            {"1", "2", "3"})
        lines = '{"index":"new"}\n{}\n{"index":"old"}\n{"size":0}\n'
        several = self.replica("POST", "/_msearch", lines)["responses"]
        self.assertEqual([one["hits"]["total"]["value"] for one in several], [1, 3])
        lookup = {"query": {"terms": {"n": {"index": "new", "id": "1", "path": "n"}}}}
        self.assertEqual(self.ids("/new/_search", lookup), {"1"})

        embedded = {"input": ["winter apples"]}
        answer = self.replica("POST", "/_inference/text_embedding/mine", embedded)
        self.assertEqual(len(answer["text_embedding"]), 1)
        said = {"model": ".cairn-chat", "messages": [{"role": "user", "content":
                "Context: A cairn marks the path.\n\nWhat does a cairn mark?"}]}
        chat = self.replica("POST", "/v1/chat/completions", said)
        self.assertIn("marks the path", chat["choices"][0]["message"]["content"])

        # What changes something, and what it may not say, waits.
        for method, path, body, key in (("PUT", "/new/_doc/2", {}, None),
                                        ("GET", "/absent/_count", None, None),
                                        ("POST", "/_inference/absent", embedded, None),
                                        ("POST", "/_inference/text_embedding/mine", embedded,
                                         ended["encoded"]),
                                        ("GET", "/old/_count", None, ended["encoded"]),
                                        ("POST", "/old/_search?scroll=1m", {}, None)):
            status, answer, by_replica = ask(second, method, path, body, key, timeout=2)
            self.assertEqual((status, by_replica), (0, False), (path, answer))

        first.process.send_signal(signal.SIGCONT)
        patiently(lambda: not ask(second, "GET", "/old/_count")[2])
        self.assertIs(self.group.serving(second), first)
        self.assertEqual(ask(second, "GET", "/absent/_count")[0], 404)
        self.assertEqual(ask(second, "GET", "/old/_count", key=ended["encoded"])[0], 401)
        self.assertEqual(second.ok("PUT", "/new/_doc/3", {})["result"], "created")

    def test_a_node_that_stands_by_searches_where_it_is_asked_to(self):
        first, second = self.first, self.second
        for i in range(20):
            first.ok("PUT", f"/i/_doc/{i}", {"n": i})
            self.assertIn(str(i), self.ids("/i/_search?preference=_local", {"size": 100}))
            self.assertEqual(self.replica("GET", "/i/_count?preference=_local")["count"], i + 1)
        today = urllib.parse.quote("<logs-{now/d}>", safe="")
        for i in range(3):
            first.ok("PUT", f"/{today}/_doc/{i}", {"n": i})
            self.assertIn(str(i), self.ids(f"/{today}/_search?preference=_local", {}))
            like = {"query": {"more_like_this": {
                "like": [{"_index": "i", "_id": str(i)}], "fields": ["text"], "min_term_freq": 1,
                "min_doc_freq": 1}}}
            first.ok("PUT", f"/i/_doc/{i}?refresh=false", {"text": f"apples{i}"})
            first.ok("PUT", f"/texts/_doc/{i}", {"text": f"apples{i}"})
            self.assertEqual(self.ids("/texts/_search?preference=_local", like), {str(i)})
        first.ok("DELETE", "/i")
        self.assertEqual(ask(second, "GET", "/i/_count?preference=_local")[::2], (404, False))
        self.assertFalse(ask(first, "GET", "/_search?preference=_local")[2])

    def test_a_node_whose_setting_says_so_searches_by_itself(self):
        third = self.group.add("--set", "node.local_searches=true")
        patiently(lambda: '"event":"reads"' in third.log_tail(1000))
        self.first.ok("PUT", "/i/_doc/1", {"n": 1})
        status, answer, by_replica = ask(third, "GET", "/i/_count")
        self.assertEqual((status, answer["count"], by_replica), (200, 1, True))
        # Whoever says what it prefers is heeded, and writes go where they have to.
        self.assertFalse(ask(third, "GET", "/i/_count?preference=me")[2])
        self.assertEqual(third.ok("PUT", "/i/_doc/2", {"n": 2})["result"], "created")
        self.assertEqual(ask(third, "GET", "/i/_count")[1]["count"], 2)

    def test_a_node_whose_setting_says_so_runs_endpoints_by_itself(self):
        third = self.group.add("--set", "node.local_inference=true")
        patiently(lambda: '"event":"reads"' in third.log_tail(1000))
        path, body = "/_inference/sparse_embedding/.cairn-sparse", {"input": ["winter apples"]}
        status, answer, by_replica = ask(third, "POST", path, body)
        self.assertEqual((status, by_replica), (200, True))
        self.assertEqual(ask(self.first, "POST", path, body)[1], answer)
        self.assertEqual(ask(third, "POST", "/_inference/absent", body)[::2], (404, False))
        self.assertEqual(ask(third, "POST", path, {"input": []})[::2], (400, False))
        # Whoever does not say so asks the one that serves, and so do searches.
        self.assertEqual(ask(self.second, "POST", path, body)[::2], (200, False))
        self.first.ok("PUT", "/i/_doc/1", {"n": 1})
        self.assertFalse(ask(third, "GET", "/i/_count")[2])
        # An endpoint that has just been made is known, or is asked for elsewhere.
        third.ok("PUT", "/_inference/text_embedding/mine", {
            "service": "cairn", "service_settings": {
                "model_id": "cairn-mini", "num_allocations": 1, "num_threads": 1}})
        self.assertEqual(ask(third, "POST", "/_inference/mine", body)[0], 200)
        patiently(lambda: ask(third, "POST", "/_inference/mine", body)[2])

    def test_nothing_acknowledged_is_missed_however_it_stands_still(self):
        first = self.first
        first.ok("PUT", "/i", {})
        acknowledged, stopping, failures = [], threading.Event(), []

        def write():
            number = 0
            while not stopping.is_set():
                status, answer, _ = ask(first, "PUT", f"/i/_doc/{number}", {"n": number})
                if status != 201:
                    failures.append(answer)
                acknowledged.append(str(number))
                number += 1
                if number % 40 == 0:
                    ask(first, "POST", "/i/_flush")
        writer = threading.Thread(target=write)
        writer.start()
        for _ in range(6):
            time.sleep(0.3)
            first.process.send_signal(signal.SIGSTOP)
            before = set(acknowledged)
            self.assertEqual(before - self.ids("/i/_search", {"size": 10_000}), set())
            first.process.send_signal(signal.SIGCONT)
            patiently(lambda: not ask(self.second, "GET", "/i/_count")[2])
        stopping.set()
        writer.join()
        self.assertEqual(failures, [])

    def test_what_the_owner_merges_away_is_read_on(self):
        first = self.first
        first.ok("PUT", "/i", {"mappings": {"properties": {"n": {"type": "long"}}}})
        for i in range(6):
            first.ok("PUT", f"/i/_doc/{i}", {"n": i})
            first.ok("POST", "/i/_flush")
        first.process.send_signal(signal.SIGSTOP)
        self.assertEqual(len(self.ids("/i/_search", {"query": {"range": {"n": {"gte": 0}}}})), 6)
        first.process.send_signal(signal.SIGCONT)
        patiently(lambda: not ask(self.second, "GET", "/i/_count")[2])
        first.ok("POST", "/i/_forcemerge?max_num_segments=1")
        first.ok("DELETE", "/i/_doc/5")
        first.process.send_signal(signal.SIGSTOP)
        self.assertEqual(self.ids("/i/_search", {"sort": ["n"]}), {"0", "1", "2", "3", "4"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
