"""Texts of query_string and simple_query_string, made at random, and what they look for.

A query_string is made as a tree and written down, so that nobody reads it back here. A simple one is
any row of signs and words, since it is never wrong; it is read as the field's engine reads it. Both
become queries of the oracle's own: `q_all` for clauses, and what queries_oracle.py has.
"""

import re

WORDS = "sea ship storm harbour wind wave whale seal sail shore sand salt".split()


# --- query_string

class Written:
    """Random texts of query_string with the query that each stands for."""

    def __init__(self, rng, fields):
        self.rng, self.fields = rng, fields

    def leaf(self, fields):
        """A text, and what it looks for in fields and their weights."""
        rng = self.rng
        word = rng.choice(WORDS)
        kind = rng.choice(["word"] * 4 + ["phrase", "begin", "star", "regexp", "boost", "exists"])
        if kind == "phrase":
            phrase = f"{word} {rng.choice(WORDS)}"
            return f'"{phrase}"', best(fields, lambda field: {"match_phrase": {field: phrase}})
        if kind == "begin":
            return word[:2].upper() + "*", best(fields, lambda field: {
                "wildcard": {field: {"value": word[:2] + "*"}}})
        if kind == "star":
            pattern = "?" + word[1] + "*"
            return pattern, best(fields, lambda field: {"wildcard": {field: {"value": pattern}}})
        if kind == "regexp":
            pattern = f"{word[0]}.*{word[-1]}"
            return f"/{pattern}/", best(fields, lambda field: {"regexp": {field: {
                "value": pattern}}})
        if kind == "boost":
            return f"{word}^2.5", {"times": [2.5, best(fields, lambda f: {"term": {f: word}})]}
        if kind == "exists":
            field = rng.choice(["title", "tag", "n"])
            return f"_exists_:{field}", {"exists": {"field": field}}
        return word, best(fields, lambda field: {"term": {field: word}})

    def named(self):
        rng = self.rng
        low, high = sorted(rng.sample(range(20), 2))
        kind = rng.choice(["range", "bound", "tag", "group"])
        if kind == "range":
            return f"n:[{low} TO {high}}}", {"range": {"n": {"gte": low, "lt": high}}}
        if kind == "bound":
            return f"n:>={low}", {"range": {"n": {"gte": low}}}
        if kind == "tag":
            return "tag:red", {"term": {"tag": "red"}}
        a, b = rng.sample(WORDS, 2)
        return f"title:({a} {b})", {"all": {"should": [{"term": {"title": a}},
                                                       {"term": {"title": b}}]}}

    def clause(self, depth):
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            text, query = self.clauses(depth - 1)
            return f"({text})", query
        return self.named() if rng.random() < 0.25 else self.leaf(self.fields)

    def clauses(self, depth):
        """Clauses with what stands before and between them, where OR is meant."""
        rng = self.rng
        out, text, joined = [], "", ""
        for i in range(rng.randint(1, 3)):
            if i > 0:
                joined = rng.choice(["AND", "OR", "&&", "||", ""])
                text += f" {joined} " if joined else " "
            sign = rng.choice(["", "", "", "+", "-", "NOT ", "!"])
            # Words in a row are one text: signs or groups keep these apart.
            own, query = self.clause(depth)
            if i > 0 and not joined and not sign and own in WORDS:
                own = f"({own})"
            if joined in ("AND", "&&") and out[-1][0] != "must_not":
                out[-1][0] = "must"
            kind = "must_not" if sign in ("-", "NOT ", "!") else \
                "must" if sign == "+" or joined in ("AND", "&&") else "should"
            out.append([kind, query])
            text += sign + own
        if len(out) == 1 and out[0][0] != "must_not":
            return text, out[0][1]
        return text, {"all": {kind: [query for own, query in out if own == kind]
                              for kind in ("must", "should", "must_not")}}

    def row(self):
        """Words with nothing between them: each field is asked for all of them."""
        words = [self.rng.choice(WORDS) for _ in range(3)]
        operator = self.rng.choice(["or", "and"])
        one = best(self.fields, lambda field: {"match": {field: {
            "query": " ".join(words), "operator": operator}}})
        return " ".join(words), one, operator


def best(fields, make, tie=0):
    """The best of several fields, and of the others a part."""
    made = [{"times": [weight, make(field)]} for field, weight in fields]
    return made[0] if len(made) == 1 else {"dis_max": {"queries": made, "tie_breaker": tie}}


