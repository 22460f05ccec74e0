#!/usr/bin/env python3
"""encoders_test.py HIDDEN_STATES: each family's folder of random weights gives the hidden states of
PyTorch, with every instruction set of this machine and in every arithmetic."""
import os
import subprocess
import sys
import tempfile

import numpy
import torch

import random_models
import torch_encoders

# Least cosine of a token's state, greatest difference of a number.
BOUNDS = {"float32": (0.999999, 2e-4), "bfloat16": (0.9999, 0.05), "int8": (0.999, 0.25)}
LENGTHS = (1, 2, 7, 24, 33, 160, 65)
NO_SUCH_ARITHMETIC = 3


def sequences():
    random = numpy.random.default_rng(1)
    for length in LENGTHS:
        ids = random.integers(0, random_models.WORDS, length)
        yield ids, (numpy.arange(length) * 2 >= length).astype(int)


def given(program, folder, arithmetic, isa):
    lines = "".join(" ".join(map(str, ids)) + " | " + " ".join(map(str, types)) + "\n"
                    for ids, types in sequences())
    run = subprocess.run([program, folder, arithmetic], input=lines.encode(), capture_output=True,
                         env={**os.environ, "CAIRN_ISA": isa}, check=False)
    if run.returncode == NO_SUCH_ARITHMETIC:
        return None
    assert run.returncode == 0, run.stderr.decode()
    return numpy.frombuffer(run.stdout, "<f4").reshape(-1, random_models.HIDDEN)


def main():
    program = sys.argv[1]
    torch.set_num_threads(1)
    failures = 0
    with tempfile.TemporaryDirectory() as root:
        for family in random_models.FAMILIES:
            folder = os.path.join(root, family)
            config, tensors = random_models.make(family, folder, seed=len(family))
            with torch.no_grad():
                expected = torch.cat([
                    getattr(torch_encoders, family)(config, tensors, torch.from_numpy(ids),
                                                    torch.from_numpy(types))
                    for ids, types in sequences()]).numpy()
            for isa in ("scalar", "avx2", "avx512", "amx"):
                for arithmetic, (least_cosine, most_difference) in BOUNDS.items():
                    states = given(program, folder, arithmetic, isa)
                    if states is None:
                        continue
                    cosine = ((states * expected).sum(1) / numpy.linalg.norm(states, axis=1)
                              / numpy.linalg.norm(expected, axis=1)).min()
                    difference = numpy.abs(states - expected).max()
                    good = cosine >= least_cosine and difference <= most_difference
                    failures += not good
                    print(f"{'ok ' if good else 'BAD'} {family} {isa} {arithmetic}: cosine"
                          f" {cosine:.7f}, greatest difference {difference:.2g}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
