#!/usr/bin/env python3
"""Traces: traceparent is taken, made, answered, logged, and passed on to other servers; steps are exported by OTLP
to a collector of the test's own, which may be slow, refuse, or be away.

    tracing_test.py CAIRN
"""

import http.server
import json
import os
import re
import socket
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests/monitoring")]
import prometheus_text  # noqa: E402
from cairn_server import Cairn  # noqa: E402
from otlp_collector import Collector  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = sys.argv[1]
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLED, NOT_SAMPLED = f"00-{TRACE}-{CALLER}-01", f"00-{TRACE}-{CALLER}-00"


def until(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, what
        time.sleep(0.05)


def started(test, *arguments, folder=None, **settings):
    environment = {"CAIRN_API__ACCESS_LOG": "true", "CAIRN_LOG__FORMAT": "json"}
    environment.update({"CAIRN_" + name: value for name, value in settings.items()})
    cairn = Cairn(BINARY, folder=folder, environment=environment).start(*arguments)
    test.addCleanup(cairn.stop)
    return cairn


def log_lines(cairn, **wanted):
    with open(os.path.join(cairn.folder, "log"), errors="replace") as file:
        lines = [json.loads(line) for line in file if line.startswith("{")]
    return [line for line in lines if all(line.get(n) == v for n, v in wanted.items())]


def audit_lines(cairn):
    with open(os.path.join(cairn.data, "audit/audit.jsonl")) as file:
        return [json.loads(line) for line in file]


def get(cairn, path, fields=(), method="GET", body=None):
    """Status and header fields; `fields` may name one twice."""
    connection = cairn.connect()
    connection.putrequest(method, path)
    connection.putheader("Authorization", "ApiKey " + cairn.key)
    data = json.dumps(body).encode() if body is not None else None
    if data is not None:
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(data)))
    for name, value in fields:
        connection.putheader(name, value)
    connection.endheaders(data)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers


