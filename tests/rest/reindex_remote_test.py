#!/usr/bin/env python3
"""Copies from another server: two programs, one of which copies from the other, with and without
credentials, from a host that is not allowed, while the other one dies, and while the copying one is
killed and goes on.

    reindex_remote_test.py CAIRN [SEED]
"""

import base64
import json
import os
import random
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

DOCUMENTS = 120
SECRET = "hush-hush-secret"


def ask(cairn, method, path, body=None, wanted=200):
    status, answer = cairn.request(method, path, body)
    assert status == wanted, (method, path, body, status, answer)
    return answer


def fill(cairn, documents=DOCUMENTS):
    ask(cairn, "PUT", "/books", {"mappings": {"properties": {"group": {"type": "keyword"}}}})
    lines = []
    for n in range(documents):
        lines += [{"index": {"_id": f"id{n}", "routing": "r" if n % 2 else None}},
                  {"n": n, "group": "ab"[n % 2], "text": "é \"quoted\" " * (n % 5), "x": [1.5, None]}]
    text = "".join(json.dumps(line) + "\n" for line in lines).replace(', "routing": null', "")
    assert not ask(cairn, "POST", "/books/_bulk?refresh=true", text)["errors"]
    return {f"id{n}": lines[2 * n + 1] for n in range(documents)}


def service_key(cairn):
    """One that is not held up by the limits of searches."""
    made = ask(cairn, "POST", "/_security/api_key", {
        "name": "copies", "metadata": {"_cairn": {"identity": {"kind": "service", "id": "copies"}}},
        "role_descriptors": {"r": {"index": [{"names": ["*"], "privileges": ["read"]}]}}})
    return made["encoded"]


def source(other, key, **more):
    return {"index": "books", "remote": {
        "host": other.api, "headers": {"Authorization": "ApiKey " + key}}, **more}


def copies(cairn, index="copy"):
    ask(cairn, "POST", f"/{index}/_refresh")
    hits = ask(cairn, "POST", f"/{index}/_search", {"size": 10_000, "version": True})["hits"]["hits"]
    return {hit["_id"]: (hit["_source"], hit["_version"]) for hit in hits}


def clean(cairn):
    cairn.request("DELETE", "/copy?ignore_unavailable=true")


def no_scroll_left(other):
    answer = other.request("DELETE", "/_search/scroll/_all")
    assert answer[1]["num_freed"] == 0, answer


def plain(cairn, other, key, documents):
    """The whole index, a part, a part of each document, the first documents; refusals by name."""
    answer = ask(cairn, "POST", "/_reindex", {"source": source(other, key, size=50), "dest": {"index": "copy"}})
    assert (answer["total"], answer["created"], answer["batches"]) == (DOCUMENTS, DOCUMENTS, 3), answer
    assert copies(cairn) == {id: (document, 1) for id, document in documents.items()}
    assert ask(cairn, "GET", "/copy/_doc/id1")["_routing"] == "r"
    again = ask(cairn, "POST", "/_reindex", {"source": source(other, key), "dest": {"index": "copy"}})
    assert again["updated"] == DOCUMENTS, again
    conflict = ask(cairn, "POST", "/_reindex", {
        "source": source(other, key), "dest": {"index": "copy", "op_type": "create"}}, 409)
    assert conflict["version_conflicts"] == DOCUMENTS, conflict
    clean(cairn)
    answer = ask(cairn, "POST", "/_reindex", {
        "source": source(other, key, query={"term": {"group": "a"}}, _source=["n"],
                         sort=[{"n": "desc"}]),
        "dest": {"index": "copy"}, "max_docs": 7})
    assert (answer["total"], answer["created"]) == (7, 7), answer
    highest = sorted((n for n in range(DOCUMENTS) if n % 2 == 0), reverse=True)[:7]
    assert copies(cairn) == {f"id{n}": ({"n": n}, 1) for n in highest}
    clean(cairn)
    no_scroll_left(other)


