#!/usr/bin/env python3
"""Intervals over REST, against their meaning worked out here from the words of each document: of all that a
rule is found in, what has nothing smaller within it. Random texts, random rules, the documents that match
and their scores.

    intervals_test.py CAIRN [SEED]
"""

import itertools
import json
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

DOCUMENTS, RULES = 120, 1_500
WORDS = ["ash", "asp", "bay", "box", "elm", "fir", "yew"]
FILTERS = ["after", "before", "contained_by", "containing", "not_contained_by", "not_containing",
           "not_overlapping", "overlapping"]
ENDLESS = 1 << 31

# A rule is a tuple: ("words", those, what stands for them), ("block"|"ordered"|"unordered"|"any", parts), ("repeat", part, n),
# ("gaps", part, most) or (a filter's name, part, what it is compared with).


def least(rule):
    """The length that scores are measured from."""
    kind = rule[0]
    if kind == "words":
        return 1
    if kind == "any":
        return min([least(part) for part in rule[1]], default=ENDLESS)
    if kind in ("block", "ordered", "unordered"):
        return sum(least(part) for part in rule[1])
    return least(rule[1])


def ways(parts):
    return itertools.product(*(split(part) for part in parts))


def choices(rule):
    """A rule without its choices, in all the ways to choose: a short one must not hide a long one where
    something heeds how long they are."""
    kind = rule[0]
    if kind == "any":
        return list(rule[1])
    if kind in ("ordered", "unordered"):
        return [(kind, way) for way in ways(rule[1])]
    if kind == "overlapping":
        return [(kind, *way) for way in ways(rule[1:])]
    if kind == "containing":
        return [(kind, part, rule[2]) for part in split(rule[1])]
    if kind in ("contained_by", "before", "after"):
        return [(kind, rule[1], by) for by in split(rule[2])]
    return [rule]


def split(rule):
    """Choices of one word stay one."""
    found = choices(rule)
    short = [one for one in found if least(one) == 1]
    return ([any_of(short)] if short else []) + [one for one in found if least(one) != 1]


def any_of(parts):
    flat = []
    for part in parts:
        flat += [one for one in (part[1] if part[0] == "any" else [part]) if one not in flat]
    return flat[0] if len(flat) == 1 else ("any", tuple(flat))


def repeat(part, count):
    return part if count == 1 else ("repeat", part, count)


def flat(parts):
    return tuple(one for part in parts for one in (part[1] if part[0] == "block" else [part]))


def all_of(parts, ordered, gaps):
    if len(parts) == 1:
        return parts[0]
    if ordered and gaps == 0:
        return any_of([("block", flat(way)) for way in ways(parts)])
    if ordered:
        runs = [list(run) for _, run in itertools.groupby(parts)]
        made = [repeat(run[0], len(run)) for run in runs]
    else:
        made = [repeat(one, parts.count(one)) for one in dict.fromkeys(parts)]
    rule = made[0] if len(made) == 1 else ("ordered" if ordered else "unordered", tuple(made))
    return rule if gaps < 0 else any_of([("gaps", one, gaps) for one in choices(rule)])


def filtered(name, rule, by):
    if name in ("containing", "not_containing"):
        return any_of([(name, part, by) for part in split(rule)])
    if name in ("contained_by", "not_contained_by", "before", "after"):
        return any_of([(name, rule, one) for one in split(by)])
    return (name, rule, by)


# Intervals are pairs of the first and the last position.

def minimal(found):
    return sorted({(a, b) for a, b in found
                   if not any(a <= c and d <= b and (a, b) != (c, d) for c, d in found)})


def count_words(rule):
    if rule[0] in ("words", "any"):
        return 1
    if rule[0] == "repeat":
        return rule[2] * count_words(rule[1])
    return sum(count_words(part) for part in rule[1])


def passes(name, a, b, others):
    """`others` are all that the interval from a to b is compared with."""
    around = any(c <= a and b <= d for c, d in others)
    if name == "contained_by":
        return around
    if name == "not_contained_by":
        return not around
    if name == "containing":
        return any(a <= c and d <= b for c, d in others)
    if name == "not_containing":  # nor one that begins in it, as the field's engine has it
        return not any((c >= a or d >= b) and c <= b for c, d in others)
    if name == "before":  # what begins a text has the first position before it
        return any(b <= max(0, c - 1) for c, d in others)
    if name == "after":
        return any(a > d for c, d in others)
    overlaps = any(a <= d and c <= b for c, d in others)
    return overlaps == (name == "overlapping")


def intervals(rule, words):
    kind = rule[0]
    if kind == "words":
        return [(i, i) for i, word in enumerate(words) if word in rule[1]]
    if kind == "any":
        return minimal([one for part in rule[1] for one in intervals(part, words)])
    if kind in ("block", "ordered", "unordered"):
        lists = [intervals(part, words) for part in rule[1]]
        found = set()
        for chosen in itertools.product(*lists):
            apart = [after[0] - before[1] for before, after in zip(chosen, chosen[1:])]
            if kind == "unordered" or all(n == 1 if kind == "block" else n > 0 for n in apart):
                found.add((min(a for a, _ in chosen), max(b for _, b in chosen)))
        return minimal(found)
    own = intervals(rule[1], words)
    if kind == "repeat":
        return [(run[0][0], run[-1][1]) for run in zip(*(own[i:] for i in range(rule[2])))]
    if kind == "gaps":
        return [(a, b) for a, b in own if b - a + 1 - count_words(rule[1]) <= rule[2]]
    others = intervals(rule[2], words)
    return [(a, b) for a, b in own if passes(kind, a, b, others)]


