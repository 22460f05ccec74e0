#!/usr/bin/env python3
"""kill -9 at random moments of sync, bulk and snapshot: no acknowledged document is lost.

Each round starts Cairn on the same data folder, writes from several connections, syncs a folder and
makes snapshots, and kills the process at a random moment. After the restart every acknowledged
write is there with its last acknowledged content, the sync goes on by itself and completes, every
snapshot that was acknowledged restores, and cleanup leaves nothing to clean.

    crash_walk.py BINARY [--rounds N] [--seed N]
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402


class Writer(threading.Thread):
    """Writes batches of its own ids until the server goes away, and remembers what was acknowledged."""

    def __init__(self, cairn, number, start):
        super().__init__()
        self.cairn, self.number, self.next = cairn, number, start
        self.acknowledged = {}  # id to value
        self.unknown = set()    # sent, no answer

    def run(self):
        try:
            connection = self.cairn.connect()
            while True:
                batch = {}
                for i in range(20):
                    # Every third batch overwrites old ids.
                    n = self.next + i if (self.next // 20) % 3 else max(0, self.next - 20) + i
                    batch[f"w{self.number}-{n}"] = self.next * 100 + i
                self.next += 20
                lines = []
                for id, value in batch.items():
                    lines.append(json.dumps({"index": {"_index": "crash", "_id": id}}))
                    lines.append(json.dumps({"value": value, "text": f"document {id} says {value}"}))
                self.unknown.update(batch)
                status, answer = self.cairn.request(
                    "POST", "/_bulk", "\n".join(lines) + "\n", connection=connection,
                    headers={"Content-Type": "application/x-ndjson"})
                if status != 200 or answer["errors"]:
                    raise AssertionError(f"bulk answered {status}: {answer}")
                for id, value in batch.items():
                    self.acknowledged[id] = value
                    self.unknown.discard(id)
        except (OSError, EOFError, ValueError):
            pass  # the server is gone
        except Exception as error:  # http.client's family
            if "Incomplete" not in type(error).__name__ and "Disconnected" not in type(error).__name__ \
                    and "BadStatus" not in type(error).__name__ and "CannotSend" not in type(error).__name__:
                raise


class Snapshotter(threading.Thread):
    def __init__(self, cairn, round_number):
        super().__init__()
        self.cairn, self.round = cairn, round_number
        self.made = []

    def run(self):
        try:
            for i in range(1000):
                name = f"r{self.round}-{i}"
                status, answer = self.cairn.request(
                    "PUT", f"/_snapshot/safe/{name}?wait_for_completion=true", {"indices": "crash"})
                if status == 200 and answer["snapshot"]["state"] == "SUCCESS":
                    self.made.append(name)
                if i % 3 == 2:
                    self.cairn.request("POST", "/_snapshot/safe/_cleanup")
        except Exception:
            pass  # the server is gone


def write_documents(folder, count, generation):
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        with open(os.path.join(folder, f"f{i}.txt"), "w") as file:
            file.write(f"file {i}\ngeneration {generation}\n" + "some words " * 50)


def check_writes(cairn, acknowledged, maybe):
    connection = cairn.connect()
    ids = sorted(acknowledged)
    for i in range(0, len(ids), 500):
        some = ids[i:i + 500]
        answer = cairn.ok("POST", "/crash/_mget", {"ids": some}, connection=connection)
        for doc in answer["docs"]:
            assert doc["found"], f"acknowledged document {doc['_id']} is lost"
            if doc["_id"] not in maybe:
                value = doc["_source"]["value"]
                assert value == acknowledged[doc["_id"]], \
                    f"{doc['_id']} is {value}, acknowledged was {acknowledged[doc['_id']]}"
    cairn.ok("POST", "/crash/_refresh")
    count = cairn.ok("GET", "/crash/_count")["count"]
    assert len(acknowledged) <= count <= len(set(acknowledged) | maybe), \
        f"{count} documents, acknowledged {len(acknowledged)}, perhaps {len(maybe)} more"


def wait_for_job(cairn, job):
    until = time.monotonic() + 120
    while True:
        state = cairn.ok("GET", f"/_connector/_sync_job/{job}")
        if state["status"] not in ("pending", "in_progress", "suspended"):
            break
        assert time.monotonic() < until, f"the sync does not end: {state}"
        time.sleep(0.05)
    assert state["status"] == "completed", state


def one_round(cairn, number, rng, acknowledged, maybe, files):
    documents = os.path.join(cairn.folder, "documents")
    write_documents(documents, files, number)
    job = cairn.ok("POST", "/_connector/_sync_job",
                   {"id": "folder", "job_type": rng.choice(["full", "incremental"])})["id"]
    writers = [Writer(cairn, w, number * 100_000) for w in range(3)]
    snapshotter = Snapshotter(cairn, number)
    for thread in (*writers, snapshotter):
        thread.start()
    time.sleep(rng.uniform(0.02, 1.2))
    cairn.kill()
    for thread in (*writers, snapshotter):
        thread.join()
    for writer in writers:
        maybe -= set(writer.acknowledged) - writer.unknown
        acknowledged.update(writer.acknowledged)
        maybe |= writer.unknown
    cairn.start()
    check_writes(cairn, acknowledged, maybe)
    wait_for_job(cairn, job)
    cairn.ok("POST", "/folder/_refresh")
    assert cairn.ok("GET", "/folder/_count")["count"] == files
    cairn.ok("POST", "/_snapshot/safe/_cleanup?timeout=-1")
    assert cairn.ok("POST", "/_snapshot/safe/_cleanup?timeout=-1")["results"]["deleted_blobs"] == 0
    for name in snapshotter.made[-1:]:
        cairn.ok("POST", f"/_snapshot/safe/{name}/_restore?wait_for_completion=true",
                 {"rename_pattern": "crash", "rename_replacement": f"restored-{number}"})
        cairn.ok("POST", f"/restored-{number}/_refresh")
        cairn.ok("GET", f"/restored-{number}/_count")
        cairn.ok("DELETE", f"/restored-{number}")
    return sum(len(writer.acknowledged) for writer in writers), len(snapshotter.made)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("CAIRN_ROUNDS", "5")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CAIRN_SEED", "0")) or
                        random.SystemRandom().randrange(1, 1 << 31))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed} (CAIRN_SEED={arguments.seed} repeats it)", flush=True)
    rng = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="cairn-crash-")
    documents = os.path.join(folder, "documents")
    cairn = Cairn(arguments.binary, folder, {
        "CAIRN_CONNECTORS__DIRECTORY__ROOTS": documents,
        "CAIRN_PATH__REPO": os.path.join(folder, "repository")})
    files = 300
    write_documents(documents, files, 0)
    os.makedirs(os.path.join(folder, "repository"))
    cairn.start()
    try:
        cairn.ok("PUT", "/crash", {"mappings": {"properties": {
            "value": {"type": "long"}, "text": {"type": "text"}}}})
        cairn.ok("PUT", "/_snapshot/safe", {"type": "fs", "settings": {
            "location": os.path.join(folder, "repository")}})
        cairn.ok("PUT", "/_connector/folder", {"index_name": "folder", "name": "folder",
                                               "service_type": "directory"})
        cairn.ok("PUT", "/_connector/folder/_configuration", {"values": {"path": documents}})
        acknowledged, maybe = {}, set()
        for number in range(1, arguments.rounds + 1):
            writes, snapshots = one_round(cairn, number, rng, acknowledged, maybe, files)
            print(f"round {number}: {writes} documents acknowledged, {snapshots} snapshots, "
                  f"{len(acknowledged)} documents in all, none lost", flush=True)
        assert cairn.stop() == 0
    except BaseException:
        print(cairn.log_tail(30), file=sys.stderr)
        print(f"kept for a look: {folder}", file=sys.stderr)
        if cairn.process.poll() is None:
            cairn.kill()
        raise
    shutil.rmtree(folder)
    print(f"{arguments.rounds} passed, 0 failed")


if __name__ == "__main__":
    main()
