#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an installation takes for each document, vector, search, key, index, connection and object: bytes in the
store, memory, processor time, and requests to the cluster that holds the store. docs/operating/sizing.md is made
of these figures.

    run.py CAIRN [--only PART,...] [--documents N] [--passages N] [--vectors N] [--kind-vectors N] [--keys N]
                 [--indices N] [--connections N] [--objects N] [--cache SIZE] [--texts FOLDER]

Parts: words, fields, meaning, vectors, kinds, start, cluster, many. Each has servers of its own, without rate
limits, which are ended. Texts are pieces of about 1,000 bytes of the manual pages below FOLDER and of this
project's documentation; where more are wanted, further ones are halves of two of them.

Processor time is that of the server's process by /proc, so what else runs makes it vary and does not count.
Documents are written in two halves, each flushed; then a new server merges both segments to one. "in memory" is
the metric cairn_index_memory_bytes of that segment: what is there whether anybody searches or not. "resident" is
anonymous memory beyond that of the same server when it was empty: most while it wrote and flushed, most while it
merged, and after a start. Caches of segments (index.cache) are kept at SIZE, 64mb where it is not given; where a
search names a cache, at that. Disk is what the data folder has in files beyond that of an empty server, in the end
and at most.

The cluster is the object storage of another Cairn. Between them stands a way that counts requests and, where that
is said, holds each back for a moment, so that the time of an answer says how many of them waited for one another.
"""

import argparse
import functools
import itertools
import json
import os
import random
import re
import shutil
import socket
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "../../../tests")
sys.path[:0] = [TESTS, os.path.join(HERE, "../search")]
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402
import passages  # noqa: E402

NDJSON = {"Content-Type": "application/x-ndjson"}
DIMS = 384
TEXT_BYTES = 1000
KIB, MIB = 1 << 10, 1 << 20
KINDS = ("hnsw", "int8_hnsw", "int4_hnsw", "bbq_hnsw", "bbq_disk", "flat", "int8_flat", "int4_flat", "bbq_flat")
CACHES = ("64mb", "1gb")
VECTOR = {"type": "dense_vector", "dims": DIMS, "similarity": "cosine"}


def settings(cache):
    return ("--set", "rate_limit.enabled=false", "--set", f"index.cache={cache}", "--set",
            "inference.models_dir=" + os.path.join(HERE, "../../../models"))


def say(name, text):
    print(f"{name:14} {text}", flush=True)


# --- What a process takes


def cpu_s(cairn):
    with open(f"/proc/{cairn.process.pid}/stat") as file:
        fields_of_it = file.read().rsplit(") ", 1)[1].split()
    return (int(fields_of_it[11]) + int(fields_of_it[12])) / os.sysconf("SC_CLK_TCK")


def anonymous_bytes(cairn):
    with open(f"/proc/{cairn.process.pid}/status") as file:
        return KIB * int(re.search(r"RssAnon:\s+(\d+)", file.read())[1])


def disk_bytes(folder):
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                pass  # a file that went meanwhile
    return total


def metric(cairn, name):
    """Of all its series together."""
    text = cairn.request("GET", "/_metrics")[1]
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(rf"{name}[{{ ]", line))


class Peak:
    """The most anonymous memory and disk within a block."""

    def __init__(self, cairn):
        self.cairn, self.memory, self.disk = cairn, 0, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        for turn in itertools.count():
            self.memory = max(self.memory, anonymous_bytes(self.cairn))
            ends = self.ended.wait(0.02)
            if turn % 5 == 0 or ends:
                self.disk = max(self.disk, disk_bytes(self.cairn.data))
            if ends:
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


# --- What is written and asked


@functools.cache
def pieces_of(folder, most):
    """Texts that are there, each once, in no order; at most so many."""
    def paragraphs():
        for path, folders, names in os.walk(folder):
            folders.sort()
            if re.fullmatch(r"man\d", os.path.relpath(path, folder)):  # English ones
                for name in sorted(name for name in names if name.endswith(".gz")):
                    yield from passages.passages_of(("man", os.path.join(path, name), "man"))
        for _, path, kind in passages.files_below(os.path.join(HERE, "../../../docs")):
            yield from passages.passages_of(("docs", path, kind))
    seen, out, run = set(), [], ""
    for _, _, piece in paragraphs():
        if piece in seen:
            continue
        seen.add(piece)
        run += (" " if run else "") + piece
        if len(run) >= TEXT_BYTES:
            out.append(run[:TEXT_BYTES].rsplit(" ", 1)[0])
            run = ""
        if len(out) == most:
            break
    random.Random(42).shuffle(out)
    return out


def texts_of(options, count):
    found = pieces_of(options.texts, max(options.documents, options.passages))
    chance, out = random.Random(43), found[:count]
    while len(out) < count:
        first, second = chance.choice(found), chance.choice(found)
        out.append(first[:TEXT_BYTES // 2].rsplit(" ", 1)[0] + " " + second[TEXT_BYTES // 2:])
    chance.shuffle(out)
    return out


def as_json(texts):
    return (json.dumps({"text": text}) for text in texts)


def questions_of(texts, count):
    """Three words that stand near one another in a text."""
    chance, out = random.Random(11), []
    while len(out) < count:
        near = [word for word in passages.WORD.findall(chance.choice(texts)) if len(word) > 3]
        if len(near) > 12:
            start = chance.randrange(len(near) - 8)
            out.append(" ".join(chance.sample(near[start:start + 8], 3)))
    return out


class Vectors:
    """Vectors about centres, a hundred each, written with nine digits as programs write floats."""

    def __init__(self, count):
        self.chance = random.Random(5)
        self.centres = [[int(self.chance.gauss(0, 90)) for _ in range(DIMS)] for _ in range(max(1, count // 100))]
        self.heads = ["%.4f" % (i / 2048) for i in range(-2048, 2048)]
        self.tails = ["%05d" % i for i in range(100_000)]

    def one(self):
        noise = zip(self.chance.randbytes(DIMS), self.chance.randbytes(DIMS))
        return ",".join([self.heads[2048 + c + ((a + b) >> 1) - 127] + tail for c, (a, b), tail in
                         zip(self.chance.choice(self.centres), noise, self.chance.choices(self.tails, k=DIMS))])

    def documents(self, count):
        return ('{"v":[%s]}' % self.one() for _ in range(count))

    def questions(self, count):
        return ['{"_source":false,"knn":{"field":"v","query_vector":[%s],"k":10,"num_candidates":100}}' % self.one()
                for _ in range(count)]


def match(question, **more):
    return {"query": {"match": {"text": question}}, **more}


def write(cairn, index, documents, at_once, first=0):
    """Bytes of the documents."""
    connection = cairn.connect(timeout=300)
    sent, documents = 0, enumerate(documents, first)
    while some := list(itertools.islice(documents, at_once)):
        body = "".join('{"index":{"_id":"%d"}}\n%s\n' % one for one in some).encode()
        sent += sum(len(text) for _, text in some)
        answer = cairn.ok("POST", f"/{index}/_bulk?filter_path=errors", body, connection=connection, headers=NDJSON)
        if answer["errors"]:
            sys.exit("a document was refused")
    connection.close()
    return sent


def merge(cairn, index):
    cairn.ok("POST", f"/{index}/_forcemerge?max_num_segments=1", connection=cairn.connect(600))


def searched(cairn, name, bodies):
    """Says what one of them takes, once the caches have what they need."""
    connection = cairn.connect()

    def ask_all():
        for body in bodies:
            cairn.ok("POST", "/it/_search", body, connection=connection)
    ask_all()
    cpu, count = cpu_s(cairn), 0
    while cpu_s(cairn) - cpu < 0.5 and count < 8 * len(bodies):  # the clock of processor time has ticks of 10 ms
        ask_all()
        count += len(bodies)
    connection.close()
    say("", f"a search, {name}: {(cpu_s(cairn) - cpu) / count * 1e6:.0f} us of processor time")


def end(cairn):
    if cairn.process is not None and cairn.process.poll() is None:
        cairn.kill()
    shutil.rmtree(cairn.folder, ignore_errors=True)


class Place:
    """A server in a folder of its own, until the end of the block."""

    def __init__(self, options):
        self.cairn, self.cache = Cairn(options.cairn), options.cache

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            end(self.cairn)
            raise
        self.idle, self.idle_disk = anonymous_bytes(self.cairn), disk_bytes(self.cairn.data)
        return self

    def __exit__(self, *_):
        end(self.cairn)

    def _start(self, cache=None):
        began = time.monotonic()
        self.cairn.start(*settings(cache or self.cache), wait_s=120)
        self.start_s, self.start_cpu_s = time.monotonic() - began, cpu_s(self.cairn)
        time.sleep(0.5)  # what begins in the background is part of being idle

    def again(self, cache=None):
        if self.cairn.process.poll() is None:
            self.cairn.stop()
        self._start(cache)

    def more(self):
        return anonymous_bytes(self.cairn) - self.idle

    def more_disk(self):
        return disk_bytes(self.cairn.data) - self.idle_disk

    def fill(self, name, properties, documents, count, at_once=500):
        """Writes, merges to one segment, and says what that took."""
        cairn, written, flushed, sent = self.cairn, 0, 0, 0
        cairn.ok("PUT", "/it", {"mappings": {"properties": properties}})
        with Peak(cairn) as writing:
            for first, half in ((0, count // 2), (count // 2, count - count // 2)):
                began = cpu_s(cairn)
                sent += write(cairn, "it", itertools.islice(documents, half), at_once, first)
                between = cpu_s(cairn)
                cairn.ok("POST", "/it/_flush", connection=cairn.connect(600))
                written, flushed = written + between - began, flushed + cpu_s(cairn) - between
        self.again()
        with Peak(cairn) as merging:
            merged = cpu_s(cairn)
            merge(cairn, "it")
            merged = cpu_s(cairn) - merged
        stored, kept = metric(cairn, "cairn_index_bytes"), metric(cairn, "cairn_index_memory_bytes")
        self.again()
        say(name, f"{count} documents of {sent / count:.0f} bytes as JSON")
        say("", f"store {stored / count:.0f} bytes a document, disk {self.more_disk() / count:.0f} and at most "
                f"{(max(writing.disk, merging.disk) - self.idle_disk) / count:.0f}; in memory {kept / count:.1f}")
        say("", f"resident: {(writing.memory - self.idle) / MIB:.0f} MiB most while it wrote, "
                f"{(merging.memory - self.idle) / MIB:.0f} while it merged, {self.more() / MIB:.0f} after a start")
        say("", f"processor time of a document: {written / count * 1e6:.0f} us to write it, "
                f"{flushed / count * 1e6:.1f} to flush, {merged / count * 1e6:.1f} to merge")


# --- Parts


def words(options):
    texts = texts_of(options, options.documents)
    questions = questions_of(texts, 1000)
    with Place(options) as place:
        place.fill("words", {"text": {"type": "text"}}, as_json(texts), len(texts))
        for cache in CACHES:
            place.again(cache)
            searched(place.cairn, f"any of three words, ten documents, cache of {cache}",
                     [match(one) for one in questions])
            searched(place.cairn, f"any, ten ids, cache of {cache}", [match(one, _source=False) for one in questions])


def fields(options):
    chance = random.Random(3)

    def documents():
        for _ in range(options.documents):
            made = f"20{chance.randrange(10, 26)}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}"
            yield json.dumps({"kind": f"kind-{chance.randrange(50)}", "sku": f"{chance.getrandbits(48):012x}",
                              "count": chance.randrange(10_000), "price": round(chance.random() * 1000, 2),
                              "made": made, "ready": chance.random() < 0.5})
    with Place(options) as place:
        place.fill("fields", {"kind": {"type": "keyword"}, "sku": {"type": "keyword"}, "count": {"type": "long"},
                              "price": {"type": "double"}, "made": {"type": "date"}, "ready": {"type": "boolean"}},
                   documents(), options.documents)
        searched(place.cairn, "a term and a range, ten ids", [
            {"_source": False, "query": {"bool": {"filter": [{"term": {"kind": f"kind-{i % 50}"}},
                                                             {"range": {"count": {"gte": i}}}]}}}
            for i in range(1000)])


def meaning(options):
    """By meaning alone, then by words and by meaning, as `cairn add` makes indices."""
    texts = texts_of(options, options.passages)
    questions = questions_of(texts, 200)
    meant = {"type": "semantic_text"}
    both = {"text": {"type": "text", "copy_to": "meant"}, "meant": meant}

    def nearest(one, k):
        return {"field": "meant", "k": k, "num_candidates": 100, "query_vector_builder": {
            "text_embedding": {"model_text": one}}}

    def with_knn(one):
        words_alone = {"standard": {"query": {"match": {"text": one}}}}
        return {"linear": {"normalizer": "minmax", "rank_window_size": 100, "retrievers": [
            {"retriever": words_alone}, {"retriever": {"knn": nearest(one, 100)}}]}}
    for name, properties, documents, searches in (
            ("meaning", {"meant": meant}, (json.dumps({"meant": text}) for text in texts), {
                "semantic": lambda one: {"query": {"semantic": {"field": "meant", "query": one}}},
                "knn": lambda one: {"knn": nearest(one, 10)}}),
            ("both ways", both, as_json(texts), {
                "linear": lambda one: {"retriever": {"linear": {"query": one}}},
                "linear of words and knn": lambda one: {"retriever": with_knn(one)}})):
        with Place(options) as place:
            place.fill(name, properties, documents, len(texts), at_once=200)
            for cache in CACHES:
                place.again(cache)
                for what, body in searches.items():
                    searched(place.cairn, f"{what}, ten ids, cache of {cache}",
                             [{"_source": False, **body(one)} for one in questions])


def vectors(options):
    for count in sorted({min(10_000, options.vectors), options.vectors}):
        made = Vectors(count)
        with Place(options) as place:
            place.fill("vectors", {"v": VECTOR}, made.documents(count), count, at_once=200)
            questions = made.questions(500)
            for cache in CACHES:
                place.again(cache)
                searched(place.cairn, f"the ten nearest, cache of {cache}", questions)


def kinds(options):
    count = options.kind_vectors
    for kind in (*KINDS, "byte", "bit"):
        made = Vectors(count)
        field, documents = {**VECTOR, "index_options": {"type": kind}}, made.documents(count)
        if kind in ("byte", "bit"):
            field = {"type": "dense_vector", "dims": DIMS, "element_type": kind}
            numbers = DIMS if kind == "byte" else DIMS // 8
            documents = ('{"v":[%s]}' % ",".join(str(one - 128) for one in made.chance.randbytes(numbers))
                         for _ in range(count))
        with Place(options) as place:
            cairn = place.cairn
            cairn.ok("PUT", "/it", {"mappings": {"properties": {"v": field}}})
            sent = write(cairn, "it", documents, 200)
            merge(cairn, "it")
            say(f"kind {kind}", f"{count} vectors of {sent / count:.0f} bytes as JSON: store "
                f"{metric(cairn, 'cairn_index_bytes') / count:.0f} bytes a vector, in memory "
                f"{metric(cairn, 'cairn_index_memory_bytes') / count:.1f}")


def start(options):
    """What a start replays: documents that are in the log alone, since the process was killed."""
    texts = texts_of(options, min(options.documents, 50_000))
    with Place(options) as place:
        cairn = place.cairn
        cairn.ok("PUT", "/it", {"mappings": {"properties": {"text": {"type": "text"}}}})
        connection, cpu = cairn.connect(), cpu_s(cairn)
        for text in texts[:1000]:
            cairn.ok("POST", "/it/_doc", {"text": text}, connection=connection)
        connection.close()
        say("start", f"a write of one text alone: {(cpu_s(cairn) - cpu) * 1e3:.0f} us of processor time")
        cairn.ok("POST", "/it/_flush")
        write(cairn, "it", as_json(texts), 500)
        cairn.kill()
        place.again()
        replayed = cairn.ok("GET", "/it/_recovery")["it"]["shards"][0]["translog"]["recovered"]
        say("", f"after kill -9: {place.start_s * 1000:.0f} ms, {place.start_cpu_s:.2f} s of processor time, "
                f"{replayed} of {len(texts)} documents read from the log")
        cairn.ok("POST", "/_flush")
        place.again()
        say("", f"after a flush: {place.start_s * 1000:.0f} ms, {place.start_cpu_s:.2f} s of processor time")


class CountingWay:
    """A way to a server on loopback that counts requests, and holds each back for `delay_s`."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.target = parts.hostname, parts.port
        self.delay_s, self.counts, self.received = 0, {}, 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def end(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(self.target)
            except OSError:
                return
            for source, target, asks in ((client, server, True), (server, client, False)):
                target.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._pass, args=(source, target, asks), daemon=True).start()

    def _pass(self, source, target, asks):
        try:
            while piece := source.recv(1 << 16):
                if asks:
                    self._count(piece)
                else:
                    with self.lock:
                        self.received += len(piece)
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _count(self, piece):
        head = re.match(rb"(GET|HEAD|PUT|POST|DELETE) (\S+) HTTP/", piece)
        if head is None:
            return  # more of a body
        name = "LIST" if b"list-type=" in head[2] else head[1].decode()
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
        time.sleep(self.delay_s)

    def during(self, act, delay_s=0.0):
        """Requests by kind, bytes that came, and seconds, of what `act` does."""
        self.delay_s = delay_s
        with self.lock:
            before, received = dict(self.counts), self.received
        began = time.monotonic()
        act()
        took = time.monotonic() - began
        self.delay_s = 0
        with self.lock:
            counts = {name: count - before.get(name, 0) for name, count in self.counts.items()}
            return {name: count for name, count in counts.items() if count}, self.received - received, took


