#!/usr/bin/env python3
"""Random scripts against the same formulas in Python, which has numbers of the language's own:
whole ones that wrap around, promotion, division that cuts off. Scores of every document, and which
documents a filter passes, are compared with what the sources say.

    script_test.py CAIRN [SEED]
"""

import json
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

SCORES, FILTERS, DOCUMENTS, AT_ONCE = 400, 100, 40, 50
MAPPINGS = {"properties": {"l": {"type": "long"}, "m": {"type": "integer"}, "d": {"type": "double"},
                           "b": {"type": "boolean"}, "k": {"type": "keyword"}}}
RANK = ["int", "long", "double"]


def wrap(value, kind):
    bits = 32 if kind == "int" else 64
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def as_type(value, kind, to):
    """A cast."""
    if kind == to:
        return value
    if to == "double":
        return float(value)
    if kind == "double":
        if math.isnan(value):
            return 0
        most = 2 ** (31 if to == "int" else 63)
        return max(-most, min(most - 1, int(value) if math.isfinite(value) else
                              (most if value > 0 else -most)))
    return wrap(value, to)


def promoted(a, b):
    return RANK[max(RANK.index(a), RANK.index(b))]


class Expression:
    """Its text, its type, and what it is for a document."""

    def __init__(self, text, kind, value):
        self.text, self.kind, self.value = text, kind, value


