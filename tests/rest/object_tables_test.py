#!/usr/bin/env python3
"""Journal and inventory of a bucket as indices of a running program.

What is put, copied, tagged and deleted on the one port is searched on the other; nothing but that
writes there; who may read follows from the policies of the object storage; rounds of kill -9 find
each change once and in its order; a table that goes takes its index along; an encrypted one leaves
nothing in the clear.

    object_tables_test.py CAIRN [NAME...]

CAIRN_ROUNDS (3) rounds of kill -9. Nothing is asserted about how fast anything is: what takes time is
waited for.
"""

import base64
import hashlib
import json
import os
import random
import shutil
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = None
JOURNAL, INVENTORY = ".objects-journal-books", ".objects-inventory-books"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def same(got, wanted, what=""):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def wait_for(ask, wanted, what, seconds=60):
    """Until `ask` answers what is wanted."""
    until = time.monotonic() + seconds
    while (got := ask()) != wanted:
        check(time.monotonic() < until, f"{what}: {got!r}, not {wanted!r}")
        time.sleep(0.05)


def configuration(encryption="", inventory=True):
    inside = f"<EncryptionConfiguration><SseAlgorithm>{encryption}</SseAlgorithm>" \
             "</EncryptionConfiguration>" if encryption else ""
    text = ("<MetadataConfiguration><JournalTableConfiguration><RecordExpiration>"
            "<Expiration>ENABLED</Expiration><Days>30</Days></RecordExpiration>" + inside +
            "</JournalTableConfiguration>")
    if inventory:
        text += ("<InventoryTableConfiguration><ConfigurationState>ENABLED</ConfigurationState>" +
                 inside + "</InventoryTableConfiguration>")
    return (text + "</MetadataConfiguration>").encode()