class Taken(unittest.TestCase):
    def test_named_traces(self):
        cairn = started(self)
        for sent, flags in ((SAMPLED, "01"), (NOT_SAMPLED, "00"), (SAMPLED[:-2] + "03", "01"),
                            ("cc" + SAMPLED[2:] + "-what-comes-later", "01")):
            _, headers = get(cairn, "/_cat/indices", [("traceparent", sent)])
            told = re.fullmatch(rf"00-{TRACE}-([0-9a-f]{{16}})-{flags}", headers["traceresponse"])
            self.assertTrue(told, (sent, headers["traceresponse"]))
            self.assertNotIn(told[1], (CALLER, "0" * 16))
        lines = log_lines(cairn, event="request", path="/_cat/indices")
        self.assertEqual([line["trace_id"] for line in lines], [TRACE] * 4)

    def test_what_is_not_valid_begins_a_trace(self):
        cairn = started(self)
        wrong = [SAMPLED.upper(), "ff" + SAMPLED[2:], SAMPLED + "-00", SAMPLED[:-1], "",
                 SAMPLED.replace(TRACE, "0" * 32), SAMPLED.replace(CALLER, "0" * 16),
                 SAMPLED.replace("-", "_"), SAMPLED.replace(TRACE, TRACE[:-1] + "g"),
                 "x" * 5000, "0" + SAMPLED[2:], "00-" + TRACE + "-" + CALLER]
        for sent in wrong:
            status, headers = get(cairn, "/_cat/indices", [("traceparent", sent)])
            self.assertEqual((status, headers["traceresponse"]), (200, None), sent)
        get(cairn, "/_cat/indices", [("traceparent", SAMPLED), ("traceparent", SAMPLED)])
        get(cairn, "/_cat/indices")
        found = [line["trace_id"] for line in log_lines(cairn, event="request", path="/_cat/indices")]
        self.assertEqual(len(found), len(wrong) + 2)
        self.assertEqual(len(set(found)), len(found))
        for one in found:
            self.assertRegex(one, "^[0-9a-f]{32}$")
        self.assertNotIn(TRACE, found)

    def test_log_and_audit_on_both_ports(self):
        cairn = started(self)
        get(cairn, "/made", [("traceparent", SAMPLED)], method="PUT")
        connection = cairn.connect()
        connection.request("GET", "/_cat/indices", headers={"traceparent": SAMPLED})  # no key
        self.assertEqual(connection.getresponse().status, 401)
        answer = Objects(cairn).ask("PUT", "/photos", headers={"traceparent": SAMPLED})
        self.assertEqual(answer.status, 200)
        self.assertIn(TRACE, answer.headers["traceresponse"])
        mine = [line for line in audit_lines(cairn) if line.get("trace.id") == TRACE]
        self.assertEqual(sorted(line["action"] for line in mine),
                         ["CreateBucket", "cat.indices", "indices.create"])
        for line in audit_lines(cairn):
            self.assertRegex(line["trace.id"], "^[0-9a-f]{32}$")
        self.assertEqual(len(log_lines(cairn, event="request", trace_id=TRACE)), 3)
        self.assertEqual(len(log_lines(cairn, event="request", path="/photos")), 1)

    def test_the_slow_log(self):
        cairn = started(self, SLOW_LOG__SEARCH="1ms", SLOW_LOG__INDEXING="1ms",
                        SLOW_LOG__OBJECTS="1ms", SLOW_LOG__QUERY_MAX="200b")
        lines = "".join(json.dumps({"index": {}}) + "\n" +
                        json.dumps({"t": f"secret-document word{i % 97} other{i}", "n": i}) + "\n"
                        for i in range(3000))
        cairn.ok("POST", "/books/_bulk?refresh=true", lines)
        query = {"query": {"regexp": {"t.keyword": ".*word.*(1|2|3).*"}}, "size": 100,
                 "sort": ["n"], "aggs": {"a": {"terms": {"field": "t.keyword", "size": 1000}}},
                 "runtime_mappings": {"x": {"type": "keyword"}}, "_source": ["n", "é" * 300]}
        query["query"] = {"bool": {"filter": [query["query"]], "_name": "api_key"}}

        def slow_search():
            get(cairn, "/books/_search?request_cache=false", [("traceparent", SAMPLED)], "POST", query)
            return log_lines(cairn, event="slow_request", kind="search")

        found = until(slow_search, "no search was slow")[0]
        self.assertEqual((found["operation"], found["index"], found["trace_id"], found["level"]),
                         ("search", "books", TRACE, "warn"))
        self.assertGreaterEqual(found["took_ms"], 1)
        self.assertTrue(found["query"].startswith('{"query":{"bool"'), found)
        self.assertLessEqual(len(found["query"].encode()), 203)
        self.assertEqual(found["parameters"], "request_cache=false")
        bulk = log_lines(cairn, event="slow_request", kind="indexing")[0]
        self.assertEqual((bulk["operation"], bulk["index"], bulk["query"]), ("bulk", "books", ""))
        objects = Objects(cairn)
        objects.ok("PUT", "/photos")
        until(lambda: objects.ok("PUT", "/photos/k", body=os.urandom(4 << 20)) and
              log_lines(cairn, event="slow_request", kind="objects", operation="PutObject"),
              "no put was slow")
        with open(os.path.join(cairn.folder, "log")) as file:
            self.assertNotIn("secret-document", file.read())
        masked = {"query": {"match_all": {}}, "size": 100, "sort": ["n"],
                  "aggs": {"a": {"terms": {"field": "t.keyword"}, "meta": {"password": "open sesame"}}}}

        def masked_line():
            cairn.request("POST", "/books/_search", masked)
            return log_lines(cairn, event="slow_request", kind="search")[-1]["query"]

        until(lambda: '"password":"***"' in masked_line(), "nothing was masked")
        with open(os.path.join(cairn.folder, "log")) as file:
            self.assertNotIn("open sesame", file.read())


