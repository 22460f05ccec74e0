"""Members of a search beside its query, against what the documents' sources say.

`members` makes random ones; `check_members` asks them with a query and works the answer out.
"""

import json
import math

INDEX = "i"
WORDS = "sea ship storm harbour wind wave whale seal".split()


def post_filter(rng):
    return rng.choice([{"term": {"flag": rng.random() < 0.5}}, {"exists": {"field": "price"}},
                       {"range": {"need": {"gte": rng.randint(1, 3)}}}])


def highlight(rng):
    """Whole titles, with the words of a query of their own."""
    words = " ".join(rng.sample(WORDS, rng.randint(1, 3)))
    tags = {"pre_tags": ["[["], "post_tags": ["]]"]} if rng.random() < 0.5 else {}
    return {**tags, "fields": {"title": {"number_of_fragments": 0,
                                         "highlight_query": {"match": {"title": words}}}}}


def members(rng):
    """Some of them. `min_score` is that of a place among the scores, from 0 to 1: see `check_members`."""
    out = {"track_total_hits": True, "from": rng.choice([0, 0, 3]), "size": rng.choice([5, 1000])}
    for name, make in (("min_score", rng.random), ("post_filter", lambda: post_filter(rng)),
                       ("indices_boost", lambda: [{INDEX: rng.choice([0.5, 2, 3.25])}]),
                       ("highlight", lambda: highlight(rng))):
        if rng.random() < 0.5:
            out[name] = make()
    if rng.random() < 0.5:
        out["aggs"] = {"needs": {"value_count": {"field": "need"}}}
    return out


def least_score(scores, place):
    """A score that no document has, so that rounding does not decide."""
    steps = sorted(set(scores))
    gaps = [(a + b) / 2 for a, b in zip(steps, steps[1:]) if b > a * (1 + 1e-3)]
    return gaps[int(place * len(gaps))] if gaps else 0


def shown_title(doc, wanted):
    """The title with marks around the words that are looked for; None where there are none."""
    words = wanted["fields"]["title"]["highlight_query"]["match"]["title"].split()
    before = wanted.get("pre_tags", ["<em>"])[0]
    after = wanted.get("post_tags", ["</em>"])[0]
    title = (doc.get("title") or "").split()
    if not set(title) & set(words):
        return None
    return [" ".join(f"{before}{word}{after}" if word in words else word for word in title)]


def check_members(ask, oracle, judged, chosen):
    """`ask` sends a search with these members and gives the answer. `judged`: a query, and the scores of
    what it finds, by id."""
    query, scores = judged
    # Functions need not let a factor through: it is one of the query that they score.
    if "function_score" in json.dumps(query):
        chosen.pop("indices_boost", None)
    boost = chosen.get("indices_boost", [{INDEX: 1}])[0][INDEX]
    scores = {one: score * boost for one, score in scores.items()}
    if "min_score" in chosen:
        chosen["min_score"] = least_score(scores.values(), chosen["min_score"])
        scores = {one: score for one, score in scores.items() if score >= chosen["min_score"]}
    docs = {doc["_id"]: doc for doc in oracle.docs}
    counted = [docs[one] for one in scores]
    hits = {one: score for one, score in scores.items() if "post_filter" not in chosen
            or oracle.judge(chosen["post_filter"], docs[one]) is not None}
    answer = ask(query=query, **chosen)
    about = (query, chosen)
    assert answer["hits"]["total"] == {"value": len(hits), "relation": "eq"}, (about, len(hits))
    found = answer["hits"]["hits"]
    wanted = sorted(hits.values(), reverse=True)[chosen["from"]:chosen["from"] + chosen["size"]]
    assert len(found) == len(wanted), (about, len(found), len(wanted))
    for hit, score in zip(found, wanted):
        assert math.isclose(hit["_score"], score, rel_tol=2e-5, abs_tol=1e-6), (about, hit, score)
        assert math.isclose(hit["_score"], hits[hit["_id"]], rel_tol=2e-5, abs_tol=1e-6), (about, hit)
        if "highlight" in chosen:
            title = shown_title(docs[hit["_id"]], chosen["highlight"])
            assert hit.get("highlight", {}).get("title") == title, (about, hit, title)
    if "aggs" in chosen:
        needs = sum(doc.get("need") is not None for doc in counted)
        assert answer["aggregations"]["needs"]["value"] == needs, (about, needs)


def check_ended_early(ask, judged, most):
    """Of one segment, the first that are found count, and no others."""
    query, all_of_them = judged
    answer = ask(query=query, terminate_after=most, track_total_hits=True)
    found = {hit["_id"] for hit in answer["hits"]["hits"]}
    assert found <= set(all_of_them), (query, most)
    assert len(found) == answer["hits"]["total"]["value"] == min(most, len(all_of_them)), (
        query, most, len(found), len(all_of_them))
    if most != len(all_of_them):
        assert answer["terminated_early"] == (most < len(all_of_them)), (query, most)