def refusals(cairn, other, key):
    def refused(remote, status, words, more=None, url=""):
        body = {"source": {"index": "books", "remote": remote, **(more or {})}, "dest": {"index": "copy"}}
        got, answer = cairn.request("POST", "/_reindex" + url, body)
        text = json.dumps(answer, ensure_ascii=False)
        assert got == status and words in text, (remote, got, text)
        assert SECRET not in text, text
    good = source(other, key)["remote"]
    refused({"host": "http://127.0.0.1:1"}, 400, "[127.0.0.1:1] not whitelisted in reindex.remote.allowed_hosts")
    refused({"host": "http://localhost:9200"}, 400, "not whitelisted")
    refused({"host": "http://127.0.0.1"}, 400, "[host] must be of the form")
    refused({"host": "http://user@127.0.0.1:9200"}, 400, "[host] must be of the form")
    refused({}, 400, "[host] must be specified")
    refused({**good, "sniff": True}, 400, "Unsupported fields in [remote]: [sniff]")
    refused({**good, "username": "u", "password": SECRET}, 400, "more than one of")
    refused({**good, "headers": {"Host": SECRET}}, 400, "connection's own")
    refused({**good, "headers": {"A": SECRET + "\r\nB: c"}}, 400, "characters that no header may have")
    refused({**good, "socket_timeout": "0s"}, 400, "socket_timeout")
    refused(good, 400, "slices > 1", url="?slices=2")
    refused(good, 400, "slices > 1", url="?slices=auto")
    refused(good, 400, "source.slice", {"slice": {"id": 0, "max": 2}})
    refused({"host": other.api}, 401, "answered with status 401")
    refused({"host": other.api, "username": "u", "password": SECRET}, 401, "answered with status 401")
    refused(good, 404, "index_not_found_exception", {"index": "none"})
    refused(good, 400, "answered with status 400", {"query": {"no_such_query": {}}})
    local = {"source": {"index": "copy", "sort": "n"}, "dest": {"index": "copy2"}}
    assert "source.sort" in json.dumps(ask(cairn, "POST", "/_reindex", local, 400))
    no_scroll_left(other)
    assert SECRET not in open(os.path.join(cairn.folder, "log"), errors="replace").read()


def begin(cairn, other, key, more="", body=None):
    return ask(cairn, "POST", "/_reindex?wait_for_completion=false" + more, {
        "source": source(other, key, size=5), "dest": {"index": "copy"}, **(body or {})})["task"]


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "waited for a minute"
        time.sleep(0.01)


def done(cairn, task):
    return ask(cairn, "GET", f"/_tasks/{task}")["task"]["status"]["created"]


def ended(cairn, task):
    return ask(cairn, "GET", f"/_tasks/{task}?wait_for_completion=true&timeout=120s")


def cancelled(cairn, other, key):
    """A cancelled copy ends its scroll; nothing secret is seen on the way."""
    clean(cairn)
    task = begin(cairn, other, key, "&requests_per_second=5")
    wait_for(lambda: done(cairn, task) > 0)
    seen = json.dumps(ask(cairn, "GET", f"/_tasks/{task}"))
    assert key not in seen and "reindex from [host=127.0.0.1 port=" in seen, seen
    ask(cairn, "POST", f"/_tasks/{task}/_cancel?wait_for_completion=true")
    assert ended(cairn, task)["response"]["canceled"] == "by user request"
    no_scroll_left(other)


def killed(cairn, other, key, documents, op_type, random):
    """After a crash the copy begins anew, makes no copy twice, and counts each once."""
    clean(cairn)
    task = begin(cairn, other, key, f"&requests_per_second={DOCUMENTS // 2}",
                 {"dest": {"index": "copy", "op_type": op_type}})
    for _ in range(2):
        time.sleep(random.random() * 0.6)
        cairn.kill()
        assert no_secret(cairn, key)
        cairn.start("--config", cairn.config)
    cairn.request("POST", f"/_reindex/{task}/_rethrottle?requests_per_second=-1")
    answer = ended(cairn, task)
    assert "response" in answer, answer
    response = answer["response"]
    assert (response["total"], response["created"], response["failures"]) == (DOCUMENTS, DOCUMENTS, []), answer
    assert copies(cairn) == {id: (document, 1) for id, document in documents.items()}
    assert ask(cairn, "GET", f"/_tasks/{task}")["response"] == response