class Program:
    """A started Cairn with a bucket, gone at the end."""

    def __init__(self, bucket=True, **how):
        self.cairn = Cairn(BINARY)
        self.start()
        if bucket:
            self.make("books", **how)

    def start(self):
        self.cairn.start("--set", "rate_limit.shadow=true", "--set",
                         f"connectors.directory.roots={self.cairn.folder}/documents")
        self.objects = Objects(self.cairn)

    def make(self, bucket, **how):
        self.objects.ok("PUT", f"/{bucket}")
        self.configure(bucket, **how)

    def configure(self, bucket, **how):
        body = configuration(**how)
        self.objects.ok("POST", f"/{bucket}?metadataConfiguration=", body, headers={
            "content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()})

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.cairn.process.poll() is None:
            self.cairn.stop()
        if error[0] is None:
            shutil.rmtree(self.cairn.folder)
        else:
            print(self.cairn.log_tail())

    def ask(self, method, path, body=None, key=None):
        headers = {"Authorization": "ApiKey " + key} if key else None
        return self.cairn.request(method, path, body, headers=headers)

    def rows(self, index, sort="sequence_number"):
        """All rows of an index; None while it is not there."""
        status, answer = self.ask("POST", f"/{index}/_search", {"size": 10_000, "sort": [sort]})
        if status == 404:
            return None
        same(status, 200, answer)
        return [hit["_source"] for hit in answer["hits"]["hits"]]

    def column(self, index, name, sort="sequence_number"):
        rows = self.rows(index, sort)
        return None if rows is None else [row[name] for row in rows]

    def exported(self, table, bucket="books"):
        """The same rows as the object storage itself gives them."""
        rows, token = [], ""
        while True:
            more = f"&continuation-token={token}" if token else ""
            query = "".join(sorted(part + "&" for part in
                                   (f"metadataTableRows={table}{more}").split("&")))[:-1]
            answer = self.objects.ok("GET", f"/{bucket}?{query}")
            rows += [json.loads(line) for line in answer.body.splitlines()]
            token = answer.headers.get("x-amz-next-continuation-token")
            if not token:
                return rows


def settled(program):
    """Waits until both indices have what their tables have; gives the rows."""
    def difference():
        out = []
        for table, index, sort in (("journal", JOURNAL, "sequence_number"),
                                   ("inventory", INVENTORY, "key")):
            shown = program.rows(index, sort)
            kept = program.exported(table)
            if shown is None:
                return f"no {index}"
            for row in shown:
                row.pop("object_tag_list"), row.pop("user_metadata_list")
            if shown != kept:
                out.append((table, len(shown), len(kept)))
        return out
    wait_for(difference, [], "rows")


def test_searched():
    with Program() as program:
        ask = program.objects
        ask.ok("PUT", "/books/a", b"one", headers={"x-amz-meta-color": "red"})
        ask.ok("PUT", "/books/b", b"three", headers={"x-amz-tagging": "kind=tale"})
        ask.ok("PUT", "/books/c", headers={"x-amz-copy-source": "/books/b"})
        ask.ok("PUT", "/books/a?tagging=", b"<Tagging><TagSet><Tag><Key>kind</Key><Value>poem</Value>"
               b"</Tag></TagSet></Tagging>")
        ask.ok("DELETE", "/books/b")
        wait_for(lambda: program.column(JOURNAL, "key"), ["a", "b", "c", "a", "b"], "the journal")
        same(program.column(JOURNAL, "record_type"),
             ["CREATE", "CREATE", "CREATE", "UPDATE_METADATA", "DELETE"])
        wait_for(lambda: program.column(INVENTORY, "key", "key"), ["a", "c"], "the inventory")
        wait_for(lambda: program.column(INVENTORY, "object_tag_list", "key"),
                 [["kind=poem"], ["kind=tale"]], "new tags")
        settled(program)
        status, found = program.ask("POST", f"/{INVENTORY}/_search", {
            "size": 0, "query": {"range": {"size": {"gte": 1}}},
            "aggs": {"bytes": {"sum": {"field": "size"}},
                     "kinds": {"terms": {"field": "object_tag_list"}}}})
        same(status, 200, found)
        same(found["aggregations"]["bytes"]["value"], 8.0, "a sum")
        same([(one["key"], one["doc_count"]) for one in found["aggregations"]["kinds"]["buckets"]],
             [("kind=poem", 1), ("kind=tale", 1)], "groups")
        same(program.ask("POST", f"/{JOURNAL}/_count", {"query": {"term": {
            "user_metadata_list": "color=red"}}})[1]["count"], 2, "metadata")
        same(program.ask("POST", f"/{JOURNAL}/_search", {"query": {"term": {
            "record_type": "DELETE"}}})[1]["hits"]["hits"][0]["_source"]["key"], "b", "a deletion")
        status, shown = program.ask("GET", f"/{JOURNAL}")
        same(status, 200, shown)
        same(shown[JOURNAL]["settings"]["index"]["hidden"], "true", "hidden")
        same(shown[JOURNAL]["mappings"]["dynamic"], "strict", "strict")
        same(program.ask("GET", f"/{INVENTORY}/_mapping")[1][INVENTORY]["mappings"]["properties"]
             ["size"], {"type": "long"}, "the mapping")
        # A start shows them before the first request.
        program.cairn.stop()
        program.start()
        same(program.column(JOURNAL, "key"), ["a", "b", "c", "a", "b"], "after a start")


def test_names():
    """Patterns see tables by a dot only, on each route that takes patterns."""
    with Program() as program:
        program.cairn.ok("PUT", "/plain/_doc/1?refresh=true", {"bucket": "books"})
        program.objects.ok("PUT", "/books/a", b"1")
        wait_for(lambda: program.column(JOURNAL, "key"), ["a"], "the journal")
        wait_for(lambda: program.column(INVENTORY, "key"), ["a"], "the inventory")
        both = [INVENTORY, JOURNAL]
        rows = [("*", ["plain"]), ("_all", ["plain"]), ("", ["plain"]), ("*books*", []),
                ("p*,*j*", ["plain"]), (".*", both), (".objects-*", both), (".objects-j*", [JOURNAL]),
                (JOURNAL, [JOURNAL]), (f"plain,{JOURNAL}", [JOURNAL, "plain"]),
                (f"plain,.objects-*,-{INVENTORY}", [JOURNAL, "plain"])]
        for pattern, wanted in rows:
            path = f"/{pattern}" if pattern else ""
            hits = program.cairn.ok("GET", f"{path}/_search?size=100")["hits"]["hits"]
            same(sorted(hit["_index"] for hit in hits), wanted, f"_search of [{pattern}]")
            same(program.cairn.ok("GET", f"{path}/_count")["count"], len(wanted), f"_count [{pattern}]")
            same(sorted(program.cairn.ok("GET", f"{path}/_mapping")), wanted, f"_mapping [{pattern}]")
            same(sorted(program.cairn.ok("GET", f"{path}/_settings")), wanted, f"_settings {pattern}")
            if pattern:
                same(sorted(program.cairn.ok("GET", path)), wanted, f"GET [{pattern}]")
            listed = program.cairn.ok("GET", f"/_cat/indices{path}?format=json")
            same(sorted(one["index"] for one in listed), wanted, f"_cat/indices of [{pattern}]")
        hits = program.cairn.ok("GET", "/*/_search?expand_wildcards=all")["hits"]["hits"]
        same(sorted(hit["_index"] for hit in hits), [*both, "plain"], "expand_wildcards=all")
        listed = program.cairn.ok("GET", "/_cat/indices?expand_wildcards=hidden,open&format=json")
        same(sorted(one["index"] for one in listed), [*both, "plain"], "hidden ones listed")


def test_read_only():
    blocked, named, bad = "cluster_block_exception", "invalid_index_name_exception", \
        "illegal_argument_exception"
    with Program() as program:
        program.objects.ok("PUT", "/books/a", b"1")
        wait_for(lambda: program.column(JOURNAL, "key"), ["a"], "the journal")
        wait_for(lambda: program.column(INVENTORY, "key"), ["a"], "the inventory")
        row = program.cairn.ok("GET", f"/{JOURNAL}/_search")["hits"]["hits"][0]["_id"]
        other = ".objects-journal-other"
        calls = [
            ("PUT", f"/{JOURNAL}/_doc/x", {}, 403, blocked),
            ("POST", f"/{JOURNAL}/_doc", {}, 403, blocked),
            ("PUT", f"/{JOURNAL}/_create/x", {}, 403, blocked),
            ("DELETE", f"/{JOURNAL}/_doc/{row}", None, 403, blocked),
            ("POST", f"/{JOURNAL}/_update/{row}", {"doc": {"key": "b"}}, 403, blocked),
            ("PUT", f"/{JOURNAL}/_mapping", {"properties": {"x": {"type": "long"}}}, 403, blocked),
            ("PUT", f"/{JOURNAL}/_settings", {"index": {"hidden": False}}, 403, blocked),
            ("PUT", f"/{JOURNAL}/_settings", {"index": {"blocks.read_only": False}}, 403, blocked),
            ("PUT", "/.objects-*/_settings", {"index": {"hidden": False}}, 403, blocked),
            ("DELETE", f"/{JOURNAL}", None, 403, blocked),
            ("DELETE", "/.objects-*", None, 400, bad),
            ("PUT", f"/{JOURNAL}", {}, 400, named),
            ("PUT", f"/{other}", {}, 400, named),
            ("PUT", f"/{other}/_doc/x", {}, 400, named),
            ("PUT", "/x", {"aliases": {JOURNAL: {}}}, 400, "invalid_alias_name_exception"),
            ("PUT", "/x", {"aliases": {other: {}}}, 400, "invalid_alias_name_exception"),
            ("PUT", f"/{JOURNAL}/_alias/journal", None, 400, bad),
        ]
        for method, path, body, status, kind in calls:
            got, answer = program.ask(method, path, body)
            same((got, answer["error"]["type"]), (status, kind), f"{method} {path}: {answer}")
        lines = [{"index": {"_index": JOURNAL, "_id": "x"}}, {"key": "x"},
                 {"delete": {"_index": INVENTORY, "_id": "x"}},
                 {"create": {"_index": other, "_id": "x"}}, {"key": "x"},
                 {"index": {"_index": "plain", "_id": "x"}}, {"key": "x"}]
        answer = program.cairn.ok("POST", "/_bulk", "".join(json.dumps(one) + "\n" for one in lines))
        same([(list(one.values())[0]["status"],
               list(one.values())[0].get("error", {}).get("type")) for one in answer["items"]],
             [(403, blocked), (403, blocked), (400, named), (201, None)], "_bulk")
        # Snapshots leave them out, and bring none back under such a name.
        program.objects.ok("PUT", "/vault")
        repository = {"type": "s3", "settings": {"bucket": "vault"}}
        status, made = program.ask("PUT", "/_snapshot/safe", repository)
        same(status, 200, made)
        made = program.cairn.ok("PUT", "/_snapshot/safe/one?wait_for_completion=true", {})
        same(made["snapshot"]["indices"], ["plain"], "a snapshot of all")
        status, answer = program.ask("PUT", "/_snapshot/safe/two?wait_for_completion=true",
                                     {"indices": JOURNAL})
        same((status, answer["error"]["type"]), (400, bad), answer)
        status, answer = program.ask(
            "POST", "/_snapshot/safe/one/_restore?wait_for_completion=true",
            {"rename_pattern": "plain", "rename_replacement": other})
        same((status, answer["error"]["type"]), (400, named), answer)
        same(program.ask("GET", f"/{other}")[0], 404, "what was refused")
        same(program.column(JOURNAL, "key"), ["a"], "the journal after all of it")
        same(program.column(INVENTORY, "key"), ["a"], "the inventory after all of it")


def test_connector():
    """A connector that names a table writes nothing there, and says why."""
    with Program() as program:
        program.objects.ok("PUT", "/books/a", b"1")
        wait_for(lambda: program.column(JOURNAL, "key"), ["a"], "the journal")
        documents = os.path.join(program.cairn.folder, "documents")
        os.makedirs(documents)
        with open(os.path.join(documents, "page.txt"), "w") as file:
            file.write("some text")
        for index, reason in ((JOURNAL, "blocked by: [FORBIDDEN/5/index read-only (api)]"),
                              (".objects-journal-none", "Invalid index name")):
            program.cairn.ok("PUT", f"/_connector/{index[1:]}", {
                "index_name": index, "name": "folder", "service_type": "directory"})
            program.cairn.ok("PUT", f"/_connector/{index[1:]}/_configuration",
                             {"values": {"path": documents}})
            job = program.cairn.ok("POST", "/_connector/_sync_job",
                                   {"id": index[1:], "job_type": "full"})["id"]
            state = {}

            def ended():
                state.update(program.cairn.ok("GET", f"/_connector/_sync_job/{job}"))
                return state["status"] in ("completed", "error", "canceled", "suspended")
            wait_for(ended, True, "the end of the sync job")
            same(state["indexed_document_count"], 0, state)
            check(reason in f"{state['error']} {state['metadata'].get('problems')}", state)
        same(program.column(JOURNAL, "key"), ["a"], "the journal")
        same(program.ask("GET", "/.objects-journal-none")[0], 404, "an index of that name")


def policy(bucket, table):
    return {"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "s3tables:GetTableData",
        "Resource": f"arn:aws:s3tables:*:*:bucket/aws-s3/table/b_{bucket}/{table}"}]}


