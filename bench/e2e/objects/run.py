#!/usr/bin/env python3
"""Object storage beside its peers and beside what the machine gives, in turns, in one run.

Question: is this the fastest object storage that one machine can have? Peers: nginx with the same
files, Ceph's radosgw (tests/ceph/rgw.sh), group-committed appends, synced files, one core of MD5.

    run.py BIN [--rounds N] [--ms N] [--folder DIR] [--keys N] [--rgw-keys N] [--only ROW,...]

BIN is the folder with cairn and bench_objects (CAIRN_BENCH=ON). DIR, on the disk in question,
defaults to the system's folder for temporary files. Requests are signed (SigV4, unsigned payload)
for Cairn and radosgw, plain for nginx. Reading rows beside nginx: servers have core 0 alone, the
generator core 1, where it polls, so that no server pays for waking it. All others: servers and generator share all cores; so does radosgw in every row,
whose three processes would suffer most from one core. Rounds take turns; medians are told, and the median
of the rounds' ratios.
Without Ceph, or without nginx, their columns are empty and the run says so.
"""

import argparse
import base64
import contextlib
import hashlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

MIB = 1 << 20
SMALL, LARGE = 4096, 64 * MIB
SMALL_KEYS, LARGE_KEYS = 10_000, 8
ZONE, DOMAIN = "use1-az1", "objects.test"


class Generator:
    """Runs bench_objects against one server."""

    def __init__(self, binary, ms):
        self.binary = binary
        self.ms = ms

    def __call__(self, command, server=None, core=None, **options):
        options = {"ms": self.ms, **(server.where if server else {}), **options}
        line = [self.binary, command]
        for name, value in options.items():
            line += ["--" + name, str(value)]
        if core is not None:
            line = ["taskset", "-c", str(core)] + line
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{command} failed: {done.stderr}")
        return json.loads(done.stdout)


class CairnServer:
    name = "Cairn"

    def __init__(self, binary, folder, core=None):
        self.cairn = Cairn(binary, folder)
        os.makedirs(folder)
        self.cairn.start("--set", f"objects.domains={DOMAIN}")
        if core is not None:
            pin(self.cairn.process.pid, core)
        with open(os.path.join(self.cairn.data, "keys/admin-s3.json")) as file:
            key = json.load(file)
        self.where = {"url": self.cairn.objects, "access": key["access_key_id"],
                      "secret": key["secret_access_key"], "bucket": "bench"}
        self.pid = self.cairn.process.pid

    def stop(self):
        self.cairn.stop()


class Nginx:
    name = "nginx"

    def __init__(self, folder, core):
        os.makedirs(os.path.join(folder, "files"))
        os.chmod(folder, 0o755)
        port = free_port()
        config = os.path.join(folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(f"""
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/files; }}
}}
""")
        self.folder = folder
        self.process = subprocess.Popen(["taskset", "-c", str(core), "nginx", "-c", config],
                                        stderr=subprocess.DEVNULL)
        self.where = {"url": f"http://127.0.0.1:{port}"}
        until = time.monotonic() + 10
        while not os.path.exists(os.path.join(folder, "nginx.pid")) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.2)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Rgw:
    name = "radosgw"

    def __init__(self, folder):
        self.folder = folder
        self.script = os.path.join(ROOT, "tests/ceph/rgw.sh")
        done = subprocess.run([self.script, "start", folder], capture_output=True, text=True)
        self.works = done.returncode == 0
        if done.returncode == 77:
            print(done.stdout.strip())
        elif not self.works:
            self.stop()
            sys.exit("radosgw did not start: " + done.stderr)
        else:
            facts = dict(line.split("=", 1) for line in done.stdout.split("\n") if "=" in line)
            facts = {name: value.strip("'") for name, value in facts.items()}
            self.where = {"url": facts["RGW_ENDPOINT"], "access": facts["RGW_ACCESS_KEY"],
                          "secret": facts["RGW_SECRET_KEY"], "bucket": "bench"}

    def resident_mib(self):
        with open(os.path.join(self.folder, "pids")) as file:
            return sum(resident_mib(line.split()[0]) for line in file if line.strip())

    def stop(self):
        subprocess.run([self.script, "stop", self.folder], check=False)


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def pin(pid, core):
    subprocess.run(["taskset", "-apc", str(core), str(pid)], check=True, stdout=subprocess.DEVNULL)


def processor_s(pid):
    """Processor time of a server once it has come to rest."""
    def now():
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = now()
    while True:
        time.sleep(0.5)
        if (after := now()) - before < 0.02:
            return after
        before = after


