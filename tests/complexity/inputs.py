"""What a client can make large, route by route: each input is made of a size n.

An input is a name, the sizes it starts from, and a function of n that gives a request: method,
path, body, content type. Every route of the program has a row here, by the name of its operation;
complexity_test.py fails for one that has none. `NAMES` says that a route takes nothing but what all
routes take: a path, a query, header fields.
"""

import json

JSON = "application/json"
NDJSON = "application/x-ndjson"
XML = "application/xml"
NAMES = []


def words(n):
    """n words of 1,000 different ones."""
    return " ".join(f"w{i * 7919 % 1000}" for i in range(n))


def nested(n, inner, around):
    for _ in range(n):
        inner = around(inner)
    return inner


def post(path, make, method="POST"):
    """A JSON body of size n."""
    return lambda n: (method, path, json.dumps(make(n)), JSON)


def put(path, make):
    return post(path, make, "PUT")


def graphql(make):
    return post("/graphql", lambda n: {"query": make(n)})


def query(make):
    return post("/books/_search", lambda n: {"query": make(n)})


def lines(path, make):
    return lambda n: ("POST", path, "".join(json.dumps(line) + "\n" for line in make(n)), NDJSON)


def xml(method, path, make):
    return lambda n: (method, path, make(n), XML)


TAG = "<Tag><Key>k</Key><Value>v</Value></Tag>"
LOCATION = ("<LocationScope>s3://cost/{}*</LocationScope>"
            "<IAMRoleArn>arn:aws:iam::{{account}}:root</IAMRoleArn>")
GRANT = ("<AccessGrantsLocationId>default</AccessGrantsLocationId><AccessGrantsLocationConfiguration>"
         "<S3SubPrefix>{}*</S3SubPrefix></AccessGrantsLocationConfiguration>"
         "<Grantee><GranteeType>IAM</GranteeType><GranteeIdentifier>{}</GranteeIdentifier></Grantee>"
         "<Permission>READ</Permission>")


def control(method, of, path, fields, work="Create"):
    """A request about access grants; `of`: the instance, a location, or "" for a grant."""
    what = f"{work}AccessGrants{of.title()}Request" if of else f"{work}AccessGrantRequest"
    return (method, "/v20180820/accessgrantsinstance" + path, f"<{what}>{fields}</{what}>", XML,
            {"x-amz-account-id": "{account}"})


