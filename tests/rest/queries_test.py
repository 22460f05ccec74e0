#!/usr/bin/env python3
"""Random documents, and random queries, sorts and aggregations over them, against a slow search that
reads the documents' sources alone (queries_oracle.py).

    queries_test.py CAIRN [SEED [ROUNDS]]
"""

import json
import math
import os
import random
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                os.path.dirname(os.path.abspath(__file__))]
from cairn_server import Cairn  # noqa: E402
import query_strings  # noqa: E402
from queries_oracle import DAY_MS, Oracle, flat, millis  # noqa: E402
import search_members  # noqa: E402

WORDS = "sea ship storm harbour wind wave whale seal sail shore sand salt".split()
TAGS = "red green blue rare".split()
KINDS = {"text": {"body", "title", "note", "o.text"}, "keyword": {"tag", "o.tag"},
         "number": {"n", "price", "need", "o.n", "body.length"}, "date": {"day"}, "boolean": {"flag"},
         "feature": {"rank"}}
WHOLE, BROKEN = ["byte", "short", "integer", "long"], ["half_float", "float", "double"]
SCALED = [{"type": "scaled_float", "scaling_factor": factor} for factor in (1, 3, 4, 10)]


def mappings(rng):
    """Fields of random types and ways of indexing. Phrases are asked of `body` and `title` alone."""
    def some(**chosen):
        return {name: value for name, value in chosen.items() if rng.random() < 0.4}

    return {"properties": {
        "body": {"type": "text", **some(store=True), "fields": {"length": {
            "type": "token_count", "analyzer": "standard", **some(
                index=False, enable_position_increments=False)}}},
        "title": {"type": "text", **some(norms=False)},
        "note": {"type": "text", **some(norms=False, index_options=rng.choice(
            ["docs", "freqs", "positions", "offsets"]))},
        "tag": {"type": "keyword", **some(index=False, store=True)},
        "n": {"type": rng.choice(WHOLE + BROKEN), **some(index=False, store=True)},
        "price": {**rng.choice([{"type": rng.choice(BROKEN)}, rng.choice(SCALED)]),
                  **some(index=False)},
        "need": {"type": rng.choice(WHOLE)},
        "day": {"type": "date", **some(index=False)},
        "flag": {"type": "boolean", **rng.choice([{}, {"index": False}, {"doc_values": False}])},
        "rank": {"type": "rank_feature"}, "sparse": {"type": "sparse_vector"},
        "o": {"type": "nested", "properties": {
            "text": {"type": "text", **some(norms=False)}, "tag": {"type": "keyword"},
            "n": {"type": rng.choice(WHOLE)}}}}}


