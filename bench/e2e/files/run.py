#!/usr/bin/env python3
"""Syncs of folders: office and PDF files of ten pages beside pdftotext and pandoc alone, and small files.

    run.py CAIRN [--documents 200] [--small 100000]

Times are of the processor: the server's with its children's, and that of the programs alone, so that the load of the
machine counts little. "Of that, reading" is what is more than for the same text in plain files. Without --documents 0
it needs pandoc, LibreOffice (soffice) and pdftotext to make the files and to compare with."""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
sys.path.insert(0, os.path.join(HERE, "../../../tests/rest"))
from cairn_server import Cairn  # noqa: E402
from file_kinds_test import connected, synced  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
WORDS_A_PAGE = 450


def cpu_of(pid):
    """Seconds of a process, of children that it has waited for, and of those that it has now."""
    def stat(one):
        with open(f"/proc/{one}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return [int(field) / TICK for field in fields[11:15]]
    total = sum(stat(pid))
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in open(f"/proc/{pid}/task/{task}/children").read().split():
            try:
                total += sum(stat(child)[:2])
            except OSError:
                pass
    return total


class Peak(threading.Thread):
    """The largest resident size of the server with its children."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.bytes, self.server, self.ended = pid, 0, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.1):
            sizes = []
            pids = [self.pid]
            for task in os.listdir(f"/proc/{self.pid}/task"):
                try:
                    pids += open(f"/proc/{self.pid}/task/{task}/children").read().split()
                except OSError:
                    pass
            for pid in pids:
                try:
                    sizes.append(int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE"))
                except OSError:
                    pass
            self.bytes, self.server = max(self.bytes, sum(sizes)), max(self.server, *sizes[:1], 0)


def pages(seed, count):
    """Text with a dictionary of its own for each document, in Markdown."""
    stems = ["wander", "river", "stone", "gather", "winter", "letter", "garden", "window", "answer", "number"]
    out = [f"---\ntitle: Document {seed}\n---\n"]
    state = seed + 1
    for page in range(count):
        out.append(f"\n# Chapter {page}\n")
        line = []
        for _ in range(WORDS_A_PAGE):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            line.append(stems[(state >> 33) % 10] + ["", "s", "ing", "ed", "er"][(state >> 40) % 5] +
                        (str((state >> 45) % 1000) if state >> 60 == 0 else ""))
        out.append(" ".join(line) + ".\n")
    return "".join(out)


def make_documents(folder, count):
    """Ten of each kind, then copies: each copy is read as any other file."""
    for end in ("docx", "odt", "epub", "pdf", "txt"):
        os.makedirs(os.path.join(folder, end))
    for seed in range(10):
        text = pages(seed, 10)
        for end in ("docx", "odt", "epub"):
            subprocess.run(["pandoc", "-s", "-f", "markdown", "-t", end, "-o", f"{folder}/{end}/{seed}.{end}"],
                           input=text.encode(), check=True)
        subprocess.run(["pandoc", "-f", "markdown", "-t", "plain", "-o", f"{folder}/txt/{seed}.txt"],
                       input=text.encode(), check=True)
    subprocess.run(["soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile", "--convert-to", "pdf",
                    "--outdir", f"{folder}/pdf"] + [f"{folder}/odt/{seed}.odt" for seed in range(10)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(f"{folder}/profile", ignore_errors=True)
    for end in ("docx", "odt", "epub", "pdf", "txt"):
        for number in range(10, count):
            shutil.copy(f"{folder}/{end}/{number % 10}.{end}", f"{folder}/{end}/{number}.{end}")


def alone(command, files):
    """Processor seconds of a program run on each file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for file in files:
        subprocess.run(command(file), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sync_cpu(cairn, name, folder, kind="full", count=None):
    """Processor seconds and wall seconds of one sync, and the job."""
    before, began = cpu_of(cairn.process.pid), time.monotonic()
    job = synced(cairn, name, kind, wait_s=3600)
    took = time.monotonic() - began
    if job["status"] != "completed" or (count is not None and job["indexed_document_count"] != count):
        raise AssertionError(job)
    return cpu_of(cairn.process.pid) - before, took, job


def rate(count, seconds, each_s=1):
    """Things a second, or in each `each_s`; processor time has ticks, of which a short run may take none."""
    return f"{each_s * count / seconds:,.0f}" if seconds > 0.5 / TICK else "too short to tell"


def documents(cairn, root, count):
    folder = os.path.join(root, "documents")
    make_documents(folder, count)
    print(f"\n{count} files of each kind, ten pages each: files a minute, by the processor's time\n")
    connected(cairn, "txt", path=f"{folder}/txt")
    plain, _, _ = sync_cpu(cairn, "txt", folder, count=count)
    peers = {"pdf": lambda file: ["pdftotext", file, "-"]}
    print("| kind | read and indexed | of that, reading | the program alone | its files a minute |")
    print("|---|---|---|---|---|")
    for end in ("docx", "odt", "epub", "pdf"):
        connected(cairn, end, path=f"{folder}/{end}")
        cpu, _, _ = sync_cpu(cairn, end, folder, count=count)
        peer = peers.get(end, lambda file: ["pandoc", "-t", "plain", file])
        some = [f"{folder}/{end}/{number}.{end}" for number in range(10)]
        peer_cpu = alone(peer, some) / len(some)
        print(f"| {end} | {rate(count, cpu, 60)} | {rate(count, cpu - plain, 60)} | {peer(some[0])[0]} | "
              f"{rate(1, peer_cpu, 60)} |", flush=True)


def small_files(cairn, root, count):
    folder = os.path.join(root, "small")
    for number in range(count):
        if number % 1000 == 0:
            os.makedirs(f"{folder}/{number // 1000}")
        with open(f"{folder}/{number // 1000}/{number}.md", "w") as file:
            file.write(f"# Note {number}\n\nA small file about {number * 7919 % 10007} things, and word{number}.\n" * 3)
    connected(cairn, "small", path=folder)
    peak = Peak(cairn.process.pid)
    peak.start()
    cpu, took, _ = sync_cpu(cairn, "small", folder, count=count)
    again_cpu, again, job = sync_cpu(cairn, "small", folder, "incremental", count=0)
    peak.ended.set()
    if job["metadata"]["files_read"] != 0:
        raise AssertionError(job)
    print(f"\n{count} small files: read {rate(count, took)} a second ({rate(count, cpu)} a second of the processor), "
          f"unchanged {rate(count, again)} ({rate(count, again_cpu)}); resident {peak.server / (1 << 20):,.0f} MiB, "
          f"{peak.bytes / (1 << 20):,.0f} MiB with children")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--small", type=int, default=100_000)
    arguments = parser.parse_args()
    root = tempfile.mkdtemp(prefix="cairn-files-")
    cairn = Cairn(arguments.cairn).start("--set", f"connectors.directory.roots={root}")
    try:
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        if arguments.small:
            small_files(cairn, root, arguments.small)
        if arguments.documents:
            documents(cairn, root, max(arguments.documents, 10))
    finally:
        cairn.kill()
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
