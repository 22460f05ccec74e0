#!/usr/bin/env python3
"""GET /_openapi.json: a document by the rules of OpenAPI 3.1 that says what every row takes and
answers, sends each of its examples, and is right about what comes back. The scripts of tests/api check
all of their answers against it too (run.py).

    openapi_test.py CAIRN
"""

import json
import os
import re
import shutil
import sys
import urllib.parse

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402
from described import Described  # noqa: E402

BYTES_MAX = 4 << 20

# What a path of an example stands for, where any name will not do.
NAMES = {"index": "books", "inference_id": "described", "task_type": "text_embedding",
         "connector_id": "described", "repository": "safe", "snapshot": "one", "id": "1",
         "name": "described", "identity": "user:alice", "context": "template"}
# Examples whose answer needs what no test has at hand; each with the reason.
NOT_SENT = {"inference.rerank": "the endpoint of this test embeds",
            "inference.sparse_embedding": "the endpoint of this test embeds",
            "snapshot.create": "there is no repository here; tests/api/snapshot has one",
            "snapshot.restore": "there is no repository here; tests/api/snapshot has one",
            "connector.update_configuration": "the folder is none of this machine",
            "inference.inference": "needs an endpoint; tests/api/inference has them",
            "inference.text_embedding": "needs an endpoint; tests/api/inference has them",
            "inference.put": "loads a model; tests/api/inference does"}


def ask(server, method, path, body=None):
    """Status, media type, text."""
    connection = server.connect()
    headers = {"Authorization": "ApiKey " + server.key}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method, path, body=body, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers["Content-Type"], text


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def names_in(value):
    """The schemas that a part of the document refers to."""
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(value)))


def check_form(document):
    """By the meta-schema, and each schema by JSON Schema's own."""
    with open(os.path.join(HERE, "../data/openapi/schema-3.1.json"), encoding="utf-8") as file:
        meta = json.load(file)
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(meta).iter_errors(document))
    assert error is None, f"{error.json_path}: {error.message[:300]}"
    for name, schema in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema.get("description", "").endswith((".", ")")), f"{name} has no description"


def check_whole(document):
    """Every row says what it takes and answers, or why not; every name is there, and used."""
    silent, used = [], names_in(document["paths"])
    for method, path, operation in operations(document):
        known = operation["x-cairn"]
        if method == "HEAD" or known.get("undescribed"):
            continue
        if "content" not in operation["responses"]["200"] and \
                not any("content" in r for s, r in operation["responses"].items() if s != "default"):
            silent.append(f"{method} {path}: the answer")
        body = operation.get("requestBody")
        if body:
            for media, content in body["content"].items():
                schema = content["schema"]
                if media.startswith("application/json") and schema == {"type": "object"}:
                    silent.append(f"{method} {path}: the body")
    assert not silent, "not described in src/api/schemas:\n  " + "\n  ".join(silent)
    schemas = document["components"]["schemas"]
    while True:
        more = used | names_in([schemas[name] for name in used])
        if more == used:
            break
        used = more
    assert used == set(schemas), f"unused: {set(schemas) - used}"


def send_examples(server, document, described):
    """Each body that the document shows is taken, and answered as it says."""
    sent = 0
    server.request("PUT", "/books", {"mappings": {"properties": {"title": {"type": "text"},
                                                                 "kind": {"type": "keyword"}}}})
    server.request("PUT", "/books/_doc/1?refresh=true", {"title": "Free memory", "kind": "note"})
    server.request("PUT", "/_connector/described", {"name": "x", "index_name": "described-docs",
                                                    "service_type": "directory"})
    server.request("PUT", "/_connector/handbooks", {"name": "y", "index_name": "handbooks",
                                                    "service_type": "directory"})
    for method, path, operation in operations(document):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        name = operation["x-cairn"]["operation"]
        # With an id in the path a template needs no source, which the example has.
        if "example" not in content or name in NOT_SENT or path == "/_render/template/{id}":
            continue
        names = dict(NAMES)
        if method == "PUT" and path == "/{index}" or "_create" in path:
            names["index"], names["id"] = f"described-{sent}", f"new-{sent}"
        if name == "connector.put":
            names["connector_id"] = f"put-{sent}"
        body = json.dumps(content["example"])
        if name in ("connector.put", "connector.post"):
            body = body.replace('"handbooks"', f'"handbooks-{sent}"')
        if name == "security.create_object_account":
            body = body.replace('"described"', f'"described-{sent}"')
        if name == "indices.put_index_template":
            body = body.replace("described-logs", f"described-logs-{sent}")
        target = re.sub(r"\{(\w+)\}",
                        lambda m: urllib.parse.quote(names.get(m.group(1), "described")), path)
        status, media, text = ask(server, method, target, body)
        assert status < 300, f"{method} {target}: {status} {text[:300]}"
        described.check_request(method, target, body)
        described.check_answer(method, target, status, media, text)
        sent += 1
    assert sent > 20, sent


def look_at_all(server, document, described):
    """Every row that reads without a body and names nothing is asked."""
    asked = 0
    for method, path, operation in operations(document):
        if method != "GET" or operation.get("requestBody", {}).get("required"):
            continue
        names = {"index": "books", "id": "1", "metric": "_all", "target": "_all",
                 "node_id": "_all", "fields": "title", "identity": "user:alice", "name": "_all",
                 "feature": "disk", "connector_id": "described", "repository": "_all",
                 "task_type": "text_embedding", "inference_id": "_all", "model_id": "_all"}
        target = re.sub(r"\{(\w+)\}", lambda m: names.get(m.group(1), "described"), path)
        if path.startswith("/{owner}"):
            continue  # another protocol
        if operation["x-cairn"]["operation"] in ("cairn.events", "cairn.pass_objects"):
            continue  # a stream that does not end; another protocol
        status, media, text = ask(server, method, target)
        described.check_answer(method, target, status, media, text)
        if path.startswith("/_cat/"):
            status, media, text = ask(server, method, target + "?format=json")
            described.check_answer(method, target + "?format=json", status, media, text)
        asked += status < 300
    assert asked > 100, asked


def main():
    server = Cairn(sys.argv[1])
    server.start("--set", "rate_limit.enabled=false")
    try:
        status, _, text = ask(server, "GET", "/_openapi.json")
        assert status == 200 and len(text) < BYTES_MAX, (status, len(text))
        assert ask(server, "GET", "/_openapi.json")[2] == text, "it is rendered once"
        document = json.loads(text)
        check_form(document)
        check_whole(document)
        described = Described(document)
        send_examples(server, document, described)
        look_at_all(server, document, described)
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)
    print("the document is whole, and right")


if __name__ == "__main__":
    main()
