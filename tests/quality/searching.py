"""A server with one index for each language, and the rankers that are compared."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402
import texts  # noqa: E402

DEPTH = 100   # documents of a ranked list: what recall@100 needs
RERANKED = 50  # documents that the reranker looks at


class Searcher:
    def __init__(self, binary, folder):
        self.cairn = Cairn(binary, environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": folder})
        self.cairn.start("--set", "rate_limit.enabled=false", wait_s=60)
        self.connection = self.cairn.connect(timeout=600)
        self.folder = folder
        self.names = {}  # of an index: document id -> name

    def stop(self):
        self.connection.close()
        self.cairn.stop()

    def ok(self, method, path, body=None):
        return self.cairn.ok(method, path, body, connection=self.connection)

    def fill(self, language):
        """Indexes the texts of a language by a connector; how many there are."""
        index = "texts-" + language
        copied = {"type": "text", "copy_to": ["dense", "sparse"]}
        self.ok("PUT", "/" + index, {"mappings": {"properties": {
            "title": copied, "body": copied, "path": {"type": "keyword"},
            "dense": {"type": "semantic_text", "inference_id": ".cairn-dense"},
            "sparse": {"type": "semantic_text", "inference_id": ".cairn-sparse"}}}})
        self.ok("PUT", "/_connector/" + index,
                {"index_name": index, "name": index, "service_type": "directory"})
        self.ok("PUT", f"/_connector/{index}/_configuration",
                {"values": {"path": os.path.join(self.folder, language)}})
        job = self.ok("POST", "/_connector/_sync_job", {"id": index, "job_type": "full"})["id"]
        while True:
            state = self.ok("GET", "/_connector/_sync_job/" + job)
            if state["status"] == "completed":
                break
            if state["status"] not in ("pending", "in_progress"):
                raise AssertionError(f"the sync of {language} ended as {state}")
            time.sleep(0.1)
        self.ok("POST", f"/{index}/_refresh")
        self.names[language] = {}
        hits = self.ok("POST", f"/{index}/_search", {"size": 10000, "_source": ["path"]})
        for hit in hits["hits"]["hits"]:
            self.names[language][hit["_id"]] = texts.name_of(hit["_source"]["path"])
        return len(self.names[language])

    def default_field(self):
        """Which of the two fields with meaning a semantic_text field without an endpoint is like."""
        self.ok("PUT", "/default", {"mappings": {"properties": {"s": {"type": "semantic_text"}}}})
        properties = self.ok("GET", "/default/_mapping")["default"]["mappings"]["properties"]
        endpoint = self.ok("GET", "/_inference/" + properties["s"]["inference_id"])["endpoints"][0]
        return {"text_embedding": "dense", "sparse_embedding": "sparse"}[endpoint["task_type"]]

    def ranked(self, language, bodies, connection=None):
        """Names of documents, best first, for each of the bodies of searches; in one request."""
        lines = []
        for body in bodies:
            lines += ["{}", json.dumps({"size": DEPTH, "_source": False, **body})]
        answers = self.cairn.ok("POST", f"/texts-{language}/_msearch", "\n".join(lines) + "\n",
                                connection=connection or self.connection)
        names = self.names[language]
        lists = []
        for answer in answers["responses"]:
            if "error" in answer:
                raise AssertionError(answer)
            lists.append([names[hit["_id"]] for hit in answer["hits"]["hits"]])
        return lists

    def titles(self, language):
        """Titles by the names of their documents."""
        hits = self.ok("POST", f"/texts-{language}/_search", {"size": 10000, "_source": ["title"]})
        return {self.names[language][hit["_id"]]: hit["_source"].get("title", "")
                for hit in hits["hits"]["hits"]}


def by_words(text):
    return {"standard": {"query": {"multi_match": {"query": text, "fields": ["title", "body"]}}}}


def by_meaning(field, text):
    return {"standard": {"query": {"semantic": {"field": field, "query": text}}}}


def fused_by_rank(text, **settings):
    return {"rrf": {"retrievers": [by_words(text), by_meaning("dense", text)], **settings}}


def fused_by_score(text):
    """The hybrid that the documentation and ./quickstart use: docs/reference/hybrid-search.md."""
    return {"linear": {"normalizer": "minmax", "rank_window_size": DEPTH, "retrievers": [
        {"retriever": by_words(text)}, {"retriever": by_meaning("dense", text)}]}}


def reranked(text, retriever):
    return {"text_similarity_reranker": {
        "retriever": retriever, "field": "dense", "inference_text": text,
        "inference_id": ".cairn-rerank", "rank_window_size": RERANKED}}


def rankers(text):
    """Name of a ranker -> searches: one for its first ten, one for its first hundred."""
    plain = {"words": by_words(text), "sparse": by_meaning("sparse", text),
             "dense": by_meaning("dense", text), "linear": fused_by_score(text)}
    found = {name: ({"retriever": one}, {"retriever": one}) for name, one in plain.items()}
    # As it is by default: as many ranks are fused as hits are asked for.
    found["rrf"] = ({"size": 10, "retriever": fused_by_rank(text)},
                    {"retriever": fused_by_rank(text)})
    found["rrf of 100"] = ({"retriever": fused_by_rank(text, rank_window_size=DEPTH)},) * 2
    return found
