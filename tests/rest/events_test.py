#!/usr/bin/env python3
"""The stream of events: what it says of each topic, who may hear what, what it costs, how it ends.

    events_test.py CAIRN
"""

import http.client
import json
import os
import socket
import sys
import threading
import time
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

PATIENCE_S = 60


class Stream:
    """One stream: its head, and its events as they come."""

    def __init__(self, cairn, key, topics=None, headers=None):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(cairn.api).netloc, timeout=PATIENCE_S)
        path = "/_cairn/events" + (f"?topics={topics}" if topics else "")
        self.connection.request("GET", path, headers={"Authorization": "ApiKey " + key,
                                                      "Accept": "text/event-stream", **(headers or {})})
        self.answer = self.connection.getresponse()
        self.status = self.answer.status
        self.text = None if self.status == 200 else self.answer.read()

    def next(self):
        """(event, id, data), or None at the end of the stream. Comments and `retry` are passed over."""
        event, id_, data = None, None, None
        while True:
            line = self.answer.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if not line:
                if data is not None:
                    return event, id_, json.loads(data)
                event = id_ = None
                continue
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "id":
                id_ = int(value)
            elif name == "data":
                data = value

    def until(self, event, fits=lambda data: True):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            got = self.next()
            assert got is not None, f"the stream ended before {event}"
            if got[0] == event and fits(got[2]):
                return got
        raise AssertionError(f"no {event} came")

    def close(self):
        self.answer.close()
        self.connection.close()


