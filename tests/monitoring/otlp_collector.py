"""A small collector of OpenTelemetry's traces over HTTP, which reads the JSON form of the protocol strictly."""

import http.server
import json
import re
import threading

HEX_TRACE, HEX_SPAN = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"\d+")


def only(value, required, optional=()):
    """An object with these members and no others: the protocol's names in lowerCamelCase."""
    assert isinstance(value, dict), value
    assert set(required) <= set(value) <= set(required) | set(optional), set(value)
    return value


def attributes(entries):
    out = {}
    for entry in entries:
        only(entry, ("key", "value"))
        assert entry["key"] and entry["key"] not in out, entry
        (kind, value), = only(entry["value"], (), ("stringValue", "intValue", "boolValue",
                                                   "doubleValue")).items()
        if kind == "stringValue":
            assert isinstance(value, str)
        elif kind == "intValue":  # 64 bits: a text
            assert isinstance(value, str) and re.fullmatch(r"-?\d+", value), value
            value = int(value)
        out[entry["key"]] = value
    return out


def read_span(span):
    only(span, ("traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"),
         ("parentSpanId", "traceState", "flags", "attributes", "status"))
    assert HEX_TRACE.fullmatch(span["traceId"]) and int(span["traceId"], 16), span
    assert HEX_SPAN.fullmatch(span["spanId"]) and int(span["spanId"], 16), span
    if "parentSpanId" in span:
        assert HEX_SPAN.fullmatch(span["parentSpanId"]) and int(span["parentSpanId"], 16), span
    assert span["name"] and isinstance(span["name"], str)
    assert type(span["kind"]) is int and span["kind"] in (1, 2, 3), span  # a number, not its name
    for name in ("startTimeUnixNano", "endTimeUnixNano"):
        assert isinstance(span[name], str) and NUMBER.fullmatch(span[name]), span
    assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
    status = only(span.get("status", {}), (), ("code", "message"))
    assert status.get("code", 0) in (0, 1, 2) and type(status.get("code", 0)) is int
    return dict(span, attributes=attributes(span.get("attributes", [])), status=status)


def read_request(body):
    """Attributes of the resource, and spans."""
    resource_spans, = only(json.loads(body), ("resourceSpans",))["resourceSpans"]
    only(resource_spans, ("resource", "scopeSpans"), ("schemaUrl",))
    resource = attributes(only(resource_spans["resource"], ("attributes",))["attributes"])
    spans = []
    for scope_spans in resource_spans["scopeSpans"]:
        only(scope_spans, ("scope", "spans"), ("schemaUrl",))
        only(scope_spans["scope"], ("name",), ("version", "attributes"))
        spans += [read_span(span) for span in scope_spans["spans"]]
    return resource, spans


class Collector:
    """Listens on a free port of loopback. `answers`: statuses that it gives first, instead of 200."""

    def __init__(self, answers=(), authorization=None):
        collector = self
        self.lock, self.spans, self.faults, self.batches = threading.Lock(), [], [], []
        self.answers, self.resource, self.asked = list(answers), None, 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, said = collector.take(self.path, self.headers, body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass

        self.authorization = authorization
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        with self.lock:
            self.asked += 1
            try:
                assert path == "/v1/traces", path
                assert headers["Content-Type"] == "application/json", headers
                assert headers.get("traceparent") is None, "the export is traced itself"
                assert headers.get("Authorization") == self.authorization, headers
                resource, spans = read_request(body)
            except (AssertionError, ValueError) as fault:
                self.faults.append(repr(fault))
                return 400, b"{}"
            if self.answers:
                answer = self.answers.pop(0)
                if isinstance(answer, int):
                    return answer, b"{}"
                return 200, json.dumps(answer).encode()
            self.resource = resource
            self.spans += spans
            self.batches.append(len(spans))
            return 200, b'{"partialSuccess":{}}'

    def find(self, **wanted):
        """Spans whose members, or attributes with _ for ., have these values."""
        def has(span, name, value):
            return span.get(name, span["attributes"].get(name.replace("_", "."))) == value
        with self.lock:
            return [s for s in self.spans if all(has(s, n, v) for n, v in wanted.items())]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
