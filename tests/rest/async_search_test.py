#!/usr/bin/env python3
"""Async searches: who sees them and with whose rights they search, how many there may be, how they are
ended, and kill -9 in the middle of many.

What was told as kept is there after each kill, whole; what ran is gone, and nothing is left of it.

    async_search_test.py CAIRN [SEED]
"""

import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

DOCUMENTS = 20_000
# Looks at every word of the index for each of its clauses: it takes seconds.
SLOW = {"size": 0, "query": {"bool": {"should": [
    {"wildcard": {"word": {"value": f"*{i}*x*y*{i}*"}}} for i in range(1000)]}}}
GROUPS = 7


def begin(cairn):
    cairn.ok("PUT", "/books", {"mappings": {"properties": {
        "word": {"type": "keyword"}, "group": {"type": "integer"}}}})
    lines = []
    for i in range(DOCUMENTS):
        lines += ['{"index":{}}', json.dumps({"word": f"{i * 7919:x}-some-word-xy-{i}", "group": i % GROUPS})]
    answer = cairn.ok("POST", "/books/_bulk?refresh=true", "\n".join(lines) + "\n",
                      headers={"Content-Type": "application/x-ndjson"})
    assert not answer["errors"]


def key(cairn, name, cluster=(), names=("books",)):
    made = cairn.ok("POST", "/_security/api_key", {"name": name, "role_descriptors": {"r": {
        "cluster": list(cluster), "index": [{"names": list(names), "privileges": ["read"]}]}}})
    return {"Authorization": "ApiKey " + made["encoded"]}


def submit_slow(cairn, headers=None, more=""):
    status, answer = cairn.request("POST", "/books/_async_search?wait_for_completion_timeout=0" + more, SLOW,
                                   headers=headers)
    return status, answer


def rights(cairn):
    """Who sees a search, and what it may look up once its call is over."""
    def status(headers, method, path):
        return cairn.request(method, path, headers=headers)[0]
    owner, other = key(cairn, "owner"), key(cairn, "other")
    monitor, manage = key(cairn, "monitor", ["monitor"]), key(cairn, "manage", ["manage"])
    for running in (True, False):
        if running:
            id = submit_slow(cairn, owner)[1]["id"]
        else:
            id = cairn.ok("POST", "/books/_async_search?keep_on_completion=true&wait_for_completion_timeout=60s",
                          {}, headers=owner)["id"]
        path, state = f"/_async_search/{id}", f"/_async_search/status/{id}"
        assert status(owner, "GET", path) == 200
        for headers in (other, monitor, manage, {}):  # the administrator neither
            assert status(headers, "GET", path) == 404, (running, headers)
        assert status(other, "GET", state) == 404 and status(other, "DELETE", path) == 404
        assert status(monitor, "GET", state) == 200 and status(monitor, "DELETE", path) == 404
        assert status(monitor, "GET", state + "?keep_alive=1h") == 404
        assert status(manage, "GET", state + "?keep_alive=1h") == 200
        listed = [json.dumps(cairn.ok("GET", "/_tasks?actions=*async_search*", headers=headers)["nodes"])
                  for headers in (owner, monitor, other)]
        assert [("async_search/submit" in each) for each in listed] == [running, running, False], listed
        assert status(manage, "DELETE", path) == 200
        assert status(owner, "GET", path) == 404
    # A document of an index that its key may not read, looked up when the call is over.
    cairn.ok("PUT", "/secret/_doc/1?refresh=true", {"groups": [1]})
    lookup = {"query": {"terms": {"group": {"index": "secret", "id": "1", "path": "groups"}}}}
    for headers, wanted in ((owner, 403), (key(cairn, "both", names=("books", "secret")), 200)):
        for _ in range(20):
            status_, begun = cairn.request("POST", "/books/_async_search?wait_for_completion_timeout=0", lookup,
                                           headers=headers)
            if "id" in begun:
                path = f"/_async_search/{begun['id']}"
                status_, begun = cairn.request("GET", path + "?wait_for_completion_timeout=60s", headers=headers)
                cairn.ok("DELETE", path, headers=headers)
            assert status_ == wanted, (wanted, begun)
            if wanted == 403:
                assert "security_exception" in json.dumps(begun["error"]), begun
            else:
                assert begun["response"]["hits"]["total"]["value"] == len(range(1, DOCUMENTS, GROUPS)), begun
    assert status({"Authorization": "none"}, "POST", "/books/_async_search") == 401


def ended(cairn):
    """Cancelled and deleted searches end soon; one that ends after its client's patience is kept."""
    def running():
        nodes = cairn.ok("GET", "/_tasks?actions=*async_search*&detailed=true")["nodes"]
        return {} if not nodes else next(iter(nodes.values()))["tasks"]
    id = submit_slow(cairn)[1]["id"]
    answer = cairn.ok("GET", f"/_async_search/{id}")
    assert answer["is_running"] and answer["is_partial"] and answer["response"]["hits"]["hits"] == [], answer
    task, info = next(iter(running().items()))
    assert info["cancellable"] and info["description"].startswith("async_search{indices[books]"), info
    begun = time.monotonic()
    cairn.ok("POST", f"/_tasks/{task}/_cancel?wait_for_completion=true")
    status, answer = cairn.request("GET", f"/_async_search/{id}?wait_for_completion_timeout=60s")
    assert time.monotonic() - begun < 5, "cancelled, it went on"
    assert status == 400 and answer["error"]["type"] == "task_cancelled_exception", answer
    assert "by user request" in answer["error"]["reason"], answer
    assert cairn.ok("GET", f"/_async_search/status/{id}")["completion_status"] == 400
    cairn.ok("DELETE", f"/_async_search/{id}")
    id = submit_slow(cairn)[1]["id"]
    begun = time.monotonic()
    cairn.ok("DELETE", f"/_async_search/{id}")
    assert time.monotonic() - begun < 5, "deleted, it went on"
    assert not running(), running()
    id = submit_slow(cairn)[1]["id"]
    answer = cairn.ok("GET", f"/_async_search/{id}?wait_for_completion_timeout=120s&keep_alive=1h")
    assert not answer["is_running"] and not answer["is_partial"], answer
    cairn.ok("DELETE", f"/_async_search/{id}")


