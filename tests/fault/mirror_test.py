#!/usr/bin/env python3
"""The data folder on two disks: whatever becomes of one of them, nothing that was acknowledged is lost.

    mirror_test.py CAIRN
"""

import errno
import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = None
LIBRARY = None
LARGE = 200_000


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def until(condition, *what, wait_s=120):
    end = time.monotonic() + wait_s
    while not condition():
        check(time.monotonic() < end, "in vain", *what)
        time.sleep(0.05)


def body(name):
    """Every third one is an extent, the others are rows."""
    number = int(name.rsplit("-", 1)[1])
    size = LARGE if number % 3 == 0 else 500
    return (name.encode() * (size // len(name) + 1))[:size]


class Mirrored(Cairn):
    """A server on folders `a` and `b`, whose keys may lie in either."""

    def __init__(self, folder=None, environment=None):
        super().__init__(BINARY, folder, environment)
        self.a = self.data = os.path.join(self.folder, "a")
        self.b = os.path.join(self.folder, "b")
        self.acknowledged = set()

    def start(self, *arguments, mirror=True, wait_s=60):
        self.data = self.a
        more = ["--set", "data.mirror=" + self.b] if mirror else []
        try:
            super().start(*more, "--set", "objects.scrub_interval=0", *arguments, wait_s=wait_s)
        except FileNotFoundError:  # of keys/admin.key: data.dir is the disk that is lost
            self.data = self.b
            with open(os.path.join(self.b, "keys/admin.key")) as file:
                self.key = file.read().strip()
        self.s3 = Objects(self)
        return self

    def begin(self, *arguments):
        self.start(*arguments)
        self.s3.ok("PUT", "/bucket")
        self.ok("PUT", "/books/_doc/1?refresh=true", {"title": "two disks"})
        return self

    def put(self, *names):
        for name in names:
            self.s3.ok("PUT", "/bucket/" + name, body(name))
            self.acknowledged.add(name)

    def holds_all(self, *where):
        for name in sorted(self.acknowledged):
            answer = self.s3.ask("GET", "/bucket/" + name)
            check(answer.status == 200 and answer.body == body(name), name, answer.status, *where)
        found = self.ok("GET", "/books/_doc/1")
        check(found["_source"] == {"title": "two disks"}, found, *where)

    def states(self):
        answer = self.ok("GET", "/_cairn/mirror")
        return [one["state"] for one in answer["folders"]]

    def whole(self):
        return self.states() == ["whole", "whole"]

    def fill(self):
        self.ok("POST", "/_cairn/mirror/_fill")
        until(self.whole, "the folder is filled")

    def command(self, *words):
        return subprocess.run(
            [BINARY, *words], capture_output=True, text=True, timeout=120,
            env=dict(os.environ, CAIRN_SERVER=self.api,
                     CAIRN_KEY_FILE=os.path.join(self.data, "keys/admin.key")))


def alone(cairn, folder, *where):
    """A copy of one folder, by itself, has everything."""
    copy = os.path.join(cairn.folder, "copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, os.path.join(copy, "a"), symlinks=True)
    one = Mirrored(copy)
    one.acknowledged = cairn.acknowledged
    one.start(mirror=False)
    one.holds_all(*where)
    check(one.stop() == 0, "an orderly stop")
    shutil.rmtree(copy)


def killed():
    """kill -9 while objects are put: each folder alone has all that was acknowledged."""
    cairn = Mirrored().begin()
    for turn in range(3):
        def work(which):
            try:
                for number in range(10_000):
                    cairn.put(f"k{turn}-{which}-{number}")
            except Exception:  # the server is gone
                pass
        threads = [threading.Thread(target=work, args=(which,)) for which in range(4)]
        for thread in threads:
            thread.start()
        least = len(cairn.acknowledged) + 30 + 20 * turn
        until(lambda: len(cairn.acknowledged) >= least, "objects are put")
        check(cairn.whole(), "no folder is put aside", cairn.log_tail())
        cairn.kill()
        for thread in threads:
            thread.join()
        for folder in (cairn.a, cairn.b):
            alone(cairn, folder, "after a kill", folder)
        cairn.start()
        check(cairn.whole(), "both are whole at once", cairn.states())
        cairn.holds_all("started again")
    check(cairn.stop() == 0, "an orderly stop")
    for folder in (cairn.a, cairn.b):
        done = subprocess.run([BINARY, "engine", "verify", folder], capture_output=True, text=True)
        check(done.returncode == 0, folder, done.stdout, done.stderr)


def deleted():
    """A folder goes while the server runs, and the other one while it is down."""
    cairn = Mirrored().begin()
    cairn.put(*[f"before-{n}" for n in range(12)])
    shutil.rmtree(cairn.b)
    until(lambda: cairn.states() == ["whole", "away"], "the loss is seen")
    cairn.put(*[f"alone-{n}" for n in range(12)])
    status, ready = cairn.request("GET", "/_health/ready")
    check(status == 200 and "mirror" in ready and cairn.folder not in ready, ready)
    health = cairn.ok("GET", "/_health_report")
    one = health["indicators"]["data_mirror"]
    check(health["status"] == one["status"] == "yellow" and one["impacts"], health)
    check(cairn.b in one["diagnosis"][0]["cause"] and "cairn mirror fill" in one["diagnosis"][0]["action"], one)
    check(one["details"]["folders"][1]["state"] == "away", one)
    done = cairn.command("mirror", "status")
    check(done.returncode == 1 and "away" in done.stdout, done)
    check("mirror_side_lost" in cairn.log_tail(200), cairn.log_tail())
    metrics = cairn.request("GET", "/_metrics")[1]
    check('cairn_mirror_folder_whole{setting="data.mirror"} 0' in metrics, "metric")
    # A new disk, filled while objects are put.
    os.mkdir(cairn.b)
    stop = threading.Event()

    def work():
        number = 0
        while not stop.is_set():
            cairn.put(f"during-{number}")
            number += 1
    writer = threading.Thread(target=work)
    writer.start()
    cairn.fill()
    one = cairn.ok("GET", "/_health_report/data_mirror")["indicators"]["data_mirror"]
    check(one["status"] == "green" and "diagnosis" not in one, one)
    stop.set()
    writer.join()
    check(os.stat(os.path.join(cairn.b, "keys/master.key")).st_mode & 0o777 == 0o600, "mode of keys")
    cairn.put("behind-0", "behind-1")
    check(cairn.stop() == 0, "an orderly stop")
    shutil.rmtree(cairn.a)
    cairn.start()
    check(cairn.states() == ["away", "whole"], cairn.states())
    cairn.holds_all("data.dir is gone")
    check(not os.path.exists(cairn.a), "nothing is made in its place")
    cairn.put("second-0", "second-1")
    check(cairn.stop() == 0, "an orderly stop")
    os.mkdir(cairn.a)
    cairn.start()
    until(cairn.whole, "data.dir is filled")
    check(cairn.stop() == 0, "an orderly stop")
    cairn.start(mirror=False)
    cairn.holds_all("data.dir alone")
    check("data_mirror" not in cairn.ok("GET", "/_health_report")["indicators"], "there is one folder")
    check(cairn.request("GET", "/_health_report/data_mirror")[0] == 404, "there is one folder")
    cairn.stop()


def flip(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)
        file.seek(offset)
        file.write(bytes([byte[0] ^ 0x40]))


def damaged():
    """Bytes that rot in one folder are read from the other, and mended."""
    cairn = Mirrored().begin()
    cairn.put(*[f"rot-{n}" for n in range(60)])
    check(cairn.stop() == 0, "an orderly stop")
    extents = sorted(glob.glob(cairn.a + "/objects/extents/*/*"))
    check(len(extents) >= 20, extents)
    whole = {path: open(path, "rb").read() for path in extents}
    other = lambda path: cairn.b + path[len(cairn.a):]  # noqa: E731
    for number, path in enumerate(extents):
        flip(path if number % 2 else other(path), 1000 * number)
    tables = sorted(glob.glob(cairn.a + "/objects/meta/*.sst"))
    check(tables, "there are tables")
    for path in tables:
        whole[path] = open(path, "rb").read()
        for offset in range(50, len(whole[path]), 2000):
            flip(path, offset)
    os.remove(cairn.a + "/objects/meta/CURRENT")
    cairn.start("--set", "objects.scrub_interval=1s", "--set", "objects.scrub_rate=1gb")
    check(cairn.whole(), cairn.states())
    cairn.holds_all("after damage")

    def mended():
        return all(open(place, "rb").read() == bytes_of
                   for path, bytes_of in whole.items() for place in (path, other(path))
                   if os.path.exists(path))
    until(mended, "all is whole in both folders")
    check("mirror_mended" in cairn.log_tail(10_000), "it is told")
    check(cairn.stop() == 0, "an orderly stop")
    for folder in (cairn.a, cairn.b):
        done = subprocess.run([BINARY, "engine", "verify", folder], capture_output=True, text=True)
        check(done.returncode == 0, folder, done.stdout, done.stderr)


def failing(side, number):
    """A disk that is full, breaks, or is made read-only is put aside, and no request notices."""
    cairn = Mirrored()
    switch = os.path.join(cairn.folder, "switch")
    folder = cairn.a if side == 0 else cairn.b
    cairn.environment.update({"LD_PRELOAD": LIBRARY, "FAILING_DISK_SWITCH": switch,
                              "FAILING_DISK_FOLDER": folder})
    cairn.begin()
    cairn.put(*[f"before-{n}" for n in range(6)])
    with open(switch, "w") as file:
        file.write(str(number))
    cairn.put(*[f"after-{n}" for n in range(12)])
    expected = ["away", "whole"] if side == 0 else ["whole", "away"]
    check(cairn.states() == expected, cairn.states(), number)
    cairn.holds_all("one disk fails", number)
    os.remove(switch)
    cairn.fill()
    cairn.put("filled-0", "filled-1")
    cairn.kill()
    for each in (cairn.a, cairn.b):
        alone(cairn, each, "filled again", each)


def messages():
    """What was told in messages, and what waits to be sent, is in both folders."""
    cairn = Mirrored()
    secret = os.path.join(cairn.folder, "secret")
    with open(os.open(secret, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write("whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=\n")
    deaf = socket.socket()  # nobody listens: the message waits
    deaf.bind(("127.0.0.1", 0))
    ways = ["--set", f"messages.webhook.url=http://127.0.0.1:{deaf.getsockname()[1]}/hook",
            "--set", "messages.webhook.secret_file=" + secret, "--set", "messages.check_interval=1s"]
    cairn.begin(*ways)
    shutil.rmtree(cairn.a)
    until(lambda: cairn.ok("GET", "/_cairn/messages")["waiting"] == 1, "the loss is told")

    def kept(folder):
        with open(os.path.join(folder, "messages/state.json")) as file:
            return json.load(file)
    told = kept(cairn.b)
    check(told["waiting"][0]["message"]["subject"] == cairn.a, told)
    os.mkdir(cairn.a)
    cairn.fill()
    until(lambda: cairn.ok("GET", "/_cairn/messages")["waiting"] == 2, "its end is told")
    check(kept(cairn.a) == kept(cairn.b), "both folders have it")
    cairn.kill()
    shutil.rmtree(cairn.b)
    cairn.start(*ways, mirror=False)
    ids = [one["message"]["id"] for one in kept(cairn.a)["waiting"]]
    check(ids[0] == told["waiting"][0]["message"]["id"] and len(ids) == 2, ids, told)
    check(cairn.ok("GET", "/_cairn/messages")["waiting"] == 2, "they wait still")
    cairn.kill()
    deaf.close()


def split():
    """Two folders that were both written alone are refused until one is kept."""
    cairn = Mirrored().begin()
    cairn.put("both-0")
    check(cairn.stop() == 0, "an orderly stop")
    os.rename(cairn.b, cairn.b + ".away")
    cairn.start()
    cairn.put("left-0")
    check(cairn.stop() == 0, "an orderly stop")
    os.rename(cairn.a, cairn.a + ".away")
    os.rename(cairn.b + ".away", cairn.b)
    cairn.acknowledged.discard("left-0")
    cairn.start()
    cairn.put("right-0")
    check(cairn.stop() == 0, "an orderly stop")
    os.rename(cairn.a + ".away", cairn.a)
    try:
        cairn.start()
    except RuntimeError as error:
        check("split" in str(error) and "cairn mirror keep" in str(error), error)
    else:
        raise AssertionError("a split mirror was opened")
    flags = ["--data", cairn.a, "--mirror", cairn.b]
    done = subprocess.run([BINARY, "mirror", "keep", cairn.folder, *flags], capture_output=True,
                          text=True)
    check(done.returncode == 64, done)
    done = subprocess.run([BINARY, "mirror", "keep", cairn.b, *flags], capture_output=True,
                          text=True)
    check(done.returncode == 0, done)
    cairn.start()
    until(cairn.whole, "the other one is filled")
    cairn.holds_all("after keep")
    check(cairn.s3.ask("GET", "/bucket/left-0").status == 404, "what was given up is gone")
    cairn.stop()


def main():
    global BINARY, LIBRARY
    BINARY = os.path.abspath(sys.argv[1])
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    killed()
    deleted()
    damaged()
    messages()
    split()
    with tempfile.TemporaryDirectory(prefix="cairn-mirror-") as folder:
        LIBRARY = os.path.join(folder, "failing_disk.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", LIBRARY,
                        os.path.join(tests, "security", "failing_disk.c"), "-ldl"], check=True)
        for number in (errno.EIO, errno.ENOSPC, errno.EROFS):
            failing(1, number)
        failing(0, errno.EIO)
    print("a lost disk loses nothing")


if __name__ == "__main__":
    main()