SEARCH = [
    ("words of a match", 2000, query(lambda n: {"match": {"text": words(n)}})),
    ("words of a phrase", 500, query(lambda n: {"match_phrase": {"text": words(n)}})),
    ("words of which the last goes on", 2000,
     query(lambda n: {"match_bool_prefix": {"text": words(n)}})),
    ("words of combined fields", 1000,
     query(lambda n: {"combined_fields": {"query": words(n), "fields": ["text"]}})),
    ("documents that are looked up", 20, query(lambda n: {"bool": {"should": [
        {"terms": {"tag": {"index": "books", "id": str(i), "path": "tag"}}} for i in range(n)]}})),
    ("words of a simple query", 500, query(lambda n: {"simple_query_string": {"query": words(n)}})),
    ("words of a query string", 500, query(lambda n: {"query_string": {"query": words(n)}})),
    ("brackets of a query string", 2000,
     query(lambda n: {"query_string": {"query": "(" * n + "a" + ")" * n}})),
    ("clauses of a bool that are explained", 300,
     post("/books/_search", lambda n: {"explain": True, "query": {"bool": {"should": [
         {"term": {"tag": f"t{i}"}} for i in range(n)]}}})),
    ("clauses of a bool", 300,
     query(lambda n: {"bool": {"should": [{"term": {"tag": f"t{i}"}} for i in range(n)]}})),
    ("filters of a bool", 300,
     query(lambda n: {"bool": {"filter": [{"range": {"n": {"gte": i}}} for i in range(n)]}})),
    ("depth of a bool", 2000,
     lambda n: ("POST", "/books/_search", '{"query":' + '{"bool":{"must":' * n +
                '{"match_all":{}}' + "}}" * n + "}", JSON)),
    ("terms", 10_000, query(lambda n: {"terms": {"tag": [f"t{i}" for i in range(n)]}})),
    ("terms of which a document needs some", 300, query(lambda n: {"terms_set": {"text": {
        "terms": [f"w{i}" for i in range(n)], "minimum_should_match_field": "n"}}})),
    ("ids", 2000, query(lambda n: {"ids": {"values": [str(i) for i in range(n)]}})),
    ("a long term", 50_000, query(lambda n: {"term": {"tag": "x" * n}})),
    ("a long prefix", 20_000, query(lambda n: {"prefix": {"tag": "x" * n}})),
    ("a long wildcard", 2000, query(lambda n: {"wildcard": {"tag": "*a" * n}})),
    ("a regular expression", 200, query(lambda n: {"regexp": {"tag": "(a+)+" * n}})),
    ("a complement of a regular expression", 100,
     query(lambda n: {"regexp": {"tag": "~(" + "(a|b)" * n + ")"}})),
    ("words that others are like", 5000, query(lambda n: {"more_like_this": {
        "fields": ["text"], "like": words(n), "min_term_freq": 1, "min_doc_freq": 1}})),
    ("clauses of a span near in order", 300, query(lambda n: {"span_near": {
        "clauses": [{"span_term": {"text": f"w{i % 5}"}} for i in range(n)], "slop": 100}})),
    ("clauses of a span near in any order", 300, query(lambda n: {"span_near": {
        "clauses": [{"span_term": {"text": f"w{i % 5}"}} for i in range(n)], "slop": 100,
        "in_order": False}})),
    ("clauses of a span or", 300, query(lambda n: {"span_or": {
        "clauses": [{"span_term": {"text": f"w{i}"}} for i in range(n)]}})),
    ("depth of a span first", 2000,
     lambda n: ("POST", "/books/_search", '{"query":' + '{"span_first":{"end":9,"match":' * n +
                '{"span_term":{"text":"w1"}}' + "}}" * n + "}", JSON)),
    ("words of intervals in order", 300, query(lambda n: {"intervals": {"text": {"match": {
        "query": words(n), "ordered": True}}}})),
    ("rules of intervals", 300, query(lambda n: {"intervals": {"text": {"all_of": {
        "intervals": [{"match": {"query": f"w{i % 5} w{i % 7}"}} for i in range(n)]}}}})),
    ("choices of intervals", 200, query(lambda n: {"intervals": {"text": {"all_of": {
        "ordered": True, "max_gaps": 0, "intervals": [{"any_of": {"intervals": [
            {"match": {"query": f"w{i}"}}, {"match": {"query": "w1 w2"}}]}} for i in range(n)]}}}})),
    ("depth of intervals", 2000, lambda n: (
        "POST", "/books/_search", '{"query":{"intervals":{"text":' +
        '{"any_of":{"intervals":[' * n + '{"match":{"query":"w1"}}' + "]}}" * n + "}}}", JSON)),
    ("hits that are collapsed", 200, post("/books/_search", lambda n: {
        "query": {"match_all": {}}, "collapse": {"field": "n"}, "size": n})),
    ("functions of scores", 300, query(lambda n: {"function_score": {"functions": [
        {"filter": {"term": {"tag": f"t{i}"}}, "weight": 1.5} for i in range(n)]}})),
    ("documents that are pinned", 50, query(lambda n: {"pinned": {
        "ids": [str(i) for i in range(n)], "organic": {"match": {"text": "w1"}}}})),
    ("a long fuzzy term", 20_000, query(lambda n: {"fuzzy": {"tag": "x" * n}})),
    ("tokens of a sparse vector", 2000, query(lambda n: {"sparse_vector": {
        "field": "sparse", "query_vector": {f"t{i}": 1.0 for i in range(n)}}})),
    ("numbers of a vector", 2000, post("/books/_search", lambda n: {"knn": {
        "field": "dense", "query_vector": [1.0] * n, "k": 5, "num_candidates": 10}})),
    ("a text to embed", 20_000, query(lambda n: {"semantic": {"field": "meaning", "query": words(n)}})),
    ("fields of a multi match", 500,
     query(lambda n: {"multi_match": {"query": "w1 w2", "fields": [f"f{i}" for i in range(n)]}})),
    ("aggregations", 100, post("/books/_search", lambda n: {"size": 0, "aggs": {
        f"a{i}": {"terms": {"field": "tag"}} for i in range(n)}})),
    ("depth of aggregations", 200, post("/books/_search", lambda n: {"size": 0, **nested(
        min(n, 900), {"aggs": {"z": {"max": {"field": "n"}}}},
        lambda inner: {"aggs": {"a": {"terms": {"field": "tag"}, **inner}}})})),
    ("ranges of an aggregation", 500, post("/books/_search", lambda n: {"size": 0, "aggs": {
        "a": {"range": {"field": "n", "ranges": [{"from": i, "to": i + 1} for i in range(n)]}}}})),
    ("buckets of a histogram", 10_000, post("/books/_search", lambda n: {"size": 0, "aggs": {
        "a": {"histogram": {"field": "n", "interval": 100 / n, "min_doc_count": 0}}}})),
    ("sort keys", 200, post("/books/_search", lambda n: {"sort": [{"n": "asc"}] * n})),
    ("fields of a source filter", 1000,
     post("/books/_search", lambda n: {"_source": [f"f{i}" for i in range(n)]})),
    ("patterns of a source filter", 200,
     post("/books/_search", lambda n: {"_source": {"excludes": ["*a*b*c*d"] * n}})),
    ("stored fields", 200, post("/books/_search",
                                lambda n: {"stored_fields": [f"f{i}*" for i in range(n)]})),
    ("doc value fields", 100, post("/books/_search", lambda n: {"docvalue_fields": ["n"] * n})),
    ("highlighted fields", 200, post("/books/_search", lambda n: {
        "query": {"match": {"text": "w1"}},
        "highlight": {"fields": {f"f{i}": {} for i in range(n)}}})),
    ("hits that are rescored", 500, post("/books/_search", lambda n: {
        "query": {"match": {"text": "w1"}}, "rescore": {"window_size": n, "query": {
            "rescore_query": {"match": {"text": "w2 w3"}}}}})),
    ("words of a text to correct", 20, post("/books/_search", lambda n: {"suggest": {
        "p": {"text": words(n), "phrase": {
            "field": "text", "token_limit": 100, "max_errors": 2, "size": 10, "confidence": 0,
            "direct_generator": [{"field": "text", "suggest_mode": "always", "max_term_freq": 1000,
                                  "min_word_length": 1}]}}}})),
    ("words to suggest others for", 20, post("/books/_search", lambda n: {"suggest": {
        "s": {"text": " ".join(f"word{i}" for i in range(n)), "term": {"field": "text"}}}})),
    ("retrievers", 50, post("/books/_search", lambda n: {"retriever": {"rrf": {"retrievers": [
        {"standard": {"query": {"match": {"text": f"w{i}"}}}} for i in range(n)]}}})),
    ("depth of retrievers", 50, post("/books/_search", lambda n: {"retriever": nested(
        n, {"standard": {"query": {"match_all": {}}}},
        lambda inner: {"rrf": {"retrievers": [inner, {"standard": {"query": {"match_all": {}}}}]}})})),
    ("names of queries", 100, query(lambda n: {"bool": {"should": [
        {"term": {"tag": {"value": f"t{i}", "_name": f"n{i}"}}} for i in range(n)]}})),
    ("values of search_after", 1000,
     post("/books/_search", lambda n: {"sort": ["n"], "search_after": [1] * n})),
]

BODIES_OF_KEYS = lambda path, method: [  # noqa: E731
    ("roles", 200, post(path, lambda n: {"name": "k", "role_descriptors": {
        f"r{i}": {"cluster": ["monitor"], "indices": [{"names": ["a*"], "privileges": ["read"]}]}
        for i in range(n)}}, method)),
    ("names of indices", 1000, post(path, lambda n: {"name": "k", "role_descriptors": {"r": {
        "indices": [{"names": [f"i{i}*" for i in range(n)], "privileges": ["read"]}]}}}, method)),
    ("metadata", 1000, post(path, lambda n: {"name": "k", "metadata": {
        f"m{i}": i for i in range(n)}}, method))]


def policy(n):
    return {"Version": "2012-10-17", "Statement": [{
        "Sid": f"s{i}", "Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:*a*b*c*"],
        "Resource": f"arn:aws:s3:::cost/*{i}*x*"} for i in range(n)]}