def no_secret(cairn, key):
    """In the files, the credential stands nowhere in plain."""
    plain = base64.b64decode(key)
    for folder, _, names in os.walk(cairn.data):
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read()
            except OSError:
                continue
            assert key.encode() not in content and plain not in content, name
    return True


def first_documents_killed(cairn, other, key):
    """One with max_docs does not begin anew: it would take more documents than those."""
    clean(cairn)
    task = begin(cairn, other, key, "&requests_per_second=10", {"max_docs": 50})
    wait_for(lambda: done(cairn, task) > 0)
    cairn.kill()
    cairn.start("--config", cairn.config)
    answer = ended(cairn, task)
    assert "max_docs" in answer["error"]["reason"], answer
    assert len(copies(cairn)) < 50


def other_dies(cairn, other, key):
    """The copy ends with what was done, and says why."""
    clean(cairn)
    task = begin(cairn, other, key, "&requests_per_second=50")
    wait_for(lambda: done(cairn, task) > 0)
    other.kill()
    cairn.request("POST", f"/_reindex/{task}/_rethrottle?requests_per_second=-1")
    response = ended(cairn, task)["response"]
    assert response["failures"] and response["created"] < DOCUMENTS, response
    assert len(copies(cairn)) == response["created"], response
    answer = ask(cairn, "POST", "/_reindex", {"source": source(other, key), "dest": {"index": "copy"}}, 502)
    assert "remote [127.0.0.1:" in json.dumps(answer), answer


def client_leaves(cairn):
    """One that waits for a server which says nothing ends with its client."""
    silent = socket.create_server(("127.0.0.1", 0))
    accepted = []
    threading.Thread(target=lambda: accepted.append(silent.accept()), daemon=True).start()
    body = json.dumps({"source": {"index": "b", "remote": {
        "host": f"http://127.0.0.1:{silent.getsockname()[1]}", "socket_timeout": "10m"}},
        "dest": {"index": "copy"}})
    connection = cairn.connect()
    connection.request("POST", "/_reindex", body=body, headers={
        "Authorization": "ApiKey " + cairn.key, "Content-Type": "application/json"})
    running = "/_tasks?actions=*reindex"
    wait_for(lambda: accepted and ask(cairn, "GET", running)["nodes"])
    connection.close()
    wait_for(lambda: not ask(cairn, "GET", running)["nodes"])
    silent.close()


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print("seed", seed, flush=True)
    chance = random.Random(seed)
    other = Cairn(sys.argv[1]).start()
    cairn = Cairn(sys.argv[1])
    cairn.config = os.path.join(cairn.folder, "cairn.yaml")
    port = other.api.rsplit(":", 1)[1]
    try:
        with open(cairn.config, "w") as file:
            file.write(f'reindex: {{ remote: {{ allowed_hosts: ["127.0.0.1:{port}"] }} }}\n')
        cairn.start("--config", cairn.config)
        documents = fill(other)
        key = service_key(other)
        for step in (lambda: refusals(cairn, other, key), lambda: plain(cairn, other, key, documents),
                     lambda: cancelled(cairn, other, key),
                     lambda: killed(cairn, other, key, documents, "index", chance),
                     lambda: killed(cairn, other, key, documents, "create", chance),
                     lambda: first_documents_killed(cairn, other, key),
                     lambda: other_dies(cairn, other, key)):
            step()
            print("done", flush=True)
        assert cairn.stop() == 0
        with open(cairn.config, "w") as file:
            file.write('reindex: { remote: { allowed_hosts: ["127.0.0.1:*"] } }\n')
        cairn.start("--config", cairn.config)
        client_leaves(cairn)
        assert cairn.stop() == 0
    finally:
        for one in (cairn, other):
            if one.process is not None and one.process.poll() is None:
                one.kill()


if __name__ == "__main__":
    main()
