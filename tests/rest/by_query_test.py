#!/usr/bin/env python3
"""Deletes, updates and copies by query beside a writer, compared with a model, and under kill -9; who
may ask for them, and how many there may be.

The index is refreshed by hand, so that what a request sees is known: the documents of the last
refresh. Whatever the writer wrote since must stay as it is. Each untouched document is deleted, or
indexed again, exactly once, also where the program is killed while it works.

    by_query_test.py CAIRN [SEED]
"""

import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

INDEX = {"settings": {"refresh_interval": "-1"},
         "mappings": {"properties": {"group": {"type": "keyword"}, "n": {"type": "integer"}}}}
DOCUMENTS = 400
GROUPS = "abcd"


class World:
    def __init__(self, cairn, seed):
        self.cairn, self.random = cairn, random.Random(seed)
        self.documents = {}  # id to source
        self.numbers = 0

    def ask(self, method, path, body=None, wanted=200):
        status, answer = self.cairn.request(method, path, body)
        assert status == wanted, (method, path, body, status, answer)
        return answer

    def source(self):
        return {"group": self.random.choice(GROUPS), "n": self.random.randrange(1000)}

    def write(self, changes):
        """`changes`: id to source."""
        lines = []
        for id, source in changes.items():
            lines += [{"index": {"_id": id}}, source]
        answer = self.ask("POST", "/books/_bulk", "".join(json.dumps(line) + "\n" for line in lines))
        assert not answer["errors"], answer
        self.documents.update(changes)

    def begin(self):
        self.cairn.request("DELETE", "/books,copy?ignore_unavailable=true")
        self.ask("PUT", "/books", INDEX)
        self.documents = {}
        self.write({str(i): self.source() for i in range(DOCUMENTS)})
        self.ask("POST", "/books/_refresh")

    def all_of(self, index):
        self.ask("POST", f"/{index}/_refresh")
        hits = self.ask("POST", f"/{index}/_search", {"size": 10_000, "version": True})["hits"]["hits"]
        return {hit["_id"]: (hit["_source"], hit["_version"]) for hit in hits}


class Writer(threading.Thread):
    """Writes documents anew, and new ones, until it is told to end."""

    def __init__(self, world):
        super().__init__()
        self.world, self.ended, self.touched = world, threading.Event(), {}
        self.random, self.fault = random.Random(world.random.random()), None

    def run(self):
        try:
            while not self.ended.is_set():
                known = list(self.world.documents)
                ids = self.random.sample(known, 2) + [f"new{self.random.randrange(10 ** 9)}"]
                changes = {id: {"group": self.random.choice(GROUPS), "n": self.random.randrange(1000)}
                           for id in ids}
                self.world.write(changes)
                self.touched.update(changes)
        except Exception as fault:  # told by end()
            self.fault = fault

    def end(self):
        self.ended.set()
        self.join()
        assert self.fault is None, self.fault


def matches(query, source):
    if "term" in query:
        return source["group"] == query["term"]["group"]
    return source["n"] < query["range"]["n"]["lt"]


def some_query(world):
    if world.random.random() < 0.5:
        return {"term": {"group": world.random.choice(GROUPS)}}
    return {"range": {"n": {"lt": world.random.randrange(200, 1200)}}}


def some_options(world):
    out = [f"scroll_size={world.random.choice([1, 7, 50, 1000])}", "conflicts=proceed"]
    if world.random.random() < 0.5:
        out.append(f"slices={world.random.choice([2, 3, 5])}")
    return "&".join(out)


def check_changed(world, kind, seen, touched, before, done):
    """`seen`: ids that the request saw; `done`: how many it says that it changed."""
    after = world.all_of("books")
    untouched = seen - set(touched)
    for id, source in world.documents.items():
        if kind == "delete" and id in untouched:
            assert id not in after, (id, "is still there")
            continue
        assert id in after, (id, "is lost")
        assert after[id][0] == source, (id, "is not what was written last", after[id], source)
        if id not in touched:
            more = 1 if kind == "update" and id in seen else 0
            assert after[id][1] == before[id] + more, (id, "was changed twice, or not", after[id], before[id])
    assert set(after) <= set(world.documents), set(after) - set(world.documents)
    assert len(untouched) <= done <= len(seen), (len(untouched), done, len(seen))


def beside_a_writer(world, kind):
    world.begin()
    query, options = some_query(world), some_options(world)
    seen = {id for id, source in world.documents.items() if matches(query, source)}
    snapshot, before = dict(world.documents), {id: 1 for id in world.documents}
    writer = Writer(world)
    writer.start()
    try:
        if kind == "reindex":
            answer = world.ask("POST", "/_reindex?" + options.split("&", 1)[1].replace("conflicts=proceed", ""),
                               {"source": {"index": "books", "query": query, "size": 7},
                                "dest": {"index": "copy"}})
        else:
            answer = world.ask("POST", f"/books/_{kind}_by_query?{options}", {"query": query})
    finally:
        writer.end()
    assert answer["total"] == len(seen) and not answer["failures"], (answer, len(seen))
    if kind == "reindex":
        assert answer["created"] == len(seen), answer
        copied = world.all_of("copy") if seen else {}
        assert {id: source for id, (source, _) in copied.items()} == {id: snapshot[id] for id in seen}
        return
    done = answer["deleted"] if kind == "delete" else answer["updated"]
    assert done + answer["version_conflicts"] == answer["total"], answer
    check_changed(world, kind, seen, writer.touched, before, done)