# The platform, by operation.
ROUTES = {
    "search": SEARCH,
    "count": [("clauses", 300, post("/books/_count", lambda n: {"query": {"bool": {"should": [
        {"term": {"tag": f"t{i}"}} for i in range(n)]}}}))],
    "explain": [
        ("clauses", 300, post("/books/_explain/1", lambda n: {"query": {"bool": {"should": [
            {"term": {"tag": f"t{i}"}} for i in range(n)]}}})),
        ("words", 500, post("/books/_explain/1", lambda n: {"query": {"match": {"text": words(n)}}})),
        ("words of a phrase", 300,
         post("/books/_explain/1", lambda n: {"query": {"match_phrase": {"text": words(n)}}}))],
    "msearch": [("searches", 50, lines("/books/_msearch", lambda n: [
        line for i in range(n) for line in ({}, {"query": {"match": {"text": f"w{i}"}}})]))],
    "msearch_template": [("searches", 50, lines("/books/_msearch/template", lambda n: [
        line for i in range(n) for line in (
            {}, {"source": {"query": {"match": {"text": "{{w}}"}}}, "params": {"w": f"w{i}"}})]))],
    "search_template": [
        ("values of a list", 300, post("/books/_search/template", lambda n: {
            "source": "{\"query\": {\"terms\": {\"tag\": {{#toJson}}tags{{/toJson}}}}}",
            "params": {"tags": [f"t{i}" for i in range(n)]}})),
        ("sections within each other", 10, post("/books/_search/template", lambda n: {
            "source": "{{#a}}" * n + "{}" + "{{/a}}" * n, "params": {"a": True}}))],
    "render_search_template": [
        ("places", 1000, post("/_render/template", lambda n: {
            "source": "{\"a\": \"" + "{{x}}" * n + "\"}", "params": {"x": 1}})),
        ("values", 1000, post("/_render/template", lambda n: {
            "source": "{\"a\": [{{#x}}{{.}},{{/x}}0]}", "params": {"x": list(range(n))}}))],
    "put_script": [("places", 1000, put("/_scripts/cost", lambda n: {
        "script": {"lang": "mustache", "source": "{{x}}" * n}}))],
    "rank_eval": [
        ("searches", 50, post("/books/_rank_eval", lambda n: {
            "requests": [{"id": f"r{i}", "request": {"query": {"match": {"text": f"w{i}"}}},
                          "ratings": []} for i in range(n)], "metric": {"precision": {}}})),
        ("ratings", 1000, post("/books/_rank_eval", lambda n: {
            "requests": [{"id": "r", "request": {}, "ratings": [
                {"_index": "books", "_id": str(i), "rating": 1} for i in range(n)]}],
            "metric": {"dcg": {"normalize": True}}}))],
    "mget": [
        ("documents", 500, post("/books/_mget", lambda n: {"ids": [str(i) for i in range(n)]})),
        ("one document over and over", 500, post("/books/_mget", lambda n: {"ids": ["1"] * n}))],
    "bulk": [
        ("documents", 200, lines("/bulk/_bulk", lambda n: [
            line for i in range(n) for line in ({"index": {"_id": str(i)}}, {"text": words(20), "n": i})])),
        ("one document over and over", 200, lines("/bulk/_bulk", lambda n: [
            line for i in range(n) for line in ({"index": {"_id": "1"}}, {"text": "a", "n": i})])),
        ("new fields by many documents", 200, lines("/wide/_bulk", lambda n: [
            line for i in range(n) for line in ({"index": {}}, {f"f{i}": i})])),
        ("deletions", 500, lines("/bulk/_bulk", lambda n: [
            {"delete": {"_id": f"none{i}"}} for i in range(n)]))],
    "index": [
        ("a long text", 20_000, put("/bulk/_doc/long", lambda n: {"text": words(n)})),
        ("new fields", 2000, put("/wide/_doc/1", lambda n: {f"f{i}": i for i in range(n)})),
        ("dots of a name", 2000, put("/wide/_doc/1", lambda n: {".".join(["a"] * n): 1})),
        ("a long name", 50_000, put("/wide/_doc/1", lambda n: {"a" * n: 1})),
        ("depth", 2000, lambda n: ("PUT", "/wide/_doc/1", '{"a":' * n + "1" + "}" * n, JSON)),
        ("values of a field", 5000, put("/bulk/_doc/many", lambda n: {"tag": [f"t{i}" for i in range(n)]})),
        ("objects of a field", 5000, put("/wide/_doc/many", lambda n: {"o": [{"p": i} for i in range(n)]})),
        ("texts to embed", 100, put("/books/_doc/cost", lambda n: {"meaning": [words(20)] * n})),
        ("tokens of a sparse vector", 2000, put("/books/_doc/cost", lambda n: {
            "sparse": {f"t{i}": 1.0 for i in range(n)}}))],
    "create": [("a long text", 20_000,
                lambda n: ("PUT", f"/bulk/_create/c{n}", json.dumps({"text": words(n)}), JSON))],
    "update": [("a partial document", 2000, post("/bulk/_update/1", lambda n: {
        "doc": {"tag": [f"t{i}" for i in range(n)]}, "doc_as_upsert": True}))],
    "graphql": [
        ("fields", 200, graphql(lambda n: "{" + "".join(f" a{i % 150}: __typename" for i in range(n)) + "}")),
        ("nesting", 5, graphql(lambda n: nested(n, "a", lambda inner: f"a {{ {inner} }}"))),
        ("open braces", 1000, graphql(lambda n: "{ a " * n)),
        ("open lists", 1000, graphql(lambda n: "{ a(b: " + "[" * n)),
        ("tokens", 2000, graphql(lambda n: "{" + " a" * n + "}")),
        ("letters of a name", 20_000, graphql(lambda n: "{ " + "a" * n + " }")),
        ("letters of a string", 20_000, graphql(lambda n: "{ a(b: \"" + "é" * n + "\") }")),
        ("comments", 5000, graphql(lambda n: "# c\n" * n + "{ __typename }")),
        ("operations", 500, graphql(lambda n: "".join(f"query A{i} {{ __typename }} " for i in range(n)))),
        ("fragments in a row", 200, graphql(lambda n: "{ ...F0 }" + "".join(
            f" fragment F{i} on Query {{ __typename ...F{i + 1} }}" for i in range(n)))),
        ("fragments twice in each other", 5, graphql(lambda n: "{ viewer { ...F0 } }" + "".join(
            f" fragment F{i} on Viewer {{ a{i}: __typename ...F{i + 1} ...F{i + 1} }}" for i in range(n))
            + f" fragment F{n} on Viewer {{ username }}")),
        ("fields to merge", 100, graphql(lambda n: "{" + " viewer { username }" * n + "}")),
        ("variables", 500, graphql(lambda n: "query (" + "".join(f" $v{i}: Int" for i in range(n))
                                   + ") { __typename }")),
        ("values of a variable", 5000, lambda n: ("POST", "/graphql", json.dumps(
            {"query": "query ($v: [String!]) { search(index: $v, first: 0) { took } }",
             "variables": {"v": [None] * n}}), JSON)),
        ("types asked for", 5, graphql(lambda n: "{ __schema { types { " + nested(
            n, "name", lambda inner: f"fields {{ type {{ {inner} }} }}") + " } } }")),
        ("requests of a list", 5, post("/graphql", lambda n: [{"query": "{ __typename }"}] * n))],
    "indices.analyze": [
        ("words", 10_000, post("/_analyze", lambda n: {"text": words(n)})),
        ("letters of one word", 50_000, post("/_analyze", lambda n: {"text": "x" * n})),
        ("texts", 1000, post("/_analyze", lambda n: {"text": ["a b"] * n})),
        ("markup", 10_000, post("/_analyze", lambda n: {
            "char_filter": ["html_strip"], "tokenizer": "standard", "text": "<b>a&amp;</b>" * n})),
        ("open markup", 10_000, post("/_analyze", lambda n: {
            "char_filter": ["html_strip"], "tokenizer": "standard", "text": "<a " * n}))],
    "indices.create": [
        ("fields", 500, lambda n: ("PUT", f"/made{n}", json.dumps(
            {"mappings": {"properties": {f"f{i}": {"type": "keyword"} for i in range(n)}}}), JSON)),
        ("depth", 500, lambda n: ("PUT", f"/deep{n}", '{"mappings":' + '{"properties":{"a":' * n +
                                  '{"type":"long"}' + "}}" * n + "}", JSON)),
        ("stop words", 2000, lambda n: ("PUT", f"/stop{n}", json.dumps({"settings": {"analysis": {
            "filter": {"s": {"type": "stop", "stopwords": [f"w{i}" for i in range(n)]}},
            "analyzer": {"a": {"tokenizer": "standard", "filter": ["s"]}}}}}), JSON)),
        ("aliases", 500, lambda n: ("PUT", f"/alias{n}", json.dumps(
            {"aliases": {f"a{n}-{i}": {} for i in range(n)}}), JSON))],
    "indices.put_mapping": [("fields", 200, put("/wide/_mapping", lambda n: {
        "properties": {f"m{i}": {"type": "long"} for i in range(n)}}))],
    "indices.put_settings": [("settings", 500, put("/wide/_settings", lambda n: {
        f"s{i}": 1 for i in range(n)}))],
    "inference.inference": [
        ("texts", 50, post("/_inference/.cairn-dense", lambda n: {"input": ["w1 w2 w3"] * n})),
        ("words of a text", 5000, post("/_inference/.cairn-dense", lambda n: {"input": words(n)}))],
    "inference.text_embedding": [
        ("texts", 50, post("/_inference/text_embedding/.cairn-dense", lambda n: {"input": ["w1"] * n})),
        ("letters of a word", 20_000,
         post("/_inference/text_embedding/.cairn-dense", lambda n: {"input": "x" * n}))],
    "inference.sparse_embedding": [
        ("words of a text", 5000,
         post("/_inference/sparse_embedding/.cairn-sparse", lambda n: {"input": words(n)}))],
    # Prompts beyond the model's window are refused once their tokens are counted.
    "inference.stream_completion": [
        ("words", 1000, post("/_inference/completion/cost-completion/_stream", lambda n: {
            "input": words(n), "task_settings": {"max_completion_tokens": 1}})),
        ("messages", 300, post("/_inference/chat_completion/cost-chat_completion/_stream",
                               lambda n: {"messages": [{"role": "user", "content": "w8"}] * n,
                                          "max_completion_tokens": 1})),
        ("stop strings", 500, post("/_inference/completion/cost-completion/_stream", lambda n: {
            "input": "w8", "task_settings": {"stop": [f"s{i}" for i in range(n)]}}))],
    "openai.chat_completions": [
        ("messages", 300, post("/v1/chat/completions", lambda n: {
            "model": "cost-chat_completion", "max_tokens": 1,
            "messages": [{"role": "user", "content": "w8"}] * n})),
        ("parts of a message", 500, post("/v1/chat/completions", lambda n: {
            "model": "cost-chat_completion", "max_tokens": 1, "messages": [
                {"role": "user", "content": [{"type": "text", "text": "w8"}] * n}]})),
        ("tools", 100, post("/v1/chat/completions", lambda n: {
            "model": "cost-chat_completion", "max_tokens": 1,
            "messages": [{"role": "user", "content": "w8"}],
            "tools": [{"type": "function", "function": {"name": f"f{i}"}} for i in range(n)]})),
        ("biases", 500, post("/v1/chat/completions", lambda n: {
            "model": "cost-chat_completion", "max_tokens": 1,
            "messages": [{"role": "user", "content": "w8"}],
            "logit_bias": {str(i): 1 for i in range(n)}})),
        ("template arguments", 500, post("/v1/chat/completions", lambda n: {
            "model": "cost-chat_completion", "max_tokens": 1,
            "messages": [{"role": "user", "content": "w8"}],
            "chat_template_kwargs": {f"a{i}": 1 for i in range(n)}}))],
    "openai.completions": [
        ("words", 1000, post("/v1/completions", lambda n: {
            "model": "cost-completion", "max_tokens": 1, "prompt": words(n)}))],
    "openai.embeddings": [
        ("texts", 50, post("/v1/embeddings", lambda n: {
            "model": ".cairn-dense", "input": ["w1 w2 w3"] * n})),
        ("words of a text", 5000, post("/v1/embeddings", lambda n: {
            "model": ".cairn-dense", "input": words(n)}))],
    "inference.rerank": [
        ("documents", 50, post("/_inference/rerank/.cairn-rerank",
                               lambda n: {"query": "w1", "input": [words(10)] * n})),
        ("words of the question", 2000, post("/_inference/rerank/.cairn-rerank",
                                             lambda n: {"query": words(n), "input": ["w1 w2"]}))],
    "inference.put": [("settings", 1000, put("/_inference/text_embedding/cost", lambda n: {
        "service": "cairn", "service_settings": {f"s{i}": 1 for i in range(n)}}))],
    "cairn.begin_model_import": [("files", 200, put("/_cairn/models/cost", lambda n: {
        "files": [{"name": name, "size_bytes": 1, "sha256": "0" * 64}
                  for name in ["config.json", *(f"f{i}" for i in range(n))]]}))],
    "inference.update": [("settings", 1000, put("/_inference/.cairn-dense/_update", lambda n: {
        "service_settings": {f"s{i}": 1 for i in range(n)}}))],
    "async_search.submit": [("clauses", 300, post(
        "/bulk/_async_search?wait_for_completion_timeout=60s", lambda n: {"query": {"bool": {
            "must": [{"term": {"tag": f"none{i}"}} for i in range(n)]}}}))],
    "delete_by_query": [
        ("clauses", 300, post("/bulk/_delete_by_query?conflicts=proceed", lambda n: {
            "query": {"bool": {"must": [{"term": {"tag": f"none{i}"}} for i in range(n)]}}}))],
    "update_by_query": [
        ("clauses", 300, post("/bulk/_update_by_query?conflicts=proceed", lambda n: {
            "query": {"bool": {"must": [{"term": {"tag": f"none{i}"}} for i in range(n)]}}})),
        ("sort keys", 100, post("/bulk/_update_by_query?conflicts=proceed&terminate_after=1&max_docs=1", lambda n: {
            "sort": [{"tag": "asc"}] * n}))],
    "reindex": [
        ("indices", 500, post("/_reindex", lambda n: {
            "source": {"index": [f"none{i}" for i in range(n)]}, "dest": {"index": "copied"}})),
        ("clauses", 300, post("/_reindex", lambda n: {
            "source": {"index": "bulk", "query": {"bool": {"must": [
                {"term": {"tag": f"none{i}"}} for i in range(n)]}}}, "dest": {"index": "copied"}})),
        ("patterns of _source", 500, post("/_reindex", lambda n: {
            "source": {"index": "bulk", "_source": [f"f{i}" for i in range(n)],
                       "query": {"ids": {"values": ["1"]}}}, "dest": {"index": "copied"}}))],
    "field_caps": [("names", 200, post("/bulk/_field_caps", lambda n: {
                       "fields": [f"f{i}" for i in range(n)]})),
                   ("patterns", 200, post("/bulk/_field_caps", lambda n: {
                       "fields": [f"*f{i}*" for i in range(n)]})),
                   ("a long pattern", 2000, post("/bulk/_field_caps", lambda n: {
                       "fields": ["*a" * n]}))],
    "indices.get_field_mapping": [("patterns", 200, lambda n: (
        "GET", "/bulk/_mapping/field/" + ",".join(f"*f{i}" for i in range(n)), None, JSON))],
    "tasks.list": NAMES,
    "tasks.get": NAMES,
    "tasks.cancel": NAMES,
    "delete_by_query_rethrottle": NAMES,
    "update_by_query_rethrottle": NAMES,
    "reindex_rethrottle": NAMES,
    "scroll": [("a long id", 5000, post("/_search/scroll", lambda n: {"scroll_id": "a" * n}))],
    "clear_scroll": [("ids", 200, post("/_search/scroll", lambda n: {
        "scroll_id": [f"{i:032d}" for i in range(n)]}, "DELETE"))],
    "close_point_in_time": [("a long id", 5000, post("/_pit", lambda n: {"id": "a" * n}, "DELETE"))],
    "security.create_api_key": BODIES_OF_KEYS("/_security/api_key", "POST"),
    "security.update_api_key": BODIES_OF_KEYS("/_security/api_key/none", "PUT"),
    "security.rotate_api_key": [("fields", 1000, post("/_security/api_key/none/_rotate", lambda n: {
        f"f{i}": 1 for i in range(n)}))],
    "snapshot.status": [("names", 500, lambda n: ("GET", "/_snapshot/missing/" + ",".join(
        f"s{i}" for i in range(n)) + "/_status", None, JSON))],
    "cairn.get_settings": NAMES,
    "cairn.reload_settings": NAMES,
    "security.disable_api_key": NAMES,
    "security.enable_api_key": NAMES,
    "security.query_api_keys": [("clauses", 300, post("/_security/_query/api_key", lambda n: {
        "query": {"bool": {"should": [{"term": {"name": f"k{i}"}} for i in range(n)]}}}))],
    "sessions.begin": [("a long key", 2_000, post("/_cairn/sessions", lambda n: {"api_key": "A" * n}))],
    "sessions.get_current": NAMES,
    "sessions.end_current": NAMES,
    "sessions.list": NAMES,
    "sessions.end": NAMES,
    "sessions.make_link": NAMES,
    "sessions.providers": NAMES,
    "sessions.begin_at_issuer": NAMES,
    "sessions.end_at_issuer": NAMES,
    "indices.put_alias": [
        ("a long filter", 100, put("/books/_alias/cost", lambda n: {
            "filter": {"terms": {"title": [f"w{i}" for i in range(n)]}}})),
        ("a deep filter", 5, put("/books/_alias/cost", lambda n: {
            "filter": nested(n, {"match_all": {}}, lambda q: {"bool": {"must": [q]}})}))],
    "cluster.put_settings": [("notes", 250, put("/_cluster/settings", lambda n: {
        "transient": {f"cluster.metadata.n{i}": "a" for i in range(n)}}))],
    "indices.update_aliases": [
        ("actions", 100, post("/_aliases", lambda n: {
            "actions": [{"add": {"index": "books", "alias": f"cost{i}"}} for i in range(n)]})),
        ("names of aliases", 200, post("/_aliases", lambda n: {
            "actions": [{"add": {"index": "books", "aliases": [f"cost{i}" for i in range(n)]}}]})),
        ("patterns", 100, post("/_aliases", lambda n: {
            "actions": [{"remove": {"index": "books", "aliases": [f"*{i}*" for i in range(n)]}}]}))],
    "cluster.reroute": [("commands", 500, post("/_cluster/reroute?explain=true", lambda n: {
        "commands": [{"cancel": {"index": "books", "shard": 0, "node": "cairn-1"}}] * n}))],
    "cluster.put_component_template": [
        ("fields", 300, put("/_component_template/cost", lambda n: {"template": {
            "mappings": {"properties": {f"f{i}": {"type": "long"} for i in range(min(n, 1000))}}}})),
        ("aliases", 200, put("/_component_template/cost", lambda n: {
            "template": {"aliases": {f"a{i}": {} for i in range(n)}}}))],
    "indices.put_index_template": [
        ("patterns", 25, put("/_index_template/cost", lambda n: {
            "index_patterns": [f"cost{i}-*" for i in range(n)]})),
        ("components", 25, put("/_index_template/cost", lambda n: {
            "index_patterns": ["cost-*"], "composed_of": [f"c{i}" for i in range(n)]})),
        ("pieces of a path", 2000, put("/_index_template/cost", lambda n: {
            "index_patterns": ["cost-*"],
            "template": {"mappings": {"properties": {"a." * n + "a": {"type": "long"}}}}})),
        ("rules", 200, put("/_index_template/cost", lambda n: {
            "index_patterns": ["cost-*"], "template": {"mappings": {"dynamic_templates": [
                {f"r{i}": {"match": f"x{i}", "mapping": {"type": "long"}}} for i in range(n)]}}}))],
    "indices.simulate_index_template": [
        ("fields", 200, post("/_index_template/_simulate_index/cost-1", lambda n: {
            "index_patterns": ["cost-*"], "priority": 9, "template": {"mappings": {
                "properties": {f"f{i}": {"type": "long"} for i in range(min(n, 1000))}}}}))],
    "indices.simulate_template": [
        ("settings", 300, post("/_index_template/_simulate", lambda n: {
            "index_patterns": ["cost-*"], "template": {"settings": {f"s{i}": 1 for i in range(n)}}}))],
    "indices.modify_data_stream": [
        ("actions", 200, post("/_data_stream/_modify", lambda n: {"actions": [
            {"add_backing_index": {"data_stream": f"none{i}", "index": "books"}} for i in range(n)]}))],
    "terms_enum": [("letters", 5000, post("/books/_terms_enum", lambda n: {
        "field": "title", "string": "a" * n, "case_insensitive": True}))],
    "indices.validate_query": [
        ("clauses", 300, post("/books/_validate/query?explain=true", lambda n: {
            "query": {"bool": {"should": [{"term": {"title": f"w{i}"}} for i in range(n)]}}})),
        ("depth", 5, post("/books/_validate/query", lambda n: {
            "query": nested(n, {"match_all": {}}, lambda q: {"bool": {"must": [q]}})}))],
    "indices.rollover": [
        ("aliases", 200, post("/nothing/_rollover", lambda n: {
            "aliases": {f"a{i}": {} for i in range(n)}})),
        ("conditions", 500, post("/nothing/_rollover", lambda n: {
            "conditions": {f"max_{i}": 1 for i in range(n)}}))],
    "security.has_privileges": [("indices", 500, post("/_security/user/_has_privileges", lambda n: {
        "index": [{"names": [f"i{i}" for i in range(n)], "privileges": ["read", "write"]}]}))],
    "security.create_object_key": [("policy", 100, post("/_security/object_key", lambda n: {
        "name": "k", "policy": policy(n)}))],
    "security.disable_object_key": NAMES,
    "security.enable_object_key": NAMES,
    "security.update_object_key": [("policy", 100, put("/_security/object_key/none", lambda n: {
        "policy": policy(n)}))],
    "security.create_object_account": [("a long name", 50_000, post(
        "/_security/object_account", lambda n: {"name": "a" * n}))],
    "security.put_object_user": [("policy", 100, put("/_security/object_account/none/user/u", lambda n: {
        "policies": {"p": policy(n)}}))],
    "security.create_encryption_key": [("a description", 50_000, post(
        "/_security/encryption_key", lambda n: {"description": "a" * n}))],
    "security.update_encryption_key": [("a description", 50_000, post(
        "/_security/encryption_key/none", lambda n: {"description": "a" * n}, "PUT"))],
    "connector.put": [("a description", 50_000, lambda n: ("PUT", "/_connector/cost", json.dumps(
        {"index_name": "synced", "name": "n", "service_type": "directory", "description": "d" * n}), JSON))],
    "connector.post": [("a name", 50_000, post("/_connector", lambda n: {"name": "a" * n}))],
    "connector.update_configuration": [("values", 1000, put("/_connector/cost/_configuration", lambda n: {
        "values": {f"v{i}": 1 for i in range(n)}}))],
    "connector.update_scheduling": [("a cron expression", 5000, put(
        "/_connector/cost/_scheduling",
        lambda n: {"scheduling": {"full": {"enabled": True, "interval": "0 " + ",".join(["1"] * n) + " * * * ?"}}}))],
    "connector.update_filtering": [("rules", 250, put("/_connector/cost/_filtering", lambda n: {
        "rules": [{"id": f"r{i}", "field": "f", "rule": "equals", "value": "v", "policy": "exclude",
                   "order": n - i} for i in range(n)]}))],
    "connector.update_filtering_validation": [("errors", 1000, put(
        "/_connector/cost/_filtering/_validation", lambda n: {"validation": {
            "state": "invalid", "errors": [{"ids": ["a"], "messages": ["m"]}] * n}}))],
    "cairn.simulate_policy": [
        ("requests", 10, post("/_cairn/buckets/cost/_simulate", lambda n: {"requests": [
            {"principal": "*", "action": "s3:GetObject", "key": "k1"}] * n})),
        ("conditions", 10, post("/_cairn/buckets/cost/_simulate", lambda n: {"requests": [
            {"principal": "*", "action": "s3:PutObject", "key": "k1",
             "context": {f"s3:RequestObjectTag/t{i}": "v" for i in range(n)}}]})),
        ("statements", 20, post("/_cairn/buckets/cost/_simulate", lambda n: {"policy": policy(n), "requests": [
            {"principal": "*", "action": "s3:GetObject", "key": "k1"}]}))],
    "connector.event": [("records", 2000, post("/_connector/events/_event", lambda n: {"Records": [
        {"s3": {"bucket": {"name": ""}, "object": {"key": f"k{i}"}}} for i in range(n)]}))],
    "connector.event_by_key": [("a key", 50_000, lambda n: (
        "POST", "/_connector/events/_event/_by_key?api_key=" + "a" * min(n, 60_000), json.dumps({"Records": []}), JSON))],
    "connector.secret_post": [("a value", 50_000, post("/_connector/_secret",
                                                       lambda n: {"value": "s" * n}))],
    "connector.secret_put": [("a value", 50_000, put("/_connector/_secret/cost",
                                                     lambda n: {"value": "s" * n}))],
    "connector.update_error": [("a message", 50_000, put("/_connector/cost/_error",
                                                        lambda n: {"error": "e" * n}))],
    "snapshot.create": [("indices", 1000, put("/_snapshot/cost/s?wait_for_completion=true", lambda n: {
        "indices": ",".join(f"none{i}" for i in range(n))}))],
    "snapshot.create_repository": [("settings", 1000, put("/_snapshot/cost", lambda n: {
        "type": "fs", "settings": {"location": "made", **{f"s{i}": 1 for i in range(n)}}}))],
    "snapshot.restore": [("indices", 1000, post("/_snapshot/cost/s/_restore", lambda n: {
        "indices": ",".join(f"none{i}" for i in range(n))}))],
    "console.search_page_search": [
        ("words", 100, post("/search/books/_search", lambda n: {"words": words(n)[:1000]})),
        ("a word", 500, post("/search/books/_search", lambda n: {"words": "w" * n}))],
    "lfs.batch": [("objects", 50, lambda n: (
        "POST", "/_lfs/cost/objects/batch", json.dumps({"operation": "upload", "transfers": ["basic"], "objects": [
            {"oid": f"{i:064x}", "size": 1} for i in range(n)]}), "application/vnd.git-lfs+json"))],
}

