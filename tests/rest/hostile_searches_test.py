#!/usr/bin/env python3
"""Searches that mean harm (P05, P06): each is refused with 400 or answered, and costs little.

Bodies that no script of requests can hold: 100,000 clauses, a million terms, texts of a megabyte. How
much work they are is counted in steps by src/search/complexity_test.cc; here the processor time that
the server needed is shown for each, and at the end a plain search must still be answered.

    hostile_searches_test.py BINARY
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def cpu_ms(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK_MS


def nested(depth):
    return '{"query":' + '{"bool":{"must":' * depth + '{"match_all":{}}' + "}}" * depth + "}"


def listed(piece, times):
    return ",".join([piece] * times)


def words(times):
    return "word " * times


def searches():
    """What it is, the body, and what the server must answer."""
    clause = '{"term":{"k":"a"}}'
    yield "100,000 clauses", '{"query":{"bool":{"should":[' + listed(clause, 100_000) + "]}}}", 400
    inner = '{"bool":{"should":[' + listed(clause, 1_000) + "]}}"
    yield "1,000 times 1,000 clauses", '{"query":{"bool":{"should":[' + listed(inner, 100) + "]}}}", 400
    yield "depth 10,000", nested(10_000), 400
    yield "depth 40", nested(40), 400
    yield "1,000,000 terms", '{"query":{"terms":{"n":[' + listed("7", 1_000_000) + "]}}}", 400
    yield "65,536 terms of numbers", json.dumps({"query": {"terms": {"n": list(range(65_536))}}}), 200
    yield "size 2^31 - 1", '{"size":2147483647}', 400
    yield "from and size beyond the window", '{"from":9990,"size":11}', 400
    yield "from and size beyond all numbers", '{"from":9223372036854775807,"size":9223372036854775807}', 400
    yield "10,000,000 buckets", json.dumps({"size": 0, "aggs": {"a": {"histogram": {
        "field": "n", "interval": 0.0001}}}}), 400
    yield "buckets of buckets", json.dumps({"size": 0, "aggs": {"a": {
        "histogram": {"field": "n", "interval": 1},
        "aggs": {"b": {"range": {"field": "n", "ranges": [{"to": i} for i in range(1000)]}}}}}}), 400
    yield "regexp (a+)+$", '{"query":{"regexp":{"k":"(a+)+$"}}}', 200
    yield "regexp (a|aa)*(a|aa)*...b", '{"query":{"regexp":{"k":"' + "(a|aa)*" * 140 + 'b"}}}', 200
    yield "regexp (.*a){100}", '{"query":{"regexp":{"k":"(.*a){100}b"}}}', 200
    yield "a complement of very many sets", '{"query":{"regexp":{"k":"~((a|b)*a(a|b){20})"}}}', 400
    yield "a regexp of 1 MiB", '{"query":{"regexp":{"k":"' + "(a+)+" * 209_715 + '"}}}', 400
    yield "a regexp that repeats repetitions", '{"query":{"regexp":{"k":"' + "(" * 9 + "a" + \
        "{1,99}){1,99}" * 4 + ")" * 5 + '"}}}', 400
    yield "4,096 functions of scores", json.dumps({"query": {"function_score": {"functions": [
        {"weight": 1}] * 4_096}}}), 400
    yield "a text of 1 MiB that others are like", '{"query":{"more_like_this":{"fields":["t"],' \
        '"like":"' + words(200_000) + '"}}}', 200
    yield "groups with very many inner hits", json.dumps({"size": 10_000, "collapse": {
        "field": "n", "inner_hits": {}}}), 400
    yield "10,000 groups", '{"size":10000,"collapse":{"field":"n"}}', 200
    yield "wildcard *a*a*a*", '{"query":{"wildcard":{"k":"' + "*a" * 500 + '*"}}}', 200
    yield "a wildcard of 1 MiB", '{"query":{"wildcard":{"k":"' + "*a" * 524_288 + '"}}}', 400
    yield "fuzzy on a term of 1 MiB", '{"query":{"fuzzy":{"k":"' + "a" * 1_048_576 + '"}}}', 200
    yield "a script field", '{"script_fields":{"a":{"script":"while (true) {}"}}}', 400
    yield "a script as a query", '{"query":{"script":{"script":"while (true) {}"}}}', 400
    yield "a phrase of 500,000 words", '{"query":{"match_phrase":{"t":"' + words(500_000) + '"}}}', 400
    yield "a match of 500,000 words", '{"query":{"match":{"t":"' + words(500_000) + '"}}}', 400
    yield "a query_string of 500,000 words", '{"query":{"query_string":{"query":"' + \
        words(500_000) + '"}}}', 400
    yield "100,000 fields", json.dumps({"query": {"multi_match": {
        "query": "a", "fields": ["f%d" % i for i in range(100_000)]}}}), 400


def analyses():
    """Patterns that the server runs itself, on a text of 1 MB that they dislike."""
    strip = {"tokenizer": "keyword", "char_filter": ["html_strip"]}
    for piece in ["<", "&", "<!--", "<'", "<'<\"", "<a '"]:
        yield "html_strip of " + piece, {**strip, "text": piece * (1_000_000 // len(piece))}, 200
    yield "a mapping of a repeated letter", {"tokenizer": "keyword", "char_filter": [
        {"type": "mapping", "mappings": ["a" * 200 + "b => c"]}], "text": "a" * 1_000_000}, 200
    yield "_analyze of 160,000 words", {"text": words(160_000)}, 400


def main():
    cairn = Cairn(sys.argv[1]).start()
    try:
        assert cairn.request("PUT", "/hits", {"mappings": {"properties": {
            "t": {"type": "text"}, "n": {"type": "long"}, "k": {"type": "keyword"}}}})[0] == 200
        # Terms as long as there can be, which patterns and similar terms are compared with.
        lines = []
        for i in range(1_000):
            lines.append('{"index":{}}')
            lines.append(json.dumps({"t": "word %d" % i, "n": i, "k": "a" * (i + 1)}))
        lines.append('{"index":{}}')
        lines.append(json.dumps({"t": "word", "n": 1_000, "k": "a" * 32_000}))
        status, _ = cairn.request("POST", "/hits/_bulk?refresh=true", "\n".join(lines) + "\n",
                                  headers={"Content-Type": "application/x-ndjson"})[:2]
        assert status == 200
        wrong = []
        cases = [("/hits/_search", *one) for one in searches()]
        cases += [("/_analyze", *one) for one in analyses()]
        for path, what, body, wanted in cases:
            before = cpu_ms(cairn.process.pid)
            status, answer = cairn.request("POST", path, body)[:2]
            used = cpu_ms(cairn.process.pid) - before
            print(f"{what:40} {status} {used:6.0f} ms of processor time")
            if status not in (wanted, 429):
                wrong.append(f"{what}: {status} {json.dumps(answer)[:300]}")
        status, answer = cairn.request("POST", "/hits/_search", {"query": {"match": {"t": "word"}}})[:2]
        if status != 200 or answer["hits"]["total"]["value"] != 1001:
            wrong.append(f"the plain search afterwards: {status} {json.dumps(answer)[:300]}")
        for one in wrong:
            print("wrong:", one)
        return 1 if wrong else 0
    finally:
        cairn.stop()


if __name__ == "__main__":
    sys.exit(main())
