#!/usr/bin/env python3
"""Access that is lost and found again, and an audit log that tells what was changed in it.

    recovery_test.py CAIRN
"""

import json
import os
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

BINARY = None


def run(*words, environment=None):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **(environment or {})))
    return done.returncode, done.stdout, done.stderr


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def lost_key(cairn):
    """Without a server a new administrator's key is made; with one, and over a file, it is not."""
    key_file = os.path.join(cairn.data, "keys/admin.key")
    create = ["key", "create", "--admin", "--data", cairn.data]
    check(run(*create)[0] == 75, "a server holds the folder")
    status, answer = cairn.request("DELETE", "/_security/api_key", {"name": "admin"})
    check(status == 200 and answer["error_count"] == 1, answer)
    check("last administrator's key" in answer["error_details"][0]["reason"], answer)
    cairn.stop()
    check(run(*create)[0] == 73, "the file is there")
    os.remove(key_file)
    code, out, err = run(*create)
    check(code == 0 and out == "", code, err)
    check(stat.S_IMODE(os.stat(key_file).st_mode) == 0o600, "mode")
    with open(key_file) as file:
        text = file.read()
    check(text.strip() not in err, "the key is written to its file only")
    cairn.start()
    check(cairn.request("GET", "/_security/_authenticate")[0] == 200, "the new key opens")


def rotation(cairn):
    """The command prints a new secret; the old one goes on for the overlap."""
    server = {"CAIRN_SERVER": cairn.api, "CAIRN_KEY_FILE": os.path.join(cairn.data, "keys/admin.key")}
    code, old, err = run("key", "create", "--name", "turning", "--cluster", "monitor",
                         environment=server)
    check(code == 0, err)
    status, shown = cairn.request("GET", "/_security/api_key?name=turning")
    ident = shown["api_keys"][0]["id"]
    code, new, err = run("key", "rotate", ident, "--overlap", "1h", environment=server)
    check(code == 0 and "the old secret holds until" in err, code, err)
    for key in (old, new):
        status, _ = cairn.request("GET", "/", headers={"Authorization": "ApiKey " + key.strip()})
        check(status == 200, status)
    code, _, err = run("key", "rotate", "nobody", environment=server)
    check(code == 1, code, err)


def refusals(cairn, count):
    for i in range(count):
        cairn.request("GET", f"/refused-{i}", headers={"Authorization": "ApiKey bm9ib2R5OnJlYWxseQ=="})


def audit(cairn):
    """Verified while it is written, over a crash and a restart; a changed line is named."""
    verify = ["audit", "verify", cairn.data]
    refusals(cairn, 20)
    code, out, err = run(*verify)
    check(code == 0 and "0 faults" in err, code, out, err)
    cairn.kill()
    check(run(*verify)[0] == 0, "after a crash")
    cairn.start()
    refusals(cairn, 5)
    cairn.stop()
    code, out, err = run(*verify, "--json")
    check(code == 0 and json.loads(out)["lines"] >= 25, out)
    path = os.path.join(cairn.data, "audit/audit.jsonl")
    with open(path) as file:
        lines = file.readlines()
    shutil.copy(path, path + ".kept")

    def changed(new, words):
        with open(path, "w") as file:
            file.writelines(new)
        code, out, err = run(*verify)
        check(code == 65 and words in out, words, code, out, err)

    changed(lines[:9] + lines[10:], "audit.jsonl:10: number 10 is missing before it")
    changed(lines[:9] + [lines[10], lines[9]] + lines[11:], "audit.jsonl:10: number 10 is missing")
    changed(lines[:9] + [lines[9].replace("failure", "success")] + lines[10:],
            "audit.jsonl:10: it was edited")
    changed(lines[:-2], "at the end: the log was cut")
    os.replace(path + ".kept", path)
    check(run(*verify)[0] == 0, "as it was")
    check(run("audit", "verify", "/nonexistent")[0] == 66, "no folder")
    cairn.start()


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    cairn = Cairn(BINARY).start()
    try:
        for part in (lost_key, rotation, audit):
            part(cairn)
            print("ok", part.__name__, flush=True)
        check(cairn.stop() == 0, "stop")
    finally:
        if cairn.process.poll() is None:
            cairn.kill()
        shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