# Operations whose body is small and read strictly: complexity_test.py sends those that any JSON
# route might get (unknown members, a long string, depth).
SMALL_BODIES = """
connector.check_in connector.dry_run connector.last_sync connector.pause connector.preview connector.resume connector.sync_job_cancel connector.sync_job_check_in
connector.sync_job_claim connector.sync_job_complete connector.sync_job_error connector.sync_job_post
connector.sync_job_update_stats connector.test connector.update_active_filtering connector.update_api_key_id connector.update_features connector.update_index_name
connector.update_name connector.update_native connector.update_pipeline
connector.update_service_type connector.update_status open_point_in_time indices.clear_cache indices.flush indices.forcemerge
indices.refresh indices.reload_search_analyzers cluster.allocation_explain lfs.lock lfs.unlock lfs.verify lfs.verify_locks security.create_token security.end_token security.grant_application cairn.check_limits cairn.create_backup cairn.drain_node cairn.fill_mirror cairn.leave_mirror cairn.resume_node cairn.rotate_master_key cairn.ship_audit cairn.test_messages cairn.presign_object cairn.finish_model_import cairn.put_model_piece ml.start_trained_model_deployment
ml.stop_trained_model_deployment ml.update_trained_model_deployment snapshot.cleanup_repository
snapshot.verify_repository indices.create_data_stream indices.migrate_to_data_stream indices.add_block indices.remove_block indices.close indices.open indices.clone indices.shrink indices.split
""".split()

