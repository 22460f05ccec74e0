#!/usr/bin/env python3
"""A snapshot into a slow repository tells how far it is, and in the end what it wrote; the next one what it shares.

    snapshot_status_test.py CAIRN
"""

import json
import os
import random
import shutil
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


def fill(cairn, index, documents, drawn):
    lines = "".join('{"index":{}}\n' + json.dumps({"text": "%0200x" % drawn.getrandbits(800)}) + "\n"
                    for _ in range(documents))
    cairn.ok("POST", f"/{index}/_bulk", lines)
    cairn.ok("POST", f"/{index}/_flush")


def data_of(folder):
    """Data blobs and their bytes."""
    sizes = [os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names
             if name.startswith("__")]
    return {"file_count": len(sizes), "size_in_bytes": sum(sizes)}


def watched(cairn):
    """What the stats of the one that is being made were, from each look to the next that is other."""
    seen = []
    until = time.monotonic() + 60
    while running := cairn.ok("GET", "/_snapshot/slow/_status")["snapshots"]:
        assert time.monotonic() < until, "it does not end"
        expect((len(running), running[0]["state"]), (1, "STARTED"), "the running one")
        if not seen or seen[-1] != running[0]["stats"]:
            seen.append(running[0]["stats"])
        time.sleep(0.02)
    return seen


def main(binary):
    cairn = Cairn(binary)
    repository = os.path.join(cairn.folder, "repository")
    os.makedirs(repository)
    cairn.start("--set", f"path.repo={repository}", "--set", "rate_limit.enabled=false")
    cairn.ok("PUT", "/_snapshot/slow", {"type": "fs", "settings": {"location": repository,
                                                                   "max_snapshot_bytes_per_sec": "300kb"}})
    drawn = random.Random(1)
    fill(cairn, "books", 2_000, drawn)
    fill(cairn, "films", 1, drawn)
    cairn.ok("PUT", "/_snapshot/slow/first", {})
    seen = watched(cairn)
    sizes = [stats["processed"]["size_in_bytes"] for stats in seen]
    expect(sizes, sorted(sizes), "what is processed grows")
    assert len(set(sizes)) > 3, sizes
    for stats in seen:
        assert stats["processed"]["size_in_bytes"] <= stats["total"]["size_in_bytes"], stats
    first = cairn.ok("GET", "/_snapshot/slow/first/_status")["snapshots"][0]
    expect((first["state"], first["stats"]["total"], first["stats"]["incremental"]),
           ("SUCCESS", data_of(repository), data_of(repository)), "the first")
    expect(first["shards_stats"], {"initializing": 0, "started": 0, "finalizing": 0, "done": 2, "failed": 0, "total": 2},
           "its indices")
    assert "processed" not in first["stats"] and first["stats"]["time_in_millis"] > 0, first
    # The next writes what is new, and tells that also after a restart and beside the first.
    before = data_of(repository)
    fill(cairn, "books", 100, drawn)
    cairn.ok("PUT", "/_snapshot/slow/second?wait_for_completion=true", {"indices": "books"})
    cairn.kill()
    cairn.start("--set", f"path.repo={repository}")
    both = cairn.ok("GET", "/_snapshot/slow/second,first/_status")["snapshots"]
    expect([one["snapshot"] for one in both], ["second", "first"], "in the order of the names")
    expect(both[1], first, "the first again")
    after = data_of(repository)
    written = {name: after[name] - before[name] for name in after}
    expect(both[0]["stats"]["incremental"], written, "what the second wrote")
    expect(both[0]["indices"]["books"]["shards"]["0"]["stage"], "DONE", "its shard")
    # Rights.
    key = cairn.ok("POST", "/_security/api_key", {"name": "few", "role_descriptors": {"r": {"cluster": ["monitor_snapshot"]}}})
    none = cairn.ok("POST", "/_security/api_key", {"name": "none", "role_descriptors": {"r": {"cluster": []}}})
    for path in ("/_snapshot/_status", "/_snapshot/slow/_status", "/_snapshot/slow/first/_status"):
        for encoded, status in ((key["encoded"], 200), (none["encoded"], 403)):
            expect(cairn.request("GET", path, headers={"Authorization": "ApiKey " + encoded})[0], status, path)
        expect(cairn.request("GET", path, headers={"Authorization": ""})[0], 401, path)
        expect(cairn.request("GET", path + "?wait=true")[0], 400, path)
    expect(cairn.stop(), 0, "the stop")
    shutil.rmtree(cairn.folder)


main(sys.argv[1])
