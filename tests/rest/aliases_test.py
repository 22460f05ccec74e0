#!/usr/bin/env python3
"""Aliases: what searches find through them beside a model of documents and filters, and what batches
leave under kill -9: all or nothing.

    aliases_test.py CAIRN [SEED]
"""

import json
import os
import random
import shutil
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

INDICES = ["ants", "bees", "cats"]
MAPPING = {"properties": {"group": {"type": "keyword"}, "n": {"type": "integer"},
                          "v": {"type": "dense_vector", "dims": 2, "similarity": "l2_norm"}}}
KILLS = 6


def matches(query, source):
    """The slow, obvious answer."""
    (kind, body), = query.items()
    if kind == "match_all":
        return True
    if kind == "term":
        return source["group"] == body["group"]
    if kind == "range":
        return source["n"] < body["n"]["lt"]
    if "must_not" in body:
        return not any(matches(one, source) for one in body["must_not"])
    return any(matches(one, source) for one in body["should"])


def some_query(rng, depth=2):
    kind = rng.randrange(5 if depth else 3)
    if kind == 0:
        return {"match_all": {}}
    if kind == 1:
        return {"term": {"group": rng.choice("abcd")}}
    if kind == 2:
        return {"range": {"n": {"lt": rng.randrange(100)}}}
    inner = [some_query(rng, depth - 1) for _ in range(rng.randrange(1, 3))]
    return {"bool": {"must_not" if kind == 3 else "should": inner}}


class World:
    def __init__(self, cairn, rng):
        self.cairn, self.rng, self.connection = cairn, rng, cairn.connect()
        self.documents = {index: {} for index in INDICES}
        self.aliases = {}  # (alias, index) to a filter or None
        for index in INDICES:
            self.ask("PUT", f"/{index}", {"mappings": MAPPING})
            lines = []
            for id in range(60):
                source = {"group": rng.choice("abcd"), "n": rng.randrange(100),
                          "v": [rng.random(), rng.random()]}
                self.documents[index][f"{index}{id}"] = source
                lines += [{"index": {"_id": f"{index}{id}"}}, source]
            self.ask("POST", f"/{index}/_bulk?refresh=true",
                     "".join(json.dumps(line) + "\n" for line in lines))

    def ask(self, method, path, body=None, wanted=200):
        status, answer = self.cairn.request(method, path, body, connection=self.connection)
        assert status == wanted, (method, path, body, status, answer)
        return answer

    def change_aliases(self):
        actions = []
        for _ in range(self.rng.randrange(1, 4)):
            alias, index = self.rng.choice(["p", "q", "r-1", "r-2"]), self.rng.choice(INDICES)
            if self.rng.random() < 0.3 and (alias, index) in self.aliases:
                actions.append({"remove": {"index": index, "alias": alias}})
                del self.aliases[alias, index]
            else:
                filter = some_query(self.rng) if self.rng.random() < 0.8 else None
                actions.append({"add": {"index": index, "alias": alias,
                                        **({"filter": filter} if filter else {})}})
                self.aliases[alias, index] = filter
        # Each pair once: what a batch says twice has an order that the model need not have.
        pairs = [(a.get("alias"), a.get("index")) for one in actions for a in one.values()]
        if len(set(pairs)) == len(pairs):
            self.ask("POST", "/_aliases", {"actions": actions})
        else:
            for action in actions:
                self.ask("POST", "/_aliases", {"actions": [action]})

    def shown(self, names):
        """Ids that a search through these names sees."""
        out = {}
        for index in INDICES:
            filters = []
            for name in names:
                if name == index:
                    filters.append(None)
                for (alias, of), filter in self.aliases.items():
                    if of == index and (alias == name or name == "r-*" and alias.startswith("r-")):
                        filters.append(filter)
            for id, source in self.documents[index].items() if filters else ():
                if any(one is None or matches(one, source) for one in filters):
                    out[id] = source
        return out

    def check(self):
        known = sorted({alias for alias, _ in self.aliases}) + INDICES + ["r-*"]
        names = self.rng.sample(known, self.rng.randrange(1, min(4, len(known))))
        query, path = some_query(self.rng), "/" + ",".join(names)
        shown = self.shown(names)
        wanted = sorted(id for id, source in shown.items() if matches(query, source))
        body = {"query": query, "size": 1000}
        found = self.ask("POST", path + "/_search", body)["hits"]
        ids = sorted(hit["_id"] for hit in found["hits"])
        assert ids == wanted, (names, self.aliases, query, ids, wanted)
        assert self.ask("POST", path + "/_count", {"query": query})["count"] == len(wanted)
        lines = [{"index": names}, dict(body, size=0)]
        several = self.ask("POST", "/_msearch", "".join(json.dumps(line) + "\n" for line in lines))
        assert several["responses"][0]["hits"]["total"]["value"] == len(wanted), several
        page = self.ask("POST", path + "/_search?scroll=1m", dict(body, size=7))
        scrolled = []
        while page["hits"]["hits"]:
            scrolled += [hit["_id"] for hit in page["hits"]["hits"]]
            page = self.ask("POST", "/_search/scroll", {"scroll_id": page["_scroll_id"]})
        self.ask("DELETE", "/_search/scroll", {"scroll_id": page["_scroll_id"]})
        assert sorted(scrolled) == wanted, (names, query)
        self.check_nearest(path, shown)

    def check_nearest(self, path, shown):
        vector, k = [self.rng.random(), self.rng.random()], self.rng.randrange(1, 6)
        of = {id: sum((a - b) ** 2 for a, b in zip(source["v"], vector)) for id, source in shown.items()}
        wanted = sorted(of, key=of.get)[:k]
        knn = {"field": "v", "query_vector": vector, "k": k, "num_candidates": 100}
        found = self.ask("POST", path + "/_search", {"knn": knn, "size": k})["hits"]["hits"]
        assert [hit["_id"] for hit in found] == wanted, (path, self.aliases, found, wanted)