# Operations that take names only.
NAMES_ONLY = """
async_search.delete async_search.get async_search.status delete_script get_script get_script_context get_script_languages
console.file console.page console.search_file console.search_page console.search_page_facts cairn.events cairn.history cairn.pass_objects
cairn.authorize_limits cairn.backups cairn.cancel_backup cairn.drop_model_import cairn.explain_limits cairn.limit_rules cairn.limited_identities cairn.mirror cairn.top_limits security.get_application_grants security.revoke_application cairn.export_audit cairn.folders cairn.get_audit_key cairn.get_audit_shipping cairn.get_messages cairn.search_audit cairn.get_identity_limits cairn.get_limits cairn.reset_limits cairn.routes capabilities cat.aliases cat.allocation cat.circuit_breaker cat.component_templates cat.count cat.fielddata cat.health cat.help cat.indices cat.master
cat.nodeattrs cat.nodes cat.pending_tasks cat.plugins cat.recovery cat.repositories cat.segments cat.shards cat.snapshots cat.tasks cat.templates cat.thread_pool
cluster.delete_component_template cluster.exists_component_template cluster.get_component_template cluster.get_settings cluster.health cluster.info cluster.pending_tasks cluster.remote_info cluster.state cluster.stats indices.recovery connector.delete connector.get connector.list connector.problems connector.secret_delete connector.secret_get connector.sync_job_delete
connector.sync_job_get connector.sync_job_list delete docs.rate_limits get get_source health.live
health.ready health.startup health_report indices.data_streams_stats indices.delete indices.delete_data_stream indices.delete_index_template indices.exists_index_template indices.get indices.get_data_stream indices.get_index_template indices.delete_alias indices.exists_alias indices.get_alias indices.get_mapping
indices.get_settings indices.resolve_cluster indices.resolve_index indices.segments indices.shard_stores indices.stats inference.delete inference.get inference.get_services info
lfs.list_locks license.get metrics ml.delete_trained_model ml.get_trained_models ml.get_trained_models_stats nodes.hot_threads nodes.info nodes.stats nodes.usage
openai.get_model openai.list_models openapi rate_limit.get search_shards security.authenticate security.delete_object_user
security.delete_object_user_policy security.get_api_key security.get_builtin_privileges
security.get_encryption_keys security.get_object_accounts security.get_object_keys
security.delete_object_key security.invalidate_api_key snapshot.delete snapshot.delete_repository
snapshot.get snapshot.get_repository snapshot.status xpack.info
""".split()


