#!/usr/bin/env python3
"""Changes with ?dry_run=true: they tell in numbers what the change then does, have its errors and its
privileges, and change nothing: what can be seen of the server before and after is the same.

    dry_run_test.py CAIRN
"""

import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

# Everything that the tried changes could change.
SEEN = ("/_cluster/state/metadata", "/_aliases", "/_data_stream", "/_cat/indices?format=json",
        "/_connector", "/_connector/_sync_job", "/_security/api_key", "/_snapshot",
        "/_snapshot/safe/_all", "/_index_template", "/_component_template", "/_ml/trained_models",
        "/_inference/_all")


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


class Bench:
    def __init__(self, server):
        self.server = server

    def ask(self, method, path, body=None, status=200):
        got, answer = self.server.request(method, path, body)
        expect(got, status, f"{method} {path} {answer}")
        return answer

    def seen(self):
        seen = {path: self.ask("GET", path) for path in SEEN}
        for key in seen["/_security/api_key"]["api_keys"]:
            key.pop("last_used", None)  # looking is a use
        return seen

    def tried(self, method, path, body=None):
        """What would happen; asks twice, and that nothing has changed."""
        before = self.seen()
        path += ("&" if "?" in path else "?") + "dry_run=true"
        answer = self.ask(method, path, body)
        expect(answer["dry_run"], True, path)
        expect(self.ask(method, path, body), answer, path + " again")
        expect(self.seen(), before, path + " changed something")
        return answer["would"]

    def refused(self, method, path, body=None):
        """The same status and error with and without."""
        dry = self.server.request(method, path + ("&" if "?" in path else "?") + "dry_run=true",
                                  body)
        real = self.server.request(method, path, body)
        assert real[0] >= 400, f"{method} {path} was not refused"
        expect((dry[0], dry[1]["error"]["type"], dry[1]["error"]["reason"]),
               (real[0], real[1]["error"]["type"], real[1]["error"]["reason"]), path)


def fill(bench):
    for index in ("books", "films"):
        bench.ask("PUT", f"/{index}", {"mappings": {"properties": {"title": {"type": "text"}}},
                                       "aliases": {"all": {}, f"only-{index}": {}}})
        for number in range(3):
            bench.ask("PUT", f"/{index}/_doc/{number}", {"title": f"number {number}"}, 201)
        bench.ask("POST", f"/{index}/_flush")
        bench.ask("POST", f"/{index}/_refresh")
    bench.ask("PUT", "/_index_template/logs",
              {"index_patterns": ["logs-*"], "data_stream": {}})
    bench.ask("PUT", "/_data_stream/logs-a")
    bench.ask("PUT", "/_connector/filler", {"index_name": "books", "service_type": "directory"})


def change_indices(bench):
    would = bench.tried("PUT", "/books/_mapping", {"properties": {"pages": {"type": "integer"}}})
    expect(would, {"indices": [{"index": "books", "added": ["pages"], "changed": [],
                                "documents_not_reindexed": 3}],
                   "documents_not_reindexed": 3}, "a field")
    bench.refused("PUT", "/books/_mapping", {"properties": {"title": {"type": "keyword"}}})
    bench.refused("PUT", "/nothing/_mapping", {"properties": {}})
    would = bench.tried("PUT", "/books/_settings", {"index": {"refresh_interval": "9s"}})
    changes = would["indices"][0]["changes"]
    expect(changes["index.refresh_interval"]["to"], "9s", "a setting")
    expect(list(changes), ["index.refresh_interval"], "nothing else")
    bench.refused("PUT", "/books/_settings", {"index": {"no_such_setting": 1}})
    bench.refused("PUT", "/books/_settings", {"index": {"codec": "best_compression"}})


def delete_indices(bench):
    would = bench.tried("DELETE", "/books")
    expect((would["documents"], would["aliases"], would["connectors"]),
           (3, ["only-books"], ["filler"]), "an index")
    shown = bench.ask("GET", "/_cat/indices/books?format=json&bytes=b")[0]
    expect(would["bytes"], int(shown["store.size"]), "its bytes")
    both = bench.tried("DELETE", "/books,films")
    expect(both["aliases"], ["all", "only-books", "only-films"], "aliases of both")
    bench.refused("DELETE", "/nothing")
    stream = bench.ask("GET", "/_data_stream/logs-a")["data_streams"][0]
    backing = stream["indices"][-1]["index_name"]
    bench.refused("DELETE", f"/{backing}")
    would = bench.tried("DELETE", "/_data_stream/logs-a")
    expect((would["data_streams"], [one["index"] for one in would["indices"]]),
           (["logs-a"], [backing]), "a stream")
    bench.refused("DELETE", "/_data_stream/nothing")
    bench.ask("PUT", "/films/_settings", {"index": {"blocks.read_only": True}})
    bench.refused("DELETE", "/films")
    bench.ask("PUT", "/films/_settings", {"index": {"blocks.read_only": None}})


