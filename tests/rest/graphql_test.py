#!/usr/bin/env python3
"""GraphQL answers what REST answers: for every operation that reads, with keys of many and of few rights, and for changes made twice
side by side. Every row of the table of routes has a field, or is listed with a reason in docs/reference/graphql.md.

    graphql_test.py CAIRN [SEED]
"""

import json
import os
import random
import re
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

PAGE = os.path.join(ROOT, "docs/reference/graphql.md")
# What a path may name: things that are there, and one that is not.
NAMES = {
    "index": ["books", "books,notes", "b*", "missing"], "id": ["1", "missing"], "name": ["*", "all", "missing"],
    "repository": ["safe", "missing"], "snapshot": ["_all", "first", "missing"], "connector_id": ["files", "missing"],
    "connector_sync_job_id": ["missing"], "inference_id": [".cairn-mini-dense", "missing"], "task_type": ["text_embedding"],
    "model_id": ["cairn-mini-dense", "missing"], "metric": ["_all", "docs"], "node_id": ["_all", "_local"],
    "task_id": ["missing:1"], "scroll_id": ["nonsense"], "identity": ["user:ann", "nonsense"], "feature": ["master_is_stable"],
    "target": ["_all"], "fields": ["title", "*"], "context": ["score"], "access_key_id": ["missing"], "account": ["missing"],
    "thread_pool_patterns": ["*"], "circuit_breaker_patterns": ["*"], "user": ["missing"], "policy": ["missing"]}
BODIES = {
    "mget": {"ids": ["1", "2"]}, "explain": {"query": {"match": {"title": "sea"}}}, "count": {"query": {"match_all": {}}},
    "indices.validate_query": {"query": {"match": {"title": "sea"}}}, "terms_enum": {"field": "tag", "string": "s"},
    "cairn.simulate_policy": {"requests": [{"principal": "*", "action": "s3:GetObject", "key": "k"}]},
    "indices.analyze": {"text": "Of the sea", "analyzer": "english"}, "render_search_template": {"source": {"size": "{{n}}"}, "params": {"n": 3}},
    "search_template": {"source": {"query": {"match": {"title": "{{w}}"}}}, "params": {"w": "sea"}},
    "security.has_privileges": {"cluster": ["monitor", "manage"], "index": [{"names": ["books"], "privileges": ["read"]}]},
    "security.query_api_keys": {"size": 5}, "inference.text_embedding": {"input": ["sea"]}, "inference.inference": {"input": "sea"}, "inference.sparse_embedding": {"input": "sea"},
    "inference.rerank": {"query": "sea", "input": ["ships", "the sea"]},
    "rank_eval": {"requests": [{"id": "q", "request": {"query": {"match_all": {}}}, "ratings": []}], "metric": {"precision": {}}},
    "field_caps": {"fields": ["*"]}, "scroll": {"scroll_id": "nonsense"}, "msearch": [{"index": "books"}, {"query": {"match": {"title": "sea"}}}],
    "msearch_template": [{"index": "books"}, {"source": {"size": 1}}]}
QUERIES = {"fields": "*", "scroll_id": "nonsense"}
# Times and loads may be one thing before and after, and another in between; GraphQL computes in a pool itself.
MOVES = re.compile(r"took|percent|load|heap|mem\b|ram|free|used|cpu|current|active|open_file|millis|nanos|uptime|duration|estimated")
# These make something at each call, that the next one shows.
MAKES = {"open_point_in_time", "async_search.submit"}


def camel(text):
    pieces = [one for one in re.split(r"[^A-Za-z0-9]+", text) if one]
    return pieces[0] + "".join(one[0].upper() + one[1:] for one in pieces[1:])


