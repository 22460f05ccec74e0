#!/usr/bin/env python3
"""The nearest vectors over REST, against all of them compared here: at the defaults, in clusters and in
noise, over many segments with a fifth deleted, with filters for and against the query, and after a
merge. At least 95 of 100 of the nearest are found, and every score is right.

    vector_recall_test.py CAIRN [SEED]
"""

import json
import os
import sys
import time

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

DIMS, K, QUERIES = 32, 10, 40
# Segments of two sizes: eight of one size would be merged.
SEGMENTS = [1_300] * 5 + [8_000] * 3 + [1_300]
SHARES = [1, 0.5, 0.1, 0.01, 0.001]
MAPPING = {"mappings": {"properties": {
    "v": {"type": "dense_vector", "dims": DIMS}, "near": {"type": "double"},
    "far": {"type": "double"}, "chance": {"type": "double"}}}}


def clustered(random, count):
    """Around 50 centres, of which some have many."""
    centres = numpy.random.default_rng(1).normal(size=(50, DIMS))
    which = (50 * random.random(count) ** 2).astype(int)
    return centres[which] + 0.4 * random.normal(size=(count, DIMS))


def uniform(random, count):
    return random.normal(size=(count, DIMS))


class Vectors:
    """An index of vectors, and what is true of it."""

    def __init__(self, cairn, name, make, random):
        self.cairn, self.name, self.random = cairn, name, random
        self.connection = cairn.connect()
        count = sum(SEGMENTS)
        rows = make(random, count)
        self.rows = (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype("f4")
        queries = make(random, QUERIES)
        self.queries = (queries / numpy.linalg.norm(queries, axis=1, keepdims=True)).astype("f4")
        # Filters take a share of the documents: those that are nearest to the queries' mean, those
        # that are farthest from it, or any.
        order = numpy.argsort(numpy.argsort(-self.rows @ self.queries.mean(0)))
        self.shares = {"near": (order + 0.5) / count, "far": 1 - (order + 0.5) / count,
                       "chance": random.permutation(count) / count + 0.5 / count}
        self.live = numpy.ones(count, bool)
        self.ask("PUT", f"/{name}", MAPPING)
        begin = 0
        for size in SEGMENTS:
            lines = []
            for i in range(begin, begin + size):
                source = {field: float(share[i]) for field, share in self.shares.items()}
                source["v"] = [round(float(x), 6) for x in self.rows[i]]
                lines += [{"index": {"_id": str(i)}}, source]
            begin += size
            self.bulk(lines)
            self.ask("POST", f"/{name}/_flush")
        gone = random.permutation(count)[:count // 5]
        self.live[gone] = False
        self.bulk([{"delete": {"_id": str(i)}} for i in gone])
        self.ask("POST", f"/{name}/_refresh")

    def ask(self, method, path, body=None):
        return self.cairn.ok(method, path, body, connection=self.connection)

    def bulk(self, lines):
        body = "".join(json.dumps(line) + "\n" for line in lines)
        answer = self.cairn.ok("POST", f"/{self.name}/_bulk", body, connection=self.connection,
                               headers={"Content-Type": "application/x-ndjson"})
        assert not answer["errors"], answer

    def nearest(self, query, field, share):
        knn = {"field": "v", "query_vector": [float(x) for x in query], "k": K}
        if share < 1:
            knn["filter"] = {"range": {field: {"lte": share}}}
        answer = self.ask("POST", f"/{self.name}/_search", {"knn": knn, "_source": False, "size": K})
        return [(int(hit["_id"]), hit["_score"]) for hit in answer["hits"]["hits"]]

    def recall(self, field, share):
        """The share of the truly nearest that is found; scores must be right."""
        found = wanted = 0
        passes = self.live & (self.shares[field] <= share)
        for query in self.queries:
            scores = (1 + self.rows.astype("f8") @ query.astype("f8")) / 2
            best = numpy.sort(scores[passes])[::-1][:K]
            hits = self.nearest(query, field, share)
            assert len(hits) == len(best), (field, share, len(hits), len(best))
            last = 2
            for i, score in hits:
                assert passes[i], f"{i} is deleted or does not pass {field} {share}"
                assert abs(score - scores[i]) < 2e-5, (i, score, scores[i])
                assert score <= last, "hits are not in order"
                last = score
                found += scores[i] >= best[-1] - 2e-6
            wanted += len(best)
        return found / wanted

    def check(self, when):
        for share in SHARES:
            for field in ["chance"] if share == 1 else self.shares:
                recall = self.recall(field, share)
                print(f"{self.name} {when}: {share:g} by {field}: recall {recall:.3f}")
                assert recall >= 0.95, (self.name, when, field, share, recall)


def main():
    begin = time.monotonic()
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    cairn = Cairn(sys.argv[1]).start()
    try:
        for name, make in {"clustered": clustered, "uniform": uniform}.items():
            vectors = Vectors(cairn, name, make, numpy.random.default_rng(seed))
            stats = vectors.ask("GET", f"/{name}/_stats")["_all"]["primaries"]
            assert stats["segments"]["count"] >= 8, stats
            vectors.check("in many segments")
            vectors.ask("POST", f"/{name}/_forcemerge?max_num_segments=1")
            vectors.check("merged")
        assert cairn.stop() == 0
    finally:
        if cairn.process.poll() is None:
            cairn.kill()
    print(f"took {time.monotonic() - begin:.0f} s")


main()