def resident_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS:"))


class Rows:
    """Measures, and remembers what was measured under names."""

    def __init__(self, options):
        self.options = options
        self.generate = Generator(os.path.join(options.bin, "bench_objects"), options.ms)
        self.figures = {}
        self.lines = []

    def add(self, name, figure):
        self.figures.setdefault(name, []).append(figure)

    def median(self, name, field):
        return statistics.median(figure[field] for figure in self.figures[name])

    def ratio(self, mine, other, field, share=1.0):
        """The median of the rounds' ratios: what else the machine does falls on both sides."""
        return statistics.median(a[field] / (b[field] * share)
                                 for a, b in zip(self.figures[mine], self.figures[other]))

    def wanted(self, row):
        return not self.options.only or row in self.options.only.split(",")

    def tell(self, row, cairn, peer, ratio, goal):
        good = {True: "met", False: "MISSED", None: ""}[goal[1](ratio) if ratio is not None else None]
        self.lines.append((row, cairn, peer, "" if ratio is None else f"{ratio:.2f}", goal[0], good))

    def show(self):
        head = ("work", "Cairn", "beside", "ratio", "goal", "")
        widths = [max(len(line[i]) for line in [head, *self.lines]) for i in range(6)]
        for line in [head, *self.lines]:
            print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def at_least(goal):
    return (f">= {goal:g}", lambda ratio: ratio >= goal)


