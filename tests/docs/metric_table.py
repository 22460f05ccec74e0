#!/usr/bin/env python3
"""Compares the table of docs/reference/metrics.md with what a running program prints, both ways, and with the
words of the sources that count.

    metric_table.py CAIRN FILE [--write]
"""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests/monitoring")]
import prometheus_text  # noqa: E402
from cairn_server import Cairn  # noqa: E402

ROW = re.compile(r"^\| `([a-z_:0-9]+)` \| (counter|gauge|histogram) \| (.*?) \| (.*) \|$")
# A name and a help text in the sources, as C++ writes them: in one call, texts in pieces.
WORDS = re.compile(r'"((?:cairn|process)_[a-z0-9_]+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')


def rows_of(text):
    rows = {}
    for line in text.splitlines():
        found = ROW.match(line)
        if found:
            assert found[1] not in rows, f"{found[1]} stands twice"
            labels = set(re.findall(r"`([a-z_]+)`", found[3]))
            rows[found[1]] = (found[2], labels, found[4])
    return rows


def as_row(name, kind, labels, text):
    shown = ", ".join(f"`{label}`" for label in sorted(labels)) or "–"
    return f"| `{name}` | {kind} | {shown} | {text} |"


def printed(binary):
    cairn = Cairn(binary).start()
    try:
        cairn.ok("PUT", "/books/_doc/1?refresh=true", {"title": "one"})
        cairn.ok("POST", "/books/_search", {"query": {"match": {"title": "one"}}})
        cairn.ok("POST", "/_inference/sparse_embedding/.cairn-sparse", {"input": ["one"]})
        status, text = cairn.request("GET", "/_metrics")
        assert status == 200, text
        return prometheus_text.parse(text)
    finally:
        cairn.stop()


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".cc", ".h")) and not name.endswith("_test.cc"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    yield name, file.read()


def main():
    binary, path = sys.argv[1:3]
    families = printed(binary)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    rows = rows_of(text)
    if "--write" in sys.argv:
        for name, family in families.items():
            labels = family.labels() | (rows[name][1] if name in rows else set())
            rows[name] = (family.kind, labels, family.help)
        for name in set(rows) - set(families):
            del rows[name]
        for name, row in rows.items():
            line = as_row(name, *row)
            mine = re.compile(rf"^\| `{name}` \|.*$", re.M)
            if mine.search(text):
                text = mine.sub(lambda _: line, text)
            else:
                text += line + "\n"
        text = "\n".join(line for line in text.splitlines()
                         if not ROW.match(line) or ROW.match(line)[1] in rows) + "\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    faults = []
    for name in sorted(set(families) - set(rows)):
        faults.append(f"the program prints {name}, and the page does not have it")
    for name in sorted(set(rows) - set(families)):
        faults.append(f"the page has {name}, and the program does not print it")
    for name in sorted(set(rows) & set(families)):
        kind, labels, said = rows[name]
        family = families[name]
        if (kind, said) != (family.kind, family.help):
            faults.append(f"{name}: the program says {family.kind}, {family.help!r}")
        if not family.labels() <= labels:
            faults.append(f"{name}: labels {family.labels() - labels} are not on the page")
    words = 0
    for file, code in sources():
        for name, pieces in WORDS.findall(code):
            said = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', pieces))
            words += 1
            if name not in rows:
                faults.append(f"{file} names {name}, which the page does not have")
            elif said and rows[name][2] != said:
                faults.append(f"{file} says of {name}: {said!r}; the page: {rows[name][2]!r}")
    assert words > 40, "the sources were not read"
    for fault in faults:
        print("FAIL", fault)
    print(f"{len(rows)} metrics, {words} places in the sources")
    print(f"{len(rows)} passed, {len(faults)} failed")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