class Model(http.server.BaseHTTPRequestHandler):
    """An embedding server of another kind: tells what it was sent."""
    protocol_version = "HTTP/1.1"
    heard = []

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).heard.append(dict(self.headers))
        inputs = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        body = json.dumps({"data": [{"index": i, "embedding": [1.0, 0.0, 0.0]}
                                    for i, _ in enumerate(inputs)],
                           "usage": {"prompt_tokens": 1, "total_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class PassedOn(unittest.TestCase):
    def test_remote_inference(self):
        collector = Collector()
        self.addCleanup(collector.stop)
        model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        threading.Thread(target=model.serve_forever, daemon=True).start()
        self.addCleanup(model.server_close)
        self.addCleanup(model.shutdown)
        port = model.server_address[1]
        cairn = started(self, TRACING__URL=collector.url, TRACING__SAMPLE="0%",
                        INFERENCE__REMOTE__ALLOWED_HOSTS="127.0.0.1")
        cairn.ok("PUT", "/_inference/text_embedding/far", {
            "service": "openai", "service_settings": {
                "api_key": "k", "model_id": "m", "url": f"http://127.0.0.1:{port}/v1/embeddings"}})
        Model.heard.clear()
        status, _ = get(cairn, "/_inference/text_embedding/far",
                        [("traceparent", SAMPLED), ("tracestate", "a=1"), ("tracestate", "b@x=2")],
                        "POST", {"input": ["one"]})
        self.assertEqual(status, 200)
        heard = Model.heard[-1]
        found = re.fullmatch(rf"00-{TRACE}-([0-9a-f]{{16}})-01", heard["traceparent"])
        self.assertTrue(found, heard)
        self.assertEqual(heard["tracestate"].replace(" ", ""), "a=1,b@x=2")
        call = until(lambda: collector.find(spanId=found[1]), "the call is no step")[0]
        server = until(lambda: collector.find(parentSpanId=CALLER), "the request is no step")[0]
        self.assertEqual((call["parentSpanId"], call["kind"], server["kind"]),
                         (server["spanId"], 3, 2))
        self.assertEqual(call["attributes"]["server.port"], port)
        self.assertEqual(server["attributes"]["http.route"], "/_inference/text_embedding/{inference_id}")
        self.assertEqual(server["traceState"].replace(" ", ""), "a=1,b@x=2")
        # Without a trace of its caller a request has one of its own, which is passed on as well.
        cairn.ok("POST", "/_inference/text_embedding/far", {"input": ["two"]})
        self.assertRegex(Model.heard[-1]["traceparent"], "^00-[0-9a-f]{32}-[0-9a-f]{16}-00$")
        # What may not be passed on is not.
        get(cairn, "/_inference/text_embedding/far",
            [("traceparent", SAMPLED), ("tracestate", "no equals sign")], "POST", {"input": ["3"]})
        self.assertNotIn("tracestate", Model.heard[-1])
        self.assertEqual(collector.faults, [])

    def test_remote_store_and_remote_search(self):
        far = started(self)
        Objects(far).ok("PUT", "/store")
        with open(os.path.join(far.data, "keys/admin-s3.json")) as file:
            pair = json.load(file)
        place = f"s3://store/cairn?endpoint={far.objects}&region=us-east-1&path_style=true"
        os.environ["AWS_ACCESS_KEY_ID"] = pair["access_key_id"]
        os.environ["AWS_SECRET_ACCESS_KEY"] = pair["secret_access_key"]
        self.addCleanup(os.environ.pop, "AWS_ACCESS_KEY_ID")
        self.addCleanup(os.environ.pop, "AWS_SECRET_ACCESS_KEY")
        near = started(self, "--store", place,
                       REINDEX__REMOTE__ALLOWED_HOSTS=urllib.parse.urlsplit(far.api).netloc)
        status, _ = get(near, "/books/_doc/1?refresh=true", [("traceparent", SAMPLED)], "PUT",
                        {"title": "one"})
        self.assertEqual(status, 201)
        self.assertTrue(log_lines(far, event="request", trace_id=TRACE, method="PUT"))
        other = "5" * 32
        far.ok("PUT", "/source/_doc/1?refresh=true", {"title": "one"})
        status, _ = get(near, "/_reindex", [("traceparent", f"00-{other}-{CALLER}-01")], "POST", {
            "source": {"remote": {"host": far.api, "headers": {
                "Authorization": "ApiKey " + far.key}}, "index": "source"},
            "dest": {"index": "copy"}})
        self.assertEqual(status, 200)
        self.assertTrue([line for line in log_lines(far, event="request", trace_id=other)
                         if "_search" in line["path"]])


class Exported(unittest.TestCase):
    def test_steps_of_both_ports(self):
        collector = Collector(authorization="Bearer abc")
        self.addCleanup(collector.stop)
        with tempfile.NamedTemporaryFile("w", suffix=".auth") as file:
            file.write("Bearer abc\n")
            file.flush()
            cairn = started(self, TRACING__URL=collector.url,
                            TRACING__AUTHORIZATION_FILE=file.name)
            cairn.ok("PUT", "/books/_doc/1", {"a": 1})
            get(cairn, "/_test_nothing_here")
            Objects(cairn).ok("PUT", "/photos")
            put = until(lambda: collector.find(http_route="/{index}/_doc/{id}"), "no step")[0]
            bucket = until(lambda: collector.find(cairn_operation="CreateBucket"), "no step")[0]
        self.assertEqual((put["name"], put["kind"]), ("PUT /{index}/_doc/{id}", 2))
        self.assertNotIn("parentSpanId", put)
        self.assertEqual(put["attributes"]["http.response.status_code"], 201)
        self.assertEqual(put["attributes"]["url.path"], "/books/_doc/1")
        self.assertEqual(put["attributes"]["cairn.operation"], "index")
        self.assertAlmostEqual(int(put["endTimeUnixNano"]) / 1e9, time.time(), delta=60)
        self.assertEqual(bucket["attributes"]["http.request.method"], "PUT")
        self.assertEqual(collector.resource["service.name"], "cairn")
        self.assertTrue(collector.resource["service.instance.id"])
        self.assertEqual(collector.faults, [])

    def test_sampling(self):
        collector = Collector()
        self.addCleanup(collector.stop)
        cairn = started(self, TRACING__URL=collector.url, TRACING__SAMPLE="25%")
        for _ in range(400):
            cairn.ok("GET", "/_cat/indices")
        for _ in range(20):
            get(cairn, "/_cat/aliases", [("traceparent", NOT_SAMPLED)])
        for _ in range(20):
            get(cairn, "/_cat/health", [("traceparent", SAMPLED)])
        until(lambda: len(collector.find(url_path="/_cat/health")) == 20, "callers decide")
        kept = len(collector.find(url_path="/_cat/indices"))
        self.assertTrue(50 < kept < 160, kept)
        self.assertEqual(collector.find(url_path="/_cat/aliases"), [])
        self.assertEqual(collector.faults, [])

    def test_a_collector_that_is_away(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        cairn = started(self, TRACING__URL=f"http://127.0.0.1:{port}/v1/traces", TRACING__QUEUE="20")
        connection = cairn.connect()
        for _ in range(300):
            self.assertEqual(cairn.request("GET", "/_cat/indices", connection=connection)[0], 200)

        def counted(name, **labels):
            _, text = cairn.request("GET", "/_metrics", headers={"traceparent": NOT_SAMPLED})
            return prometheus_text.value(prometheus_text.parse(text), name, **labels)

        self.assertGreater(counted("cairn_trace_spans_dropped_total"), 200)
        self.assertLessEqual(counted("cairn_trace_queue_spans"), 20)
        until(lambda: counted("cairn_trace_spans_total", result="failed"), "nothing failed", 40)
        told = log_lines(cairn, event="traces are not taken by their collector")
        self.assertEqual(len(told), 1)

    def test_a_collector_that_has_too_much(self):
        collector = Collector(answers=[503, 429, {"partialSuccess": {"rejectedSpans": "1"}}, 400])
        self.addCleanup(collector.stop)
        cairn = started(self, TRACING__URL=collector.url)

        def counted(result):
            _, text = cairn.request("GET", "/_metrics", headers={"traceparent": NOT_SAMPLED})
            return prometheus_text.value(prometheus_text.parse(text), "cairn_trace_spans_total",
                                         result=result)

        cairn.ok("GET", "/_cat/indices")
        cairn.ok("GET", "/_cat/indices")
        until(lambda: collector.asked >= 3, "it was not asked again")
        until(lambda: counted("failed") == 1, "what it refused is not counted")
        cairn.ok("GET", "/_cat/indices")  # 400: not again
        until(lambda: counted("failed") == 2, "what it cannot read is not counted")
        self.assertEqual(collector.asked, 4)
        cairn.ok("GET", "/_cat/indices")
        until(lambda: collector.find(url_path="/_cat/indices"), "it does not go on")

    def test_settings_that_make_no_sense(self):
        for name, value, said in (("TRACING__SAMPLE", "101%", "share from 0% to 100%"),
                                  ("TRACING__SAMPLE", "0.5", "share from 0% to 100%"),
                                  ("TRACING__URL", "ftp://a/b", "tracing.url"),
                                  ("TRACING__QUEUE", "0", "whole number")):
            cairn = Cairn(BINARY, environment={"CAIRN_" + name: value})
            with self.assertRaises(RuntimeError) as fault:
                cairn.start()
            self.assertIn(said, str(fault.exception))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
