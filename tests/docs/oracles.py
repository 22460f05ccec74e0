#!/usr/bin/env python3
"""No query, no aggregation and no member of a search is answered, says docs/reference/search-compatibility.md, that no oracle in
Python asks: a test of tests/rest that works the answer out from the documents' sources alone. What
these tests ask is taken from what they make, not from what they say of themselves. Members that these
tests do not draw stand here by name.

    oracles.py PAGE
"""

import itertools
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "rest"), os.path.dirname(HERE)]
import intervals_test  # noqa: E402
import queries_test  # noqa: E402
import script_test  # noqa: E402
import semantic_test  # noqa: E402
import spans_test  # noqa: E402

DRAWS = 4_000  # of each test; what it asks is chosen at random
QUERIES = [queries_test.requests, spans_test.requests, intervals_test.requests,
           script_test.requests, semantic_test.requests]
AGGREGATIONS = [queries_test.aggregations]
MEMBERS = [queries_test.members]
# Held otherwise: by deep_reading_test.py, semantic_test.py, runtime_fields_test.py, script_test.py and
# suggest_test.py, or by scripts of tests/api, as they say what is shown and not what is found.
NOT_DRAWN = {"pit", "search_after", "slice", "knn", "retriever", "runtime_mappings", "script_fields",
             "suggest", "_source", "aggregations", "explain", "profile", "seq_no_primary_term", "timeout",
             "track_scores", "version"}


def answered(page, kind):
    """The names that the page's table says are taken."""
    row = next(line for line in page.splitlines() if line.startswith(f"| {kind} |"))
    return re.findall(r"`(\w+)`", row.split("|")[2])


def names_in(json):
    if isinstance(json, dict):
        for name, value in json.items():
            yield name
            yield from names_in(value)
    elif isinstance(json, list):
        for one in json:
            yield from names_in(one)


def asked_by(sources, names_of=names_in):
    found = set()
    for source in sources:
        for json in itertools.islice(source(random.Random(7)), DRAWS):
            found.update(names_of(json))
    return found


def main(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    faults = []
    for kind, sources in (("queries", QUERIES), ("aggregations", AGGREGATIONS),
                          ("members of a search", MEMBERS)):
        members = sources is MEMBERS  # those of the request itself
        names, asked = answered(page, kind), asked_by(sources, set if members else names_in)
        if members:
            faults += [f"{path}: [{name}] is no member that is answered and not drawn"
                       for name in sorted(NOT_DRAWN - (set(names) - asked))]
            names = [name for name in names if name not in NOT_DRAWN]
        assert len(names) > 10, names
        faults += [f"{path}: [{name}] of {kind} is answered, and no oracle of tests/rest asks it"
                   for name in names if name not in asked]
        print(f"{len(names)} {kind}, each asked by an oracle" if not faults else kind)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