def chosen(world, query, sort, most, each):
    """What is taken of the documents that match: the first `each`, as they were written, then the
    first `most` by the sort keys."""
    taken = [id for id, source in world.documents.items() if matches(query, source)][:each]
    for key in reversed(sort):  # a stable sort for each key
        field, _, direction = key.partition(":")
        taken.sort(key=lambda id: world.documents[id][field], reverse=direction == "desc")
    return taken[:most]


def some_choice(world):
    sort = world.random.choice([["n:desc"], ["n"], ["group", "n:desc"], ["group:desc", "n"]])
    return sort, world.random.randrange(1, 120), world.random.choice([None, world.random.randrange(1, 200)])


def by_choice(world, kind):
    """`sort`, `max_docs` and `terminate_after`, over one index."""
    world.begin()
    query, (sort, most, each) = some_query(world), some_choice(world)
    taken = chosen(world, query, sort, most, each)
    before = {id: 1 for id in world.documents}
    options = f"sort={','.join(sort)}&max_docs={most}&scroll_size={world.random.choice([1, 7, 50, 1000])}"
    if each is not None:
        options += f"&terminate_after={each}"
    answer = world.ask("POST", f"/books/_{kind}_by_query?{options}&search_timeout=60s&version=true",
                       {"query": query})
    done = answer["deleted"] if kind == "delete" else answer["updated"]
    assert done == answer["total"] == len(taken) and not answer["failures"], (answer, len(taken))
    check_chosen(world, kind, taken, sort, before)


def check_chosen(world, kind, taken, sort, before):
    """Of documents whose keys are equal any may be taken."""
    after = world.all_of("books")
    keys = [key.partition(":")[0] for key in sort]

    def kept(id):
        return tuple(world.documents[id][key] for key in keys)
    changed = {id for id in world.documents if id not in after or after[id][1] != before[id]}
    assert len(changed) == len(taken), (len(changed), len(taken))
    assert sorted(map(kept, changed)) == sorted(map(kept, taken)), (kind, sort)
    for id in changed:
        assert (id not in after) if kind == "delete" else after[id][1] == before[id] + 1, (id, after.get(id))


def choice_beside_kills(world, kind):
    """The same in the background, under kill -9."""
    world.begin()
    query, (sort, most, each) = some_query(world), some_choice(world)
    taken = chosen(world, query, sort, most, each)
    before = {id: 1 for id in world.documents}
    options = (f"sort={','.join(sort)}&max_docs={most}&scroll_size={world.random.choice([3, 10])}"
               f"&wait_for_completion=false&requests_per_second={len(taken) // 2 + 1}")
    if each is not None:
        options += f"&terminate_after={each}"
    begun = world.ask("POST", f"/books/_{kind}_by_query?{options}", {"query": query})
    response = kill_until_completed(world, kind, begun["task"])
    done = response["deleted"] if kind == "delete" else response["updated"]
    assert done == response["total"] == len(taken) and not response["failures"], (response, len(taken))
    check_chosen(world, kind, taken, sort, before)


def kill_until_completed(world, kind, task):
    for _ in range(3):
        time.sleep(world.random.random() * 0.4)
        world.cairn.kill()
        world.cairn.start()
        answer = world.ask("GET", f"/_tasks/{task}")
        if answer["completed"]:
            break
    action = {"delete": "delete_by_query", "update": "update_by_query", "reindex": "reindex"}[kind]
    world.ask("POST", f"/_{action}/{task}/_rethrottle?requests_per_second=-1")
    while not answer["completed"]:
        answer = world.ask("GET", f"/_tasks/{task}?wait_for_completion=true&timeout=60s")
    return answer["response"]


def beside_kills(world, kind):
    world.begin()
    query = some_query(world)
    seen = {id for id, source in world.documents.items() if matches(query, source)}
    before = {id: 1 for id in world.documents}
    size = world.random.choice([3, 10])
    slices = world.random.choice([1, 1, 3])
    more = f"wait_for_completion=false&requests_per_second={len(seen) // 2 + 1}&slices={slices}"
    if kind == "reindex":
        begun = world.ask("POST", f"/_reindex?{more}", {
            "source": {"index": "books", "query": query, "size": size},
            "dest": {"index": "copy", "op_type": "create"}})
    else:
        begun = world.ask("POST", f"/books/_{kind}_by_query?{more}&scroll_size={size}", {"query": query})
    response = kill_until_completed(world, kind, begun["task"])
    assert response["total"] == len(seen) and not response["failures"], (response, len(seen))
    world.cairn.kill()  # the result outlives the process as well
    world.cairn.start()
    assert world.ask("GET", f"/_tasks/{begun['task']}")["response"] == response
    if kind == "reindex":
        assert response["created"] == len(seen), (response, len(seen))
        copied = world.all_of("copy") if seen else {}
        assert {id: (world.documents[id], 1) for id in seen} == copied
        return
    done = response["deleted"] if kind == "delete" else response["updated"]
    assert done == len(seen), (response, len(seen))
    check_changed(world, kind, seen, {}, before, done)