def test_rights():
    with Program() as program:
        program.make("other")
        for bucket in ("books", "other"):
            program.objects.ok("PUT", f"/{bucket}/a", b"1")
        tables = [".objects-inventory-books", ".objects-inventory-other", ".objects-journal-books",
                  ".objects-journal-other"]
        for table in tables:
            wait_for(lambda: program.column(table, "key"), ["a"], table)

        def key(name, **more):
            return program.cairn.ok("POST", "/_security/api_key", {"name": name, **more})["encoded"]

        def reads(*names, restricted=None):
            entry = {"names": list(names), "privileges": ["read", "view_index_metadata"]}
            if restricted is not None:
                entry["allow_restricted_indices"] = restricted
            return {"role_descriptors": {"r": {"indices": [entry]}}}

        with open(os.path.join(program.cairn.data, "keys/admin-s3.json")) as file:
            root = json.load(file)["access_key_id"]
        journal, books = [JOURNAL], [INVENTORY, JOURNAL]
        who = [
            ("the administrator", None, tables),
            ("the root", key("root", objects={"access_key_id": root}), tables),
            ("one table", key("a", objects={"user": "ann", "policy": policy("books", "journal")}),
             journal),
            ("a bucket", key("b", objects={"user": "bob", "policy": policy("books", "*")}), books),
            ("no policy", key("c", objects={"user": "cid"}), []),
            ("all by role", key("d", **reads("*")), []),
            ("with a dot", key("e", **reads(".objects-journal-*")),
             [".objects-journal-books", ".objects-journal-other"]),
            ("restricted ones too", key("f", **reads("*", restricted=True)), tables),
            ("policy beside a role", key("g", objects={"user": "ann"}, **reads("*")), journal),
        ]
        for name, own, allowed in who:
            for table in [*tables, ".objects-journal-none"]:
                wanted = 200 if table in allowed else 403
                for path in ("_search", "_count", "_mapping"):
                    status, answer = program.ask("GET", f"/{table}/{path}", key=own)
                    if table.endswith("-none") and name in ("the administrator", "with a dot",
                                                           "restricted ones too"):
                        same(status, 404, f"{name}: {table}/{path}")
                        continue
                    same(status, wanted, f"{name}: {table}/{path}: {answer}")
                    if wanted == 403:
                        same(answer["error"]["type"], "security_exception", name)
            for pattern in (".objects-*", ".*"):
                status, answer = program.ask("GET", f"/{pattern}/_search", key=own)
                if name in ("no policy", ):
                    check(status == 403 or not answer["hits"]["hits"], f"{name}: {answer}")
                    continue
                same(status, 200, f"{name}: {pattern}: {answer}")
                same(sorted(hit["_index"] for hit in answer["hits"]["hits"]), allowed,
                     f"{name}: {pattern}")
        # Who reads by a policy writes nothing, and learns so before anything is looked at.
        status, answer = program.ask("POST", f"/{JOURNAL}/_update/x", {"doc": {}}, key=who[2][1])
        same((status, answer["error"]["type"]), (403, "security_exception"), answer)


