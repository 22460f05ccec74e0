#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small requests while heavy searches run: p50 and p99 of /_health/live and GET /, first on an idle
server, then beside so many requests that compute without a break, and how long work goes on after
its client has gone.

    bench/e2e/busy/run.py build/release/bin/cairn [--heavy 4] [--seconds 8] [--searches 300]

The heavy request is one _msearch of many searches with aggregations; each small one has a connection
of its own that is kept. Goals: p99 below 20 ms beside four heavy ones on two cores, and no CPU for
anybody 100 ms after the last client has gone (the search's own steps included).

Small requests are measured by a process that does nothing else. By turns with them it sends a byte to
a process that sends it back at once: what that takes is the machine's doing (its cores are all busy,
perhaps with other people's work), and no server in its place could be much faster.
"""
import argparse, gc, http.client, json, os, random, socket, subprocess, sys, tempfile, threading, time


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--heavy", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--searches", type=int, default=300, help="in one heavy request")
    parser.add_argument("--measure", help=argparse.SUPPRESS)  # host:port of a server; what run.py starts
    return parser.parse_args()


def echo():
    """A socket whose other end is a process that sends back what it gets."""
    mine, other = socket.socketpair()
    if os.fork() == 0:
        mine.close()
        while byte := other.recv(1):
            other.send(byte)
        os._exit(0)
    other.close()
    return mine


def measure_small(address, seconds):
    """Prints times of small requests and of an echo, by path, as JSON."""
    gc.disable()
    beside = echo()
    headers = {"Authorization": os.environ["BUSY_AUTHORIZATION"]}
    host, port = address.split(":")
    found = {}
    for path in ("/_health/live", "/"):
        times, echoes = [], []
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        until = time.monotonic() + seconds / 2
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.request("GET", path, headers=headers)
            connection.getresponse().read()
            times.append(time.perf_counter() - began)
            time.sleep(0.001)
            began = time.perf_counter()
            beside.send(b"x")
            beside.recv(1)
            echoes.append(time.perf_counter() - began)
            time.sleep(0.001)
        found[path] = [times, echoes]
    print(json.dumps(found))


def start(cairn, folder):
    ready = os.path.join(folder, "ready.json")
    server = subprocess.Popen(
        [cairn, "serve", "--data", os.path.join(folder, "data"), "--api-listen", "127.0.0.1:0",
         "--objects-listen", "127.0.0.1:0", "--ready-file", ready],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(ready) or os.path.getsize(ready) == 0:
        if server.poll() is not None:
            sys.exit(f"cairn ended with {server.returncode}")
        time.sleep(0.02)
    facts = json.load(open(ready))
    host, port = facts["api"].removeprefix("http://").split(":")
    text = open(os.path.join(folder, "data", "keys", "admin.key")).read()
    encoded = [word for word in text.replace('"', " ").split() if len(word) > 20][-1]
    return server, host, int(port), encoded


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def main():
    args = parse()
    if args.measure:
        return measure_small(args.measure, args.seconds)
    with tempfile.TemporaryDirectory() as folder:
        server, host, port, key = start(args.cairn, folder)
        try:
            measure(args, server, host, port, {"Authorization": "ApiKey " + key})
        finally:
            began = time.monotonic()
            server.terminate()
            server.wait(60)
            print(f"stopped within {time.monotonic() - began:.1f} s")


def measure(args, server, host, port, headers):
    def ask(method, path, body=None, kind="application/json"):
        connection = http.client.HTTPConnection(host, port, timeout=120)
        connection.request(method, path, body, {**headers, "Content-Type": kind} if body else headers)
        reply = connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            sys.exit(f"{method} {path}: {reply.status} {text[:300]}")
        return text

    random.seed(3)
    words = [f"w{n}" for n in range(2000)]
    ask("PUT", "/busy", json.dumps({"mappings": {"properties": {
        "text": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"}}}}))
    for block in range(15):
        lines = []
        for n in range(2000):
            lines.append('{"index":{}}')
            lines.append(json.dumps({"text": " ".join(random.choices(words[:200], k=40)),
                                     "tag": random.choice(words), "n": random.randrange(10000)}))
        ask("POST", "/busy/_bulk", "\n".join(lines) + "\n", "application/x-ndjson")
    ask("POST", "/busy/_refresh")
    one = {"query": {"match": {"text": " ".join(words[:30])}}, "size": 50,
           "aggs": {"t": {"terms": {"field": "tag", "size": 100}}, "a": {"avg": {"field": "n"}}}}
    heavy = "".join("{}\n" + json.dumps(one) + "\n" for _ in range(args.searches)).encode()
    head = ("POST /busy/_msearch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
            f"Authorization: {headers['Authorization']}\r\nContent-Length: {len(heavy)}\r\n\r\n").encode()
    began = time.monotonic()
    ask("POST", "/busy/_msearch", heavy, "application/x-ndjson")
    print(f"one heavy request alone: {time.monotonic() - began:.2f} s")

    stop = threading.Event()
    done = [0]

    def burden():
        while not stop.is_set():
            with socket.create_connection((host, port)) as peer:
                peer.sendall(head + heavy)
                peer.settimeout(0.2)
                while not stop.is_set():
                    try:
                        if not peer.recv(1 << 20):
                            break
                    except TimeoutError:
                        continue

    def row(name):
        measured = subprocess.run(
            [sys.executable, __file__, args.cairn, "--measure", f"{host}:{port}", "--seconds", str(args.seconds)],
            env={**os.environ, "BUSY_AUTHORIZATION": headers["Authorization"]}, check=True, capture_output=True)
        for path, (times, echoes) in json.loads(measured.stdout).items():
            print(f"{name:24} {path:14} p50 {percentile(times, .5):7.2f} ms   "
                  f"p99 {percentile(times, .99):7.2f} ms   max {max(times) * 1000:7.1f} ms   n {len(times):5}   "
                  f"echo p50 {percentile(echoes, .5):5.2f} ms   p99 {percentile(echoes, .99):6.2f} ms", flush=True)

    row("idle")
    threads = [threading.Thread(target=burden) for _ in range(args.heavy)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    row(f"beside {args.heavy} heavy ones")
    stop.set()
    for thread in threads:
        thread.join()  # all their connections are closed
    left = time.monotonic()
    last = cpu_seconds(server.pid)
    idle_since = None
    while time.monotonic() - left < 30:
        time.sleep(0.02)
        now = cpu_seconds(server.pid)
        if now != last:
            idle_since, last = None, now
        elif idle_since is None:
            idle_since = time.monotonic()
        elif time.monotonic() - idle_since > 0.5:
            break
    print(f"computing ended {max(0.0, (idle_since or time.monotonic()) - left) * 1000:.0f} ms after the "
          "last client had gone (in steps of 20 ms)")


main()
