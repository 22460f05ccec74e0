#!/usr/bin/env python3
"""Keys whose roles have queries: whatever they ask of an index, they get what they would get of an index
that holds the shown documents alone. And no route of the table shows them a word of a hidden one.

    document_security_test.py CAIRN [SEED]
"""

import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

SECRET = "zqxsecret"  # a word of hidden documents, and of them alone
WORDS = ["ash", "birch", "cedar", "dogwood", "elm", "fir"]
TEAMS = ["red", "blue", "green"]
MAPPINGS = {"properties": {
    "team": {"type": "keyword"}, "n": {"type": "long"}, "title": {"type": "text"},
    "kind": {"type": "keyword"}, "at": {"type": "date"}, "done": {"type": "completion"},
    "v": {"type": "dense_vector", "dims": 4, "similarity": "l2_norm"},
    "parts": {"type": "nested", "properties": {"name": {"type": "keyword"}, "w": {"type": "long"}}}}}
QUERY = {"terms": {"team": ["red"]}}


def document(rng, number):
    team = rng.choice(TEAMS)
    words = rng.sample(WORDS, rng.randint(1, 4))
    kind = rng.choice(WORDS)
    parts = [{"name": rng.choice(WORDS), "w": rng.randint(0, 9)} for _ in range(rng.randint(0, 3))]
    if team != "red":
        words.append(SECRET)
        kind = rng.choice([kind, SECRET])
        parts.append({"name": SECRET, "w": rng.randint(0, 9)})
    return {"team": team, "n": rng.randint(0, 20), "title": " ".join(words), "kind": kind, "done": words,
            "at": f"2026-0{rng.randint(1, 9)}-11", "v": [rng.random() for _ in range(4)], "parts": parts,
            "key": number}


def query(rng, depth=0):
    leaves = [
        lambda: {"match_all": {}}, lambda: {"match": {"title": " ".join(rng.sample(WORDS, 2))}},
        lambda: {"match": {"title": SECRET}}, lambda: {"term": {"kind": rng.choice(WORDS + [SECRET])}},
        lambda: {"range": {"n": {"gte": rng.randint(0, 20)}}}, lambda: {"exists": {"field": "kind"}},
        lambda: {"prefix": {"kind": rng.choice(["a", "z", "zq"])}},
        lambda: {"wildcard": {"title": {"value": "*e*"}}},
        lambda: {"term": {"team": rng.choice(TEAMS)}},
        lambda: {"ids": {"values": [str(rng.randint(0, 80)) for _ in range(20)]}},
        lambda: {"query_string": {"query": "title:ash OR kind:z*"}},
        lambda: {"match_phrase": {"title": " ".join(rng.sample(WORDS, 2))}},
        lambda: {"nested": {"path": "parts", "query": {
            "term": {"parts.name": rng.choice(WORDS + [SECRET])}}}},
    ]
    if depth < 2 and rng.random() < 0.4:
        return {"bool": {place: [query(rng, depth + 1) for _ in range(rng.randint(1, 2))]
                         for place in rng.sample(["must", "filter", "should", "must_not"], 2)}}
    return rng.choice(leaves)()


def request(rng):
    out = {"query": query(rng), "size": rng.choice([0, 5, 100]), "track_total_hits": True,
           "sort": [rng.choice([{"n": "desc"}, {"at": "asc"}, {"kind": "asc"}]), {"key": "asc"}]}
    if rng.random() < 0.5:
        out["aggs"] = {"a": rng.choice([
            {"terms": {"field": "kind", "size": 50, "order": {"_key": "asc"}}},
            {"stats": {"field": "n"}}, {"cardinality": {"field": "kind"}},
            {"histogram": {"field": "n", "interval": 5}}, {"missing": {"field": "kind"}},
            {"filters": {"filters": {"s": {"match": {"title": SECRET}}, "a": {"match": {"title": "ash"}}}}},
            {"nested": {"path": "parts"}, "aggs": {"w": {"sum": {"field": "parts.w"}}}}])}
    if rng.random() < 0.2:
        out["collapse"] = {"field": "kind", "inner_hits": {"name": "g", "size": 2, "sort": [{"key": "asc"}]}}
    if rng.random() < 0.2:
        out["post_filter"] = query(rng)
    if rng.random() < 0.2:
        out["fields"] = ["kind", "n"]
    return out


