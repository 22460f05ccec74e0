#!/usr/bin/env python3
"""The history of figures: its series fill as time goes on, stay over a clean restart, and cost next to nothing.

    history_test.py CAIRN
"""

import os
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

PATIENCE_S = 90
SERIES = {"requests_per_second", "errors_per_second", "limited_per_second", "latency_p50_ms", "latency_p99_ms",
          "received_bytes_per_second", "sent_bytes_per_second", "connections", "cpu_cores", "memory_resident_bytes",
          "disk_used_bytes", "disk_available_bytes", "documents_per_second", "deleted_documents_per_second",
          "tokens_per_second", "syncs_running", "merges_running", "compute_running", "compute_waiting"}


def known(history, name):
    return [value for value in history["metrics"][name] if value is not None]


def main():
    cairn = Cairn(sys.argv[1]).start()
    history = cairn.ok("GET", "/_cairn/history")
    assert set(history["metrics"]) == SERIES and history["step_ms"] == 10_000, history
    for range_, step in (("1h", 10_000), ("24h", 120_000), ("7d", 900_000)):
        assert cairn.ok("GET", f"/_cairn/history?range={range_}")["step_ms"] == step
    for query, word in (("range=2h", "1h, 24h or 7d"), ("metrics=weather", "weather")):
        status, answer = cairn.request("GET", "/_cairn/history?" + query)
        assert status == 400 and word in answer["error"]["reason"], (status, answer)
    narrow = cairn.ok("POST", "/_security/api_key", {"name": "n", "role_descriptors": {"r": {"cluster": ["monitor_ml"]}}})
    status, _ = cairn.request("GET", "/_cairn/history", headers={"Authorization": "ApiKey " + narrow["encoded"]})
    assert status == 403, status

    lines = "".join('{"index": {}}\n{"n": 1}\n' for _ in range(500))
    end = time.monotonic() + PATIENCE_S
    while True:
        cairn.ok("POST", "/books/_bulk", lines)
        history = cairn.ok("GET", "/_cairn/history?metrics=requests_per_second,documents_per_second,memory_resident_bytes,"
                           "latency_p99_ms")
        assert set(history["metrics"]) == {"requests_per_second", "documents_per_second", "memory_resident_bytes",
                                           "latency_p99_ms"}
        if all(known(history, name) and max(known(history, name)) > 0 for name in history["metrics"]):
            break
        assert time.monotonic() < end, history
        time.sleep(0.5)
    assert len(history["metrics"]["requests_per_second"]) == 360
    assert max(known(history, "memory_resident_bytes")) > 10 << 20
    before = known(history, "memory_resident_bytes")

    assert cairn.stop() == 0
    cairn.start()
    again = known(cairn.ok("GET", "/_cairn/history"), "memory_resident_bytes")
    assert again[:1] == before[:1], (before, again)
    # What is damaged is told, and history begins anew.
    assert cairn.stop() == 0
    print("ok")


if __name__ == "__main__":
    main()
