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
from s3_requests import Objects  # noqa: E402

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


def master_key(cairn):
    """What the master key seals opens after it was changed, also after a change that a crash cut."""
    path = os.path.join(cairn.data, "keys/master.key")
    server = {"CAIRN_SERVER": cairn.api, "CAIRN_KEY_FILE": os.path.join(cairn.data, "keys/admin.key")}
    objects = Objects(cairn)
    objects.ok("PUT", "/sealed")
    objects.ok("PUT", "/sealed/own", b"a" * 1000, headers={"x-amz-server-side-encryption": "AES256"})
    kms = {"x-amz-server-side-encryption": "aws:kms"}
    objects.ok("PUT", "/sealed/kms", b"b" * 100_000, headers=kms)
    cairn.ok("PUT", "/_connector/files", {"name": "files", "index_name": "files", "service_type": "elasticsearch"})
    cairn.ok("PUT", "/_connector/files/_configuration", {"values": {"url": "http://127.0.0.1:1", "index": "x", "user": "u", "password": "of-the-connector"}})
    cairn.ok("PUT", "/_inference/completion/far", {"service": "openai", "service_settings": {
        "api_key": "of-the-endpoint", "model_id": "m", "url": "http://127.0.0.1:1/v1"}})

    def all_opens():
        now = Objects(cairn)  # its secret is sealed too
        check(now.ok("GET", "/sealed/own").body == b"a" * 1000, "SSE-S3")
        check(now.ok("GET", "/sealed/kms").body == b"b" * 100_000, "SSE-KMS")
        now.ok("PUT", "/sealed/again", b"c", headers=kms)
        # Both are refused at the far end, and not for a secret that does not open.
        _, answer = cairn.request("POST", "/_connector/files/_test")
        check("cannot be opened" not in json.dumps(answer), answer)
        status, answer = cairn.request("POST", "/_inference/completion/far?timeout=2s", {"input": "x"})
        check(status != 200 and "master key" not in json.dumps(answer), status, answer)

    all_opens()
    with open(path) as file:
        first = file.read()
    code, _, err = run("key", "rotate", "--master", environment=server)
    check(code == 0 and "make a backup" in err, code, err)
    with open(path) as file:
        second = file.read()
    check(first != second and len(second.split()) == 1, "one key, another one")
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "mode")
    all_opens()
    cairn.stop()
    with open(path, "w") as file:
        file.write(first)
    code, _, err = run("serve", "--data", cairn.data, "--api-listen", "127.0.0.1:0", "--objects-listen", "127.0.0.1:0")
    check(code == 65 and "master.key" in err, "the old key opens nothing any more", code, err)
    # As a crash leaves it that comes behind the first step of a change.
    with open(path, "w") as file:
        file.write("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=\n" + second)
    cairn.start()
    with open(path) as file:
        check(file.read().strip() == "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=", "the start ended the change")
    all_opens()
    check(run("key", "rotate", environment=server)[0] == 64, "which key?")


def key_service(cairn):
    """The master key lies sealed by a program of the operator's, which a start asks."""
    path = os.path.join(cairn.data, "keys/master.key")
    with open(path) as file:
        plain = file.read()
    phrase = os.path.join(cairn.folder, "phrase")
    with open(phrase, "w") as file:
        file.write("a phrase\n")
    cipher = f"/usr/bin/openssl,enc,-aes-256-cbc,-pbkdf2,-a,-pass,file:{phrase}"
    service = ("--set", f"master_key.seal_command={cipher}", "--set", f"master_key.open_command={cipher},-d")
    cairn.stop()
    cairn.start(*service)
    with open(path) as file:
        sealed = file.read()
    check(plain.strip() not in sealed and sealed.startswith("U2FsdGVkX1"), sealed)
    server = {"CAIRN_SERVER": cairn.api, "CAIRN_KEY_FILE": os.path.join(cairn.data, "keys/admin.key")}
    check(run("key", "rotate", "--master", environment=server)[0] == 0, "a change of a sealed key")
    check(Objects(cairn).ok("GET", "/sealed/kms").body == b"b" * 100_000, "SSE-KMS")
    cairn.kill()
    cairn.start(*service)
    check(Objects(cairn).ok("GET", "/sealed/kms").body == b"b" * 100_000, "SSE-KMS")
    cairn.stop()
    os.rename(phrase, phrase + "-gone")
    code, _, err = run("serve", "--data", cairn.data, "--api-listen", "127.0.0.1:0", "--objects-listen", "127.0.0.1:0", *service)
    check(code != 0 and "master_key.open_command" in err and "phrase" in err, code, err)
    os.rename(phrase + "-gone", phrase)
    check("go together" in run("config", "check", *service[:2])[2], "one without the other")
    check("absolute path" in run("config", "check", "--set", "master_key.seal_command=openssl", "--set", "master_key.open_command=openssl")[2], "a path")
    # Back to a file that holds the key itself.
    opened = subprocess.run(cipher.split(",") + ["-d"], input=open(path).read(), capture_output=True, text=True, check=True).stdout
    with open(path, "w") as file:
        file.write(opened)
    cairn.start()


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
    cairn = Cairn(BINARY, environment={"CAIRN_CONNECTORS__ALLOWED_HOSTS": "127.0.0.1:1",
                                       "CAIRN_INFERENCE__REMOTE__ALLOWED_HOSTS": "127.0.0.1:1"}).start()
    try:
        for part in (lost_key, rotation, audit, master_key, key_service):
            part(cairn)
            print("ok", part.__name__, flush=True)
        check(cairn.stop() == 0, "stop")
    finally:
        if cairn.process.poll() is None:
            cairn.kill()
        shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
