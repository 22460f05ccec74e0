#!/usr/bin/env python3
"""decoders_test.py DECODER_LOGITS: each family's folder of random weights expects the next tokens that
PyTorch expects (teacher forcing), with every instruction set of this machine and in every arithmetic.
Weights in int8 are compared with the same weights in PyTorch, and with the whole ones by direction."""
import os
import subprocess
import sys
import tempfile

import numpy
import torch

import random_decoders
import torch_decoders

LENGTHS = (1, 2, 7, 33, 64, 150)
ARITHMETICS = ("float32", "bfloat16", "int8", "int4")
MOST_DIFFERENCE = 1e-3  # of a logit in fp32
MOST_DIVERGENCE = 1e-3  # of the expected words (KL), where activations or keys are rounded
LEAST_COSINE = 0.998  # of logits with weights in int8, to those with whole weights
LEAST_OF_FOUR_BITS = 0.7  # and in 4 bits, which take away a tenth of random weights
MARGIN = 0.1  # from which on the likeliest word must be the same
NO_SUCH_ARITHMETIC = 3


def sequences(config):
    random = numpy.random.default_rng(5)
    return [random.integers(0, config["vocab_size"], length) for length in LENGTHS]


def asked(ids):
    """Tokens behind which the program tells what it expects."""
    return range((len(ids) + 1) // 2 - 1, len(ids))


def given(program, folder, arithmetic, isa, texts):
    lines = "".join(" ".join(map(str, ids)) + "\n" for ids in texts)
    run = subprocess.run([program, folder, arithmetic], input=lines.encode(), capture_output=True,
                         env={**os.environ, "CAIRN_ISA": isa}, check=False)
    if run.returncode == NO_SUCH_ARITHMETIC:
        return None
    assert run.returncode == 0, run.stderr.decode()
    return torch.from_numpy(numpy.frombuffer(run.stdout, "<f4").reshape(
        -1, random_decoders.WORDS).copy())


def judge(arithmetic, logits, expected, whole, least_cosine=LEAST_COSINE):
    difference = (logits - expected).abs().max().item()
    right, got = expected.log_softmax(-1), logits.log_softmax(-1)
    divergence = (right.exp() * (right - got)).sum(-1).max().item()
    cosine = torch.nn.functional.cosine_similarity(logits, whole, -1).min().item()
    best = expected.topk(2, -1).values
    sure = (best[:, 0] - best[:, 1]) > MARGIN
    same = (logits.argmax(-1) == expected.argmax(-1))[sure]
    assert sure.sum() > 50  # else the comparison says nothing
    good = difference <= MOST_DIFFERENCE if arithmetic == "float32" else divergence <= MOST_DIVERGENCE
    good = good and same.all() and cosine >= least_cosine
    return bool(good), (f"greatest difference {difference:.2g}, divergence {divergence:.2g}, cosine "
                        f"{cosine:.5f}, {int((~same).sum())} of {len(same)} sure words differ")


def logits_of(decoder, texts):
    with torch.no_grad():
        return torch.cat([decoder.logits(ids)[list(asked(ids))] for ids in texts])


def main():
    program = sys.argv[1]
    torch.set_num_threads(1)
    failures = 0
    with tempfile.TemporaryDirectory() as root:
        for name in random_decoders.CONFIGS:
            folder = os.path.join(root, name)
            config, tensors = random_decoders.make(name, folder, seed=len(name))
            texts = sequences(config)
            whole = logits_of(torch_decoders.Decoder(config, tensors), texts)
            rounded = logits_of(torch_decoders.Decoder(
                config, tensors, rounded=torch_decoders.in_bytes), texts)
            coarse = logits_of(torch_decoders.Decoder(
                config, tensors, rounded=torch_decoders.in_four_bits,
                last=torch_decoders.in_bytes), texts)
            wanted = {"int8": (rounded, LEAST_COSINE), "int4": (coarse, LEAST_OF_FOUR_BITS)}
            for isa in ("scalar", "avx2", "avx512", "amx"):
                for arithmetic in ARITHMETICS:
                    logits = given(program, folder, arithmetic, isa, texts)
                    if logits is None:
                        continue
                    # Four bits are for processors that multiply them fast.
                    form = "int8" if (isa, arithmetic) == ("scalar", "int4") else arithmetic
                    expected, least = wanted.get(form, (whole, LEAST_COSINE))
                    good, text = judge(arithmetic, logits, expected, whole, least)
                    failures += not good
                    print(f"{'ok ' if good else 'BAD'} {name} {isa} {arithmetic}: {text}",
                          flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
