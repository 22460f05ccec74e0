#!/usr/bin/env python3
"""Random runtime fields against the same values worked out in Python from the sources alone: of
mappings and of requests, with scripts and without, from other runtime fields, before fields that are
mapped. Queries, sorts, aggregations, shown values, scripts of hits and of sort keys are compared.

    runtime_fields_test.py CAIRN [SEED]
"""

import datetime
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from queries_oracle import flat, millis  # noqa: E402

ROUNDS, REQUESTS, DOCUMENTS = 6, 60, 60
DAY_MS = 86_400_000
WORDS = ["ash", "birch", "cedar", "dogwood", "elm", "fir"]
MAPPED = {"n": {"type": "long"}, "a": {"type": "long"}, "d": {"type": "double"},
          "k": {"type": "keyword"}, "t": {"type": "date"}}


def shown_day(ms):
    at = datetime.datetime.fromtimestamp(ms // 1000, tz=datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03d}Z"


def column(doc, field):
    """The values of a mapped field as a script sees them."""
    values = flat(doc.get(field))
    if field == "t":
        values = [millis(one) for one in values]
    return sorted(set(values)) if field == "k" else sorted(values)


def rest(a, b):
    """Of a division that cuts off, as the language has it."""
    return abs(a) % b * (1 if a >= 0 else -1)


class Field:
    def __init__(self, name, kind, definition, values):
        self.name, self.kind, self.definition = name, kind, definition
        self.raw = values  # document to values
        self.depth = 1  # fields that read from one another

    def values(self, doc):
        return sorted(self.raw(doc))

    def shown(self, doc):
        if self.kind == "date":
            return [shown_day(one) for one in self.values(doc)]
        return self.values(doc)


def scripted(kind, source, params=None):
    script = {"source": source}
    if params:
        script["params"] = params
    return {"type": kind, "script": script}


def templates(rng, others):
    """Fields by the kinds of their values: definition, and the same in Python."""
    by = rng.randrange(2, 7)
    word = rng.choice(WORDS)
    out = [
        ("long", scripted("long", "for (x in doc['a']) { emit(x * params.by + 1) }", {"by": by}),
         lambda doc: [x * by + 1 for x in column(doc, "a")]),
        ("long", scripted("long", f"if (doc['a'].size() > 0) emit(doc['a'].value % {by})"),
         lambda doc: [rest(x, by) for x in column(doc, "a")[:1]]),
        ("long", scripted("long", "def s = params._source.s; if (s instanceof List) { for (x in s)"
                                  " { emit((long) x) } } else if (s != null) { emit((long) s) }"),
         lambda doc: flat(doc.get("s"))),
        ("keyword", scripted("keyword", "for (x in doc['k']) { emit(x + '!') }"),
         lambda doc: [x + "!" for x in column(doc, "k")]),
        ("keyword", scripted("keyword", f"emit(doc['k'].size() == 0 ? 'none' : doc['k'].value);"
                                        f" if (doc['k'].contains('{word}')) {{ emit('has') }}"),
         lambda doc: [(column(doc, "k") + ["none"])[0]] +
                     (["has"] if word in column(doc, "k") else [])),
        ("double", scripted("double", "if (doc['d'].size() == 0) { return } "
                                      "emit(doc['d'].value / 4); emit(doc['d'].value * 2)"),
         lambda doc: [y for x in column(doc, "d")[:1] for y in (x / 4, x * 2)]),
        ("boolean", scripted("boolean", f"if (!doc['a'].empty) emit(doc['a'].value > {by})"),
         lambda doc: [x > by for x in column(doc, "a")[:1]]),
        ("date", scripted("date", "for (x in doc['t']) { emit(x.toInstant().toEpochMilli() + "
                                  f"{by} * {DAY_MS}L) }}"),
         lambda doc: [x + by * DAY_MS for x in column(doc, "t")]),
    ]
    for other in others:
        if other.name == "u" or other.depth > 3:  # another may hide it; five in a row are too many
            continue
        if other.kind == "long":
            out.append(("long", scripted("long", f"for (x in doc['{other.name}']) {{ emit(-x) }}"),
                        lambda doc, other=other: [-x for x in other.values(doc)]))
        if other.kind == "keyword":
            out.append(("long", scripted("long", f"for (x in doc['{other.name}']) "
                                                 "{ emit(x.length()) }"),
                        lambda doc, other=other: [len(x) for x in other.values(doc)]))
    return out


def from_source(rng, name):
    """Without a script: what the source has by the name."""
    kind = rng.choice(["long", "keyword", "double", "boolean"])

    def values(doc):
        out = []
        for one in flat(doc.get(name)):
            if kind == "keyword":
                out.append(one if isinstance(one, str) else json.dumps(one))
            elif kind == "boolean" and one in ("true", "false", True, False):
                if not isinstance(one, (int, float)) or isinstance(one, bool):
                    out.append(one in ("true", True))
            elif kind in ("long", "double") and not isinstance(one, bool):
                try:
                    number = float(one)
                except ValueError:
                    continue
                out.append(int(number) if kind == "long" else number)
        return out
    return kind, {"type": kind}, values


def make_doc(rng, n):
    doc = {"n": n}
    some = lambda make, most: [make() for _ in range(rng.randrange(most))]  # noqa: E731
    for name, make in (("a", lambda: rng.randrange(-9, 20)), ("s", lambda: rng.randrange(9)),
                       ("k", lambda: rng.choice(WORDS)),
                       ("t", lambda: f"2026-0{rng.randrange(1, 6)}-1{rng.randrange(9)}")):
        values = some(make, 4)
        if values:
            doc[name] = values[0] if len(values) == 1 else values
    if rng.random() < 0.8:
        doc["d"] = rng.randrange(40) / 4
    if rng.random() < 0.8:
        doc["u"] = rng.choice([7, 12, "5", 2.5, "fir", True, "false", [1, "x", 3]])
    return doc


def make_fields(rng, prefix, others, hides=False):
    """`hides`: one is before the mapped [a], which no script then sees."""
    out = []
    if hides:
        out.append(Field("a", "keyword", scripted(
            "keyword", "def s = params._source.a; emit(s == null ? 'no' : 'yes')"),
            lambda doc: ["no" if doc.get("a") is None else "yes"]))
    for i in range(rng.randrange(2, 5)):
        name = f"{prefix}{i}"
        if rng.random() < 0.25:
            name = "u"
            kind, definition, values = from_source(rng, name)
        else:
            kind, definition, values = rng.choice(templates(rng, others + out))
        reads_a = "['a']" in json.dumps(definition)
        if all(one.name != name for one in out) and not (hides and reads_a):
            field = Field(name, kind, definition, values)
            field.depth += max((other.depth for other in others + out
                                if f"['{other.name}']" in json.dumps(definition)), default=0)
            out.append(field)
    return out


def literal(kind, value):
    return shown_day(value) if kind == "date" else value


def some_value(rng, field, docs):
    known = sorted({one for doc in docs for one in field.values(doc)})
    return rng.choice(known) if known else {"keyword": "ash", "boolean": True}.get(field.kind, 1)


def edits(a, b):
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            row[j] = min(rows[i - 1][j] + 1, row[j - 1] + 1,
                         rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                row[j] = min(row[j], rows[i - 2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def make_query(rng, fields, docs, depth=2):
    """A query, and whether a document matches it."""
    if depth > 0 and rng.random() < 0.4:
        clauses = [make_query(rng, fields, docs, depth - 1) for _ in range(rng.randrange(1, 4))]
        kind = rng.choice(["must", "filter", "should", "must_not"])
        tests = [test for _, test in clauses]
        query = {"bool": {kind: [one for one, _ in clauses]}}
        if kind == "should":
            return query, lambda doc: any(test(doc) for test in tests)
        if kind == "must_not":
            return query, lambda doc: not any(test(doc) for test in tests)
        return query, lambda doc: all(test(doc) for test in tests)
    if rng.random() < 0.15:
        least = rng.randrange(-5, 10)
        return {"range": {"n": {"gte": least * 5}}}, lambda doc: doc["n"] >= least * 5
    field = rng.choice(fields)
    name, value = field.name, some_value(rng, field, docs)
    has = lambda test: lambda doc: any(test(one) for one in field.values(doc))  # noqa: E731
    which = rng.randrange(9 if field.kind == "keyword" else 5)
    if which == 0:
        return {"exists": {"field": name}}, lambda doc: bool(field.values(doc))
    if which == 1:
        return {"term": {name: literal(field.kind, value)}}, has(lambda x: x == value)
    if which == 2:
        others = [some_value(rng, field, docs) for _ in range(3)]
        return ({"terms": {name: [literal(field.kind, one) for one in others]}},
                has(lambda x: x in others))
    if which == 3:
        upper = some_value(rng, field, docs)
        return ({"range": {name: {"gt": literal(field.kind, value), "lte": literal(
            field.kind, upper)}}}, has(lambda x: value < x <= upper))
    if which == 4:
        return {"match": {name: literal(field.kind, value)}}, has(lambda x: x == value)
    if which == 5:
        return {"prefix": {name: value[:2]}}, has(lambda x: x.startswith(value[:2]))
    if which == 6:
        return ({"wildcard": {name: f"*{value[1:2]}*"}}, has(lambda x: value[1:2] in x))
    if which == 7:
        return ({"regexp": {name: "[a-d].*"}}, has(lambda x: re.fullmatch("[a-d].*", x)))
    return ({"fuzzy": {name: {"value": value, "fuzziness": 1}}},
            has(lambda x: edits(x, value) <= 1))


def key_of(field, doc, descending):
    values = field.values(doc)
    return None if not values else values[-1] if descending else values[0]


def check(what, found, wanted, request):
    if found != wanted:
        raise AssertionError(f"{what}\n found  {found}\n wanted {wanted}\n"
                             f"{json.dumps(request)}")


def aggregations(rng, field):
    """A request, and what it comes to for documents."""
    def values(docs):
        return [one for doc in docs for one in field.values(doc)]
    if field.kind in ("long", "double"):
        return {"stats": {"field": field.name}}, lambda docs: {
            "count": len(values(docs)), "min": min(values(docs), default=None),
            "max": max(values(docs), default=None),
            "sum": sum(values(docs)), "avg": sum(values(docs)) / len(values(docs))
            if values(docs) else None}
    if rng.random() < 0.3:
        return {"missing": {"field": field.name}}, lambda docs: {
            "doc_count": sum(not field.values(doc) for doc in docs)}

    def buckets(docs):
        counts = {}
        for doc in docs:
            for one in set(field.values(doc)):
                counts[one] = counts.get(one, 0) + 1
        order = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        return {"buckets": [bucket(field.kind, *one) for one in order]}
    return {"terms": {"field": field.name, "size": 100}}, buckets


def bucket(kind, key, count):
    if kind == "date":
        return {"key": key, "key_as_string": shown_day(key), "doc_count": count}
    if kind == "boolean":
        return {"key": int(key), "key_as_string": "true" if key else "false", "doc_count": count}
    return {"key": key, "doc_count": count}


def one_request(rng, cairn, docs, fields, more):
    field = rng.choice(fields)
    query, test = make_query(rng, fields, docs)
    descending = rng.random() < 0.5
    counting, counted = aggregations(rng, field)
    request = {"size": len(docs), "query": query, "fields": [one.name for one in fields],
               "docvalue_fields": [{"field": field.name}],
               "sort": [{field.name: "desc" if descending else "asc"}, {"n": "asc"}],
               "aggs": {"of": counting}, **more}
    answer = cairn.ok("POST", "/r/_search", request)
    matching = [doc for doc in docs if test(doc)]
    check("matches", sorted(one["_source"]["n"] for one in answer["hits"]["hits"]),
          [doc["n"] for doc in matching], request)
    having = [doc for doc in matching if field.values(doc)]
    having.sort(key=lambda doc: doc["n"])
    having.sort(key=lambda doc: key_of(field, doc, descending), reverse=descending)
    if descending:  # equal ones stand in their order all the same
        having.sort(key=lambda doc: doc["n"])
        having.sort(key=lambda doc: key_of(field, doc, True), reverse=True)
    order = having + [doc for doc in matching if not field.values(doc)]
    check("order", [one["_source"]["n"] for one in answer["hits"]["hits"]],
          [doc["n"] for doc in order], request)
    for hit, doc in zip(answer["hits"]["hits"], order):
        check("source", hit["_source"], doc, request)
        check("fields", hit.get("fields", {}),
              {one.name: one.shown(doc) for one in fields if one.values(doc)}, request)
    found = {name: value for name, value in answer["aggregations"]["of"].items()
             if name not in ("doc_count_error_upper_bound", "sum_other_doc_count")}
    check("aggregation", found, counted(matching), request)
    pages(rng, cairn, request, order)


def pages(rng, cairn, request, order):
    """The same behind a cursor."""
    size = rng.randrange(1, 20)
    own = {name: value for name, value in request.items() if name != "aggs"}
    own["size"] = size
    first = cairn.ok("POST", "/r/_search", own)["hits"]["hits"]
    if not first:
        return
    own["search_after"] = first[-1]["sort"]
    second = cairn.ok("POST", "/r/_search", own)["hits"]["hits"]
    check("second page", [one["_source"]["n"] for one in second],
          [doc["n"] for doc in order[size:2 * size]], own)


def scripts_of_hits(rng, cairn, docs, fields, more):
    by = rng.randrange(1, 9)
    longs = [one for one in fields if one.kind == "long"]
    request = {"size": len(docs), "_source": ["n"], "script_fields": {
        "size": {"script": {"source": "[doc['n'].value * params.by, 'x']", "params": {"by": by}}},
        "fails": {"script": "doc['n'].value / (doc['n'].value % 2)", "ignore_failure": True}},
        "sort": [{"_script": {"type": "number", "order": "desc",
                              "script": {"source": f"doc['n'].value % {by}"}}}, {"n": "asc"}],
        **more}
    if longs:
        request["script_fields"]["other"] = {"script": f"doc['{longs[0].name}'].size()"}
    answer = cairn.ok("POST", "/r/_search", request)
    order = sorted(docs, key=lambda doc: (-(doc["n"] % by), doc["n"]))
    check("order by script", [one["_source"]["n"] for one in answer["hits"]["hits"]],
          [doc["n"] for doc in order], request)
    for hit, doc in zip(answer["hits"]["hits"], order):
        wanted = {"size": [doc["n"] * by, "x"]}
        if doc["n"] % 2:
            wanted["fails"] = [doc["n"]]
        if longs:
            wanted["other"] = [len(longs[0].values(doc))]
        check("scripts of hits", hit["fields"], wanted, request)
        check("sort value", hit["sort"], [float(doc["n"] % by), doc["n"]], request)


def one_round(rng, cairn):
    cairn.request("DELETE", "/r")
    docs = [make_doc(rng, n) for n in range(DOCUMENTS)]
    kept = make_fields(rng, "kept", [])
    cairn.ok("PUT", "/r", {"mappings": {"dynamic": False, "properties": MAPPED, "runtime": {
        one.name: one.definition for one in kept}}})
    shown = cairn.ok("GET", "/r/_mapping")["r"]["mappings"].get("runtime", {})
    check("mapping", shown, {one.name: one.definition for one in kept}, {})
    lines = []
    for at, doc in enumerate(docs):
        lines += [json.dumps({"index": {"_id": str(doc["n"])}}), json.dumps(doc)]
        if at % 25 == 24:  # several segments
            cairn.ok("POST", "/r/_bulk?refresh=true", "\n".join(lines) + "\n")
            lines = []
    cairn.ok("POST", "/r/_bulk?refresh=true", "\n".join(lines) + "\n")
    for n in rng.sample(range(DOCUMENTS), 5):
        cairn.ok("DELETE", f"/r/_doc/{n}?refresh=true")
        docs = [doc for doc in docs if doc["n"] != n]
    for _ in range(REQUESTS):
        which = rng.random()
        hides = which > 0.8
        added = [] if which < 0.4 else make_fields(rng, "own", [] if hides else kept, hides)
        names = {one.name for one in added}
        fields = added if hides else added + [one for one in kept if one.name not in names]
        more = {"runtime_mappings": {one.name: one.definition for one in added}} if added else {}
        one_request(rng, cairn, docs, fields, more)
    scripts_of_hits(rng, cairn, docs, kept, {})


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2 ** 32)
    print("seed", seed)
    rng = random.Random(seed)
    with_cairn = Cairn(sys.argv[1]).start()
    try:
        for _ in range(ROUNDS):
            one_round(rng, with_cairn)
    finally:
        with_cairn.stop()
    print(f"{ROUNDS * REQUESTS} requests as the sources say")


if __name__ == "__main__":
    main()
