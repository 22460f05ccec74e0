#!/usr/bin/env python3
"""How long from exec to ready, and how much memory the idle process holds.

Question: is Cairn small enough to start on demand? Goals: under 300 ms with an empty data folder,
under 80 MiB resident when idle. Beside them, in the same run: `/bin/true` started the same way (the
floor of this measurement), and a restart on a folder with 10,000 documents.

    run.py BINARY [--runs N]
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests"))
from cairn_server import Cairn  # noqa: E402


def resident_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0


def started(cairn):
    began = time.perf_counter()
    cairn.start()
    return (time.perf_counter() - began) * 1000


def empty_runs(binary, runs):
    times, memory = [], []
    for _ in range(runs):
        folder = tempfile.mkdtemp(prefix="cairn-start-")
        cairn = Cairn(binary, folder)
        times.append(started(cairn))
        time.sleep(1.0)  # what begins in the background is part of being idle
        memory.append(resident_mib(cairn.process.pid))
        cairn.stop()
        shutil.rmtree(folder)
    return times, memory


def filled_run(binary):
    folder = tempfile.mkdtemp(prefix="cairn-start-")
    cairn = Cairn(binary, folder).start()
    for batch in range(10):
        lines = []
        for n in range(1000):
            lines.append('{"index":{"_index":"books"}}')
            lines.append('{"n":%d,"text":"document number %d of the start benchmark"}' % (n, batch * 1000 + n))
        cairn.ok("POST", "/_bulk", "\n".join(lines) + "\n")
    cairn.kill()
    took = started(cairn)
    count = cairn.ok("GET", "/books/_count")["count"]
    memory = resident_mib(cairn.process.pid)
    cairn.stop()
    shutil.rmtree(folder)
    assert count == 10_000, count
    return took, memory


def floor(runs):
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(["/bin/true"], check=True)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    times, memory = empty_runs(arguments.binary, arguments.runs)
    took, filled = filled_run(arguments.binary)
    print(f"empty data folder to ready   {statistics.median(times):7.1f} ms  (goal < 300; slowest of "
          f"{arguments.runs}: {max(times):.1f}; /bin/true: {floor(arguments.runs):.1f})")
    print(f"idle, resident               {statistics.median(memory):7.1f} MiB (goal < 80)")
    print(f"10,000 documents after kill  {took:7.1f} ms, {filled:.1f} MiB resident")


if __name__ == "__main__":
    main()
