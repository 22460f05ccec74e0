#!/usr/bin/env python3
"""models_test.py MODEL_RESULTS: folders of random weights, with tokenizer, pooling, prompts and heads,
give the dense vectors, the sparse vectors and the scores of PyTorch."""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy
import torch
from torch.nn import functional

import random_decoders
import random_models
import torch_decoders
import torch_encoders

SPECIAL, WORDS = random_models.SPECIAL, random_models.VOCABULARY
TEXTS = ["w1 w2 w3", "", "w9", "unknown w4 w5", " ".join(f"w{i % 250}" for i in range(400)), "w7 w7"]
PROMPT = "find w8 "


def ids_of(text, other=None, most=random_models.TOKENS):
    """As BERT frames one text, or a pair whose second text is cut."""
    def words(of):
        return [WORDS.index(word) if word in WORDS else 1 for word in of.split()]
    first, second = words(text), None if other is None else words(other)
    if second is None:
        first = first[:most - 2]
        return [2, *first, 3], [0] * (len(first) + 2)
    second = second[:most - 3 - len(first)]
    return [2, *first, 3, *second, 3], [0] * (len(first) + 2) + [1] * (len(second) + 1)


class Folder:
    def __init__(self, root, family, change=None, files=None):
        self.path = os.path.join(root, family + str(len(os.listdir(root))))
        self.family = family
        self.config, self.tensors = random_models.make(family, self.path, change, files)

    def states(self, text, other=None):
        ids, types = ids_of(text, other)
        return getattr(torch_encoders, self.family)(self.config, self.tensors, torch.tensor(ids),
                                                    torch.tensor(types))

    def tensor(self, name):
        return torch.from_numpy(self.tensors[name])

    def linear(self, name, x):
        return functional.linear(x, self.tensor(name + ".weight"), self.tensor(name + ".bias"))

    def norm(self, name, x):
        return functional.layer_norm(x, x.shape[-1:], self.tensor(name + ".weight"),
                                     self.tensor(name + ".bias"), self.config.get("layer_norm_eps", 1e-12))


def results(program, folder, task, texts, *more, precision="float32"):
    run = subprocess.run([program, folder.path, task, *more], input="\n".join(texts).encode() + b"\n",
                         capture_output=True, check=False, env={**os.environ, "PRECISION": precision})
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


def near(got, wanted, what, allowed=2e-5):
    got, wanted = numpy.array(got), numpy.array(wanted)
    assert got.shape == wanted.shape, f"{what}: {got.shape}, not {wanted.shape}"
    worst = numpy.abs(got - wanted).max()
    print(f"{what}: greatest difference {worst:.2g}")
    assert worst <= allowed, what


def unit(x):
    return x / x.norm()


def test_dense(program, root):
    folder = Folder(root, "bert")
    wanted = [unit(folder.states(text).mean(0)).numpy() for text in TEXTS]
    near(results(program, folder, "ingest", TEXTS), wanted, "means as unit vectors")
    near(results(program, folder, "ingest", TEXTS, precision="bfloat16"), wanted, "in bfloat16", 5e-3)
    near(results(program, folder, "ingest", TEXTS, precision="int8"), wanted, "in int8", 2e-2)
    near(results(program, folder, "ingest", TEXTS, precision="automatic"), wanted, "in the chosen one", 2e-2)