class Maker:
    def __init__(self, rng):
        self.rng = rng

    def leaf(self):
        rng = self.rng
        which = rng.randrange(8)
        if which == 0:
            v = rng.choice([0, 1, 2, 7, 100, 65537, 2 ** 31 - 1])
            return Expression(str(v), "int", lambda doc: v)
        if which == 1:
            v = rng.choice([1, 3, 2 ** 40, 2 ** 63 - 1])
            return Expression(f"{v}L", "long", lambda doc: v)
        if which == 2:
            v = rng.choice([0.5, 1.25, 3.0, 1e6])
            return Expression(repr(v), "double", lambda doc: v)
        if which == 3:
            name = rng.choice(["whole", "broken"])
            return Expression(rng.choice([f"params.{name}", f"params['{name}']"]),
                              "int" if name == "whole" else "double",
                              lambda doc: 41 if name == "whole" else 2.75)
        if which == 4:
            return Expression("doc['d'].value", "double", lambda doc: doc["d"])
        if which == 5:
            return Expression("doc['m'].size()", "int", lambda doc: len(doc["m"]))
        if which == 6:
            return Expression("doc['m'].value", "long", lambda doc: min(doc["m"]))
        return Expression("doc['l'].value", "long", lambda doc: doc["l"])

    def number(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return self.leaf()
        which = rng.randrange(9)
        if which < 4:
            return self.arithmetic(depth)
        if which == 4:
            one = self.number(depth - 1)
            to = rng.choice(RANK)
            return Expression(f"({to}) ({one.text})", to,
                              lambda doc: as_type(one.value(doc), one.kind, to))
        if which == 5:
            one = self.number(depth - 1)
            return Expression(f"-({one.text})", one.kind, lambda doc: -one.value(doc)
                              if one.kind == "double" else wrap(-one.value(doc), one.kind))
        if which == 6:
            return self.choice(depth)
        if which == 7:
            return self.function(depth)
        return self.bits(depth)

    def arithmetic(self, depth):
        a, b = self.number(depth - 1), self.number(depth - 1)
        kind, op = promoted(a.kind, b.kind), self.rng.choice("+-*/%")
        text = f"({a.text} {op} {b.text})"
        if op in "/%" and kind != "double":
            text = f"({a.text} {op} ({b.text} | 1))"

        def value(doc):
            x, y = as_type(a.value(doc), a.kind, kind), as_type(b.value(doc), b.kind, kind)
            if kind == "double":
                return real(op, x, y)
            if op in "/%":
                y |= 1
                quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                return wrap(quotient if op == "/" else x - quotient * y, kind)
            return wrap(x + y if op == "+" else x - y if op == "-" else x * y, kind)
        return Expression(text, kind, value)

    def bits(self, depth):
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        op = self.rng.choice(["&", "|", "^", "<<", ">>", ">>>"])
        kind = promoted(a.kind, b.kind) if len(op) == 1 else a.kind

        def value(doc):
            x, y = a.value(doc), b.value(doc)
            if op in "&|^":
                return wrap(x & y if op == "&" else x | y if op == "|" else x ^ y, kind)
            size = 32 if kind == "int" else 64
            by = y & (size - 1)
            if op == "<<":
                return wrap(x << by, kind)
            return wrap(x >> by if op == ">>" else (x & ((1 << size) - 1)) >> by, kind)
        return Expression(f"({a.text} {op} {b.text})", kind, value)

    def whole(self, depth):
        one = self.number(depth)
        if one.kind != "double":
            return one
        return Expression(f"(long) ({one.text})", "long",
                          lambda doc: as_type(one.value(doc), "double", "long"))

    def function(self, depth):
        name = self.rng.choice(["abs", "floor", "ceil", "sqrt", "max", "min"])
        one, two = self.number(depth - 1), self.number(depth - 1)

        def value(doc):
            x, y = float(one.value(doc)), float(two.value(doc))
            if math.isnan(x) or (name in ("max", "min") and math.isnan(y)):
                return math.nan
            if name in ("floor", "ceil"):
                return x if math.isinf(x) else math.copysign(float(getattr(math, name)(x)), x)
            if name == "sqrt":
                return math.nan if x < 0 else math.sqrt(x)
            return abs(x) if name == "abs" else max(x, y) if name == "max" else min(x, y)
        both = f", {two.text}" if name in ("max", "min") else ""
        return Expression(f"Math.{name}({one.text}{both})", "double", value)

    def choice(self, depth):
        test, a, b = self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1)
        # One type, as those of doc and params are known only when the script runs.
        kind = promoted(a.kind, b.kind)
        return Expression(f"({test.text} ? ({kind}) ({a.text}) : ({kind}) ({b.text}))", kind,
                          lambda doc: as_type(a.value(doc), a.kind, kind) if test.value(doc)
                          else as_type(b.value(doc), b.kind, kind))

    def truth(self, depth):
        rng = self.rng
        which = rng.randrange(7 if depth > 0 else 4)
        if which == 0:
            return Expression("doc['b'].value", "boolean", lambda doc: doc["b"])
        if which == 1:
            word = rng.choice("abc")
            return Expression(f"doc['k'].value == '{word}'", "boolean",
                              lambda doc: doc["k"] == word)
        if which == 2:
            return Expression("doc['k'].value.compareTo(params.word) > 0", "boolean",
                              lambda doc: doc["k"] > "b")
        if which == 3:
            size = rng.randrange(4)
            return Expression(f"doc['m'].length >= {size}", "boolean",
                              lambda doc: len(doc["m"]) >= size)
        if which == 4:
            one = self.truth(depth - 1)
            return Expression(f"!({one.text})", "boolean", lambda doc: not one.value(doc))
        if which == 5:
            one, two = self.truth(depth - 1), self.truth(depth - 1)
            both = rng.random() < 0.5
            return Expression(f"({one.text} {'&&' if both else '||'} {two.text})", "boolean",
                              lambda doc: one.value(doc) and two.value(doc) if both
                              else one.value(doc) or two.value(doc))
        a, b = self.number(depth - 1), self.number(depth - 1)
        op = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        kind = promoted(a.kind, b.kind)

        def value(doc):
            x, y = as_type(a.value(doc), a.kind, kind), as_type(b.value(doc), b.kind, kind)
            return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y,
                    "!=": x != y}[op]
        return Expression(f"({a.text}) {op} ({b.text})", "boolean", value)


def real(op, x, y):
    try:
        if op in "+-*":
            return x + y if op == "+" else x - y if op == "-" else x * y
        if op == "%":
            return math.fmod(x, y)
        return x / y
    except ZeroDivisionError:
        if x == 0 or math.isnan(x):
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1, y)
    except (OverflowError, ValueError):
        return math.nan


