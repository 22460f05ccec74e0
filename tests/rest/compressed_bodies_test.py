#!/usr/bin/env python3
"""Bodies that come compressed are the bodies: with a length and in chunks, whole, broken and empty.

    compressed_bodies_test.py CAIRN
"""

import gzip
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402


def ask(cairn, method, path, body, chunked, kind="application/json", coding="gzip"):
    """Status and parsed body. `body`: bytes as they go out."""
    connection = cairn.connect()
    headers = {"Authorization": "ApiKey " + cairn.key, "Content-Type": kind}
    if coding:
        headers["Content-Encoding"] = coding
    connection.request(method, path, body=iter([body]) if chunked else body, headers=headers,
                       encode_chunked=chunked)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text)


def same(got, expected, what):
    if got != expected:
        raise AssertionError(f"{what}: {got!r}, and should be {expected!r}")


def check_bodies(cairn, chunked):
    index = "chunks" if chunked else "length"

    def zipped(method, path, body, kind="application/json"):
        text = body if isinstance(body, str) else json.dumps(body)
        return ask(cairn, method, path, gzip.compress(text.encode()), chunked, kind)

    same(zipped("PUT", f"/{index}", {"mappings": {"properties": {"tag": {"type": "keyword"}}}})[0],
         200, "an index")
    mapping = cairn.request("GET", f"/{index}/_mapping")[1]
    same(mapping[index]["mappings"]["properties"]["tag"]["type"], "keyword", "its mapping")
    lines = "".join(f'{{"index":{{"_id":"{i}"}}}}\n{{"tag":"{"ab"[i % 2]}"}}\n' for i in range(6))
    status, done = zipped("POST", f"/{index}/_bulk?refresh=true", lines, "application/x-ndjson")
    same((status, done["errors"], len(done["items"])), (200, False, 6), "bulk")
    same(zipped("PUT", f"/{index}/_doc/x?refresh=true", {"tag": "c"})[0], 201, "a document")
    for tag, count in (("a", 3), ("b", 3), ("c", 1)):
        query = {"query": {"term": {"tag": tag}}}
        same(zipped("POST", f"/{index}/_count", query)[1]["count"], count, "count of " + tag)
    status, page = zipped("POST", f"/{index}/_search", {"size": 0})
    same((status, page["hits"]["hits"], page["hits"]["total"]["value"]), (200, [], 7), "search")
    plain = json.dumps({"query": {"term": {"tag": "a"}}}).encode()
    for broken in (plain, gzip.compress(plain)[:-9], gzip.compress(b"{")):
        same(ask(cairn, "POST", f"/{index}/_count", broken, chunked)[0], 400, "a broken body")
    same(ask(cairn, "POST", f"/{index}/_count", gzip.compress(b" " * (4 << 20)), chunked)[0], 413,
         "a bomb")
    same(ask(cairn, "POST", f"/{index}/_count", plain, chunked, coding="")[1]["count"], 3, "plain")


def main():
    cairn = Cairn(sys.argv[1]).start()
    try:
        for chunked in (False, True):
            check_bodies(cairn, chunked)
        # A body of no bytes is none, whatever is said of it.
        same(ask(cairn, "POST", "/length/_count", b"", False)[1]["count"], 7, "no body")
    finally:
        cairn.stop()
        shutil.rmtree(cairn.folder)


if __name__ == "__main__":
    main()