def score(rule, words):
    frequency = sum(1 / max(b - a + 1 - least(rule) + 1, 1) for a, b in intervals(rule, words))
    return frequency / (frequency + 1)


class Rules:
    """Random rules: their JSON, and the tuples above."""

    def __init__(self, chance):
        self.chance = chance

    def match(self, most=3):
        words = [self.chance.choice(WORDS) for _ in range(self.chance.randint(1, most))]
        ordered, gaps = self.chance.random() < 0.5, self.chance.choice([-1, -1, 0, 1, 3])
        return {"match": {"query": " ".join(words), "ordered": ordered, "max_gaps": gaps}}, \
            all_of([("words", (word,), word) for word in words], ordered, gaps)

    def many(self):
        first = self.chance.choice("abe")
        words = tuple(word for word in WORDS if word.startswith(first))
        name, member = self.chance.choice([("prefix", "prefix"), ("wildcard", "pattern"),
                                           ("regexp", "pattern")])
        text = first + {"prefix": "", "wildcard": "*", "regexp": ".*"}[name]
        return {name: {member: text}}, ("words", words, name + text)

    def make(self, depth):
        kind = "match" if depth == 0 else self.chance.choice(
            ["match", "many", "all_of", "all_of", "any_of"])
        if kind == "match":
            body, rule = self.match()
        elif kind == "many":
            body, rule = self.many()
        else:
            parts = [self.make(depth - 1) for _ in range(self.chance.randint(1, 3))]
            inner, rules = [part[0] for part in parts], [part[1] for part in parts]
            if kind == "any_of":
                body, rule = {"any_of": {"intervals": inner}}, any_of(rules)
            else:
                # How many positions are in between depends on more than the interval where parts
                # are long.
                ordered = self.chance.random() < 0.5
                short = all(part[0] == "words" for part in rules)
                gaps = self.chance.choice([-1, 0, 2]) if short else 0 if ordered and \
                    self.chance.random() < 0.3 else -1
                body = {"all_of": {"intervals": inner, "ordered": ordered, "max_gaps": gaps}}
                rule = all_of(rules, ordered, gaps)
        if depth > 0 and self.chance.random() < 0.35:
            name = self.chance.choice(FILTERS)
            by_body, by = self.make(depth - 1)
            next(iter(body.values()))["filter"] = {name: by_body}
            rule = filtered(name, rule, by)
        return body, rule


def query(body):
    return {"intervals": {"body": body}}


def requests(chance):
    """Queries as this test asks them."""
    rules = Rules(chance)
    while True:
        yield query(rules.make(2)[0])


def check(body, rule, answer, documents):
    got = {hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]}
    scores = {str(i): score(rule, words) for i, words in enumerate(documents)}
    wanted = {name: value for name, value in scores.items() if value}
    shown = json.dumps(body)
    for name in set(got) ^ set(wanted):
        raise AssertionError(f"{shown}: {name} of {documents[int(name)]} got {got.get(name)}, "
                             f"not {wanted.get(name)}")
    for name, value in wanted.items():
        assert abs(got[name] - value) < 1e-5, (shown, documents[int(name)], got[name], value)
    return len(got)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    documents = [[chance.choice(WORDS) for _ in range(chance.randint(1, 12))]
                 for _ in range(DOCUMENTS)]
    rules = Rules(chance)
    cairn = Cairn(sys.argv[1]).start()
    try:
        connection = cairn.connect()
        lines = {"Content-Type": "application/x-ndjson"}
        cairn.ok("PUT", "/texts", {"mappings": {"properties": {"body": {"type": "text"}}}},
                 connection=connection)
        bulk = "".join(json.dumps({"index": {"_id": str(i)}}) + "\n" +
                       json.dumps({"body": " ".join(words)}) + "\n"
                       for i, words in enumerate(documents))
        answer = cairn.ok("POST", "/texts/_bulk?refresh=true", bulk, connection=connection,
                          headers=lines)
        assert not answer["errors"], answer
        hits = 0
        for _ in range(0, RULES, 100):
            made = [rules.make(2) for _ in range(100)]
            searches = "".join('{"index": "texts"}\n' + json.dumps(
                {"query": query(body), "size": DOCUMENTS, "_source": False}) + "\n"
                for body, _ in made)
            answers = cairn.ok("POST", "/_msearch", searches, connection=connection, headers=lines)
            for (body, rule), answer in zip(made, answers["responses"]):
                assert "hits" in answer, (json.dumps(body), answer)
                hits += check(body, rule, answer, documents)
        assert hits > RULES, hits
        print(RULES, "rules,", hits, "hits: all as worked out")
    finally:
        cairn.stop()
        shutil.rmtree(cairn.folder)


if __name__ == "__main__":
    main()
