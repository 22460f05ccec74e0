#!/usr/bin/env python3
"""Data streams under kill -9: writers add documents while the stream rolls over, indices close and
open, and the server is killed. What was acknowledged is there once, in an index of the stream.

    data_streams_test.py CAIRN [SEED]
"""

import http.client
import json
import os
import random
import shutil
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

KILLS = 6
GONE = (OSError, http.client.HTTPException)


def until_gone(work, failures):
    """Runs `work` until the server is gone. What fails otherwise is kept for the main thread."""
    def run():
        try:
            work()
        except GONE:
            pass
        except Exception as fault:  # noqa: BLE001
            failures.append(fault)
    return threading.Thread(target=run)


def write(cairn, writer, told):
    """Adds documents. `told`: the ids that were acknowledged."""
    connection, number = cairn.connect(), 0
    while True:
        ids = [f"{writer}-{number + i}" for i in range(10)]
        number += 10
        lines = [part for id in ids
                 for part in ({"create": {"_id": id}}, {"@timestamp": 0, "writer": writer})]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        status, answer = cairn.request("POST", "/logs/_bulk", body, connection=connection)
        assert status == 200, answer
        for item in (one["create"] for one in answer["items"]):
            # It may have been on its way to an index that was rolled over and closed meanwhile.
            shut = item.get("error", {}).get("type") == "index_closed_exception"
            assert item["status"] == 201 or shut, item
            if not shut:
                told.append(item["_id"])


def change(cairn, rng, names):
    """Rolls over, closes and opens. `names`: indices that were told of."""
    connection = cairn.connect()
    closed = None

    def ask(path):
        status, answer = cairn.request("POST", path, connection=connection)
        assert status == 200, answer
        return answer

    while True:
        if closed:
            ask(f"/{closed}/_open")
            closed = None
        rolled = ask("/logs/_rollover")
        assert rolled["rolled_over"], rolled
        names.append(rolled["new_index"])
        if rng.random() < 0.5:
            ask(f"/{rolled['old_index']}/_close")
            closed = rolled["old_index"]


def check(cairn, told, names):
    stream = cairn.ok("GET", "/_data_stream/logs")["data_streams"][0]
    there = [one["index_name"] for one in stream["indices"]]
    assert set(names) <= set(there), set(names) - set(there)
    assert len(there) == len(set(there)) and there[-1] == max(there), there
    assert stream["generation"] >= int(there[-1][-6:]), stream["generation"]
    state = cairn.ok("GET", "/_cluster/state/metadata")["metadata"]["indices"]
    # Each index of the stream exists, and none is left that no stream knows.
    assert {name for name in state if name.startswith(".ds-")} == set(there), (state.keys(), there)
    for name, one in state.items():
        if one["state"] == "close":
            cairn.ok("POST", f"/{name}/_open")
    cairn.ok("POST", "/logs/_refresh")
    seen = {}
    page = cairn.ok("POST", "/logs/_search?scroll=1m", {"size": 5000, "_source": False})
    while page["hits"]["hits"]:
        for hit in page["hits"]["hits"]:
            assert hit["_id"] not in seen, (hit, seen[hit["_id"]])
            seen[hit["_id"]] = hit["_index"]
        page = cairn.ok("POST", "/_search/scroll", {"scroll_id": page["_scroll_id"]})
    lost = [id for id in told if id not in seen]
    assert not lost, (len(lost), lost[:5])
    return len(seen)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 30)
    rng = random.Random(seed)
    print("seed", seed)
    cairn = Cairn(sys.argv[1])
    try:
        cairn.start()
        cairn.ok("PUT", "/_index_template/logs", {"index_patterns": ["logs"], "data_stream": {}})
        cairn.ok("PUT", "/_data_stream/logs")
        told, names = [], []
        for kill in range(KILLS):
            lists, failures = [[], []], []
            threads = [until_gone(lambda i=i: write(cairn, f"{kill}-{i}", lists[i]), failures)
                       for i in range(2)]
            threads.append(until_gone(lambda: change(cairn, rng, names), failures))
            for thread in threads:
                thread.start()
            threading.Event().wait(0.3 + rng.random())
            cairn.kill()
            for thread in threads:
                thread.join()
            assert not failures, failures
            cairn.start()
            for one in lists:
                told += one
            count = check(cairn, told, names)
        print(f"{KILLS} kills: {len(told)} documents acknowledged, {count} there, "
              f"{len(names)} rollovers acknowledged")
        assert told and names
        cairn.stop()
    finally:
        cairn.kill()
        shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
