#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several nodes, one store: any of them answers, one of them serves, and another one does when that
is killed, stands still, is drained or stopped.

    nodes_test.py BINARY        run by on_cluster.py

CAIRN_OTHER_BINARY: a program of the version before, with which the nodes of the test of upgrades
begin, and end; without it they are stopped and started.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import sys
import threading
import time
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402
from node_group import (NodeGroup, Writer, cairn, check_all_there, metric,  # noqa: E402
                        patiently)

BINARY = os.path.abspath(sys.argv.pop(1))
OTHER = os.path.abspath(os.environ.get("CAIRN_OTHER_BINARY", BINARY))


class Nodes(unittest.TestCase):
    def setUp(self):
        self.group = NodeGroup(BINARY)

    def tearDown(self):
        self.group.end()

    def add(self, count, *arguments):
        return [self.group.add(*arguments) for _ in range(count)]

    def test_any_node_answers(self):
        first, second = self.add(2)
        second.ok("PUT", "/notes/_doc/1?refresh=true", {"text": "through the second"})
        for node in (first, second):
            self.assertEqual(node.ok("GET", "/notes/_count")["count"], 1)
            status, _ = node.request("GET", "/notes", headers={"Authorization": "ApiKey no"})
            self.assertEqual(status, 401)
            self.assertEqual(node.request("GET", "/_health/ready")[0], 200)
            self.assertEqual(node.request("GET", "/_health/live")[0], 200)
        listed = self.group.listed(second)
        self.assertEqual({n: one["role"] for n, one in listed.items()},
                         {"node-1": "serving", "node-2": "standing_by"})
        # Clients that look for nodes find both by their addresses.
        found = second.ok("GET", "/_nodes/http")
        self.assertEqual(found["_nodes"], {"total": 2, "successful": 2, "failed": 0})
        self.assertEqual({one["http"]["publish_address"] for one in found["nodes"].values()},
                         {urllib.parse.urlsplit(n.api).netloc for n in (first, second)})
        health = first.ok("GET", "/_cluster/health?wait_for_nodes=2&timeout=1s")
        self.assertEqual((health["number_of_nodes"], health["timed_out"]), (2, False))
        self.assertEqual(first.request("GET", "/_cluster/health?wait_for_nodes=3&timeout=10ms")[0],
                         408)
        rows = first.ok("GET", "/_cat/nodes?format=json&h=name,master,pid,http,disk.total")
        self.assertEqual({(row["name"], row["master"], row["pid"]) for row in rows},
                         {("node-1", "*", str(first.process.pid)),
                          ("node-2", "-", str(second.process.pid))})
        self.assertEqual(len(first.ok("GET", "/_cluster/state/nodes")["nodes"]), 2)
        self.assertEqual(len(first.ok("GET", "/_nodes/node-2")["nodes"]), 1)
        # The console comes from either, and so do streams.
        for node in (first, second):
            connection = node.connect()
            connection.request("GET", "/_console/")
            self.assertEqual(connection.getresponse().status, 200)
        connection = second.connect(30)
        connection.request("GET", "/_cairn/events?topics=overview",
                           headers={"Authorization": "ApiKey " + second.key})
        stream = connection.getresponse()
        self.assertEqual(stream.status, 200)
        self.assertTrue(stream.readline())
        # Its buckets are not there.
        status, _ = self.ask_objects(second)
        self.assertEqual(status, 503)
        self.assertEqual(first.stop(), 0)
        self.assertEqual(patiently(lambda: self.group.serving(second)), second)
        self.assertEqual(second.ok("GET", "/notes/_count")["count"], 1)
        self.assertEqual(second.stop(), 0)

    @staticmethod
    def ask_objects(node):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(node.objects).netloc)
        connection.request("GET", "/")
        answer = connection.getresponse()
        return answer.status, answer.read()

    def test_the_audit_log_sees_the_client(self):
        first, second = self.add(2)
        # What a client writes into the field of nodes is nothing.
        status, _ = second.request("GET", "/notes", headers={
            "Authorization": "ApiKey no", "Cairn-Forwarded": "client=9.9.9.9; id=forged"})
        self.assertEqual(status, 401)
        events = patiently(lambda: first.ok("GET", "/_cairn/audit?size=50")["events"])
        self.assertEqual([one["origin.address"] for one in events][0].rsplit(":", 1)[0],
                         "127.0.0.1", events)

    def test_a_killed_node_is_followed_and_nothing_is_lost(self):
        nodes = self.add(3)
        nodes[0].ok("PUT", "/notes", {})
        writers = [Writer(nodes, f"w{i}") for i in range(3)]
        for writer in writers:
            writer.start()
        for _ in range(3):
            time.sleep(1)
            serving = self.group.serving(next(n for n in nodes if n.process.poll() is None))
            serving.kill()
            left = next(node for node in nodes if node is not serving)
            patiently(lambda: self.group.serving(left) is not serving)
            self.group.start(serving)
        for writer in writers:
            writer.end()
        check_all_there(nodes[1], writers)
        print(f"longest wait of a write over a kill: {max(w.longest_s for w in writers):.2f} s",
              flush=True)
        for node in nodes:
            self.assertEqual(node.stop(), 0)

    def test_one_that_stood_still_changes_nothing_and_goes_on_as_another_node(self):
        first, second = self.add(2)
        first.ok("PUT", "/notes/_doc/1", {"text": "kept"})
        first.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        patiently(lambda: second.request("PUT", "/notes/_doc/2", {"text": "of the second"})[0] == 201)
        took = time.monotonic() - began
        print(f"followed after {took:.1f} s with a lease of {self.group.lease_s} s", flush=True)
        # One more on its way to the one that stands still, which must not be old when it comes.
        waiting = {}

        def read():
            waiting["answer"] = first.request("GET", "/notes/_doc/2")
        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(0.2)
        first.process.send_signal(signal.SIGCONT)
        reader.join()
        self.assertEqual(waiting["answer"][0], 200, waiting)
        self.assertEqual(waiting["answer"][1]["_source"]["text"], "of the second")
        self.assertEqual(first.ok("PUT", "/notes/_doc/3", {})["result"], "created")
        self.assertEqual(self.group.serving(first), second)
        patiently(lambda: len(self.group.listed(second)) == 2)
        self.assertEqual(second.ok("GET", "/notes/_doc/1")["_source"]["text"], "kept")
        self.assertEqual(first.stop(), 0)
        self.assertEqual(second.stop(), 0)

    def replace(self, nodes, binary):
        """Drains, stops and starts each with that program."""
        for node in nodes:
            other = next(one for one in nodes if one is not node)
            code, _, said = cairn(other, "node", "drain", node.name)
            self.assertEqual(code, 0, said)
            self.assertIn("may be stopped", said)
            self.assertIsNot(self.group.serving(other), node)
            self.assertTrue(self.group.listed(other)[node.name]["draining"])
            # It answers on, by the others.
            self.assertEqual(node.request("GET", "/notes/_count")[0], 200)
            self.assertEqual(node.stop(), 0)
            node.binary = binary
            self.group.start(node)
            patiently(lambda: not self.group.listed(other)[node.name]["draining"])

    def test_upgraded_one_after_another_under_load(self):
        self.group = NodeGroup(OTHER)
        nodes = self.add(3)
        nodes[0].ok("PUT", "/notes", {"mappings": {"properties": {"n": {"type": "long"}}}})
        nodes[0].ok("PUT", "/texts", {"mappings": {"properties": {
            "text": {"type": "semantic_text"}}}})
        nodes[1].ok("PUT", "/texts/_doc/1", {"text": "apples in winter"})
        key = nodes[2].ok("POST", "/_security/api_key", {"name": "of before"})["encoded"]
        writers = [Writer(nodes, f"w{i}") for i in range(2)]
        for writer in writers:
            writer.start()
        self.replace(nodes, BINARY)
        if OTHER != BINARY:
            self.replace(nodes, OTHER)
        for writer in writers:
            writer.end()
        check_all_there(nodes[0], writers)
        longest = max(writer.longest_s for writer in writers)
        print(f"longest wait of a write over hand-overs of all nodes: {longest:.2f} s", flush=True)
        like = {"query": {"semantic": {"field": "text", "query": "fruit"}}}
        for node in nodes:
            status, answer = node.request("POST", "/texts/_search", like,
                                          headers={"Authorization": "ApiKey " + key})
            self.assertEqual((status, len(answer["hits"]["hits"])), (200, 1))
        code, shown, _ = cairn(nodes[2], "node", "list")
        self.assertEqual(code, 0)
        self.assertEqual(shown.count("standing_by"), 2)
        self.assertEqual(shown.count("serving"), 1)
        for node in nodes:
            self.assertEqual(node.stop(), 0)

    def test_drain_and_resume(self):
        first, second = self.add(2)
        code, _, said = cairn(first, "node", "drain", "nobody")
        self.assertEqual(code, 1)
        self.assertIn("there is no node [nobody]", said)
        self.assertEqual(cairn(second, "node", "drain", "node-2")[0], 0)
        self.assertIs(self.group.serving(first), first)
        # With the other one drained nobody could go on: it serves on, and says so.
        code, _, said = cairn(first, "node", "drain", "node-1", "--wait", "2s")
        self.assertEqual(code, 1)
        self.assertIn("still serves", said)
        self.assertEqual(first.ok("PUT", "/notes/_doc/1", {})["result"], "created")
        first.ok("POST", "/notes/_search?scroll=10m", {})
        patiently(lambda: metric(first, "cairn_search_open_contexts") == 1)
        self.assertEqual(cairn(first, "node", "resume", "node-2")[0], 0)
        patiently(lambda: self.group.serving(first) is second)
        self.assertEqual(first.ok("GET", "/notes/_doc/1")["found"], True)
        # What it served is not among its own figures any more.
        for name in ("cairn_search_open_contexts", "cairn_async_searches", "cairn_sessions",
                     "cairn_backup_last_size_bytes"):
            self.assertEqual(metric(first, name), 0)

    def test_other_keys_are_refused_at_once(self):
        first, = self.add(1)
        stranger = Cairn(BINARY)
        stranger.store = first.store
        self.addCleanup(shutil.rmtree, stranger.folder, True)
        with self.assertRaises(RuntimeError) as refused:
            stranger.start()
        self.assertIn("must be copied to", str(refused.exception))
        os.makedirs(os.path.join(stranger.data, "keys"), mode=0o700, exist_ok=True)
        with open(os.path.join(stranger.data, "keys/master.key"), "w") as file:
            file.write("A" * 43 + "=\n")
        os.chmod(file.name, 0o600)
        with self.assertRaises(RuntimeError) as refused:
            stranger.start()
        self.assertIn("must be copied to", str(refused.exception))

    def test_one_folder_has_one_node(self):
        first, = self.add(1)
        twin = Cairn(BINARY, folder=first.folder)
        twin.store = first.store
        with self.assertRaises(RuntimeError) as refused:
            twin.start()
        self.assertIn("is in use by another node", str(refused.exception))
        first.process.kill()
        first.process.wait()

    def test_the_port_for_nodes_is_for_nodes(self):
        first, second = self.add(2)
        address = self.group.listed(first)["node-1"]["address"]
        host, port = address.rsplit(":", 1)
        plain = http.client.HTTPConnection(host, int(port), timeout=10)
        with self.assertRaises((OSError, http.client.HTTPException)):
            plain.request("GET", "/")
            plain.getresponse()
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with self.assertRaises(OSError):
            context.wrap_socket(socket.create_connection((host, int(port)), 10))

    def test_the_master_key_is_changed_while_no_other_node_has_it(self):
        first, second = self.add(2)
        code, _, said = cairn(first, "key", "rotate", "--master")
        self.assertEqual(code, 1)
        self.assertIn("node-2", said)
        self.assertEqual(second.stop(), 0)
        patiently(lambda: len(self.group.listed(first)) == 1)
        self.assertEqual(cairn(first, "key", "rotate", "--master")[0], 0)
        with self.assertRaises(RuntimeError) as refused:
            self.group.start(second)
        self.assertIn("must be copied to", str(refused.exception))
        shutil.copy(os.path.join(first.data, "keys/master.key"),
                    os.path.join(second.data, "keys/master.key"))
        self.group.start(second)
        self.assertEqual(first.stop(), 0)
        patiently(lambda: self.group.serving(second) is second)

    def test_large_bodies_pass_through_a_node_that_stands_by(self):
        _, second = self.add(2)
        lines = []
        for i in range(20_000):
            lines += [json.dumps({"index": {"_index": "notes", "_id": str(i)}}),
                      json.dumps({"text": f"note {i} " + "x" * 200})]
        body = "\n".join(lines) + "\n"
        self.assertGreater(len(body), 4 << 20)
        answer = second.ok("POST", "/_bulk?refresh=true", body,
                           headers={"Content-Type": "application/x-ndjson"})
        self.assertFalse(answer["errors"])
        found = second.ok("POST", "/notes/_search", {"size": 10_000})
        self.assertEqual(len(found["hits"]["hits"]), 10_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
