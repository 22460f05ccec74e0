#!/usr/bin/env python3
"""What a second disk costs: writes with and without data.mirror, by turns, in one run.

    run.py CAIRN [--second FOLDER] [--seconds 5] [--rounds 3]

FOLDER: on the second disk; without it both folders lie on one, which then writes everything twice. Two servers; each in turn gets
small objects (4 KiB) from eight clients, and large ones (16 MiB) from two, for so many seconds. Every answer is durable.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

SMALL, LARGE = 4 << 10, 16 << 20


def round_of(cairn, clients, size, seconds, mark):
    """Objects in a second."""
    counts = [0] * clients
    payload = os.urandom(size)
    end = time.monotonic() + seconds

    def work(which):
        objects = Objects(cairn)
        connection = objects.connect()
        while time.monotonic() < end:
            objects.ok("PUT", f"/bench/{mark}-{which}-{counts[which] % 64}", payload,
                       connection=connection)
            counts[which] += 1
    begun = time.monotonic()
    threads = [threading.Thread(target=work, args=(which,)) for which in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("cairn")
    words.add_argument("--second")
    words.add_argument("--seconds", type=float, default=5)
    words.add_argument("--rounds", type=int, default=3)
    given = words.parse_args()
    work = tempfile.mkdtemp(prefix="cairn-mirror-bench-")
    second = os.path.join(given.second or work, "cairn-mirror-bench-copy")
    servers = {"one folder": Cairn(given.cairn, os.path.join(work, "one")),
               "mirrored": Cairn(given.cairn, os.path.join(work, "two"))}
    try:
        for name, cairn in servers.items():
            os.makedirs(cairn.folder)
            more = ["--set", "data.mirror=" + second] if name == "mirrored" else []
            cairn.start("--set", "objects.scrub_interval=0", *more)
            Objects(cairn).ok("PUT", "/bench")
        print("| | one folder | mirrored | share |\n|---|---|---|---|")
        for what, clients, size in (("4 KiB", 8, SMALL), ("16 MiB", 2, LARGE)):
            figures = {name: [] for name in servers}
            for turn in range(given.rounds):
                for name, cairn in servers.items():
                    figures[name].append(round_of(cairn, clients, size, given.seconds,
                                                  f"{size}-{turn}"))
            one, two = (statistics.median(each) for each in figures.values())
            unit = "puts/s" if size == SMALL else "MiB/s"
            scale = 1 if size == SMALL else size >> 20
            print(f"| {what} | {one * scale:.0f} {unit} | {two * scale:.0f} {unit} | {two / one:.2f} |")
    finally:
        for cairn in servers.values():
            if cairn.process is not None and cairn.process.poll() is None:
                cairn.stop()
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(second, ignore_errors=True)


if __name__ == "__main__":
    main()