def too_many(cairn):
    begun, status = [], 200
    while status == 200:
        status, answer = submit_slow(cairn)
        if status == 200:
            begun.append(answer["id"])
    assert status == 429 and answer["error"]["type"] == "es_rejected_execution_exception", answer
    assert len(begun) >= 16, len(begun)
    for id in begun:
        cairn.ok("DELETE", f"/_async_search/{id}")


class Client(threading.Thread):
    """Begins searches, deletes some, and remembers what it was told."""

    def __init__(self, cairn, seed):
        super().__init__()
        self.cairn, self.random = cairn, random.Random(seed)
        self.kept, self.running, self.deleted, self.unsure, self.fault = {}, set(), set(), set(), None
        self.down = threading.Event()
        self.begins = False  # the answer of a search that it began is still to come

    def one(self):
        group = self.random.randrange(GROUPS)
        self.begins = True
        if self.random.random() < 0.03:
            status, answer = submit_slow(self.cairn)
        else:
            status, answer = self.cairn.request(
                "POST", "/books/_async_search?keep_on_completion=true&wait_for_completion_timeout="
                + self.random.choice(["0", "30s"]),
                {"size": 3, "sort": ["word"], "query": {"term": {"group": group}}})
        self.begins = False
        if status == 429:
            return
        assert status == 200, (status, answer)
        if answer["is_running"]:
            self.running.add(answer["id"])
        else:
            self.kept[answer["id"]] = answer["response"]
        if self.running and self.random.random() < 0.5:
            id = self.random.choice(sorted(self.running))
            status, answer = self.cairn.request("GET", f"/_async_search/{id}")
            assert status == 200, (status, answer)
            if not answer["is_running"]:
                self.running.discard(id)
                self.kept[id] = answer["response"]
        if self.kept and self.random.random() < 0.3:
            id = self.random.choice(sorted(self.kept))
            del self.kept[id]
            self.unsure.add(id)
            self.cairn.ok("DELETE", f"/_async_search/{id}")
            self.unsure.discard(id)
            self.deleted.add(id)

    def run(self):
        try:
            while not self.down.is_set():
                self.one()
        except Exception as fault:
            if not self.down.is_set():
                self.fault = fault


def check(cairn, client, unknown):
    """After a kill. Of `unknown` kept searches no client was told the name; answers how many there are now."""
    for id, response in client.kept.items():
        status, answer = cairn.request("GET", f"/_async_search/{id}")
        assert status == 200 and answer["response"] == response, (id, status, answer, response)
    for id in client.deleted:
        assert cairn.request("GET", f"/_async_search/{id}")[0] == 404, id
    found = 0
    for id in client.running | client.unsure:  # ended or deleted as it died, or not
        status, answer = cairn.request("GET", f"/_async_search/{id}")
        assert status == 404 or (not answer["is_running"] and "response" in answer), (id, status, answer)
        found += status == 200
    left = metric(cairn, "cairn_async_searches") - unknown - len(client.kept) - found
    # A search may be kept and its answer lost on the way: one at most, the one that was just begun.
    assert 0 <= left <= client.begins, (left, unknown, len(client.kept), found, client.begins)
    return unknown + left


def metric(cairn, name):
    text = cairn.request("GET", "/_metrics")[1]
    return int(float(next(line.split()[-1] for line in text.splitlines() if line.startswith(name + " "))))


def kills(cairn, seed, rounds):
    told = unknown = 0
    for round in range(rounds):
        client = Client(cairn, seed + round)
        client.start()
        time.sleep(1 + client.random.random())
        client.down.set()
        cairn.kill()
        client.join()
        assert client.fault is None, client.fault
        cairn.start("--set", "rate_limit.enabled=false")
        unknown = check(cairn, client, unknown)
        told += len(client.kept)
        for id in list(client.kept) + list(client.running) + list(client.unsure):
            cairn.request("DELETE", f"/_async_search/{id}")
    print("kills", rounds, "answers kept", told, flush=True)
    assert told > 0


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print("seed", seed, flush=True)
    cairn = Cairn(sys.argv[1]).start("--set", "rate_limit.enabled=false")
    try:
        begin(cairn)
        for part in (rights, ended, too_many):
            part(cairn)
            print(part.__name__, flush=True)
        kills(cairn, seed, 6)
        submit_slow(cairn)  # which an orderly stop does not wait for
        begun = time.monotonic()
        assert cairn.stop() == 0
        assert time.monotonic() - begun < 30
    finally:
        if cairn.process.poll() is None:
            cairn.kill()


if __name__ == "__main__":
    main()
