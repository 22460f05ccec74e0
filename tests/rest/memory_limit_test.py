#!/usr/bin/env python3
"""A server that has no memory left: what it refuses, what goes on, and that nothing is lost.

    memory_limit_test.py CAIRN
"""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

LINES = "".join(json.dumps({"index": {"_id": str(i)}}) + "\n" + json.dumps({"t": "a b c"}) + "\n"
                for i in range(2_000))
NDJSON = {"Content-Type": "application/x-ndjson"}


def breaker(cairn):
    nodes = cairn.ok("GET", "/_nodes/stats/breaker")["nodes"]
    return next(iter(nodes.values()))["breakers"]["parent"]


def check_refused(cairn, method, path, body=None, headers=None):
    status, answer = cairn.request(method, path, body, headers=headers)
    assert status == 429, (method, path, status, answer)
    assert answer["error"]["type"] == "circuit_breaking_exception", answer
    assert "[limits.memory]" in answer["error"]["reason"], answer


def main():
    cairn = Cairn(sys.argv[1])
    try:
        cairn.start()
        cairn.ok("PUT", "/books", {"mappings": {"properties": {"t": {"type": "text"}}}})
        cairn.ok("POST", "/books/_bulk?refresh=true", LINES, headers=NDJSON)
        roomy = breaker(cairn)
        assert roomy["limit_size_in_bytes"] > roomy["estimated_size_in_bytes"] > 0, roomy
        assert roomy["tripped"] == 0, roomy
        assert cairn.stop() == 0

        cairn.start("--set", "limits.memory=1mb")
        check_refused(cairn, "POST", "/books/_search", {"query": {"match": {"t": "a"}}})
        check_refused(cairn, "POST", "/books/_async_search", {"query": {"match": {"t": "a"}}})
        check_refused(cairn, "GET", "/books/_count")
        check_refused(cairn, "POST", "/books/_bulk", LINES, NDJSON)
        check_refused(cairn, "POST", "/books/_doc", {"t": "x" * 100_000})
        # What is small goes on: to look, to write one document, to delete.
        cairn.ok("GET", "/")
        cairn.ok("GET", "/_cluster/health")
        cairn.ok("GET", "/books/_doc/7")
        cairn.ok("PUT", "/books/_doc/7?refresh=true", {"t": "d"})
        cairn.ok("DELETE", "/books/_doc/8?refresh=true")
        cairn.ok("PUT", "/others", {})
        cairn.ok("DELETE", "/others")
        short = breaker(cairn)
        assert short["limit_size_in_bytes"] == 1 << 20, short
        assert short["tripped"] == 5, short
        assert cairn.stop() == 0

        cairn.start()
        assert cairn.ok("GET", "/books/_count")["count"] == 1_999
        assert cairn.ok("POST", "/books/_search", {"query": {"match": {"t": "d"}}})[
            "hits"]["total"]["value"] == 1
        assert cairn.stop() == 0
    finally:
        if cairn.process.poll() is None:
            cairn.kill()
        shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
