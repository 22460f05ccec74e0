#!/usr/bin/env python3
"""Text search beside Lucene: the same passages, words and questions, one thread each, in one run.

    text_run.py BIN FOLDER [--rounds N] [--most N] [--cairn-only] [--peers]

BIN is the folder with text_bench (CAIRN_BENCH=ON). In FOLDER the corpus is made once (passages.py),
and both indices; they stay for the next run. Both engines count hits up to 10, as Lucene does by
default in such a loop, but where a row says otherwise; both keep everything in memory that they
want. Processor time is the thread's (Lucene) or the process's (Cairn, which has one thread that
works); on a machine with other work it is the steadier figure. Lucene 8 comes from Debian's liblucene8-java, which is installed where it is missing. The ten
best scores of each question are compared; a list that differs by more than 1e-4 is an error. With
--peers Xapian and SQLite's FTS5 are asked too; their scores are their own.
"""

import argparse
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GOALS = {"or": 7, "and": 5, "or_filter": 7, "and_filter": 7}
KINDS = ("or", "and", "or_filter", "and_filter", "or_10k", "or_count")


def run(*command):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"{' '.join(command)[:200]} failed: {said.stderr[-2000:]}")
    return said.stdout


def jars():
    def found():
        wanted = ("core", "analyzers-common")
        return [path for name in wanted for path in glob.glob(f"/usr/share/java/lucene-{name}-8*.jar")]
    if len(found()) < 2:
        run("apt-get", "install", "-y", "-q", "--no-install-recommends", "liblucene8-java",
            "openjdk-17-jdk-headless")
    return ":".join(found())


def figures(text):
    """{kind: {name: value}} of lines `kind name value name value ...`."""
    out = {}
    for line in text.splitlines():
        kind, *rest = line.split()
        out[kind] = {name: float(value) for name, value in zip(rest[::2], rest[1::2])
                     if value.replace(".", "", 1).isdigit()}
    return out


def scores(path):
    with open(path) as file:
        for line in file:
            kind, number, *values = line.rstrip("\n").split("\t")
            yield (kind, int(number)), [float(value) for value in values]


def different(ours, theirs):
    """Lists of scores that are not the same."""
    known = dict(scores(theirs))
    out = []
    for key, values in scores(ours):
        # Lucene 8 leaves out the factor k1 + 1, which is the same for every score.
        wanted = [2.2 * value for value in known[key]]
        same = len(values) == len(wanted) and all(
            abs(a - b) <= 1e-4 * max(1.0, b) for a, b in zip(values, wanted))
        if not same:
            out.append((key, values, wanted))
    return out


def peers(folder, docs, queries, rounds, cairn):
    """A row for each other engine and kind of question, beside Cairn's figures."""
    for package in ("libxapian-dev", "libsqlite3-dev"):
        if subprocess.run(["dpkg", "-s", package], capture_output=True).returncode != 0:
            run("apt-get", "install", "-y", "-q", "--no-install-recommends", package)
    program = os.path.join(folder, "text_peers")
    run("g++", "-O2", "-march=native", "-std=c++20", os.path.join(HERE, "text_peers.cc"), "-o", program,
        "-lxapian", "-lsqlite3")
    print("| | its p50 / p99, CPU of a query (µs), q/s | p50 | CPU |")
    print("|---|---|---|---|")
    for name in ("xapian", "fts5"):
        place = os.path.join(folder, name)
        if not os.path.exists(place):
            print(f"{name}:", run(program, name, "index", docs, place), end="")
        for kind, x in figures(run(program, name, "search", place, queries, str(rounds))).items():
            print(f"| {name}, {kind} | {x['p50_us']:.0f} / {x['p99_us']:.0f}, {x['cpu_us']:.0f}, {x['qps']:.0f} | "
                  f"{x['p50_us'] / cairn[kind]['p50_us']:.1f} | {x['cpu_us'] / cairn[kind]['cpu_us']:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=0, help="passages; all where it is not given")
    parser.add_argument("--cairn-only", action="store_true", help="Lucene's last answers are kept")
    parser.add_argument("--peers", action="store_true", help="Xapian and FTS5 too")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    bench = os.path.join(options.bin, "text_bench")
    docs, queries = os.path.join(folder, "docs.tsv"), os.path.join(folder, "queries.tsv")
    print(run(os.path.join(HERE, "passages.py"), folder, "--most", str(options.most)), end="")

    java = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-cp", os.path.join(folder, "java") + ":" + jars(),
            "LucenePeer"]
    if not os.path.isdir(os.path.join(folder, "lucene")):
        run("javac", "-cp", jars(), "-d", os.path.join(folder, "java"),
            os.path.join(HERE, "LucenePeer.java"))
        print("Lucene:", run(*java, "index", docs, os.path.join(folder, "lucene")), end="")
    if not os.path.isdir(os.path.join(folder, "cairn")):
        print("Cairn: ", run(bench, "index", os.path.join(folder, "cairn"), docs), end="")

    theirs, ours = os.path.join(folder, "lucene.scores"), os.path.join(folder, "cairn.scores")
    said = os.path.join(folder, "lucene.figures")
    if not options.cairn_only:
        with open(said, "w") as file:
            file.write(run(*java, "search", os.path.join(folder, "lucene"), queries,
                           str(options.rounds), theirs))
    with open(said) as file:
        lucene = figures(file.read())
    cairn = figures(run(bench, "search", os.path.join(folder, "cairn"), queries,
                        str(options.rounds), ours))
    print("| | Lucene p50 / p99, CPU of a query (µs), q/s | Cairn | p50 | CPU | q/s | goal |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        a, b = lucene[kind], cairn[kind]
        goal = f"≥ {GOALS[kind]}" if kind in GOALS else ""
        sides = [f"{x['p50_us']:.0f} / {x['p99_us']:.0f}, {x['cpu_us']:.0f}, {x['qps']:.0f}"
                 for x in (a, b)]
        print(f"| {kind} | {sides[0]} | {sides[1]} | {a['p50_us'] / b['p50_us']:.2f} | "
              f"{a['cpu_us'] / b['cpu_us']:.2f} | {b['qps'] / a['qps']:.2f} | {goal} |")
    wrong = different(ours, theirs)
    for key, values, wanted in wrong[:5]:
        print("different:", key, values, wanted)
    print(f"{len(wrong)} lists of scores differ")
    if options.peers:
        peers(folder, docs, queries, options.rounds, cairn)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
