#!/usr/bin/env python3
"""Eight texts at once over HTTP, and searches beside them.

Question: how long until a text's first word where eight run at once, what does a prompt cost that was computed
before, and what do searches lose beside texts? A decoder in the shape of Qwen2.5-0.5B with random weights,
one allocation. Goals: a prompt computed before at most a tenth of a cold one; the 99th percentile of searches
beside texts at most twice that without.

    chats_run.py CAIRN [--file FILE.gguf] [--rounds N] [--seconds N] [--words N]
    FILE.gguf is written where it is not there yet: half a gigabyte in Q8_0.
    Debian: python3-numpy
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import decoders_run

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
from cairn_server import Cairn  # noqa: E402

CHATS = 8
PROMPT = 512  # tokens of a prompt
DOCUMENTS = 20_000


def started(binary, path):
    cairn = Cairn(binary).start("--set", "rate_limit.enabled=false")
    key = os.path.join(cairn.data, "keys/admin.key")
    subprocess.run([binary, "model", "import", path, "--id", "decoder", "--server", cairn.api,
                    "--key-file", key], check=True, stdout=subprocess.DEVNULL)
    cairn.ok("PUT", "/_inference/completion/writer?timeout=300s", {
        "service": "cairn",
        "service_settings": {"model_id": "decoder", "num_allocations": 1, "num_threads": 1}})
    return cairn


def prompt_of(numbers, tokens):
    """Words of one token each, which no other prompt begins with."""
    return "".join(numbers.choice(("ab", "b")) for _ in range(24)) + "ab" * (tokens - 24)


def first_word(cairn, prompt, words):
    """Seconds until the first piece of a streamed text, which is read to its end."""
    connection = cairn.connect(timeout=300)
    begin = time.monotonic()
    connection.request("POST", "/_inference/completion/writer/_stream", json.dumps({
        "input": prompt, "task_settings": {"max_completion_tokens": words, "temperature": 0}}),
        {"Authorization": "ApiKey " + cairn.key, "Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status != 200:
        sys.exit(answer.read().decode())
    took = None
    while line := answer.readline():
        if line.startswith(b"data: {"):
            took = took or time.monotonic() - begin
    connection.close()
    return took


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def prompts_again(cairn, rounds, numbers):
    cold, warm = [], []
    for _ in range(rounds):
        prompt = prompt_of(numbers, PROMPT)
        cold.append(first_word(cairn, prompt, 1))
        warm.append(first_word(cairn, prompt, 1))
    return percentile(cold, .5), percentile(warm, .5)


def several(cairn, rounds, words, numbers):
    took = []

    def chat(seed):
        own = random.Random(seed)
        for _ in range(rounds):
            took.append(first_word(cairn, prompt_of(own, 128), words))
    threads = [threading.Thread(target=chat, args=(numbers.random(),)) for _ in range(CHATS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def fill_index(cairn):
    numbers = random.Random(2)
    lines = []
    for _ in range(DOCUMENTS):
        text = " ".join(f"t{int(numbers.paretovariate(.6)) % 5000}" for _ in range(60))
        lines += ['{"index":{}}', json.dumps({"text": text})]
    for at in range(0, len(lines), 4000):
        cairn.ok("POST", "/documents/_bulk", "\n".join(lines[at:at + 4000]) + "\n")
    cairn.ok("POST", "/documents/_refresh")


def searches(cairn, seconds):
    connection, numbers, took = cairn.connect(), random.Random(4), []
    until = time.monotonic() + seconds
    while (begin := time.monotonic()) < until:
        words = " ".join(f"t{numbers.randrange(1, 5000)}" for _ in range(4))
        cairn.ok("POST", "/documents/_search", {"query": {"match": {"text": words}}},
                 connection=connection)
        took.append(time.monotonic() - begin)
    return took


def searches_beside(cairn, seconds, words, numbers):
    stop = threading.Event()

    def chat(seed):
        own = random.Random(seed)
        while not stop.is_set():
            first_word(cairn, prompt_of(own, 128), words)
    threads = [threading.Thread(target=chat, args=(numbers.random(),)) for _ in range(CHATS)]
    for thread in threads:
        thread.start()
    try:
        return searches(cairn, seconds)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("--file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--words", type=int, default=24)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = asked.file or os.path.join(folder, "decoder.gguf")
        if not os.path.exists(path):
            decoders_run.write_file(path)
        cairn, numbers = started(asked.cairn, path), random.Random(1)
        try:
            first_word(cairn, "ab", 1)
            cold, warm = prompts_again(cairn, asked.rounds, numbers)
            print(f"first word after {PROMPT} tokens: cold {cold * 1e3:.0f} ms, computed before "
                  f"{warm * 1e3:.0f} ms: {warm / cold:.3f} (goal 0.1)", flush=True)
            took = several(cairn, asked.rounds, asked.words, numbers)
            print(f"first word of {CHATS} texts at once, prompts of 128 tokens: p50 "
                  f"{percentile(took, .5) * 1e3:.0f} ms, p99 {percentile(took, .99) * 1e3:.0f} ms",
                  flush=True)
            fill_index(cairn)
            searches(cairn, 1)
            alone, beside = [], []
            for _ in range(asked.rounds):
                alone += searches(cairn, asked.seconds / asked.rounds)
                beside += searches_beside(cairn, asked.seconds / asked.rounds, asked.words, numbers)
            ratio = percentile(beside, .99) / percentile(alone, .99)
            for name, values in (("alone", alone), (f"beside {CHATS} texts", beside)):
                print(f"searches {name}: p50 {percentile(values, .5) * 1e3:.2f} ms, p99 "
                      f"{percentile(values, .99) * 1e3:.2f} ms ({len(values)})")
            print(f"p99 beside / alone: {ratio:.2f} (goal 2)")
        finally:
            cairn.stop()


if __name__ == "__main__":
    main()
