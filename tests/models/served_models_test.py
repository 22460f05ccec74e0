#!/usr/bin/env python3
"""served_models_test.py BINARY: models of random weights answer over HTTP as PyTorch does, and say what
they cannot do. A process in which the arithmetic is rounded must keep the direction of each vector."""
import json
import os
import shutil
import sys
import tempfile

import numpy
import torch

import models_test
import random_decoders
import random_models

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

TEXTS = [text for text in models_test.TEXTS if text]  # an endpoint refuses the empty text


class Served(models_test.Folder):
    """A folder among those that a server takes over, with an endpoint."""

    def __init__(self, models, name, family, task, change=None):
        super().__init__(models, family, change)
        path = os.path.join(models, name)
        os.rename(self.path, path)
        self.path, self.name, self.task = path, name, task

    def serve(self, cairn):
        made = cairn.ok("PUT", f"/_inference/{self.task}/{self.name}-endpoint", {
            "service": "cairn", "service_settings": {
                "model_id": self.name, "num_allocations": 1, "num_threads": 1}})
        assert made["task_type"] == self.task, made
        stats = cairn.ok("GET", f"/_ml/trained_models/{self.name}/_stats")["trained_model_stats"][0]
        allocated = stats["deployment_stats"]["allocation_status"]
        assert allocated["state"] == "fully_allocated", allocated
        return made

    def ask(self, cairn, body, task=None, status=200):
        got, answer = cairn.request("POST", f"/_inference/{task or self.task}/{self.name}-endpoint", body)
        assert got == status, answer
        return answer


def check_dense(cairn, dense):
    made = dense.serve(cairn)
    assert made["service_settings"]["dimensions"] == random_models.HIDDEN, made
    answers = dense.ask(cairn, {"input": TEXTS})["text_embedding"]
    for text, answer in zip(TEXTS, answers):
        wanted = models_test.unit(dense.states(text).mean(0)).numpy()
        cosine = float(numpy.dot(wanted, answer["embedding"]))
        assert cosine > 0.998, (text[:30], cosine)
    refused = dense.ask(cairn, {"input": "w1"}, "sparse_embedding", 400)
    assert "sparse_embedding" in str(refused), refused


def check_sparse(cairn, sparse):
    sparse.serve(cairn)
    answer = sparse.ask(cairn, {"input": ["w1 w2 w3"]})["sparse_embedding"][0]
    terms = answer["embedding"]
    folder_norm = random_models.BERT_WORDS[1]
    states = sparse.norm(folder_norm, models_test.torch_encoders.gelu_new(
        sparse.linear(random_models.BERT_WORDS[0], sparse.states("w1 w2 w3"))))
    words = sparse.tensor("bert.embeddings.word_embeddings.weight")
    scores = torch.nn.functional.linear(states, words, sparse.tensor(random_models.BERT_WORDS[2]))
    weights = torch.log1p(torch.relu(scores.max(0).values)).numpy()
    weights[:len(random_models.SPECIAL)] = 0
    got = numpy.array([terms.get(word, 0) for word in random_models.VOCABULARY])
    assert len(terms) > 50
    cosine = numpy.dot(got, weights) / numpy.linalg.norm(got) / numpy.linalg.norm(weights)
    assert cosine > 0.998, cosine


def check_rerank(cairn, scored):
    scored.serve(cairn)
    texts = TEXTS[:4]
    answers = scored.ask(cairn, {"query": "w3 w20", "input": texts})["rerank"]
    assert sorted(answer["index"] for answer in answers) == list(range(len(texts)))
    for answer in answers:
        first = scored.states("w3 w20", texts[answer["index"]])[0]
        logit = scored.linear("classifier", torch.tanh(scored.linear("bert.pooler.dense", first)))
        assert abs(torch.sigmoid(logit).item() - answer["relevance_score"]) < 0.05, answer


class ServedDecoder(Served):
    """A decoder in the layout of Qwen3-Embedding, with an endpoint."""

    def __init__(self, models, name, files):
        self.folder = models_test.DecoderFolder(models, "qwen3", files, random_decoders.TOKENS)
        self.path, self.name, self.task = os.path.join(models, name), name, "text_embedding"
        os.rename(self.folder.path, self.path)


def check_decoder(cairn, served):
    made = served.serve(cairn)
    assert made["service_settings"]["dimensions"] == 64, made
    for kind, prompt in (("ingest", ""), ("search", models_test.PROMPT)):
        answers = served.ask(cairn, {"input": TEXTS, "input_type": kind})["text_embedding"]
        for text, answer in zip(TEXTS, answers):
            wanted = served.folder.vector(prompt + text)
            cosine = float(numpy.dot(wanted, answer["embedding"]))
            assert cosine > 0.998, (text[:30], cosine)
            assert abs(numpy.linalg.norm(answer["embedding"]) - 1) < 1e-5
    refused = served.ask(cairn, {"query": "w1", "input": ["w1"]}, "rerank", 400)
    assert "rerank" in str(refused), refused


def check_refused_pooling(cairn):
    """A decoder whose vectors are means of tokens is refused, by name."""
    status, answer = cairn.request("PUT", "/_inference/text_embedding/pooled-endpoint", {
        "service": "cairn", "service_settings": {
            "model_id": "pooled", "num_allocations": 1, "num_threads": 1}})
    assert status == 400 and "pooling_mode_lasttoken" in str(answer), (status, answer)


def check_foreign_type(cairn):
    """A folder whose type of model is none that runs is refused with the types that are offered."""
    status, answer = cairn.request("PUT", "/_inference/text_embedding/foreign-endpoint", {
        "service": "cairn", "service_settings": {
            "model_id": "foreign", "num_allocations": 1, "num_threads": 1}})
    assert status == 400 and "[model_type] is [t5], which is not offered" in str(answer), (status, answer)


def main():
    cairn = Cairn(sys.argv[1])
    models = tempfile.mkdtemp(prefix="cairn-models-")
    torch.set_num_threads(1)
    try:
        dense = Served(models, "dense", "bert", "text_embedding")
        sparse = Served(models, "sparse", "old_bert", "sparse_embedding",
                        random_models.word_head(*random_models.BERT_WORDS))
        scored = Served(models, "scored", "old_bert", "rerank", random_models.rerank_head)
        Served(models, "foreign", "bert", "text_embedding",
               lambda weights, config: config.update(model_type="t5"))
        decoder = ServedDecoder(models, "decoder", random_decoders.EMBEDDING_FILES)
        ServedDecoder(models, "pooled", {
            **random_decoders.EMBEDDING_FILES, "1_Pooling/config.json": json.dumps({
                "word_embedding_dimension": 64, "pooling_mode_mean_tokens": True})})
        cairn.start("--set", "inference.models_dir=" + models)
        with torch.no_grad():
            check_dense(cairn, dense)
            check_sparse(cairn, sparse)
            check_rerank(cairn, scored)
            check_decoder(cairn, decoder)
        check_foreign_type(cairn)
        check_refused_pooling(cairn)
        assert cairn.stop() == 0
        print("all well")
    finally:
        if cairn.process is not None and cairn.process.poll() is None:
            cairn.kill()
        for folder in (cairn.folder, models):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