def literal(value):
    """A JSON value as a literal of GraphQL."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {literal(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(one) for one in value) + "]"
    return json.dumps(value)


class Test:
    def __init__(self, server):
        self.server = server
        self.keys = {"admin": server.key}

    def fill(self):
        ok = self.server.ok
        ok("PUT", "/books", {"mappings": {"properties": {"title": {"type": "text"}, "tag": {"type": "keyword"}, "year": {"type": "integer"}}},
                             "aliases": {"all": {}}})
        ok("PUT", "/notes", {"mappings": {"properties": {"title": {"type": "text"}}}})
        for i, title in enumerate(["Of ships", "Of the sea", "The sea again", "Of land"]):
            ok("PUT", f"/books/_doc/{i}?refresh=true", {"title": title, "tag": f"s{i}", "year": 1850 + i})
        ok("PUT", "/notes/_doc/1?refresh=true", {"title": "A note"})
        ok("PUT", "/_connector/files", {"index_name": "books", "name": "Files", "service_type": "directory"})
        ok("PUT", "/_snapshot/safe", {"type": "fs", "settings": {"location": os.path.join(self.server.folder, "repositories/safe")}})
        ok("PUT", "/_snapshot/safe/first?wait_for_completion=true")
        roles = {"narrow": {"indices": [{"names": ["books"], "privileges": ["read", "view_index_metadata", "monitor"]}]},
                 "monitor": {"cluster": ["monitor", "monitor_connector", "monitor_inference"]}, "nothing": {"cluster": ["manage_own_api_key"]}}
        for name, role in roles.items():
            self.keys[name] = ok("POST", "/_security/api_key", {"name": name, "role_descriptors": {"r": role},
                                                                    "metadata": {"_cairn": {"identity": {"kind": "service", "id": name}}}})["encoded"]

    def rest(self, key, method, path, body=None):
        headers = {"Authorization": "ApiKey " + self.keys[key], "Accept": "application/json"}
        if isinstance(body, list):
            body = "".join(json.dumps(one) + "\n" for one in body)
        return self.server.request(method, path, body, headers=headers)

    def graphql(self, key, query, variables=None):
        status, answer = self.server.request("POST", "/graphql", {"query": query, "variables": variables or {}},
                                             headers={"Authorization": "ApiKey " + self.keys[key]})
        assert status == 200, (status, answer, query)
        return answer

    def field(self, key, name, arguments, mutation=False):
        """The status and the body of one operation, as REST has them."""
        given = ", ".join(f"{one}: {literal(value)}" for one, value in arguments.items())
        query = ("mutation " if mutation else "") + "{ it: " + name + (f"({given})" if given else "")
        answer = self.graphql(key, query + (" { status body } }" if mutation else " }"))
        if "errors" not in answer:
            it = answer["data"]["it"]
            return (it["status"], it["body"]) if mutation else (200, it)
        assert answer.get("data") == {"it": None} and answer["errors"][0]["path"] == ["it"], (query, answer)
        extensions = answer["errors"][0]["extensions"]
        return extensions["status"], extensions.get("error")


def same(one, two, again, path=""):
    """Whether `two` is what REST answers: `one` before it and `again` after it, which may differ in figures that move."""
    if MOVES.search(path.rsplit(".", 1)[-1]) or "thread_pool" in path:
        return
    if isinstance(one, dict) and isinstance(again, dict):
        assert isinstance(two, dict), (path, one, two)
        # Tasks and the like are named anew each time.
        assert set(one) != set(again) or set(two) == set(one), (path, one, two)
        for name in set(one) & set(two) & set(again):
            same(one[name], two[name], again[name], f"{path}.{name}")
    elif isinstance(one, list) and isinstance(again, list) and len(one) == len(again):
        assert isinstance(two, list) and len(two) == len(one), (path, one, two)
        for i, item in enumerate(one):
            same(item, two[i], again[i], f"{path}[{i}]")
    elif one == again:
        assert one == two, (path, one, two)


def compact(body):
    """As the server writes what it asks for a field, so that places in bodies are the same."""
    return None if body is None else json.dumps(body, separators=(",", ":"))


def error_of(status, body):
    """The error that REST tells, without what stands around it."""
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        return {name: value for name, value in body["error"].items() if name != "root_cause"}
    return None


def check_coverage(test, routes, fields):
    """Each row is a field or is listed; nothing is listed that has a field."""
    with open(PAGE) as file:
        page = file.read()
    table = page.split("Operations without a field, and why:")[1].split("\n\n")[1]
    listed = {name for line in table.splitlines() for name in re.findall(r"`([a-z_0-9.]+)`", line.split("|")[1])}
    without = set()
    for row in routes:
        name = camel(row["operation"])
        if name not in fields["Query"] and name not in fields["Mutation"]:
            without.add(row["operation"])
            continue
        told = "".join(fields[root].get(name, {}).get("description", "") + "\n" for root in ("Query", "Mutation"))
        assert f"{row['method']} {row['path']}\n" in told or name == "search", row
    assert without == listed, (without - listed, listed - without)


def arguments_of(row, chance):
    path, arguments, body = row["path"], {}, None
    for name in re.findall(r"{(\w+)}", path):
        value = chance.choice(NAMES.get(name, ["missing"]))
        path = path.replace("{" + name + "}", value.replace(",", "%2C").replace(":", "%3A").replace("*", "%2A"))
        arguments[camel(name)] = value
    if row["operation"] in BODIES:
        body = BODIES[row["operation"]]
        arguments["lines" if isinstance(body, list) else "body"] = body
    for name, value in QUERIES.items():
        if name in row["query"]:
            path += ("&" if "?" in path else "?") + f"{name}={value}"
            arguments[camel(name)] = value
    return path, arguments, body


def check_reads(test, routes, fields, seed):
    chance = random.Random(seed)
    compared = succeeded = 0
    # Of rows that take the same names, the one with the fewest words of its own says all that the others do.
    general = {}
    for row in routes:
        kind = (row["operation"], row["method"], frozenset(re.findall(r"{\w+}", row["path"])))
        if kind not in general or row["path"].count("/") < general[kind]["path"].count("/"):
            general[kind] = row
    for row in general.values():
        name = camel(row["operation"])
        shown = fields["Query"].get(name, {}).get("description", "")
        if f"{row['method']} {row['path']}" not in shown or name == "search" or row["operation"] in MAKES:
            continue
        for key in ("admin", chance.choice(["narrow", "monitor", "nothing"])):
            path, arguments, body = arguments_of(row, chance)
            types = fields["Query"][name]["args"]
            arguments = {one: [value] if "[" in types[one] and not isinstance(value, list) else value
                         for one, value in arguments.items()}
            body = body if isinstance(body, list) else compact(body)
            first = test.rest(key, row["method"], path, body)
            got = test.field(key, name, arguments)
            again = test.rest(key, row["method"], path, body)
            assert first[0] == got[0] == again[0], (key, row["method"], path, first, got)
            if first[0] < 400:
                same(first[1], got[1], again[1], path)
                succeeded += 1
            elif error_of(*first) is not None:
                same(error_of(*first), got[1], error_of(*again), path)
            compared += 1
    assert compared > 250 and succeeded > 120, (compared, succeeded)


def check_changes(test):
    """The same changes, of one name by REST and of another by GraphQL."""
    steps = [("PUT", "/{it}", "indicesCreate", {"index": "{it}"}, {"settings": {"index": {"number_of_replicas": 0}}}),
             ("PUT", "/{it}", "indicesCreate", {"index": "{it}"}, None), ("PUT", "/{it}/_mapping", "indicesPutMapping", {"index": "{it}"}, {"properties": {"a": {"type": "long"}}}),
             ("PUT", "/{it}/_mapping", "indicesPutMapping", {"index": "{it}"}, {"properties": {"a": {"type": "nope"}}}),
             ("PUT", "/{it}/_doc/1", "index", {"index": "{it}", "id": "1"}, {"a": 5}), ("PUT", "/{it}/_create/1", "create", {"index": "{it}", "id": "1"}, {"a": 6}),
             ("PUT", "/{it}/_doc/2", "index", {"index": "{it}", "id": "2"}, {"a": "no number"}),
             ("POST", "/{it}/_update/1?refresh=true", "update", {"index": "{it}", "id": "1", "refresh": "true"}, {"doc": {"b": 7}}),
             ("POST", "/{it}/_update/9", "update", {"index": "{it}", "id": "9"}, {"doc": {"b": 7}}), ("POST", "/{it}/_refresh", "indicesRefresh", {"index": "{it}"}, None),
             ("PUT", "/{it}/_alias/{it}-alias", "indicesPutAlias", {"index": "{it}", "name": "{it}-alias"}, None),
             ("DELETE", "/{it}/_doc/9", "delete", {"index": "{it}", "id": "9"}, None), ("DELETE", "/{it}/_doc/1", "delete", {"index": "{it}", "id": "1"}, None),
             ("PUT", "/_connector/{it}", "connectorPut", {"connectorId": "{it}"}, {"name": "{it}"}), ("PUT", "/_connector/{it}/_name", "connectorUpdateName", {"connectorId": "{it}"}, {"name": "other"}),
             ("PUT", "/_connector/{it}/_name", "connectorUpdateName", {"connectorId": "{it}"}, {"nope": 1}), ("DELETE", "/_connector/{it}", "connectorDelete", {"connectorId": "{it}"}, None),
             ("PUT", "/_component_template/{it}", "clusterPutComponentTemplate", {"name": "{it}"}, {"template": {}}),
             ("DELETE", "/_component_template/{it}", "clusterDeleteComponentTemplate", {"name": "{it}"}, None), ("POST", "/{it}/_close", "indicesClose", {"index": "{it}"}, None),
             ("POST", "/{it}/_open", "indicesOpen", {"index": "{it}"}, None), ("DELETE", "/{it}", "indicesDelete", {"index": "{it}"}, None), ("DELETE", "/{it}", "indicesDelete", {"index": "{it}"}, None)]

    def of(value, it):
        return json.loads(json.dumps(value).replace("{it}", it))

    for key in ("admin", "narrow"):
        for method, path, name, arguments, body in steps:
            one = test.rest(key, method, path.replace("{it}", "qqrest"), compact(of(body, "qqrest") if body is not None else None))
            given = of(arguments, "qqgqls")
            if body is not None:
                given["body"] = of(body, "qqgqls")
            two = test.field(key, name, given, mutation=True)
            assert one[0] == two[0], (key, path, one, two)
            told = one[1] if one[0] < 400 else error_of(*one)
            if told is None:
                continue
            one, two = (re.sub(r'(uuid": "|qqgqls/)[-_A-Za-z0-9]{20,}', r"\1", json.dumps(it).replace("qqrest", "qqgqls"))
                        for it in (told, two[1]))
            assert json.loads(one) == json.loads(two), (key, path, one, two)


def check_types(test):
    """The types that hang together show what REST shows."""
    admin = lambda query: test.graphql("admin", query)["data"]  # noqa: E731
    data = admin("""{ index(name: "books") { id name documentCount health status aliases mappings settings count(query: {match: {title: "sea"}})
      document(id: "1") { id source field(path: "title") version } search(query: {match: {title: "sea"}}, first: 1) { totalCount maxScore pageInfo { hasNextPage endCursor } nodes { id score source } edges { cursor node { id } } } } }""")["index"]
    ok = test.server.ok
    assert data["mappings"] == ok("GET", "/books/_mapping")["books"]["mappings"]
    assert data["settings"] == ok("GET", "/books/_settings")["books"]["settings"]
    assert data["aliases"] == ok("GET", "/books/_alias")["books"]["aliases"] == {"all": {}}
    assert data["documentCount"] == 4 and data["health"] == "GREEN" and data["status"] == "OPEN" and data["count"] == 2, data
    assert data["document"]["source"] == ok("GET", "/books/_doc/1")["_source"] and data["document"]["field"] == "Of the sea"
    hits = ok("POST", "/books/_search", {"query": {"match": {"title": "sea"}}})["hits"]
    page = data["search"]
    assert page["totalCount"] == 2 and page["pageInfo"]["hasNextPage"] and page["nodes"][0]["id"] == hits["hits"][0]["_id"]
    assert page["nodes"][0]["score"] == hits["hits"][0]["_score"] and page["edges"][0]["cursor"] == page["pageInfo"]["endCursor"]
    # All pages, one after another, are the list.
    found, after = [], None
    while True:
        query = "query ($after: String) { search(index: [\"books\"], sort: [{year: \"asc\"}], first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }"
        page = test.graphql("admin", query, {"after": after})["data"]["search"]
        found += [one["id"] for one in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert found == ["0", "1", "2", "3"], found
    names = [one["name"] for one in admin("{ indices(last: 1) { nodes { name } } }")["indices"]["nodes"]]
    assert names == ["notes"], names
    # Things by their global ids.
    data = admin("{ connector(id: \"files\") { id name index { name } syncJobs(first: 5) { totalCount } } repository(name: \"safe\") { id type snapshots(first: 5) { totalCount nodes { name state indices startedAt } } snapshot(name: \"first\") { state } } "
                 "inferenceEndpoints(first: 100) { nodes { id inferenceId taskType } } models(first: 100) { totalCount } apiKeys(first: 100) { totalCount nodes { id name } } viewer { username apiKeyId } tasks(first: 5) { totalCount } limits { resource remaining } }")
    assert data["connector"]["index"]["name"] == "books" and data["connector"]["syncJobs"]["totalCount"] == 0
    assert data["repository"]["snapshots"]["nodes"][0]["state"] == "SUCCESS" and data["repository"]["snapshot"]["state"] == "SUCCESS"
    assert data["models"]["totalCount"] == ok("GET", "/_ml/trained_models")["count"]
    assert {one["name"] for one in data["apiKeys"]["nodes"]} >= {"narrow", "monitor"}
    assert {one["resource"] for one in data["limits"]} >= {"core", "search", "graphql"}
    for thing in [data["connector"], data["repository"], data["inferenceEndpoints"]["nodes"][0], data["apiKeys"]["nodes"][0]]:
        node = test.graphql("admin", "query ($id: ID!) { node(id: $id) { __typename id } }", {"id": thing["id"]})
        assert node["data"]["node"]["id"] == thing["id"], node
    assert test.graphql("admin", "{ node(id: \"nonsense\") { id } }")["errors"][0]["type"] == "NOT_FOUND"
    answer = admin("mutation { connectorPost(body: {name: \"one\"}) { status query { connectors(first: 10) { totalCount } } } }")
    assert answer["connectorPost"]["query"]["connectors"]["totalCount"] == 2


def check_rights(test):
    """Each field asks for its own privileges; the others are answered."""
    query = "{ index(name: \"books\") { name document(id: \"1\") { id } } notes: index(name: \"notes\") { name } connectorList clusterHealth securityAuthenticate }"
    answer = test.graphql("narrow", query)
    assert answer["data"]["index"]["document"]["id"] == "1" and answer["data"]["securityAuthenticate"]["username"]
    failed = {one["path"][0]: one["extensions"]["status"] for one in answer["errors"]}
    assert failed == {"notes": 403, "connectorList": 403, "clusterHealth": 403}, answer["errors"]
    answer = test.graphql("nothing", "{ viewer { username } index(name: \"books\") { name } }")
    assert answer["data"]["index"] is None and answer["data"]["viewer"]["username"]
    answer = test.graphql("narrow", "mutation { indicesDelete(index: \"books\") { status } }")
    assert answer["errors"][0]["type"] == "FORBIDDEN" and test.server.request("HEAD", "/books")[0] == 200
    # What was changed and what was refused stands in the audit log, with the path of REST.
    with open(os.path.join(test.server.data, "audit/audit.jsonl")) as file:
        lines = [{"action": "", "url.path": "", **json.loads(line)} for line in file]
    assert any(one["action"] == "indices.delete" and one["event.action"] == "access_denied" and one["url.path"] == "/books" for one in lines)
    assert any(one["action"] == "indices.create" and one["event.action"] == "access_granted" and one["url.path"] == "/qqgqls" for one in lines)


def check_objects(test):
    made = test.server.ok("POST", "/_security/api_key", {"name": "both", "role_descriptors": {"r": {"cluster": ["monitor"]}}, "objects": {"account": "123456789012"}})
    test.keys["both"] = made["encoded"]
    answer = test.graphql("both", "mutation { createBucket(name: \"shelf-one\") { name createdAt } a: putObject(bucket: \"shelf-one\", key: \"a b/ä.txt\", text: \"words é\") { key size contentType text } "
                                  "b: putObject(bucket: \"shelf-one\", key: \"b\", text: \"\") { size text } c: putObject(bucket: \"shelf-one\", key: \"c/d\", text: \"x\") { eTag } }")
    assert "errors" not in answer, answer
    assert answer["data"]["a"] == {"key": "a b/ä.txt", "size": 8, "contentType": "text/plain; charset=utf-8", "text": "words é"}, answer
    assert answer["data"]["b"] == {"size": 0, "text": ""}
    data = test.graphql("both", "{ buckets(first: 5) { totalCount nodes { name } } bucket(name: \"shelf-one\") { object(key: \"c/d\") { size } objects(first: 2) { nodes { key size } pageInfo { hasNextPage endCursor } } commonPrefixes(first: 10) { prefixes } } }")["data"]
    assert [one["name"] for one in data["buckets"]["nodes"]] == ["shelf-one"]
    assert [one["key"] for one in data["bucket"]["objects"]["nodes"]] == ["a b/ä.txt", "b"] and data["bucket"]["objects"]["pageInfo"]["hasNextPage"]
    assert data["bucket"]["commonPrefixes"]["prefixes"] == ["a b/", "c/"], data
    rest = test.graphql("both", "query ($c: String) { bucket(name: \"shelf-one\") { objects(first: 2, after: $c) { nodes { key } pageInfo { hasNextPage } } object(key: \"none\") { key } } }",
                        {"c": data["bucket"]["objects"]["pageInfo"]["endCursor"]})
    assert [one["key"] for one in rest["data"]["bucket"]["objects"]["nodes"]] == ["c/d"] and not rest["data"]["bucket"]["objects"]["pageInfo"]["hasNextPage"]
    assert rest["errors"][0]["type"] == "NOT_FOUND" and rest["errors"][0]["path"] == ["bucket", "object"]
    answer = test.graphql("both", "mutation { deleteBucket(name: \"shelf-one\") }")
    assert answer["errors"][0]["extensions"]["code"] == "BucketNotEmpty" and answer["errors"][0]["extensions"]["status"] == 409, answer
    answer = test.graphql("both", "mutation { a: deleteObject(bucket: \"shelf-one\", key: \"a b/ä.txt\") b: deleteObject(bucket: \"shelf-one\", key: \"b\") c: deleteObject(bucket: \"shelf-one\", key: \"c/d\") d: deleteBucket(name: \"shelf-one\") }")
    assert answer["data"] == {"a": True, "b": True, "c": True, "d": True}, answer
    # A key without an access key has nothing to sign with.
    assert test.graphql("narrow", "{ bucket(name: \"shelf-one\") { name } }")["errors"][0]["type"] == "FORBIDDEN"


def main(binary, seed):
    folder = tempfile.mkdtemp(prefix="cairn-graphql-")
    server = Cairn(binary, folder, {"CAIRN_PATH__REPO": os.path.join(folder, "repositories")}).start()
    try:
        test = Test(server)
        test.fill()
        routes = server.ok("GET", "/_cairn/routes")["routes"]
        shown = test.graphql("admin", "{ __schema { types { name fields { name description args { name type { kind name ofType { kind name ofType { kind name } } } } } } } }")
        fields = {}
        for root in ("Query", "Mutation"):
            type_ = next(one for one in shown["data"]["__schema"]["types"] if one["name"] == root)
            fields[root] = {one["name"]: {"description": one["description"] or "", "args": {
                a["name"]: "[" if "LIST" in json.dumps(a["type"]) else "" for a in one["args"]}} for one in type_["fields"]}
        check_coverage(test, routes, fields)
        check_types(test)
        check_reads(test, routes, fields, seed)
        check_changes(test)
        check_rights(test)
        check_objects(test)
    finally:
        server.kill()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7)
