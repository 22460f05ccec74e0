#!/usr/bin/env python3
"""Compiles each header of src/ by itself: it includes everything that it names.

Most of such a compilation would go into the same few headers again. So a header is compiled behind the
largest of some precompiled ones that it includes itself anyway, which changes nothing about what it
finds but the order. Those few are compiled with nothing before them.

    headers_alone.py BUILD_FOLDER     compile_commands.json there has the flags
"""

import concurrent.futures
import functools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SRC = os.path.join(ROOT, "src")
PRECOMPILED = 24
USERS_MIN = 6  # of a precompiled header, or precompiling it costs more than it saves
INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<([^>]+)>)', re.M)


def headers():
    for folder, _, names in os.walk(SRC):
        for name in names:
            if name.endswith(".h"):
                yield os.path.relpath(os.path.join(folder, name), SRC)


@functools.lru_cache(None)
def included(header):
    """What a header includes, itself among it, as far as it goes."""
    seen, open_ones = {header}, [header]
    while open_ones:
        with open(os.path.join(SRC, open_ones.pop()), encoding="utf-8") as file:
            for ours, foreign in INCLUDE.findall(file.read()):
                name = ours or "<" + foreign
                if name in seen:
                    continue
                seen.add(name)
                if ours and os.path.exists(os.path.join(SRC, ours)):
                    open_ones.append(ours)
    return seen


def size(header):
    """Roughly the work of compiling it: foreign headers are large."""
    return sum(10 if name.startswith("<") else 1 for name in included(header))


def choose(all_headers):
    """The headers to precompile, each of them the one that then saves most."""
    chosen, saved = [], dict.fromkeys(all_headers, 0)
    users = {header: [one for one in all_headers if header in included(one)] for header in all_headers}
    candidates = {header for header, by in users.items() if len(by) >= USERS_MIN}

    def gain(header):
        return sum(max(0, size(header) - saved[one]) for one in users[header])
    while candidates and len(chosen) < PRECOMPILED:
        best = max(sorted(candidates), key=gain)
        if gain(best) <= USERS_MIN * size(best) // 2:
            break
        candidates.remove(best)
        chosen.append(best)
        for one in users[best]:
            saved[one] = max(saved[one], size(best))
    return chosen


def compiler(build):
    """clang, which is the faster one here, with the flags of room `app`, which links every library."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        command = next(row["command"] for row in json.load(file) if "/app.dir/" in row["command"])
    words = shlex.split(command)
    words = words[next(i for i, word in enumerate(words) if word.startswith("-")):words.index("-o")]
    of_programs = re.compile("-O.|-g.|-D_FORTIFY_SOURCE.*|-Wno-maybe-uninitialized|-Wno-subobject-linkage")
    return ["clang++-19", *(word for word in words if not of_programs.fullmatch(word)),
            "-Wno-deprecated-declarations"]


class Headers:
    def __init__(self, build, folder):
        self.all = sorted(headers())
        self.compiler = compiler(build)
        self.folder = folder
        self.precompiled = {}

    def run(self, header, arguments):
        """Compiles a file that includes nothing but `header`."""
        name = header.replace("/", "_")
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(f'#include "{header}"\n')
        return subprocess.run([*self.compiler, *arguments, name], cwd=self.folder, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def precompile(self, header):
        made = header.replace("/", "_") + ".pch"
        return header, made, self.run(header, ["-x", "c++-header", "-o", made])

    def check(self, header):
        before = max((one for one in self.precompiled if one in included(header)), key=size, default=None)
        behind = ["-include-pch", self.precompiled[before]] if before else []
        return header, self.run(header, [*behind, "-x", "c++", "-fsyntax-only"])


def main():
    faults = []

    def note(header, done):
        if done.returncode != 0:
            faults.append(header)
            print(f"{header} does not compile by itself:\n{done.stdout[:3000]}", flush=True)
        return done.returncode == 0

    with tempfile.TemporaryDirectory() as folder:
        ours = Headers(os.path.abspath(sys.argv[1]), folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            chosen = choose(ours.all)
            for header, made, done in workers.map(ours.precompile, chosen):
                if note(header, done):
                    ours.precompiled[header] = made
            rest = [header for header in ours.all if header not in chosen]
            for header, done in workers.map(ours.check, rest):
                note(header, done)
    print(f"{len(ours.all)} headers, {len(faults)} that do not compile by themselves")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