class OnCluster:
    """A node whose store is on another Cairn's object storage."""

    DELAY_S = 0.05

    def __init__(self, options):
        self.cache, self.way = options.cache, None
        self.storage, self.node = Cairn(options.cairn), Cairn(options.cairn)

    def __enter__(self):
        try:
            self.storage.start("--set", "rate_limit.enabled=false")
            self.objects = Objects(self.storage)
            self.objects.ok("PUT", "/bench")
            self.way = CountingWay(self.storage.objects)
            self.node.environment.update(AWS_ACCESS_KEY_ID=self.objects.access_key,
                                         AWS_SECRET_ACCESS_KEY=self.objects.secret)
            self.node.store = ["--store", f"s3://bench/it?endpoint={self.way.url}"]
            self._start()
            time.sleep(2)
            counts, received, took = self.way.during(lambda: time.sleep(10))
            say("cluster", f"idle: {sum(counts.values()) / took:.1f} requests a second")
            self.say(f"within {took:.0f} s of it", counts, received)
            self.idle = sum(counts.values()) / took
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.way is not None:
            self.way.end()
        for one in (self.node, self.storage):
            end(one)

    def _start(self):
        self.node.start(*settings(self.cache), wait_s=300)

    def again(self, name):
        """Stops and starts; says what the start asks."""
        self.node.stop()
        _, _, bare = self.way.during(self._start)
        self.node.stop()
        counts, received, took = self.way.during(self._start, self.DELAY_S)
        self.say(f"a start, {name}", counts, received, took - bare)

    def say(self, name, counts, received, waited_s=None):
        text = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"
        chain = "" if waited_s is None else f", {waited_s / self.DELAY_S:.0f} one after another"
        say("", f"{name}: {sum(counts.values())} requests ({text}){chain}; {received / 1000:.0f} kB came")

    def asked(self, name, act):
        """Requests of `act` beyond those of an idle node."""
        counts, _, took = self.way.during(act)
        say("", f"{name}: {sum(counts.values()) - self.idle * took:.0f} requests besides")

    def log_bytes(self):
        """Of the objects of logs that are there."""
        names = self.objects.ok("GET", "/bench?list-type=2&prefix=it/.cairn-index/index/data/").body.decode()
        return sum(int(size) for key, size in
                   re.findall(r"<Key>([^<]*)</Key>.*?<Size>(\d+)</Size>", names) if "/wal/" in key)


