#!/usr/bin/env python3
"""How many decisions other programs get of the limiter, one in a request and a hundred.

Question: can a proxy ask for each of its requests? Goal: 100,000 decisions a second over kept connections, p99 at
most 1 ms for one of them. Beside it, in the same run: what the server does for a probe that decides nothing
(/_health/live), which is the bound. Server and load generator have a core each.

    run.py CAIRN [--seconds N] [--connections N]       needs wrk, taskset and two cores
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests"))
from cairn_server import Cairn  # noqa: E402

MANY = 4_000_000_000
IDENTITIES = 1_000
MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def scripts(folder):
    """Texts of wrk: bodies that ask for other identities each time."""
    one = """local n = 0
request = function()
  n = (n + 1) % IDENTITIES
  return wrk.format("POST", nil, nil, '{"identity":"user:u' .. n .. '"}')
end
""".replace("IDENTITIES", str(IDENTITIES))
    hundred = """local bodies = {}
for b = 0, 9 do
  local checks = {}
  for i = 1, 100 do checks[i] = '{"identity":"user:u' .. (b * 100 + i) .. '"}' end
  bodies[b] = '{"checks":[' .. table.concat(checks, ",") .. ']}'
end
local n = 0
request = function()
  n = (n + 1) % 10
  return wrk.format("POST", nil, nil, bodies[n])
end
"""
    paths = {}
    for name, text in (("one", one), ("hundred", hundred)):
        paths[name] = os.path.join(folder, name + ".lua")
        with open(paths[name], "w") as file:
            file.write(text)
    return paths


def measured(cairn, key, options, path, script=None, connections=None):
    """Requests a second, and the time within which 99 of 100 were answered, in ms."""
    done = subprocess.run(
        ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections or options.connections}", f"-d{options.seconds}s",
         "--latency", "-H", "Authorization: ApiKey " + key, "-H", "Content-Type: application/json",
         *(["-s", script] if script else []), cairn.api + path],
        capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in done or "Socket errors" in done:
        sys.exit(done)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1])
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done).groups()
    return rate, float(number) * MS[unit]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    cairn = Cairn(options.cairn)
    settings = os.path.join(cairn.folder, "cairn.yaml")
    with open(settings, "w") as file:
        json.dump({"rate_limit": {"plans": {"user": MANY},
                                  "secondary": {"points_per_minute": {"rest": MANY, "graphql": MANY}}}}, file)
    cairn.start("--config", settings)
    folder = tempfile.mkdtemp(prefix="cairn-bench-")
    try:
        subprocess.run(["taskset", "-apc", "0", str(cairn.process.pid)], check=True, stdout=subprocess.DEVNULL)
        key = cairn.ok("POST", "/_security/api_key", {
            "name": "bench", "role_descriptors": {"r": {"cluster": ["check_limits"]}}})["encoded"]
        paths = scripts(folder)
        bound, _ = measured(cairn, key, options, "/_health/live")
        print(f"/_health/live          {bound:10,.0f} requests a second on one core: the bound")
        one, p99 = measured(cairn, key, options, "/_cairn/limits/_check", paths["one"])
        print(f"_check, one            {one:10,.0f} decisions a second, {one / bound:.2f} of the bound, p99 {p99:.2f} ms")
        alone, p99 = measured(cairn, key, options, "/_cairn/limits/_check", paths["one"], 1)
        print(f"_check, one connection {alone:10,.0f} decisions a second, p99 {p99:.2f} ms")
        many, p99 = measured(cairn, key, options, "/_cairn/limits/_check", paths["hundred"])
        print(f"_check, a hundred      {many * 100:10,.0f} decisions a second, {many * 100 / one:.1f} times as many")
    finally:
        cairn.kill()
        shutil.rmtree(cairn.folder)
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
