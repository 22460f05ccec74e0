#!/usr/bin/env python3
"""Suggestions against a slow search that knows the documents' sources alone: terms with each of
their rules, phrases with each smoothing, by counting words and runs of words, and completions, by
looking at every input.

    suggest_test.py CAIRN [SEED]
"""

import itertools
import json
import math
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

ROUNDS = 60
WORDS = ["search", "searches", "engine", "engines", "system", "systems", "index", "indexed",
         "vector", "vectors", "query", "queries", "storage", "store", "quick", "quickly"]
SETTINGS = {
    "analysis": {
        "filter": {"runs": {"type": "shingle", "min_shingle_size": 2, "max_shingle_size": 3}},
        "analyzer": {"runs": {"tokenizer": "standard", "filter": ["lowercase", "runs"]}}}}
MAPPINGS = {"properties": {
    "t": {"type": "text", "fields": {"runs": {"type": "text", "analyzer": "runs"}}},
    "s": {"type": "completion"}}}


def edits(a, b):
    """Letters that change, come, go, or change places with their neighbour."""
    d = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, j in itertools.product(range(1, len(a) + 1), range(1, len(b) + 1)):
        d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return d[-1][-1]


# --- terms

# One letter may be several bytes, and a letter outside the basic plane two units.
LETTERS = ["größe", "grösse", "gröse", "straße", "strasse", "straßen", "naïve", "naive", "native",
           "𐐨𐐨bcde", "𐐨bcde", "𐐨bcd", "abcd", "abdc", "acbd", "abcde", "bacde"]


def slow_terms(often, docs, word, asked):
    freq = often.get(word, 0)
    most = asked["max_term_freq"]
    most = most if most >= 1 else math.ceil(most * docs)
    if len(word) < asked["min_word_length"] or freq > most or (asked["suggest_mode"] == "missing" and freq):
        return []
    least = asked["min_doc_freq"]
    least = least if least >= 1 or not least else max(0, math.floor(least * docs) - 1)
    if asked["suggest_mode"] == "popular":
        least = max(least, freq)
    out = []
    for other, count in often.items():
        number = edits(word, other)
        score = 1 - number / min(len(word), len(other))
        if (0 < number <= asked["max_edits"] and score >= 0.5 and count > least
                and word[:asked["prefix_length"]] == other[:asked["prefix_length"]]):
            out.append((other, score, count))
    by_score = asked["sort"] == "score"
    out.sort(key=lambda one: ((-one[1], -one[2]) if by_score else (-one[2], -one[1])) + (one[0].encode(),))
    return out[:asked["size"]]


