#!/usr/bin/env python3
"""Backups beside restic and beside a plain copy, of the same data folder on the same disk, in one run.

    run.py CAIRN [--mib 1024] [--small 20000]

A server gets so many MiB of bodies of 1 MiB that do not compress, and so many small objects. Then, each on the disk of the
folder: a first backup, a second one with nothing new, one with a hundredth of the bodies new; verify; restore. restic (Debian's)
does the same with the folder of the server at rest, and `cp -a` copies it. What a backup ends with is durable, as a restore is.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402


def timed(*words, environment=None):
    begun = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, **(environment or {})))
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed: {done.stderr[-2000:]}")
    return time.monotonic() - begun


def put(cairn, first, count, size):
    objects, connection = Objects(cairn), None
    connection = objects.connect()
    for i in range(first, first + count):
        objects.ok("PUT", f"/bench/{size}/{i:08}", os.urandom(size), connection=connection)


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("cairn")
    arguments.add_argument("--mib", type=int, default=1024)
    arguments.add_argument("--small", type=int, default=20000)
    given = arguments.parse_args()
    if shutil.which("restic") is None:
        subprocess.run(["apt-get", "install", "-y", "-q", "restic"], check=True, stdout=subprocess.DEVNULL)
    work = tempfile.mkdtemp(prefix="cairn-bench-")
    cairn = Cairn(given.cairn)
    start = ("--set", f"path.repo={work}", "--set", "rate_limit.enabled=false")
    cairn.start(*start)
    Objects(cairn).ok("PUT", "/bench")
    put(cairn, 0, given.mib, 1 << 20)
    put(cairn, 0, given.small, 1000)
    place, key = os.path.join(work, "backups"), os.path.join(work, "key")
    server = {"CAIRN_SERVER": cairn.api, "CAIRN_KEY_FILE": os.path.join(cairn.data, "keys/admin.key")}
    ours = lambda verb, *more: timed(given.cairn, "backup", verb, place, "--backup-key", key, *more, environment=server)  # noqa: E731
    ours("init")
    figures = {"first": [ours("create")], "nothing new": [ours("create")]}
    put(cairn, given.mib, max(given.mib // 100, 1), 1 << 20)
    figures["a hundredth new"] = [ours("create")]
    figures["verify"] = [ours("verify")]
    figures["restore"] = [ours("restore", "--into", os.path.join(work, "ours"))]
    size = folder_bytes(os.path.join(work, "ours"))
    cairn.stop()
    theirs = {"RESTIC_REPOSITORY": os.path.join(work, "restic"), "RESTIC_PASSWORD": "x", "RESTIC_CACHE_DIR": os.path.join(work, "cache")}
    restic = lambda *more: timed("restic", "-q", *more, environment=theirs)  # noqa: E731
    restic("init")
    figures["first"].append(restic("backup", cairn.data))
    figures["nothing new"].append(restic("backup", cairn.data))
    cairn.start(*start)
    put(cairn, 2 * given.mib, max(given.mib // 100, 1), 1 << 20)
    cairn.stop()
    figures["a hundredth new"].append(restic("backup", cairn.data))
    figures["verify"].append(restic("check", "--read-data"))
    figures["restore"].append(restic("restore", "latest", "--target", os.path.join(work, "theirs")))
    copied = timed("cp", "-a", cairn.data, os.path.join(work, "copy")) + timed("sync")
    print(f"{size / (1 << 20):,.0f} MiB; cp -a and sync {copied:.1f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| | Cairn, s (MiB/s) | restic, s | ratio |\n|---|---|---|---|")
    for name, (mine, other) in figures.items():
        print(f"| {name} | {mine:.2f} ({size / (1 << 20) / mine:,.0f}) | {other:.2f} | {other / mine:.1f} |")
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