def eventually(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def make_key(cairn, name, privileges):
    made = cairn.ok("POST", "/_security/api_key",
                    {"name": name, "role_descriptors": {"r": {"cluster": privileges}}})
    return made["id"], made["encoded"]


def each_topic(cairn):
    stream = Stream(cairn, cairn.key)
    assert stream.status == 200
    assert stream.answer.getheader("Content-Type") == "text/event-stream"
    assert stream.answer.getheader("Cache-Control") == "no-store"
    seen, last_id = {}, 0
    while not {"overview", "jobs", "limits"} <= set(seen):
        event, id_, data = stream.next()
        assert id_ > last_id, (id_, last_id)
        last_id = id_
        seen[event] = data
    overview = seen["overview"]
    for name in ("requests_per_second", "errors_per_second", "limited_per_second"):
        assert overview[name] >= 0, overview
    assert set(overview["latency_ms"]) == {"p50", "p99"}
    assert overview["memory"]["resident_bytes"] > 1 << 20 and overview["memory"]["limit_bytes"] > 0
    assert overview["disk"]["total_bytes"] >= overview["disk"]["free_bytes"] > 0
    assert overview["disk"]["low_bytes"] > 0 and overview["disk"]["high_bytes"] > 0
    assert set(overview["running"]) == {"syncs", "tasks", "merges", "snapshots"}
    assert overview["ready"] is True and overview["version"] and overview["uptime_ms"] > 0
    assert set(seen["jobs"]) == {"syncs", "tasks", "snapshots", "deployments"}
    assert seen["limits"]["top"][0]["identities"][0]["used"] > 0, seen["limits"]

    # Requests are seen.
    for _ in range(20):
        cairn.ok("GET", "/_cat/indices?format=json")
    got = stream.until("overview", lambda data: data["requests_per_second"] > 1)
    assert got[2]["latency_ms"]["p99"] > 0, got
    stream.close()

    # Who comes back is told how all is now.
    again = Stream(cairn, cairn.key, "overview,jobs", {"Last-Event-ID": str(last_id)})
    assert {again.next()[0], again.next()[0]} == {"overview", "jobs"}
    again.close()


def jobs_are_told_on_change(cairn):
    stream = Stream(cairn, cairn.key, "jobs")
    assert stream.next()[2]["tasks"] == []
    lines = "".join(json.dumps({"index": {}}) + "\n" + json.dumps({"n": n}) + "\n" for n in range(2000))
    cairn.ok("POST", "/source/_bulk?refresh=true", lines)
    started = cairn.ok("POST", "/_reindex?wait_for_completion=false&requests_per_second=200",
                       {"source": {"index": "source", "size": 100}, "dest": {"index": "copy"}})
    _, _, data = stream.until("jobs", lambda data: data["tasks"] and data["tasks"][0].get("total") == 2000)
    task = data["tasks"][0]
    assert task["id"] == started["task"] and task["action"] == "indices:data/write/reindex", task
    before = task["done"]
    stream.until("jobs", lambda data: data["tasks"] and data["tasks"][0]["done"] > before)
    cairn.ok("POST", f"/_tasks/{started['task']}/_cancel")
    stream.until("jobs", lambda data: data["tasks"] == [])
    stream.close()


def the_log_is_told(cairn):
    stream = Stream(cairn, cairn.key, "log")
    event, _, data = stream.next()
    assert event == "log" and data["lost"] == 0, data
    line = next(one for one in data["lines"] if one.get("folder") == "/there/is/none")
    assert line["level"] == "warn" and line["room"] == "app" and line["time"], line
    assert all(one["level"] in ("warn", "error") for one in data["lines"]), data
    stream.close()


def privileges(cairn):
    _, narrow = make_key(cairn, "watcher", ["monitor"])
    stream = Stream(cairn, narrow, "overview,limits,log")
    assert stream.status == 200
    event, _, data = stream.next()
    assert event == "refused" and [one["topic"] for one in data["topics"]] == ["limits", "log"], data
    assert "manage_security" in data["topics"][0]["reason"]
    assert stream.next()[0] == "overview"
    stream.close()
    _, none = make_key(cairn, "nobody", [])
    refused = Stream(cairn, none, "overview")
    assert refused.status == 403, refused.text
    refused = Stream(cairn, narrow, "limits,log")
    assert refused.status == 403 and b"manage_security" in refused.text, refused.text
    unknown = Stream(cairn, narrow, "weather")
    assert unknown.status == 400 and b"overview, jobs, limits, log" in unknown.text, unknown.text
    status, _ = cairn.request("GET", "/_cairn/events", headers={"Authorization": ""})
    assert status in (400, 401), status


def streams_hold_nothing(binary):
    """More streams than there are workers and than one caller may have requests at a time."""
    cairn = Cairn(binary).start("--set", "http.max_workers=16", "--set", "events.streams_per_key=150",
                                "--set", "events.streams_max=160")
    streams = [Stream(cairn, cairn.key, "jobs") for _ in range(150)]
    for stream in streams:
        assert stream.status == 200, stream.text
        assert stream.next()[0] == "jobs"
    cairn.ok("GET", "/_cat/indices?format=json")
    full = Stream(cairn, cairn.key)
    assert full.status == 429 and b"events.streams_per_key" in full.text, full.text
    _, other = make_key(cairn, "other", ["monitor"])
    more = [Stream(cairn, other, "overview") for _ in range(10)]
    assert all(each.status == 200 for each in more)
    full = Stream(cairn, other, "overview")
    assert full.status == 429 and b"events.streams_max" in full.text, full.text
    # Who closes makes room.
    for stream in streams[:50]:
        stream.close()
    eventually(lambda: Stream(cairn, other, "overview").status == 200, "no room was made")
    # A reader that is gone without a word is, too.
    assert cairn.stop() == 0
    for stream in streams[50:]:
        while stream.next() is not None:
            pass


def ends_with_its_key(cairn):
    """It is asked for every two seconds."""
    id_, key = make_key(cairn, "short", ["monitor"])
    stream = Stream(cairn, key, "overview")
    assert stream.next()[0] == "overview"
    cairn.ok("DELETE", "/_security/api_key", {"ids": [id_]})
    end = time.monotonic() + 2 * PATIENCE_S
    last = None
    while (got := stream.next()) is not None:
        last = got
        assert time.monotonic() < end, "the stream goes on"
    assert last[0] == "ended", last


def slow_readers_get_the_newest(cairn):
    """A reader that takes nothing for a while is not sent what it missed."""
    place = urllib.parse.urlsplit(cairn.api)
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect((place.hostname, place.port))
        one.sendall((f"GET /_cairn/events?topics=overview HTTP/1.1\r\nHost: x\r\n"
                     f"Authorization: ApiKey {cairn.key}\r\n\r\n").encode())
        one.settimeout(PATIENCE_S)
        text = b""
        while b"event: overview" not in text:
            piece = one.recv(4096)
            assert piece
            text += piece
    assert b"Transfer-Encoding: chunked" in text


def main():
    binary = sys.argv[1]
    cairn = Cairn(binary).start("--set", "connectors.directory.roots=/there/is/none")
    failed = []

    def guarded():
        try:
            ends_with_its_key(cairn)
        except BaseException as fault:  # noqa: B036: told by the main thread
            failed.append(fault)

    ending = threading.Thread(target=guarded, daemon=True)
    ending.start()
    each_topic(cairn)
    jobs_are_told_on_change(cairn)
    the_log_is_told(cairn)
    privileges(cairn)
    slow_readers_get_the_newest(cairn)
    streams_hold_nothing(binary)
    ending.join(timeout=3 * PATIENCE_S)
    assert not failed and not ending.is_alive(), failed
    assert cairn.stop() == 0
    print("ok")


if __name__ == "__main__":
    main()
