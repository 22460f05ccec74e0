#!/usr/bin/env python3
"""Decoders in the shape of Qwen2.5-0.5B with random weights beside llama.cpp.

Question: does a text begin and go on faster here than where people run it today, and what do eight at
once get? One thread each, by turns, in processor time; each ratio is made within its round.

    decoders_run.py BENCH_BIN NODE_FOLDER [--file FILE.gguf] [--rounds N] [--words N]
    NODE_FOLDER has node_modules with node-llama-cpp (npm install --ignore-scripts, by package.json here).
    FILE.gguf is written where it is not there yet: half a gigabyte in Q8_0.
    Debian: nodejs python3-numpy
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

import numpy

from peer import Peer

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests/models"))
import gguf_files  # noqa: E402

SHAPE = {"model_type": "qwen2", "max_position_embeddings": 32768, "hidden_size": 896,
         "num_hidden_layers": 24, "intermediate_size": 4864, "num_attention_heads": 14,
         "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "vocab_size": 151936}
OURS = ["Q8_0", "int8"]
GOALS = {"prompt": "1.8 (3 with AMX)", "one": "1.3", "eight": "3"}
PROMPT = 512


def weights():
    numbers = numpy.random.default_rng(1).standard_normal(100_003, dtype="f4") * 0.03
    hidden, wide = SHAPE["hidden_size"], SHAPE["intermediate_size"]
    keys = hidden // SHAPE["num_attention_heads"] * SHAPE["num_key_value_heads"]

    def matrix(rows, columns):
        return numpy.resize(numbers, rows * columns).reshape(rows, columns)
    out = {"model.embed_tokens.weight": matrix(SHAPE["vocab_size"], hidden),
           "model.norm.weight": numpy.ones(hidden, "f4")}
    for layer in range(SHAPE["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            out[f"{at}{norm}.weight"] = numpy.ones(hidden, "f4")
        for name, rows in (("q", hidden), ("k", keys), ("v", keys)):
            out[f"{at}self_attn.{name}_proj.weight"] = matrix(rows, hidden)
            out[f"{at}self_attn.{name}_proj.bias"] = numpy.zeros(rows, "f4")
        out[f"{at}self_attn.o_proj.weight"] = matrix(hidden, hidden)
        for name in ("gate", "up"):
            out[f"{at}mlp.{name}_proj.weight"] = matrix(wide, hidden)
        out[f"{at}mlp.down_proj.weight"] = matrix(hidden, wide)
    return out


def write_file(path):
    head = SHAPE["hidden_size"] // SHAPE["num_attention_heads"]
    gguf_files.write_decoder(path, SHAPE, weights(), lambda name: gguf_files.Q8_0, head)


def ours(bench, weights_name, words):
    line = subprocess.run([os.path.join(bench, "decoder_bench"), str(words), weights_name, "1"],
                          check=True, text=True, capture_output=True).stdout
    found = re.search(r"prompt +([\d.]+) .* one text +([\d.]+), bound +([\d.]+) .*"
                      r"share ([\d.]+); eight texts +([\d.]+)", line)
    names = ("prompt", "one", "bound", "share", "eight")
    return dict(zip(names, map(float, found.groups())))


def report(rounds):
    theirs = {name: statistics.median(each["llama"][name] for each in rounds)
              for name in ("prompt", "one")}
    print("| tokens a second | llama.cpp Q8_0 | " + " | ".join(f"Cairn {n}, ratio" for n in OURS)
          + " | goal |\n|" + "---|" * (3 + len(OURS)))
    for name, against, what in (("prompt", "prompt", f"prompt of {PROMPT}"),
                                ("one", "one", "one text"),
                                ("eight", "one", "eight texts together, beside its one")):
        cells = []
        for kind in OURS:
            value = statistics.median(each[kind][name] for each in rounds)
            ratio = statistics.median(each[kind][name] / each["llama"][against] for each in rounds)
            cells.append(f"{value:.1f}, {ratio:.2f}")
        print(f"| {what} | {theirs[against]:.1f} | " + " | ".join(cells) + f" | {GOALS[name]} |")
    shares = [f"{statistics.median(each[kind]['share'] for each in rounds):.2f}" for kind in OURS]
    print("| one text: share of reading the weights from memory | | " + " | ".join(shares)
          + " | 0.8 |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("node")
    parser.add_argument("--file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=24)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = asked.file or os.path.join(folder, "decoder.gguf")
        if not os.path.exists(path):
            write_file(path)
        local = os.path.join(os.path.abspath(asked.node), "node_modules/.bin/node")
        node = local if os.path.exists(local) else "node"
        peer = Peer(node, os.path.join(HERE, "llama_peer.mjs"), os.path.abspath(path),
                    folder=asked.node)
        rounds = []
        for _ in range(asked.rounds):
            each = {"llama": peer.ask(prompt=PROMPT, words=asked.words)}
            for kind in OURS:
                each[kind] = ours(asked.bench, kind, asked.words)
            rounds.append(each)
        peer.end()
        report(rounds)


if __name__ == "__main__":
    main()