def without_names(value):
    """An answer without what tells the two indices, their scores or the time apart."""
    if isinstance(value, dict):
        return {name: without_names(one) for name, one in value.items()
                if name not in ("_index", "took", "_score", "max_score", "_shards", "_id", "_seq_no")}
    return [without_names(one) for one in value] if isinstance(value, list) else value


class Test:
    def __init__(self, server, seed):
        self.server, self.rng = server, random.Random(seed)
        self.docs = {str(i): document(self.rng, i) for i in range(80)}
        self.shown = {one: doc for one, doc in self.docs.items() if doc["team"] == "red"}
        for name, docs in (("whole", self.docs), ("shown", self.shown)):
            server.ok("PUT", f"/{name}", {"mappings": MAPPINGS})
            for start in range(0, len(docs), 10):  # several segments
                lines = []
                for one, doc in list(docs.items())[start:start + 10]:
                    lines += [json.dumps({"index": {"_id": one}}), json.dumps(doc)]
                server.ok("POST", f"/{name}/_bulk?refresh=true", "\n".join(lines) + "\n")
        server.ok("POST", "/_aliases", {"actions": [{"add": {"index": "whole", "alias": "other"}}]})

        def key(entries, metadata=None):
            return {"Authorization": "ApiKey " + server.ok("POST", "/_security/api_key", {
                "name": "narrow", "metadata": metadata or {},
                "role_descriptors": {"r": {"indices": entries}}})["encoded"]}

        self.key = key
        self.narrow = key([{"names": ["whole", "other"], "privileges": ["all"], "query": QUERY}])

    def ask(self, method, path, body=None, headers=None):
        return self.server.request(method, path, body, headers=headers or self.narrow)

    def same(self, of_whole, of_shown, about):
        assert without_names(of_whole) == without_names(of_shown), (about, of_whole, of_shown)
        assert SECRET not in json.dumps(of_whole), about

    def check_searches(self, rounds):
        for _ in range(rounds):
            body = request(self.rng)
            for name in ("whole", "other"):
                status, got = self.ask("POST", f"/{name}/_search", body)
                wanted_status, wanted = self.server.request("POST", "/shown/_search", body)
                assert (status, wanted_status) == (200, 200), (body, got, wanted)
                self.same(got, wanted, body)
            status, got = self.ask("POST", "/whole/_count", {"query": body["query"]})
            assert got["count"] == self.server.ok("POST", "/shown/_count", {"query": body["query"]})["count"]
        vector = {"field": "v", "query_vector": [0.5] * 4, "k": 10, "num_candidates": 80}
        got = self.ask("POST", "/whole/_search", {"knn": vector, "size": 100, "_source": ["key"]})[1]
        wanted = self.server.ok("POST", "/shown/_search", {"knn": vector, "size": 100, "_source": ["key"]})
        self.same(got, wanted, vector)

        got = self.ask("GET", "/_cat/count/whole?format=json")[1]
        assert got[0]["count"] == str(len(self.shown)), got
        filtered = {"index": "whole", "alias": "blue", "filter": {"term": {"team": "blue"}}}
        self.server.ok("POST", "/_aliases", {"actions": [{"add": filtered}]})
        got = self.server.ok("GET", "/_cat/count/blue?format=json")
        assert got[0]["count"] == str(sum(doc["team"] == "blue" for doc in self.docs.values())), got

    def check_scripts(self):
        """A script that fails tells values in its error: it never sees a hidden document."""
        fails = "1 / (doc['team'].value == 'red' ? 1 : 0)"
        order = [{"key": "asc"}]
        for body in (
                {"query": {"script": {"script": f"{fails} >= 0"}}, "sort": order},
                {"query": {"script_score": {"query": {"match_all": {}}, "script": fails}}, "sort": order},
                {"query": {"function_score": {"script_score": {"script": fails}}}, "sort": order},
                {"script_fields": {"s": {"script": fails}}, "sort": order},
                {"sort": [{"_script": {"type": "number", "script": fails}}, {"key": "asc"}]}):
            status, got = self.ask("POST", "/whole/_search", {**body, "size": body.get("size", 100)})
            wanted_status, wanted = self.server.request("POST", "/shown/_search", {**body, "size": body.get("size", 100)})
            assert status == wanted_status == 200, (body, got, wanted)
            self.same(got, wanted, body)

    def check_documents(self):
        for one, doc in self.docs.items():
            shown = one in self.shown
            for path in ("/whole/_doc/", "/other/_doc/", "/whole/_source/"):
                status, got = self.ask("GET", path + one)
                assert status == (200 if shown else 404), (path, one, got)
                assert shown or SECRET not in json.dumps(got)
                assert self.ask("HEAD", path + one)[0] == status
            status, got = self.ask("GET", f"/whole/_explain/{one}?_source=true", {"query": {"match_all": {}}})
            assert (status == 200) == shown and got["matched"] == shown, got
        got = self.ask("POST", "/whole/_mget", {"ids": list(self.docs)})[1]["docs"]
        assert {doc["_id"] for doc in got if doc["found"]} == set(self.shown)
        got = self.ask("POST", "/_mget", {"docs": [{"_index": "other", "_id": one} for one in self.docs]})[1]
        assert {doc["_id"] for doc in got["docs"] if doc["found"]} == set(self.shown)

    def check_newest_version(self):
        """A get sees the newest version, and judges that one, before any search sees it."""
        put, get = self.server.ok, lambda: self.ask("GET", "/whole/_doc/new")[0]
        put("PUT", "/whole/_doc/new", {"team": "red", "n": 1})
        assert get() == 200
        put("PUT", "/whole/_doc/new", {"team": "blue", "title": SECRET})
        assert get() == 404 and self.ask("GET", "/whole/_doc/new?realtime=false")[0] == 404
        put("PUT", "/whole/_doc/new", {"team": "red", "n": 2})
        assert self.ask("GET", "/whole/_doc/new")[1]["_source"]["n"] == 2
        put("DELETE", "/whole/_doc/new?refresh=true")
        assert get() == 404

    def check_reading_on(self):
        everything = {"size": 7, "sort": [{"key": "asc"}]}
        page = self.ask("POST", "/whole/_search?scroll=1m", everything)[1]
        found = []
        while page["hits"]["hits"]:
            found += [hit["_id"] for hit in page["hits"]["hits"]]
            page = self.ask("POST", "/_search/scroll", {"scroll_id": page["_scroll_id"]})[1]
        assert found == sorted(self.shown, key=int), found
        pit = self.ask("POST", "/other/_pit?keep_alive=1m")[1]["id"]
        got = self.ask("POST", "/_search", {**everything, "size": 100, "pit": {"id": pit}})[1]
        assert [hit["_id"] for hit in got["hits"]["hits"]] == sorted(self.shown, key=int)
        kept = self.ask("POST", "/whole/_async_search?keep_on_completion=true", everything)[1]
        assert kept["response"]["hits"]["total"]["value"] == len(self.shown)
        again = self.ask("GET", f"/_async_search/{kept['id']}")[1]
        assert again["response"]["hits"]["total"]["value"] == len(self.shown)
        lines = "\n".join(json.dumps(one) for one in ({"index": "whole"}, {"size": 0}, {"index": "other"}, {"size": 0}))
        got = self.server.request("POST", "/_msearch", lines + "\n", headers={
            **self.narrow, "Content-Type": "application/x-ndjson"})[1]
        assert [one["hits"]["total"]["value"] for one in got["responses"]] == [len(self.shown)] * 2

    def check_refusals(self):
        for method, path, body in (
                ("POST", "/whole/_search", {"suggest": {"s": {"text": "zqxsecre", "term": {"field": "title"}}}}),
                ("POST", "/whole/_search", {"suggest": {"s": {"prefix": "zq", "completion": {"field": "done"}}}}),
                ("POST", "/whole/_search", {"profile": True}),
                ("POST", "/whole/_search", {"runtime_mappings": {"r": {
                    "type": "long", "script": "emit(Long.parseLong(doc['kind'].value))"}},
                    "query": {"range": {"r": {"gte": 1}}}}),
                ("POST", "/whole/_update/0", {"doc": {"n": 1}}),
                ("POST", "/whole/_terms_enum", {"field": "kind", "string": "z"}),
                ("POST", "/whole/_search", {"query": {"terms": {
                    "kind": {"index": "whole", "id": "0", "path": "kind"}}}})):
            status, got = self.ask(method, path, body)
            assert status in (400, 403), (path, body, status, got)
            assert SECRET not in json.dumps(got), got
        # Nor a date in a name.
        today = self.server.ok("PUT", "/%3Cwhole-%7Bnow%2Fd%7D%3E")["index"]
        self.server.ok("PUT", f"/{today}/_doc/0", {"kind": SECRET})
        dated = self.key([{"names": ["whole*"], "privileges": ["read"], "query": QUERY}])
        status, got = self.ask("POST", "/whole/_search", {"query": {"terms": {
            "kind": {"index": "<whole-{now/d}>", "id": "0", "path": "kind"}}}}, headers=dated)
        assert status == 403, got
        assert self.ask("GET", "/%3Cwhole-%7Bnow%2Fd%7D%3E/_doc/0", headers=dated)[0] == 404
        # No other name shows what this one hides.
        wider = self.key([{"names": ["whole*"], "privileges": ["all"], "query": QUERY},
                          {"names": ["free*"], "privileges": ["all"]}])
        for method, path, body in (
                ("PUT", "/whole/_alias/free1", None),
                ("POST", "/_aliases", {"actions": [{"add": {"index": "whole", "alias": "free1"}}]}),
                ("PUT", "/whole2", {"aliases": {"free2": {}}}),
                ("PUT", "/whole2", {"settings": {"index.public": True}}),
                ("PUT", "/whole/_settings", {"index": {"public": True}}),
                ("POST", "/_data_stream/_modify", {"actions": [{"add_backing_index": {
                    "data_stream": "free3", "index": "whole"}}]})):
            status, got = self.ask(method, path, body, headers=wider)
            assert status == 403, (path, body, status, got)
        self.server.ok("PUT", "/whole/_settings", {"index": {"refresh_interval": "1s"}}, headers=wider)
        item = "\n".join([json.dumps({"update": {"_index": "whole", "_id": "0"}}), '{"doc":{"n":1}}']) + "\n"
        got = self.server.request("POST", "/_bulk", item, headers={
            **self.narrow, "Content-Type": "application/x-ndjson"})[1]
        assert got["items"][0]["update"]["status"] == 403, got
        for bad in ({"nonsense": {}}, {"template": {"source": "{{#a}}"}}, "{", {"match": {"a": "b"}, "term": {"a": "b"}}):
            status, got = self.server.request("POST", "/_security/api_key", {
                "name": "bad", "role_descriptors": {"r": {"indices": [
                    {"names": ["x"], "privileges": ["read"], "query": bad}]}}})
            assert status == 400, (bad, got)

    def check_users(self):
        entry = {"names": ["whole"], "privileges": ["read"], "query": {
            "template": {"source": {"terms": {"team": ["{{_user.metadata.team}}"]}}}}}
        for team in TEAMS:
            headers = self.key([entry], {"team": team})
            got = self.ask("GET", "/whole/_count", headers=headers)[1]
            assert got["count"] == sum(doc["team"] == team for doc in self.docs.values()), got
        assert self.ask("GET", "/whole/_count", headers=self.key([entry]))[1]["count"] == 0
        # One role shows what another hides.
        both = self.key([entry, {"names": ["wh*"], "privileges": ["read"], "query": {"term": {"team": "blue"}}}],
                        {"team": "red"})
        got = self.ask("GET", "/whole/_count", headers=both)[1]
        assert got["count"] == sum(doc["team"] != "green" for doc in self.docs.values())
        free = self.key([entry, {"names": ["whole"], "privileges": ["read"]}], {"team": "red"})
        assert self.ask("GET", "/whole/_count", headers=free)[1]["count"] == len(self.docs)

    def check_changes(self):
        got = self.ask("POST", "/whole/_update_by_query?refresh=true", {"query": {"match_all": {}}})[1]
        assert got["updated"] == len(self.shown), got
        entries = [{"names": ["whole"], "privileges": ["read"], "query": QUERY},
                   {"names": ["copy"], "privileges": ["all"]}]
        got = self.ask("POST", "/_reindex?refresh=true", {"source": {"index": "whole"}, "dest": {"index": "copy"}},
                       headers=self.key(entries))[1]
        assert got["created"] == len(self.shown), got
        got = self.ask("POST", "/whole/_delete_by_query?refresh=true", {"query": {"match": {"title": SECRET}}})[1]
        assert got["deleted"] == 0, got

    def check_every_route(self):
        """Bodies that make routes speak; whatever a route does with them, it tells no secret."""
        hidden = next(one for one in self.docs if one not in self.shown)
        everything = {"query": {"match": {"title": SECRET}}}
        bodies = [None, {}, everything, {"ids": [hidden]}, {"field": "kind", "string": "z"},
                  {"docs": [{"_index": "whole", "_id": hidden}]}, {"doc": {"n": 0}, "_source": True},
                  {"suggest": {"s": {"prefix": "z", "completion": {"field": "done"}}}},
                  {"field": "title", "text": "x"}, {"id": "x", "params": {}}]
        names = {"index": "whole", "id": hidden, "fields": "kind", "field": "kind", "name": "other",
                 "alias": "other", "metric": "_all", "target": "whole"}
        asked, told = 0, {}
        for route in sorted(self.server.ok("GET", "/_cairn/routes")["routes"], key=lambda one: one["method"] == "DELETE"):
            # A stream of events does not end, and tells of no document.
            if route["method"] == "DELETE" or route["path"].startswith(("/_security", "/v1", "/_cairn/events")):
                continue
            path = re.sub(r"\{([a-z_]+)[.]*\}", lambda m: names.get(m[1], "x"), route["path"])
            more = {"explain": "true", "v": "true", "include_empty_fields": "false"}
            for body in bodies if route["method"] != "GET" else bodies[:1] + bodies[2:3]:
                for query_text in ("", "&".join(f"{one}={more[one]}" for one in more
                                                if one in {p["name"] for p in route.get("parameters", [])})):
                    text = json.dumps(body) if body is not None else None
                    if "bulk" in path or "msearch" in path:
                        text = "{}\n" + json.dumps(everything) + "\n"
                    asked += 1
                    status, got = self.ask(route["method"], path + ("?" + query_text if query_text else ""), text)
                    told[status // 100] = told.get(status // 100, 0) + 1
                    # A message may repeat what was asked.
                    sent = (text or "") + path
                    if SECRET not in sent:
                        assert SECRET not in json.dumps(got), (route["method"], path, body, got)
                    elif status == 200:
                        hits = re.findall(r'"title": "[^"]*' + SECRET, json.dumps(got))
                        assert not hits, (route["method"], path, body, got)
        assert told.get(2, 0) > 50, told
        return asked


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    server = Cairn(sys.argv[1])
    server.start("--set", "rate_limit.enabled=false")
    try:
        test = Test(server, seed)
        test.check_searches(120)
        test.check_scripts()
        test.check_documents()
        test.check_newest_version()
        test.check_reading_on()
        test.check_refusals()
        test.check_users()
        asked = test.check_every_route()
        test.check_changes()
        print(f"seed {seed}: {len(test.shown)} of {len(test.docs)} documents are shown, by every route; "
              f"{asked} requests told no word of the others")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
