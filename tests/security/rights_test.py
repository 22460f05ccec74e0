#!/usr/bin/env python3
"""Rows about who may do what, tried on a running program: guesses, keys that make keys, ways around
a right to read, conditions, and pages of the house. A test is named after its row in README.md.

    rights_test.py CAIRN
"""

import base64
import http.client
import json
import os
import shutil
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
EVERYTHING = {"all": {"cluster": ["all"], "indices": [{"names": ["*"], "privileges": ["all"]}]}}
ACCOUNT = "303030303030"
# What clients, proxies and other services call what a server finds out by itself.
FORGED = {
    "aws.SourceIp": "203.0.113.7", "aws-source-ip": "203.0.113.7", "x-amz-source-ip": "203.0.113.7",
    "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.7", "forwarded": "for=203.0.113.7",
    "x-amz-vpc-source-ip": "203.0.113.7", "true-client-ip": "203.0.113.7",
    "aws-SecureTransport": "true", "x-forwarded-proto": "https", "x-forwarded-ssl": "on",
    "aws-PrincipalAccount": "111122223333", "x-amz-account-id": "111122223333",
    "aws-username": "chosen", "x-amz-username": "chosen", "x-forwarded-user": "chosen",
    "aws-PrincipalArn": "arn:aws:iam::111122223333:user/chosen", "aws-SourceVpce": "vpce-1",
    "x-amz-source-vpce": "vpce-1", "aws-MultiFactorAuthPresent": "true",
    "x-amz-mfa": "serial 123456", "s3-ExistingObjectTag": "team=blue", "x-amz-tagging": "team=blue",
    "s3-ResourceAccount": "111122223333", "aws-CurrentTime": "2001-01-01T00:00:00Z",
    "date": "Mon, 01 Jan 2001 00:00:00 GMT"}


