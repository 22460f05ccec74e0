#!/usr/bin/env python3
"""Work that nobody waits for any more ends: a client asks for much, over a real socket, and leaves.

Measured is the processor time that the server takes: for the whole answer, and where the client has
left right behind its request, by an end and by a reset. The second must stay below half of the first;
a server that goes on takes all of it. No time of a clock is looked at.

    gone_clients_test.py BINARY
"""

import json
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
from cairn_server import Cairn  # noqa: E402
from gone_client import Gone, WHOLE_MS_MIN  # noqa: E402
import random_models  # noqa: E402

DOCUMENTS = 20_000
ENCODERS = {"text_embedding": None, "sparse_embedding": "word_head", "rerank": "rerank_head"}


def make_models(folder):
    """The shipped models are tables, too fast to be left. These are encoders of random weights."""
    random_models.HIDDEN, random_models.WIDE = 128, 512
    heads = {"word_head": random_models.word_head(*random_models.BERT_WORDS),
             "rerank_head": random_models.rerank_head}
    shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "cairn-mini")
    shutil.copytree(shipped, os.path.join(folder, "cairn-mini"))
    for task, head in ENCODERS.items():
        random_models.make("old_bert", os.path.join(folder, "model-" + task), heads.get(head))


class Fixture:
    def __init__(self, binary):
        self.backups = tempfile.mkdtemp(prefix="cairn-backups-")
        self.models = tempfile.mkdtemp(prefix="cairn-models-")
        make_models(self.models)
        self.cairn = Cairn(binary).start("--set", "path.repo=" + self.backups,
                                         "--set", "inference.models_dir=" + self.models)
        self.gone = Gone(self.cairn)

    def fill(self):
        numbers = random.Random(11)
        self.cairn.ok("PUT", "/books", {"mappings": {"properties": {
            "k": {"type": "keyword"}, "t": {"type": "text"}}}})
        self.cairn.ok("PUT", "/meanings", {"mappings": {"properties": {
            "s": {"type": "semantic_text"}}}})
        for _ in range(DOCUMENTS // 2_500):
            rows = []
            for _ in range(2_500):
                rows.append('{"index":{}}')
                rows.append(json.dumps({"k": f"{numbers.getrandbits(128):032x}"}))
            self.bulk("/books", rows)
        for i in range(40):
            self.cairn.ok("PUT", f"/long/_doc/{i}", {"t": " ".join(
                f"w{numbers.randrange(50)}" for _ in range(120_000))})
        self.cairn.ok("POST", "/_refresh")

    def serve(self, task, name, model, **settings):
        self.cairn.ok("PUT", f"/_inference/{task}/{name}", {
            "service": "elasticsearch", "service_settings": {
                "model_id": model, "num_threads": 1, "num_allocations": 1, **settings}})

    def bulk(self, index, rows):
        answer = self.cairn.ok("POST", index + "/_bulk", "\n".join(rows) + "\n",
                               headers={"Content-Type": "application/x-ndjson"})
        assert not answer["errors"]

    def check_ends(self, name, method, path, body, status=200, whole_ms_min=WHOLE_MS_MIN):
        text = body if isinstance(body, str) else json.dumps(body)

        def whole():
            got, answer = self.cairn.request(method, path, text)
            assert got == status, f"{name} answered {got}: {str(answer)[:500]}"
        self.gone.check_ends(name, self.cairn.api, self.gone.api_request(method, path, text), whole,
                             whole_ms_min)


def wildcards(count):
    """Each looks at every term of `k`."""
    return {"bool": {"should": [{"wildcard": {"k": f"*{i:x}*{i * 7 % 256:x}*a*"}}
                                for i in range(count)]}}


def sentences(count, of):
    return " ".join(f"Sentence number {of} {j} tells of word{j * of % 9_973}." for j in range(count))


def requests():
    query = wildcards(1_000)
    yield "a search", "POST", "/books/_search", {"size": 0, "query": query}
    yield "an async search", "POST", "/books/_async_search?wait_for_completion_timeout=60s", {
        "size": 0, "query": query}
    yield "a count", "POST", "/books/_count", {"query": query}
    # Nothing matches, so that it can be asked for again.
    yield "a delete by query", "POST", "/books/_delete_by_query", {"query": {"bool": {"should": [
        {"wildcard": {"k": f"*{i:x}*{i * 7 % 256:x}*z*"}} for i in range(400)]}}}
    yield "a highlight", "POST", "/long/_search", {
        "size": 40, "_source": False, "query": {"match": {"t": " ".join(f"w{i}" for i in range(50))}},
        "highlight": {"max_analyzed_offset": -1, "fields": {"t": {"number_of_fragments": 0}}}}
    # A batch whose texts are embedded by a table, ...
    rows = []
    for i in range(300):
        rows += ['{"index":{}}', json.dumps({"s": sentences(1_500, i)})]
    yield "a batch that embeds", "POST", "/meanings/_bulk", "\n".join(rows) + "\n"
    # ... as many texts as one call may bring for an encoder, and a reranking with parts of texts.
    words = random.Random(5)
    texts = [" ".join(f"w{words.randrange(280)}" for _ in range(150)) for _ in range(1_024)]
    yield "an embedding", "POST", "/_inference/text_embedding/dense", {"input": texts}
    yield "a sparse embedding", "POST", "/_inference/sparse_embedding/sparse", {"input": texts}
    yield "a reranking", "POST", "/_inference/rerank/pairs", {"query": "w1 w2 w3", "input": texts}
    yield "a reranking of parts", "POST", "/_inference/rerank/parts", {
        "query": "which sentence tells of a word that nobody knows, and of another number",
        "input": [sentences(2_000, i) for i in range(120)]}


def check_analysis(house):
    # The answer is a refusal, once all of it was analysed: there are more tokens than one may ask for.
    house.check_ends("an analysis", "POST", "/_analyze",
                     {"tokenizer": "ngram", "text": sentences(180_000, 1)}, status=400)


def check_merge(house):
    """What a merge did not end is as it was, so it can be asked for again."""
    numbers = random.Random(3)
    words = [f"w{i:x}" for i in range(30_000)]
    house.cairn.ok("PUT", "/merged", {"mappings": {"properties": {"t": {"type": "text"}}}})
    for _ in range(4):
        for _ in range(6):
            rows = []
            for _ in range(2_500):
                rows += ['{"index":{}}', json.dumps({"t": " ".join(numbers.choices(words, k=150))})]
            house.bulk("/merged", rows)
        house.cairn.ok("POST", "/merged/_flush")
    house.check_ends("a merge", "POST", "/merged/_forcemerge?max_num_segments=1", "",
                     whole_ms_min=300)
    assert house.cairn.ok("GET", "/merged/_count")["count"] == 60_000


def check_snapshots(house):
    """A snapshot goes on when its client leaves, as the platform has it: it is looked for under its
    name. A restore that is waited for ends, and leaves no index behind."""
    cairn, gone = house.cairn, house.gone
    slowly = {"location": os.path.join(house.backups, "slow"), "max_restore_bytes_per_sec": "1mb",
              "max_snapshot_bytes_per_sec": "20mb"}
    cairn.ok("PUT", "/_snapshot/slow", {"type": "fs", "settings": slowly})

    def state():
        status, answer = cairn.request("GET", "/_snapshot/slow/one")
        return answer["snapshots"][0]["state"] if status == 200 else None
    gone.leave(cairn.api, gone.api_request(
        "PUT", "/_snapshot/slow/one?wait_for_completion=true", json.dumps({"indices": "merged"})),
        "end", begun=lambda: state() == "IN_PROGRESS")
    while state() == "IN_PROGRESS":
        pass
    assert state() == "SUCCESS", state()
    before = os.path.getsize(os.path.join(cairn.folder, "log"))
    for how in ("end", "reset"):
        gone.leave(cairn.api, gone.api_request(
            "POST", "/_snapshot/slow/one/_restore?wait_for_completion=true",
            json.dumps({"rename_pattern": "merged", "rename_replacement": "copy"})), how,
            begun=lambda: gone.connections() > 0)
        # All of it would take half a minute, and then the index would be there.
        status, _ = cairn.request("HEAD", "/copy")
        assert status == 404, f"a restore goes on after its client has left ({how})"
    assert os.path.getsize(os.path.join(cairn.folder, "log")) - before < 100_000
    print("a snapshot goes on, a restore ends", flush=True)


def main():
    house = Fixture(sys.argv[1])
    try:
        house.fill()
        house.serve("rerank", "parts", "cairn-mini", long_document_strategy="chunk")
        for task, name in (("text_embedding", "dense"), ("sparse_embedding", "sparse"),
                           ("rerank", "pairs")):
            house.serve(task, name, "model-" + task)
        for name, method, path, body in requests():
            house.cairn.ok(method, path, body)  # so that all is loaded
            house.check_ends(name, method, path, body, whole_ms_min=300)
        check_analysis(house)
        check_merge(house)
        check_snapshots(house)
        assert house.cairn.stop() == 0
    finally:
        if house.cairn.process.poll() is None:
            house.cairn.kill()
        for folder in (house.cairn.folder, house.backups, house.models):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