def small_puts(rows, cairn, rgw, folder):
    """Every PUT makes a new object; the peers' turns are in between."""
    from_ = {"cairn": 1_000_000, "rgw": 1_000_000}
    for _ in range(rows.options.rounds):
        rows.add("append", rows.generate("appends", folder=folder, threads=16))
        for name, server, prepare in (("cairn", cairn, 20_000), ("rgw", rgw, 2_000)):
            if server is None:
                continue
            done = rows.generate("put", server, size=SMALL, connections=16, **{"from": from_[name]},
                                 prepare=prepare * rows.options.ms // 1000)
            from_[name] += done["requests"]
            rows.add("put4k." + name, done)
    mine = rows.median("put4k.cairn", "per_second")
    text = f"{mine:,.0f}/s p50 {rows.median('put4k.cairn', 'p50_ms'):.2f} ms " \
           f"p99 {rows.median('put4k.cairn', 'p99_ms'):.2f} ms"
    disk = rows.median("append", "per_second")
    rows.tell("PUT 4 KiB, 16 connections", text, f"{disk:,.0f}/s appends of 4 KiB, 16 threads",
              rows.ratio("put4k.cairn", "append", "per_second"), at_least(0.5))
    if rgw:
        peer = rows.median("put4k.rgw", "per_second")
        rows.tell("", "", f"{peer:,.0f}/s radosgw p50 {rows.median('put4k.rgw', 'p50_ms'):.1f} ms",
                  rows.ratio("put4k.cairn", "put4k.rgw", "per_second"), at_least(10))


def small_gets(rows, cairn, nginx, rgw):
    for _ in range(rows.options.rounds):
        if nginx:
            rows.add("get4k.nginx", rows.generate("get", nginx, core=1, size=SMALL, keys=SMALL_KEYS,
                                                    polls=1))
        rows.add("get4k.cairn", rows.generate("get", cairn, core=1, size=SMALL, keys=SMALL_KEYS, polls=1))
        if rgw:
            rows.add("get4k.rgw", rows.generate("get", rgw, size=SMALL, keys=rows.options.rgw_small))
    mine = rows.median("get4k.cairn", "per_second")
    text = f"{mine:,.0f}/s p50 {rows.median('get4k.cairn', 'p50_ms'):.2f} ms " \
           f"p99 {rows.median('get4k.cairn', 'p99_ms'):.2f} ms"
    for peer, server, goal in (("nginx", nginx, 0.5), ("rgw", rgw, 5)):
        if server is None:
            continue
        other = rows.median("get4k." + peer, "per_second")
        rows.tell("GET 4 KiB, 16 connections" if text else "", text,
                  f"{other:,.0f}/s {server.name} p50 {rows.median('get4k.' + peer, 'p50_ms'):.2f} ms",
                  rows.ratio("get4k.cairn", "get4k." + peer, "per_second"), at_least(goal))
        text = ""


def session_gets(rows, cairn):
    """The same objects in a directory bucket: signed in a session, beside signed without one. Both
    servers' work is the same but for the session's token."""
    bucket = f"bench--{ZONE}--x-s3"
    authority = f"{bucket}.{DOMAIN}"
    service = {"service": "s3express"}
    objects = Objects(cairn.cairn)
    objects.ok("PUT", "/" + bucket, f"""<CreateBucketConfiguration>
        <Location><Type>AvailabilityZone</Type><Name>{ZONE}</Name></Location>
        <Bucket><Type>Directory</Type><DataRedundancy>SingleAvailabilityZone</DataRedundancy></Bucket>
        </CreateBucketConfiguration>""", **service)

    def session():
        """Good for five minutes, so each round has its own."""
        made = objects.ok("GET", "/?session", host=authority, **service)
        return {**cairn.where, "bucket": "", "authority": authority,
                "access": made.text("AccessKeyId"), "secret": made.text("SecretAccessKey"),
                "session": made.text("SessionToken")}

    rows.generate("put", size=SMALL, connections=16, requests=SMALL_KEYS, **{**session(), "ms": 60_000})
    for _ in range(rows.options.rounds):
        rows.add("get4k.header", rows.generate("get", cairn, core=1, size=SMALL, keys=SMALL_KEYS, polls=1))
        rows.add("get4k.session", rows.generate("get", core=1, size=SMALL, keys=SMALL_KEYS, polls=1,
                                                **session()))
    rows.tell("GET 4 KiB, in a session", f"{rows.median('get4k.session', 'per_second'):,.0f}/s",
              f"{rows.median('get4k.header', 'per_second'):,.0f}/s signed by header, general bucket",
              rows.ratio("get4k.session", "get4k.header", "per_second"), at_least(0.8))


def completions(rows, cairn, folder):
    """Uploads of 100 parts of 5 MiB, which are copied from one object; only the completion is timed,
    as a client on a kept connection sees it."""
    objects = Objects(cairn.cairn)
    connection = objects.connect()

    def ok(method, target, body=None, headers=None):
        return objects.ok(method, target, body, headers=headers, connection=connection)

    ok("PUT", "/bench/part", bytes(5 * MIB))
    for _ in range(rows.options.rounds):
        rows.add("append1", rows.generate("appends", folder=folder, threads=1, ms=500))
        times = []
        for i in range(10):
            upload = ok("POST", f"/bench/whole-{i}?uploads=").text("UploadId")
            etags = [ok("PUT", f"/bench/whole-{i}?partNumber={n}&uploadId={upload}",
                        headers={"x-amz-copy-source": "/bench/part"}).text("ETag")
                     for n in range(1, 101)]
            parts = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{etag}</ETag></Part>"
                            for n, etag in enumerate(etags, 1))
            began = time.perf_counter()
            ok("POST", f"/bench/whole-{i}?uploadId={upload}",
               f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>")
            times.append((time.perf_counter() - began) * 1e3)
        rows.add("complete", {"p50_ms": statistics.median(times)})
    mine, disk = rows.median("complete", "p50_ms"), rows.median("append1", "p50_ms")
    rows.tell("complete 100 parts, p50", f"{mine:.2f} ms", f"{disk:.2f} ms one append of 4 KiB, synced",
              5 / mine, ("<= 5 ms", lambda ratio: ratio >= 1))


def configure_tables(objects, bucket, inventory):
    """The journal of a bucket, and maybe its inventory."""
    body = ("<MetadataConfiguration><JournalTableConfiguration><RecordExpiration>"
            "<Expiration>DISABLED</Expiration></RecordExpiration></JournalTableConfiguration>")
    if inventory:
        body += ("<InventoryTableConfiguration><ConfigurationState>ENABLED</ConfigurationState>"
                 "</InventoryTableConfiguration>")
    body = (body + "</MetadataConfiguration>").encode()
    objects.ok("POST", f"/{bucket}?metadataConfiguration=", body,
               headers={"content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()})


def journals(rows, cairn):
    """PUTs into a bucket that has a journal, beside one that has none."""
    objects = Objects(cairn.cairn)
    for bucket in ("plain", "told"):
        objects.ok("PUT", "/" + bucket)
    configure_tables(objects, "told", inventory=False)
    for _ in range(rows.options.rounds):
        for bucket in ("plain", "told"):
            before = processor_s(cairn.pid)
            done = rows.generate("put", size=SMALL, connections=16,
                                 **{**cairn.where, "bucket": bucket})
            done["processor_us"] = (processor_s(cairn.pid) - before) / done["requests"] * 1e6
            rows.add("put." + bucket, done)
    rows.tell("PUT 4 KiB, with a journal", f"{rows.median('put.told', 'per_second'):,.0f}/s",
              f"{rows.median('put.plain', 'per_second'):,.0f}/s without",
              rows.ratio("put.told", "put.plain", "per_second"), at_least(0.95))
    rows.tell("server's processor time of one", f"{rows.median('put.told', 'processor_us'):.1f} us",
              f"{rows.median('put.plain', 'processor_us'):.1f} us without; its copy is in the first",
              rows.ratio("put.told", "put.plain", "processor_us"), ("", lambda _: None))


def backfill(rows, cairn):
    """The inventory of a bucket with many objects, from its configuration until it can be searched."""
    objects = Objects(cairn.cairn)
    objects.ok("PUT", "/many")
    count = rows.options.keys
    rows.generate("put", **{**cairn.where, "bucket": "many", "size": 0, "listed": 1,
                            "connections": 32, "requests": count, "ms": 240_000})
    began = time.monotonic()
    configure_tables(objects, "many", inventory=True)
    while "BACKFILLING" in (state := objects.ok("GET", "/many?metadataConfiguration=").body.decode()) \
            or "CREATING" in state:
        time.sleep(0.05)
    if "FAILED" in state:
        sys.exit("the backfill failed: " + state)
    speed = count / (time.monotonic() - began)
    rows.tell("backfill, until searchable", f"{speed:,.0f} objects/s of {count:,}", "", speed / 50_000,
              (">= 50,000/s", lambda ratio: ratio >= 1))


def large_gets(rows, cairn, nginx):
    for _ in range(rows.options.rounds):
        for name, server in (("nginx", nginx), ("cairn", cairn)):
            if server:
                rows.add("get64m." + name, rows.generate("get", server, core=1, size=LARGE, prefix="l-",
                                                         keys=LARGE_KEYS, connections=4, polls=1))
    mine = rows.median("get64m.cairn", "mb_per_second")
    if nginx:
        other = rows.median("get64m.nginx", "mb_per_second")
        rows.tell("GET 64 MiB, 4 connections", f"{mine:,.0f} MB/s", f"{other:,.0f} MB/s nginx, sendfile",
                  rows.ratio("get64m.cairn", "get64m.nginx", "mb_per_second"), at_least(0.8))


def large_puts(rows, cairn, folder):
    for _ in range(rows.options.rounds):
        rows.add("md5", rows.generate("md5", ms=500))
        rows.add("writes", rows.generate("writes", folder=folder, threads=4))
        rows.add("put64m", rows.generate("put", cairn, size=LARGE, prefix="p-", connections=4, again=8))
    mine = rows.median("put64m", "mb_per_second")
    disk, md5 = rows.median("writes", "mb_per_second"), rows.median("md5", "mb_per_second")
    bound = min(0.7 * disk, 0.8 * md5)
    ratio = max(rows.ratio("put64m", "writes", "mb_per_second", 0.7),
                rows.ratio("put64m", "md5", "mb_per_second", 0.8))
    rows.tell("PUT 64 MiB, 4 connections", f"{mine:,.0f} MB/s",
              f"{bound:,.0f} MB/s: the smaller of 0.7 x disk ({disk:,.0f}), 0.8 x MD5 ({md5:,.0f})",
              ratio, at_least(1))


def listings(rows, cairn, rgw):
    keys = {"cairn": rows.options.keys, "rgw": rows.options.rgw_keys}
    servers = {"cairn": cairn, "rgw": rgw} if rgw else {"cairn": cairn}
    loaded = {}
    for name, server in servers.items():
        where = {**server.where, "bucket": "listed"}
        rows.generate("send", server, method="PUT", path="/listed")
        began = time.monotonic()
        rows.generate("put", None, **{**where, "size": 0, "listed": 1, "connections": 32,
                                      "requests": keys[name], "ms": 240_000})
        loaded[name] = time.monotonic() - began
    for _ in range(rows.options.rounds):
        for name, server in servers.items():
            rows.add("list." + name, rows.generate("list", None, **{**server.where, "bucket": "listed",
                                                                    "keys": keys[name], "connections": 1}))
    mine = rows.median("list.cairn", "p50_ms")
    rows.tell("LIST 1,000, p50", f"{mine:.2f} ms of {keys['cairn']:,} keys", "", 5 / mine,
              ("<= 5 ms", lambda ratio: ratio >= 1))
    if rgw:
        other = rows.median("list.rgw", "p50_ms")
        rows.tell("", "", f"{other:.1f} ms radosgw, of {keys['rgw']:,} keys", 1 / rows.ratio("list.cairn", "list.rgw", "p50_ms"),
                  at_least(10))
    print("loaded for listings: " + ", ".join(
        f"{keys[name]:,} keys of {servers[name].name} in {seconds:.0f} s" for name, seconds in loaded.items()))


def memory(rows, binary, folder, rgw):
    server = CairnServer(binary, folder)
    try:
        rows.generate("send", server, method="PUT", path="/bench")
        time.sleep(2)
        idle = resident_mib(server.pid)
        line = [rows.generate.binary, "hold", "--connections", "1000", "--path", "/bench"]
        for name, value in server.where.items():
            line += ["--" + name, str(value)]
        holder = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if b"1000" not in holder.stdout.readline():
            sys.exit("1,000 connections could not be held")
        time.sleep(1)
        more = resident_mib(server.pid) - idle
        holder.stdin.close()
        holder.wait()
    finally:
        server.stop()
    peer = f"{rgw.resident_mib():,.0f} MiB mon, OSD and radosgw" if rgw else ""
    rows.tell("memory, idle", f"{idle:.0f} MiB", peer, idle / 80,
              ("<= 80 MiB", lambda ratio: ratio <= 1))
    rows.tell("... 1,000 idle connections", f"+{more:.1f} MiB", "", more / 20,
              ("<= 20 MiB", lambda ratio: ratio <= 1))


def fill(rows, servers):
    """The objects that are read."""
    for server, small in servers:
        rows.generate("send", server, method="PUT", path="/bench")
        rows.generate("put", server, size=SMALL, connections=16, requests=small, ms=60_000)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ms", type=int, default=3000, help="of one measurement")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rgw-keys", type=int, default=20_000)
    parser.add_argument("--rgw-small", type=int, default=2_000, help="objects of 4 KiB to read there")
    parser.add_argument("--only", default="", help="put4k,get4k,session,get64m,put64m,complete,journal,list,backfill,memory")
    parser.add_argument("--no-rgw", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # what was started ends too
    rows = Rows(options)
    binary = os.path.join(options.bin, "cairn")
    folder = tempfile.mkdtemp(prefix="cairn-bench-", dir=options.folder)
    os.chmod(folder, 0o755)
    print(f"load before: {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {options.rounds} rounds", flush=True)
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)

        def started(make, *arguments):
            server = make(*arguments)
            stack.callback(server.stop)
            return server

        rgw = None
        if not options.no_rgw and any(map(rows.wanted, ("put4k", "get4k", "list"))):
            rgw = started(Rgw, os.path.join(folder, "rgw"))
            rgw = rgw if rgw.works else None
        if rgw:
            fill(rows, [(rgw, options.rgw_small)])
        if rows.wanted("memory"):
            memory(rows, binary, os.path.join(folder, "memory"), rgw)
        if any(map(rows.wanted, ("get4k", "session", "get64m"))):
            cairn = started(CairnServer, binary, os.path.join(folder, "pinned"), 0)
            nginx = None
            if shutil.which("nginx"):
                nginx = started(Nginx, os.path.join(folder, "nginx"), 0)
            else:
                print("skipped: nginx is not installed (apt-get install nginx-light)")
            fill(rows, [(cairn, SMALL_KEYS)])
            rows.generate("put", cairn, size=LARGE, prefix="l-", connections=2, requests=LARGE_KEYS, ms=60_000)
            if nginx:
                files = os.path.join(nginx.folder, "files")
                rows.generate("files", folder=files, size=SMALL, keys=SMALL_KEYS)
                rows.generate("files", folder=files, size=LARGE, keys=LARGE_KEYS, prefix="l-")
                for name in os.listdir(files):  # its worker is another user
                    os.chmod(os.path.join(files, name), 0o644)
            if rows.wanted("get4k"):
                small_gets(rows, cairn, nginx, rgw)
            if rows.wanted("session"):
                session_gets(rows, cairn)
            if rows.wanted("get64m"):
                large_gets(rows, cairn, nginx)
            cairn.stop()
        cairn = started(CairnServer, binary, os.path.join(folder, "shared"))
        rows.generate("send", cairn, method="PUT", path="/bench")
        if rows.wanted("put4k"):
            small_puts(rows, cairn, rgw, folder)
        if rows.wanted("put64m"):
            large_puts(rows, cairn, folder)
        if rows.wanted("complete"):
            completions(rows, cairn, folder)
        if rows.wanted("journal"):
            journals(rows, cairn)
        if rows.wanted("list"):
            listings(rows, cairn, rgw)
        if rows.wanted("backfill"):
            backfill(rows, cairn)
    print(f"load after: {os.getloadavg()[0]:.2f}; {time.monotonic() - began:.0f} s in all\n")
    rows.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
