#!/usr/bin/env python3
"""Broken and hostile files among good ones: each costs itself and is named, every good one is indexed, and
neither the server nor the process that reads files grows."""

import gzip
import io
import os
import random
import shutil
import sys
import threading
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cairn_server import Cairn  # noqa: E402
from file_kinds_test import FILES, check, connected, paths_with, problems, synced  # noqa: E402

MIB = 1 << 20
RESIDENT_MAX = 300 * MIB  # of the server, and of its reader
WORD_XML = ('<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
            '<w:p><w:r><w:t>{}</w:t></w:r></w:p></w:body></w:document>')


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def laughs():
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">{entities}]>'


def samples():
    for name in sorted(os.listdir(os.path.join(FILES, "samples"))):
        with open(os.path.join(FILES, "samples", name), "rb") as file:
            yield name, file.read()


def broken_files():
    """Names and bytes of what must be named as a problem, or read as far as it goes."""
    randomly = random.Random(1)
    for name, data in samples():
        stem, end = os.path.splitext(name)
        yield f"cut-{stem}{end}", data[:len(data) // 2]
        yield f"head-{stem}{end}", data[:20]
        yield f"noise-{stem}{end}", randomly.randbytes(3000)
        flipped = bytearray(data)
        for _ in range(20):
            flipped[randomly.randrange(len(flipped))] ^= 1 << randomly.randrange(8)
        yield f"flipped-{stem}{end}", bytes(flipped)
        yield f"empty-{stem}{end}", b""


def hostile_files():
    """Names, bytes, and a piece of the reason that is given."""
    zeros = b"\0" * (300 * MIB)
    yield "bomb.docx", zipped([("word/document.xml", WORD_XML.format("x" * (200 * MIB)))]), "unpacks to more"
    yield "bomb.epub", zipped([("META-INF/container.xml", b" " * (200 * MIB))]), "unpacks to more"
    yield "bomb.txt.gz", gzip.compress(zeros, 9), "bytes"
    yield "members.docx", zipped([(f"{i}", b"") for i in range(30_000)]), "more than 20000 members"
    yield "tree.docx", zipped([("word/document.xml", "<a>" * 10_000_000)]), ""
    yield "laughs.docx", zipped([("word/document.xml", laughs() + "<a>&l9;</a>")]), None
    yield "laughs.xml", (laughs() + "<a>&l9;</a>").encode(), None
    yield "deep.xml", b"<a>" * 2_000_000, None
    yield "deep.html", b"<div>" * 1_000_000, None
    yield "deep.md", b"> " * 1_000_000, None
    yield "deep.json", b"[" * 3_000_000, None
    yield "deep.rtf", b"{\\rtf1" + b"{" * 5_000_000, "nested deeper"
    yield "repeat.xlsx", zipped([
        ("xl/workbook.xml", "<workbook/>"), ("xl/sharedStrings.xml", f"<sst><si><t>{'x' * MIB}</t></si></sst>"),
        ("xl/worksheets/sheet1.xml", "<s><row>" + '<c t="s"><v>0</v></c>' * 100_000 + "</row></s>")]), "more text"
    yield "chapters.epub", zipped([
        ("META-INF/container.xml", '<c><rootfile full-path="p"/></c>'),
        ("p", '<p><item id="i" href="c"/>' + '<itemref idref="i"/>' * 100_000 + "</p>"),
        ("c", "<p>" + "x" * MIB)]), ""
    yield "parts.eml", b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 1_000_000, None
    yield "boundaries.eml", b"Subject: x\nContent-Type: multipart/mixed; boundary=-\n\n" + b"-" * 9_000_000, None
    yield "headers.eml", b"Subject: x\n" + b"".join(b"X-%d: y\n" % i for i in range(500_000)), None
    yield "words.eml", b"Subject: " + b"=?utf-8?q?" * 800_000, None
    yield "box.mbox", b"From x\n\n" * 1_000_000, None
    yield "quote.csv", b'"' + b'a,"' * 3_000_000, None
    yield "options.tex", b"\\a[" * 3_000_000, None
    yield "ticks.rst", b"`" * 5_000_000, None
    yield "colons.rst", b":a" * 4_000_000, None
    yield "links.md", b"[a](" * 2_000_000, None
    yield "page.pdf", (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1000000000"
                       b"/Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e9 1e9]>>endobj\n"
                       b"trailer<</Root 1 0 R>>\n"), ""
    loop = b"2 0 obj<</Type/Pages/Count 1/Kids[2 0 R]>>endobj\n"
    yield "loop.pdf", b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n" + loop + b"trailer<</Root 1 0 R>>\n", ""


def resident(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS")), 0)
    except OSError:
        return 0


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            found = file.read().split()
        return [int(child) for task in os.listdir(f"/proc/{pid}/task")
                for child in open(f"/proc/{pid}/task/{task}/children").read().split()] or found
    except OSError:
        return []


class Memory(threading.Thread):
    """The largest resident sizes of the server, and of a process that it started."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.server, self.reader, self.ended = pid, 0, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.02):
            self.server = max(self.server, resident(self.pid))
            self.reader = max([self.reader] + [resident(child) for child in children(self.pid)])


def main(binary):
    root = os.path.join("/tmp", f"cairn-hostile-{os.getpid()}")
    docs = os.path.join(root, "docs")
    os.makedirs(docs)
    good, reasons = [], {}

    def write(name, data):
        with open(os.path.join(docs, name), "wb") as file:
            file.write(data)

    hostile = list(hostile_files())
    for number, (name, data, reason) in enumerate(hostile):
        write(f"{number:02}-b-{name}", data)
        reasons[f"{number:02}-b-{name}"] = reason
        good.append(f"{number:02}-c-good.md")  # read right after it
        write(good[-1], f"# Good {number}\n\nThe good file number{number}.\n".encode())
    for name, data in broken_files():
        write("broken-" + name, data)
    cairn = Cairn(binary).start("--set", f"connectors.directory.roots={root}")
    memory = Memory(cairn.process.pid)
    try:
        connected(cairn, "hostile", path=docs, max_file_size=64 * MIB)
        before = resident(cairn.process.pid)
        memory.start()
        began = time.monotonic()
        job = synced(cairn, "hostile")
        took = time.monotonic() - began
        memory.ended.set()
        check(job["status"] == "completed", job)
        for number, name in enumerate(good):
            check(name in paths_with(cairn, "hostile", f"number{number}"), f"{name} is not found")
        indexed = {hit["_source"]["path"] for hit in cairn.ok("POST", "/hostile/_search", {
            "size": 1000, "_source": ["path"]})["hits"]["hits"]}
        named = problems(cairn, "hostile")
        for name, reason in reasons.items():
            if reason is not None:
                check(name not in indexed, f"{name} was indexed")
                check(reason in named.get(name, ("", ""))[1], f"{name}: {named.get(name)}")
        check(memory.server < before + RESIDENT_MAX, f"the server grew to {memory.server // MIB} MiB")
        print(f"{len(hostile)} hostile and {len(list(broken_files()))} broken files in {took:.1f} s; server "
              f"{before // MIB} to {memory.server // MIB} MiB, largest reader {memory.reader // MIB} MiB")
    finally:
        cairn.kill()
        shutil.rmtree(root)


if __name__ == "__main__":
    main(sys.argv[1])
