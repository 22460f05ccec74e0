"""Decoders in PyTorch, from the definitions of their papers and of their configs, all tokens of one
text at once and without a cache."""
import math

import torch
from torch.nn import functional

import gguf_files
import random_decoders


def frequencies(config):
    """Of the pairs of a head, and what cosines and sines are multiplied by."""
    size = random_decoders.head_size(config)
    joined = config.get("rope_parameters") or {}
    base = joined.get("rope_theta", config.get("rope_theta", 10000.0))
    scaling = joined or config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    plain = 1.0 / base ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    if kind in ("default", "dynamic"):  # dynamic differs beyond the trained length alone
        return plain, 1.0
    factor = scaling["factor"]
    if kind == "linear":
        return plain / factor, 1.0
    original = scaling["original_max_position_embeddings"]
    if kind == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        length = 2 * math.pi / plain
        smooth = (original / length - low) / (high - low)
        mixed = (1 - smooth) * plain / factor + smooth * plain
        out = torch.where(length > original / low, plain / factor, plain)
        between = (length <= original / low) & (length >= original / high)
        return torch.where(between, mixed, out), 1.0
    assert kind == "yarn", kind

    def pair(turns):
        return size * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
    first, last = max(math.floor(pair(32)), 0), min(math.ceil(pair(1)), size - 1)
    if first == last:
        last += 0.001
    ramp = ((torch.arange(size // 2, dtype=torch.float64) - first) / (last - first)).clamp(0, 1)
    return plain / factor * ramp + plain * (1 - ramp), 0.1 * math.log(factor) + 1


def turned(x, cosines, sines):
    first, second = x.chunk(2, -1)
    return x * cosines + torch.cat((-second, first), -1) * sines


def in_bytes(weight):
    """A weight as int8 holds it: a scale for each output."""
    scale = weight.abs().amax(1, keepdim=True) / 127
    return (weight / scale).round().clamp(-127, 127) * scale


def in_four_bits(weight):
    """A weight as int4 holds it: a scale for each 32 numbers, where 32 divide a row."""
    if weight.shape[1] % 32 != 0:
        return in_bytes(weight)
    return torch.from_numpy(gguf_files.q4_0(weight.numpy())[1])


class Decoder:
    """`rounded` is what becomes of the weights of products, `last` of those of the last one."""

    def __init__(self, config, tensors, prefix="model.", rounded=lambda weight: weight, last=None):
        self.config, self.prefix, self.rounded = config, prefix, rounded
        self.last = last or rounded
        self.tensors = {name: torch.from_numpy(numbers) for name, numbers in tensors.items()}

    def norm(self, name, x):
        square = x.pow(2).mean(-1, keepdim=True)
        gain = self.tensors[f"{self.prefix}{name}.weight"]
        return x * torch.rsqrt(square + self.config["rms_norm_eps"]) * gain

    def linear(self, name, x):
        return functional.linear(x, self.rounded(self.tensors[f"{self.prefix}{name}.weight"]),
                                 self.tensors.get(f"{self.prefix}{name}.bias"))

    def attention(self, at, x, cosines, sines):
        size, tokens = random_decoders.head_size(self.config), len(x)
        heads = lambda part: self.linear(f"{at}self_attn.{part}_proj", x).view(tokens, -1, size)
        queries, keys, values = heads("q"), heads("k"), heads("v")
        if self.config["model_type"] == "qwen3":
            queries = self.norm(at + "self_attn.q_norm", queries)
            keys = self.norm(at + "self_attn.k_norm", keys)
        queries = turned(queries, cosines, sines)
        keys = turned(keys, cosines, sines)
        shared = queries.shape[1] // keys.shape[1]
        keys, values = (part.repeat_interleave(shared, 1) for part in (keys, values))
        scores = torch.einsum("qhd,khd->hqk", queries, keys) / math.sqrt(size)
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        mixed = torch.einsum("hqk,khd->qhd", weights, values).reshape(tokens, -1)
        return self.linear(at + "self_attn.o_proj", mixed)

    def states(self, ids):
        angles, factor = frequencies(self.config)
        turns = torch.arange(len(ids), dtype=torch.float64)[:, None] * angles
        turns = torch.cat((turns, turns), -1)[:, None]
        cosines, sines = (turns.cos() * factor).float(), (turns.sin() * factor).float()
        x = self.tensors[self.prefix + "embed_tokens.weight"][torch.as_tensor(ids)]
        for layer in range(self.config["num_hidden_layers"]):
            at = f"layers.{layer}."
            x = x + self.attention(at, self.norm(at + "input_layernorm", x), cosines, sines)
            y = self.norm(at + "post_attention_layernorm", x)
            y = functional.silu(self.linear(at + "mlp.gate_proj", y)) * self.linear(
                at + "mlp.up_proj", y)
            x = x + self.linear(at + "mlp.down_proj", y)
        return self.norm("norm", x)

    def logits(self, ids):
        tied = self.config.get("tie_word_embeddings", False)
        name = self.prefix + "embed_tokens.weight" if tied else "lm_head.weight"
        return functional.linear(self.states(ids), self.last(self.tensors[name]))
