#!/usr/bin/env python3
"""Data folders and backups of every format that was ever shipped are opened by this version.

    upgrade_test.py CAIRN [--make NAME]

tests/data/formats/NAME holds data.tar.gz (a data folder), backup.tar.gz (a repository of backups of it) and answers.json:
requests, and what the version that wrote the folder answered. --make writes them with the program given; that is done
once, when a version raises a format, and never again for the same name.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

FORMATS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data/formats")
NDJSON = {"Content-Type": "application/x-ndjson"}
KEY = "cairn-backup-key-1:" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=\n"
BINARY = None

# What is asked of the folder. Members that tell of time, speed or scores (which merges change, as they take deleted
# documents out of the statistics) are taken out of both answers.
QUESTIONS = [
    ("GET", "/_cat/indices?format=json&h=index,docs.count&s=index", None),
    ("POST", "/books/_search", {"query": {"match": {"title": "rivers"}}, "sort": [{"year": "asc"}], "size": 100}),
    ("POST", "/books/_search", {"query": {"match_phrase": {"title": "old rivers"}}, "_source": False, "size": 100}),
    ("POST", "/books/_search", {"knn": {"field": "about", "query_vector": [3, 1, 4], "k": 4}, "_source": False}),
    ("POST", "/books/_search", {"query": {"nested": {"path": "notes", "query": {"term": {"notes.by": "ada"}}}}, "_source": ["title"], "size": 100}),
    ("POST", "/books/_search", {"size": 0, "aggs": {"y": {"histogram": {"field": "year", "interval": 10}}, "k": {"terms": {"field": "kind"}}}}),
    ("GET", "/books/_doc/7", None),
    ("GET", "/books/_mapping", None),
    ("GET", "/_alias/library", None),
    ("GET", "/_index_template/t", None),
    ("GET", "/_connector/files", None),
    ("GET", "/_security/api_key?name=reader", None),
    ("GET", "/_snapshot", None),
]
# Members that answers of an older format lack, as a folder of it has them now.
LATER = {"/_connector/files": {"paused": False}}
OBJECTS = ["/photos/small.txt", "/photos/large.bin", "/photos/parts.bin", "/old/doc?versionId="]


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def plain(answer):
    """Without what another run says differently."""
    if isinstance(answer, dict):
        if isinstance(answer.get("hits"), list):
            answer["hits"].sort(key=lambda hit: hit["_id"])
        return {name: plain(value) for name, value in answer.items()
                if name not in ("took", "last_seen", "invalidation", "uuid", "version", "_score", "max_score")}
    return [plain(each) for each in answer] if isinstance(answer, list) else answer


def versions(objects):
    listed = objects.ok("GET", "/old?versions").body.decode()
    return re.findall(r"<VersionId>([^<]*)</VersionId>", listed)


def answers(cairn):
    out = [{"method": method, "path": path, "body": body, "answer": plain(cairn.ok(method, path, body))}
           for method, path, body in QUESTIONS]
    objects = Objects(cairn)
    bodies = {path: objects.ok("GET", path).body.hex()[:200] for path in OBJECTS[:3]}
    for version in versions(objects):
        answer = objects.ask("GET", f"/old/doc?versionId={version}")
        bodies[version] = f"{answer.status} {answer.body.decode(errors='replace')[:60]}" if answer.status == 200 else str(answer.status)
    return {"requests": out, "objects": bodies}


def fill(cairn):
    cairn.ok("PUT", "/_index_template/t", {"index_patterns": ["logs*"], "template": {"settings": {"number_of_replicas": 0}}})
    cairn.ok("PUT", "/books", {"mappings": {"properties": {
        "title": {"type": "text"}, "kind": {"type": "keyword"}, "year": {"type": "integer"},
        "about": {"type": "dense_vector", "dims": 3}, "notes": {"type": "nested", "properties": {"by": {"type": "keyword"}, "text": {"type": "text"}}}}}})
    for part in range(3):  # a few segments, and deleted documents in them
        lines = []
        for i in range(part * 40, part * 40 + 40):
            lines += [json.dumps({"index": {"_id": str(i)}}), json.dumps({
                "title": ("old " if i % 3 else "new ") + ("rivers" if i % 2 else "roads") + f" volume {i}", "kind": f"k{i % 4}",
                "year": 1950 + i % 50, "about": [i % 7, 1, i % 5], "notes": [{"by": "ada" if i % 5 == 0 else "bob", "text": f"note {i}"}]})]
        check(not cairn.ok("POST", "/books/_bulk?refresh=true", "\n".join(lines) + "\n", headers=NDJSON)["errors"], part)
    for i in range(0, 120, 11):
        cairn.ok("DELETE", f"/books/_doc/{i}?refresh=true")
    cairn.ok("PUT", "/books/_alias/library")
    cairn.ok("PUT", "/_connector/files", {"index_name": "files", "name": "files", "service_type": "directory"})
    cairn.ok("POST", "/_security/api_key", {"name": "reader", "role_descriptors": {"r": {"cluster": ["monitor"], "indices": [
        {"names": ["books"], "privileges": ["read"]}]}}})
    objects = Objects(cairn)
    objects.ok("PUT", "/photos")
    objects.ok("PUT", "/photos/small.txt", b"a small body")
    objects.ok("PUT", "/photos/large.bin", b"0123456789abcdef" * 8192)
    begun = objects.ok("POST", "/photos/parts.bin?uploads=").text("UploadId")
    tags = [objects.ok("PUT", f"/photos/parts.bin?partNumber={n}&uploadId={begun}", bytes([64 + n]) * (5 << 20 if n == 1 else 100)).headers["ETag"]
            for n in (1, 2)]
    objects.ok("POST", f"/photos/parts.bin?uploadId={begun}", "<CompleteMultipartUpload>" + "".join(
        f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in enumerate(tags, 1)) + "</CompleteMultipartUpload>")
    objects.ok("PUT", "/old")
    objects.ok("PUT", "/old?versioning=", b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")
    for text in (b"first", b"second"):
        objects.ok("PUT", "/old/doc", text)
    objects.ok("DELETE", "/old/doc")


def options(work):
    """Without the shipped models, which would be most of the folder."""
    os.makedirs(os.path.join(work, "none"), exist_ok=True)
    return ["--set", f"inference.models_dir={work}/none", "--set", f"path.repo={work}"]


def run(*words, expect=0):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=120)
    check(done.returncode == expect, words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout + done.stderr


def write_key(work):
    path = os.path.join(work, "backup.key")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(KEY)
    return path


def make(name):
    place = os.path.join(FORMATS, name)
    check(not os.path.exists(place), f"{place} is there, and stays as it is")
    cairn = Cairn(BINARY)
    work = cairn.folder
    cairn.start(*options(work))
    fill(cairn)
    key = write_key(work)
    run("backup", "init", os.path.join(work, "backup"), "--backup-key", key)
    run("backup", "create", os.path.join(work, "backup"), "--backup-key", key, "--server", cairn.api, "--key-file",
        os.path.join(cairn.data, "keys/admin.key"))
    kept = answers(cairn)
    check(cairn.stop() == 0, "an orderly stop")
    os.makedirs(place)
    for folder in ("data", "backup"):
        with tarfile.open(os.path.join(place, folder + ".tar.gz"), "w:gz") as tar:
            tar.add(os.path.join(work, folder), arcname=folder)
    with open(os.path.join(place, "answers.json"), "w") as file:
        json.dump(kept, file, indent=1)


def unpack(name, folder, work):
    with tarfile.open(os.path.join(FORMATS, name, folder + ".tar.gz")) as tar:
        tar.extractall(work)
    for secret in ("master.key", "audit.key", "admin.key", "admin-s3.json", "audit.head"):
        path = os.path.join(work, "data/keys", secret)
        if os.path.exists(path):
            os.chmod(path, 0o600)


def with_later_members(answer):
    """Of keys, which are listed: those that there were not when the folder was made."""
    if "api_keys" not in answer:
        return answer
    return {**answer, "api_keys": [{"enabled": True, **key} for key in answer["api_keys"]]}


def same(cairn, expected, what):
    now = answers(cairn)
    for was, is_now in zip(expected["requests"], now["requests"]):
        was = {**was, "answer": with_later_members(was["answer"])}
        was = {**was, "answer": {**LATER.get(was["path"], {}), **was["answer"]}} if was["path"] in LATER else was
        check(was == is_now, what, was, is_now)
    check(expected["objects"] == now["objects"], what, expected["objects"], now["objects"])


def goes_on(cairn):
    """What is written to an upgraded folder stays, beside what was there."""
    cairn.ok("PUT", "/books/_doc/new?refresh=true", {"title": "rivers", "year": 2026, "kind": "k9"})
    cairn.ok("POST", "/books/_forcemerge?max_num_segments=1")
    Objects(cairn).ok("PUT", "/old/doc", b"third")


def opened(name):
    with open(os.path.join(FORMATS, name, "answers.json")) as file:
        expected = json.load(file)
    cairn = Cairn(BINARY)
    unpack(name, "data", cairn.folder)
    before = sorted((root, file) for root, _, files in os.walk(cairn.data) for file in files)
    check("buckets open" in run("engine", "upgrade", cairn.data, "--dry-run"), name)
    check(before == sorted((root, file) for root, _, files in os.walk(cairn.data) for file in files), "a dry run changes nothing")
    cairn.start(*options(cairn.folder))
    same(cairn, expected, name)
    goes_on(cairn)
    cairn.stop()
    run("engine", "verify", cairn.data)
    cairn.start(*options(cairn.folder))
    check(cairn.ok("GET", "/books/_doc/new")["found"], "written after the upgrade")
    cairn.stop()
    restored = Cairn(BINARY)
    unpack(name, "backup", restored.folder)
    run("backup", "restore", os.path.join(restored.folder, "backup"), "--backup-key", write_key(restored.folder), "--into", restored.data)
    restored.start(*options(restored.folder))
    same(restored, expected, f"the backup of {name}")
    restored.stop()
    print(f"{name}: opened, restored, written to", flush=True)


def older_and_newer(name):
    """A folder of an older format is raised, one of a newer format is refused, by a start and by both commands."""
    cairn = Cairn(BINARY)
    unpack(name, "data", cairn.folder)
    version = os.path.join(cairn.data, "VERSION")
    with open(version) as file:
        current = file.read()
    with open(version, "w") as file:
        file.write("cairn data format 99\n")
    for words in (("serve", "--data", cairn.data), ("engine", "upgrade", cairn.data), ("engine", "upgrade", cairn.data, "--dry-run")):
        check("start the newer program that wrote it" in run(*words, expect=65), words)
    with open(version, "w") as file:
        file.write("cairn data format 3\n")
    os.remove(os.path.join(cairn.data, "objects/meta.state"))
    said = run("engine", "upgrade", cairn.data, "--dry-run")
    check("data format 3" in said and "journals of buckets" in said and "6: MIRROR" in said, said)
    check(open(version).read() == "cairn data format 3\n", "a dry run changes nothing")
    check("was made" in run("engine", "upgrade", cairn.data), "upgraded")
    check(open(version).read() == current, open(version).read())
    check("nothing was to be done" in run("engine", "upgrade", cairn.data), "a second time")


def mirrored(name):
    """A folder of an older format that becomes one of two is raised in both, so that no older program writes one alone."""
    cairn = Cairn(BINARY)
    unpack(name, "data", cairn.folder)
    other = os.path.join(cairn.folder, "other")
    os.mkdir(other)
    cairn.start(*options(cairn.folder), "--set", "data.mirror=" + other)
    end = time.monotonic() + 60
    while not cairn.ok("GET", "/_cairn/mirror")["whole"]:
        check(time.monotonic() < end, "the mirror is filled")
        time.sleep(0.05)
    check(cairn.stop() == 0, "an orderly stop")
    for folder in (cairn.data, other):
        with open(os.path.join(folder, "VERSION")) as file:
            number = int(file.read().rsplit(None, 1)[1])
        check(number >= 6 and os.path.exists(os.path.join(folder, "MIRROR")), folder, number)
        check("nothing is to be done" in run("engine", "upgrade", folder, "--dry-run"), folder)


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "--make":
        return make(sys.argv[3])
    names = sorted(name for name in os.listdir(FORMATS) if os.path.isdir(os.path.join(FORMATS, name)))
    check(names, "no fixture")
    for name in names:
        opened(name)
    older_and_newer(names[-1])
    mirrored(names[0])
    return None


if __name__ == "__main__":
    main()
