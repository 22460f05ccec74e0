#!/usr/bin/env python3
"""F04: the disk goes read-only, or breaks, below a running server. Changes are refused and say why,
reads go on, nothing that was promised is lost, and what happens when the disk is back is told.

    failing_disk_test.py CAIRN

A kernel remounts no folder that has files open for writing, so a library is loaded into the program
through which every change below the data folder fails with EROFS, or EIO, while a switch says so.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


class Disk:
    """A Cairn on a disk that can be told to fail."""

    def __init__(self, binary, library):
        self.cairn = Cairn(binary)
        self.switch = os.path.join(self.cairn.folder, "switch")
        self.cairn.environment.update({"LD_PRELOAD": library, "FAILING_DISK_SWITCH": self.switch,
                                       "FAILING_DISK_FOLDER": self.cairn.data})

    def fail(self, number):
        with open(self.switch + ".new", "w") as file:
            file.write(str(number))
        os.rename(self.switch + ".new", self.switch)

    def heal(self):
        os.remove(self.switch)


def refused(cairn, objects):
    """Each kind of change, and what it answered: an error of the server, with its reason."""
    asked = [
        ("PUT", "/notes/_doc/new", {"n": 1}), ("DELETE", "/notes/_doc/3", None),
        ("POST", "/notes/_doc/4/_update", None), ("PUT", "/other", {}), ("DELETE", "/notes", None),
        ("POST", "/_security/api_key", {"name": "k"}),
        ("PUT", "/_connector/c", {"index_name": "i"}),
    ]
    for method, path, body in asked:
        if path.endswith("_update"):
            path, body = "/notes/_update/4", {"doc": {"n": 400}}
        status, answer = cairn.request(method, path, body)
        print(f"  {method} {path}: {status} {json.dumps(answer)[:160]}")
        check(status >= 500, method, path, status, answer)
        check("read-only" in json.dumps(answer) or "nput/output" in json.dumps(answer)
              or "writ" in json.dumps(answer), answer)
    lines = '{"index":{"_id":"b"}}\n{"n":1}\n'
    status, answer = cairn.request("POST", "/notes/_bulk", lines,
                                   headers={"Content-Type": "application/x-ndjson"})
    check(status >= 500 or (answer["errors"] and answer["items"][0]["index"]["status"] >= 500),
          status, answer)
    for method, path in [("PUT", "/bucket/new"), ("DELETE", "/bucket/a"), ("PUT", "/another"),
                         ("PUT", "/bucket/large")]:
        size = {"/bucket/new": 100, "/bucket/large": 3 << 20}.get(path, 0)
        answer = objects.ask(method, path, body=b"x" * size if size else None)
        print(f"  {method} {path}: {answer.status} {answer.code}")
        check(answer.status >= 500, method, path, answer.status, answer.body)


def reads(cairn, objects, count):
    check(cairn.ok("GET", "/notes/_doc/3")["_source"] == {"n": 3})
    check(cairn.ok("GET", "/notes/_count")["count"] == count, "count")
    found = cairn.ok("POST", "/notes/_search", {"query": {"term": {"n": 7}}})
    check(found["hits"]["total"]["value"] == 1, found)
    check(objects.ok("GET", "/bucket/a").body == b"a" * 100_000)
    check(cairn.request("GET", "/_health/live")[0] == 200)
    check(cairn.ok("GET", "/_security/_authenticate")["username"])


def walk(binary, library, number):
    print(f"changes fail with {errno.errorcode[number]}")
    disk = Disk(binary, library)
    cairn = disk.cairn.start()
    try:
        objects = Objects(cairn)
        objects.ok("PUT", "/bucket")
        objects.ok("PUT", "/bucket/a", body=b"a" * 100_000)
        for i in range(20):
            cairn.ok("PUT", f"/notes/_doc/{i}", {"n": i})
        cairn.ok("POST", "/notes/_refresh")
        disk.fail(number)
        for _ in range(2):
            refused(cairn, objects)
            reads(cairn, objects, 20)
        check(cairn.process.poll() is None, "the server is still there")
        disk.heal()
        # It goes on by itself: what may take a moment is waited for.
        until = time.monotonic() + 60
        while True:
            status, answer = cairn.request("PUT", "/notes/_doc/after", {"n": 1000})
            stored = objects.ask("PUT", "/bucket/after", body=b"after").status
            if status in (200, 201) and stored == 200:
                break
            check(time.monotonic() < until, "not healed", status, answer, stored)
            time.sleep(0.1)
        reads(cairn, objects, cairn.ok("GET", "/notes/_count")["count"])
        cairn.kill()
        cairn.start()
        objects = Objects(cairn)
        for i in range(20):
            check(cairn.ok("GET", f"/notes/_doc/{i}")["_source"] == {"n": i}, i)
        check(cairn.ok("GET", "/notes/_doc/after")["_source"] == {"n": 1000})
        check(objects.ok("GET", "/bucket/a").body == b"a" * 100_000)
        check(objects.ok("GET", "/bucket/after").body == b"after")
        # And a start on such a disk ends with a reason, and leaves everything as it was.
        cairn.stop()
        disk.fail(number)
        try:
            cairn.start()
            check(False, "it started on a disk that cannot be written")
        except RuntimeError as failure:
            check("Read-only file system" in str(failure) or "nput/output" in str(failure),
                  str(failure))
        disk.heal()
        cairn.start()
        check(cairn.ok("GET", "/notes/_doc/after")["_source"] == {"n": 1000})
        check(cairn.stop() == 0)
    except BaseException:
        print(cairn.log_tail(40))
        raise
    finally:
        if cairn.process.poll() is None:
            cairn.process.kill()
            cairn.process.wait()
        shutil.rmtree(cairn.folder, ignore_errors=True)


def main():
    folder = os.path.join(os.getcwd(), f"failing-disk-{os.getpid()}")
    os.makedirs(folder)
    library = os.path.join(folder, "failing_disk.so")
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library,
                        os.path.join(HERE, "failing_disk.c"), "-ldl"], check=True)
        for number in (errno.EROFS, errno.EIO):
            walk(sys.argv[1], library, number)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
