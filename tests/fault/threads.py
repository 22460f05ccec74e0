#!/usr/bin/env python3
"""A system that gives no more threads, at the start and to a running server, with the whole program.

The program runs as a user of its own, so that RLIMIT_NPROC counts its threads and nothing else. A
start works or says why not; a running server answers on: what wanted a thread is done by the caller,
later, or refused with a reason. Needs root for the other user; says so and passes without it.

    threads.py BINARY
"""

import concurrent.futures
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

USER = 54321 + os.getpid() % 1000  # nobody else's
START_S = 120


def become_user():
    os.setgid(USER)
    os.setuid(USER)


def limit_threads(pid, threads):
    """Of this process (0) or another one of USER; only the soft limit, which may be raised again."""
    hard = resource.prlimit(pid, resource.RLIMIT_NPROC)[1]
    resource.prlimit(pid, resource.RLIMIT_NPROC, (threads, hard))


def limit_threads_of(cairn, threads):
    # By a child that is USER too: even root may need that.
    child = os.fork()
    if child == 0:
        try:
            become_user()
            limit_threads(cairn.process.pid, threads)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0, "the limit could not be set"


class LimitedCairn(Cairn):
    """One of USER, with at most so many threads."""

    def start_limited(self, threads):
        """True when it is ready; otherwise it has ended."""
        ready = os.path.join(self.folder, "ready.json")
        if os.path.exists(ready):
            os.remove(ready)

        def limit():
            limit_threads(0, threads)
            become_user()

        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--data", self.data, "--api-listen", "127.0.0.1:0",
                 "--objects-listen", "127.0.0.1:0", "--ready-file", ready,
                 "--set", "path.repo=" + os.path.join(self.folder, "repo")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=limit)
        until = time.monotonic() + START_S
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            if self.process.poll() is not None:
                return False
            assert time.monotonic() < until, "the start hangs\n" + self.log_tail()
            time.sleep(0.01)
        with open(ready) as file:
            facts = json.load(file)
        self.api, self.objects = facts["api"], facts["objects"]
        with open(os.path.join(self.data, "keys/admin.key")) as file:
            self.key = file.read().strip()
        return True

    def threads(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"Threads:\s+(\d+)", file.read()).group(1))


def folder_of_user():
    folder = tempfile.mkdtemp(prefix="cairn-threads-")
    os.chown(folder, USER, USER)
    return folder


def case_start(binary, enough):
    """From far too few threads to nearly enough."""
    for threads in sorted({1, 2, 4, 8, enough // 2, enough - 8, enough - 4, enough - 2, enough - 1}):
        folder = folder_of_user()
        cairn = LimitedCairn(binary, folder)
        if cairn.start_limited(threads):
            cairn.ok("GET", "/")
            assert cairn.stop() == 0, cairn.log_tail()
            outcome = "started"
        else:
            said = cairn.log_tail(200)
            assert cairn.process.returncode > 0, f"{threads}: died by a signal\n{said}"
            assert "cairn: " in said and "thread" in said, f"{threads}: no word why\n{said}"
            assert "terminate called" not in said, f"{threads}: {said}"
            outcome = said.strip().splitlines()[-1][:120]
        print(f"{threads} threads: {outcome}", flush=True)
        shutil.rmtree(folder)


def case_running(binary):
    """The limit comes down on a server that runs."""
    cairn = LimitedCairn(binary, folder_of_user())
    try:
        return without_threads(cairn)
    finally:
        if cairn.process.poll() is None:
            cairn.kill()


def without_threads(cairn):
    """Gives how many threads it had."""
    assert cairn.start_limited(4096), cairn.log_tail()
    enough = cairn.threads()
    os.mkdir(os.path.join(cairn.folder, "repo"))
    os.chown(os.path.join(cairn.folder, "repo"), USER, USER)
    for i in range(20):
        cairn.ok("PUT", f"/books/_doc/{i}", {"title": f"book {i}"})
    cairn.ok("PUT", "/_snapshot/repo", {
        "type": "fs", "settings": {"location": os.path.join(cairn.folder, "repo", "a")}})
    limit_threads_of(cairn, 1)

    def ask(i):
        return cairn.request("POST", "/books/_search?size=3",
                             {"query": {"match": {"title": f"book {i}"}}})[0]

    with concurrent.futures.ThreadPoolExecutor(64) as several:
        statuses = set(several.map(ask, range(256)))
    assert statuses <= {200, 429, 503} and 200 in statuses, statuses
    # What has a thread of its own is done by who asks for it.
    cairn.ok("PUT", "/_snapshot/repo/one?wait_for_completion=true", {"indices": "books"})
    cairn.ok("PUT", "/_snapshot/repo/two", {"indices": "books"})
    shown = cairn.ok("GET", "/_snapshot/repo/_all")["snapshots"]
    assert [one["state"] for one in shown] == ["SUCCESS", "SUCCESS"], shown
    cairn.ok("DELETE", "/books")
    cairn.ok("POST", "/_snapshot/repo/one/_restore", {"indices": "books"})
    assert cairn.ok("GET", "/books/_count")["count"] == 20
    cairn.ok("POST", "/books/_forcemerge?max_num_segments=1")
    with open(os.path.join(cairn.folder, "log"), errors="replace") as file:
        assert "thread_not_started" in file.read(), "nobody wanted a thread"
    # And with threads again, as before.
    limit_threads_of(cairn, 4096)
    cairn.ok("PUT", "/_snapshot/repo/three?wait_for_completion=true", {"indices": "books"})
    assert cairn.stop() == 0, cairn.log_tail()
    print("a running server without new threads: answers, snapshots, restores, merges", flush=True)
    shutil.rmtree(cairn.folder)
    return enough


def main(binary):
    if os.geteuid() != 0:
        print("skipped: only root may run the program as another user")
        return
    # The other user must be able to run it.
    place = tempfile.mkdtemp(prefix="cairn-binary-")
    os.chmod(place, 0o755)
    runs = shutil.copy(binary, os.path.join(place, "cairn"))
    os.chmod(runs, 0o755)
    try:
        case_start(runs, case_running(runs))
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main(sys.argv[1])
