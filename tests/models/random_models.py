"""Encoders of random weights as folders of the Hugging Face layout, one for each family."""
import hashlib
import json
import os
import struct

import numpy

HIDDEN, LAYERS, HEADS, WIDE, WORDS, TOKENS = 64, 3, 4, 112, 300, 160
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = SPECIAL + [f"w{i}" for i in range(WORDS - len(SPECIAL) - 1)] + ["find"]


def save_safetensors(path, tensors, dtype="F32"):
    head, at, parts = {}, 0, []
    for name, numbers in tensors.items():
        data = numbers.astype("<f4").tobytes()
        if dtype == "BF16":  # cut off, which is exact for numbers that were rounded before
            data = (numbers.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        head[name] = {"dtype": dtype, "shape": list(numbers.shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


class Weights:
    """Random tensors by name. Spreads are wide, so that no mistake drowns in a norm."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.tensors = {}

    def matrix(self, name, rows, columns, spread=0.09):
        self.tensors[name] = self.random.normal(0, spread, (rows, columns)).astype("f4")

    def linear(self, name, rows, columns, bias=True):
        self.matrix(name + ".weight", rows, columns)
        if bias:
            self.tensors[name + ".bias"] = self.random.normal(0, 0.1, rows).astype("f4")

    def norm(self, name, shift=True, gain="weight", offset="bias"):
        self.tensors[f"{name}.{gain}"] = self.random.normal(1, 0.2, HIDDEN).astype("f4")
        if shift:
            self.tensors[f"{name}.{offset}"] = self.random.normal(0, 0.1, HIDDEN).astype("f4")


def bert_config(**more):
    return {"model_type": "bert", "vocab_size": WORDS, "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": WIDE,
            "max_position_embeddings": TOKENS, "type_vocab_size": 2, "hidden_act": "gelu",
            "layer_norm_eps": 1e-12, **more}


def bert_like(weights, prefix, config, old_norms=False):
    names = ("gamma", "beta") if old_norms else ("weight", "bias")
    norm = lambda name: weights.norm(name, gain=names[0], offset=names[1])
    weights.matrix(prefix + "embeddings.word_embeddings.weight", WORDS, HIDDEN, 0.5)
    weights.matrix(prefix + "embeddings.position_embeddings.weight",
                   config["max_position_embeddings"], HIDDEN, 0.4)
    weights.matrix(prefix + "embeddings.token_type_embeddings.weight",
                   config["type_vocab_size"], HIDDEN, 0.4)
    norm(prefix + "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"{prefix}encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            weights.linear(at + "attention.self." + part, HIDDEN, HIDDEN)
        weights.linear(at + "attention.output.dense", HIDDEN, HIDDEN)
        norm(at + "attention.output.LayerNorm")
        weights.linear(at + "intermediate.dense", WIDE, HIDDEN)
        weights.linear(at + "output.dense", HIDDEN, WIDE)
        norm(at + "output.LayerNorm")


def bert(weights):
    config = bert_config()
    bert_like(weights, "", config)
    return config


def old_bert(weights):
    """With the prefix of a model that has a head, gamma and beta, and buffers that are none."""
    config = bert_config(hidden_act="gelu_new")
    bert_like(weights, "bert.", config, old_norms=True)
    weights.tensors["bert.embeddings.position_ids"] = numpy.arange(TOKENS, dtype="f4")
    return config


def roberta(weights):
    config = bert_config(model_type="xlm-roberta", type_vocab_size=1, pad_token_id=1,
                         max_position_embeddings=TOKENS + 2, layer_norm_eps=1e-5)
    bert_like(weights, "roberta.", config)
    return config


def mpnet(weights):
    config = bert_config(model_type="mpnet", pad_token_id=1, max_position_embeddings=TOKENS + 2,
                         relative_attention_num_buckets=32, layer_norm_eps=1e-5)
    del config["type_vocab_size"]
    weights.matrix("embeddings.word_embeddings.weight", WORDS, HIDDEN, 0.5)
    weights.matrix("embeddings.position_embeddings.weight", TOKENS + 2, HIDDEN, 0.4)
    weights.norm("embeddings.LayerNorm")
    weights.matrix("encoder.relative_attention_bias.weight", 32, HEADS, 0.8)
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        for part in "qkvo":
            weights.linear(at + "attention.attn." + part, HIDDEN, HIDDEN)
        weights.norm(at + "attention.LayerNorm")
        weights.linear(at + "intermediate.dense", WIDE, HIDDEN)
        weights.linear(at + "output.dense", HIDDEN, WIDE)
        weights.norm(at + "output.LayerNorm")
    return config


def distilbert(weights):
    weights.matrix("distilbert.embeddings.word_embeddings.weight", WORDS, HIDDEN, 0.5)
    weights.matrix("distilbert.embeddings.position_embeddings.weight", TOKENS, HIDDEN, 0.4)
    weights.norm("distilbert.embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"distilbert.transformer.layer.{layer}."
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            weights.linear(at + "attention." + part, HIDDEN, HIDDEN)
        weights.norm(at + "sa_layer_norm")
        weights.linear(at + "ffn.lin1", WIDE, HIDDEN)
        weights.linear(at + "ffn.lin2", HIDDEN, WIDE)
        weights.norm(at + "output_layer_norm")
    return {"model_type": "distilbert", "vocab_size": WORDS, "dim": HIDDEN, "n_layers": LAYERS,
            "n_heads": HEADS, "hidden_dim": WIDE, "max_position_embeddings": TOKENS,
            "activation": "gelu"}


def modernbert(weights):
    weights.matrix("model.embeddings.tok_embeddings.weight", WORDS, HIDDEN, 0.5)
    weights.norm("model.embeddings.norm", shift=False)
    for layer in range(LAYERS + 1):
        at = f"model.layers.{layer}."
        if layer > 0:
            weights.norm(at + "attn_norm", shift=False)
        weights.linear(at + "attn.Wqkv", 3 * HIDDEN, HIDDEN, bias=False)
        weights.linear(at + "attn.Wo", HIDDEN, HIDDEN, bias=False)
        weights.norm(at + "mlp_norm", shift=False)
        weights.linear(at + "mlp.Wi", 2 * WIDE, HIDDEN, bias=False)
        weights.linear(at + "mlp.Wo", HIDDEN, WIDE, bias=False)
    weights.norm("model.final_norm", shift=False)
    config = bert_config(model_type="modernbert", num_hidden_layers=LAYERS + 1, norm_eps=1e-5,
                         hidden_activation="gelu", global_rope_theta=160000.0,
                         local_rope_theta=10000.0, local_attention=24, global_attn_every_n_layers=3)
    for name in ("type_vocab_size", "hidden_act", "layer_norm_eps"):
        del config[name]
    return config


def nomic(weights):
    weights.matrix("embeddings.word_embeddings.weight", WORDS, HIDDEN, 0.5)
    weights.matrix("embeddings.token_type_embeddings.weight", 2, HIDDEN, 0.4)
    weights.norm("emb_ln")
    for layer in range(LAYERS):
        at = f"encoder.layers.{layer}."
        weights.linear(at + "attn.Wqkv", 3 * HIDDEN, HIDDEN, bias=False)
        weights.linear(at + "attn.out_proj", HIDDEN, HIDDEN, bias=False)
        weights.norm(at + "norm1")
        for part in ("fc11", "fc12"):
            weights.linear(at + "mlp." + part, WIDE, HIDDEN, bias=False)
        weights.linear(at + "mlp.fc2", HIDDEN, WIDE, bias=False)
        weights.norm(at + "norm2")
    return {"model_type": "nomic_bert", "vocab_size": WORDS, "n_embd": HIDDEN, "n_layer": LAYERS,
            "n_head": HEADS, "n_inner": WIDE, "n_positions": TOKENS, "type_vocab_size": 2,
            "activation_function": "swiglu", "layer_norm_epsilon": 1e-12, "prenorm": False,
            "qkv_proj_bias": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False,
            "use_rms_norm": False, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
            "rotary_emb_interleaved": False, "rotary_emb_scale_base": None}


def gte(weights):
    weights.matrix("new.embeddings.word_embeddings.weight", WORDS, HIDDEN, 0.5)
    weights.norm("new.embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"new.encoder.layer.{layer}."
        weights.linear(at + "attention.qkv_proj", 3 * HIDDEN, HIDDEN)
        weights.linear(at + "attention.o_proj", HIDDEN, HIDDEN)
        weights.norm(at + "attn_ln")
        weights.linear(at + "mlp.up_gate_proj", 2 * WIDE, HIDDEN, bias=False)
        weights.linear(at + "mlp.down_proj", HIDDEN, WIDE)
        weights.norm(at + "mlp_ln")
    return bert_config(model_type="new", position_embedding_type="rope", rope_theta=160000,
                       rope_scaling={"type": "ntk", "factor": 8.0}, layer_norm_type="layer_norm",
                       pack_qkv=True, logn_attention_scale=False, type_vocab_size=0)


FAMILIES = {"bert": bert, "old_bert": old_bert, "roberta": roberta, "mpnet": mpnet,
            "distilbert": distilbert, "modernbert": modernbert, "nomic": nomic, "gte": gte}


def word_head(transform, norm, bias, words=None):
    """Makes a model one of sparse vectors."""
    def change(weights, config):
        config["architectures"] = ["AnyForMaskedLM"]
        weights.linear(transform, HIDDEN, HIDDEN)
        weights.norm(norm)
        weights.tensors[bias] = weights.random.normal(0, 0.3, WORDS).astype("f4")
        if words:
            weights.matrix(words, WORDS, HIDDEN)
    return change


BERT_WORDS = ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
              "cls.predictions.bias")


def rerank_head(weights, config):
    """Makes a model of family "old_bert" one that scores pairs."""
    config.update(architectures=["BertForSequenceClassification"], num_labels=1)
    weights.linear("bert.pooler.dense", HIDDEN, HIDDEN)
    weights.linear("classifier", 1, HIDDEN)


def make(family, folder, change=None, files=None, seed=7):
    """Writes the folder with its list of digests; returns its config and its tensors. `change` is
    given the weights and the config first, `files` are more files by name."""
    weights = Weights(seed)
    config = FAMILIES[family](weights)
    if change:
        change(weights, config)
    os.makedirs(folder)
    save_safetensors(os.path.join(folder, "model.safetensors"), weights.tensors)
    for name, content in {"config.json": json.dumps(config), "vocab.txt": "\n".join(VOCABULARY),
                          **(files or {})}.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    list_digests(folder)
    return config, weights.tensors


def list_digests(folder):
    lines = []
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            lines.append(f"{digest}  {os.path.relpath(path, folder)}\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="ascii") as file:
        file.writelines(lines)