def source(cairn, address, authorization):
    """The answer to GET / from an address of this machine: status and header fields."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(cairn.api).netloc, timeout=60,
                                            source_address=(address, 0))
    connection.request("GET", "/", headers={"Authorization": authorization})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers


class Guesses(unittest.TestCase):
    def setUp(self):
        self.cairn = Cairn(BINARY).start("--set", "rate_limit.objects=60")
        self.addCleanup(shutil.rmtree, self.cairn.folder, ignore_errors=True)
        self.addCleanup(lambda: self.cairn.stop())

    def test_A07_who_guesses_is_told_to_wait_and_nobody_else_is(self):
        ident = base64.b64decode(self.cairn.key).decode().partition(":")[0]
        key = self.cairn.ok("POST", "/_security/api_key", {"name": "a07"})["encoded"]
        seen = []
        for number in range(70):
            guess = base64.b64encode(f"{ident}:guess{number:04}".encode()).decode()
            scheme = ("ApiKey", "Basic", "Bearer")[number % 3]
            status, headers = source(self.cairn, "127.0.0.1", f"{scheme} {guess}")
            seen.append(status)
            if status == 429:
                self.assertGreater(int(headers["x-ratelimit-reset"]), time.time())
                self.assertEqual(headers["x-ratelimit-remaining"], "0")
        self.assertEqual(seen, [401] * 60 + [429] * 10)
        for address in ("127.0.0.1", "127.0.0.2"):
            self.assertEqual(source(self.cairn, address, "ApiKey " + key)[0], 200, address)
        self.assertEqual(source(self.cairn, "127.0.0.2", "ApiKey wrong")[0], 401)

    def test_A07_so_is_who_guesses_secrets_of_objects(self):
        right = Objects(self.cairn)
        right.ok("PUT", "/bucket")
        seen = [Objects(self.cairn, right.access_key, f"guess{number}").ask("GET", "/bucket")
                for number in range(70)]
        codes = [answer.code for answer in seen]
        waits = codes.index("SlowDown")
        self.assertEqual(codes, ["SignatureDoesNotMatch"] * waits + ["SlowDown"] * (70 - waits))
        self.assertGreaterEqual(int(seen[-1].headers["Retry-After"]), 1)
        right.ok("GET", "/bucket")
        self.assertEqual(Objects(self.cairn, "AKIDAKIDAKIDAKIDAKID", "x").ask("GET", "/").code,
                         "SlowDown")


class Rights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cairn = Cairn(BINARY)
        cls.documents = os.path.join(cls.cairn.folder, "documents")
        os.makedirs(os.path.join(cls.documents, "open"))
        os.makedirs(os.path.join(cls.cairn.folder, "elsewhere"))
        cls.cairn.start("--set", "rate_limit.enabled=false",
                        "--set", "path.repo=" + os.path.join(cls.cairn.folder, "repositories"),
                        "--set", "connectors.directory.roots=" + cls.documents)
        cls.objects = Objects(cls.cairn)
        cls.objects.ok("PUT", "/bucket")
        cls.cairn.ok("POST", "/_security/object_account", {"name": "other", "id": ACCOUNT})
        pair = cls.cairn.ok("POST", "/_security/object_key", {"account": ACCOUNT})
        cls.other = Objects(cls.cairn, pair["access_key_id"], pair["secret_access_key"])
        cls.cairn.ok("PUT", "/secret/_doc/1?refresh=true", {"text": "planted"})
        cls.cairn.ok("PUT", "/mine-1/_doc/1?refresh=true", {"text": "own"})

    @classmethod
    def tearDownClass(cls):
        assert cls.cairn.stop() == 0, cls.cairn.log_tail()
        shutil.rmtree(cls.cairn.folder, ignore_errors=True)

    def key(self, name, cluster=(), indices=None, by=None):
        """A new key, as header fields; `indices`: privileges by pattern."""
        role = {"cluster": list(cluster),
                "indices": [{"names": [pattern], "privileges": some}
                            for pattern, some in (indices or {}).items()]}
        return self.made({"name": name, "role_descriptors": {"r": role}}, by)[1]

    def made(self, body, by=None):
        """The answer to a request for a key, and the key as header fields."""
        answer = self.cairn.ok("POST", "/_security/api_key", body, headers=by)
        return answer, {"Authorization": "ApiKey " + answer["encoded"]}

    def ask(self, who, method, path, body=None):
        return self.cairn.request(method, path, body, headers=who)

    def refused(self, who, method, path, body=None, statuses=(403,)):
        status, answer = self.ask(who, method, path, body)
        self.assertIn(status, statuses, (method, path, body, answer))
        self.assertNotIn("planted", json.dumps(answer))

    def check_bounds(self, who):
        """Of a key that may manage keys, and read mine-*: it may do no more."""
        self.assertEqual(self.ask(who, "GET", "/mine-1/_doc/1")[0], 200)
        for method, path, body in (
                ("GET", "/secret/_doc/1", None), ("POST", "/secret/_search", {}),
                ("PUT", "/mine-1/_doc/2", {}), ("DELETE", "/mine-1", None),
                ("GET", "/_nodes", None), ("GET", "/_cairn/limits", None),
                ("PUT", "/_snapshot/z01", {"type": "fs"}),
                ("POST", "/_security/object_key", {}), ("PUT", "/_connector/z01", {}),
                ("POST", "/_security/object_account", {"name": "z01"})):
            self.refused(who, method, path, body)
        may = self.ask(who, "POST", "/_security/user/_has_privileges", {
            "cluster": ["all", "manage", "manage_security", "monitor"],
            "index": [{"names": ["secret", "mine-1"], "privileges": ["all", "write"]}]})[1]
        self.assertFalse(may["has_all_requested"])
        self.assertEqual(set(may["cluster"].values()), {False})
        for held in may["index"].values():
            self.assertEqual(set(held.values()), {False})

    def test_Z01_no_key_gets_more_than_the_key_that_makes_or_changes_it(self):
        parent = self.key("parent", ["manage_api_key"], {"mine-*": ["read"]})
        made, child = self.made({"name": "child", "role_descriptors": EVERYTHING}, by=parent)
        self.check_bounds(child)
        self.check_bounds(self.made({"name": "inherits"}, by=child)[1])
        self.check_bounds(self.made({"name": "asks", "role_descriptors": EVERYTHING}, by=child)[1])
        change = {"role_descriptors": EVERYTHING}
        for who in (parent, child):
            self.ask(who, "PUT", "/_security/api_key/" + made["id"], change)
            self.check_bounds(child)
        other, others = self.made({"name": "other", "role_descriptors": EVERYTHING})
        status, _ = self.ask(parent, "PUT", "/_security/api_key/" + other["id"], change)
        self.assertEqual(status, 200)
        self.check_bounds(others)
        # What an administrator gives the child later is not for the parent.
        self.cairn.ok("PUT", "/_security/api_key/" + made["id"], change)
        self.assertEqual(self.ask(child, "GET", "/secret/_doc/1")[0], 200)
        for ident in (made["id"], other["id"]):
            self.refused(parent, "POST", f"/_security/api_key/{ident}/_rotate", {"overlap": "0s"},
                         (404,))
        self.assertEqual(self.ask(child, "GET", "/secret/_doc/1")[0], 200)
        own = self.key("own", ["manage_own_api_key"], {"mine-*": ["read"]})
        for roles in (EVERYTHING, None):
            self.refused(own, "POST", "/_security/api_key",
                         {"name": "x", **({"role_descriptors": roles} if roles else {})}, (400,))

    def test_Z05_no_way_of_naming_an_index_reads_what_its_name_would_not(self):
        who = self.key("reader", [], {"mine-*": ["all"]})
        for name in ("secret", "mine-1,secret", "secret,mine-1", "%73ecret", "mine-*,secret",
                     "*,secret", "secret,-mine-1", "+secret", "mine-1%2Csecret", "_all,secret"):
            for tail in ("/_search", "/_count", "/_doc/1", "/_source/1", "/_mapping", "/_settings",
                         "/_alias", "/_stats", "/_explain/1"):
                self.refused(who, "GET", f"/{name}{tail}", None, (400, 403, 404, 405))
        for name in ("*", "_all", "*ecret", "s*", "mine-*,s*"):
            status, answer = self.ask(who, "GET", f"/{name}/_search")
            self.assertNotIn("planted", json.dumps(answer), (name, status))
        for name in ("secret", "mine-1,secret", "mine-*,secret", "<secret>", "s*", "*", ""):
            status, answer = self.ask(who, "POST", "/_mget",
                                      {"docs": [{"_index": name, "_id": "1"}]})
            self.assertNotIn("planted", json.dumps(answer), name)
            lines = json.dumps({"index": name}) + "\n{}\n"
            self.assertNotIn("planted", json.dumps(self.ask(who, "POST", "/_msearch", lines)), name)
            self.assertNotIn("planted",
                             json.dumps(self.ask(who, "POST", "/mine-1/_msearch", lines)), name)
            lines = json.dumps({"update": {"_index": name, "_id": "1", "_source": True}}) + \
                '\n{"doc":{"more":1},"_source":true}\n'
            self.assertNotIn("planted", json.dumps(self.ask(who, "POST", "/_bulk", lines)), name)
        lookup = {"index": "secret", "id": "1", "path": "text"}
        for query in ({"terms": {"text": lookup}},
                      {"more_like_this": {"like": [{"_index": "secret", "_id": "1"}]}},
                      {"percolate": {"field": "text", "index": "secret", "id": "1"}},
                      {"bool": {"should": [{"terms": {"_index": ["secret"]}}, {"match_all": {}}]}}):
            status, answer = self.ask(who, "POST", "/mine-*/_search", {"query": query})
            self.assertNotIn("planted", json.dumps(answer), query)
            for hit in answer["hits"]["hits"] if status < 400 else ():
                self.assertTrue(hit["_index"].startswith("mine-"), hit)
        for method, path, body in (
                ("POST", "/_reindex", {"source": {"index": "secret"}, "dest": {"index": "mine-2"}}),
                ("PUT", "/secret/_alias/mine-3", None), ("PUT", "/secret/_clone/mine-4", None),
                ("POST", "/_aliases",
                 {"actions": [{"add": {"index": "secret", "alias": "mine-5"}}]}),
                ("PUT", "/mine-6", {"aliases": {"secret": {}}})):
            status, answer = self.ask(who, method, path, body)
            self.assertIn(status, (400, 403, 404, 405), (path, answer))
        for name in ("mine-2", "mine-3", "mine-4", "mine-5", "mine-6"):
            self.refused(who, "GET", f"/{name}/_search", None, (404,))

    def test_Z05_an_alias_opens_what_its_own_name_grants_and_its_index_stays_shut(self):
        self.cairn.ok("PUT", "/vault/_doc/1?refresh=true", {"text": "planted", "n": 1})
        self.cairn.ok("PUT", "/vault/_doc/2?refresh=true", {"text": "open", "n": 2})
        self.cairn.ok("PUT", "/vault/_alias/shown", {"filter": {"term": {"n": 2}}})
        self.cairn.ok("PUT", "/vault/_alias/mine-window", {"filter": {"term": {"n": 2}}})
        through = self.key("through", [], {"shown": ["read", "view_index_metadata"]})
        for path in ("/shown/_search", "/sho*/_search", "/*/_search", "/_search"):
            status, answer = self.ask(through, "GET", path)
            self.assertEqual(status, 200, answer)
            self.assertEqual([hit["_id"] for hit in answer["hits"]["hits"]], ["2"], path)
        for path in ("/vault/_search", "/shown,vault/_search", "/mine-window/_search"):
            self.refused(through, "GET", path)
        self.assertEqual(self.ask(through, "GET", "/_alias/shown")[0], 200)
        self.assertEqual(list(self.ask(through, "GET", "/*/_alias")[1]["vault"]["aliases"]),
                         ["shown"])
        self.refused(through, "GET", "/_alias/mine-window")
        # A point in time of the alias is read with the right to the alias, by whoever has it.
        status, pit = self.ask(through, "POST", "/shown/_pit?keep_alive=1m")
        self.assertEqual(status, 200, pit)
        status, answer = self.ask(through, "POST", "/_search", {"pit": {"id": pit["id"]}})
        self.assertEqual([hit["_id"] for hit in answer["hits"]["hits"]], ["2"])
        by_name = self.key("byname", [], {"vault": ["read"]})
        self.assertEqual(self.ask(by_name, "GET", "/vault/_count")[1]["count"], 2)
        self.refused(by_name, "GET", "/shown/_search")
        writer = self.key("writer", [], {"shown": ["write"]})
        self.refused(writer, "POST", "/shown/_delete_by_query", {"query": {"match_all": {}}})
        # Whoever manages one of the two makes no way from it to the other.
        keeper = self.key("keeper2", [], {"mine-*": ["all"]})
        for method, path, body in (
                ("PUT", "/vault/_alias/mine-9", None), ("PUT", "/mine-1/_alias/vault-9", None),
                ("DELETE", "/vault/_alias/mine-window", None),
                ("POST", "/_aliases", {"actions": [{"add": {"index": "mine-1", "alias": "shown"}}]}),
                ("POST", "/_aliases", {"actions": [{"remove_index": {"index": "vault"}}]}),
                ("POST", "/_aliases", {"actions": [{"remove": {"index": "vault", "alias": "*"}}]}),
                ("PUT", "/mine-8", {"aliases": {"shown": {}}})):
            self.refused(keeper, method, path, body)
        self.ask(keeper, "POST", "/_aliases",
                 {"actions": [{"add": {"index": "va*", "alias": "mine-9"}}]})
        self.refused(keeper, "GET", "/mine-9/_search", None, (404,))
        status, answer = self.ask(keeper, "GET", "/mine-window/_search")
        self.assertEqual([hit["_id"] for hit in answer["hits"]["hits"]], ["2"])
        self.cairn.ok("DELETE", "/vault")

    def test_Z05_rights_on_a_data_stream_are_rights_on_its_indices_and_on_no_others(self):
        self.cairn.ok("PUT", "/_index_template/z05", {"index_patterns": ["z05-*"], "data_stream": {}})
        for name in ("z05-mine", "z05-other"):
            self.cairn.ok("POST", f"/{name}/_doc?refresh=true", {"@timestamp": 0, "text": "planted"})
        index = {name: self.cairn.ok("GET", f"/_data_stream/{name}")["data_streams"][0]["indices"][0]
                 ["index_name"] for name in ("z05-mine", "z05-other")}
        who = self.key("stream", [], {"z05-mine": ["all"]})
        for name in ("z05-mine", index["z05-mine"]):
            self.assertEqual(self.ask(who, "GET", f"/{name}/_count")[1]["count"], 1)
        for name in ("z05-other", index["z05-other"], "z05-mine,z05-other"):
            self.refused(who, "GET", f"/{name}/_search")
        for path in ("/*/_search", "/.ds-*/_search", "/_search"):
            hits = self.ask(who, "GET", path)[1]["hits"]["hits"]
            self.assertTrue(all(hit["_index"] == index["z05-mine"] for hit in hits), path)
        self.assertEqual([one["name"] for one in
                          self.ask(who, "GET", "/_data_stream")[1]["data_streams"]], ["z05-mine"])
        for method, path, body in (
                ("PUT", "/_data_stream/z05-new", None), ("DELETE", "/_data_stream/z05-other", None),
                ("POST", "/z05-other/_rollover", None), ("POST", "/z05-mine/_rollover/free", None),
                ("POST", "/z05-new/_doc", {"@timestamp": 0}),
                ("PUT", "/_index_template/mine", {"index_patterns": ["*"]}),
                ("PUT", "/_component_template/mine", {"template": {}}),
                ("POST", "/_index_template/_simulate_index/z05-mine", None),
                ("POST", "/_data_stream/_modify", {"actions": [{"add_backing_index": {
                    "data_stream": "z05-mine", "index": "secret"}}]}),
                ("POST", "/_data_stream/_modify", {"actions": [{"remove_backing_index": {
                    "data_stream": "z05-other", "index": index["z05-other"]}}]})):
            self.refused(who, method, path, body)
        self.ask(who, "DELETE", "/_data_stream/*")
        self.refused(who, "GET", "/z05-mine/_search", None, (403, 404))
        self.cairn.ok("GET", "/z05-other/_search")
        # Whoever manages an alias alone makes no stream of what is behind it.
        self.cairn.ok("PUT", "/kept", {"mappings": {"properties": {"@timestamp": {"type": "date"}}},
                                       "aliases": {"z05-alias": {}}})
        keeper = self.key("keeper3", [], {"z05-alias": ["all"]})
        self.refused(keeper, "POST", "/_data_stream/_migrate/z05-alias")
        self.cairn.ok("DELETE", "/kept")
        self.cairn.ok("DELETE", "/_data_stream/z05-*")
        self.cairn.ok("DELETE", "/_index_template/z05")

    def test_Z05_words_of_hidden_documents_do_not_show_through_an_alias(self):
        self.cairn.ok("PUT", "/z05-words", {"mappings": {"properties": {"t": {"type": "text"}, "k": {"type": "keyword"}}},
                                            "aliases": {"z05-open": {"filter": {"term": {"k": "open"}}}}})
        self.cairn.ok("PUT", "/z05-words/_doc/1", {"t": "harmless", "k": "open"})
        self.cairn.ok("PUT", "/z05-words/_doc/2?refresh=true", {"t": "planted2secret", "k": "planted2secret"})
        who = self.key("words", [], {"z05-open": ["read"]})
        for path, body in (
                ("/z05-open/_search", {"suggest": {"s": {"text": "planted1secret", "term": {"field": "t"}}}}),
                ("/z05-open/_search", {"profile": True, "query": {"fuzzy": {"t": "planted1secret"}}}),
                ("/z05-open/_terms_enum", {"field": "k", "string": "pl"}),
                ("/z05-open/_validate/query?explain=true", {"query": {"fuzzy": {"t": "planted1secret"}}}),
                ("/z05-open/_validate/query?explain=true", {"query": {"match_phrase_prefix": {"t": "planted"}}}),
                ("/z05-open/_search", {"query": {"more_like_this": {
                    "like": [{"_index": "z05-words", "_id": "2"}], "fields": ["t"], "min_doc_freq": 1,
                    "min_term_freq": 1}}}),
                ("/z05-open/_search", {"aggs": {"a": {"terms": {"field": "k"}}}})):
            answer = self.ask(who, "POST", path, body)[1]
            self.assertNotIn("planted2", json.dumps(answer), (path, body, answer))
        self.cairn.ok("DELETE", "/z05-words")

    def test_Z05_a_restore_takes_the_place_of_no_index_that_its_caller_may_not_delete(self):
        self.cairn.ok("PUT", "/_snapshot/z05-r", {"type": "fs", "settings": {
            "location": os.path.join(self.cairn.folder, "repositories", "z05-r")}})
        self.cairn.ok("PUT", "/_index_template/z05r", {"index_patterns": ["z05r-*"], "data_stream": {}})
        self.cairn.ok("PUT", "/z05-mine", {"mappings": {"properties": {"@timestamp": {"type": "date"}}}})
        self.cairn.ok("POST", "/z05r-s/_doc?refresh=true", {"@timestamp": 0})
        self.cairn.ok("POST", "/_data_stream/_modify", {"actions": [
            {"add_backing_index": {"data_stream": "z05r-s", "index": "z05-mine"}}]})
        self.cairn.ok("PUT", "/_snapshot/z05-r/one?wait_for_completion=true", {"indices": "z05r-s,z05-mine"})
        self.cairn.ok("PUT", "/z05-victim/_doc/1?refresh=true", {"text": "planted"})
        self.cairn.ok("POST", "/z05-victim/_close")
        self.cairn.ok("DELETE", "/_data_stream/z05r-s")
        who = self.key("restores", ["manage"], {"z05-mine": ["all"], "z05r-*": ["all"]})
        for body in ({"indices": "z05-mine"}, {"indices": "z05r-s"}):
            self.refused(who, "POST", "/_snapshot/z05-r/one/_restore?wait_for_completion=true",
                         {**body, "rename_pattern": "z05-mine", "rename_replacement": "z05-victim"})
        self.cairn.ok("POST", "/z05-victim/_open")
        self.assertEqual(self.cairn.ok("GET", "/z05-victim/_doc/1")["_source"]["text"], "planted")
        self.cairn.ok("DELETE", "/z05-victim")
        self.cairn.ok("DELETE", "/_index_template/z05r")

    def test_Z05_a_snapshot_comes_back_under_no_name_that_says_less_than_its_own(self):
        who = self.key("keeper", ["manage", "create_snapshot", "monitor_snapshot"],
                       {"mine-*": ["all"]})
        self.ask(who, "PUT", "/_snapshot/z05", {"type": "fs", "settings": {"location": "z05"}})
        status, answer = self.ask(who, "PUT", "/_snapshot/z05/all?wait_for_completion=true",
                                  {"indices": "secret,mine-1"})
        self.assertEqual(status, 200, answer)
        renamed = {"indices": "secret", "rename_pattern": "(.+)", "rename_replacement": "mine-$1"}
        for wait in ("true", "false"):
            self.refused(who, "POST",
                         f"/_snapshot/z05/all/_restore?wait_for_completion={wait}", renamed)
            self.refused(who, "POST", f"/_snapshot/z05/all/_restore?wait_for_completion={wait}",
                         {"rename_pattern": "^", "rename_replacement": "mine-"})
        self.refused(who, "GET", "/mine-secret/_search", None, (404,))
        own = dict(renamed, indices="mine-1")
        status, answer = self.ask(who, "POST",
                                  "/_snapshot/z05/all/_restore?wait_for_completion=true", own)
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.ask(who, "GET", "/mine-mine-1/_count")[1]["count"], 1)
        # Under its own name it stays what it was, and not for everybody.
        self.cairn.ok("PUT", "/hidden/_doc/1?refresh=true", {"text": "planted"})
        self.cairn.ok("PUT", "/_snapshot/z05/hidden?wait_for_completion=true",
                      {"indices": "hidden"})
        self.cairn.ok("DELETE", "/hidden")
        restore = "/_snapshot/z05/hidden/_restore?wait_for_completion=true"
        for settings in ({"index.public": True}, {"index": {"public": "true"}}, {"public": True}):
            self.refused(who, "POST", restore, {"index_settings": settings})
        self.assertEqual(self.ask(who, "POST", restore, {})[0], 200)
        self.refused(who, "GET", "/hidden/_search")
        self.refused({"Authorization": ""}, "GET", "/hidden/_search", None, (401,))

    def test_Z05_a_connector_reads_no_file_beside_its_roots_and_shows_nobody_an_index(self):
        with open(os.path.join(self.documents, "open", "a.txt"), "w") as file:
            file.write("planted\n")
        who = self.key("connects", ["manage_connector"], {"mine-*": ["read"]})
        self.assertEqual(self.ask(who, "PUT", "/_connector/z05", {
            "index_name": "synced", "service_type": "directory"})[0], 200)
        os.symlink(os.path.join(self.cairn.folder, "elsewhere"),
                   os.path.join(self.documents, "link"))
        outside = [self.cairn.folder, self.documents + "/..", self.documents + "/../elsewhere",
                   self.documents + "/link", "/etc", "/proc/self", self.cairn.data + "/keys"]
        for path in outside:
            self.refused(who, "PUT", "/_connector/z05/_configuration", {"values": {"path": path}},
                         (400, 403))
        self.assertEqual(self.ask(who, "PUT", "/_connector/z05/_configuration", {
            "values": {"path": self.documents + "/open"}})[0], 200)
        job = self.ask(who, "POST", "/_connector/_sync_job", {"id": "z05", "job_type": "full"})[1]
        until = time.monotonic() + 60
        while True:
            state = self.ask(who, "GET", "/_connector/_sync_job/" + job["id"])[1]
            if state["status"] == "completed":
                break
            self.assertIn(state["status"], ("pending", "in_progress"))
            self.assertLess(time.monotonic(), until, state)
            time.sleep(0.02)
        self.assertNotIn("planted", json.dumps(state))
        self.assertEqual(self.cairn.ok("GET", "/synced/_count")["count"], 1)
        for path in ("/synced/_search", "/synced/_count", "/synced/_mapping"):
            self.refused(who, "GET", path)

    def test_Z05_who_may_only_write_reads_nothing_of_what_models_make_of_it(self):
        self.cairn.ok("PUT", "/texts", {"mappings": {"properties": {
            "meaning": {"type": "semantic_text", "inference_id": ".cairn-sparse"}}}})
        self.cairn.ok("PUT", "/texts/_doc/1?refresh=true", {"meaning": "planted"})
        who = self.key("writes", [], {"texts": ["create_doc", "index"]})
        self.assertIn(self.ask(who, "PUT", "/texts/_doc/2", {"meaning": "moving"})[0], (200, 201))
        for method, path, body in (
                ("GET", "/texts/_doc/1", None), ("POST", "/texts/_count", {}),
                ("POST", "/texts/_search", {"query": {"semantic": {"field": "meaning",
                                                                   "query": "planted"}}}),
                ("POST", "/_inference/sparse_embedding/.cairn-sparse", {"input": "x"}),
                ("GET", "/_inference", None)):
            self.refused(who, method, path, body)

    def policy(self, *statements):
        for statement in statements:
            statement.setdefault("Principal", {"AWS": ACCOUNT})
            statement.setdefault("Resource", ["arn:aws:s3:::bucket/*", "arn:aws:s3:::bucket"])
        self.objects.ok("PUT", "/bucket?policy", body=json.dumps(
            {"Version": "2012-10-17", "Statement": list(statements)}).encode())

    def test_Z06_no_header_field_says_what_the_server_finds_out_by_itself(self):
        self.objects.ok("PUT", "/bucket/z06", body=b"planted")
        conditions = [
            {"IpAddress": {"aws:SourceIp": "203.0.113.0/24"}},
            {"NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"}},
            {"Bool": {"aws:SecureTransport": "true"}},
            {"StringEquals": {"aws:PrincipalAccount": "111122223333"}},
            {"StringEquals": {"aws:username": "chosen"}},
            {"ArnEquals": {"aws:PrincipalArn": "arn:aws:iam::111122223333:user/chosen"}},
            {"StringEquals": {"aws:SourceVpce": "vpce-1"}},
            {"Bool": {"aws:MultiFactorAuthPresent": "true"}},
            {"StringEquals": {"s3:ExistingObjectTag/team": "blue"}},
            {"StringEquals": {"s3:ResourceAccount": "111122223333"}},
            {"StringEquals": {"s3:authType": "REST-QUERY-STRING"}},
            {"DateLessThan": {"aws:CurrentTime": "2002-01-01T00:00:00Z"}}]
        forged = [{}, FORGED, *({name: value} for name, value in FORGED.items())]
        for condition in conditions:
            self.policy({"Effect": "Allow", "Action": "s3:GetObject", "Condition": condition})
            for fields in forged:
                answer = self.other.ask("GET", "/bucket/z06", headers=fields)
                self.assertIn(answer.status, (400, 403), (condition, fields))
                self.assertNotIn(b"planted", answer.body)
        # A condition that holds admits, or none of the above would say anything.
        self.policy({"Effect": "Allow", "Action": "s3:GetObject",
                     "Condition": {"IpAddress": {"aws:SourceIp": "127.0.0.0/8"}}})
        self.assertEqual(self.other.ok("GET", "/bucket/z06").body, b"planted")

    def test_Z06_a_field_that_comes_twice_is_judged_by_what_is_done(self):
        self.policy({"Effect": "Allow", "Action": ["s3:PutObject", "s3:PutObjectAcl"]},
                    {"Effect": "Deny", "Action": "s3:PutObject",
                     "Condition": {"StringEquals": {"s3:x-amz-storage-class": "ONEZONE_IA"}}})
        name = "x-amz-storage-class"
        for pair in (("STANDARD", "ONEZONE_IA"), ("ONEZONE_IA", "STANDARD")):
            for between in (",", ", "):
                signed = self.other.signed("PUT", "/bucket/twice", {name: between.join(pair)})
                connection = self.other.connect()
                connection.putrequest("PUT", "/bucket/twice", skip_host=True,
                                      skip_accept_encoding=True)
                for field, value in signed.items():
                    if field != name:
                        connection.putheader(field, value)
                for value in pair:
                    connection.putheader(name, value)
                connection.putheader("Content-Length", "1")
                connection.endheaders(b"x")
                answer = connection.getresponse()
                answer.read()
                connection.close()
                if answer.status == 200:
                    kept = self.objects.ok("HEAD", "/bucket/twice").headers
                    self.assertNotEqual(kept.get(name), "ONEZONE_IA")
                else:
                    self.assertEqual(answer.status // 100, 4)

    def test_Z06_negated_conditions_over_several_values_hold_as_they_are_written(self):
        # Which sets of tag names are denied, where the condition names team and cost.
        rows = [("ForAnyValue:StringNotEquals", {"team": False, "team,evil": True, "evil": True,
                                                 "team,cost": False}),
                ("ForAllValues:StringNotEquals", {"team": False, "team,evil": False, "evil": True,
                                                  "team,cost": False}),
                ("ForAnyValue:StringNotLike", {"team": False, "team,evil": True, "evil": True}),
                ("ForAllValues:StringNotLike", {"team": False, "team,evil": False, "evil": True}),
                ("StringNotEquals", {"team": False, "team,evil": False, "evil": True})]
        for operator, sets in rows:
            self.policy({"Effect": "Allow", "Action": ["s3:PutObject", "s3:PutObjectTagging"]},
                        {"Effect": "Deny", "Action": "s3:PutObject", "Condition": {
                            operator: {"s3:RequestObjectTagKeys": ["team", "cost"]}}})
            for names, denied in sets.items():
                tags = "&".join(f"{name}=1" for name in names.split(","))
                answer = self.other.ask("PUT", "/bucket/tags", body=b"x",
                                        headers={"x-amz-tagging": tags})
                self.assertEqual(answer.status, 403 if denied else 200, (operator, names))
        for twice in ("team=1&team=2", "team=1&evil=1&team=1"):
            answer = self.other.ask("PUT", "/bucket/tags", body=b"x",
                                    headers={"x-amz-tagging": twice})
            self.assertIn(answer.status, (400, 403), twice)

    def test_Z07_pages_of_the_house_are_for_who_may_see_it_and_health_is_for_all(self):
        nobody = self.key("nobody")
        pages = ["/", "/_nodes", "/_xpack", "/_license", "/_metrics", "/_cluster/health",
                 "/_cairn/limits", "/_cairn/limits/key:x", "/_cat/indices", "/_settings", "/_stats",
                 "/secret/_settings", "/secret/_stats", "/secret/_segments", "/_segments",
                 "/secret/_field_caps?fields=*", "/_field_caps?fields=*", "/_resolve/index/*",
                 "/_resolve/index/secret", "/secret/_mapping/field/*", "/_cat", "/_cat/health",
                 "/_cat/nodes", "/_cat/master", "/_cat/allocation", "/_cat/shards", "/_cat/segments",
                 "/_cat/segments/secret", "/_cat/aliases", "/_cat/templates",
                 "/_cat/component_templates", "/_index_template", "/_component_template",
                 "/_data_stream", "/_data_stream/*/_stats", "/_cluster/state",
                 "/_cluster/state/metadata/secret", "/_recovery", "/secret/_recovery",
                 "/_cat/recovery", "/_cat/recovery/secret", "/_cat/thread_pool", "/_cat/repositories",
                 "/_cat/snapshots", "/_nodes/stats", "/_cluster/stats", "/_cluster/settings",
                 "/_cluster/pending_tasks", "/_snapshot", "/_inference", "/_connector",
                 "/_ml/trained_models", "/_security/privilege/_builtin", "/_security/object_key",
                 "/_security/encryption_key"]
        for page in pages:
            self.refused(nobody, "GET", page)
            self.refused({"Authorization": ""}, "GET", page, None, (401,))
        for method, page, body in (
                ("PUT", "/secret/_settings", {"index.public": True}),
                ("DELETE", "/_cairn/limits/key:x", None), ("PUT", "/secret/_mapping", {}),
                ("PUT", "/_cluster/settings", {"transient": {"cluster.metadata.z07": "a"}}),
                ("POST", "/_snapshot/z07/_cleanup", None), ("PUT", "/_inference/z07", {}),
                *self.changes_of_models()):
            self.refused(nobody, method, page, body)
        for probe in ("live", "ready", "startup"):
            self.assertEqual(self.ask({"Authorization": ""}, "GET", "/_health/" + probe)[0], 200)
        monitor = self.key("monitor", ["monitor"])
        for page in ("/", "/_nodes", "/_metrics", "/_cluster/health", "/_nodes/stats",
                     "/_cluster/stats", "/_cluster/settings", "/_cat/nodes", "/_cat/allocation"):
            self.assertEqual(self.ask(monitor, "GET", page)[0], 200, page)
        for page in ("/_cairn/limits", "/_cairn/limits/key:x", "/secret/_settings",
                     "/_security/object_key"):
            self.refused(monitor, "GET", page)
        looks = self.key("looks", ["monitor_ml", "manage_inference"])
        for method, page, body in self.changes_of_models():
            self.refused(looks, method, page, body)

    @staticmethod
    def changes_of_models():
        return (("PUT", "/_cairn/models/z07", {"files": []}),
                ("PUT", "/_cairn/models/z07/_piece?file=a", "a"),
                ("POST", "/_cairn/models/z07/_finish", None),
                ("DELETE", "/_cairn/models/z07/_import", None),
                ("DELETE", "/_ml/trained_models/cairn-mini", None))


if __name__ == "__main__":
    unittest.main(verbosity=1)