def key(world, privileges, cluster=()):
    """A key with these privileges on every index."""
    made = world.ask("POST", "/_security/api_key", {"name": "k", "role_descriptors": {"r": {
        "cluster": list(cluster), "index": [{"names": ["*"], "privileges": privileges}]}}})
    return {"Authorization": "ApiKey " + made["encoded"]}


def rights(world):
    """What each of several keys may do."""
    def status(headers, method, path, body=None):
        return world.cairn.request(method, path, body, headers=headers)[0]
    world.begin()
    query = {"query": {"ids": {"values": ["none"]}}}
    copy = {"source": {"index": "books", **query}, "dest": {"index": "copy"}}
    wanted = {  # privileges to the answers of delete, update, reindex
        ("read",): (403, 403, 403), ("delete",): (403, 403, 403), ("read", "delete"): (200, 403, 403),
        ("read", "index"): (403, 200, 403), ("read", "index", "auto_configure"): (403, 200, 200),
        ("index", "auto_configure"): (403, 403, 403), ("read", "write", "create_index"): (200, 200, 200)}
    for privileges, answers in wanted.items():
        headers = key(world, list(privileges))
        got = (status(headers, "POST", "/books/_delete_by_query", query),
               status(headers, "POST", "/books/_update_by_query", query),
               status(headers, "POST", "/_reindex", copy))
        assert got == answers, (privileges, got, answers)
    owner, other = key(world, ["all"]), key(world, ["all"])
    monitor, manage = key(world, [], ["monitor"]), key(world, [], ["manage"])
    begun = world.cairn.request("POST", "/books/_update_by_query?wait_for_completion=false&scroll_size=1"
                                "&requests_per_second=0.01", headers=owner)[1]["task"]
    seen = {"owner": (owner, 200), "other": (other, 404), "monitor": (monitor, 200),
            "manage": (manage, 200), "nobody": ({"Authorization": "ApiKey bm9ib2R5Om5vYm9keQ=="}, 401)}
    for name, (headers, answer) in seen.items():
        assert status(headers, "GET", f"/_tasks/{begun}") == answer, name
        if answer != 401:
            listed = world.cairn.request("GET", "/_tasks?actions=indices*", headers=headers)[1]["nodes"]
            assert bool(listed) == (answer == 200), (name, listed)
    for headers in (other, monitor):
        answer = world.cairn.request("POST", f"/_tasks/{begun}/_cancel", headers=headers)[1]
        assert answer["nodes"] == {} and answer["node_failures"], answer
    for headers in (other, monitor):
        answer = world.cairn.request("POST", f"/_update_by_query/{begun}/_rethrottle?requests_per_second=-1",
                                     headers=headers)[1]
        assert answer["node_failures"], answer
    assert not world.ask("GET", f"/_tasks/{begun}")["completed"]
    answer = world.cairn.request("POST", f"/_tasks/{begun}/_cancel?wait_for_completion=true",
                                 headers=manage)[1]
    assert answer["nodes"], answer
    assert status(other, "GET", f"/_tasks/{begun}") == 404
    assert world.cairn.request("GET", f"/_tasks/{begun}", headers=owner)[1]["completed"]


def too_many(world):
    """Tasks at once are bounded; those that end make room."""
    world.begin()
    begun, status = [], 200
    while status == 200:
        status, answer = world.cairn.request(
            "POST", "/books/_update_by_query?wait_for_completion=false&scroll_size=1&requests_per_second=0.01"
            "&conflicts=proceed")
        if status == 200:
            begun.append(answer["task"])
    assert status == 429 and answer["error"]["type"] == "es_rejected_execution_exception", answer
    assert len(begun) == 16, len(begun)
    world.ask("POST", "/_tasks/_cancel?actions=*update/byquery&wait_for_completion=true")
    world.ask("POST", "/books/_update_by_query?conflicts=proceed")


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print("seed", seed, flush=True)
    cairn = Cairn(sys.argv[1]).start()
    try:
        world = World(cairn, seed)
        rights(world)
        too_many(world)
        for round in range(4):
            for kind in ("delete", "update", "reindex"):
                beside_a_writer(world, kind)
        for round in range(6):
            for kind in ("delete", "update"):
                by_choice(world, kind)
        for round in range(3):
            for kind in ("delete", "update", "reindex"):
                beside_kills(world, kind)
                print("kill", kind, flush=True)
            for kind in ("delete", "update"):
                choice_beside_kills(world, kind)
                print("kill", kind, "by choice", flush=True)
        assert cairn.stop() == 0
    finally:
        if cairn.process.poll() is None:
            cairn.kill()


if __name__ == "__main__":
    main()