def test_gone():
    with Program() as program:
        program.objects.ok("PUT", "/books/a", b"1")
        wait_for(lambda: program.column(INVENTORY, "key"), ["a"], "the inventory")
        body = (b"<InventoryTableConfiguration><ConfigurationState>DISABLED</ConfigurationState>"
                b"</InventoryTableConfiguration>")
        program.objects.ok("PUT", "/books?metadataInventoryTable=", body, headers={
            "content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()})
        wait_for(lambda: program.rows(INVENTORY), None, "the end of the inventory")
        same(program.column(JOURNAL, "key"), ["a"], "the journal")
        program.objects.ok("DELETE", "/books?metadataConfiguration=")
        wait_for(lambda: program.rows(JOURNAL), None, "the end of the journal")
        program.configure("books")
        wait_for(lambda: program.rows(JOURNAL), [], "a new journal")
        wait_for(lambda: program.column(INVENTORY, "key"), ["a"], "a new inventory")
        program.objects.ok("DELETE", "/books/a")
        program.objects.ok("DELETE", "/books")
        wait_for(lambda: (program.rows(JOURNAL), program.rows(INVENTORY)), (None, None), "the end")
        same(program.cairn.ok("GET", "/_cat/indices/.*?format=json"), [], "indices")


def test_sealed():
    with Program(encryption="AES256") as program:
        secret = "a-name-nobody-reads"
        for i in range(300):
            name = hashlib.sha256(str(i).encode()).hexdigest()
            program.objects.ok("PUT", f"/books/{name}", b"", headers={
                "x-amz-meta-whose": secret + name})
        wait_for(lambda: len(program.rows(INVENTORY, "key") or []), 300, "the inventory")
        status, found = program.ask("POST", f"/{JOURNAL}/_count", {"query": {"prefix": {
            "user_metadata_list": "whose=" + secret}}})
        same((status, found["count"]), (200, 300), "a search")
        for index in (JOURNAL, INVENTORY):
            program.cairn.ok("POST", f"/{index}/_flush")
        program.cairn.stop()
        for folder, _, names in os.walk(program.cairn.data):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    # Of the list that only the copies have: objects' own metadata lie as they are.
                    check(b"whose=" + secret.encode() not in file.read(), f"{folder}/{name}")
        program.start()
        same(len(program.rows(JOURNAL)), 300, "after a start")


def test_killed():
    rounds = int(os.environ.get("CAIRN_ROUNDS", "3"))
    with Program() as program:
        done = []  # (key, what) of each change that was acknowledged, by thread
        for turn in range(rounds):
            stop = threading.Event()

            def work(number, turn=turn):
                mine = []
                done.append(mine)
                rng = random.Random(number * 1000 + turn)
                while not stop.is_set():
                    key = f"k{number}-{rng.randrange(20)}"
                    what = rng.choice(["PUT", "PUT", "DELETE"])
                    try:
                        answer = program.objects.ask(what, f"/books/{key}",
                                                     b"x" if what == "PUT" else None)
                    except OSError:
                        return
                    if answer.status < 300:
                        mine.append((key, what))

            threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
            for thread in threads:
                thread.start()
            seen = len(program.rows(JOURNAL) or [])
            wait_for(lambda: len(program.rows(JOURNAL) or []) > seen + 30, True, "rows to come")
            program.cairn.kill()
            stop.set()
            for thread in threads:
                thread.join()
            program.start()
            settled(program)
        rows = program.rows(JOURNAL)
        numbers = [row["sequence_number"] for row in rows]
        same(numbers, sorted(set(numbers)), "numbers")
        acknowledged = {}
        for mine in done:
            for key, what in mine:
                acknowledged.setdefault(key, []).append("CREATE" if what == "PUT" else "DELETE")
        for key, wanted in acknowledged.items():
            got = iter([row["record_type"] for row in rows if row["key"] == key])
            # Deletes of what is not there are no changes; a change without an answer may be there.
            creates = [one for one in wanted if one == "CREATE"]
            check(all(any(one == row for row in got) for one in creates), f"changes of {key}")
        print(f"  {len(rows)} rows in {rounds} rounds")


def put_all(program, keys, threads=8):
    def work(mine):
        for key in mine:
            program.objects.ok("PUT", f"/books/{key}", b"x")

    workers = [threading.Thread(target=work, args=(keys[i::threads],)) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def test_filled():
    """kill -9 while the inventory of what was there before is made: it goes on, and names each object
    once, with what changed meanwhile."""
    rounds = int(os.environ.get("CAIRN_ROUNDS", "3"))
    with Program(bucket=False) as program:
        program.objects.ok("PUT", "/books")
        keys = [f"o{i:05}" for i in range(6_000)]
        put_all(program, keys)
        program.configure("books")
        kills = 0

        def state():
            """Of the inventory."""
            answer = program.objects.ok("GET", "/books?metadataConfiguration=").body.decode()
            part = answer[answer.index("<InventoryTableConfigurationResult>"):]
            return part.split("<TableStatus>")[1].split("<")[0]

        while kills < rounds:
            wait_for(lambda: state() != "CREATING", True, "the inventory to begin")
            if state() != "BACKFILLING":
                break
            program.cairn.kill()
            kills += 1
            program.start()
            gone, new = keys.pop(random.Random(kills).randrange(len(keys))), f"new-{kills}"
            program.objects.ok("DELETE", f"/books/{gone}")
            program.objects.ok("PUT", f"/books/{new}", b"y")
            keys.append(new)
        settled(program)
        wait_for(lambda: len(program.exported("inventory")), len(keys), "the inventory")
        settled(program)
        same(program.column(INVENTORY, "key", "key"), sorted(keys), "keys")
        print(f"  {len(keys)} objects, {kills} rounds")


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    tests = {name[5:]: work for name, work in globals().items() if name.startswith("test_")}
    for name in wanted or tests:
        print(name, flush=True)
        tests[name]()
    print("all well")


if __name__ == "__main__":
    main()
