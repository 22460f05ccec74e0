#!/usr/bin/env python3
"""gguf_test.py DECODER_LOGITS: decoders of random weights, written here as GGUF files, expect the
next tokens that PyTorch expects of the numbers that the files hold: F32, F16 and BF16 of each
family, and the quantised types, whose numbers are those that their definitions give: with int8
too, since they stay as they are."""
import os
import sys
import tempfile

import torch

import decoders_test
import gguf_files
import random_decoders
import torch_decoders
from gguf_files import BF16, F16, F32, Q4_0, Q4_K, Q6_K, Q8_0

# Rows that super-blocks of 256 numbers divide.
WIDE = {"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 64}
ARITHMETICS = ("float32", "bfloat16", "int8")
BLOCKS = (Q8_0, Q4_0, Q4_K, Q6_K)
LEAST_COSINE_OF_BLOCKS = 0.9999
MIXED = {"down_proj": Q6_K, "v_proj": Q6_K, "embed_tokens": Q8_0, "lm_head": Q6_K}

CASES = [("llama", F32, {}), ("llama_biases", F16, {}), ("llama_linear", BF16, {}),
         ("llama3", F32, {}), ("mistral", F16, {}), ("qwen2", BF16, {}), ("qwen2_yarn", F32, {}),
         ("qwen3", F16, {}), ("llama", Q8_0, WIDE), ("llama", Q4_0, WIDE), ("llama", Q4_K, WIDE),
         ("llama", Q6_K, WIDE), ("qwen2", Q8_0, {**WIDE, "hidden_size": 128}),
         ("qwen3", Q4_K, WIDE)]


def divisors_of(config):
    """What rope_freqs.weight has instead of a rule, as in files of Llama 3."""
    if (config.get("rope_scaling") or {}).get("rope_type") != "llama3":
        return None
    plain = torch_decoders.frequencies({**config, "rope_scaling": None})[0]
    return (plain / torch_decoders.frequencies(config)[0]).float().numpy()


def run_case(program, root, number, isas):
    family, kind, change = CASES[number]
    config = {**random_decoders.BASE, **random_decoders.CONFIGS[family], **change}
    path = os.path.join(root, f"{number}.gguf")
    mixed = kind == Q4_K  # such files have other types too

    def kind_of(name):
        return next((MIXED[part] for part in MIXED if mixed and part in name), kind)
    spread = (64 / config["hidden_size"]) ** 0.5
    tensors = {name: numbers * spread if numbers.ndim == 2 else numbers
               for name, numbers in random_decoders.weights_of(config, number + 1).items()}
    held = gguf_files.write_decoder(path, config, tensors, kind_of,
                                    random_decoders.head_size(config), divisors_of(config),
                                    version=2 + number % 2)
    texts = decoders_test.sequences(config)
    whole = decoders_test.logits_of(torch_decoders.Decoder(config, held), texts)
    rounded = whole if kind in BLOCKS else decoders_test.logits_of(torch_decoders.Decoder(
        config, held, rounded=torch_decoders.in_bytes), texts)
    failures = 0
    for isa in isas:
        for arithmetic in ARITHMETICS:
            logits = decoders_test.given(program, path, arithmetic, isa, texts)
            if logits is None:
                continue
            good, text = decoders_test.judge(
                arithmetic, logits, rounded if arithmetic == "int8" else whole, whole,
                LEAST_COSINE_OF_BLOCKS if kind in BLOCKS else decoders_test.LEAST_COSINE)
            failures += not good
            print(f"{'ok ' if good else 'BAD'} {family} {gguf_files.NAMES[kind]} {isa} "
                  f"{arithmetic}: {text}", flush=True)
    return failures


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as root:
        failures = sum(run_case(sys.argv[1], root, number,
                                ("avx2", "amx") if number else ("scalar", "avx2", "avx512", "amx"))
                       for number in range(len(CASES)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