def tags(n):
    return "<Tagging><TagSet>" + "".join(
        f"<Tag><Key>k{i}</Key><Value>v</Value></Tag>" for i in range(n)) + "</TagSet></Tagging>"


def grants(n):
    grant = ("<Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
             "xsi:type=\"CanonicalUser\"><ID>x</ID></Grantee><Permission>READ</Permission></Grant>")
    return ("<AccessControlPolicy><Owner><ID>x</ID></Owner><AccessControlList>" + grant * n +
            "</AccessControlList></AccessControlPolicy>")


# The object storage, by operation. `cost` is a bucket that is there.
OBJECTS = {
    "DeleteObjects": [("keys", 200, xml("POST", "/cost?delete=", lambda n: "<Delete>" + "".join(
        f"<Object><Key>k{i}</Key></Object>" for i in range(n)) + "</Delete>"))],
    "CompleteMultipartUpload": [("parts", 2000, xml(
        "POST", "/cost/none?uploadId=none", lambda n: "<CompleteMultipartUpload>" + "".join(
            f"<Part><PartNumber>{i + 1}</PartNumber><ETag>x</ETag></Part>" for i in range(n)) +
        "</CompleteMultipartUpload>"))],
    "PutBucketTagging": [("tags", 1000, xml("PUT", "/cost?tagging=", tags))],
    "PutObjectTagging": [("tags", 1000, xml("PUT", "/cost/k1?tagging=", tags))],
    "PutBucketAcl": [("grants", 500, xml("PUT", "/cost?acl=", grants))],
    "PutObjectAcl": [("grants", 500, xml("PUT", "/cost/k1?acl=", grants))],
    "PutBucketCors": [
        ("rules", 500, xml("PUT", "/cost?cors=", lambda n: "<CORSConfiguration>" +
         "<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>" * n +
         "</CORSConfiguration>"))],
    "PutBucketLifecycleConfiguration": [("rules", 500, xml(
        "PUT", "/cost?lifecycle=", lambda n: "<LifecycleConfiguration>" + "".join(
            f"<Rule><ID>r{i}</ID><Filter><Prefix>p{i}</Prefix></Filter><Status>Enabled</Status>"
            "<Expiration><Days>1</Days></Expiration></Rule>" for i in range(n)) +
        "</LifecycleConfiguration>"))],
    "PutBucketPolicy": [("statements", 50, put("/cost?policy=", policy))],
    "PutBucketEncryption": [("rules", 1000, xml(
        "PUT", "/cost?encryption=", lambda n: "<ServerSideEncryptionConfiguration>" +
        "<Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>"
        "</ApplyServerSideEncryptionByDefault></Rule>" * n + "</ServerSideEncryptionConfiguration>"))],
    # "{account}" is that of who asks; the access point is made before.
    "CreateAccessPoint": [("tags", 1000, lambda n: (
        "PUT", "/v20180820/accesspoint/made", "<CreateAccessPointRequest><Bucket>cost</Bucket><Tags>" +
        "<Tag><Key>k</Key><Value>v</Value></Tag>" * n + "</Tags></CreateAccessPointRequest>", XML,
        {"x-amz-account-id": "{account}"}))],
    "PutAccessPointPolicy": [("statements", 50, lambda n: (
        "PUT", "/v20180820/accesspoint/cost/policy", "<PutAccessPointPolicyRequest><Policy>" +
        json.dumps(policy(n)).replace("arn:aws:s3:::cost/", "arn:aws:s3:us-east-1:{account}:accesspoint/cost/object/") +
        "</Policy></PutAccessPointPolicyRequest>", XML, {"x-amz-account-id": "{account}"}))],
    "CreateOutpostBucket": [("bytes of the outpost", 500, lambda n: (
        "PUT", "/v20180820/bucket/made", None, None,
        {"x-amz-account-id": "{account}", "x-amz-outpost-id": "o" * n}))],
    "PutAccessPointScope": [("permissions", 1000, lambda n: (
        "PUT", "/v20180820/accesspoint/cost/scope", "<PutAccessPointScopeRequest><Scope><Permissions>" +
        "<Permission>GetObject</Permission>" * n + "</Permissions></Scope></PutAccessPointScopeRequest>",
        XML, {"x-amz-account-id": "{account}"}))],
    "ListAccessPoints": [("a page", 100, lambda n: (
        "GET", f"/v20180820/accesspoint?maxResults={n}", None, None, {"x-amz-account-id": "{account}"}))],
    "CreateAccessGrantsInstance": [("tags", 1000, lambda n: control(
        "POST", "instance", "", "<Tags>" + TAG * n + "</Tags>"))],
    "CreateAccessGrantsLocation": [
        ("tags", 1000, lambda n: control("POST", "location", "/location", LOCATION.format("a") +
                                         "<Tags>" + TAG * n + "</Tags>")),
        ("bytes of the scope", 500, lambda n: control(
            "POST", "location", "/location", LOCATION.format("a" * n)))],
    "UpdateAccessGrantsLocation": [("bytes of the role", 500, lambda n: control(
        "PUT", "location", "/location/none", "<IAMRoleArn>" + "r" * n + "</IAMRoleArn>", "Update"))],
    "CreateAccessGrant": [
        ("tags", 1000, lambda n: control("POST", "", "/grant", GRANT.format("a", "g") +
                                         "<Tags>" + TAG * n + "</Tags>")),
        ("bytes of the prefix", 500, lambda n: control("POST", "", "/grant", GRANT.format("a" * n, "g"))),
        ("bytes of the grantee", 500, lambda n: control("POST", "", "/grant",
                                                        GRANT.format("a", "g" * n)))],
    "CreateBucket": [("tags", 1000, xml(
        "PUT", "/cost-made", lambda n: "<CreateBucketConfiguration><Tags>" + "".join(
            f"<Tag><Key>k{i}</Key><Value>v</Value></Tag>" for i in range(n)) +
        "</Tags></CreateBucketConfiguration>"))],
    "PutObject": [("bytes", 100_000, lambda n: ("PUT", "/cost/big", "x" * n, "text/plain")),
                  ("bytes of metadata", 500, lambda n: ("PUT", "/cost/meta", "x", "text/plain",
                                                        {f"x-amz-meta-{i}": "v" for i in range(n // 50)}))],
    "RenameObject": [("bytes of the source", 500, lambda n: (
        "PUT", "/cost/new?renameObject=", None, None, {"x-amz-rename-source": "k" * n}))],
    "UploadPart": [("bytes", 100_000,
                    lambda n: ("PUT", "/cost/big?partNumber=1&uploadId=none", "x" * n, "text/plain"))],
    "ListObjects": [("keys", 100, lambda n: ("GET", f"/cost?max-keys={n}", None, None)),
                    ("a delimiter", 1000, lambda n: ("GET", "/cost?delimiter=" + "k" * n, None, None))],
    "ListObjectsV2": [("keys", 100, lambda n: ("GET", f"/cost?list-type=2&max-keys={n}", None, None))],
    "ListObjectVersions": [("keys", 100, lambda n: ("GET", f"/cost?versions=&max-keys={n}", None, None))],
}

# Documents of a fixed shape: read strictly, and one member or one element of them made large.
SMALL_DOCUMENTS = """
PutBucketVersioning PutBucketOwnershipControls PutPublicAccessBlock PutObjectLockConfiguration
PutBucketRequestPayment PutBucketAccelerateConfiguration PutBucketLogging
PutBucketNotificationConfiguration RestoreObject PutObjectRetention PutObjectLegalHold PutBucketAbac
CreateBucketMetadataConfiguration UpdateBucketMetadataJournalTableConfiguration
UpdateBucketMetadataInventoryTableConfiguration
""".split()
