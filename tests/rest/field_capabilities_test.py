#!/usr/bin/env python3
"""What _field_caps says of fields is what searches do with them: random mappings, each field asked for.

    field_capabilities_test.py CAIRN [SEED]
"""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

VALUES = {"text": "sea", "keyword": "sea", "long": 3, "double": 2.5, "boolean": True,
          "date": "2026-01-02", "dense_vector": [1, 2], "sparse_vector": {"sea": 1.5}}
INDEXED = ("text", "keyword", "long", "double", "boolean", "date")
COLUMNS = ("keyword", "long", "double", "boolean", "date")
METADATA = ["_id", "_ignored", "_index", "_routing", "_seq_no", "_source"]


class World:
    def __init__(self, cairn, seed):
        self.cairn, self.random = cairn, random.Random(seed)
        self.connection = cairn.connect()
        self.mappings = {}  # index to {field: parameters}

    def status(self, method, path, body=None):
        return self.cairn.request(method, path, body, connection=self.connection)

    def ok(self, method, path, body=None):
        status, answer = self.status(method, path, body)
        assert status in (200, 201), (method, path, body, status, answer)
        return answer

    def field(self):
        kind = self.random.choice(list(VALUES))
        out = {"type": kind}
        if kind == "dense_vector":
            out["dims"] = 2
        if kind in INDEXED and self.random.random() < 0.3:
            out["index"] = False
        if kind in COLUMNS and self.random.random() < 0.3:
            out["doc_values"] = False
        if self.random.random() < 0.3:
            out["meta"] = {"unit": self.random.choice(["ms", "s"])}
        return out

    def make(self, index):
        fields = {name: self.field() for name in self.random.sample("abcdefgh", 5)}
        fields["o.x"] = self.field()
        self.mappings[index] = fields
        properties = {name: given for name, given in fields.items() if "." not in name}
        properties["o"] = {"properties": {"x": fields["o.x"]}}
        self.ok("PUT", f"/{index}", {"mappings": {"properties": properties}})
        document = {name: VALUES[given["type"]] for name, given in fields.items()}
        document["o"] = {"x": document.pop("o.x")}
        self.ok("PUT", f"/{index}/_doc/1?refresh=true&routing=r", document)

    def is_aggregatable(self, index, name):
        body = {"size": 0, "aggs": {"all": {"terms": {"field": name}}}}
        status, answer = self.status("POST", f"/{index}/_search", body)
        return status == 200 and answer["aggregations"]["all"]["buckets"] != []

    def is_searchable(self, index, name):
        kind = self.mappings[index][name]["type"]
        value = VALUES[kind]
        query = {"term": {name: value}}
        if kind == "dense_vector":
            query = {"knn": {"field": name, "query_vector": value, "k": 1}}
        if kind == "sparse_vector":
            query = {"sparse_vector": {"field": name, "query_vector": value}}
        return self.status("POST", f"/{index}/_search", {"query": query})[0] == 200

    def wanted(self):
        """Of each field its types, and of each type its indices and what they can do."""
        out = {}
        for index, fields in self.mappings.items():
            for name, given in fields.items():
                facts = (index, self.is_searchable(index, name), self.is_aggregatable(index, name))
                out.setdefault(name, {}).setdefault(given["type"], []).append(facts)
            out.setdefault("o", {}).setdefault("object", []).append((index, False, False))
        return out

    def check_type(self, name, kind, got, facts, alone):
        where = (name, kind, got, facts)
        assert got["type"] == kind and got["metadata_field"] is False, where
        assert got["searchable"] == all(can for _, can, _ in facts), where
        assert got["aggregatable"] == all(can for _, _, can in facts), where
        assert ("indices" in got) != alone, where
        if not alone:
            assert got["indices"] == [index for index, _, _ in facts], where
        for key, at in (("non_searchable_indices", 1), ("non_aggregatable_indices", 2)):
            lacking = [each[0] for each in facts if not each[at]]
            some = lacking if len(lacking) < len(facts) else []
            assert got.get(key, []) == some, where
        units = {self.mappings[index][name].get("meta", {}).get("unit") for index, _, _ in facts
                 if name in self.mappings[index]} - {None}
        assert got.get("meta", {}).get("unit", []) == sorted(units), where

    def check(self):
        names = ",".join(self.mappings)
        wanted = self.wanted()
        got = self.ok("GET", f"/{names}/_field_caps?fields=*&filters=-metadata")
        assert got["indices"] == sorted(self.mappings)
        assert sorted(got["fields"]) == sorted(wanted), (sorted(got["fields"]), sorted(wanted))
        for name, kinds in wanted.items():
            assert sorted(got["fields"][name]) == sorted(kinds), (name, got["fields"][name])
            for kind, facts in kinds.items():
                self.check_type(name, kind, got["fields"][name][kind], facts, len(kinds) == 1)

    def check_metadata(self):
        got = self.ok("POST", "/_field_caps?filters=%2Bmetadata", {"fields": ["*"]})["fields"]
        assert sorted(got) == METADATA, got
        self.ok("PUT", "/kept", {"mappings": {"properties": {
            "short": {"type": "keyword", "ignore_above": 1}}}})
        self.ok("PUT", "/kept/_doc/1?refresh=true&routing=r", {"short": "long"})
        for name in METADATA:
            assert got[name][name]["aggregatable"] == self.is_aggregatable("kept", name), name
        queries = {"_id": {"term": {"_id": "1"}}, "_ignored": {"term": {"_ignored": "short"}},
                   "_index": {"term": {"_index": "kept"}}, "_routing": {"term": {"_routing": "r"}},
                   "_seq_no": {"range": {"_seq_no": {"gte": 0}}}, "_source": None}
        for name, query in queries.items():
            assert got[name][name]["searchable"] == (query is not None), name
            if query is not None:
                found = self.ok("POST", "/kept/_search", {"query": query})
                assert found["hits"]["total"]["value"] == 1, name

    def check_lacking(self):
        index, fields = next(iter(self.mappings.items()))
        other = next(name for name, each in self.mappings.items() if set(fields) - set(each))
        name = next(iter(set(fields) - set(self.mappings[other])))
        path = f"/{index},{other}/_field_caps?fields={name}"
        got = self.ok("GET", path + "&include_unmapped=true")["fields"][name]
        assert got["unmapped"]["indices"] == [other] and len(got) == 2, got
        assert list(self.ok("GET", path)["fields"][name]) == [fields[name]["type"]]
        kind = fields[name]["type"]
        assert self.ok("GET", path + f"&types={kind}")["fields"]
        assert self.ok("GET", path + "&types=none")["fields"] == {}

    def check_refusals(self):
        for path, body in (("/_field_caps", None), ("/_field_caps?fields=a&filters=+none", None),
                           ("/_field_caps?fields=a", {"fields": ["a"]}),
                           ("/_field_caps?fields=a&include_empty_fields=false", None),
                           ("/_field_caps", {"fields": ["a"], "index_filter": {"match_all": {}}}),
                           ("/_field_caps", {"fields": ["a"] * 1001})):
            status, answer = self.status("POST", path, body)
            assert status == 400 and answer["error"]["reason"], (path, body, status, answer)
        assert self.status("GET", "/none/_field_caps?fields=a")[0] == 404


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print("seed", seed)
    cairn = Cairn(sys.argv[1]).start()
    try:
        world = World(cairn, seed)
        for number in range(6):
            world.make(f"i{number}")
        world.check()
        world.check_metadata()
        world.check_lacking()
        world.check_refusals()
    finally:
        cairn.kill()
    print("fields can do what is said of them")


if __name__ == "__main__":
    main()
