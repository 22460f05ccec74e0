#!/usr/bin/env python3
"""The curve of an index that grows: time of a search, memory, and what merges write.

    growth_run.py BIN FOLDER [--sizes 100000,1000000,10000000] [--rounds N]

BIN is the folder with growth_bench (CAIRN_BENCH=ON). In FOLDER an index of each size is made, and
deleted after it was searched. Beside the figures stands the exponent by which each grew since the
size before: 1 is as the documents, 0.5 as their square root, 0 not at all. The law: lists that are
pruned grow as N^0.5 to N^0.7, those that are counted as N; merges write each byte once for every
step of eight, so that the bytes written for one that stays grow as log8 N.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys

LAW = {"or_cpu": "0.5 to 0.7", "and_cpu": "≤ 1", "or_filter_cpu": "0.5 to 1", "or_count_cpu": "1",
       "and_sorted_cpu": "≤ 1", "docs_s": "about 0", "index_mb": "1", "written_per_byte": "log8 N",
       "peak_mb": "≤ 1", "search_mb": "≤ 1", "segments": "log8 N"}


def run(*command):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {said.stderr[-2000:]}")
    words = said.stdout.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--sizes", default="100000,1000000,10000000")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bench = os.path.join(options.bin, "growth_bench")
    sizes = [int(size) for size in options.sizes.split(",")]
    curve = []
    for size in sizes:
        folder = os.path.join(options.folder, f"growth-{size}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        figures = run(bench, "fill", folder, str(size))
        figures.update(run(bench, "ask", folder, str(options.rounds)))
        curve.append(figures)
        print(size, figures, flush=True)
        shutil.rmtree(folder)
    print("| | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent | law |")
    print("|---" * (len(sizes) + 3) + "|")
    for name in curve[0]:
        values = [figures[name] for figures in curve]
        grown = [f"{math.log(b / a) / math.log(n / m):.2f}"
                 for a, b, m, n in zip(values, values[1:], sizes, sizes[1:]) if a > 0 and b > 0]
        print(f"| {name} | " + " | ".join(f"{value:,.1f}" for value in values) +
              f" | {', '.join(grown)} | {LAW.get(name, '')} |")


main()
