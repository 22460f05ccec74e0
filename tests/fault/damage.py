#!/usr/bin/env python3
"""Damaged files of a data folder, a full disk, and low limits, with the whole program.

Each case damages a copy of one data folder. `cairn engine verify` names the file and changes
nothing; the start names it too, or does not need it. A start never hangs and never ends without a
word, whatever the system denies it.

    damage.py BINARY
"""

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
START_S = 120


def tree_hash(folder):
    """Of every name and byte."""
    all_of_it = hashlib.sha256()
    for path, folders, files in sorted(os.walk(folder)):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(path, name), "rb") as file:
                all_of_it.update((os.path.join(path, name) + "\0").encode() + file.read())
    return all_of_it.hexdigest()


def verify(data):
    """Exit status and what was said; the folder is as it was."""
    before = tree_hash(data)
    done = subprocess.run([BINARY, "engine", "verify", data], capture_output=True, text=True,
                          timeout=START_S)
    assert tree_hash(data) == before, "verify changed the folder"
    return done.returncode, done.stdout + done.stderr


def damage(path, how):
    with open(path, "rb") as file:
        content = bytearray(file.read())
    if how == "lost":
        os.remove(path)
        return
    if how == "cut":
        content = content[:len(content) // 2]
    elif how == "flip":
        content[len(content) // 2] ^= 1
    else:
        content = bytearray(len(content))
    with open(path, "wb") as file:
        file.write(content)


def copy_of(source):
    folder = tempfile.mkdtemp(prefix="cairn-damage-")
    shutil.copytree(os.path.join(source, "data"), os.path.join(folder, "data"), symlinks=True)
    return folder


def refused(cairn, *arguments):
    """What the start said; nothing where it started."""
    try:
        cairn.start(*arguments, wait_s=START_S)
    except RuntimeError:
        assert cairn.process.poll() is not None, "the start hangs"
        return cairn.log_tail()
    return None


def case_keys(source):
    for name, hows in (("admin.key", ("flip", "cut", "zero")),
                       ("admin-s3.json", ("flip", "cut", "zero")),
                       ("audit-signing.key", ("flip", "cut", "zero")),
                       ("master.key", ("flip", "cut", "zero", "lost"))):
        for how in hows:
            folder = copy_of(source)
            cairn = Cairn(BINARY, folder)
            path = os.path.join(cairn.data, "keys", name)
            damage(path, how)
            status, said = verify(cairn.data)
            assert status == 65 and path in said, f"{name} {how}: verify {status}\n{said}"
            message = refused(cairn)
            if name in ("master.key", "audit-signing.key"):
                assert message and path in message, f"{name} {how}: {message}"
                assert how != "lost" or not os.path.exists(path), "a new master key was made"
            else:
                assert message is None, f"{name} {how}: {message}"
                assert path in cairn.log_tail(50), f"{name} {how}: not told\n{cairn.log_tail(50)}"
                assert cairn.stop() == 0
            shutil.rmtree(folder)
            print(f"keys: {name} {how}", flush=True)


def case_metadata(source):
    names = os.listdir(os.path.join(source, "data/objects/meta"))
    for name in names:
        if not name.endswith(".log") and not name.startswith(("MANIFEST", "CURRENT")):
            continue
        folder = copy_of(source)
        cairn = Cairn(BINARY, folder)
        path = os.path.join(cairn.data, "objects/meta", name)
        damage(path, "flip")
        status, said = verify(cairn.data)
        assert status == 65 and path in said and "offset" in said, f"{name}: {status}\n{said}"
        before = tree_hash(os.path.join(cairn.data, "objects"))
        message = refused(cairn)
        assert message and path in message, f"{name}: {message}"
        assert cairn.process.returncode == 65, cairn.process.returncode
        assert tree_hash(os.path.join(cairn.data, "objects")) == before, "the start changed it"
        shutil.rmtree(folder)
        print(f"metadata: {name}", flush=True)


def case_audit(source):
    folder = copy_of(source)
    audit = os.path.join(folder, "data/audit")
    path = max((os.path.join(audit, name) for name in os.listdir(audit)), key=os.path.getsize)
    assert os.path.getsize(path), "nothing was audited: there is nothing to damage"
    damage(path, "flip")
    status, said = verify(os.path.join(folder, "data"))
    assert status == 65 and path in said, f"audit: {status}\n{said}"
    shutil.rmtree(folder)
    print("audit: flip", flush=True)


def case_reserve(source):
    """More is kept in reserve than the disk has: what is there is read and deleted."""
    folder = copy_of(source)
    cairn = Cairn(BINARY, folder)
    message = refused(cairn, "--set", "data.reserve=1000tb")
    assert message is None, message
    assert cairn.request("GET", "/books/_doc/1")[0] == 200
    status, answer = cairn.request("PUT", "/books/_doc/2", {"title": "no room"})
    assert status >= 400, answer
    assert cairn.request("DELETE", "/books")[0] == 200
    assert cairn.request("GET", "/books/_doc/1")[0] == 404
    assert cairn.stop() == 0
    shutil.rmtree(folder)
    print("disk reserve: starts, reads, deletes", flush=True)


def start_below(source, name, value):
    """Starts below a limit: it works and ends well, or it says why not and no signal ends it."""
    folder = copy_of(source)
    log_file = os.path.join(folder, "log")
    ready = os.path.join(folder, "ready.json")
    which = getattr(resource, name)
    with open(log_file, "wb") as log:
        process = subprocess.Popen(
            [BINARY, "serve", "--data", os.path.join(folder, "data"), "--api-listen",
             "127.0.0.1:0", "--objects-listen", "127.0.0.1:0", "--ready-file", ready],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=lambda: resource.setrlimit(which, (value, value)))
    waited = 0
    while process.poll() is None and not os.path.exists(ready) and waited < START_S * 20:
        waited += 1
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            pass
    with open(log_file, errors="replace") as file:
        said = file.read()
    if os.path.exists(ready):
        outcome = "started"
        process.terminate()
        process.wait(90)
    else:
        assert process.poll() is not None, f"{name}={value}: hangs\n{said}"
        outcome = said.strip().splitlines()[-1] if said.strip() else ""
        assert process.returncode > 0, f"{name}={value}: died by a signal\n{said}"
        assert "cairn: " in said and "terminate called" not in said, \
            f"{name}={value}: no word why\n{said}"
    # Whatever happened, the folder is well.
    status, told = verify(os.path.join(folder, "data"))
    assert status == 0, f"{name}={value}: {told}"
    shutil.rmtree(folder)
    print(f"{name}={value}: {outcome[:150]}", flush=True)


def case_limits(source):
    """From far too little to enough, in steps: each step ends the start at another place. At night in smaller ones."""
    step = 80 if int(os.environ.get("CAIRN_ROUNDS", "5")) <= 5 else 40
    for megabytes in list(range(200, 1000, step)) + [1 << 10, 2 << 10]:
        start_below(source, "RLIMIT_AS", megabytes << 20)
    for descriptors in (24, 40, 64, 256):
        start_below(source, "RLIMIT_NOFILE", descriptors)


def main():
    folder = tempfile.mkdtemp(prefix="cairn-damage-")
    cairn = Cairn(BINARY, folder)
    cairn.start()
    for i in range(20):
        cairn.ok("PUT", f"/books/_doc/{i}", {"title": f"book {i}"})
    cairn.ok("POST", "/_security/api_key", {"name": "audited"})
    assert cairn.stop() == 0
    status, said = verify(cairn.data)
    assert status == 0, said
    failed = 0
    for case in (case_keys, case_metadata, case_audit, case_reserve, case_limits):
        try:
            case(folder)
        except AssertionError as error:
            failed += 1
            print(f"{case.__name__} failed: {error}", flush=True)
    shutil.rmtree(folder)
    print(f"{5 - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
