#!/usr/bin/env python3
"""Nearest vectors and meanings, against every document compared in Python: `knn` beside queries and among
them, with filters and least similarities, all ways to compare; `semantic`, with the vectors that the
endpoint gives for the texts of the sources; `sparse_vector` with tokens left out.

    semantic_test.py CAIRN [SEED]
"""

import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

DOCUMENTS, ROUNDS, DIMS = 120, 150, 8
WORDS = ("sea ship storm harbour wind wave whale seal sail shore sand salt captain anchor bridge "
         "forest bread music winter letter").split()
TAGS = ["red", "green", "blue"]
WAYS = {"cosine": "cosine", "dot": "dot_product", "far": "l2_norm", "most": "max_inner_product"}
MAPPINGS = {"properties": {
    "tag": {"type": "keyword"}, "n": {"type": "integer"},
    "meaning": {"type": "semantic_text"},
    "tokens": {"type": "sparse_vector"},
    **{name: {"type": "dense_vector", "dims": DIMS, "similarity": way}
       for name, way in WAYS.items()},
    "bytes": {"type": "dense_vector", "dims": DIMS, "similarity": "l2_norm",
              "element_type": "byte"}}}


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(vector):
    length = math.sqrt(dot(vector, vector))
    return [x / length for x in vector]


def likeness(way, a, b):
    """What `similarity` of a knn is compared with, and the score."""
    if way == "cosine":
        cosine = dot(unit(a), unit(b))
        return cosine, (1 + cosine) / 2
    if way == "l2_norm":
        square = sum((x - y) ** 2 for x, y in zip(a, b))
        return -math.sqrt(square), 1 / (1 + square)
    product = dot(a, b)
    if way == "dot_product":
        return product, (1 + product) / 2
    return product, product + 1 if product >= 0 else 1 / (1 - product)


def way_of(field):
    return "l2_norm" if field == "bytes" else WAYS[field]


class Requests:
    """Random documents, vectors and requests."""

    def __init__(self, chance):
        self.chance = chance

    def vector(self, field):
        if field == "bytes":
            return [self.chance.randrange(-128, 128) for _ in range(DIMS)]
        made = [self.chance.gauss(0, 1) for _ in range(DIMS)]
        return unit(made) if field == "dot" else made

    def text(self, most=6):
        return " ".join(self.chance.choice(WORDS) for _ in range(self.chance.randint(1, most)))

    def document(self):
        chance = self.chance
        out = {"tag": chance.choice(TAGS), "n": chance.randrange(10)}
        for field in [*WAYS, "bytes"]:
            if chance.random() < 0.8:
                out[field] = self.vector(field)
        if chance.random() < 0.8:
            out["meaning"] = self.text()
        if chance.random() < 0.8:
            # A few tokens are everywhere, which is what pruning looks at.
            words = set(chance.sample(WORDS, 2)) | {w for w in WORDS[:2] if chance.random() < 0.9}
            out["tokens"] = {word: chance.randrange(1, 16) / 4 for word in words}
        return out

    def filter(self):
        return self.chance.choice([
            {"term": {"tag": self.chance.choice(TAGS)}},
            {"range": {"n": {"gte": self.chance.randrange(8)}}}])

    def knn(self):
        field = self.chance.choice([*WAYS, "bytes"])
        body = {"field": field, "query_vector": self.vector(field),
                "k": self.chance.choice([1, 5, 40]), "num_candidates": 100}
        if self.chance.random() < 0.4:
            body["filter"] = self.filter()
        if self.chance.random() < 0.3:
            body["boost"] = 2.5
        if self.chance.random() < 0.3:
            # For distances the greatest one.
            body["similarity"] = {"l2_norm": 250 if field == "bytes" else 3.5, "cosine": 0.2,
                                  "dot_product": 0.1, "max_inner_product": 0.5}[way_of(field)]
        return {"knn": body}

    def sparse(self):
        words = self.chance.sample(WORDS, 4) + WORDS[:2]
        body = {"field": "tokens", "query_vector": {word: self.chance.randrange(1, 8) / 2
                                                    for word in words}}
        if self.chance.random() < 0.6:
            body["prune"] = True
            body["pruning_config"] = {
                "tokens_freq_ratio_threshold": self.chance.choice([1, 2, 5]),
                "tokens_weight_threshold": self.chance.choice([0.3, 0.6]),
                "only_score_pruned_tokens": self.chance.random() < 0.2}
        return {"sparse_vector": body}

    def leaf(self):
        return self.chance.choice([
            self.knn, self.knn, self.sparse,
            lambda: {"semantic": {"field": "meaning", "query": self.text(3)}}])()

    def query(self):
        """One of them, or one beside others."""
        if self.chance.random() < 0.5:
            return self.leaf()
        return {"bool": {"should": [self.leaf(), self.leaf()],
                         **({"filter": [self.filter()]} if self.chance.random() < 0.5 else {})}}


def requests(chance):
    """Queries as this test asks them."""
    while True:
        yield Requests(chance).query()


