#!/usr/bin/env python3
"""The search page: for whom it is there, what it may do, what it is told, and what its searches count as.

    search_page_test.py CAIRN
"""

import gzip
import json
import os
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

PAGE = b"<!doctype html><title>Search</title><script type=module src=assets/search-AB12.js></script>"


def ask(cairn, method, path, headers=None, body=None):
    connection = cairn.connect()
    if body is not None:
        headers = {**(headers or {}), "Content-Type": "application/json"}
        body = json.dumps(body)
    connection.request(method, path, body=body, headers=headers or {})
    answer = connection.getresponse()
    text = answer.read()
    fields = {name.lower(): value for name, value in answer.getheaders()}
    connection.close()
    return answer.status, fields, text


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "search-page/assets"))
        with open(os.path.join(folder, "search-page/index.html.gz"), "wb") as file:
            file.write(gzip.compress(PAGE))
        with open(os.path.join(folder, "search-page/assets/search-AB12.js.gz"), "wb") as file:
            file.write(gzip.compress(b"run();"))
        cairn = Cairn(sys.argv[1], environment={"CAIRN_CONSOLE_DIR": folder}).start(
            "--set", "search_page.frame_ancestors=https://intranet.example,'self'",
            "--set", "rate_limit.resources.search.unauthenticated=4")
        check(cairn)
        assert cairn.stop() == 0
        with_a_key(Cairn(sys.argv[1], environment={"CAIRN_CONSOLE_DIR": folder}))
    print("ok")


def new_key(cairn, kind="service", roles=None):
    return cairn.ok("POST", "/_security/api_key", {
        "name": "page", "metadata": {"_cairn": {"identity": {"kind": kind, **({"id": "page"} if kind == "service" else {})}}},
        "role_descriptors": roles or {"page": {"indices": [{"names": ["drawer"], "privileges": ["read"]}]}}})["id"]


def with_a_key(cairn):
    """Strangers search an index that is not public, with the rights of a key that they never see."""
    cairn.start()
    cairn.ok("PUT", "/drawer", {"mappings": {"properties": {"title": {"type": "text"}}}})
    cairn.ok("PUT", "/other", {})
    cairn.ok("PUT", "/open", {"settings": {"index.public": True}})
    cairn.ok("PUT", "/drawer/_doc/1?refresh=true", {"title": "words"})
    good = new_key(cairn)
    unfit = [new_key(cairn, kind="user"), new_key(cairn, roles={"page": {"indices": [{"names": ["drawer"], "privileges": ["read", "write"]}]}}),
             new_key(cairn, roles={"page": {"cluster": ["monitor"], "indices": [{"names": ["drawer"], "privileges": ["read"]}]}}), "nobody"]
    words = {"words": "words"}
    for id in unfit:
        assert cairn.stop() == 0
        cairn.start("--set", "search_page.key=" + id)
        assert ask(cairn, "GET", "/search/drawer")[0] == 401, id
        assert ask(cairn, "POST", "/search/drawer/_search", body=words)[0] == 401, id
        assert "search_page_key_not_lent" in cairn.log_tail(200), id
    assert cairn.stop() == 0
    cairn.start("--set", "search_page.key=" + good, "--set", "search_page.searches_per_minute=3")
    for path in ("/search/drawer", "/search/drawer/_page", "/search/open"):
        assert ask(cairn, "GET", path)[0] == 200, path
    for path in ("/search/other", "/search/none", "/search/drawer,other", "/search/*"):
        assert ask(cairn, "GET", path)[0] == 401, path
    assert ask(cairn, "POST", "/drawer/_search", body={})[0] == 401, "the key is the page's alone"
    assert ask(cairn, "GET", "/drawer/_doc/1")[0] == 401
    for _ in range(3):
        status, fields, text = ask(cairn, "POST", "/search/drawer/_search", body=words)
        assert status == 200 and json.loads(text)["hits"]["total"]["value"] == 1, (status, text)
    status, fields, text = ask(cairn, "POST", "/search/drawer/_search", body=words)
    assert status in (403, 429) and 0 < int(fields["retry-after"]) <= 65 and b"search_page" in text, (status, fields, text)
    explain = "/_cairn/limits/_explain?identity=service:page&method=POST&path=/search/drawer/_search"
    told = {address: cairn.ok("GET", explain + "&address=" + address) for address in ("127.0.0.1", "192.0.2.1")}
    assert not told["127.0.0.1"]["admitted"] and told["192.0.2.1"]["admitted"], told
    assert cairn.ok("GET", explain)["admitted"], "a request of no address is not counted by it"
    assert ask(cairn, "GET", explain + "&address=here", {"Authorization": "ApiKey " + cairn.key})[0] == 400
    # The administrator, and sessions, are themselves.
    key = {"Authorization": "ApiKey " + cairn.key}
    assert ask(cairn, "POST", "/search/drawer/_search", key, words)[0] == 200
    assert cairn.ok("GET", "/_security/api_key?id=" + good)["api_keys"][0]["last_used"]["address"] == "127.0.0.1"
    rules = cairn.ok("GET", "/_cairn/limits/_rules")
    assert any(rule["name"] == "search_page" and rule["per"] == "address" for rule in rules["rules"]), rules
    cairn.ok("DELETE", "/_security/api_key", {"ids": [good]})
    assert ask(cairn, "GET", "/search/drawer")[0] == 401
    assert cairn.stop() == 0


