#!/usr/bin/env python3
"""Text search over HTTP as a client in C sees it: one connection, one question after another.

    http_run.py CAIRN FOLDER [--rounds 5]

FOLDER has the passages and questions that text_run.py made there. They are loaded by `_bulk` into a server of its
own, whose data stays in FOLDER for the next run. Server and client share the machine. Beside it stands the same
exchange without a search: `_count` of nothing, of a word that no passage has."""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
from cairn_server import Cairn  # noqa: E402

SETTINGS = ("--set", "rate_limit.enabled=false")
NDJSON = {"Content-Type": "application/x-ndjson"}
AT_ONCE = 2000
MAPPING = {"mappings": {"properties": {"body": {"type": "text"}, "source": {"type": "keyword"}, "year": {"type": "short"}}}}


def load(cairn, docs):
    cairn.ok("PUT", "/passages", MAPPING)
    lines = []

    def send():
        same = cairn.ok("POST", "/passages/_bulk", "".join(lines), headers=NDJSON)["errors"]
        if same:
            sys.exit("a passage was refused")
        lines.clear()
    with open(docs) as file:
        for line in file:
            number, source, year, _, text = line.rstrip("\n").split("\t", 4)
            lines.append('{"index":{"_id":"%s"}}\n' % number + json.dumps(
                {"source": source, "year": int(year), "body": text}) + "\n")
            if len(lines) == AT_ONCE:
                send()
    if lines:
        send()
    cairn.ok("POST", "/passages/_forcemerge?max_num_segments=1")


def bodies(queries):
    """Kinds of requests, with a body for each question."""
    questions = []
    with open(queries) as file:
        for line in file:
            _, source, words = line.rstrip("\n").split("\t")
            questions.append((source, words))

    def search(query, **more):
        return {"query": query, "track_total_hits": False, **more}

    def match(words, operator):
        return {"match": {"body": {"query": words, "operator": operator}}}
    yield "nothing: _count of a word that is not there", "/passages/_count", [
        {"query": {"term": {"body": "xyzzyxyzzy"}}} for _ in questions]
    for operator in ("or", "and"):
        yield f"{operator}, ids of the ten best", "/passages/_search", [
            search(match(words, operator), _source=False) for _, words in questions]
    yield "or, ten documents", "/passages/_search", [search(match(words, "or")) for _, words in questions]
    yield "or with a filter, ids", "/passages/_search", [
        search({"bool": {"must": match(words, "or"), "filter": {"term": {"source": source}}}}, _source=False)
        for source, words in questions]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cairn")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    client = os.path.join(folder, "http_client")
    subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", os.path.join(HERE, "http_client.c"), "-o", client], check=True)
    cairn = Cairn(options.cairn, os.path.join(folder, "served"))
    is_there = os.path.isdir(os.path.join(folder, "served"))
    os.makedirs(os.path.join(folder, "served"), exist_ok=True)
    cairn.start(*SETTINGS)
    try:
        if not is_there:
            load(cairn, os.path.join(folder, "docs.tsv"))
        port = cairn.api.rsplit(":", 1)[1]
        for name, path, questions in bodies(os.path.join(folder, "queries.tsv")):
            with open(os.path.join(folder, "bodies.tsv"), "w") as file:
                file.writelines(f"{path}\t{json.dumps(body)}\n" for body in questions)
            said = subprocess.run([client, port, cairn.key, file.name, str(options.rounds)], check=True,
                                  capture_output=True, text=True).stdout
            print(f"{name}: {said}", end="", flush=True)
    finally:
        cairn.stop()


if __name__ == "__main__":
    main()
