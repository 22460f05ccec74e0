#!/usr/bin/env python3
"""What a client can make large costs in proportion: for n, 2n and 4n of it the steps of the whole
program are counted (not the time), and grow at most as n log n, or are refused before the work.

The inputs come from the table of routes: every route is asked with a long path, a long query and
many parameters, every one that takes a body with what inputs.py makes for it. A route without a row
there fails the test.

    complexity_test.py CAIRN_STEPS [PATTERN]      CAIRN_STEPS: the program that counts (steps.cc)
"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "models")]
import inputs  # noqa: E402
import random_decoders  # noqa: E402
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

# From 2n to 4n the work grows by twice what it grew by from n to 2n, a little more with a
# logarithm; where it is quadratic, by four times.
GROWTH = 2.8
# The work for 4n beside that for 2n, where nothing is known of n.
TWICE = 2.4
# Upkeep in the background, and what the first request of a kind sets up.
SLACK = 3_000_000
# A busy machine can let upkeep of earlier inputs fall into every try of one. What costs too much
# does so each time that it is measured.
MEASURED = 3
# Steps in 20 ms that upkeep takes at rest, and how long is waited for that.
REST = 50_000
REST_WAIT_S = 5


class Steps:
    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(bytes(8))

    def now(self):
        with open(self.path, "rb") as file:
            return struct.unpack("<Q", file.read(8))[0]

    def wait_for_rest(self):
        until = time.monotonic() + REST_WAIT_S
        before = self.now()
        while time.monotonic() < until:
            time.sleep(0.02)
            now = self.now()
            if now - before < REST:
                return
            before = now


def any_route(route):
    """Inputs that every route gets: names and parameters."""
    method, path = route["method"], route["path"]
    filled = re.sub(r"\{[a-z_.]+\}", "x", path)
    # Where there is no name to make long, the path itself is.
    long = re.sub(r"\{[a-z_.]+\}", "@", path, count=1) if "{" in path else path.rstrip("/") + "/@"
    long = re.sub(r"\{[a-z_.]+\}", "x", long)
    return [
        ("a long path", 2000, lambda n: (method, long.replace("@", "x" * n), None, None)),
        ("a list of names", 500,
         lambda n: (method, long.replace("@", ",".join(f"n{i}" for i in range(n))), None, None)),
        ("a long parameter", 2000, lambda n: (method, f"{filled}?x={'x' * n}", None, None)),
        # All as long as each other: a longer name is compared with more of those that it may have meant.
        ("many parameters", 500, lambda n: (
            method, filled + "?" + "&".join(f"p{i:04}=1" for i in range(n)), None, None)),
        ("a long header field", 2000, lambda n: (method, filled, None, None, {"x-any": "x" * n})),
    ][:4 if path == "/_cairn/events" else 5]  # whose answer does not end


def any_body(route):
    """Inputs that every strict JSON body gets."""
    method, path = route["method"], re.sub(r"\{[a-z_.]+\}", "x", route["path"])
    return [
        ("unknown members", 1000,
         lambda n: (method, path, json.dumps({f"m{i}": 1 for i in range(n)}), inputs.JSON)),
        ("a long string", 50_000, lambda n: (method, path, json.dumps({"m": "x" * n}), inputs.JSON)),
        ("depth", 2000, lambda n: (method, path, '{"a":' * n + "1" + "}" * n, inputs.JSON)),
    ]


def any_document(row):
    """Inputs that every strict XML body gets."""
    method, path = row["method"], row["path"].replace("{bucket}", "cost").replace("{key}", "k1")
    target = f"{path}?{row['query']}="
    return [
        ("elements", 1000, lambda n: (method, target, "<A>" + "<b/>" * n + "</A>", inputs.XML)),
        ("depth", 500, lambda n: (method, target, "<a>" * n + "</a>" * n, inputs.XML)),
        ("attributes", 500, lambda n: (
            method, target, "<A " + " ".join(f'a{i}="1"' for i in range(n)) + "/>", inputs.XML)),
        ("a long text", 50_000, lambda n: (method, target, "<A>" + "x" * n + "</A>", inputs.XML)),
    ]


def table(binary, *more):
    out = subprocess.run([binary, "routes", *more], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def platform_inputs(binary, faults):
    for method, path, operation, *_ in table(binary):
        route = {"method": method, "path": path}
        rows = list(any_route(route))
        if operation in inputs.ROUTES:
            rows += inputs.ROUTES[operation]
            if method in ("POST", "PUT"):
                rows += any_body(route)
        elif operation in inputs.SMALL_BODIES:
            rows += any_body(route)
        elif operation not in inputs.NAMES_ONLY:
            faults.append(f"{method} {path} ({operation}) has no row in inputs.py")
        for name, size, make in rows:
            yield f"{method} {path}: {name}", size, make


def object_inputs(binary, faults):
    for operation, method, path, query in table(binary, "--objects"):
        rows = list(inputs.OBJECTS.get(operation, []))
        words = [word for word in query.split() if not word.endswith(":")]
        row = {"method": method, "path": path, "query": words[0] if words else "x"}
        if operation in inputs.SMALL_DOCUMENTS or (rows and method != "GET" and row["query"] != "-"):
            rows += any_document(row)
        rows += any_route({"method": method, "path": path})[:1]
        rows += any_route({"method": method, "path": path})[2:]
        if method in ("PUT", "POST") and operation not in inputs.OBJECTS \
                and operation not in inputs.SMALL_DOCUMENTS + ["CopyObject", "CreateMultipartUpload", "UploadPartCopy"]:
            faults.append(f"{operation} has no row in inputs.py")
        for name, size, make in rows:
            yield f"{operation}: {name}", size, make


def account_of(cairn):
    return cairn.ok("GET", "/_security/object_key")["object_keys"][0]["account"]


class Asker:
    """Sends inputs, and counts."""

    def __init__(self, cairn, steps):
        self.cairn, self.steps = cairn, steps
        self.objects = Objects(cairn)
        self.account = account_of(cairn)

    def api(self, request):
        method, path, body, media, *fields = request
        headers = {"Content-Type": media} if media else {}
        headers.update(fields[0] if fields else {})
        return self.cairn.request(method, path, body, headers=headers,
                                  connection=self.cairn.connect(300))[0]

    def s3(self, request):
        method, path, body, media, *fields = request
        headers = {"Content-Type": media} if media else {}
        headers.update(fields[0] if fields else {})
        if "x-amz-account-id" in headers:
            headers["x-amz-account-id"] = self.account
            body = body and body.replace("{account}", self.account)
        target, _, query = path.partition("?")
        return self.objects.ask(method, f"{target}?{query}" if query else target, body, headers,
                                connection=self.objects.connect(300)).status

    def cost(self, send, request):
        """The least of some tries: upkeep may fall into one."""
        least = None
        for _ in range(3):
            before = self.steps.now()
            status = send(request)
            spent = self.steps.now() - before
            least = spent if least is None else min(least, spent)
            if spent < SLACK or spent > 40 * SLACK:
                break
        return least, status

    def costs(self, send, inputs_of):
        """The costs of each input, and the worst status that is a fault."""
        costs, fault = [], None
        for request in inputs_of:
            cost, status = self.cost(send, request)
            costs.append(cost)
            if status >= 500 and status not in (501, 502, 503):
                fault = status
        return costs, status, fault


def grows_too_much(once, twice, four_times):
    # The smallest may have cost the most: what came after it was refused early, or the first
    # request of a kind set something up. Then the larger two alone are compared.
    most = GROWTH * (twice - once) if twice > once else TWICE * twice - twice
    return four_times - twice > most + SLACK


def import_decoder(cairn):
    """A small decoder that completes and chats, with endpoints for both."""
    folder = os.path.join(cairn.folder, "cost-decoder")
    random_decoders.make("llama", folder, files={
        "chat_template.jinja": "{% for m in messages %}{{ m.role + ' ' + m.content }} {% endfor %}"})
    key_file = os.path.join(cairn.data, "keys", "admin.key")
    subprocess.run([cairn.binary, "model", "import", folder, "--server", cairn.api, "--key-file",
                    key_file], check=True, capture_output=True, timeout=120)
    for task in ("completion", "chat_completion"):
        cairn.ok("PUT", f"/_inference/{task}/cost-{task}?timeout=-1", {
            "service": "cairn", "service_settings": {
                "model_id": "cost-decoder", "num_threads": 1, "num_allocations": 1}})


def prepare(cairn):
    cairn.ok("PUT", "/books", {"mappings": {"properties": {
        "text": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"},
        "dense": {"type": "dense_vector", "dims": 4}, "sparse": {"type": "sparse_vector"},
        "meaning": {"type": "semantic_text"}}}})
    documents = "".join(json.dumps(line) + "\n" for i in range(100) for line in (
        {"index": {"_id": str(i)}},
        {"text": inputs.words(30), "tag": f"t{i % 10}", "n": i, "dense": [1, 0, i, 2],
         "sparse": {"a": 1.0, f"t{i}": 2.0}}))
    cairn.ok("POST", "/books/_bulk?refresh=true", documents,
             headers={"Content-Type": inputs.NDJSON})
    for name in ("bulk", "wide", "synced"):
        cairn.ok("PUT", f"/{name}", {})
    cairn.ok("PUT", "/_connector/cost",
             {"index_name": "synced", "name": "n", "service_type": "directory"})
    cairn.ok("PUT", "/_connector/events", {"service_type": "s3"})
    import_decoder(cairn)
    objects = Objects(cairn)
    objects.ok("PUT", "/cost")
    objects.ok("PUT", "/v20180820/accesspoint/cost",
               b"<CreateAccessPointRequest><Bucket>cost</Bucket></CreateAccessPointRequest>",
               headers={"x-amz-account-id": account_of(cairn)})
    connection = objects.connect()
    for i in range(400):
        objects.ok("PUT", f"/cost/k{i}", b"x", connection=connection)


def main():
    sys.setrecursionlimit(20_000)  # json.dumps of deep inputs
    binary, pattern = sys.argv[1], re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    cairn = Cairn(binary)
    steps = Steps(os.path.join(cairn.folder, "steps"))
    cairn.environment["CAIRN_STEPS"] = steps.path
    cairn.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    faults, asked, seen = [], 0, set()
    work = [("api", *row) for row in platform_inputs(binary, faults)]
    work += [("s3", *row) for row in object_inputs(binary, faults)]
    repositories = os.path.join(cairn.folder, "repositories")
    os.mkdir(repositories)
    cairn.start("--set", "rate_limit.enabled=false", "--set", f"path.repo=[{repositories}]", wait_s=120)
    try:
        prepare(cairn)
        assert steps.now() > 1_000_000, "the program does not count its steps"
        asker = Asker(cairn, steps)
        for face, name, size, make in work:
            if name in seen or not pattern.search(name):
                continue
            seen.add(name)
            send = getattr(asker, face)
            sizes = [make(n) for n in (size, 2 * size, 4 * size)]
            for measured in range(MEASURED):
                if measured > 0:
                    steps.wait_for_rest()
                (once, twice, four_times), status, fault = asker.costs(send, sizes)
                if fault or not grows_too_much(once, twice, four_times):
                    break
            asked += 1
            if fault:
                faults.append(f"{name}: {fault} for {size:,} or more")
            elif grows_too_much(once, twice, four_times):
                faults.append(f"{name}: {once:,} steps for {size:,}, then {twice:,} and {four_times:,}")
            if os.environ.get("CAIRN_SHOW") or four_times > 100 * SLACK:
                print(f"{name}: {once:,} {twice:,} {four_times:,} ({status})", flush=True)
        assert cairn.stop() == 0
    except BaseException:
        print(cairn.log_tail(30), file=sys.stderr)
        if cairn.process.poll() is None:
            cairn.kill()
        raise
    shutil.rmtree(cairn.folder, ignore_errors=True)
    for fault in faults:
        print("fault:", fault)
    print(f"{asked - len(faults)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