def cluster(options):
    texts = texts_of(options, 20_000)
    questions = questions_of(texts, 1000)
    with OnCluster(options) as place:
        node, way = place.node, place.way
        node.ok("PUT", "/it", {"mappings": {"properties": {"text": {"type": "text"}}}})

        def singles():
            connection = node.connect()
            for text in texts[:400]:
                node.ok("POST", "/it/_doc", {"text": text}, connection=connection)
            connection.close()

        def searches(index, bodies):
            connection = node.connect(300)
            for body in bodies:
                node.ok("POST", f"/{index}/_search", body, connection=connection)
            connection.close()
        place.asked("400 writes, one after another", singles)
        say("", f"the log has {place.log_bytes() / 400:.0f} bytes for each")
        place.say("a flush of them", *way.during(lambda: node.ok("POST", "/it/_flush"))[:2])
        for name, index, properties, documents in (
                ("20,000 texts", "it", None, as_json(texts)),
                ("4,000 vectors", "near", {"v": VECTOR}, Vectors(4000).documents(4000)),
                ("4,000 semantic texts", "meant", {"text": {"type": "semantic_text"}}, as_json(texts[:4000]))):
            if properties:
                node.ok("PUT", f"/{index}", {"mappings": {"properties": properties}})
            count = int(name.split()[0].replace(",", ""))
            place.asked(name + " in bulk requests of 500", lambda: write(node, index, documents, 500))
            say("", f"the log has {place.log_bytes() / count:.0f} bytes for each")
            place.say("a flush of them", *way.during(lambda: node.ok("POST", f"/{index}/_flush"))[:2])
        merged = metric(node, "cairn_index_merged_bytes_total")
        counts, received, took = way.during(lambda: merge(node, "it"), 0.005)
        merged = metric(node, "cairn_index_merged_bytes_total") - merged
        place.say(f"a merge to {merged / 1e6:.1f} MB", counts, received)
        say("", f"with 5 ms for each it took {took:.1f} s")
        bodies = [match(one) for one in questions]
        searches("it", bodies)
        place.asked("1,000 searches of what is in memory", lambda: searches("it", bodies))
        near = Vectors(4000).questions(2)

        def cold(name, index, body):
            counts, received, took = way.during(lambda: searches(index, [body]), place.DELAY_S)
            _, _, warm = way.during(lambda: searches(index, [body]))
            place.say(name, counts, received, took - warm)
        place.again("three indices of one segment")
        cold("the first search, any of three words, ten documents", "it", bodies[0])
        cold("another one", "it", bodies[1])
        cold("the first ten nearest, ids", "near", near[0])
        cold("another one", "near", near[1])
        for part in range(4):
            write(node, "it", as_json(texts[part * 4000:part * 4000 + 4000]), 1000, first=100_000 + part * 4000)
            node.ok("POST", "/it/_flush")
        place.again(f"{len(node.ok('GET', '/_cat/segments/it?format=json'))} segments in the first index")
        cold("the first search", "it", bodies[0])
        cold("another one", "it", bodies[1])
        connection = node.connect()
        for i in range(100):
            make_key(node, i, connection)
        connection.close()
        place.again("100 keys more")
        connection = node.connect()
        for i in range(20):
            make_small_index(node, i, connection)
        node.ok("POST", "/_flush")
        connection.close()
        place.again("20 indices more")