def check(cairn):
    mappings = {"_meta": {"search_page": {"title": "Handbook", "facets": ["chapter"]}, "other": "not told"},
                "properties": {"title": {"type": "text"}, "author": {"properties": {"name": {"type": "keyword"}}}}}
    cairn.ok("PUT", "/handbook", {"settings": {"index.public": True}, "mappings": mappings})
    cairn.ok("PUT", "/drawer", {"mappings": mappings})
    cairn.ok("PUT", "/handbook/_doc/1?refresh=true", {"title": "words"})

    # Public: everybody. Others: who may read.
    for _ in range(100):  # and no limit counts it
        status, fields, text = ask(cairn, "GET", "/search/handbook", {"Accept": "text/html"})
        assert (status, text) == (200, PAGE), (status, text)
    assert not any(name.startswith("x-ratelimit") for name in fields)
    policy = fields["content-security-policy"]
    assert "frame-ancestors https://intranet.example 'self';" in policy and "script-src 'self';" in policy, policy
    # A search can be shared by its address.
    for query in ("q=some+words", "q=a&embed=1", "q=a&f.chapter=1&f.author.name=b"):
        assert ask(cairn, "GET", "/search/handbook?" + query)[0] == 200, query
    assert fields["cache-control"] == "no-store" and fields["x-content-type-options"] == "nosniff"
    assert ask(cairn, "GET", "/search/drawer")[0] == 401
    assert ask(cairn, "GET", "/search/none")[0] == 401
    assert ask(cairn, "GET", "/search/handbook,drawer")[0] == 401
    assert ask(cairn, "GET", "/search/*")[0] == 401
    key = {"Authorization": "ApiKey " + cairn.key}
    assert ask(cairn, "GET", "/search/drawer", key)[0] == 200
    status, fields, _ = ask(cairn, "GET", "/search/handbook/")
    assert (status, fields["location"]) == (302, "/search/handbook"), (status, fields)
    status, fields, text = ask(cairn, "GET", "/search/assets/search-AB12.js", {"Accept-Encoding": "gzip"})
    assert status == 200 and gzip.decompress(text) == b"run();" and "immutable" in fields["cache-control"]

    # What it is told.
    status, fields, text = ask(cairn, "GET", "/search/handbook/_page")
    told = json.loads(text)
    assert told["page"] == {"title": "Handbook", "lead": "", "placeholder": "", "fields": ["title^2"], "title_field": "title",
                            "text_field": "", "url_field": "", "semantic_field": "",
                            "facets": [{"field": "chapter", "title": "Chapter"}], "size": 10}, told
    assert "not told" not in text.decode()
    assert ask(cairn, "GET", "/search/drawer/_page")[0] == 401
    # A search that is refused counts too.
    assert ask(cairn, "POST", "/search/drawer/_search", body={"words": "a"})[0] == 401

    # Its searches count by address, under the limit that the administrator set, and say when to come back.
    for _ in range(3):
        status, fields, text = ask(cairn, "POST", "/handbook/_search", body={"query": {"match": {"title": "words"}}})
        assert status == 200 and json.loads(text)["hits"]["total"]["value"] == 1, text
    status, fields, text = ask(cairn, "POST", "/handbook/_search", body={"query": {"match_all": {}}})
    assert status in (403, 429) and fields["x-ratelimit-resource"] == "search", (status, fields)
    assert int(fields["x-ratelimit-reset"]) > 0 and fields["x-ratelimit-remaining"] == "0"

    # The page's own searches take words and facets, and nothing else; with a key of the page they count apart.
    for body, why in (({}, "words"), ({"words": "a" * 1001}, "1000 bytes"), ({"words": "a", "from": 991}, "from"),
                      ({"words": "a", "size": 3}, "size"), ({"words": "a", "filters": {"title": "b"}}, "no facet"),
                      ({"words": "a", "filters": {"chapter": 1}}, "a text"), ({"words": "a", "query": {"match_all": {}}}, "unknown field [query]")):
        status, _, text = ask(cairn, "POST", "/search/handbook/_search", key, body)
        assert status == 400 and why in text.decode(), (body, status, text)
    answer = json.loads(ask(cairn, "POST", "/search/handbook/_search", key, {"words": "words"})[2])
    assert answer["hits"]["hits"][0]["highlight"]["title"] == ["\ue000words\ue001"], answer
    assert "f0" in answer["aggregations"]

    # An index of the name "search" keeps its paths.
    cairn.ok("PUT", "/search/_doc/1?refresh=true", {"title": "mine"})
    assert cairn.ok("GET", "/search/_doc/1")["_source"]["title"] == "mine"
    assert cairn.ok("POST", "/search/_search")["hits"]["total"]["value"] == 1
    assert cairn.ok("GET", "/search/_search")["hits"]["total"]["value"] == 1
    assert cairn.ok("GET", "/search/_mapping")["search"]
    assert ask(cairn, "GET", "/search/search", key)[0] == 200


if __name__ == "__main__":
    main()
