#!/usr/bin/env python3
"""Span queries over REST, against their meaning worked out here from the words of each document: random
texts, random trees of pieces, the documents that match and their scores.

    spans_test.py CAIRN [SEED]
"""

import itertools
import json
import math
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

DOCUMENTS, TREES = 120, 1_500
WORDS = ["ash", "asp", "bay", "box", "elm", "fir", "yew"]
FIELDS = ["body", "title"]


class Texts:
    """Random documents: short texts of few words, so that pieces meet."""

    def __init__(self, chance):
        self.chance = chance
        self.documents = [{field: [chance.choice(WORDS) for _ in range(chance.randint(1, most))]
                           for field, most in zip(FIELDS, (14, 7))} for _ in range(DOCUMENTS)]

    def bulk(self):
        lines = []
        for i, document in enumerate(self.documents):
            lines += [{"index": {"_id": str(i)}},
                      {field: " ".join(words) for field, words in document.items()}]
        return "".join(json.dumps(line) + "\n" for line in lines)

    def idf(self, field, word):
        """As BM25 has it; of a word of one field among the documents of another: all have all."""
        having = sum(word in document[field] for document in self.documents)
        return math.log(1 + (DOCUMENTS - having + 0.5) / (having + 0.5)) if having else 0

    def score(self, frequency, idf, field, document):
        lengths = [len(one[field]) for one in self.documents]
        relative = len(document[field]) / (sum(lengths) / len(lengths))
        return 2.2 * idf * frequency / (frequency + 1.2 * (0.25 + 0.75 * relative))


# A piece is (begin, end, how far its parts are apart); positions from `begin` up to `end`, without it.

def of_words(words, wanted):
    return [(i, i + 1, 0) for i, word in enumerate(words) if word in wanted]


def in_order(lists, slop):
    """From each piece of the first list on: the next piece of each further list that begins behind the
    one before it. Lists are only ever walked forwards. A gap is a number of positions."""
    walks = [part if isinstance(part, int) else iter(part) for part in lists]
    now, found = [(-1, -1, 0)] * len(lists), []
    starts = ((i, i + walks[0], 0) for i in itertools.count()) if isinstance(walks[0], int) \
        else walks[0]
    for begin, end, _ in starts:
        apart = 0
        for i in range(1, len(walks)):
            if isinstance(walks[i], int):
                end += walks[i]
                continue
            while now[i][0] < end:
                now[i] = next(walks[i], None)
                if now[i] is None:
                    return found
            apart += now[i][0] - end
            end = now[i][1]
        if apart <= slop:
            found.append((begin, end, apart))
    return found


