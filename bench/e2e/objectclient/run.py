#!/usr/bin/env python3
"""The client library beside its peers, against one Cairn, in turns, in one run.

Question: what does a program pay for moving bytes, in processor time and in time? Peers: aws-c-s3
(Debian's python3-awscrt), awscli, curl with presigned URLs, @aws-sdk/client-s3 (npm); those that
are missing are left out, and the run says so.

    run.py BIN [--rounds N] [--gib G] [--seconds N] [--only large,small]

BIN is the folder with cairn and bench_objectclient (CAIRN_BENCH=ON). Files lie in memory (/dev/shm),
so that the client's disk is not in the figures; objects lie on the disk. Processor time is that of
the peer's whole process, as the kernel counts it, start included; resident is its highest. Rounds
take turns; medians are told, and the median of the rounds' ratios.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

SMALL_KEYS, SMALL_BYTES = 1000, 4096


def measure(command, environment, cwd=None):
    """Seconds, processor seconds, highest resident MiB and what the command printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        began = time.monotonic()
        streams = command[0] == "aws" and command[-1] == "-"
        process = subprocess.Popen(command, env=environment, stderr=err, cwd=cwd,
                                   stdout=subprocess.DEVNULL if streams else out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text = out.read()
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)[:200]} failed: {err.read()[-2000:]}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime,
            "resident_mib": usage.ru_maxrss / 1024, "text": text}