class Oracle:
    def __init__(self, documents, embed):
        self.documents, self.embed = documents, embed
        self.meanings = {name: embed(doc["meaning"]) for name, doc in documents.items()
                         if "meaning" in doc}

    def passes(self, body, doc):
        kind, inner = next(iter(body.items()))
        field, wanted = next(iter(inner.items()))
        return doc[field] == wanted if kind == "term" else doc[field] >= wanted["gte"]

    def scores(self, query, size):
        """The score of each document that matches. `size`: how many hits are asked for."""
        kind, body = next(iter(query.items()))
        return getattr(self, kind)(body, size)

    def knn(self, body, size):
        way, found = way_of(body["field"]), {}
        for name, doc in self.documents.items():
            passes = "filter" not in body or self.passes(body["filter"], doc)
            if body["field"] not in doc or not passes:
                continue
            like, score = likeness(way, body["query_vector"], doc[body["field"]])
            least = body.get("similarity", -math.inf)
            if like >= (-least if way == "l2_norm" and least != -math.inf else least):
                found[name] = score * body.get("boost", 1)
        best = sorted(found, key=found.get, reverse=True)[:body["k"]]
        return {name: found[name] for name in best}

    def semantic(self, body, size):
        vector = self.embed(body["query"])
        found = {name: likeness("cosine", vector, own)[1] for name, own in self.meanings.items()}
        best = sorted(found, key=found.get, reverse=True)[:max(size, 10)]
        return {name: found[name] for name in best}

    def counted(self, body):
        """The tokens of a query that count."""
        weights, config = body["query_vector"], body.get("pruning_config")
        if not config:
            return weights
        having = [doc["tokens"] for doc in self.documents.values() if "tokens" in doc]
        distinct = {token for tokens in having for token in tokens}
        average = sum(len(tokens) for tokens in having) / len(having) / len(distinct)
        heavy = config["tokens_weight_threshold"] * max(weights.values())

        def stays(token):
            share = sum(token in tokens for tokens in having) / len(having)
            return 0 < share and (share < config["tokens_freq_ratio_threshold"] * average
                                  or weights[token] > heavy)
        pruned = config["only_score_pruned_tokens"]
        return {token: weight for token, weight in weights.items() if stays(token) != pruned}

    def sparse_vector(self, body, size):
        weights, found = self.counted(body), {}
        for name, doc in self.documents.items():
            shared = [doc["tokens"][token] * weight for token, weight in weights.items()
                      if token in doc.get("tokens", {})]
            if shared:
                found[name] = sum(shared)
        return found

    def bool(self, body, size):
        # Beside a filter the others need not match.
        out = dict.fromkeys(self.documents, 0) if "filter" in body else {}
        for one in body["should"]:
            for name, score in self.scores(one, size).items():
                out[name] = out.get(name, 0) + score
        return {name: score for name, score in out.items()
                if all(self.passes(one, self.documents[name]) for one in body.get("filter", []))}


def check(asked, wanted, answer):
    found = {hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]}
    shown = json.dumps(asked)
    assert set(found) == set(wanted), (shown, sorted(set(found) ^ set(wanted)))
    for name, score in wanted.items():
        assert math.isclose(found[name], score, rel_tol=2e-5, abs_tol=1e-6), \
            (shown, name, found[name], score)
    return len(found)


def check_joined(cairn, oracle, made, size):
    """A knn at the top joins the hits of a query, and alone it is the search."""
    knn = made.knn()
    query = made.chance.choice([None, made.sparse()])
    wanted = oracle.scores(knn, size)
    asked = {"size": size, "_source": False, **knn}
    if query:
        asked["query"] = query
        for name, score in oracle.scores(query, size).items():
            wanted[name] = wanted.get(name, 0) + score
    return check(asked, wanted, cairn.ok("POST", "/i/_search", asked))


def main(binary, seed):
    chance = random.Random(seed)
    made = Requests(chance)
    cairn = Cairn(binary).start()
    try:
        cairn.ok("PUT", "/i", {"mappings": MAPPINGS})
        documents, lines = {}, ""
        for number in range(DOCUMENTS):
            documents[str(number)] = made.document()
            lines += json.dumps({"index": {"_id": str(number)}}) + "\n"
            lines += json.dumps(documents[str(number)]) + "\n"
            if number == DOCUMENTS // 3:
                assert not cairn.ok("POST", "/i/_bulk?refresh=true", lines)["errors"]
                lines = ""
        assert not cairn.ok("POST", "/i/_bulk?refresh=true", lines)["errors"]
        kept = {}

        def embed(text):
            if text not in kept:
                answer = cairn.ok("POST", "/_inference/text_embedding/.cairn-dense",
                                  {"input": [text]})
                kept[text] = answer["text_embedding"][0]["embedding"]
            return kept[text]

        oracle, hits = Oracle(documents, embed), 0
        for _ in range(ROUNDS):
            query = made.query()
            answer = cairn.ok("POST", "/i/_search", {"query": query, "size": 1000,
                                                     "_source": False})
            hits += check(query, oracle.scores(query, 1000), answer)
            hits += check_joined(cairn, oracle, made, 1000)
        assert hits > ROUNDS, hits
    finally:
        cairn.stop()
    print(f"seed {seed}: {ROUNDS} queries and {ROUNDS} searches agree, {hits} hits")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
