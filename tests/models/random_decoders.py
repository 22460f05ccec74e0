"""Decoders of random weights as folders of the Hugging Face layout, one for each family and each
scaling of positions."""
import json
import os

import numpy

import random_models

WORDS, TOKENS = 300, 256
BASE = {"vocab_size": WORDS, "num_hidden_layers": 3, "hidden_act": "silu",
        "max_position_embeddings": TOKENS, "torch_dtype": "bfloat16"}
LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
         "num_key_value_heads": 2, "intermediate_size": 112, "rms_norm_eps": 1e-5,
         "rope_theta": 10000.0}

CONFIGS = {
    "llama": {**LLAMA, "rms_norm_eps": 1e-3},
    "llama_biases": {**LLAMA, "attention_bias": True, "mlp_bias": True,
                     "tie_word_embeddings": True},
    "llama_linear": {**LLAMA, "rope_scaling": {"type": "linear", "factor": 4.0}},
    "llama_dynamic": {**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0}},
    "llama3": {**LLAMA, "rope_theta": 500000.0, "head_dim": 32, "rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64}},
    "mistral": {"model_type": "mistral", "hidden_size": 96, "num_attention_heads": 6,
                "num_key_value_heads": 3, "intermediate_size": 130, "rms_norm_eps": 1e-5,
                "rope_theta": 1000000.0, "sliding_window": None},
    "qwen2": {"model_type": "qwen2", "hidden_size": 112, "num_attention_heads": 7,
              "num_key_value_heads": 1, "intermediate_size": 150, "rms_norm_eps": 1e-6,
              "rope_theta": 1000000.0, "tie_word_embeddings": True, "sliding_window": 64,
              "use_sliding_window": False},
    "qwen2_yarn": {"model_type": "qwen2", "hidden_size": 64, "num_attention_heads": 2,
                   "num_key_value_heads": 2, "intermediate_size": 96, "rms_norm_eps": 1e-6,
                   "rope_theta": 10000.0, "max_position_embeddings": 64, "rope_scaling": {
                       "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}},
    "qwen3": {"model_type": "qwen3", "hidden_size": 64, "num_attention_heads": 4,
              "num_key_value_heads": 2, "head_dim": 48, "intermediate_size": 112,
              "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
              "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}},
}


def head_size(config):
    return config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])


def has_query_bias(config):
    return config["model_type"] == "qwen2" or config.get("attention_bias", False)


def weights_of(config, seed, prefix="model."):
    random = numpy.random.default_rng(seed)
    tensors = {}

    def rounded(numbers):  # to bfloat16, so that files of both types hold the same
        bits = numbers.astype("<f4").view("<u4")
        return ((bits + 0x8000) & 0xffff0000).astype("<u4").view("<f4")

    def linear(name, rows, columns, bias, spread):
        tensors[name + ".weight"] = rounded(random.normal(0, spread, (rows, columns)))
        if bias:
            tensors[name + ".bias"] = rounded(random.normal(0, 0.1, rows))

    def norm(name, width):
        tensors[name + ".weight"] = rounded(random.normal(1, 0.2, width))

    hidden, wide, size = config["hidden_size"], config["intermediate_size"], head_size(config)
    queries, keys = config["num_attention_heads"] * size, config["num_key_value_heads"] * size
    attention_bias = config.get("attention_bias", False)
    feed_bias = config.get("mlp_bias", False)
    linear(prefix + "embed_tokens", WORDS, hidden, False, 0.3)
    for layer in range(config["num_hidden_layers"]):
        at = f"{prefix}layers.{layer}."
        norm(at + "input_layernorm", hidden)
        for part, rows in (("q", queries), ("k", keys), ("v", keys)):
            linear(f"{at}self_attn.{part}_proj", rows, hidden, has_query_bias(config), 0.1)
        if config["model_type"] == "qwen3":
            norm(at + "self_attn.q_norm", size)
            norm(at + "self_attn.k_norm", size)
        linear(at + "self_attn.o_proj", hidden, queries, attention_bias, 0.1)
        norm(at + "post_attention_layernorm", hidden)
        linear(at + "mlp.gate_proj", wide, hidden, feed_bias, 0.1)
        linear(at + "mlp.up_proj", wide, hidden, feed_bias, 0.1)
        linear(at + "mlp.down_proj", hidden, wide, feed_bias, 0.1)
    norm(prefix + "norm", hidden)
    if not config.get("tie_word_embeddings", False):
        linear("lm_head", WORDS, hidden, False, 0.1)
    return tensors


PACKAGE = "sentence_transformers.models."
# What stands beside a decoder that makes vectors of texts, as in Qwen3-Embedding.
EMBEDDING_FILES = {
    "modules.json": json.dumps([
        {"idx": 0, "name": "0", "path": "", "type": PACKAGE + "Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": PACKAGE + "Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": PACKAGE + "Normalize"}]),
    "1_Pooling/config.json": json.dumps({
        "word_embedding_dimension": 64, "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True, "include_prompt": True}),
    "config_sentence_transformers.json": json.dumps({
        "prompts": {"query": "find w8 ", "document": ""}, "default_prompt_name": None,
        "similarity_fn_name": "cosine"})}


def make(name, folder, seed=1, change=None, prefix="model.", files=None):
    """`files` by name, beside weights, config and a vocabulary of words."""
    config = {**BASE, **CONFIGS[name]}
    tensors = weights_of(config, seed, prefix)
    if change:
        change(tensors, config)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    random_models.save_safetensors(os.path.join(folder, "model.safetensors"), tensors, "BF16")
    for name, text in {"vocab.txt": "\n".join(random_models.VOCABULARY), **(files or {})}.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    random_models.list_digests(folder)
    return config, tensors