def delete_snapshots(bench, repository):
    for name in ("one", "two"):
        bench.ask("PUT", f"/_snapshot/safe/{name}?wait_for_completion=true", {"indices": "books"})
        bench.ask("PUT", "/books/_doc/" + name, {"title": name}, 201)
        bench.ask("POST", "/books/_flush")
    would = bench.tried("POST", "/_snapshot/safe/_cleanup", {})
    expect((would["snapshots"], would["snapshot_running"]), ([], False), "a cleanup")
    expect(bench.ask("POST", "/_snapshot/safe/_cleanup", {})["results"],
           {"deleted_bytes": would["bytes"], "deleted_blobs": would["blobs"]}, "the real one")
    would = bench.tried("DELETE", "/_snapshot/safe/two")
    expect(would["snapshots"], ["two"], "a snapshot")
    before = sum_of(repository)
    bench.refused("DELETE", "/_snapshot/safe/nothing")
    bench.ask("DELETE", "/_snapshot/safe/two")
    # A new generation and what names it came, which are small.
    freed = before[0] - sum_of(repository)[0]
    assert would["bytes"] - 4096 <= freed <= would["bytes"], (would, freed)
    bench.refused("POST", "/_snapshot/nothing/_cleanup", {})


def sum_of(folder):
    """Bytes and files beneath it."""
    sizes = [os.path.getsize(os.path.join(root, name))
             for root, _, names in os.walk(folder) for name in names]
    return sum(sizes), len(sizes)


def delete_connectors_and_keys(bench):
    would = bench.tried("DELETE", "/_connector/filler?delete_sync_jobs=true")
    expect(would, {"connector": "filler", "record_stays": True, "sync_jobs": 0,
                   "sync_jobs_that_stay": 0, "running_sync_jobs": 0, "index_that_stays": "books"},
           "a connector")
    bench.refused("DELETE", "/_connector/nothing")
    made = bench.ask("POST", "/_security/api_key", {"name": "reader", "role_descriptors": {
        "r": {"cluster": ["monitor"]}}})
    would = bench.tried("DELETE", "/_security/api_key", {"ids": [made["id"]]})
    expect([key["name"] for key in would["api_keys"]], ["reader"], "a key")
    bench.refused("DELETE", "/_security/api_key", {"ids": []})
    # Who may not do it may not try it.
    admin, bench.server.key = bench.server.key, made["encoded"]
    bench.refused("DELETE", "/books")
    bench.refused("POST", "/_snapshot/safe/_cleanup", {})
    bench.refused("DELETE", "/_connector/filler")
    bench.server.key = admin


