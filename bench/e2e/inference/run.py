#!/usr/bin/env python3
"""Encoders of well-known shapes and random weights beside ONNX Runtime, on the same weights.

Question: is an encoder on a processor several times faster here than where people run it today, at the
same meaning? One thread each, by turns, in processor time; each ratio is made within its round. An
arithmetic counts where the cosine of its vectors to fp32 is at least 0.999.

    run.py BENCH_BIN NODE_FOLDER [--models FOLDER] [--only NAME] [--rounds N] [--ms N]
    NODE_FOLDER has node_modules with onnxruntime-node (npm install --ignore-scripts, by package.json here).
    Debian: nodejs python3-numpy python3-onnx
"""

import argparse
import math
import os
import statistics
import tempfile

import models
from peer import Peer

HERE = os.path.dirname(os.path.abspath(__file__))
POINTS = [(1, 16), (1, 64), (1, 128), (8, 128), (1, 512)]  # rows, tokens
OURS = ["int8", "mixed", "bfloat16", "float32"]
COSINE = 0.999


def cosine(one, other):
    dot = sum(a * b for a, b in zip(one, other))
    return dot / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))


def least_cosine(peer, exact, **asked):
    """Over lengths that models see, the worst."""
    least = 1
    for rows, tokens in ((4, 16), (2, 128), (1, 512)):
        got = peer.ask(rows=rows, tokens=tokens, vectors=True, **asked)["vectors"]
        wanted = exact.ask(rows=rows, tokens=tokens, vectors=True)["vectors"]
        least = min(least, *(cosine(a, b) for a, b in zip(got, wanted)))
    return least


def products(name, tokens):
    """Multiplications of one sequence."""
    layers, hidden, wide = models.SHAPES[name]
    return layers * tokens * (4 * hidden * hidden + 2 * hidden * wide + 2 * tokens * hidden)


def measure(name, options):
    ours = Peer(os.path.join(options.bench_bin, "encoder_rate"), os.path.join(options.models, name))
    peers = {kind: Peer("node", os.path.join(HERE, "ort_peer.mjs"),
                        os.path.join(options.models, f"{name}.{kind}.onnx"), folder=options.node)
             for kind in ("float32", "int8")}
    cosines = {kind: least_cosine(ours, peers["float32"], arithmetic=kind) for kind in OURS}
    print(f"\n{name}: cosine to ONNX Runtime's fp32, the worst: " +
          ", ".join(f"{kind} {value:.7f}" for kind, value in cosines.items()) +
          f"; ONNX Runtime's int8 {least_cosine(peers['int8'], peers['float32']):.6f}")
    fast = next(kind for kind in OURS if cosines[kind] >= COSINE)
    print("| tokens | rows | " + " | ".join(f"{kind} /s" for kind in OURS) +
          f" | ORT fp32 | ORT int8 | {fast} / ORT fp32 | {fast} / ORT int8 | fp32 / ORT fp32 | share of peak |")
    print("|" + "---|" * 12)
    for rows, tokens in POINTS:
        rates = {key: [] for key in [*OURS, "ort float32", "ort int8", "peak"]}
        for _ in range(options.rounds):
            for kind in OURS:
                rates[kind].append(
                    ours.ask(arithmetic=kind, rows=rows, tokens=tokens, ms=options.ms)["per_s"])
            for kind, peer in peers.items():
                rates["ort " + kind].append(peer.ask(rows=rows, tokens=tokens, ms=options.ms)["per_s"])
            rates["peak"].append(ours.ask(arithmetic=fast, peak=True)["per_s"] / products(name, tokens))

        def ratio(one, other):
            return statistics.median(a / b for a, b in zip(rates[one], rates[other]))
        medians = [f"{statistics.median(rates[key]):.1f}" for key in [*OURS, "ort float32", "ort int8"]]
        print(f"| {tokens} | {rows} | " + " | ".join(medians) +
              f" | {ratio(fast, 'ort float32'):.2f} | {ratio(fast, 'ort int8'):.2f}"
              f" | {ratio('float32', 'ort float32'):.2f} | {100 * ratio(fast, 'peak'):.0f} % |", flush=True)
    for peer in (ours, *peers.values()):
        peer.end()


def measure_head(name, options):
    """What the scores of all words cost, for sparse vectors."""
    peer = Peer(os.path.join(options.bench_bin, "encoder_rate"),
                os.path.join(options.models, name + "-words"))
    for kind in ("int8", "mixed", "bfloat16"):
        costs = []
        for _ in range(options.rounds):
            alone, both = (peer.ask(arithmetic=kind, rows=1, tokens=128, ms=options.ms, **head)["per_s"]
                           for head in ({}, {"head": True}))
            costs.append(alone / both)
        print(f"{name} in {kind}, 128 tokens: with the scores of {models.WORDS:,} words "
              f"{statistics.median(costs):.2f} times as long as without")
    peer.end()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bench_bin")
    parser.add_argument("node")
    parser.add_argument("--models")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ms", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.models = os.path.abspath(options.models or folder)
        for name in models.SHAPES:
            if options.only in ("", name):
                models.make(options.models, name)
                measure(name, options)
                measure_head(name, options)


if __name__ == "__main__":
    main()
