#!/usr/bin/env python3
"""Concurrent conditional writes, under kill -9, happen one after another as far as anybody can see.

Threads write, create, swap, delete and read a few objects (conditional puts, multipart completions)
and a few documents (`op_type=create`, `if_seq_no`). The server is killed at random moments; every
key lives through at least one kill. Then each key's history is checked for linearizability
(linearizability.py): what was acknowledged is seen by whoever reads later, conditions hold for
one writer alone, and a write whose answer was lost happened once or never.

    history_check.py BINARY [--seconds N] [--seed N]
"""

import argparse
import collections
import http.client
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402
from linearizability import Operation, check_itself, is_linearizable  # noqa: E402
from s3_requests import Objects  # noqa: E402

THREADS = 8
KEYS = 5  # of each kind, at a time: few, so that writers meet

DONE, REFUSED, NOTHING, UNKNOWN = True, False, "nothing", None


class ObjectRegister:
    """An object as a register. A version is what If-Match takes: the ETag."""

    def __init__(self, cairn):
        self.objects = Objects(cairn)
        self.connection = self.objects.connect(30)

    def ask(self, method, target, body=None, headers=None):
        return self.objects.ask(method, target, body, headers, self.connection)

    def read(self, key):
        answer = self.ask("GET", f"/history/{key}")
        if answer.status == 404:
            return DONE, None, None
        if answer.status != 200:
            return UNKNOWN, None, None
        return DONE, answer.body.decode(), answer.headers["ETag"]

    def delete(self, key):
        return DONE if self.ask("DELETE", f"/history/{key}").status == 204 else UNKNOWN

    def prepare(self, key, value, rng):
        """What a write needs before it can happen: now and then the one part of an upload."""
        if rng.random() < 0.7:
            return None
        upload = self.ask("POST", f"/history/{key}?uploads=").text("UploadId")
        part = self.ask("PUT", f"/history/{key}?partNumber=1&uploadId={upload}", value.encode())
        return upload, part.headers["ETag"]

    def write(self, key, value, upload, conditions):
        if upload is None:
            answer = self.ask("PUT", f"/history/{key}", value.encode(), conditions)
        else:
            body = ("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                    f"{upload[1]}</ETag></Part></CompleteMultipartUpload>")
            answer = self.ask("POST", f"/history/{key}?uploadId={upload[0]}", body.encode(), conditions)
        code = answer.code
        if answer.status == 200 and code is None:
            return DONE
        if answer.status in (412, 404) or code in ("PreconditionFailed", "NoSuchKey"):
            return REFUSED
        # Somebody else was writing: nothing happened, and nothing is known of the condition.
        if answer.status == 409 or code == "ConditionalRequestConflict":
            return NOTHING
        if answer.status >= 500:
            return UNKNOWN
        raise AssertionError(f"{key}: {answer.status} {answer.body}")

    @staticmethod
    def only_new():
        return {"If-None-Match": "*"}

    @staticmethod
    def only_version(version):
        return {"If-Match": version}


class DocumentRegister:
    """A document as a register. A version is its sequence number and primary term."""

    def __init__(self, cairn):
        self.cairn = cairn
        self.connection = cairn.connect(30)

    def ask(self, method, path, body=None):
        return self.cairn.request(method, path, body, connection=self.connection)

    def read(self, key):
        status, answer = self.ask("GET", f"/history/_doc/{key}")
        if status == 404:
            return DONE, None, None
        if status != 200:
            return UNKNOWN, None, None
        return DONE, answer["_source"]["value"], (answer["_seq_no"], answer["_primary_term"])

    def delete(self, key):
        return DONE if self.ask("DELETE", f"/history/_doc/{key}")[0] in (200, 404) else UNKNOWN

    def prepare(self, key, value, rng):
        return rng.choice(["", "&refresh=true"])

    def write(self, key, value, refresh, conditions):
        status, answer = self.ask("PUT", f"/history/_doc/{key}?{conditions}{refresh}", {"value": value})
        if status in (200, 201):
            return DONE
        if status == 409:
            return REFUSED
        if status >= 500:
            return UNKNOWN
        raise AssertionError(f"{key}: {status} {answer}")

    @staticmethod
    def only_new():
        return "op_type=create"

    @staticmethod
    def only_version(version):
        return f"if_seq_no={version[0]}&if_primary_term={version[1]}"


class Histories:
    """The operations of every key, from all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.of = collections.defaultdict(list)
        self.written = 0

    def add(self, key, operation):
        with self.lock:
            self.of[key].append(operation)

    def new_value(self):
        with self.lock:
            self.written += 1
            return f"v{self.written}"


class Caller(threading.Thread):
    """Asks until the server goes away."""

    def __init__(self, register, keys, histories, seed):
        super().__init__()
        self.register, self.keys, self.histories = register, keys, histories
        self.rng = random.Random(seed)
        self.seen = {}  # key to (version, value) of the last read
        self.failure = None

    def run(self):
        try:
            while True:
                self.one()
        except (OSError, EOFError, http.client.HTTPException):
            pass  # the server is gone
        except BaseException as error:
            self.failure = error

    def one(self):
        key = self.rng.choice(self.keys)
        kind = self.rng.choices(["read", "write", "create", "swap", "delete"], [5, 2, 2, 4, 1])[0]
        if kind == "swap" and key not in self.seen:
            kind = "read"
        if kind == "read":
            operation = Operation("read", time.monotonic(), done=UNKNOWN)
        elif kind == "delete":
            operation = Operation("delete", time.monotonic(), done=UNKNOWN)
        else:
            value = self.histories.new_value()
            upload = self.register.prepare(key, value, self.rng)
            version, old = self.seen.get(key, (None, None)) if kind == "swap" else (None, None)
            operation = Operation(kind, time.monotonic(), value=value, old=old, done=UNKNOWN)
        try:
            if kind == "read":
                outcome, operation.value, found = self.register.read(key)
                if found is not None:
                    self.seen[key] = (found, operation.value)
            elif kind == "delete":
                outcome = self.register.delete(key)
            else:
                conditions = {} if isinstance(self.register, ObjectRegister) else ""
                if kind == "create":
                    conditions = self.register.only_new()
                elif kind == "swap":
                    conditions = self.register.only_version(version)
                outcome = self.register.write(key, value, upload, conditions)
            if outcome is NOTHING:
                operation = None
            elif outcome is not UNKNOWN:
                operation.answered, operation.done = time.monotonic(), outcome
        finally:
            if operation is not None:
                self.histories.add(key, operation)


def one_life(cairn, histories, generation, rng, seconds):
    """From a start to a kill."""
    names = {ObjectRegister: [f"o{generation}-{i}" for i in range(KEYS)],
             DocumentRegister: [f"d{generation}-{i}" for i in range(KEYS)]}
    callers = []
    for i in range(THREADS):
        kind = (ObjectRegister, DocumentRegister)[i % 2]
        callers.append(Caller(kind(cairn), names[kind], histories, rng.random()))
    for caller in callers:
        caller.start()
    time.sleep(seconds)
    cairn.kill()
    for caller in callers:
        caller.join()
    for caller in callers:
        if caller.failure is not None:
            raise caller.failure
    return names


def read_all(cairn, histories, names):
    """Reads every key once, after a restart."""
    for kind, keys in names.items():
        register = kind(cairn)
        for key in keys:
            operation = Operation("read", time.monotonic())
            outcome, operation.value, _ = register.read(key)
            assert outcome is DONE, f"{key} cannot be read after the restart"
            operation.answered = time.monotonic()
            histories.add(key, operation)


def check(histories):
    for key, operations in histories.of.items():
        if not is_linearizable(operations):
            listing = "\n".join(map(str, sorted(operations, key=lambda o: o.called)))
            raise AssertionError(f"no order explains the history of {key}:\n{listing}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float,
                        default=float(os.environ.get("CAIRN_HISTORY_SECONDS", "40")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CAIRN_SEED", "0")) or
                        random.SystemRandom().randrange(1, 1 << 31))
    arguments = parser.parse_args()
    check_itself()
    print(f"seed {arguments.seed} (CAIRN_SEED={arguments.seed} repeats it)", flush=True)
    rng = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="cairn-history-")
    cairn = Cairn(arguments.binary, folder)
    cairn.start()
    try:
        Objects(cairn).ok("PUT", "/history")
        cairn.ok("PUT", "/history", {"mappings": {"properties": {"value": {"type": "keyword"}}}})
        until = time.monotonic() + arguments.seconds
        lives = operations = keys = 0
        while time.monotonic() < until:
            histories = Histories()
            for _ in range(2):  # the kill stands in the middle of the history
                names = one_life(cairn, histories, keys, rng, rng.uniform(0.2, 1.5))
                cairn.start()
                lives += 1
            read_all(cairn, histories, names)
            check(histories)
            keys += len(histories.of)
            operations += sum(map(len, histories.of.values()))
        unknown = sum(o.done is UNKNOWN for of in histories.of.values() for o in of)
        print(f"{keys} keys, {operations} operations, {lives} kills ({unknown} operations of the last "
              "keys without an answer): every history has an order", flush=True)
        assert operations > 100, "next to nothing was asked"
        assert cairn.stop() == 0
    except BaseException:
        print(cairn.log_tail(30), file=sys.stderr)
        print(f"kept for a look: {folder}", file=sys.stderr)
        if cairn.process.poll() is None:
            cairn.kill()
        raise
    shutil.rmtree(folder)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
