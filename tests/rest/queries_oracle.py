"""What a search must answer, found out slowly from the documents' sources alone.

One index without deleted documents: words are lowered and split at blanks, keywords are as they are,
and lengths are below 24, where norms keep them exactly. `Oracle.judge` gives the score of a document
for a query, or None.
"""

import datetime
import fnmatch
import math
import re

K1, B = 1.2, 0.75
DAY_MS = 86_400_000


def flat(value):
    """The values of a field, of lists within lists too."""
    if isinstance(value, list):
        return [one for element in value for one in flat(element)]
    return [] if value is None else [value]


def millis(day):
    return int(datetime.datetime.fromisoformat(day).replace(
        tzinfo=datetime.timezone.utc).timestamp() * 1000)


def words_of(text):
    return text.lower().split()


def edits(a, b):
    """Letters that change, come, go, or change places with their neighbour."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            row[j] = min(rows[i - 1][j] + 1, row[j - 1] + 1,
                         rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                row[j] = min(row[j], rows[i - 2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def needed(spec, optional):
    """minimum_should_match: 2, -1, 75%, -25%, 2<75%."""
    spec = str(spec)
    if "<" in spec:
        bound, rest = spec.split("<")
        return optional if optional <= int(bound) else needed(rest, optional)
    if spec.endswith("%"):
        part = int(optional * abs(int(spec[:-1])) / 100)
        count = optional - part if spec.startswith("-") else part
    else:
        count = int(spec) if int(spec) >= 0 else optional + int(spec)
    return max(0, count)


class Oracle:
    """`kinds`: the fields of each kind. `scope`: of objects the path that they stand at."""

    def __init__(self, docs, kinds, mappings, scope=""):
        self.docs, self.kinds, self.mappings, self.scope = docs, kinds, mappings, scope

    # --- values and statistics

    def values(self, doc, field):
        name = field[len(self.scope):] if field.startswith(self.scope) else field
        if self.kind(field) != "number":
            return flat(doc.get(name))
        if self.parameter(field, "type", "") == "token_count":
            return [len(words_of(text)) for text in flat(doc.get(name[:name.rindex(".")]))]
        return [self.scaled(field, value) for value in flat(doc.get(name))]

    def scaled(self, field, value):
        """What a scaled_float keeps of a number: its halves go up."""
        factor = self.parameter(field, "scaling_factor", None)
        return value if factor is None else math.floor(value * factor + 0.5) / factor

    def parameter(self, field, name, usual):
        """What the mapping says of a field."""
        at = self.mappings
        for piece in field.split("."):
            at = at["properties" if "properties" in at else "fields"][piece]
        return at.get(name, usual)

    def kind(self, field):
        return next(kind for kind, fields in self.kinds.items() if field in fields)

    def words(self, doc, field):
        """The words of a text with their places: values of a list are 100 apart."""
        out, at = [], 0
        for value in self.values(doc, field):
            if out:
                at += 100
            for word in words_of(value):
                out.append((word, at))
                at += 1
        return out

    def terms(self, doc, field):
        kind = self.kind(field)
        if kind == "text":
            words = [word for word, _ in self.words(doc, field)]
            # Without frequencies a word stands once in a document.
            once = self.parameter(field, "index_options", "positions") == "docs"
            return sorted(set(words)) if once else words
        if kind == "boolean":
            return sorted({"T" if value in (True, "true") else "F"
                           for value in self.values(doc, field)})
        return sorted({str(value) for value in self.values(doc, field)})

    def statistics(self, field):
        having = [doc for doc in self.docs if self.values(doc, field)]
        return len(having), sum(len(self.terms(doc, field)) for doc in having)

    def doc_freq(self, field, term):
        return sum(term in self.terms(doc, field) for doc in self.docs)

    def idf(self, field, df):
        count, _ = self.statistics(field)
        return math.log(1 + (count - df + 0.5) / (df + 0.5))

    def bm25(self, doc, field, freq, df, weight=1.0):
        idf = self.idf(field, df) if not isinstance(df, list) else sum(
            self.idf(field, one) for one in df)
        count, total = self.statistics(field)
        # Without norms every document is as long as one word.
        normed = self.kind(field) == "text" and self.parameter(field, "norms", True)
        length = len(self.terms(doc, field)) if normed else 1
        return weight * 2.2 * idf * freq / (freq + K1 * (1 - B + B * length / (total / count)))

    def number(self, value):
        return millis(value) if isinstance(value, str) else value

    # --- queries

    def judge(self, query, doc):
        name, body = next(iter(query.items()))
        return getattr(self, "q_" + name)(body, doc)

    def scored(self, query, doc, boost):
        score = self.judge(query, doc)
        return None if score is None else score * boost

    @staticmethod
    def one_field(body):
        field, value = next(iter(body.items()))
        return field, value if isinstance(value, dict) else {"value": value, "query": value}

    def q_match_all(self, body, doc):
        return body.get("boost", 1)

    def q_match_none(self, body, doc):
        return None

    def q_term(self, body, doc):
        field, options = self.one_field(body)
        value, boost = options["value"], options.get("boost", 1)
        if self.kind(field) in ("number", "date"):
            wanted = self.number(value)
            if self.kind(field) == "number":
                wanted = self.scaled(field, wanted)
            return boost if any(self.number(one) == wanted
                                for one in self.values(doc, field)) else None
        term = ("T" if value in (True, "true") else "F") if self.kind(field) == "boolean" else str(
            value)
        freq = self.terms(doc, field).count(term)
        if not self.parameter(field, "index", True):
            return boost if freq else None  # looked for in its column, where all values are alike
        return self.bm25(doc, field, freq, self.doc_freq(field, term), boost) if freq else None

    def q_terms(self, body, doc):
        field = next(name for name in body if name != "boost")
        found = any(self.q_term({field: value}, doc) is not None for value in body[field])
        return body.get("boost", 1) if found else None

    def q_ids(self, body, doc):
        return 1 if doc["_id"] in body["values"] else None

    def q_exists(self, body, doc):
        return body.get("boost", 1) if self.values(doc, body["field"]) else None

    def q_range(self, body, doc):
        field, options = self.one_field(body)
        compare = {"gt": lambda a, b: a > b, "gte": lambda a, b: a >= b,
                   "lt": lambda a, b: a < b, "lte": lambda a, b: a <= b}
        plain = self.kind(field) in ("keyword", "text")
        values = self.terms(doc, field) if plain else [
            self.number(one) for one in self.values(doc, field)]
        fits = any(all(compare[how](value, bound if plain else self.number(bound))
                       for how, bound in options.items() if how in compare) for value in values)
        return options.get("boost", 1) if fits else None

    def with_term(self, doc, field, fits, boost):
        return boost if any(fits(term) for term in self.terms(doc, field)) else None

    def q_prefix(self, body, doc):
        field, options = self.one_field(body)
        return self.with_term(doc, field, lambda term: term.startswith(options["value"]),
                              options.get("boost", 1))

    def q_wildcard(self, body, doc):
        field, options = self.one_field(body)
        return self.with_term(doc, field, lambda term: fnmatch.fnmatchcase(term, options["value"]),
                              options.get("boost", 1))

    def q_regexp(self, body, doc):
        field, options = self.one_field(body)
        return self.with_term(doc, field, lambda term: re.fullmatch(options["value"], term),
                              options.get("boost", 1))

    def q_fuzzy(self, body, doc):
        """Whether one matches; its score hangs on all terms that are alike."""
        field, options = self.one_field(body)
        word = options["value"]
        most = 0 if len(word) < 3 else 1 if len(word) < 6 else 2
        return self.with_term(doc, field, lambda term: edits(word, term) <= most, 1)

    def q_match(self, body, doc):
        field, options = self.one_field(body)
        words = words_of(options["query"])
        scores = [self.q_term({field: {"value": word, "boost": options.get("boost", 1)}}, doc)
                  for word in words]
        found = [score for score in scores if score is not None]
        need = len(words) if options.get("operator") == "and" else 1
        if len(words) > 1 and "minimum_should_match" in options and options.get("operator") != "and":
            need = max(1, needed(options["minimum_should_match"], len(words)))
        return sum(found) if words and len(found) >= need else None

    def q_match_bool_prefix(self, body, doc):
        field, options = self.one_field(body)
        words = words_of(options["query"])
        scores = [self.q_term({field: word}, doc) for word in words[:-1]]
        scores.append(self.q_prefix({field: words[-1]}, doc))
        found = [score for score in scores if score is not None]
        need = len(words) if options.get("operator") == "and" else 1
        return sum(found) if len(found) >= need else None

    def phrases(self, doc, field, words):
        places = {}
        for word, at in self.words(doc, field):
            places.setdefault(at, []).append(word)
        return sum(all(word in places.get(at + i, []) for i, word in enumerate(words))
                   for at in places)

    def q_match_phrase(self, body, doc):
        field, options = self.one_field(body)
        words = words_of(options["query"])
        if len(words) == 1:
            return self.q_term({field: words[0]}, doc)
        freq = self.phrases(doc, field, words)
        dfs = [self.doc_freq(field, word) for word in words]
        return self.bm25(doc, field, freq, dfs) if freq else None

    def weighted(self, fields):
        for one in fields:
            name, _, weight = one.partition("^")
            yield name, float(weight or 1)

    def q_multi_match(self, body, doc):
        kind = body.get("type", "best_fields")
        tie = body.get("tie_breaker", 1 if kind == "most_fields" else 0)
        if kind == "cross_fields":
            return self.cross_fields(body, doc, tie)
        name = "match_phrase" if kind == "phrase" else "match"
        options = {key: body[key] for key in ("query", "operator") if key in body}
        scores = [self.scored({name: {field: options}}, doc, weight)
                  for field, weight in self.weighted(body["fields"])]
        return best_of(scores, tie)

    def cross_fields(self, body, doc, tie):
        fields = list(self.weighted(body["fields"]))
        scores = [self.blended(doc, fields, word, tie) for word in words_of(body["query"])]
        found = [score for score in scores if score is not None]
        need = len(scores) if body.get("operator") == "and" else 1
        return sum(found) if len(found) >= need else None

    def blended(self, doc, fields, word, tie):
        """A word counts as frequent in each field as in the one that has it most."""
        dfs = [self.doc_freq(field, word) for field, _ in fields]
        documents = min([len(self.docs)] + [self.statistics(field)[1]
                                            for (field, _), df in zip(fields, dfs) if df])
        order = sorted(range(len(fields)), key=lambda i: -dfs[i])
        counted, last, used = min(documents, max(dfs)), max(dfs), [0] * len(fields)
        for i in order:
            counted += dfs[i] < last
            last = dfs[i]
            used[i] = min(counted, self.statistics(fields[i][0])[0], documents)
        if len(fields) == 1:
            used = dfs
        scores = []
        for (field, weight), df in zip(fields, used):
            freq = self.terms(doc, field).count(word)
            scores.append(self.bm25(doc, field, freq, df, weight) if freq else None)
        return best_of(scores, tie)

    def q_combined_fields(self, body, doc):
        fields = list(self.weighted(body["fields"]))
        count = max(self.statistics(field)[0] for field, _ in fields)
        total = sum(int(weight * self.statistics(field)[1]) for field, weight in fields)
        length = round(sum(weight * len(self.terms(doc, field)) for field, weight in fields))
        score, found, words = 0, 0, words_of(body["query"])
        for word in words:
            freq = sum(weight * self.terms(doc, field).count(word) for field, weight in fields)
            df = max(self.doc_freq(field, word) for field, _ in fields)
            if freq == 0:
                continue
            found += 1
            idf = math.log(1 + (count - df + 0.5) / (df + 0.5))
            score += 2.2 * idf * freq / (freq + K1 * (1 - B + B * length / (total / count)))
        need = len(words) if body.get("operator") == "and" else 1
        return score if found >= need else None

    def q_bool(self, body, doc):
        score = 0
        for one in body.get("must", []):
            own = self.judge(one, doc)
            if own is None:
                return None
            score += own
        if any(self.judge(one, doc) is None for one in body.get("filter", [])):
            return None
        if any(self.judge(one, doc) is not None for one in body.get("must_not", [])):
            return None
        should = [self.judge(one, doc) for one in body.get("should", [])]
        found = [one for one in should if one is not None]
        least = 0 if body.get("must") or body.get("filter") or not should else 1
        if "minimum_should_match" in body:
            least = needed(body["minimum_should_match"], len(should))
        return body.get("boost", 1) * (score + sum(found)) if len(found) >= least else None

    # Of texts in languages of their own, what they stand for (query_strings.py).

    def q_meant(self, pair, doc):
        return self.judge(pair[1], doc)

    def q_times(self, pair, doc):
        return self.scored(pair[1], doc, pair[0])

    def q_all(self, body, doc):
        """Clauses; without any that must or should match, whatever is left scores 0."""
        least = {} if "least" not in body else {"minimum_should_match": body["least"]}
        must, should = body.get("must", []), body.get("should", [])
        if least and not must and needed(body["least"], len(should)) == 0:
            least = {"minimum_should_match": 1}
        if not must and not should:
            least = {"must": [{"constant_score": {"filter": {"match_all": {}}, "boost": 0}}]}
        kept = {kind: body[kind] for kind in ("must", "should", "must_not") if body.get(kind)}
        return self.judge({"bool": {**kept, **least}}, doc)

    def q_match_phrase_prefix(self, body, doc):
        """The last word may go on. Every word that it may go on as counts for the score."""
        field, options = self.one_field(body)
        *words, start = words_of(options["query"])
        ends = sorted({term for one in self.docs for term in self.terms(one, field)
                       if term.startswith(start)})[:options.get("max_expansions", 50)]
        if not ends:
            return None
        if not words:
            scores = [self.q_term({field: end}, doc) for end in ends]
            found = [one for one in scores if one is not None]
            return sum(found) if found else None
        freq = sum(self.phrases(doc, field, words + [end]) for end in ends)
        dfs = [self.doc_freq(field, word) for word in words + ends]
        return self.bm25(doc, field, freq, [df for df in dfs if df]) if freq else None

    def chosen_words(self, field, texts, body):
        """Words that stand out in texts, with what each is worth."""
        counts = {}
        for text in texts:
            for word in words_of(text):
                counts[word] = counts.get(word, 0) + 1
        left_out = {word for text in body.get("unlike", []) for word in words_of(text)}
        left_out |= set(body.get("stop_words", []))
        worth = {}
        for word, count in counts.items():
            df = self.doc_freq(field, word)
            if (word not in left_out and count >= body["min_term_freq"] and df >= max(
                    1, body["min_doc_freq"]) and df <= body.get("max_doc_freq", df)
                    and len(word) >= body.get("min_word_length", 0)):
                worth[word] = count * (math.log((len(self.docs) + 1) / (df + 1)) + 1)
        return worth

    def q_more_like_this(self, body, doc):
        [field] = body["fields"]
        worth = self.chosen_words(field, body["like"], body)
        if not worth:
            return None
        scores = []
        for word, own in worth.items():
            boost = body.get("boost_terms", 0) * own / min(worth.values()) or 1
            scores.append(self.q_term({field: {"value": word, "boost": boost}}, doc))
        found = [one for one in scores if one is not None]
        least = max(1, needed(body.get("minimum_should_match", "30%"), len(worth)))
        return sum(found) if len(found) >= least else None

    def q_constant_score(self, body, doc):
        return None if self.judge(body["filter"], doc) is None else body.get("boost", 1)

    def q_dis_max(self, body, doc):
        return best_of([self.judge(one, doc) for one in body["queries"]],
                       body.get("tie_breaker", 0))

    def q_boosting(self, body, doc):
        score = self.judge(body["positive"], doc)
        if score is None or self.judge(body["negative"], doc) is None:
            return score
        return score * body["negative_boost"]

    def q_nested(self, body, doc):
        path = body["path"] + "."
        inside = Oracle([part for one in self.docs for part in flat(one.get(body["path"]))],
                        self.kinds, self.mappings, path)
        scores = [inside.judge(body["query"], part) for part in flat(doc.get(body["path"]))]
        found = [one for one in scores if one is not None]
        if not found:
            return None
        how = {"avg": lambda: sum(found) / len(found), "sum": lambda: sum(found),
               "min": lambda: min(found), "max": lambda: max(found), "none": lambda: 0}
        return how[body.get("score_mode", "avg")]()

    def q_terms_set(self, body, doc):
        field, options = self.one_field(body)
        need = self.values(doc, options["minimum_should_match_field"])
        scores = [self.q_term({field: term}, doc) for term in options["terms"]]
        found = [one for one in scores if one is not None]
        return sum(found) if need and len(found) >= max(1, need[0]) else None

    def q_distance_feature(self, body, doc):
        values = [self.number(one) for one in self.values(doc, body["field"])]
        if not values:
            return None
        origin, pivot = millis(body["origin"]), int(body["pivot"][:-1]) * DAY_MS
        return max(pivot / (pivot + abs(value - origin)) for value in values)

    def q_rank_feature(self, body, doc):
        values = self.values(doc, body["field"])
        if not values:
            return None
        s = values[0]
        if "log" in body:
            return math.log(body["log"]["scaling_factor"] + s)
        if "linear" in body:
            return s
        if "sigmoid" in body:
            pivot, a = body["sigmoid"]["pivot"], body["sigmoid"]["exponent"]
            return s ** a / (s ** a + pivot ** a)
        return s / (s + body["saturation"]["pivot"])

    def q_function_score(self, body, doc):
        score = self.judge(body.get("query", {"match_all": {}}), doc)
        if score is None:
            return None
        values = [(self.function(one, doc), one.get("weight", 1)) for one in body["functions"]
                  if "filter" not in one or self.judge(one["filter"], doc) is not None]
        mode = body.get("score_mode", "multiply")
        found = [value * weight for value, weight in values]
        together = {"multiply": lambda: math.prod(found), "sum": lambda: sum(found),
                    "avg": lambda: sum(found) / sum(weight for _, weight in values),
                    "first": lambda: found[0], "max": lambda: max(found),
                    "min": lambda: min(found)}[mode]() if found else 1
        return {"multiply": lambda: score * together, "replace": lambda: together,
                "sum": lambda: score + together, "avg": lambda: (score + together) / 2,
                "max": lambda: max(score, together), "min": lambda: min(score, together)}[
                    body.get("boost_mode", "multiply")]()

    def function(self, one, doc):
        given = one.get("field_value_factor")
        if not given:
            return 1
        values = self.values(doc, given["field"])
        value = (min(values) if values else given["missing"]) * given.get("factor", 1)
        return {"none": lambda: value, "log1p": lambda: math.log10(1 + value),
                "ln2p": lambda: math.log(2 + value), "sqrt": lambda: math.sqrt(value),
                "square": lambda: value * value, "reciprocal": lambda: 1 / value}[
                    given.get("modifier", "none")]()

    def q_pinned(self, body, doc):
        """Those that are named come first; only the others are compared by score."""
        if doc["_id"] in body["ids"]:
            return 1e30 - body["ids"].index(doc["_id"]) * 1e25
        return self.judge(body["organic"], doc)

    def q_sparse_vector(self, body, doc):
        vector = doc.get(body["field"]) or {}
        shared = [vector[token] * weight for token, weight in body["query_vector"].items()
                  if token in vector]
        return sum(shared) if shared else None


def best_of(scores, tie):
    found = [one for one in scores if one is not None]
    return max(found) + tie * (sum(found) - max(found)) if found else None