class Questions:
    """Random documents and requests."""

    def __init__(self, rng):
        self.rng = rng
        self.combined = ["body", "title^2"]

    def text(self, most):
        return " ".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(1, most)))

    def day(self):
        return f"2026-{self.rng.randint(1, 6):02}-{self.rng.randint(1, 28):02}"

    def maybe(self, make, chance=0.8):
        return make() if self.rng.random() < chance else None

    def document(self):
        rng = self.rng
        doc = {
            "body": self.maybe(lambda: rng.choice([self.text(12), [self.text(4), self.text(4)]])),
            "title": self.maybe(lambda: self.text(5)),
            "note": self.maybe(lambda: self.text(8)),
            "tag": self.maybe(lambda: rng.choice([rng.choice(TAGS), rng.sample(TAGS, 2)])),
            "n": self.maybe(lambda: rng.choice([rng.randrange(20), [rng.randrange(20), 7]])),
            "price": self.maybe(lambda: rng.randrange(1, 400) / 4),
            "need": self.maybe(lambda: rng.randint(1, 3)),
            "day": self.maybe(self.day), "flag": self.maybe(lambda: rng.random() < 0.5),
            "rank": self.maybe(lambda: rng.randrange(1, 64) / 4),
            "sparse": self.maybe(lambda: {word: rng.randrange(1, 16) / 4
                                          for word in rng.sample(WORDS, 3)}),
            "o": self.maybe(lambda: [{"text": self.text(4), "tag": rng.choice(TAGS),
                                      "n": rng.randrange(10)} for _ in range(rng.randint(0, 3))])}
        return {name: value for name, value in doc.items() if value is not None}

    # Each gives a query, as JSON. `scope`: "" or "o."

    def leaf(self, scope):
        rng = self.rng
        text = scope + "text" if scope else rng.choice(["body", "title"])
        tag, number = scope + "tag", scope + "n"
        makers = [
            lambda: {"match": {text: {"query": self.text(3), **rng.choice(
                [{}, {"operator": "and"}, {"minimum_should_match": rng.choice([2, "-1", "60%"])},
                 {"boost": 2.5}])}}},
            lambda: {"term": {text: {"value": rng.choice(WORDS), "boost": 1.5}}},
            lambda: {"term": {tag: rng.choice(TAGS)}},
            lambda: {"terms": {tag: rng.sample(TAGS, 2), "boost": 3}},
            lambda: {"terms": {number: [rng.randrange(20) for _ in range(3)]}},
            lambda: {"range": {number: {rng.choice(["gt", "gte"]): rng.randrange(10),
                                        rng.choice(["lt", "lte"]): rng.randrange(10, 20)}}},
            lambda: {"range": {tag: {"gte": "g", "lt": "red"}}},
            lambda: {"exists": {"field": rng.choice([text, tag, number])}},
            lambda: {"prefix": {text: {"value": rng.choice(WORDS)[:2], "boost": 2}}},
            lambda: {"wildcard": {rng.choice([text, tag]): {"value": rng.choice(
                ["s?a*", "*e", "w*", "*ar*"])}}},
            lambda: {"regexp": {text: {"value": rng.choice(["s(ea|hip)l?", "w.*e", "[rh].+"])}}},
            lambda: {"constant_score": {"filter": {"fuzzy": {text: {
                "value": rng.choice(["shap", "wave", "stroms", "hrabour"])}}}, "boost": 4}},
            lambda: {"match_phrase": {text: self.text(2)}},
            lambda: {"match_bool_prefix": {text: {"query": self.text(2) + " s",
                                                  "operator": rng.choice(["or", "and"])}}},
            lambda: {"match_phrase_prefix": {text: {"query": rng.choice(
                ["s", rng.choice(WORDS) + " s", self.text(2) + " wa"]),
                "max_expansions": rng.choice([2, 50])}}},
            lambda: {"match_all": {"boost": 1.25}},
            lambda: {"match_none": {}}]
        if not scope:
            makers += [
                lambda: {"multi_match": {
                    "query": self.text(3), "fields": rng.choice([["body", "title^2"], ["title"]]),
                    "type": rng.choice(["best_fields", "most_fields", "cross_fields", "phrase"]),
                    **rng.choice([{}, {"operator": "and"}, {"tie_breaker": 0.3}])}},
                lambda: {"combined_fields": {"query": self.text(3), "fields": self.combined,
                                             "operator": rng.choice(["or", "and"])}},
                lambda: {"meant": query_strings.written(rng)},
                lambda: {"meant": query_strings.simple(rng)},
                lambda: {"more_like_this": {
                    "fields": [text], "like": [self.text(6) for _ in range(rng.randint(1, 2))],
                    "min_term_freq": rng.randint(1, 2), "min_doc_freq": rng.choice([1, 5, 40]),
                    **rng.choice([{}, {"minimum_should_match": rng.choice(["50%", "2", "0"])},
                                  {"boost_terms": 2}, {"unlike": [self.text(2)]},
                                  {"stop_words": rng.sample(WORDS, 3)}, {"min_word_length": 5}])}},
                lambda: {"match": {"note": self.text(3)}},
                lambda: {"term": {"note": rng.choice(WORDS)}},
                lambda: {"match_bool_prefix": {"note": self.text(1) + " s"}},
                lambda: {"term": {"flag": rng.random() < 0.5}},
                lambda: {"term": {"day": self.day()}},
                lambda: {"range": {"day": {"gte": self.day(), "lt": self.day()}}},
                lambda: {"range": {"price": {rng.choice(["gt", "gte"]): rng.randrange(200) / 4,
                                             rng.choice(["lt", "lte"]): rng.randrange(400) / 4}}},
                lambda: {"term": {"price": rng.randrange(1, 400) / 4}},
                lambda: {"range": {"body.length": {"gte": rng.randrange(6), "lt": 9}}},
                lambda: {"terms": {"body.length": [rng.randrange(1, 13) for _ in range(3)]}},
                lambda: {"ids": {"values": [str(rng.randrange(200)) for _ in range(20)]}},
                lambda: {"terms_set": {"tag": {"terms": rng.sample(TAGS, 3),
                                               "minimum_should_match_field": "need"}}},
                lambda: {"distance_feature": {"field": "day", "origin": self.day(),
                                              "pivot": f"{rng.randint(1, 40)}d"}},
                lambda: {"rank_feature": {"field": "rank", **rng.choice([
                    {"saturation": {"pivot": 3}}, {"log": {"scaling_factor": 2}}, {"linear": {}},
                    {"sigmoid": {"pivot": 4, "exponent": 0.5}}])}},
                lambda: {"sparse_vector": {"field": "sparse", "prune": False, "query_vector": {
                    word: rng.randrange(1, 8) / 2 for word in rng.sample(WORDS, 3)}}}]
        return rng.choice(makers)()

    def query(self, depth=2, scope=""):
        rng = self.rng
        if depth == 0 or rng.random() < 0.35:
            return self.leaf(scope)
        below = lambda: self.query(depth - 1, scope)  # noqa: E731
        makers = [
            lambda: {"bool": {kind: [below() for _ in range(rng.randint(1, 2))] for kind in rng.sample(
                ["must", "should", "filter", "must_not"], rng.randint(1, 3))}},
            lambda: {"bool": {"should": [below() for _ in range(3)],
                              "minimum_should_match": rng.choice([2, "-1", "50%", "2<-1"])}},
            lambda: {"dis_max": {"queries": [below(), below()],
                                 "tie_breaker": rng.choice([0, 0.25, 1])}},
            lambda: {"boosting": {"positive": below(), "negative": below(),
                                  "negative_boost": 0.25}},
            lambda: {"constant_score": {"filter": below(), "boost": 1.75}}]
        if not scope:
            makers += [
                lambda: {"nested": {"path": "o", "query": self.query(depth - 1, "o."),
                                    "score_mode": rng.choice(["avg", "sum", "min", "max", "none"])}},
                lambda: {"function_score": {
                    "query": below(), "functions": [self.function() for _ in range(rng.randint(1, 3))],
                    "score_mode": rng.choice(["multiply", "sum", "avg", "first", "max", "min"]),
                    "boost_mode": rng.choice(["multiply", "replace", "sum", "avg", "max", "min"])}}]
        return rng.choice(makers)()

    def function(self):
        rng = self.rng
        out = {"weight": rng.randint(1, 4)}
        if rng.random() < 0.6:
            out["field_value_factor"] = {
                "field": rng.choice(["n", "price"]), "factor": rng.choice([1, 1.5]), "missing": 2,
                "modifier": rng.choice(["none", "log1p", "ln2p", "sqrt", "square"])}
        if rng.random() < 0.5:
            out["filter"] = self.query(1)
        return out

    def metric(self, scope):
        field = scope + "n" if scope else self.rng.choice(["n", "price", "body.length"])
        return {self.rng.choice(["sum", "avg", "min", "max", "value_count", "cardinality",
                                 "stats"]): {"field": field}}

    def aggregation(self, depth=2, scope=""):
        rng = self.rng
        makers = [
            lambda: {"terms": {"field": scope + "tag", "size": 10,
                               "order": rng.choice([{"_key": "asc"}, {"_key": "desc"}])}},
            lambda: {"terms": {"field": scope + "n", "size": 30, "order": {"_key": "asc"}}},
            lambda: {"histogram": {"field": scope + "n", "interval": rng.choice([3, 5]),
                                   "min_doc_count": 1}},
            lambda: {"range": {"field": scope + "n", "ranges": [{"to": 5}, {"from": 3, "to": 9},
                                                                {"from": 9}]}},
            lambda: {"filter": self.query(1, scope)},
            lambda: {"filters": {"filters": {"a": self.query(1, scope), "b": self.query(1, scope)}}},
            lambda: {"missing": {"field": scope + "tag"}}]
        if not scope:
            makers += [
                lambda: {"date_histogram": {"field": "day", "fixed_interval": "30d",
                                            "min_doc_count": 1}},
                lambda: {"date_range": {"field": "day", "ranges": [
                    {"to": self.day()}, {"from": "2026-02-01", "to": "2026-04-01"},
                    {"from": self.day()}]}},
                lambda: {"nested": {"path": "o"}}]
        else:
            makers.append(lambda: {"reverse_nested": {}})
        if depth == 0:
            return self.metric(scope)
        out = rng.choice(makers)()
        inner = "o." if "nested" in out else "" if "reverse_nested" in out else scope
        out["aggs"] = {"x": self.aggregation(depth - 1, inner)}
        return out


