#!/usr/bin/env python3
"""Backups of a server that works, and what comes back from them.

    backup_test.py CAIRN

What is written and what is lost is real: one server keeps its backups in a folder, another one in a bucket of a second
server, both while they are written to; backups and restores are killed, folders are removed, and what a restored server
answers is compared with what the first one answered.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = None
LARGE = bytes(range(256)) * 1024  # an extent of 256 KiB
NDJSON = {"Content-Type": "application/x-ndjson"}


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def run(*words, environment=None, expect=0):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **(environment or {})))
    check(done.returncode == expect, words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout if done.stdout else done.stderr


class Backups:
    """The commands of one server, with one place and one key."""

    def __init__(self, cairn, place, key, extra=None):
        self.cairn, self.place, self.key = cairn, place, key
        self.extra = extra or {}

    def environment(self):
        found = dict(self.extra)
        if self.cairn.process is not None:
            found.update({"CAIRN_SERVER": self.cairn.api,
                          "CAIRN_KEY_FILE": os.path.join(self.cairn.data, "keys/admin.key")})
        return found

    def __call__(self, verb, *more, expect=0):
        return run("backup", verb, self.place, "--backup-key", self.key, *more, expect=expect,
                   environment=self.environment())

    def ids(self):
        return [each["id"] for each in json.loads(self("list", "--json"))]

    def create(self, *more, expect=0):
        return json.loads(self("create", "--json", *more, expect=expect))


def fill(cairn, count=200):
    """Something of everything; what a restored server must answer."""
    cairn.ok("PUT", "/books", {"mappings": {"properties": {"title": {"type": "text"}, "year": {"type": "integer"},
                                                           "about": {"type": "dense_vector", "dims": 3}}}})
    lines = []
    for i in range(count):
        lines += [json.dumps({"index": {"_id": str(i)}}),
                  json.dumps({"title": f"book number {i}", "year": 1900 + i % 100, "about": [i, 1, 2]})]
    check(not cairn.ok("POST", "/books/_bulk?refresh=true", "\n".join(lines) + "\n", headers=NDJSON)["errors"], "bulk")
    cairn.ok("PUT", "/books/_alias/library")
    cairn.ok("POST", "/_security/api_key", {"name": "reader", "role_descriptors": {
        "r": {"cluster": ["monitor"], "indices": [{"names": ["books"], "privileges": ["read"]}]}}})
    objects = Objects(cairn)
    check(objects_put(objects, "/photos").status == 200, "bucket")
    check(objects_put(objects, "/photos/small.txt", b"small").status == 200, "small")
    check(objects_put(objects, "/photos/large.bin", LARGE).status == 200, "large")


def objects_put(objects, path, body=b"", **more):
    return objects.ask("PUT", path, body, **more)


def seen(cairn):
    """What a client sees of all that fill() made."""
    search = cairn.ok("POST", "/books/_search", {"query": {"match": {"title": "book"}}, "size": 50, "sort": [{"year": "asc"}, "_doc"]})
    objects = Objects(cairn)
    keys = cairn.ok("GET", "/_security/api_key?name=reader")["api_keys"]
    return {"hits": [hit["_id"] for hit in search["hits"]["hits"]], "total": search["hits"]["total"],
            "alias": cairn.ok("GET", "/_alias/library"), "keys": [(key["id"], key["name"]) for key in keys],
            "nearest": [hit["_id"] for hit in cairn.ok("POST", "/books/_search", {
                "knn": {"field": "about", "query_vector": [7, 1, 2], "k": 3}})["hits"]["hits"]],
            "small": objects.ask("GET", "/photos/small.txt").body,
            "large": objects.ask("GET", "/photos/large.bin").body}


def restored(folder, backups, *more, expect=0):
    return backups("restore", "--into", os.path.join(folder, "data"), *more, expect=expect)


def pieces_of(place):
    return [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names
            if "pieces" in os.path.join(folder, name)]


def all_comes_back(work):
    """From a folder: data, keys, accounts, the audit log and the configuration, of the moment of the backup."""
    place, key = os.path.join(work, "backups"), os.path.join(work, "key", "backup.key")
    cairn = Cairn(BINARY)
    config = os.path.join(cairn.folder, "cairn.yaml")
    os.makedirs(os.path.join(cairn.folder, "conf.d"))
    with open(config, "w") as file:
        file.write(f"path: {{ repo: [{work}] }}\n")
    with open(os.path.join(cairn.folder, "conf.d/name.yaml"), "w") as file:
        file.write("cluster: { name: kept }\n")
    cairn.start("--config", config)
    backups = Backups(cairn, place, key)
    said = backups("init")
    check("Keep a copy" in said and stat.S_IMODE(os.stat(key).st_mode) == 0o600, said)
    check("already" in run("backup", "init", place, "--backup-key", key, expect=74), "a second init")
    fill(cairn)
    before = seen(cairn)
    first = backups.create()
    check(first["damaged"] == 0 and first["bytes_added"] > len(LARGE) / 10, first)
    second = backups.create()
    check(second["bytes_added"] < first["bytes_added"] / 4, "the second one copies what changed", first, second)
    cairn.ok("DELETE", "/books")
    check(Objects(cairn).ask("DELETE", "/photos/large.bin").status == 204, "delete")
    cairn.kill()
    shutil.rmtree(cairn.data)
    cairn.process = None
    target = Cairn(BINARY)
    os.makedirs(target.folder, exist_ok=True)
    group = 4711 if os.geteuid() == 0 else os.getegid()
    os.chown(target.folder, -1, group)
    restored(target.folder, backups, "--config-into", target.folder)
    for name in ("cairn.yaml", "conf.d", "conf.d/name.yaml"):
        found = os.stat(os.path.join(target.folder, name))
        check(found.st_gid == group, name, found)  # who runs the server is in the folder's group
    mode = stat.S_IMODE(os.stat(os.path.join(target.data, "keys/master.key")).st_mode)
    check(mode == 0o600, oct(mode))
    target.start("--config", os.path.join(target.folder, "cairn.yaml"))
    check(seen(target) == before, seen(target), before)
    check(target.ok("GET", "/")["cluster_name"] == "kept", "conf.d came back")
    check("in use" in restored(target.folder, backups, expect=75), "a folder in use is left alone")
    target.stop()
    run("audit", "verify", target.data)
    run("engine", "verify", target.data)
    return backups


def while_it_works(work):
    """Made while writers are busy, a backup has all that was acknowledged before it began."""
    cairn = Cairn(BINARY).start("--set", f"path.repo={work}", "--set", "rate_limit.enabled=false")
    backups = Backups(cairn, os.path.join(work, "busy"), os.path.join(work, "busy.key"))
    backups("init")
    fill(cairn, 10)
    acknowledged, stop = [0, 0], threading.Event()

    def documents():
        with_connection = cairn.connect()
        while not stop.is_set():
            number = acknowledged[0] + 1
            cairn.ok("PUT", f"/busy/_doc/{number}", {"n": number}, connection=with_connection)
            acknowledged[0] = number

    def bodies():
        objects = Objects(cairn)
        while not stop.is_set():
            number = acknowledged[1] + 1
            size = 100_000 if number % 2 else 10
            check(objects_put(objects, f"/photos/n{number:06}", str(number).encode().ljust(size)).status == 200, number)
            acknowledged[1] = number

    threads = [threading.Thread(target=each) for each in (documents, bodies)]
    for each in threads:
        each.start()
    while min(acknowledged) < 50:
        time.sleep(0.01)
    at_least = list(acknowledged)
    made = backups.create()
    stop.set()
    for each in threads:
        each.join()
    check(made["damaged"] == 0, made)
    target = Cairn(BINARY)
    restored(target.folder, backups)
    target.start()
    count = target.ok("GET", "/busy/_count")["count"]
    check(at_least[0] <= count <= acknowledged[0], at_least, count, acknowledged)
    listed = Objects(target).ask("GET", "/photos?list-type=2&max-keys=1000&prefix=n").body.decode()
    numbers = [int(name) for name in re.findall(r"<Key>n(\d+)</Key>", listed)]
    check(numbers == list(range(1, len(numbers) + 1)), "one after another, none missing")
    check(len(numbers) >= min(at_least[1], 1000), len(numbers), at_least)
    for number in (1, len(numbers)):
        body = Objects(target).ask("GET", f"/photos/n{number:06}").body
        check(body.strip() == str(number).encode(), number, body[:20])
    target.stop()
    cairn.stop()


def killed(work):
    """kill -9 of a server in a backup, and of a restore: nothing half made is taken for whole."""
    cairn = Cairn(BINARY).start("--set", f"path.repo={work}", "--set", "backup.rate=200kb")
    backups = Backups(cairn, os.path.join(work, "killed"), os.path.join(work, "killed.key"))
    backups("init")
    fill(cairn)
    objects = Objects(cairn)
    for number in range(20):
        check(objects_put(objects, f"/photos/{number}", os.urandom(100_000)).status == 200, number)
    before = seen(cairn)
    backups("create", "--no-wait")
    time.sleep(1)
    running = cairn.ok("GET", "/_cairn/backups")["backups"][0]
    check(running["state"] == "running" and running["bytes_read"] > 0, running)
    status, answer = cairn.request("POST", "/_cairn/master_key/_rotate")
    check(status in (400, 409), "the key stays as long as a backup is made", status, answer)
    check("a backup is being made" in json.dumps(answer), answer)
    status, answer = cairn.request("POST", "/_cairn/backups", {"place": backups.place})
    check(status == 400 or status == 409, "one at a time", status, answer)
    cairn.kill()
    check(backups.ids() == [], "no backup was made")
    cairn.start("--set", f"path.repo={work}", "--set", "backup.rate=200kb")
    backups("create", "--no-wait")
    time.sleep(0.5)
    run("backup", "cancel", environment=backups.environment())
    while cairn.ok("GET", "/_cairn/backups")["backups"][0]["state"] == "running":
        time.sleep(0.05)
    check(cairn.ok("GET", "/_cairn/backups")["backups"][0]["state"] == "failed", "a backup that was cancelled")
    cairn.stop()
    before_it = len(pieces_of(backups.place))
    cairn.start("--set", f"path.repo={work}")
    made = backups.create()
    check(before_it > 0 and before_it + made["pieces_added"] == len(pieces_of(backups.place)),
          "what was copied before is not copied again", before_it, made)
    backups("verify", "--all")
    target = Cairn(BINARY)
    process = subprocess.Popen([BINARY, "backup", "restore", backups.place, "--backup-key", backups.key, "--into",
                                target.data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not os.path.isdir(os.path.join(target.data, "objects/extents")) and time.monotonic() < until:
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if os.path.exists(os.path.join(target.data, "RESTORING")):
        said = run("serve", "--data", target.data, expect=75)
        check("run the same cairn backup restore again" in said, said)
        restored(target.folder, backups)
    target.start()
    check(seen(target) == before, "after a restore that was killed")
    target.stop()
    cairn.stop()


def damage_is_found(backups):
    """Verify reads everything: a piece that was changed or is missing is named, with what needs it."""
    pieces = pieces_of(backups.place)
    check(len(pieces) > 5, pieces)
    victim = max(pieces, key=os.path.getsize)
    with open(victim, "r+b") as file:
        file.seek(os.path.getsize(victim) // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    said = backups("verify", "--all", "--json", expect=65)
    check(json.loads(said)["faults"], said)
    target = tempfile.mkdtemp(prefix="cairn-test-")
    restored(target, backups, expect=65)
    os.remove(victim)
    check("is missing" in backups("verify", "--all", expect=65), "a missing piece")
    wrong = os.path.join(target, "other.key")
    run("backup", "init", os.path.join(target, "elsewhere"), "--backup-key", wrong)
    said = run("backup", "list", backups.place, "--backup-key", wrong, expect=77)
    check("not the one" in said, said)


def in_a_bucket(work):
    """The place is a bucket of another server; made by the schedule, the newest ones are kept."""
    far = Cairn(BINARY).start()
    with open(os.path.join(far.data, "keys/admin-s3.json")) as file:
        pair = json.load(file)
    check(objects_put(Objects(far), "/safe").status == 200, "bucket")
    key = os.path.join(work, "far.key")
    client = {"CAIRN_S3__CLIENT__DEFAULT__ENDPOINT": far.objects, "CAIRN_S3__CLIENT__DEFAULT__REGION": "us-east-1",
              "CAIRN_S3__CLIENT__DEFAULT__PATH_STYLE_ACCESS": "true",
              "CAIRN_S3__CLIENT__DEFAULT__ACCESS_KEY": pair["access_key_id"],
              "CAIRN_S3__CLIENT__DEFAULT__SECRET_KEY": pair["secret_access_key"]}
    cairn = Cairn(BINARY, environment=client)
    backups = Backups(cairn, "s3://safe/cairn", key, extra=client)
    backups("init")
    scheduled = ("--set", "backup.place=s3://safe/cairn", "--set", f"backup.key_file={key}", "--set",
                 "backup.schedule=0/2 * * * * ?", "--set", "backup.keep=2")
    cairn.start(*scheduled)
    fill(cairn)
    before = seen(cairn)
    until = time.monotonic() + 60
    while True:
        runs = [each for each in cairn.ok("GET", "/_cairn/backups")["backups"] if each["state"] != "running"]
        check(all(each["state"] == "done" for each in runs), runs)
        if len(runs) >= 4:
            break
        check(time.monotonic() < until, runs, cairn.log_tail())
        time.sleep(0.2)
    check(any(each["older_removed"] for each in runs), runs)
    cairn.stop()
    check(1 <= len(backups.ids()) <= 3, backups.ids())
    backups("verify", "--all")
    cairn.process = None
    target = Cairn(BINARY, environment=client)
    restored(target.folder, backups)
    target.start()
    check(seen(target) == before, "from a bucket")
    target.stop()
    newest = backups.ids()[-1]
    backups("remove", "--keep", "1")
    check(backups.ids() == [newest], backups.ids())
    backups("verify")
    far.stop()


def refused(work):
    """What cannot be is told by name."""
    cairn = Cairn(BINARY).start()
    for body, word in (({}, "backup.place"), ({"place": "relative"}, "absolute path"),
                       ({"place": "/etc/x"}, "path.repo"), ({"place": "s3://"}, "no bucket"),
                       ({"place": "/x", "key": "letter"}, "no key of a backup"), ({"client": "c"}, "[place]"),
                       ({"plaec": "/x"}, "plaec")):
        key = {"key": "cairn-backup-key-1:" + "A" * 43 + "="} if "place" in body and "key" not in body else {}
        status, answer = cairn.request("POST", "/_cairn/backups?wait_for_completion=true", {**key, **body})
        check(status in (400, 500) and word in json.dumps(answer), body, status, answer)
    reader = cairn.ok("POST", "/_security/api_key", {"name": "r", "role_descriptors": {
        "r": {"cluster": ["manage", "manage_security"]}}})
    status, answer = cairn.request("POST", "/_cairn/backups", {}, headers={"Authorization": "ApiKey " + reader["encoded"]})
    check(status == 403, "administrators alone", status, answer)
    cairn.stop()
    for setting, word in ((f"backup.place={cairn.data}/x", "would be lost with it"), ("backup.schedule=daily", "needs backup.place"),
                          (f"backup.key_file={cairn.data}/keys/x", "could be read"), ("backup.place=x", "absolute")):
        check(word in run("config", "check", "--data", cairn.data, "--set", setting, expect=78), setting)


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    work = tempfile.mkdtemp(prefix="cairn-test-")
    backups = all_comes_back(work)
    damage_is_found(backups)
    for part in (while_it_works, killed, in_a_bucket, refused):
        part(work)
        print(f"{part.__name__}: as it should be", flush=True)


if __name__ == "__main__":
    main()
