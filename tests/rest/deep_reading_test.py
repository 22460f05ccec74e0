#!/usr/bin/env python3
"""Scrolls and points in time over several indices, in many orders and sizes of pages, while documents
come and go: each document of the first moment comes once, in order, with what it was.

    deep_reading_test.py CAIRN [SEED]
"""

import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

INDICES = ["ants", "bees", "cats"]
MAPPING = {"mappings": {"properties": {"text": {"type": "text"}, "year": {"type": "integer"},
                                       "name": {"type": "keyword"}, "x": {"type": "double"}}}}
ORDERS = [None, ["_doc"], ["_score"], ["year"], [{"year": "desc"}, "name"],
          [{"name": {"order": "desc", "missing": "_first"}}], ["x", "_score"], ["year", "_doc"]]
QUERIES = [{"match_all": {}}, {"match": {"text": "sea sand"}}, {"range": {"year": {"gte": 1910}}}]


class World:
    def __init__(self, cairn, seed):
        self.cairn, self.random = cairn, random.Random(seed)
        self.connection = cairn.connect()
        self.numbers = 0
        self.documents = {}  # (index, id) to source
        for index in INDICES:
            self.ask("PUT", f"/{index}", MAPPING)
            for _ in range(3):  # a segment each
                self.write(index, 20)

    def ask(self, method, path, body=None, wanted=200):
        status, answer = self.cairn.request(method, path, body, connection=self.connection)
        assert status == wanted, (method, path, body, status, answer)
        return answer

    def document(self):
        out = {"text": " ".join(self.random.choices(["sea", "sand", "sun", "salt"], k=6)),
               "year": self.random.randrange(1900, 1920), "x": self.random.random()}
        if self.random.random() < 0.8:
            out["name"] = self.random.choice("abcdef")
        if self.random.random() < 0.2:
            del out["x"]
        return out

    def write(self, index, count):
        """New documents, documents written again, and documents deleted."""
        lines = []
        for _ in range(count):
            known = [id for at, id in self.documents if at == index]
            if known and self.random.random() < 0.3:
                id = self.random.choice(known)
                if self.random.random() < 0.5:
                    del self.documents[index, id]
                    lines.append({"delete": {"_id": id}})
                    continue
            else:
                self.numbers += 1
                id = str(self.numbers)
            self.documents[index, id] = self.document()
            lines += [{"index": {"_id": id}}, self.documents[index, id]]
        self.ask("POST", f"/{index}/_bulk?refresh=true", "".join(json.dumps(line) + "\n" for line in lines))

    def change(self):
        if self.random.random() < 0.2:
            self.write(self.random.choice(INDICES), 3)
        if self.random.random() < 0.05:
            self.ask("POST", f"/{self.random.choice(INDICES)}/_forcemerge?max_num_segments=1")


def keys(hit):
    return hit["_index"], hit["_id"]


def check(world, body, pages, wanted):
    hits = [hit for page in pages for hit in page]
    found = [keys(hit) for hit in hits]
    assert len(found) == len(set(found)), (body, "a document came twice")
    assert [(keys(hit), hit["_source"]) for hit in hits] == wanted, (body, len(hits), len(wanted))


def whole(world, body, names):
    """All hits at once, in the order that pages must have. Equal ones come by index and document;
    `_doc` counts anew in each index, so a plain search has them in another order."""
    hits = world.ask("POST", f"/{names}/_search", dict(body, size=10_000))["hits"]["hits"]
    order = body.get("sort") or []
    if "_doc" in order:
        hits.sort(key=lambda hit: (hit["sort"][:-1], hit["_index"]))
    return [(keys(hit), hit["_source"]) for hit in hits]


def scrolled(world, body, names):
    wanted = whole(world, body, names)
    answer = world.ask("POST", f"/{names}/_search?scroll=1m", body)
    pages, total = [], answer["hits"]["total"]
    assert total == {"value": len(wanted), "relation": "eq"}, (total, len(wanted))
    while answer["hits"]["hits"]:
        assert answer["hits"]["total"] == total
        pages.append(answer["hits"]["hits"])
        world.change()
        answer = world.ask("POST", "/_search/scroll", {"scroll_id": answer["_scroll_id"], "scroll": "1m"})
    check(world, body, pages, wanted)
    world.ask("DELETE", "/_search/scroll", {"scroll_id": answer["_scroll_id"]})


def at_a_point_in_time(world, body, names):
    pit = world.ask("POST", f"/{names}/_pit?keep_alive=1m")["id"]
    wanted = whole(world, body, names)
    pages, cursor = [], None
    while True:
        page = dict(body, pit={"id": pit})
        if cursor:
            page["search_after"] = cursor
        hits = world.ask("POST", "/_search", page)["hits"]["hits"]
        if not hits:
            break
        pages.append(hits)
        cursor = hits[-1]["sort"]
        world.change()
    check(world, body, pages, wanted)
    world.ask("DELETE", "/_pit", {"id": pit})


def sliced(world, names):
    wanted = sorted(keys for keys, _ in whole(world, {"query": {"match_all": {}}}, names))
    count = world.random.randrange(2, 5)
    found = []
    for id in range(count):
        answer = world.ask("POST", f"/{names}/_search?scroll=1m",
                           {"slice": {"id": id, "max": count}, "size": 7})
        while answer["hits"]["hits"]:
            found += [keys(hit) for hit in answer["hits"]["hits"]]
            answer = world.ask("POST", "/_search/scroll", {"scroll_id": answer["_scroll_id"]})
        world.ask("DELETE", "/_search/scroll", {"scroll_id": answer["_scroll_id"]})
    assert sorted(found) == wanted, (len(found), len(wanted))


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cairn = Cairn(sys.argv[1]).start()
    try:
        world = World(cairn, seed)
        for order in ORDERS:
            for query in QUERIES:
                names = world.random.choice(["ants", "bees,cats", "*"])
                body = {"query": query, "size": world.random.choice([1, 7, 40])}
                if order:
                    body["sort"] = order
                scrolled(world, body, names)
                if order:
                    at_a_point_in_time(world, body, names)
        sliced(world, "*")
    finally:
        cairn.kill()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
