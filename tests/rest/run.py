#!/usr/bin/env python3
"""Runs .rest files, each against a Cairn of its own with a fresh data folder.

    run.py --cairn BINARY [--keep] FILE_OR_FOLDER...
    run.py --server URL --key-file FILE FILE_OR_FOLDER...    against a server that runs already

tests/api/README.md describes the files.
"""

import argparse
import http.client
import os
import shutil
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402
from described import Described  # noqa: E402
from rest_format import Fault, compare_answer, fill_in, read_script  # noqa: E402


class Remote:
    """A server that somebody else started."""

    def __init__(self, url, key):
        self.api, self.objects, self.key, self.folder = url, "", key, "/nonexistent"


def ask(server, step, variables):
    """Status, headers and text of one answer."""
    parts = urllib.parse.urlsplit(server.api)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=120)
    headers = {"Authorization": "ApiKey " + server.key}
    body = None
    if step.body is not None:
        body = fill_in(step.body, variables)
        # A line is a document in _bulk and _msearch, and the last one needs its end.
        ndjson = "_bulk" in step.target or "_msearch" in step.target
        headers["Content-Type"] = "application/x-ndjson" if ndjson else "application/json"
        body = (body + "\n" if ndjson else body).encode()
    for name, value in step.headers:
        headers = {k: v for k, v in headers.items() if k.lower() != name.lower()}
        if value != "none":
            headers[name] = fill_in(value, variables)
    connection.request(step.method, fill_in(step.target, variables), body=body, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    connection.close()
    return answer.status, answer.headers, text


def read_document(binary):
    """What the program says of itself; asked of a server of its own, for it counts as a request."""
    server = Cairn(binary).start()
    try:
        status, document = server.request("GET", "/_openapi.json")
        if status != 200:
            raise RuntimeError(f"GET /_openapi.json: {status}")
        return Described(document)
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


def check_described(described, step, variables, status, headers, text):
    """Every answer that is seen, and every body that was taken, is as the document says."""
    target = fill_in(step.target, variables)
    try:
        described.check_answer(step.method, target, status, headers["Content-Type"], text)
        if step.body is not None and status < 300:
            described.check_request(step.method, target, fill_in(step.body, variables))
    except AssertionError as fault:
        raise Fault(str(fault)) from None


def run_step(server, step, variables, described):
    if step.action:
        server.kill() if step.action == "kill" else server.stop()
        server.start(*server.arguments)
        variables.update(api=server.api, objects=server.objects)
        return
    until = time.monotonic() + step.within_s
    while True:
        try:
            status, headers, text = ask(server, step, variables)
            variables.update(compare_answer(step, status, headers, text, variables))
            break
        except Fault:
            if time.monotonic() >= until:
                raise
            time.sleep(0.02)
    if described is not None:
        check_described(described, step, variables, status, headers, text)


def run_script(script, options):
    if options.server:
        with open(options.key_file) as file:
            server = Remote(options.server, file.read().strip())
    else:
        server = Cairn(options.cairn)
        tests = os.path.dirname(HERE)
        known = {"folder": server.folder, "tests": tests, "files": os.path.dirname(script.path)}
        server.environment.update(
            {name: fill_in(value, known) for name, value in script.environment.items()})
        server.arguments = [fill_in(word, known) for word in script.serve]
        server.start(*server.arguments)
    variables = {"key": server.key, "api": server.api, "objects": server.objects,
                 "folder": server.folder, "tests": os.path.dirname(HERE),
                 "files": os.path.dirname(script.path)}
    failed = None
    try:
        for step in script.steps:
            try:
                run_step(server, step, variables, options.described)
            except (Fault, OSError, http.client.HTTPException, RuntimeError) as fault:
                failed = f"{script.path}:{step.line}: [{step.title}] {fault}"
                break
    finally:
        if not options.server:
            if failed and os.path.exists(os.path.join(server.folder, "log")):
                failed += "\nthe server's log ends with\n" + server.log_tail(8)
            if server.process.poll() is None:
                code = server.stop()
                if code != 0 and not failed:
                    failed = f"{script.path}: the server ended with {code}\n" + server.log_tail(8)
            if not (failed and options.keep):
                shutil.rmtree(server.folder, ignore_errors=True)
    return failed


def files_of(paths):
    for path in paths:
        if os.path.isfile(path):
            yield os.path.abspath(path)
        for folder, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                if name.endswith(".rest"):
                    yield os.path.abspath(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", help="the program to start")
    parser.add_argument("--server", help="a server that runs already, instead")
    parser.add_argument("--key-file", help="its key")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a failed file")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    if bool(options.cairn) == bool(options.server):
        parser.error("name either --cairn or --server with --key-file")
    files = list(files_of(options.paths))
    if not files:
        parser.error("there is no .rest file in " + " ".join(options.paths))
    options.described = read_document(options.cairn) if options.cairn else None
    failures = 0
    for path in files:
        started = time.monotonic()
        try:
            with open(path, encoding="utf-8") as file:
                script = read_script(path, file.read())
            failed = run_script(script, options)
        except (Fault, RuntimeError) as fault:
            failed = str(fault)
        name = os.path.relpath(path)
        if failed:
            failures += 1
            print(f"FAILED {name}\n{failed}\n")
        else:
            print(f"ok     {name}: {len(script.steps)} steps, "
                  f"{(time.monotonic() - started) * 1000:.0f} ms")
        sys.stdout.flush()
    print(f"{len(files) - failures} of {len(files)} files passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