def as_float(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def scripts_of_scores(maker, documents):
    """Each as an expression, or as statements that come to the same; with the wanted scores."""
    while True:
        one = maker.number(4)
        wanted = {number: math.fmod(abs(float(one.value(doc))), 1000)
                  if math.isfinite(one.value(doc)) else math.nan
                  for number, doc in documents.items()}
        if any(math.isnan(score) for score in wanted.values()):
            continue
        text = f"Math.abs({one.text}) % 1000.0"
        way = maker.rng.randrange(3)
        if way == 1:
            kind = maker.rng.choice(["def", one.kind])
            text = f"{kind} x = {one.text}; if (true) {{ return Math.abs(x) % 1000.0 }} return -1;"
        if way == 2:
            text = ("double s = 0; int i = 0; while (i < 3) { i++; if (i == 2) continue; "
                    f"s = Math.abs({one.text}) }} return s % 1000.0")
        yield text, wanted


def ask(cairn, queries):
    """The hits of many searches: {id: score} each."""
    lines = "".join("{}\n" + json.dumps({"query": query, "size": 100, "_source": False}) + "\n"
                    for query in queries)
    out = []
    for answer in cairn.ok("POST", "/i/_msearch", lines)["responses"]:
        assert "hits" in answer, json.dumps(answer)[:2000]
        out.append({hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]})
    return out


PARAMS = {"whole": 41, "broken": 2.75, "word": "b"}


def score_query(text):
    return {"script_score": {"query": {"match_all": {}}, "script": {
        "source": text, "params": PARAMS}}}


def filter_query(one):
    return {"bool": {"filter": {"script": {"script": {"source": one.text, "params": PARAMS}}}}}


def requests(chance):
    """Queries as this test asks them."""
    maker = Maker(chance)
    while True:
        yield score_query(maker.number(2).text)
        yield filter_query(maker.truth(2))


def check_scores(cairn, maker, documents):
    made = scripts_of_scores(maker, documents)
    for _ in range(SCORES // AT_ONCE):
        scripts = [next(made) for _ in range(AT_ONCE)]
        answers = ask(cairn, [score_query(text) for text, _ in scripts])
        for (text, wanted), found in zip(scripts, answers):
            for number, score in wanted.items():
                near = abs(found[number] - as_float(score)) <= 1e-6 * max(1.0, abs(score))
                assert near, (text, documents[number], found[number], score)


def check_filters(cairn, maker, documents):
    for _ in range(FILTERS // AT_ONCE):
        tests = [maker.truth(4) for _ in range(AT_ONCE)]
        answers = ask(cairn, [filter_query(one) for one in tests])
        for one, found in zip(tests, answers):
            wanted = {number for number, doc in documents.items() if one.value(doc)}
            assert set(found) == wanted, (one.text, sorted(found), sorted(wanted))


def main(binary, seed):
    rng = random.Random(seed)
    cairn = Cairn(binary).start()
    try:
        cairn.ok("PUT", "/i", {"mappings": MAPPINGS})
        documents, lines = {}, ""
        for number in range(DOCUMENTS):
            doc = {"l": rng.choice([0, 5, -7, 2 ** 31, -2 ** 63, rng.randrange(-1000, 1000)]),
                   "m": sorted(rng.sample(range(-50, 50), rng.randrange(1, 4))),
                   "d": rng.choice([0.0, -1.5, 2.25, 1e9, rng.uniform(-100, 100)]),
                   "b": rng.random() < 0.5, "k": rng.choice("abcd")}
            documents[str(number)] = doc
            lines += json.dumps({"index": {"_id": str(number)}}) + "\n" + json.dumps(doc) + "\n"
            if number == DOCUMENTS // 2:
                assert not cairn.ok("POST", "/i/_bulk?refresh=true", lines)["errors"]
                lines = ""
        assert not cairn.ok("POST", "/i/_bulk?refresh=true", lines)["errors"]
        maker = Maker(rng)
        check_scores(cairn, maker, documents)
        check_filters(cairn, maker, documents)
    finally:
        cairn.stop()
    print(f"seed {seed}: {SCORES} scores and {FILTERS} filters agree over {DOCUMENTS} documents")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