def check_terms(cairn, rng):
    words = WORDS + LETTERS
    often, lines, docs = {}, "", 300
    for number in range(docs):
        own = [rng.choice(words[:1 + number // 5]) for _ in range(rng.randrange(1, 6))]
        for word in set(own):
            often[word] = often.get(word, 0) + 1
        # Two indices count as one.
        lines += json.dumps({"index": {"_index": rng.choice(["w1", "w2"])}}) + "\n"
        lines += json.dumps({"t": " ".join(own)}) + "\n"
    assert not cairn.ok("POST", "/_bulk?refresh=true", lines)["errors"]
    cairn.ok("POST", "/w1,w2/_forcemerge?max_num_segments=1")
    some = 0
    for _ in range(ROUNDS * 3):
        asked = {"suggest_mode": rng.choice(["missing", "popular", "always"]), "size": rng.randrange(1, 8),
                 "sort": rng.choice(["score", "frequency"]), "max_edits": rng.choice([1, 2]),
                 "prefix_length": rng.choice([0, 1, 3]), "min_word_length": rng.choice([1, 4, 6]),
                 "min_doc_freq": rng.choice([0, 0.01, 0.05, 3]), "max_term_freq": rng.choice([0.01, 0.5, 4])}
        text = " ".join(misspelt(rng, rng.choice(words)) for _ in range(rng.randrange(1, 4)))
        answer = cairn.ok("POST", "/w1,w2/_search",
                          {"suggest": {"t": {"text": text, "term": {"field": "t", **asked}}}})
        entries = answer["suggest"]["t"]
        at = 0
        assert [one["text"] for one in entries] == text.split(), (text, entries)
        for entry in entries:
            units = len(entry["text"].encode("utf-16-le")) // 2
            assert (entry["offset"], entry["length"]) == (at, units), (text, entry)
            at += units + 1
            wanted = slow_terms(often, docs, entry["text"], asked)
            found = [(one["text"], one["score"], one["freq"]) for one in entry["options"]]
            assert [(one[0], one[2]) for one in found] == [(one[0], one[2]) for one in wanted], (
                entry["text"], asked, found, wanted)
            for mine, theirs in zip(wanted, found):
                assert math.isclose(mine[1], theirs[1], rel_tol=1e-6), (entry, wanted)
            some += len(found)
    assert some > ROUNDS


# --- phrases

class Corpus:
    """Words, and runs of up to `longest` of them, of all documents."""

    def __init__(self, texts, longest):
        self.often, self.documents, self.docs = {}, {}, len(texts)
        for text in texts:
            words = text.split()
            runs = [" ".join(words[i:i + n]) for n in range(1, longest + 1)
                    for i in range(len(words) - n + 1)]
            for run in runs:
                self.often[run] = self.often.get(run, 0) + 1
            for run in set(runs):
                self.documents[run] = self.documents.get(run, 0) + 1
        self.all = sum(self.often.values())

    def count(self, run):
        return self.often.get(run, 0)


def corrections(word, corpus, mode, size):
    """(word, channel, score), the best first."""
    freq = corpus.documents.get(word, 0)
    right = (mode == "missing" and freq > 0) or freq > math.ceil(0.01 * corpus.docs)
    if right or len(word) < 4:
        return []
    least = 0
    if mode != "always" and freq > 0:
        least = max(0, round(freq * math.log(freq) / math.log(5) + 1))
    if mode == "popular":
        least = max(least, freq)
    found = []
    for other in corpus.often:
        number = edits(word, other)
        if " " in other or other == word or number > 2 or other[0] != word[0]:
            continue
        channel = 1 - number / min(len(word), len(other))
        if channel >= 0.5 and corpus.documents[other] > least:
            found.append((other, channel, corpus.documents[other]))
    found.sort(key=lambda one: (-one[1], -one[2], one[0]))
    scored = [(other, channel, channel * (corpus.count(other) + 1) / (corpus.all + 1))
              for other, channel, _ in found[:size]]
    return sorted(scored, key=lambda one: (-one[2], one[0]))


def likelihood(corpus, smoothing, grams, path, at):
    kind, values = next(iter(smoothing.items()))
    word = path[at]
    count = corpus.count

    def unigram():
        more = values["alpha"] if kind == "laplace" else 1
        return (more + count(word)) / (corpus.all + more * len(corpus.often))

    def bigram():
        last, pair = path[at - 1], count(path[at - 1] + " " + word)
        if kind == "laplace":
            return (values["alpha"] + pair) / (count(last) + values["alpha"] * len(corpus.often))
        if kind == "stupid_backoff":
            return pair / count(last) if pair else values["discount"] * unigram()
        together = values["bigram_lambda"] * pair / (0.5 + count(last)) if pair else 0
        return together + values["unigram_lambda"] * unigram()

    def trigram():
        pair = count(path[at - 1] + " " + word)
        three = count(" ".join(path[at - 2:at + 1]))
        if kind == "laplace":
            return (values["alpha"] + three) / (pair + values["alpha"] * len(corpus.often))
        if kind == "stupid_backoff":
            if not pair:
                return values["discount"] * unigram()
            return three / pair if three else values["discount"] * bigram()
        return (values["trigram_lambda"] * three / (1 + pair) if three else 0) + bigram()

    if at == 0 or grams == 1:
        return unigram()
    return bigram() if at == 1 or grams == 2 else trigram()


def slow_phrases(corpus, asked, text, grams):
    places = []
    for word in text.split():
        own = corrections(word, corpus, asked["mode"], 5)
        places.append([(word, 1, 0)] + own)
    if len(places) >= 10:
        return []

    def score(choice):
        path = [one[0] for one in choice]
        return math.exp(sum(
            math.log10((0.95 if one[1] == 1 else one[1]) *
                       likelihood(corpus, asked["smoothing"], grams, path, at))
            for at, one in enumerate(choice)))

    cutoff = score([place[0] for place in places]) * asked["confidence"]
    most = asked["max_errors"] if asked["max_errors"] >= 1 else max(
        1, round(asked["max_errors"] * len(places)))
    out = []
    for choice in itertools.product(*places):
        changed = sum(one != place[0] for one, place in zip(choice, places))
        value = score(choice)
        if changed <= most and value > cutoff:
            out.append((value, " ".join(one[0] for one in choice)))
    return sorted(out, key=lambda one: -one[0])[:asked["size"]]


def misspelt(rng, word):
    at = rng.randrange(1, len(word) - 1)
    return rng.choice([word[:at] + word[at + 1:], word[:at] + "x" + word[at:],
                       word[:at] + word[at + 1] + word[at] + word[at + 2:], word, word])


def check_phrases(cairn, rng, texts):
    smoothings = [{"stupid_backoff": {"discount": 0.4}}, {"laplace": {"alpha": 0.5}},
                  {"linear_interpolation": {"trigram_lambda": 0.5, "bigram_lambda": 0.3,
                                            "unigram_lambda": 0.2}}]
    runs, words = Corpus(texts, 3), Corpus(texts, 1)
    some = 0
    for _ in range(ROUNDS):
        text = " ".join(misspelt(rng, rng.choice(WORDS)) for _ in range(rng.randrange(1, 5)))
        asked = {"mode": rng.choice(["missing", "popular", "always"]), "size": rng.randrange(1, 8),
                 "smoothing": rng.choice(smoothings), "max_errors": rng.choice([1, 2, 0.5, 5]),
                 "confidence": rng.choice([0, 0.5, 1, 2])}
        grams = rng.choice([None, 1, 2, 3])
        field = rng.choice(["t", "t.runs"])
        # Corrections come from single words: runs of them are terms of the field too.
        phrase = {"field": field, "size": asked["size"], "max_errors": asked["max_errors"],
                  "confidence": asked["confidence"], "smoothing": asked["smoothing"],
                  "direct_generator": [{"field": "t", "suggest_mode": asked["mode"]}]}
        if grams:
            phrase["gram_size"] = grams
        own = grams or (min(3, len(text.split())) if field == "t.runs" else 1)
        both = Both(runs if field == "t.runs" else words, words)
        wanted = slow_phrases(both, asked, text, own)
        answer = cairn.ok("POST", "/i/_search", {"suggest": {"p": {"text": text, "phrase": phrase}}})
        entry = answer["suggest"]["p"][0]
        found = [(one["score"], one["text"]) for one in entry["options"]]
        assert entry["text"] == text and entry["length"] == len(text), entry
        assert len(found) == len(wanted), (text, phrase, found, wanted)
        for mine, theirs in zip(wanted, found):
            assert math.isclose(mine[0], theirs[0], rel_tol=1e-5), (text, phrase, wanted, found)
        by_score = {}
        for value, one in slow_phrases(both, {**asked, "size": 1000}, text, own):
            by_score[one] = value
        for value, one in found:
            assert math.isclose(by_score[one], value, rel_tol=1e-5), (one, found)
        some += len(found)
    assert some > ROUNDS


class Both:
    """How likely runs are is of one field, where corrections come from of another."""

    def __init__(self, runs, words):
        self.often, self.all, self.docs = runs.often, runs.all, runs.docs
        self.documents, self.words = words.documents, words

    def count(self, run):
        return self.often.get(run, 0)


# --- completions

def path_of(text):
    return "\x1f".join(re.findall(r"[a-z]+", text.lower()))


def completion_score(asked, text, weight):
    path, wanted = path_of(text), path_of(asked["prefix"])
    if not path or not wanted:
        return None
    if "fuzzy" not in asked:
        return weight if path.startswith(wanted) else None
    most = 0 if len(asked["prefix"]) < 3 else 1 if len(asked["prefix"]) < 6 else 2
    if most == 0 or len(wanted) < 3:
        return weight if path.startswith(wanted) else None
    if path[:1] != wanted[:1]:
        return None
    for size in range(1, len(path) + 1):
        if edits(wanted[1:], path[1:size]) <= most:
            agreed = len(os.path.commonprefix([path[:size], wanted]))
            return max(weight, 1) * agreed if agreed else weight
    return None


def check_completions(cairn, rng, documents):
    for _ in range(ROUNDS):
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 3)))
        prefix = text[:rng.randrange(1, len(text))]
        if rng.random() < 0.4 and len(prefix) > 3:
            prefix = prefix[:2] + prefix[3:]
        asked = {"prefix": prefix}
        completion = {"field": "s", "size": rng.randrange(1, 10)}
        if rng.random() < 0.5:
            asked["fuzzy"] = completion["fuzzy"] = True
        wanted = []
        for inputs in documents.values():
            scored = [(completion_score(asked, one["input"], one["weight"]), one["input"])
                      for one in inputs]
            scored = [one for one in scored if one[0] is not None]
            if scored:
                wanted.append(min(scored, key=lambda one: (-one[0], path_of(one[1]), one[1])))
        wanted.sort(key=lambda one: (-one[0], path_of(one[1]), one[1]))
        answer = cairn.ok("POST", "/i/_search",
                          {"suggest": {"c": {"prefix": prefix, "completion": completion}}})
        found = [(one["_score"], one["text"]) for one in answer["suggest"]["c"][0]["options"]]
        assert found == wanted[:completion["size"]], (prefix, completion, found, wanted)


def main(binary, seed):
    rng = random.Random(seed)
    cairn = Cairn(binary).start()
    try:
        cairn.ok("PUT", "/i", {"settings": SETTINGS, "mappings": MAPPINGS})
        texts, documents, lines = [], {}, ""
        for number in range(200):
            text = " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 9)))
            inputs = [{"input": " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 4))),
                       "weight": rng.randrange(20)} for _ in range(rng.randrange(1, 4))]
            texts.append(text)
            documents[number] = inputs
            lines += json.dumps({"index": {"_id": str(number)}}) + "\n"
            lines += json.dumps({"t": text, "s": inputs}) + "\n"
        assert not cairn.ok("POST", "/i/_bulk?refresh=true", lines)["errors"]
        # Different words are counted by segment.
        cairn.ok("POST", "/i/_forcemerge?max_num_segments=1")
        check_terms(cairn, rng)
        check_phrases(cairn, rng, texts)
        check_completions(cairn, rng, documents)
    finally:
        cairn.stop()
    print(f"seed {seed}: {ROUNDS * 3} times terms, {ROUNDS} phrases and {ROUNDS} completions agree")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
