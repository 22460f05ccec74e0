#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to ask a node that stands by: gets, searches and writes at the node that serves, through the
other node (TLS between them), and through nginx as a proxy with kept connections (plain), in turns; searches
also by the node that stands by itself (preference=_local), and while the one that serves stands still. The store
is the object storage of another Cairn. Figures are of one run: requests a second and the median latency, with
one connection and with several, and processor time of all that answer. Everything shares the machine's cores.

    run.py CAIRN [--seconds N] [--rounds N] [--connections N]       needs wrk and nginx
    run.py CAIRN --idle [--indices N]       what idle nodes ask of the cluster, by operation: nothing else is needed
"""

import argparse
import collections
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests")
sys.path[:0] = [TESTS, os.path.join(TESTS, "remote")]
from cairn_server import Cairn  # noqa: E402
from node_group import NodeGroup, patiently  # noqa: E402
from s3_requests import Objects  # noqa: E402

SCRIPTS = {
    "get": 'wrk.path = "/notes/_doc/7"',
    "search": 'wrk.method = "POST"; wrk.path = "/notes/_search"\n'
              'wrk.headers["Content-Type"] = "application/json"\n'
              'wrk.body = \'{"query":{"match":{"text":"word7"}}}\'',
    "local": 'wrk.method = "POST"; wrk.path = "/notes/_search?preference=_local"\n'
             'wrk.headers["Content-Type"] = "application/json"\n'
             'wrk.body = \'{"query":{"match":{"text":"word7"}}}\'',
    "write": 'wrk.method = "POST"; wrk.path = "/written/_doc"\n'
             'wrk.headers["Content-Type"] = "application/json"\n'
             'wrk.body = \'{"text":"a short note of nine words, as many are"}\'',
}


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(url, key, script, connections, seconds, pids):
    before = sum(map(cpu_s, pids))
    said = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
                           "-H", "Authorization: ApiKey " + key, url],
                          capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(said)
    count = int(re.search(r"(\d+) requests in", said)[1])
    value, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", said).groups()
    median_us = float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]
    return count / seconds, median_us, (sum(map(cpu_s, pids)) - before) / count * 1e6


def start_nginx(folder, target):
    port = free_port()
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(f"""
daemon off; pid {folder}/pid; error_log {folder}/error; worker_processes 1;
events {{ worker_connections 1024; }}
http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
 fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
 upstream node {{ server {target}; keepalive 64; }}
 server {{ listen 127.0.0.1:{port}; keepalive_requests 1000000;
  location / {{ proxy_pass http://node; proxy_http_version 1.1; proxy_set_header Connection "";
   proxy_set_header Host $host; }} }} }}