def test_sentence_files(program, root):
    random = numpy.random.default_rng(3)
    size = random_models.HIDDEN
    dense = {"linear.weight": random.normal(0, 0.1, (48, 2 * size)).astype("f4"),
             "linear.bias": random.normal(0, 0.1, 48).astype("f4")}
    kept = os.path.join(root, "dense.safetensors")
    random_models.save_safetensors(kept, dense)
    with open(kept, "rb") as file:
        dense_bytes = file.read()
    os.remove(kept)
    package = "sentence_transformers.models."
    files = {
        "modules.json": json.dumps([
            {"idx": 0, "name": "0", "path": "", "type": package + "Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": package + "Pooling"},
            {"idx": 2, "name": "2", "path": "2_Dense", "type": package + "Dense"}]),
        "1_Pooling/config.json": json.dumps({
            "word_embedding_dimension": size, "pooling_mode_cls_token": True,
            "pooling_mode_mean_tokens": True, "include_prompt": False}),
        "2_Dense/config.json": json.dumps({
            "in_features": 2 * size, "out_features": 48, "bias": True,
            "activation_function": "torch.nn.modules.activation.Tanh"}),
        "2_Dense/model.safetensors": dense_bytes,
        "sentence_bert_config.json": json.dumps({"max_seq_length": 100, "do_lower_case": False}),
        "config_sentence_transformers.json": json.dumps({"prompts": {"query": PROMPT, "passage": ""}}),
    }
    folder = Folder(root, "bert", files=files)

    def wanted(text, skipped):
        ids, types = ids_of(text, most=100)
        states = torch_encoders.bert(folder.config, folder.tensors, torch.tensor(ids), torch.tensor(types))
        both = torch.cat((states[0], states[skipped:].mean(0)))
        return torch.tanh(functional.linear(both, torch.from_numpy(dense["linear.weight"]),
                                            torch.from_numpy(dense["linear.bias"]))).numpy()
    near(results(program, folder, "ingest", TEXTS), [wanted(text, 0) for text in TEXTS],
         "two kinds of pooling and a dense layer")
    # [CLS] and the prompt's two words count for nothing in the mean.
    near(results(program, folder, "search", TEXTS), [wanted(PROMPT + text, 3) for text in TEXTS],
         "with a prompt that is left out")


def test_sparse(program, root):
    for family, names in {
            "old_bert": random_models.BERT_WORDS,
            "distilbert": ("vocab_transform", "vocab_layer_norm", "vocab_projector.bias",
                           "vocab_projector.weight"),
            "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias")}.items():
        folder = Folder(root, family, random_models.word_head(*names))
        embeddings = next(name for name in folder.tensors if "word_embeddings" in name)
        act = torch_encoders.gelu_new if family == "old_bert" else torch_encoders.gelu
        got = results(program, folder, "sparse", TEXTS)
        for text, terms in zip(TEXTS, got):
            states = folder.norm(names[1], act(folder.linear(names[0], folder.states(text))))
            words = folder.tensor(names[3] if len(names) > 3 else embeddings)
            scores = functional.linear(states, words, folder.tensor(names[2])).max(0).values
            weights = torch.log1p(torch.relu(scores)).numpy()
            weights[:len(SPECIAL)] = 0
            best = numpy.argsort(-weights, kind="stable")[:256]
            wanted = {WORDS[word]: weights[word] for word in best if weights[word] > 0}
            assert set(terms) == set(wanted), f"{family}: {set(terms) ^ set(wanted)}"
            near([terms[term] for term in sorted(terms)], [wanted[term] for term in sorted(terms)],
                 f"{family}: {len(terms)} terms")


def test_modules_and_heads(program, root):
    """Modules that make one vector count for more than the head of the config, and the other way
    round where they are those of sparse vectors."""
    head = random_models.word_head(*random_models.BERT_WORDS)
    package = "sentence_transformers.models."
    modules = lambda *kinds: {"modules.json": json.dumps(
        [{"idx": i, "name": str(i), "path": path, "type": kind} for i, (kind, path) in enumerate(kinds)])}
    pooling = {"1_Pooling/config.json": json.dumps({
        "word_embedding_dimension": random_models.HIDDEN, "pooling_mode_mean_tokens": True})}
    dense = Folder(root, "bert", head, {**pooling, **modules(
        (package + "Transformer", ""), (package + "Pooling", "1_Pooling"), (package + "Normalize", "2_N"))})
    near(results(program, dense, "ingest", TEXTS),
         [unit(dense.states(text).mean(0)).numpy() for text in TEXTS], "modules before heads")
    encoder = "sentence_transformers.sparse_encoder.models."
    sparse = Folder(root, "bert", head, modules((encoder + "MLMTransformer", ""),
                                                (encoder + "SpladePooling", "1_SpladePooling")))
    plain = Folder(root, "bert", head)
    assert results(program, sparse, "sparse", TEXTS) == results(program, plain, "sparse", TEXTS)