def make_key(cairn, i, connection):
    cairn.ok("POST", "/_security/api_key", {"name": f"key-{i}", "role_descriptors": {"r": {
        "indices": [{"names": [f"tenant-{i}-*"], "privileges": ["read"]}]}}}, connection=connection)


def make_small_index(cairn, i, connection):
    cairn.ok("PUT", f"/small-{i}", {"mappings": {"properties": {
        "text": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"}}}}, connection=connection)
    cairn.ok("PUT", f"/small-{i}/_doc/1", {"text": "a short text", "tag": "one", "n": i}, connection=connection)


def many(options):
    """Keys, small indices, connections, objects."""
    with Place(options) as place:
        say("many", f"an idle server: {place.idle / MIB:.0f} MiB resident")
        connection, cpu = place.cairn.connect(), cpu_s(place.cairn)
        for i in range(options.keys):
            make_key(place.cairn, i, connection)
        connection.close()
        cpu = cpu_s(place.cairn) - cpu
        place.again()
        say("", f"{options.keys} keys: {place.more() / options.keys:.0f} bytes resident each, disk "
                f"{place.more_disk() / options.keys:.0f}; {cpu / options.keys * 1e6:.0f} us of processor time to make "
                f"one; a start {place.start_s * 1000:.0f} ms")
    with Place(options) as place:
        connection = place.cairn.connect()
        for i in range(options.indices):
            make_small_index(place.cairn, i, connection)
        place.cairn.ok("POST", "/_flush", connection=connection)
        connection.close()
        place.again()
        cpu = cpu_s(place.cairn)
        time.sleep(5)
        cpu = (cpu_s(place.cairn) - cpu) / 5
        say("", f"{options.indices} indices of one document: {place.more() / options.indices / KIB:.0f} KiB resident "
                f"each, disk {place.more_disk() / options.indices / KIB:.0f}; a start {place.start_s * 1000:.0f} ms; "
                f"idle with them {cpu * 100:.1f} % of a core")
    with Place(options) as place:
        held = [place.cairn.connect() for _ in range(options.connections)]
        for one in held:
            place.cairn.ok("GET", "/", connection=one)
        say("", f"{options.connections} connections that are kept: {place.more() / options.connections:.0f} bytes "
                f"resident each")
        for one in held:
            one.close()
    with Place(options) as place:
        objects = Objects(place.cairn)
        objects.ok("PUT", "/many")
        connection, cpu = objects.connect(), cpu_s(place.cairn)
        for i in range(options.objects):
            objects.ok("PUT", f"/many/folder/object-{i}", os.urandom(4096), connection=connection)
        cpu = cpu_s(place.cairn) - cpu
        connection.close()
        place.again()
        say("", f"{options.objects} objects of 4 KiB: disk {place.more_disk() / options.objects:.0f} bytes each, "
                f"{max(0, place.more()) / options.objects:.0f} resident; {cpu / options.objects * 1e6:.0f} us of "
                f"processor time to put one")


PARTS = {part.__name__: part for part in (words, fields, meaning, vectors, kinds, start, cluster, many)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cairn")
    parser.add_argument("--only", default=",".join(PARTS))
    for name, count in (("documents", 100_000), ("passages", 20_000), ("vectors", 100_000), ("kind-vectors", 2000),
                        ("keys", 10_000), ("indices", 200), ("connections", 1000), ("objects", 3000)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--cache", default="64mb")
    parser.add_argument("--texts", default="/usr/share/man")
    options = parser.parse_args()
    wanted = options.only.split(",")
    if unknown := [part for part in wanted if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}")
    began = time.monotonic()
    for part in wanted:
        PARTS[part](options)
    print(f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
