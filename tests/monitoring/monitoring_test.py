#!/usr/bin/env python3
"""What is shipped to watch a server, against a running one: promtool reads its metrics, the rules and their unit
tests; every metric that rules and board name is printed; a Prometheus scrapes it and evaluates the rules.

    monitoring_test.py CAIRN
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests/monitoring")]
import prometheus_text  # noqa: E402
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = sys.argv[1]
SHIPPED = os.path.join(ROOT, "packaging/monitoring")
RULES = os.path.join(SHIPPED, "cairn.rules.yml")
RULES_TEST = os.path.join(ROOT, "tests/monitoring/cairn.rules_test.yml")
NAME = re.compile(r"\b(?:[a-z]+:)?(?:cairn|process)_[a-z0-9_]+(?::[a-z0-9_]+)?\b")


def promtool(*arguments, **more):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=120,
                          **more)
    return done.returncode, done.stdout + done.stderr


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def metrics_of(cairn, key=None):
    headers = {"Authorization": "ApiKey " + key} if key else None
    status, text = cairn.request("GET", "/_metrics", headers=headers)
    assert status == 200, text
    return text


def until(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, what
        time.sleep(0.1)


def rules():
    with open(RULES) as file:
        return [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]


def board():
    with open(os.path.join(SHIPPED, "grafana-board.json")) as file:
        return json.load(file)


def board_expressions():
    return [target["expr"] for panel in board()["panels"] for target in panel.get("targets", [])]


def plain(expression):
    """As Grafana would send it."""
    return expression.replace("$__rate_interval", "5m").replace("$job", ".*").replace(
        "$instance", ".*")


class Shipped(unittest.TestCase):
    """What needs no server."""

    def test_rules_are_in_order(self):
        status, said = promtool("check", "rules", RULES)
        self.assertEqual(status, 0, said)
        names = [rule.get("alert") or rule["record"] for rule in rules()]
        self.assertEqual(len(names), len(set(names)))
        for rule in rules():
            if "alert" in rule:
                self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))
                self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"])

    def test_alerts_fire_and_are_quiet(self):
        status, said = promtool("test", "rules", RULES_TEST)
        self.assertEqual(status, 0, said)

    def test_every_rule_has_a_test(self):
        with open(RULES_TEST) as file:
            text = file.read()
        for rule in rules():
            name = rule.get("alert") or rule["record"]
            if "alert" in rule:
                self.assertIn(f'ALERTS{{alertname="{name}"', text)
            else:
                self.assertRegex(text, rf"expr: (round\()?{re.escape(name)}\b")

    def test_a_wrong_rule_would_be_found(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "cairn.rules.yml")
            with open(RULES) as file:
                text = file.read()
            with open(broken, "w") as file:
                file.write(text.replace("expr: cairn_ready == 0", "expr: cairn_ready == 2"))
            with open(RULES_TEST) as file:
                tests = file.read().replace("../../packaging/monitoring/cairn.rules.yml", broken)
            with open(os.path.join(folder, "tests.yml"), "w") as file:
                file.write(tests)
            status, said = promtool("test", "rules", os.path.join(folder, "tests.yml"))
            self.assertNotEqual(status, 0)
            self.assertIn("CairnNotReady", said)

    def test_example_of_a_prometheus(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("prometheus.yml", "cairn.rules.yml"):
                shutil.copy(os.path.join(SHIPPED, name), folder)
            with open(os.path.join(folder, "cairn.key"), "w") as file:
                file.write("x")
            status, said = promtool("check", "config", os.path.join(folder, "prometheus.yml"))
            self.assertEqual(status, 0, said)

    def test_board_is_in_order(self):
        one = board()
        panels = one["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken = set()
        for panel in panels:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    taken.add((x, y))
            if panel["type"] != "row":
                self.assertTrue(panel["targets"], panel["title"])
                self.assertIn(panel["type"], ("timeseries", "stat", "table"))
        variables = {variable["name"] for variable in one["templating"]["list"]}
        used = set(re.findall(r"\$\{?([a-z]+)", json.dumps(panels)))
        self.assertLessEqual(used, variables)

    def test_expressions_of_the_board(self):
        """promtool has no check of a single expression: as recordings it reads them."""
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"groups": [{"name": "board", "rules": [
                {"record": f"panel:expression{i}", "expr": plain(text)}
                for i, text in enumerate(board_expressions())]}]}, file)
            file.flush()
            status, said = promtool("check", "rules", file.name)
        self.assertEqual(status, 0, said)
        self.assertGreater(len(board_expressions()), 50)


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cairn = Cairn(BINARY).start()
        objects = Objects(cls.cairn)
        assert objects.ask("PUT", "/photos").status == 200
        for i in range(3):
            assert objects.ask("PUT", f"/photos/{i}", body=b"x" * 1000).status == 200
        cls.cairn.ok("PUT", "/books/_doc/1?refresh=true", {"title": "one"})
        cls.cairn.ok("POST", "/books/_search", {"query": {"match": {"title": "one"}}})
        cls.cairn.request("GET", "/books/_doc/2")
        cls.cairn.ok("POST", "/_inference/sparse_embedding/.cairn-sparse", {"input": ["one"]})
        cls.cairn.request("POST", "/_inference/rerank/.cairn-sparse", {"input": ["one"], "query": "q"})

    @classmethod
    def tearDownClass(cls):
        cls.cairn.stop()

    def families(self):
        return prometheus_text.parse(metrics_of(self.cairn))

    def test_promtool_takes_the_metrics(self):
        status, said = promtool("check", "metrics", input=metrics_of(self.cairn))
        self.assertEqual((status, said), (0, ""))

    def test_what_rules_and_board_name_is_printed(self):
        families = self.families()
        known = set(families) | {"ALERTS"}
        for name, family in families.items():
            if family.kind == "histogram":
                known |= {name + end for end in ("_bucket", "_sum", "_count")}
        known |= {rule["record"] for rule in rules() if "record" in rule}
        variables = [v["definition"] for v in board()["templating"]["list"] if "definition" in v]
        named = 0
        for text in [rule["expr"] for rule in rules()] + board_expressions() + variables:
            for name in NAME.findall(text):
                named += 1
                self.assertIn(name, known, text)
        self.assertGreater(named, 100)

    def test_what_happened_is_counted(self):
        families, value = self.families(), prometheus_text.value
        self.assertEqual(value(families, "cairn_index_documents", index="books"), 1)
        self.assertGreater(value(families, "cairn_index_bytes", index="books"), 0)
        self.assertEqual(value(families, "cairn_bucket_objects", bucket="photos"), 3)
        self.assertEqual(value(families, "cairn_bucket_bytes", bucket="photos"), 3000)
        self.assertEqual(value(families, "cairn_buckets_uncounted"), 0)
        self.assertEqual(value(families, "cairn_http_requests_total", surface="api",
                               operation="get", status="4xx"), 1)
        self.assertEqual(value(families, "cairn_http_requests_total", surface="objects",
                               operation="PutObject", status="2xx"), 3)
        self.assertGreaterEqual(value(families, "cairn_inference_requests_total",
                                      endpoint=".cairn-sparse", result="ok"), 1)
        self.assertEqual(value(families, "cairn_index_operations_total", kind="index"), 1)
        self.assertGreaterEqual(value(families, "cairn_index_refreshes_total"), 1)
        self.assertGreater(value(families, "cairn_ratelimit_decisions_total", result="admitted"), 3)
        self.assertGreater(value(families, "cairn_objectstore_cache_requests_total", result="hit"), 0)
        self.assertGreater(value(families, "process_resident_memory_bytes"), 1 << 20)
        self.assertAlmostEqual(value(families, "process_start_time_seconds"), time.time(), delta=120)
        self.assertGreater(value(families, "process_open_fds"), 5)
        self.assertGreater(value(families, "process_threads"), 3)
        self.assertEqual(len(families["cairn_build_info"].samples), 1)

    def test_a_prometheus_watches_it(self):
        folder = tempfile.mkdtemp(prefix="cairn-prometheus-")
        shutil.copy(RULES, folder)
        with open(os.path.join(SHIPPED, "prometheus.yml")) as file:
            settings = yaml.safe_load(file)
        settings["global"] = {"scrape_interval": "500ms", "evaluation_interval": "500ms"}
        settings["scrape_configs"][0]["static_configs"] = [
            {"targets": [urllib.parse.urlsplit(self.cairn.api).netloc]}]
        with open(os.path.join(folder, "prometheus.yml"), "w") as file:
            yaml.safe_dump(settings, file)
        key = self.cairn.ok("POST", "/_security/api_key", {
            "name": "prometheus", "role_descriptors": {"watch": {"cluster": ["monitor"]}}})["encoded"]
        with open(os.path.join(folder, "cairn.key"), "w") as file:
            file.write(key)
        url = f"127.0.0.1:{free_port()}"
        with open(os.path.join(folder, "log"), "w") as log:
            server = subprocess.Popen(
                ["prometheus", f"--config.file={folder}/prometheus.yml",
                 f"--storage.tsdb.path={folder}/data", f"--web.listen-address={url}"],
                stdout=log, stderr=log)

        def ask(path):
            try:
                with urllib.request.urlopen(f"http://{url}/api/v1/{path}", timeout=10) as answer:
                    return json.load(answer)["data"]
            except OSError:
                return None

        def query(expression):
            data = ask("query?" + urllib.parse.urlencode({"query": expression}))
            return [one["value"][1] for one in data["result"]] if data else []

        try:
            until(lambda: query('up{job="cairn"}') == ["1"], "it was not scraped")
            until(lambda: query('cairn_bucket_objects{bucket="photos"}') == ["3"], "no metrics")
            ratio = until(lambda: query("instance:cairn_disk_available:ratio"), "no recording")
            self.assertTrue(0 < float(ratio[0]) < 1)

            def evaluated():
                data = ask("rules")
                found = [rule for group in data["groups"] for rule in group["rules"]] if data else []
                return found if found and all(r["health"] != "unknown" for r in found) else None

            found = until(evaluated, "rules were not evaluated")
            self.assertEqual({rule["health"] for rule in found}, {"ok"}, found)
            self.assertEqual(len(found), len(rules()))
            for expression in board_expressions():
                data = ask("query?" + urllib.parse.urlencode({"query": plain(expression)}))
                self.assertIsNotNone(data, expression)
        finally:
            server.terminate()
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)


class Bounds(unittest.TestCase):
    def start(self, **settings):
        environment = {"CAIRN_" + name: value for name, value in settings.items()}
        cairn = Cairn(BINARY, environment=environment).start()
        self.addCleanup(cairn.stop)
        return cairn

    def test_names_are_bounded(self):
        cairn = self.start(METRICS__NAMES="2")
        objects = Objects(cairn)
        for i in range(4):
            cairn.ok("PUT", f"/books-{i}/_doc/1?refresh=true", {"title": "x" * 1000 * (i + 1)})
            objects.ask("PUT", f"/bucket-{i}")
            objects.ask("PUT", f"/bucket-{i}/k", body=b"x" * (100 * (i + 1)))
        families = prometheus_text.parse(metrics_of(cairn))
        shown = {labels["bucket"]: v for _, labels, v in families["cairn_bucket_bytes"].samples}
        self.assertEqual(shown, {"bucket-3": 400, "bucket-2": 300, "_other": 300})
        names = {labels["index"] for _, labels, _ in families["cairn_index_bytes"].samples}
        self.assertEqual(len(names), 3)
        self.assertEqual(prometheus_text.value(families, "cairn_index_documents"),
                         prometheus_text.value(families, "cairn_indices"))

    def test_open_metrics_name_nothing(self):
        cairn = self.start(API__OPEN_METRICS="true")
        cairn.ok("PUT", "/zebra-index/_doc/1?refresh=true", {"a": 1})
        Objects(cairn).ask("PUT", "/zebra-bucket")
        cairn.ok("POST", "/_inference/sparse_embedding/.cairn-sparse", {"input": ["one"]})
        connection = cairn.connect()
        connection.request("GET", "/_metrics")
        answer = connection.getresponse()
        text = answer.read().decode()
        self.assertEqual(answer.status, 200)
        self.assertNotIn("zebra", text)
        self.assertNotIn(".cairn-sparse", text)
        families = prometheus_text.parse(text)
        self.assertEqual(prometheus_text.value(families, "cairn_index_documents", index="_other"), 1)

    def test_buckets_are_counted_again_after_a_crash(self):
        cairn = Cairn(BINARY).start()
        objects = Objects(cairn)
        objects.ask("PUT", "/bees")
        for i in range(20):
            objects.ask("PUT", f"/bees/{i}", body=b"y" * i)
        objects.ask("DELETE", "/bees/7")
        cairn.kill()
        cairn.start()
        self.addCleanup(cairn.stop)

        def counted():
            families = prometheus_text.parse(metrics_of(cairn))
            return prometheus_text.value(families, "cairn_bucket_bytes", bucket="bees")

        self.assertEqual(until(counted, "it was not counted"), sum(range(20)) - 7)
        Objects(cairn).ask("PUT", "/bees/7", body=b"y" * 7)
        self.assertEqual(counted(), sum(range(20)))

    def test_the_certificate_that_is_shown(self):
        folder = tempfile.mkdtemp(prefix="cairn-tls-")
        self.addCleanup(shutil.rmtree, folder, True)
        for days, name in ((30, "first"), (60, "second")):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                 "-nodes", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem",
                 "-days", str(days), "-subj", "/CN=localhost", "-addext",
                 "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        for end in ("key", "pem"):
            shutil.copy(f"{folder}/first.{end}", f"{folder}/used.{end}")
        cairn = self.start(TLS__CERTIFICATE=f"{folder}/used.pem", TLS__KEY=f"{folder}/used.key")
        url = f"{cairn.api}/_metrics"

        def days_left():
            said = subprocess.run(
                ["curl", "-s", "--cacert", f"{folder}/used.pem",
                 "-H", f"Authorization: ApiKey {cairn.key}", url], capture_output=True, text=True)
            if said.returncode != 0:
                return None
            families = prometheus_text.parse(said.stdout)
            name = "cairn_tls_certificate_expiry_timestamp_seconds"
            ends = {labels["server"]: v for _, labels, v in families[name].samples}
            self.assertEqual(set(ends), {"api", "objects"})
            return round((ends["api"] - time.time()) / 86400)

        self.assertEqual(days_left(), 30)
        for end in ("key", "pem"):
            shutil.copy(f"{folder}/second.{end}", f"{folder}/used.{end}")
        until(lambda: days_left() == 60, "the new certificate is not shown")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