def any_order(lists, slop):
    """A window over one piece of each list: whichever piece begins first goes on."""
    walks = [iter(part) for part in lists]
    heap, furthest = [], -1

    def lower(n):
        while n > 0 and heap[n][0][:2] < heap[(n - 1) // 2][0][:2]:
            heap[n], heap[(n - 1) // 2] = heap[(n - 1) // 2], heap[n]
            n = (n - 1) // 2

    def raise_first():
        n = 0
        while True:
            least = min((k for k in (2 * n + 1, 2 * n + 2) if k < len(heap)),
                        key=lambda k: heap[k][0][:2], default=n)
            if heap[least][0][:2] >= heap[n][0][:2]:
                return
            heap[n], heap[least] = heap[least], heap[n]
            n = least

    for walk in walks:
        piece = next(walk, None)
        if piece is None:
            return []
        furthest = max(furthest, piece[1])
        heap.append((piece, walk))
        lower(len(heap) - 1)
    found = []
    while True:
        begin = heap[0][0][0]
        if furthest - begin - sum(end - at for (at, end, _), _ in heap) <= slop:
            found.append((begin, furthest, furthest - begin))
        piece = next(heap[0][1], None)
        if piece is None:
            return found
        furthest = max(furthest, piece[1])
        heap[0] = (piece, heap[0][1])
        raise_first()


def without(included, excluded, before, after):
    """An excluded piece that ends too early for one included piece is too early for all further ones."""
    found, left = [], list(excluded)
    for piece in included:
        while left and left[0][1] <= piece[0] - before:
            left.pop(0)
        if not left or left[0][0] - after >= piece[1]:
            found.append(piece)
    return found


def containing(big, little):
    found, left = [], list(little)
    for piece in big:
        while left and left[0][0] < piece[0]:
            left.pop(0)
        if left and left[0][1] <= piece[1]:
            found.append(piece)
    return found


def within(big, little):
    found, left = [], list(big)
    for piece in little:
        while left and left[0][1] < piece[1]:
            left.pop(0)
        if left and left[0][0] <= piece[0]:
            found.append(piece)
    return found


class Tree:
    """One random span query: its JSON, its pieces in a document, the words that count for its score."""

    def __init__(self, chance, depth, field):
        self.field, self.chance = field, chance
        self.own = set()      # pairs of a field and a word
        self.is_flat = False  # a near of nothing but words
        kinds = ["near"] * 4 + ["or", "not", "first", "containing", "within", "masked", "multi"]
        kind = "term" if depth == 0 or chance.random() < 0.2 else chance.choice(kinds)
        getattr(self, "make_" + kind)(depth)

    def some(self, depth, count, field=None):
        self.parts = [Tree(self.chance, depth - 1, field or self.field) for _ in range(count)]
        for part in self.parts:
            self.own |= part.own
        return self.parts

    def make_term(self, _):
        word = self.chance.choice(WORDS)
        self.words, self.own = [word], {(self.field, word)}
        self.json = {"span_term": {self.field: word}}
        self.pieces = lambda document: of_words(document[self.field], [word])

    def make_multi(self, _):
        first = self.chance.choice("abe")
        words = [word for word in WORDS if word.startswith(first)]
        self.own = {(self.field, word) for word in words}
        self.json = {"span_multi": {"match": {"prefix": {self.field: {"value": first}}}}}
        self.pieces = lambda document: of_words(document[self.field], words)

    def make_near(self, depth):
        ordered, slop = self.chance.random() < 0.5, self.chance.randint(0, 5)
        parts = list(self.some(depth, self.chance.randint(1, 4)))
        self.is_flat = len(parts) > 1 and all("span_term" in part.json for part in parts)
        clauses = [part.json for part in parts]
        if ordered and self.chance.random() < 0.3:
            width, place = self.chance.randint(0, 2), self.chance.randint(0, len(parts))
            parts.insert(place, width)
            clauses.insert(place, {"span_gap": {self.field: width}})
            self.is_flat = False
        self.slop, self.ordered = slop, ordered
        self.json = {"span_near": {"clauses": clauses, "slop": slop, "in_order": ordered}}

        def pieces(document):
            lists = [part if isinstance(part, int) else part.pieces(document) for part in parts]
            if len(lists) == 1:
                return lists[0]
            return (in_order if ordered else any_order)(lists, slop)
        self.pieces = pieces

    def make_or(self, depth):
        parts = self.some(depth, self.chance.randint(1, 3))
        self.json = {"span_or": {"clauses": [part.json for part in parts]}}
        self.pieces = lambda document: sorted(
            (piece for part in parts for piece in part.pieces(document)), key=lambda one: one[:2])

    def make_not(self, depth):
        one, two = self.some(depth, 2)
        self.own = one.own
        before, after = self.chance.randint(0, 2), self.chance.randint(0, 2)
        self.json = {"span_not": {"include": one.json, "exclude": two.json, "pre": before,
                                  "post": after}}
        self.pieces = lambda document: without(one.pieces(document), two.pieces(document), before,
                                               after)

    def make_first(self, depth):
        one, end = self.some(depth, 1)[0], self.chance.randint(0, 12)
        self.json = {"span_first": {"match": one.json, "end": end}}
        self.pieces = lambda document: [p for p in one.pieces(document) if p[1] <= end]

    def make_containing(self, depth, name="containing", work=containing):
        big, little = self.some(depth, 2)
        self.json = {"span_" + name: {"big": big.json, "little": little.json}}
        self.pieces = lambda document: work(big.pieces(document), little.pieces(document))

    def make_within(self, depth):
        self.make_containing(depth, "within", within)

    def make_masked(self, depth):
        other = "title" if self.field == "body" else "body"
        one = self.some(depth, 1, other)[0]
        # It has two names.
        name = self.chance.choice(["field_masking_span", "span_field_masking"])
        self.json = {name: {"query": one.json, "field": self.field}}
        self.pieces = one.pieces

    def scored_field(self):
        """A mask counts for what is around it alone: at the top a query is of the field below it."""
        if "field_masking_span" in self.json or "span_field_masking" in self.json:
            return self.parts[0].scored_field()
        if "span_near" in self.json and len(self.json["span_near"]["clauses"]) == 1:
            return self.parts[0].scored_field()
        return self.field

    def has_some_near(self, document):
        """Whether any words that the clauses name, one each, are as near as is asked for."""
        places = [[i for i, word in enumerate(document[self.field]) if word == part.words[0]]
                  for part in self.parts]
        for chosen in itertools.product(*places):
            if self.ordered and any(a >= b for a, b in zip(chosen, chosen[1:])):
                continue
            if max(chosen) - min(chosen) + 1 - len(chosen) <= self.slop:
                return True
        return False


def requests(chance):
    """Queries as this test asks them."""
    while True:
        yield Tree(chance, 3, "body").json


def expected(tree, texts):
    field = tree.scored_field()
    idf = sum(texts.idf(*word) for word in tree.own)
    found = {}
    for i, document in enumerate(texts.documents):
        pieces = tree.pieces(document)
        if tree.is_flat:
            assert bool(pieces) == tree.has_some_near(document), (tree.json, document)
        if pieces:
            frequency = sum(1 / (1 + apart) for _, _, apart in pieces)
            found[str(i)] = texts.score(frequency, idf, field, document)
    return found


def check(tree, answer, texts):
    got = {hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]}
    wanted = expected(tree, texts)
    shown = json.dumps(tree.json)
    assert set(got) == set(wanted), (shown, sorted(set(got) ^ set(wanted)))
    for name, score in wanted.items():
        assert abs(got[name] - score) < 1e-5 * max(1, score), (shown, name, got[name], score)
    return len(got)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    texts = Texts(chance)
    cairn = Cairn(sys.argv[1]).start()
    try:
        connection = cairn.connect()
        lines = {"Content-Type": "application/x-ndjson"}
        cairn.ok("PUT", "/trees", {"mappings": {"properties": {
            field: {"type": "text"} for field in FIELDS}}}, connection=connection)
        answer = cairn.ok("POST", "/trees/_bulk?refresh=true", texts.bulk(), connection=connection,
                          headers=lines)
        assert not answer["errors"], answer
        hits = 0
        for _ in range(0, TREES, 100):
            trees = [Tree(chance, 3, "body") for _ in range(100)]
            body = "".join('{"index": "trees"}\n' + json.dumps(
                {"query": tree.json, "size": DOCUMENTS, "_source": False}) + "\n" for tree in trees)
            answers = cairn.ok("POST", "/_msearch", body, connection=connection, headers=lines)
            for tree, answer in zip(trees, answers["responses"]):
                assert "hits" in answer, (json.dumps(tree.json), answer)
                hits += check(tree, answer, texts)
        assert hits > TREES, hits
        print(TREES, "trees,", hits, "hits: all as worked out")
    finally:
        cairn.stop()
        shutil.rmtree(cairn.folder)


if __name__ == "__main__":
    main()