def change_templates(bench):
    ask = bench.ask
    plain = {"template": {"settings": {"index": {"refresh_interval": "5s"}}}}
    ask("PUT", "/_component_template/hosts", plain)
    ask("PUT", "/_index_template/books", {"index_patterns": ["book*"], "composed_of": ["hosts"], "priority": 5})
    ask("PUT", "/_index_template/streams", {"index_patterns": ["stream-*"], "data_stream": {}, "composed_of": ["hosts"],
                                            "priority": 5})
    ask("PUT", "/_index_template/low", {"index_patterns": ["b*"], "priority": 1})
    ask("PUT", "/_data_stream/stream-a")
    book = {"name": "books", "template": "books", "template_after": "books"}
    stream = {"name": "stream-a", "template": "streams", "template_after": "streams"}
    nothing = {"index_templates": [], "data_streams": [], "indices": [], "other_indices": 0}
    # A component: what is composed of it.
    other = {"template": {"settings": {"index": {"refresh_interval": "9s"}}}}
    would = bench.tried("PUT", "/_component_template/hosts", other)
    expect(would, {"index_templates": ["books", "streams"], "data_streams": [stream], "indices": [book],
                   "other_indices": 0, "created": False, "changed": True}, "a component")
    expect(bench.tried("PUT", "/_component_template/hosts", plain), {**nothing, "created": False, "changed": False},
           "the same component")
    expect(bench.tried("PUT", "/_component_template/fresh", plain), {**nothing, "created": True, "changed": True},
           "a component that nobody uses")
    expect(bench.tried("PUT", "/_component_template/hosts", {**plain, "_meta": {"by": "me"}}),
           {**nothing, "created": False, "changed": True}, "a note")
    bench.refused("PUT", "/_component_template/hosts?create=true", plain)
    bench.refused("PUT", "/_component_template/hosts", {"template": {"settings": {"index": {"no_such_setting": 1}}}})
    bench.refused("PUT", "/_component_template/Bad", plain)
    bench.refused("DELETE", "/_component_template/hosts")
    bench.refused("DELETE", "/_component_template/nothing")
    # A template: the names that it matches before or after.
    would = bench.tried("PUT", "/_index_template/books", {"index_patterns": ["films"], "composed_of": ["hosts"],
                                                          "priority": 5})
    expect((would["index_templates"], would["indices"]), (["books"], [
        {"name": "books", "template": "books", "template_after": "low"},
        {"name": "films", "template": None, "template_after": "books"}]), "other patterns")
    would = bench.tried("PUT", "/_index_template/high", {"index_patterns": ["books"], "priority": 50})
    expect((would["created"], would["indices"]),
           (True, [{"name": "books", "template": "books", "template_after": "high"}]), "a new one above")
    bench.refused("PUT", "/_index_template/high", {"index_patterns": ["book*"], "priority": 5})
    bench.refused("PUT", "/_index_template/high", {"index_patterns": ["x"], "composed_of": ["nothing"]})
    bench.refused("PUT", "/_index_template/streams", {"index_patterns": ["stream-*"], "priority": 5})
    bench.refused("DELETE", "/_index_template/streams")
    bench.refused("DELETE", "/_index_template/nothing")
    would = bench.tried("DELETE", "/_index_template/books")
    expect((would["deleted"], would["indices"], would["data_streams"]),
           (["books"], [{"name": "books", "template": "books", "template_after": "low"}], []), "a deletion")
    # It comes true.
    ask("DELETE", "/_index_template/books")
    expect("books" in [one["name"] for one in ask("GET", "/_index_template")["index_templates"]], False, "it is gone")
    expect(bench.tried("DELETE", "/_component_template/fr*")["deleted"], [], "none of the pattern")
    # Whoever keeps templates need not see all indices.
    made = ask("POST", "/_security/api_key", {"name": "templates", "role_descriptors": {"r": {
        "cluster": ["manage_index_templates"]}}})
    status, answer = bench.server.request("DELETE", "/_index_template/low?dry_run=true", headers={
        "Authorization": "ApiKey " + made["encoded"]})
    expect((status, answer["would"]["indices"], answer["would"]["other_indices"]), (200, [], 1), "names of others")


def delete_models(bench):
    """Bytes and users as they are; and whoever is used is not deleted without force."""
    models = bench.ask("GET", "/_ml/trained_models")["trained_model_configs"]
    model = models[0]["model_id"]
    bench.refused("DELETE", "/_ml/trained_models/nothing")
    bench.refused("DELETE", f"/_ml/trained_models/{model}")
    reason = bench.ask("DELETE", f"/_ml/trained_models/{model}?dry_run=true", status=409)["error"]["reason"]
    used = reason.split("endpoints [")[1].split("]")[0].split(", ")
    would = bench.tried("DELETE", f"/_ml/trained_models/{model}?force=true")
    expect((would["model_id"], sorted(would["endpoints"])), (model, sorted(used)), "a model")
    assert would["bytes"] > 0, would
    bench.refused("DELETE", f"/_ml/trained_models/{model}?force=perhaps")


def nothing_in_the_audit_log(bench):
    """Tries are no changes; the refusals above are there, and so are the changes."""
    events = bench.ask("GET", "/_cairn/audit?operation=snapshot.delete&outcome=success")["events"]
    expect(len(events), 1, "deletions of snapshots that the audit log has")


def main():
    server = Cairn(sys.argv[1])
    repository = os.path.join(server.folder, "repository")
    os.mkdir(repository)
    server.start("--set", f"path.repo={repository}", "--set", "rate_limit.enabled=false")
    bench = Bench(server)
    try:
        bench.ask("PUT", "/_snapshot/safe", {"type": "fs", "settings": {"location": repository}})
        fill(bench)
        change_indices(bench)
        delete_indices(bench)
        delete_snapshots(bench, repository)
        delete_connectors_and_keys(bench)
        change_templates(bench)
        delete_models(bench)
        nothing_in_the_audit_log(bench)
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)
    print("what is tried is told, and nothing is changed")


if __name__ == "__main__":
    main()