""")
    process = subprocess.Popen(["nginx", "-p", folder, "-c", os.path.join(folder, "nginx.conf")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, f"http://127.0.0.1:{port}"


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def worker_of(pid):
    said = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return int(said[0])


def fill(node):
    lines = []
    for i in range(20_000):
        lines += ['{"index":{"_index":"notes","_id":"%d"}}' % i,
                  '{"text":"word%d word%d word%d and some more of them"}' % (i % 97, i % 13, i % 1009)]
    node.ok("POST", "/_bulk?refresh=true", "\n".join(lines) + "\n",
            headers={"Content-Type": "application/x-ndjson"})
    node.ok("PUT", "/written", {})


def asked_of(cluster):
    """Requests that the cluster has answered so far."""
    text = cluster.request("GET", "/_metrics")[1]
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith("cairn_http_requests_total{") and 'surface="objects"' in line)


def asked_by_operation(cluster):
    text, out = cluster.request("GET", "/_metrics")[1], collections.Counter()
    for line in text.splitlines():
        if line.startswith("cairn_http_requests_total{") and 'surface="objects"' in line:
            operation = re.search(r'(?:operation|route)="([^"]*)"', line)
            out[operation[1] if operation else "requests"] += float(line.rsplit(" ", 1)[1])
    return out


def show_idle(cluster, group, indices):
    """Requests a minute of the node that serves, and of one that stands by besides."""
    def in_a_minute(what, before=None):
        time.sleep(75)  # what has just begun ends, and what is done once in half a minute was done
        first, began = asked_by_operation(cluster), time.monotonic()
        time.sleep(90)  # three rounds of a node that stands by
        found = {name: (count - first[name]) * 60 / (time.monotonic() - began)
                 for name, count in asked_by_operation(cluster).items()}
        more = {name: rate - (before or {}).get(name, 0) for name, rate in found.items()}
        shown = ", ".join(f"{name} {rate:.0f}" for name, rate in sorted(more.items(), key=lambda one: -one[1])
                          if abs(rate) >= 0.5)
        print(f"{what}: {sum(more.values()):.0f} requests a minute to the cluster ({shown})", flush=True)
        return found
    serving = group.add()
    for i in range(indices):
        serving.ok("PUT", f"/idle-{i}", {})
    alone = in_a_minute(f"idle, with {indices} indices, the node that serves")
    standing = group.add()
    patiently(lambda: '"event":"reads"' in standing.log_tail(1000))
    in_a_minute("… one that stands by", alone)


def memory_mb(node):
    with open(f"/proc/{node.process.pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1]) / 1024


def show_silence(serving, standing):
    """How long a search waits when the node that serves has just stopped to answer."""
    search = ("POST", "/notes/_search", {"query": {"match": {"text": "word7"}}})
    waits = []
    for _ in range(5):
        serving.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        standing.ok(*search)
        waits.append(time.monotonic() - began)
        began = time.monotonic()
        for _ in range(20):
            standing.ok(*search)
        next_ms = (time.monotonic() - began) / 20 * 1e3
        serving.process.send_signal(signal.SIGCONT)
        time.sleep(2)
    print(f"the node that serves stands still: the first search waits {statistics.median(waits):.2f} s "
          f"({max(waits):.2f} at most), the next ones take {next_ms:.1f} ms each")


def show_requests(cluster, node, standing, group):
    """What nodes ask of the cluster, idle and for work of one client."""
    def during(act):
        before, began = asked_of(cluster), time.monotonic()
        act()
        return asked_of(cluster) - before, time.monotonic() - began
    time.sleep(10)  # merges end
    idle, took = during(lambda: time.sleep(30))
    print(f"memory: {memory_mb(node):.0f} MB of the node that serves, {memory_mb(standing):.0f} MB of one that "
          "stands by")
    print(f"idle: {idle / took / len(group.nodes):.1f} requests of a node to the cluster in a second")
    for name, method, path, body in (
            ("writes, one after another", "POST", "/written/_doc", {"text": "a short note"}),
            ("searches", "POST", "/notes/_search", {"query": {"match": {"text": "word7"}}}),
            ("searches by the node that stands by", "POST", "/notes/_search?preference=_local",
             {"query": {"match": {"text": "word7"}}})):
        asked = standing if "_local" in path else node

        def work():
            connection = asked.connect()
            for _ in range(1_000):
                asked.ok(method, path, body, connection=connection)
        count, took = during(work)
        print(f"1,000 {name}: {count - idle / 30 * took:.0f} requests to the cluster besides")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--indices", type=int, default=50)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn-bench-")
    cluster = Cairn(options.cairn).start()
    group, nginx = NodeGroup(options.cairn, lease_s=10), None
    try:
        pair = Objects(cluster)
        pair.ok("PUT", "/bench")
        os.environ.update(AWS_ACCESS_KEY_ID=pair.access_key, AWS_SECRET_ACCESS_KEY=pair.secret,
                          CAIRN_TEST_STORE=f"s3://bench/{{name}}?endpoint={cluster.objects}")
        if options.idle:
            return show_idle(cluster, group, options.indices)
        serving, standing = group.add(), group.add()
        fill(standing)
        key = serving.ok("POST", "/_security/api_key", {
            "name": "bench", "metadata": {"_cairn": {"identity": {"kind": "service", "id": "b"}}}})["encoded"]
        patiently(lambda: standing.request("GET", "/notes/_doc/7")[0] == 200)
        patiently(lambda: '"event":"reads"' in standing.log_tail(1000))
        nginx, through_nginx = start_nginx(folder, urllib.parse.urlsplit(serving.api).netloc)
        patiently(lambda: subprocess.run(["curl", "-sf", through_nginx + "/_health/live"],
                                         capture_output=True).returncode == 0)
        owner, other, proxy = serving.process.pid, standing.process.pid, worker_of(nginx.pid)
        ways = {"the node that serves": (serving.api, [owner]),
                "through another node": (standing.api, [owner, other]),
                "through nginx": (through_nginx, [owner, proxy])}
        for name, text in SCRIPTS.items():
            script = os.path.join(folder, name + ".lua")
            with open(script, "w") as file:
                file.write(text + "\n")
            for connections in (1, options.connections):
                took = {way: [] for way in ways}
                for _ in range(options.rounds):
                    for way, (url, pids) in ways.items():
                        took[way].append(measured(url, key, script, connections, options.seconds, pids))
                first = [statistics.median(column) for column in zip(*took["the node that serves"])]
                for way, rows in took.items():
                    rate, median_us, cpu_us = [statistics.median(column) for column in zip(*rows)]
                    print(f"{name:7} {connections:3} connections  {way:21} {rate:9.0f}/s "
                          f"({rate / first[0]:5.2f})  {median_us:8.0f} us ({median_us / first[1]:5.2f})  "
                          f"{cpu_us:6.1f} us of processor time ({cpu_us / first[2]:5.2f})", flush=True)
        show_requests(cluster, serving, standing, group)
        show_silence(serving, standing)
    finally:
        if nginx:
            nginx.terminate()
            nginx.wait()
        group.end()
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
