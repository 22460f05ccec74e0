#!/usr/bin/env python3
"""kill -9 at random moments of sync, bulk, object traffic and snapshot: nothing acknowledged is lost.

Each round starts Cairn on the same data folder, writes documents and objects from several
connections, syncs a folder and makes snapshots, and kills the process at a random moment. After the
restart every document and object has the content of its last acknowledged write, or of a later one
whose answer was lost; the sync goes on by itself and completes; the last snapshot that was
acknowledged restores, document by document what stood when it was made; and cleanup leaves nothing
to clean.

    crash_walk.py BINARY [--rounds N] [--seed N]
"""

import argparse
import http.client
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
from s3_requests import Objects  # noqa: E402


failures = []  # of threads, which would only print them
threading.excepthook = lambda what: failures.append(repr(what.exc_value))


class Ledger:
    """What was sent and what was acknowledged. Values of one name grow with each write."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = {}  # name to the last value
        self.sent = {}          # name to all values

    def send(self, values):
        with self.lock:
            for name, value in values.items():
                self.sent.setdefault(name, set()).add(value)

    def acknowledge(self, values):
        with self.lock:
            self.acknowledged.update(values)

    def copy(self):
        with self.lock:
            return dict(self.acknowledged)

    def check(self, name, value, at_least):
        """A value that was sent, not before the one that was acknowledged."""
        assert value in self.sent.get(name, ()), f"{name} is {value}, which nobody wrote"
        assert at_least is None or value >= at_least, \
            f"{name} is {value}, acknowledged was {at_least}"


class Writer(threading.Thread):
    """Writes batches of its own ids until the server goes away, and remembers what was acknowledged."""

    def __init__(self, cairn, number, start, ledger):
        super().__init__()
        self.cairn, self.number, self.next, self.ledger = cairn, number, start, ledger
        self.count = 0

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
                self.ledger.send(batch)
                status, answer = self.cairn.request(
                    "POST", "/_bulk", "\n".join(lines) + "\n", connection=connection,
                    headers={"Content-Type": "application/x-ndjson"})
                if status != 200 or answer["errors"]:
                    raise AssertionError(f"bulk answered {status}: {answer}")
                self.ledger.acknowledge(batch)
                self.count += len(batch)
        except (OSError, EOFError, ValueError):
            pass  # the server is gone
        except Exception as error:  # http.client's family
            if "Incomplete" not in type(error).__name__ and "Disconnected" not in type(error).__name__ \
                    and "BadStatus" not in type(error).__name__ and "CannotSend" not in type(error).__name__:
                raise


class ObjectWriter(threading.Thread):
    """Puts objects until the server goes away: small ones, large ones, some by an upload in parts."""

    def __init__(self, cairn, number, start, ledger, seed):
        super().__init__()
        self.objects, self.number, self.next, self.ledger = Objects(cairn), number, start, ledger
        self.rng = random.Random(seed)
        self.count = 0

    def put(self, connection, key, body):
        if self.next % 7:
            self.objects.ok("PUT", f"/crash/{key}", body, connection=connection)
            return
        upload = self.objects.ok("POST", f"/crash/{key}?uploads=", connection=connection).text("UploadId")
        part = self.objects.ok("PUT", f"/crash/{key}?partNumber=1&uploadId={upload}", body,
                               connection=connection)
        answer = self.objects.ok(
            "POST", f"/crash/{key}?uploadId={upload}",
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
            f"<ETag>{part.headers['ETag']}</ETag></Part></CompleteMultipartUpload>",
            connection=connection)
        if answer.code:
            raise AssertionError(f"the completion of {key} answered {answer.body}")

    def run(self):
        connection = self.objects.connect()
        try:
            while True:
                key = f"o{self.number}-{self.rng.randrange(60)}"
                self.next += 1
                self.ledger.send({key: self.next})
                self.put(connection, key, object_body(self.next))
                self.ledger.acknowledge({key: self.next})
                self.count += 1
        except (OSError, EOFError, http.client.HTTPException):
            pass  # the server is gone


def object_body(value):
    """Bytes that tell which write they are: 1 to 400 KB, each piece saying so again."""
    piece = f"{value:012d}\n".encode()
    return piece * (80 + value % 5 * 8_000)


class Snapshotter(threading.Thread):
    def __init__(self, cairn, round_number, ledger):
        super().__init__()
        self.cairn, self.round, self.ledger = cairn, round_number, ledger
        self.made = []  # names, and what was acknowledged before each

    def run(self):
        try:
            for i in range(1000):
                name = f"r{self.round}-{i}"
                before = self.ledger.copy()
                status, answer = self.cairn.request(
                    "PUT", f"/_snapshot/safe/{name}?wait_for_completion=true", {"indices": "crash"})
                if status == 200 and answer["snapshot"]["state"] == "SUCCESS":
                    self.made.append((name, before))
                if i % 3 == 2:
                    self.cairn.request("POST", "/_snapshot/safe/_cleanup")
        except Exception:
            pass  # the server is gone


def write_documents(folder, count, generation):
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        with open(os.path.join(folder, f"f{i}.txt"), "w") as file:
            file.write(f"file {i}\ngeneration {generation}\n" + "some words " * 50)


def check_documents(cairn, index, ledger, acknowledged):
    """Every document of `acknowledged` is in `index`, and nothing that nobody wrote."""
    connection = cairn.connect()
    ids = sorted(ledger.sent)
    found = 0
    for i in range(0, len(ids), 500):
        answer = cairn.ok("POST", f"/{index}/_mget", {"ids": ids[i:i + 500]}, connection=connection)
        for doc in answer["docs"]:
            id = doc["_id"]
            if not doc["found"]:
                assert id not in acknowledged, f"acknowledged document {id} is lost from {index}"
                continue
            found += 1
            value = doc["_source"]["value"]
            ledger.check(id, value, acknowledged.get(id))
            assert doc["_source"]["text"] == f"document {id} says {value}", doc
    cairn.ok("POST", f"/{index}/_refresh")
    count = cairn.ok("GET", f"/{index}/_count")["count"]
    assert count == found, f"{index} counts {count} documents, and {found} can be read"


def check_objects(cairn, ledger):
    """Every acknowledged object is there, whole, and nothing that nobody wrote."""
    objects = Objects(cairn)
    connection = objects.connect()
    for key in sorted(ledger.sent):
        answer = objects.ask("GET", f"/crash/{key}", connection=connection)
        if answer.status == 404:
            assert key not in ledger.acknowledged, f"acknowledged object {key} is lost"
            continue
        assert answer.status == 200, f"{key} answered {answer.status}: {answer.body[:500]}"
        value = int(answer.body[:12])
        ledger.check(key, value, ledger.acknowledged.get(key))
        assert answer.body == object_body(value), f"{key} has bytes of more than one write"


def wait_for_job(cairn, job):
    until = time.monotonic() + 120
    while True:
        state = cairn.ok("GET", f"/_connector/_sync_job/{job}")
        if state["status"] not in ("pending", "in_progress", "suspended"):
            break
        assert time.monotonic() < until, f"the sync does not end: {state}"
        time.sleep(0.05)
    assert state["status"] == "completed", state


def one_round(cairn, number, rng, documents_written, objects_written, files):
    documents = os.path.join(cairn.folder, "documents")
    write_documents(documents, files, number)
    job = cairn.ok("POST", "/_connector/_sync_job",
                   {"id": "folder", "job_type": rng.choice(["full", "incremental"])})["id"]
    writers = [Writer(cairn, w, number * 100_000, documents_written) for w in range(3)]
    putters = [ObjectWriter(cairn, w, number * 100_000, objects_written, rng.random())
               for w in range(2)]
    snapshotter = Snapshotter(cairn, number, documents_written)
    for thread in (*writers, *putters, snapshotter):
        thread.start()
    time.sleep(rng.uniform(0.02, 1.2))
    cairn.kill()
    for thread in (*writers, *putters, snapshotter):
        thread.join()
    assert not failures, failures
    cairn.start()
    check_documents(cairn, "crash", documents_written, documents_written.acknowledged)
    check_objects(cairn, objects_written)
    wait_for_job(cairn, job)
    cairn.ok("POST", "/folder/_refresh")
    assert cairn.ok("GET", "/folder/_count")["count"] == files
    cairn.ok("POST", "/_snapshot/safe/_cleanup?timeout=-1")
    assert cairn.ok("POST", "/_snapshot/safe/_cleanup?timeout=-1")["results"]["deleted_blobs"] == 0
    for name, before in snapshotter.made[-1:]:
        restored = f"restored-{number}"
        cairn.ok("POST", f"/_snapshot/safe/{name}/_restore?wait_for_completion=true",
                 {"indices": "crash", "rename_pattern": "crash", "rename_replacement": restored})
        check_documents(cairn, restored, documents_written, before)
        cairn.ok("DELETE", f"/{restored}")
    return (sum(writer.count for writer in writers), sum(putter.count for putter in putters),
            len(snapshotter.made))


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
        Objects(cairn).ok("PUT", "/crash")
        documents_written, objects_written = Ledger(), Ledger()
        for number in range(1, arguments.rounds + 1):
            writes, puts, snapshots = one_round(cairn, number, rng, documents_written,
                                                objects_written, files)
            print(f"round {number}: {writes} documents and {puts} objects acknowledged, {snapshots} "
                  f"snapshots, {len(documents_written.acknowledged)} documents in all, none lost",
                  flush=True)
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