class Bench:
    def __init__(self, options, cairn, folder):
        self.options = options
        self.folder = folder
        self.ours = os.path.join(options.bin, "bench_objectclient")
        self.endpoint = cairn.objects
        with open(os.path.join(cairn.data, "keys/admin-s3.json")) as file:
            key = json.load(file)
        self.environment = dict(
            os.environ, AWS_ACCESS_KEY_ID=key["access_key_id"],
            AWS_SECRET_ACCESS_KEY=key["secret_access_key"], AWS_REGION="us-east-1",
            AWS_DEFAULT_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true")
        self.source = os.path.join(folder, "source")
        self.target = os.path.join(folder, "target")
        self.figures = {}

    def run(self, *command, cwd=None):
        return measure([str(part) for part in command], self.environment, cwd)

    def url(self, key, method):
        return self.run(self.ours, "url", self.endpoint, "bench", key, method)["text"].strip()

    def large_commands(self):
        """name -> (put, get whose bytes are thrown away, get into a file)"""
        def mine(what, file):
            return [self.ours, what, self.endpoint, "bench", "large", file]
        out = {"Cairn": (mine("put", self.source), mine("null-get", "-"), mine("get", self.target)),
               "Cairn, one request": (mine("one-put", self.source), None,
                                      mine("one-get", self.target))}
        there = subprocess.run(["/usr/bin/python3", "-c", "import awscrt.s3"], capture_output=True)
        if there.returncode != 0 or not self.endpoint.endswith(":80"):
            print("aws-c-s3 is left out: it needs python3-awscrt, and port 80 for the server")
        else:
            peer = ["/usr/bin/python3", os.path.join(HERE, "crt_peer.py")]
            out["aws-c-s3"] = (peer + ["put", self.endpoint, "bench", "large", self.source],
                               peer + ["get", self.endpoint, "bench", "large", "-"],
                               peer + ["get", self.endpoint, "bench", "large", self.target])
        if shutil.which("aws"):
            copy = ["aws", "--endpoint-url", self.endpoint, "s3", "cp", "--only-show-errors"]
            out["awscli"] = (copy + [self.source, "s3://bench/large"],
                             copy + ["s3://bench/large", "-"],
                             copy + ["s3://bench/large", self.target])
        if shutil.which("curl"):
            out["curl"] = (
                ["curl", "-sSf", "-T", self.source, self.url("large", "put")],
                ["curl", "-sSf", "-o", "/dev/null", self.url("large", "get")],
                ["curl", "-sSf", "-o", self.target, self.url("large", "get")])
        return out

    def warm_memory(self, size):
        """A virtual machine pays for memory that it gave back: nobody shall pay for others."""
        with open(self.target, "wb") as file:
            for _ in range(size >> 20):
                file.write(b"x" * (1 << 20))
        os.remove(self.target)

    def large(self):
        size = int(self.options.gib * (1 << 30))
        with open(self.source, "wb") as file:
            for _ in range(size >> 20):
                file.write(os.urandom(1 << 20))
        commands = self.large_commands()
        self.run(*commands["Cairn"][0])  # not counted: the server's first object is slow to keep
        for number in range(self.options.rounds):
            turns = list(commands.items())
            turns = turns[number % len(turns):] + turns[:number % len(turns)]
            for which, verb in enumerate(("PUT", "GET", "GET into a file")):
                if which == 1:  # the server verifies what it gives out for the first time
                    self.run(*commands["Cairn"][1])
                for name, three in turns:
                    if three[which] is None:
                        continue
                    if os.path.exists(self.target):
                        os.remove(self.target)
                    if which != 1:
                        self.warm_memory(size)
                    self.figures.setdefault((verb, name), []).append(self.run(*three[which]))
                    if which == 2 and os.path.getsize(self.target) != size:
                        sys.exit(f"{name} got another size")
        subprocess.run(["cmp", self.source, self.target], check=True)
        os.remove(self.source)
        os.remove(self.target)

    def small(self):
        self.run(self.ours, "fill", self.endpoint, "bench", "s-", SMALL_KEYS)
        node = None
        if shutil.which("npm"):
            node = os.path.join(self.options.bin, "../objectclient_peer")
            os.makedirs(node, exist_ok=True)
            shutil.copy(os.path.join(HERE, "package.json"), node)
            if not os.path.isdir(os.path.join(node, "node_modules/@aws-sdk/client-s3")):
                subprocess.run(["npm", "install", "--prefix", node, "--no-audit", "--no-fund",
                                "--loglevel=error"], check=True, stdout=subprocess.DEVNULL)
        rest = [self.endpoint, "bench", "s-", SMALL_KEYS, 16, self.options.seconds]
        for _ in range(self.options.rounds):
            self.note_small("Cairn", self.run(self.ours, "small", *rest))
            if node:
                self.note_small("@aws-sdk/client-s3",
                                self.run("node", os.path.join(HERE, "sdk_peer.mjs"), *rest, cwd=node))

    def note_small(self, name, done):
        told = json.loads(done["text"])
        if told["bytes"] != told["requests"] * SMALL_BYTES:
            sys.exit(f"{name} got other bytes")
        done["per_second"] = told["per_second"]
        self.figures.setdefault(("small", name), []).append(done)

    def median(self, key, field):
        return statistics.median(figure[field] for figure in self.figures[key])

    def ratio(self, verb, peer, field, mine="Cairn"):
        """How many times better ours is."""
        pairs = zip(self.figures[(verb, mine)], self.figures[(verb, peer)])
        if field == "per_second":
            return statistics.median(a[field] / b[field] for a, b in pairs)
        return statistics.median(b[field] / a[field] for a, b in pairs)

    def show_large(self):
        goals = {"aws-c-s3": 1.2, "awscli": 3, "curl": 0.9}
        mb = self.options.gib * (1 << 30) / 1e6
        print(f"{'':36}{'CPU s/GiB':>10}{'MB/s':>8}{'MiB':>7}{'CPU ratio':>11}{'speed ratio':>13}  goal")
        for (verb, name), figures in self.figures.items():
            if verb == "small":
                continue
            line = f"{verb + ' ' + name:36}{self.median((verb, name), 'cpu') / self.options.gib:10.2f}" \
                   f"{mb / self.median((verb, name), 'seconds'):8.0f}{self.median((verb, name), 'resident_mib'):7.0f}"
            if name in goals:
                cpu, speed = self.ratio(verb, name, "cpu"), self.ratio(verb, name, "seconds")
                line += f"{cpu:11.2f}{speed:13.2f}  >= {goals[name]:g}"
                line += "  met" if min(cpu, speed) >= goals[name] else "  MISSED"
            print(line)

    def show_small(self):
        for (verb, name), figures in self.figures.items():
            if verb != "small":
                continue
            line = f"{'GET 4 KiB, 16 at once, ' + name:46}{self.median((verb, name), 'per_second'):10,.0f}/s"
            if name != "Cairn":
                ratio = self.ratio(verb, name, "per_second")
                line += f"  ratio {ratio:.2f}  >= 2  {'met' if ratio >= 2 else 'MISSED'}"
            print(line)


def digests():
    """What a core does, for the digests that a transfer may need: seconds for a GiB."""
    out = []
    for name in ("md5", "sha256", "sha1"):
        done = subprocess.run(["openssl", "speed", "-seconds", "1", "-bytes", "65536", "-evp", name],
                              capture_output=True, text=True)
        found = re.search(r"^\S+\s+([\d.]+)k\s*$", done.stdout, re.MULTILINE)
        if found:
            out.append(f"{name} {(1 << 30) / (float(found[1]) * 1000):.2f} s/GiB")
    return ", ".join(out)


def start(cairn):
    """On port 80 where that is free and allowed: aws-c-s3 of Debian 12 knows no other for http."""
    try:
        cairn.start("--objects-listen", "127.0.0.1:80")
    except RuntimeError:
        cairn.start()


def congestion_control():
    """The system's default, which the peers use: one that paces (bbr) is slower within a machine."""
    with open("/proc/sys/net/ipv4/tcp_congestion_control") as file:
        return file.read().strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gib", type=float, default=1)
    parser.add_argument("--seconds", type=float, default=3, help="of one run of small requests")
    parser.add_argument("--only", default="large,small")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    folder = tempfile.mkdtemp(prefix="cairn-bench-client-", dir=memory)
    data = tempfile.mkdtemp(prefix="cairn-bench-server-")
    print(f"load before: {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {options.rounds} rounds, "
          f"TCP's congestion control: {congestion_control()}")
    cairn = Cairn(os.path.join(options.bin, "cairn"), data)
    start(cairn)
    try:
        bench = Bench(options, cairn, folder)
        bench.environment["PATH"] = os.environ.get("PATH", "")
        subprocess.run([os.path.join(options.bin, "cairn"), "objects", "create-bucket", "--bucket", "bench",
                        "--endpoint-url", cairn.objects], env=bench.environment, check=True,
                       stdout=subprocess.DEVNULL)
        if "large" in options.only:
            bench.large()
        if "small" in options.only:
            bench.small()
    finally:
        cairn.stop()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(data, ignore_errors=True)
    print(f"load after: {os.getloadavg()[0]:.2f}; one core: {digests()}\n")
    if "large" in options.only:
        bench.show_large()
    if "small" in options.only:
        bench.show_small()


if __name__ == "__main__":
    main()
