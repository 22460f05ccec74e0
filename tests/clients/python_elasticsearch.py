#!/usr/bin/env python3
"""Debian's Python client of the search platform with its helpers, unmodified.

    python_elasticsearch.py CAIRN
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from elasticsearch import Elasticsearch, NotFoundError, helpers  # noqa: E402

COUNT = 2500


def main():
    cairn = Cairn(sys.argv[1]).start()
    try:
        walk(Elasticsearch(cairn.api, headers={"Authorization": "ApiKey " + cairn.key}, timeout=60))
    finally:
        cairn.kill()
    print("1 passed, 0 failed")


def walk(client):
    assert client.info()["tagline"] == "You Know, for Search"
    client.indices.create(index="numbers", body={
        "mappings": {"properties": {"n": {"type": "integer"}, "word": {"type": "keyword"}}}})
    done, errors = helpers.bulk(client, (
        {"_index": "numbers", "_id": str(n), "_source": {"n": n, "word": f"w{n % 7}"}}
        for n in range(COUNT)), refresh=True)
    assert (done, errors) == (COUNT, []), (done, errors)

    seen = [hit["_source"]["n"] for hit in helpers.scan(client, index="numbers", size=300)]
    assert sorted(seen) == list(range(COUNT)), len(seen)
    # In an order of the caller's, which pages keep.
    ordered = [hit["_source"]["n"] for hit in helpers.scan(
        client, index="numbers", size=300, preserve_order=True,
        query={"query": {"term": {"word": "w3"}}, "sort": [{"n": "desc"}]})]
    assert ordered == list(range(COUNT - 1, -1, -1))[(COUNT - 1 - 3) % 7::7], ordered[:5]

    moved, failed = helpers.reindex(client, "numbers", "copy", chunk_size=400)
    assert (moved, failed) == (COUNT, 0) or (moved, failed) == (COUNT, []), (moved, failed)
    client.indices.refresh(index="copy")
    assert client.count(index="copy")["count"] == COUNT

    by_query(client)

    page = client.search(index="copy", scroll="1m", size=10)
    assert client.clear_scroll(scroll_id=page["_scroll_id"])["num_freed"] == 1
    try:
        client.scroll(scroll_id=page["_scroll_id"], scroll="1m")
        raise AssertionError("a scroll that has ended goes on")
    except NotFoundError as error:
        assert error.status_code == 404

    pit = client.open_point_in_time(index="copy", keep_alive="1m")["id"]
    first = client.search(body={"pit": {"id": pit}, "size": 5, "sort": ["word.keyword"]})
    assert len(first["hits"]["hits"][-1]["sort"]) == 2
    assert client.close_point_in_time(body={"id": pit})["succeeded"] is True


def by_query(client):
    """Deletes, updates and copies by query, and tasks."""
    term = {"query": {"term": {"word": "w1"}}}
    count = client.count(index="numbers", body=term)["count"]
    copied = client.reindex(body={"source": {"index": "numbers", "size": 100, **term},
                                  "dest": {"index": "ones"}}, refresh=True, slices=2)
    assert (copied["created"], copied["failures"]) == (count, []), copied
    updated = client.update_by_query(index="ones", conflicts="proceed", refresh=True)
    assert updated["updated"] == count, updated
    deleted = client.delete_by_query(index="ones", body=term, max_docs=10, refresh=True)
    assert deleted["deleted"] == 10, deleted
    assert client.count(index="ones")["count"] == count - 10

    task = client.reindex(body={"source": {"index": "numbers", "size": 10}, "dest": {"index": "slow"}},
                          wait_for_completion=False, requests_per_second=1)["task"]
    assert client.tasks.get(task_id=task)["completed"] is False
    listed = client.tasks.list(detailed=True, actions="*reindex", group_by="parents")["tasks"]
    assert task in listed, listed
    client.reindex_rethrottle(task_id=task, requests_per_second=2)
    client.tasks.cancel(task_id=task)
    ended = client.tasks.get(task_id=task, wait_for_completion=True)
    assert ended["completed"] and ended["response"]["canceled"] == "by user request", ended


if __name__ == "__main__":
    main()
