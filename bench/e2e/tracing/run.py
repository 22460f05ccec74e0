#!/usr/bin/env python3
"""What traces cost the whole program: small requests with a key, by one server with its recording off, on for none,
for one in ten and for all of them, in turns. Figures are processor time of the server a request, beside that with
recording off in the same run; with --before beside an older program, too.

    run.py CAIRN [--before CAIRN] [--seconds N] [--rounds N]      needs wrk, taskset and two cores
"""

import argparse
import http.server
import os
import re
import statistics
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests"))
from cairn_server import Cairn  # noqa: E402


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def cpu_s(pid):
    """Of all its threads, those that have ended too."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(cairn, key, seconds):
    before = cpu_s(cairn.process.pid)
    said = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", "-c32", f"-d{seconds}s",
                           "-H", "Authorization: ApiKey " + key, cairn.api + "/"],
                          capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(said)
    count = int(re.search(r"(\d+) requests in", said)[1])
    return (cpu_s(cairn.process.pid) - before) / count * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--before")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{collector.server_address[1]}/v1/traces"
    wanted = {"off": {}, "on, 0%": {"CAIRN_TRACING__URL": url, "CAIRN_TRACING__SAMPLE": "0%"},
              "on, 10%": {"CAIRN_TRACING__URL": url, "CAIRN_TRACING__SAMPLE": "10%"},
              "on, 100%": {"CAIRN_TRACING__URL": url, "CAIRN_TRACING__SAMPLE": "100%"}}
    servers = {}
    try:
        for name, environment in wanted.items():
            servers[name] = Cairn(options.cairn, environment=environment).start()
        if options.before:
            servers["the older program"] = Cairn(options.before).start()
        keys = {}
        for name, cairn in servers.items():
            subprocess.run(["taskset", "-apc", "0", str(cairn.process.pid)], check=True,
                           stdout=subprocess.DEVNULL)
            keys[name] = cairn.ok("POST", "/_security/api_key", {
                "name": "bench", "metadata": {"_cairn": {"identity": {"kind": "service", "id": "b"}}}})["encoded"]
        took = {name: [] for name in servers}
        for _ in range(options.rounds):
            for name, cairn in servers.items():
                took[name].append(measured(cairn, keys[name], options.seconds))
        off = statistics.median(took["off"])
        for name, all_of_it in took.items():
            mine = statistics.median(all_of_it)
            print(f"{name:18} {mine:8.2f} us of processor time a request   {mine / off:6.3f} of off")
    finally:
        for cairn in servers.values():
            cairn.stop()


if __name__ == "__main__":
    main()
