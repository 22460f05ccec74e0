#!/usr/bin/env python3
"""What the limits cost on the way of a request: the same server with limits on and off, in turns.

Question: do the limits cost throughput that anybody notices? Goal: at most 2 % with all five
headers and all checks (counted, never refused: the limits are too high to reach, but are there).
Server and load generator have a core each. Ratios are made within each round, so that what else
the machine does falls on both sides; the median of them is told, with their spread. CPU time per
request of the server is told too: it is less disturbed than throughput.

    run.py CAIRN [--rounds N] [--seconds N] [--connections N]       needs wrk, taskset and two cores
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests"))
from cairn_server import Cairn  # noqa: E402

MANY = 4_000_000_000
LIMITS = {"plans": {"user": MANY},
          "secondary": {"concurrent": 10_000, "points_per_minute": {"rest": MANY, "graphql": MANY},
                        "cpu_ms_per_minute": {"total": MANY // 1000, "graphql": MANY // 1000}}}


def started(binary, limits):
    cairn = Cairn(binary)
    file = os.path.join(cairn.folder, "cairn.yaml")
    with open(file, "w") as out:
        json.dump({"rate_limit": limits}, out)
    cairn.start("--config", file, "--test-routes")
    key = cairn.ok("POST", "/_security/api_key", {
        "name": "bench", "role_descriptors": {"r": {"cluster": ["monitor"]}},
        "metadata": {"_cairn": {"identity": {"kind": "user", "user": "bench"}}}})["encoded"]
    subprocess.run(["taskset", "-apc", "0", str(cairn.process.pid)], check=True, stdout=subprocess.DEVNULL)
    return cairn, key


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(cairn, key, options):
    before = cpu_seconds(cairn.process.pid)
    done = subprocess.run(
        ["taskset", "-c", "1", "wrk", "-t1", f"-c{options.connections}", f"-d{options.seconds}s",
         "-H", "Authorization: ApiKey " + key, cairn.api + "/_test/core"],
        capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in done or "Socket errors" in done:
        sys.exit(done)
    requests = int(re.search(r"(\d+) requests in", done)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1])
    return rate, (cpu_seconds(cairn.process.pid) - before) / requests * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cairn")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    for tool in ("wrk", "taskset"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed")
    servers = {"off": started(options.cairn, {"enabled": False}), "on": started(options.cairn, LIMITS)}
    answer = servers["on"][0].request("GET", "/rate_limit", headers={"Authorization": "ApiKey " + servers["on"][1]})
    assert answer[1]["rate"]["limit"] == MANY, answer
    try:
        for side in servers.values():
            measured(*side, options)  # warm
        rounds = []
        for n in range(options.rounds):
            order = ("off", "on") if n % 2 == 0 else ("on", "off")
            one = {name: measured(*servers[name], options) for name in order}
            rounds.append(one)
            print(f"round {n + 1}: " + ", ".join(
                f"{name} {one[name][0]:,.0f}/s {one[name][1]:.2f} us" for name in ("off", "on")), flush=True)
    finally:
        for cairn, _ in servers.values():
            cairn.stop()
            shutil.rmtree(cairn.folder)
    ratios = sorted(one["on"][0] / one["off"][0] for one in rounds)
    cpu = [one["on"][1] - one["off"][1] for one in rounds]
    print(f"throughput with limits: {statistics.median(ratios):.3f} of that without "
          f"(from {ratios[0]:.3f} to {ratios[-1]:.3f}; goal >= 0.98)")
    print(f"CPU time of a request: {statistics.median(one['off'][1] for one in rounds):.2f} us without, "
          f"{statistics.median(cpu):+.2f} us with limits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