# --- aggregations of the oracle

class Slow:
    """Aggregations over documents, or over objects with the documents that they are of."""

    def __init__(self, oracle, docs):
        self.oracle, self.docs = oracle, docs
        self.objects = Oracle([part for doc in docs for part in flat(doc.get("o"))], KINDS,
                              oracle.mappings, "o.")

    def own(self, scope):
        return self.objects if scope else self.oracle

    def run(self, asked, members, scope=""):
        """`members`: pairs of what is counted and its document."""
        kind = next(name for name in asked if name != "aggs")
        body = asked[kind]
        values = lambda member: self.own(scope).values(member[0], body["field"])  # noqa: E731
        if "aggs" not in asked:
            return self.metric(kind, [value for one in members for value in values(one)])
        below = asked["aggs"]["x"]

        def bucket(some, inner=scope):
            return {"doc_count": len(some), "x": self.run(below, some, inner)}

        def by(key_of):
            keys = {}
            for member in members:
                for key in {key_of(value) for value in values(member)}:
                    keys.setdefault(key, []).append(member)
            return keys

        if kind == "terms":
            down = body["order"]["_key"] == "desc"
            return [{"key": key, **bucket(some)}
                    for key, some in sorted(by(lambda v: v).items(), reverse=down)]
        if kind == "histogram":
            width = body["interval"]
            return [{"key": key, **bucket(some)}
                    for key, some in sorted(by(lambda v: v // width * width).items())]
        if kind == "date_histogram":
            width = 30 * DAY_MS
            return [{"key": key, **bucket(some)}
                    for key, some in sorted(by(lambda v: millis(v) // width * width).items())]
        if kind == "date_range":
            return [bucket([one for one in members if any(
                millis(part.get("from", "2000-01-01")) <= millis(value)
                < millis(part.get("to", "2100-01-01")) for value in values(one))])
                    for part in sorted(body["ranges"], key=lambda part: (
                        part.get("from", ""), part.get("to", "3000")))]
        if kind == "range":
            return [bucket([one for one in members if any(
                part.get("from", -math.inf) <= value < part.get("to", math.inf)
                for value in values(one))]) for part in body["ranges"]]
        if kind == "filter":
            return bucket([one for one in members if self.fits(body, one, scope)])
        if kind == "filters":
            return {name: bucket([one for one in members if self.fits(query, one, scope)])
                    for name, query in body["filters"].items()}
        if kind == "missing":
            return bucket([one for one in members if not values(one)])
        if kind == "nested":
            return bucket([(part, doc) for _, doc in members for part in flat(doc.get("o"))], "o.")
        distinct = {id(doc): (doc, doc) for _, doc in members}
        return bucket(list(distinct.values()), "")

    def fits(self, query, member, scope):
        return self.own(scope).judge(query, member[0]) is not None

    @staticmethod
    def metric(kind, values):
        numbers = {"sum": sum(values), "avg": sum(values) / len(values) if values else None,
                   "min": min(values, default=None), "max": max(values, default=None),
                   "value_count": len(values), "cardinality": len(set(values))}
        if kind == "stats":
            return {"count": len(values), **{name: numbers[name]
                                             for name in ("min", "max", "avg", "sum")}}
        return {"value": numbers[kind]}


def shown(answer):
    """What an aggregation answers, in the oracle's form."""
    if "buckets" in answer:
        buckets = answer["buckets"]
        if isinstance(buckets, dict):
            return {name: shown(one) for name, one in buckets.items()}
        return [shown(one) for one in buckets]
    out = {name: answer[name] for name in ("doc_count", "value", "count", "min", "max", "avg", "sum")
           if name in answer}
    if "key" in answer:
        out["key"] = answer["key"]
    if "x" in answer:
        out["x"] = shown(answer["x"])
    return out


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        # Bounds of ranges are keys of their own.
        names = (set(a) | set(b)) - ({"key"} if "key" not in a or "key" not in b else set())
        return all(name in a and name in b and same(a[name], b[name]) for name in names)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=2e-5, abs_tol=1e-6)
    return a == b


# --- checks

def asked(query):
    """A request without what its texts stand for, which is for the oracle alone."""
    if isinstance(query, dict):
        if "meant" in query:
            return query["meant"][0]
        return {name: asked(one) for name, one in query.items()}
    return [asked(one) for one in query] if isinstance(query, list) else query


def sort_of(rng):
    return [{rng.choice(["n", "price", "day", "tag", "body.length"]): {
        "order": rng.choice(["asc", "desc"]), "missing": rng.choice(["_last", "_first"])}}]


def rescore_by(second):
    return {"window_size": 1000, "query": {"rescore_query": second, "query_weight": 0.5,
                                           "rescore_query_weight": 2}}


COLLAPSE = {"field": "need"}
FIELDS = ["title", "tag", "n", "price", "flag", "need", "body.length"]
STORED = ["body", "tag", "n", "title"]
COLUMNS = ["tag", "n", "price", "need", "body.length", {"field": "day", "format": "yyyy-MM-dd"}]


def members(chance):
    """Members of searches as this test asks them."""
    questions = Questions(chance)
    while True:
        yield {"query": {}, **search_members.members(chance)}
        yield {"terminate_after": 1, "sort": sort_of(chance), "collapse": COLLAPSE,
               "rescore": rescore_by(questions.query(1)), "fields": FIELDS,
               "stored_fields": STORED, "docvalue_fields": COLUMNS}


def search(cairn, **body):
    return cairn.ok("POST", "/i/_search", {"size": 1000, "_source": False, **asked(body)})


def check_query(cairn, oracle, query):
    wanted = {doc["_id"]: score for doc in oracle.docs
              if (score := oracle.judge(query, doc)) is not None}
    answer = search(cairn, query=query, track_total_hits=True)
    hits = {hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]}
    assert set(hits) == set(wanted), (query, set(hits) ^ set(wanted))
    assert answer["hits"]["total"]["value"] == len(wanted), query
    for one, score in wanted.items():
        assert same(score, hits[one]), (query, one, score, hits[one])
    scores = [hit["_score"] for hit in answer["hits"]["hits"]]
    assert scores == sorted(scores, reverse=True), query
    count = cairn.ok("POST", "/i/_count", {"query": asked(query)})["count"]
    assert count == len(wanted), query
    # The first ones alone, where documents can be passed over.
    few = search(cairn, query=query, size=7)
    assert [hit["_score"] for hit in few["hits"]["hits"]] == scores[:7], query
    return wanted


def pinned_query(rng, query):
    return {"pinned": {"ids": [str(one) for one in rng.sample(range(200), 3)], "organic": query}}


def requests(chance):
    """Queries as this test asks them."""
    questions = Questions(chance)
    while True:
        yield asked(questions.query())
        yield asked(pinned_query(chance, questions.query(1)))


def aggregations(chance):
    """Aggregations as this test asks them."""
    while True:
        yield asked(Questions(chance).aggregation())


def check_pinned(cairn, oracle, rng, query):
    pinned = pinned_query(rng, query)
    ids = pinned["pinned"]["ids"]
    answer = search(cairn, query=pinned)
    there = [one for one in ids if any(doc["_id"] == one for doc in oracle.docs)]
    found = [hit["_id"] for hit in answer["hits"]["hits"]]
    assert found[:len(there)] == there, (pinned, found[:5])
    rest = {doc["_id"] for doc in oracle.docs if doc["_id"] not in there
            and oracle.judge(query, doc) is not None}
    assert set(found[len(there):]) == rest, pinned


def check_sort(cairn, oracle, rng, query):
    sort = sort_of(rng)
    field, (order, missing) = next((name, one.values()) for name, one in sort[0].items())
    mode = max if order == "desc" else min
    answer = search(cairn, query=query, sort=sort)
    found = [hit["_id"] for hit in answer["hits"]["hits"]]
    docs = {doc["_id"]: doc for doc in oracle.docs if oracle.judge(query, doc) is not None}
    assert set(found) == set(docs), query
    keys = []
    for one in found:
        values = [millis(v) if field == "day" else v for v in oracle.values(docs[one], field)]
        keys.append(mode(values) if values else None)
    having = [key for key in keys if key is not None]
    assert having == sorted(having, reverse=order == "desc"), (field, order, having)
    ends = keys[:len(keys) - len(having)] if missing == "_first" else keys[len(having):]
    assert all(key is None for key in ends), (field, missing, keys)


def check_collapse(cairn, oracle, query):
    judged = [(score, doc) for doc in oracle.docs
              if (score := oracle.judge(query, doc)) is not None]
    best = {}
    for score, doc in judged:
        key = (oracle.values(doc, "need") or [None])[0]
        best[key] = max(best.get(key, -math.inf), score)
    answer = search(cairn, query=query, size=100, collapse=COLLAPSE)
    found = {hit["fields"]["need"][0]: hit["_score"] for hit in answer["hits"]["hits"]}
    assert same({str(k): v for k, v in best.items()}, {str(k): v for k, v in found.items()}), query


def check_rescore(cairn, oracle, first, second):
    judged = {doc["_id"]: (score, oracle.judge(second, doc)) for doc in oracle.docs
              if (score := oracle.judge(first, doc)) is not None}
    wanted = {one: 0.5 * score + (2 * more if more is not None else 0)
              for one, (score, more) in judged.items()}
    answer = search(cairn, query=first, rescore=rescore_by(second))
    found = {hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]}
    assert same(wanted, found), (first, second)


def check_fields(cairn, oracle, query):
    """Values as the source has them, as columns have them, and of fields with `store`."""
    stored = {name for name in ("body", "tag", "n") if oracle.parameter(name, "store", False)}
    docs = {doc["_id"]: doc for doc in oracle.docs}

    def check(answer, wanted_of):
        for hit in answer["hits"]["hits"]:
            wanted = {name: values for name, values in wanted_of(docs[hit["_id"]]).items() if values}
            assert same(wanted, hit.get("fields", {})), (query, hit, wanted)

    check(search(cairn, query=query, fields=FIELDS),
          lambda doc: {name: oracle.values(doc, name) for name in FIELDS})
    check(search(cairn, query=query, stored_fields=STORED),
          lambda doc: {name: oracle.values(doc, name) for name in stored})
    check(search(cairn, query=query, docvalue_fields=COLUMNS), lambda doc: {
        "tag": sorted(set(oracle.values(doc, "tag"))),
        **{name: sorted(oracle.values(doc, name))
           for name in ("n", "price", "need", "day", "body.length")}})


def check_aggregation(cairn, oracle, query, wanted_of):
    members = [(doc, doc) for doc in oracle.docs if oracle.judge(query, doc) is not None]
    wanted = Slow(oracle, oracle.docs).run(wanted_of, members)
    answer = search(cairn, query=query, size=0, aggs={"x": wanted_of})
    found = shown(answer["aggregations"]["x"])
    assert same(wanted, found), (json.dumps(query), json.dumps(wanted_of), wanted, found)


def main(binary, seed, rounds):
    rng = random.Random(seed)
    questions = Questions(rng)
    cairn = Cairn(binary).start()
    try:
        made = mappings(rng)
        if not made["properties"]["title"].get("norms", True):
            questions.combined = ["body"]  # all of them have norms, or none
        cairn.ok("PUT", "/i", {"mappings": made})
        docs = {}
        for _ in range(4):
            lines = ""
            for _ in range(70):
                number = str(rng.randrange(200))
                docs[number] = questions.document()
                lines += json.dumps({"index": {"_id": number}}) + "\n"
                lines += json.dumps(docs[number]) + "\n"
            answer = cairn.ok("POST", "/i/_bulk?refresh=true", lines)
            assert not answer["errors"], answer
        # Documents that were overwritten count in statistics until they are merged away.
        cairn.ok("POST", "/i/_forcemerge?max_num_segments=1")
        oracle = Oracle([{**doc, "_id": number} for number, doc in docs.items()], KINDS, made)

        def ask(**body):
            return search(cairn, **body)

        matched = 0
        for _ in range(rounds):
            query = questions.query()
            judged = check_query(cairn, oracle, query)
            matched += len(judged)
            check_aggregation(cairn, oracle, query, questions.aggregation())
            search_members.check_members(ask, oracle, (query, judged), search_members.members(rng))
            search_members.check_ended_early(ask, (query, judged), rng.randint(1, 60))
            rng.choice([lambda: check_sort(cairn, oracle, rng, query),
                        lambda: check_collapse(cairn, oracle, query),
                        lambda: check_fields(cairn, oracle, query),
                        lambda: check_pinned(cairn, oracle, rng, query),
                        lambda: check_rescore(cairn, oracle, query, questions.query(1))])()
        assert matched > rounds
    finally:
        cairn.stop()
    print(f"seed {seed}: {rounds} queries agree, {matched} hits")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1,
         int(sys.argv[3]) if len(sys.argv) > 3 else 60)