def names_of(fields):
    return [field if weight == 1 else f"{field}^{weight:g}" for field, weight in fields]


def written(rng):
    """A query_string, and what it stands for."""
    fields = rng.choice([[("body", 1)], [("body", 1), ("title", 2)]])
    made = Written(rng, fields)
    body = {"fields": names_of(fields)}
    if rng.random() < 0.2:
        body["query"], query, body["default_operator"] = made.row()
    else:
        body["query"], query = made.clauses(2)
    if "all" in query and query["all"].get("should") and rng.random() < 0.3:
        query["all"]["least"] = body["minimum_should_match"] = rng.choice(["2", "-1", "50%"])
    if rng.random() < 0.2:
        body["boost"] = 2
        query = {"times": [2, query]}
    return {"query_string": body}, query


# --- simple_query_string

BLANK = " \t\n"


class Simple:
    """Reads a text as the field's engine does: what is before a sign, all together, and what is
    behind it. `fields` with weights; scores of all of them count."""

    def __init__(self, text, fields, usual):
        self.text, self.fields, self.usual = text, fields, usual

    def query(self):
        if self.text.strip() == "*":
            return {"match_all": {}}
        return self.read(0, len(self.text)) or {"match_none": {}}

    def read(self, at, end):
        top, sign, last, minus = None, None, None, False

        def add(query):
            nonlocal top, sign, last
            if query is None:
                sign = None
                return
            if minus:
                query = {"all": {"must_not": [query], "should": [{"match_all": {}}]}}
            if top is None:
                top = query
            else:
                kind = sign or self.usual
                if last != kind:
                    top = {"all": {kind: [top]}}
                top["all"][kind].append(query)
                last = kind
            sign = None

        while at < end:
            c = self.text[at]
            if c == "-":
                minus = not minus
                at += 1
                continue
            if c == "(":
                close = self.closing(at, end)
                if close is None:
                    at += 1
                elif close == at + 1:
                    sign, at = None, close + 1
                else:
                    add(self.read(at + 1, close))
                    at = close + 1
            elif c == '"':
                close = self.text.find('"', at + 1, end)
                if close < 0:
                    at += 1
                elif close == at + 1:
                    sign, at = None, close + 1
                else:
                    phrase = " ".join(re.findall(r"\w+", self.text[at + 1:close]))
                    # What has no words is as if it did not stand there.
                    add(best(self.fields, lambda field, words=phrase: {
                        "match_phrase": {field: words}}) if phrase else None)
                    at = close + 1
            elif c in "+|":
                if sign is None and top is not None:
                    sign = "must" if c == "+" else "should"
                at += 1
            elif c in BLANK or c == ")":
                at += 1
            else:
                begin = at
                while at < end and self.text[at] not in BLANK + '"|+()':
                    at += 1
                add(self.word(self.text[begin:at]))
            minus = False
        return top

    def closing(self, at, end):
        depth = 0
        for i in range(at, end):
            depth += {"(": 1, ")": -1}.get(self.text[i], 0)
            if depth == 0:
                return i
        return None

    def word(self, text):
        if len(text) > 1 and text.endswith("*"):
            return best(self.fields, lambda field: {"prefix": {field: {
                "value": text[:-1].lower()}}}, 1)
        words = " ".join(re.findall(r"\w+", text))
        operator = "and" if self.usual == "must" else "or"
        return best(self.fields, lambda field: {"match": {field: {
            "query": words, "operator": operator}}}, 1)


def simple(rng):
    """A simple_query_string of any signs and words, and what it stands for."""
    fields = rng.choice([[("body", 1)], [("body", 1), ("title", 2)]])
    pieces = []
    for _ in range(rng.randint(1, 7)):
        word = rng.choice(WORDS)
        pieces.append(rng.choice([word, word, word, word[:2] + "*", f'"{word} {rng.choice(WORDS)}"',
                                  "+", "|", "-", "-" + word, "(", ")", '"', "--"]))
    text = "".join(piece + rng.choice(["", " ", " "]) for piece in pieces)
    operator = rng.choice(["or", "and"])
    read = Simple(text, fields, "must" if operator == "and" else "should")
    return {"simple_query_string": {"query": text, "fields": names_of(fields),
                                    "default_operator": operator}}, read.query()