def compare(cairn, rng):
    world = World(cairn, rng)
    for round in range(60):
        world.change_aliases()
        world.check()
        if round == 30:
            cairn.kill()
            cairn.start()
            world.connection = cairn.connect()
    # Documents of aliases are deleted, and no others.
    for _ in range(4):
        names = rng.sample(sorted({alias for alias, _ in world.aliases}), 1)
        query = some_query(rng)
        gone = {id for id, source in world.shown(names).items() if matches(query, source)}
        done = world.ask("POST", f"/{names[0]}/_delete_by_query?refresh=true", {"query": query})
        assert done["deleted"] == len(gone), (names, query, done, len(gone))
        for documents in world.documents.values():
            for id in gone & set(documents):
                del documents[id]
        world.check()


def swap(cairn, number, told):
    """From one index to the next, until the server is gone. `told`: the last that was acknowledged."""
    connection = cairn.connect()
    try:
        while True:
            status, answer = cairn.request("PUT", f"/gen-{number + 1}", {"aliases": {f"own-{number + 1}": {}}},
                                           connection=connection)
            assert status in (200, 400), answer
            status, answer = cairn.request("POST", "/_aliases", {"actions": [
                {"remove_index": {"index": f"gen-{number}"}},
                {"add": {"index": f"gen-{number + 1}", "alias": "now"}},
                {"add": {"index": f"gen-{number + 1}", "alias": "also"}}]}, connection=connection)
            assert status == 200, answer
            number += 1
            told.append(number)
    except Exception as fault:  # the server was killed, or the test has failed
        if isinstance(fault, AssertionError):
            told.append(fault)


def killed(cairn, rng):
    cairn.ok("PUT", "/gen-0", {"aliases": {"now": {}, "also": {}, "own-0": {}}})
    number = 0
    for _ in range(KILLS):
        told = [number]
        thread = threading.Thread(target=swap, args=(cairn, number, told))
        thread.start()
        enough = rng.randrange(1, 12)
        while len(told) <= enough and thread.is_alive():
            thread.join(0.001)
        cairn.kill()
        thread.join()
        assert isinstance(told[-1], int), told[-1]
        cairn.start()
        listed = cairn.ok("GET", "/gen-*/_alias")
        current = [index for index, of in listed.items() if "now" in of["aliases"]]
        assert len(current) == 1, listed
        number = int(current[0].split("-")[1])
        assert number in (told[-1], told[-1] + 1), (number, told[-1], "an acknowledged swap is lost")
        assert set(listed[current[0]]["aliases"]) == {"now", "also", f"own-{number}"}, listed
        # The next may have been made, with its own alias, and nothing else is left.
        for index, of in listed.items():
            if index != current[0]:
                assert index == f"gen-{number + 1}" and set(of["aliases"]) == {f"own-{number + 1}"}, listed
        status, _ = cairn.request("GET", f"/gen-{number - 1}")
        assert status == 404, (number, status)


def check_bounds(cairn):
    """What a client can make long is refused before the work."""
    cairn.ok("PUT", "/bounded", {})
    many = [f"a{i}" for i in range(1_001)]
    adds = {"add": {"index": "bounded", "aliases": many}}
    for method, path, body in (
            ("POST", "/_aliases", {"actions": [adds]}),
            ("POST", "/_aliases", {"actions": [{"remove": {"index": "bounded", "aliases": many}}]}),
            ("POST", "/_aliases", {"actions": [{"add": {"indices": many, "alias": "a"}}]}),
            ("PUT", "/_alias", {"index": "bounded", "alias": ",".join(many)})):
        status, answer = cairn.request(method, path, body)
        assert status == 400 and "[1000] names at most" in answer["error"]["reason"], answer
    adds["add"]["aliases"] = many[:-1]
    cairn.ok("POST", "/_aliases", {"actions": [adds]})
    assert len(cairn.ok("GET", "/bounded/_alias")["bounded"]["aliases"]) == 1_000
    cairn.ok("DELETE", "/bounded/_alias/*")


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10 ** 6)
    print("seed", seed)
    rng = random.Random(seed)
    cairn = Cairn(sys.argv[1]).start()
    try:
        compare(cairn, rng)
        check_bounds(cairn)
        killed(cairn, rng)
    finally:
        cairn.kill()
        shutil.rmtree(cairn.folder, ignore_errors=True)
    print("ok")


if __name__ == "__main__":
    main()