class DecoderFolder:
    """A decoder in the layout of Qwen3-Embedding: no prefix, no last product, the last token counts."""

    def __init__(self, root, name, files=None, most=random_models.TOKENS):
        self.path = os.path.join(root, name + str(len(os.listdir(root))))
        self.most = most
        self.config, tensors = random_decoders.make(name, self.path, prefix="", files=files)
        self.decoder = torch_decoders.Decoder(self.config, tensors, prefix="")

    def vector(self, text):
        return unit(self.decoder.states(ids_of(text, most=self.most)[0])[-1]).numpy()


def test_decoder(program, root):
    most = random_decoders.TOKENS
    folder = DecoderFolder(root, "qwen3", random_decoders.EMBEDDING_FILES, most)
    wanted = [folder.vector(text) for text in TEXTS]
    near(results(program, folder, "ingest", TEXTS), wanted, "last tokens of a decoder")
    near(results(program, folder, "ingest", TEXTS, precision="bfloat16"), wanted, "in bfloat16", 5e-3)
    near(results(program, folder, "ingest", TEXTS, precision="int8"), wanted, "in int8", 2e-2)
    assert (results(program, folder, "ingest", TEXTS, precision="automatic")
            == results(program, folder, "ingest", TEXTS, precision="int8"))
    near(results(program, folder, "search", TEXTS), [folder.vector(PROMPT + text) for text in TEXTS],
         "with a prompt")
    for text, alone in zip(TEXTS, results(program, folder, "ingest", TEXTS)):
        assert results(program, folder, "ingest", [text]) == [alone]
    plain = DecoderFolder(root, "llama", most=most)  # without the files of sentence-transformers
    near(results(program, plain, "ingest", TEXTS), [plain.vector(text) for text in TEXTS],
         "last tokens without modules.json")


def test_rerank(program, root):
    def roberta_head(weights, config):
        config.update(architectures=["XLMRobertaForSequenceClassification"], id2label={"0": "a", "1": "b"})
        weights.linear("classifier.dense", random_models.HIDDEN, random_models.HIDDEN)
        weights.linear("classifier.out_proj", 2, random_models.HIDDEN)

    def distilbert_head(weights, config):
        config.update(architectures=["DistilBertForSequenceClassification"], num_labels=1)
        weights.linear("pre_classifier", random_models.HIDDEN, random_models.HIDDEN)
        weights.linear("classifier", 1, random_models.HIDDEN)

    query = "w3 w20 find"
    for family, head in {"old_bert": random_models.rerank_head, "roberta": roberta_head,
                         "distilbert": distilbert_head}.items():
        folder = Folder(root, family, head)
        wanted = []
        for text in TEXTS:
            first = folder.states(query, text)[0]
            if family == "old_bert":
                logit = folder.linear("classifier", torch.tanh(folder.linear("bert.pooler.dense", first)))
            elif family == "roberta":
                logit = folder.linear("classifier.out_proj", torch.tanh(folder.linear("classifier.dense", first)))
            else:
                logit = folder.linear("classifier", torch.relu(folder.linear("pre_classifier", first)))
            logit = logit[-1].item()
            wanted.append(logit if family == "roberta" else 1 / (1 + math.exp(-logit)))
        got = results(program, folder, "rerank", TEXTS, query)
        assert [one["index"] for one in got] == sorted(range(len(TEXTS)), key=lambda i: -wanted[i]), family
        near([one["score"] for one in got], sorted(wanted, reverse=True), f"{family}: scores")


def main():
    program = sys.argv[1]
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as root, torch.no_grad():
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test(program, root)
    print("all well")


if __name__ == "__main__":
    main()
