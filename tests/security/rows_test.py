#!/usr/bin/env python3
"""Classes of faults that peers had, each tried on a running program. A test is named after its row
in README.md beside this file.

    rows_test.py CAIRN
"""

import base64
import http.client
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
# Names that some server, proxy or replication makes, and no client may.
SERVERS_OWN = [
    "x-amz-replication-status", "x-amz-version-id", "x-amz-delete-marker", "x-amz-expiration",
    "x-amz-restore", "x-amz-mp-parts-count", "x-amz-missing-meta", "x-amz-request-id", "x-amz-id-2",
    "x-amz-bucket-region", "x-minio-source-etag", "x-minio-source-mtime",
    "x-minio-source-replication-request", "x-minio-replication-ssec-crc", "x-minio-internal-crc",
    "x-rgw-replicated-from", "x-amz-meta-x-minio-internal-sse", "x-amz-source-replication",
    "x-cairn-internal", "x-svc-internal", "x-svc-replication-status", "x-svc-version-id",
    "x-forwarded-host", "x-original-url", "x-rewrite-url", "x-http-method-override", "x-real-ip",
    "forwarded", "x-forwarded-for", "x-forwarded-user", "es-security-runas-user",
    "x-elastic-internal-origin"]


def raw(netloc, data):
    """Everything that a server says to these bytes until it closes, or is silent for a while."""
    host, _, port = netloc.partition(":")
    peer = socket.create_connection((host, int(port)), timeout=20)
    peer.sendall(data)
    peer.shutdown(socket.SHUT_WR)
    got = b""
    while True:
        try:
            piece = peer.recv(65536)
        except ConnectionError:
            piece = b""
        if not piece:
            peer.close()
            return got
        got += piece


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cairn = Cairn(BINARY).start()
        cls.objects = Objects(cls.cairn)
        cls.objects.ok("PUT", "/bucket")
        cls.api = urllib.parse.urlsplit(cls.cairn.api).netloc

    @classmethod
    def tearDownClass(cls):
        assert cls.cairn.stop() == 0, cls.cairn.log_tail()
        shutil.rmtree(cls.cairn.folder, ignore_errors=True)

    def ask(self, method, path, headers=None, body=None):
        """Status, header fields and text, without a key unless the fields bring one."""
        connection = http.client.HTTPConnection(self.api, timeout=60)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer.headers, text.decode(errors="replace")

    def mine(self, **more):
        return {"Authorization": "ApiKey " + self.cairn.key, **more}

    def test_S01_a_fresh_installation_listens_here_alone_and_knows_no_default_pair(self):
        for address in (self.cairn.api, self.cairn.objects):
            self.assertTrue(urllib.parse.urlsplit(address).netloc.startswith("127.0.0.1:"))
        defaults = [("elastic", "changeme"), ("admin", "admin"), ("minioadmin", "minioadmin"),
                    ("root", "root"), ("cairn", "cairn"), ("admin", "")]
        for user, word in defaults:
            pair = base64.b64encode(f"{user}:{word}".encode()).decode()
            for scheme in ("Basic", "ApiKey"):
                status, _, _ = self.ask("GET", "/", {"Authorization": f"{scheme} {pair}"})
                self.assertEqual(status, 401, (user, scheme))
            answer = Objects(self.cairn, user, word or "x").ask("GET", "/")
            self.assertEqual((answer.status, answer.code), (403, "InvalidAccessKeyId"))
        other = Cairn(BINARY).start()
        try:
            self.assertNotEqual(other.key, self.cairn.key)
            self.assertEqual(other.request("GET", "/", headers=self.mine())[0], 401)
            self.assertEqual(Objects(other, self.objects.access_key, self.objects.secret).ask(
                "GET", "/").status, 403)
        finally:
            other.stop()
            shutil.rmtree(other.folder, ignore_errors=True)

    def test_S02_no_secret_stands_in_logs_answers_or_the_command_line(self):
        planted = "planted-5f1c-secret"
        self.cairn.ok("POST", "/_security/api_key", {"name": "s02"})
        self.ask("GET", "/", {"Authorization": "ApiKey " + base64.b64encode(
            f"id:{planted}".encode()).decode()})
        self.ask("GET", "/" + planted + "?access_token=" + planted)
        Objects(self.cairn, "AKIDAKIDAKIDAKIDAKID", planted).ask("GET", "/bucket/x")
        secrets = [base64.b64decode(self.cairn.key).decode().partition(":")[2], self.cairn.key,
                   self.objects.secret]
        seen = [self.cairn.log_tail(10_000)]
        for name in ("cmdline", "environ"):
            with open(f"/proc/{self.cairn.process.pid}/{name}", "rb") as file:
                seen.append(file.read().decode(errors="replace"))
        folder = os.path.join(self.cairn.data, "audit")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), errors="replace") as file:
                seen.append(file.read())
        for path in ("/_cairn/limits", "/_metrics", "/_security/api_key?name=*", "/_nodes", "/_xpack"):
            seen.append(self.ask("GET", path, self.mine())[2])
        for text in seen:
            for secret in secrets:
                self.assertNotIn(secret, text)
        for text in seen[:3] + seen[4:]:
            self.assertNotIn("id:" + planted, text)

    def test_S03_an_address_of_strangers_needs_tls_or_the_explicit_switch(self):
        data = os.path.join(self.cairn.folder, "s03")
        done = subprocess.run([BINARY, "serve", "--data", data, "--api-listen", "0.0.0.0:0",
                               "--objects-listen", "127.0.0.1:0"], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(b"allow_plaintext", done.stderr)

    def test_S05_secrets_that_others_can_read_are_refused(self):
        one = Cairn(BINARY).start()
        try:
            one.stop()
            keys = os.path.join(one.data, "keys")
            self.assertEqual(stat.S_IMODE(os.stat(keys).st_mode) & 0o077, 0)
            for name in os.listdir(keys):
                mode = stat.S_IMODE(os.stat(os.path.join(keys, name)).st_mode)
                self.assertEqual(mode & 0o077, 0, name)
            master = os.path.join(keys, "master.key")
            os.chmod(master, 0o644)
            with self.assertRaises(RuntimeError) as refused:
                one.start()
            self.assertIn("master.key", str(refused.exception))
            os.chmod(master, 0o600)
            one.start()
            self.assertEqual(one.stop(), 0)
        finally:
            shutil.rmtree(one.folder, ignore_errors=True)

    def test_A01_an_unknown_path_without_a_key_is_401_and_not_404(self):
        for path in ("/nothing/here/at/all", "/_security/nothing", "/_unknown", "/", "/_nodes",
                     "/%2e%2e/x", "/_cat/indices"):
            self.assertEqual(self.ask("GET", path)[0], 401, path)
        self.assertEqual(self.ask("GET", "/_health/live")[0], 200)

    def test_A06_two_credentials_in_one_request_are_refused(self):
        key = "Authorization: ApiKey " + self.cairn.key
        answer = raw(self.api, (f"GET / HTTP/1.1\r\nHost: h\r\n{key}\r\n{key}\r\n"
                                "Connection: close\r\n\r\n").encode())
        self.assertRegex(answer, rb"^HTTP/1.1 40[01] ")
        signed = self.objects.signed("GET", "/bucket/a")
        query = "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0&X-Amz-Credential=a&AWSAccessKeyId=b"
        lines = "".join(f"{name}: {value}\r\n" for name, value in signed.items())
        answer = raw(self.objects.netloc,
                     f"GET /bucket/a{query} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
        self.assertRegex(answer, rb"^HTTP/1.1 40[03] ")
        lines += "Authorization: " + signed["authorization"] + "\r\n"
        answer = raw(self.objects.netloc,
                     f"GET /bucket/a HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
        self.assertRegex(answer, rb"^HTTP/1.1 40[03] ")

    def test_Z03_a_copy_does_not_read_what_its_caller_may_not(self):
        self.objects.ok("PUT", "/bucket/private", body=b"private")
        self.cairn.ok("POST", "/_security/object_account", {"name": "z03", "id": "303030303030"})
        account = self.cairn.ok("POST", "/_security/object_key", {"account": "303030303030"})
        other = Objects(self.cairn, account["access_key_id"], account["secret_access_key"])
        other.ok("PUT", "/z03")
        upload = other.ok("POST", "/z03/parts?uploads").text("UploadId")
        for version in ("", "?versionId=null"):
            source = {"x-amz-copy-source": "/bucket/private" + version}
            for target in ("/z03/copy", f"/z03/parts?partNumber=1&uploadId={upload}"):
                self.assertEqual(other.ask("PUT", target, headers=source).code, "AccessDenied")
                ranged = dict(source, **{"x-amz-copy-source-range": "bytes=0-1"})
                self.assertEqual(other.ask("PUT", target, headers=ranged).status // 100, 4)
        for read in ("", "?versionId=null", "?partNumber=1", "?acl", "?tagging", "?attributes"):
            self.assertEqual(other.ask("GET", "/bucket/private" + read).status // 100, 4, read)
        self.assertEqual(other.ask("GET", "/z03/copy").status, 404)

    def test_Z08_names_that_only_servers_make_leave_an_object_as_any_other(self):
        for number, name in enumerate(SERVERS_OWN):
            for value in ("forged", "true", "COMPLETED"):
                key = f"/bucket/z08-{number}"
                put = self.objects.ask("PUT", key, body=b"body", headers={name: value})
                self.assertIn(put.status, (200, 400, 403, 501), name)
                if put.status != 200:
                    continue
                got = self.objects.ok("GET", key)
                self.assertEqual(got.body, b"body", name)
                if not name.startswith("x-amz-meta-"):
                    self.assertNotIn("forged", str(got.headers), name)
                self.objects.ok("DELETE", key)
                upload = self.objects.ask("POST", key + "?uploads", headers={name: value})
                self.assertIn(upload.status, (200, 400, 403, 501), name)

    def test_H01_a_message_with_two_lengths_ends_the_connection(self):
        key = "Authorization: ApiKey " + self.cairn.key
        second = "GET /_health/live HTTP/1.1\r\nHost: h\r\n\r\n"
        for fields in ("Content-Length: 0\r\nTransfer-Encoding: chunked",
                       "Content-Length: 5\r\nContent-Length: 6", "Content-Length: +5",
                       "Content-Length : 0", "Transfer-Encoding: chunked, gzip",
                       "Transfer-Encoding: xchunked", "Content-Length: 5,5",
                       "X: a\r\n b: folded", "Content-Length: 18446744073709551616"):
            for netloc in (self.api, self.objects.netloc):
                answer = raw(netloc, (f"POST /notes/_search HTTP/1.1\r\nHost: h\r\n{key}\r\n{fields}"
                                      f"\r\n\r\n{second}").encode())
                self.assertRegex(answer, rb"^HTTP/1.1 (400|413|501) ", fields)
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1, fields)

    def test_H02_heads_beyond_the_limits_are_refused(self):
        for head in ("GET / HTTP/1.1\r\nHost: h\r\n" + "X: y\r\n" * 10_000,
                     "GET / HTTP/1.1\r\nHost: h\r\nX: " + "y" * (1 << 20) + "\r\n",
                     "GET /" + "y" * 65_536 + " HTTP/1.1\r\nHost: h\r\n",
                     "M" * 1_024 + " / HTTP/1.1\r\nHost: h\r\n", "GET / HTTP/1.1\r\n",
                     "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n",
                     "GET / HTTP/1.1\r\nHost: a/b\r\n"):
            for netloc in (self.api, self.objects.netloc):
                answer = raw(netloc, (head + "\r\n").encode())
                self.assertRegex(answer, rb"^(HTTP/1.1 4\d\d |HTTP/1.1 501 |$)", head[:60])

    def test_H04_no_path_leads_out_of_the_data_folder(self):
        for path in ("/bucket/../../etc/passwd", "/bucket/%2e%2e/%2e%2e/etc/passwd", "/..%2fetc",
                     "/bucket%2f..%2fx", "/%2e%2e", "/bucket/%00", "/bucket/a%00b", "/bucket/%ff%fe",
                     "/bucket//x", "/bucket/./x", "/bucket/%5c..%5cx", "/bucket/%252e%252e/x"):
            answer = self.objects.ask("GET", path)
            self.assertIn(answer.status, (400, 403, 404), path)
            self.assertNotIn(b"root:", answer.body)
        for path in ("/../etc/passwd", "/%2e%2e%2fetc", "/notes/_doc/..%2f..%2fx", "/_snapshot/..%2fx",
                     "/a%00b/_doc/1", "/%ff/_doc/1"):
            status, _, text = self.ask("GET", path, self.mine())
            self.assertIn(status, (400, 404, 405), path)
            self.assertNotIn("root:", text)

    def test_H05_line_breaks_come_back_in_no_header_field(self):
        broken = "a%0d%0aX-Injected:%201"
        asked = [f"/bucket/x?response-content-type={broken}",
                 f"/bucket/x?response-content-disposition={broken}", f"/bucket/{broken}"]
        self.objects.ok("PUT", "/bucket/x", body=b"x")
        for target in asked:
            answer = self.objects.ask("GET", target)
            self.assertIsNone(answer.headers.get("X-Injected"), target)
        for path in (f"/{broken}", f"/notes/_doc/{broken}", f"/_snapshot/{broken}/x"):
            _, headers, _ = self.ask("GET", path, self.mine())
            self.assertIsNone(headers.get("X-Injected"), path)
        answer = raw(self.api, b"GET / HTTP/1.1\r\nHost: h\r\nX-Opaque-Id: a\rX-Injected: 1\r\n\r\n")
        self.assertNotIn(b"\nX-Injected", answer)

    def test_H06_an_unknown_origin_is_allowed_nothing(self):
        for origin in ("https://evil.example", "null"):
            for method in ("GET", "OPTIONS"):
                _, headers, _ = self.ask(method, "/", self.mine(
                    Origin=origin, **{"Access-Control-Request-Method": "DELETE"}))
                self.assertNotIn(headers.get("Access-Control-Allow-Origin"), ("*", origin))
                self.assertIsNone(headers.get("Access-Control-Allow-Credentials"))
            answer = self.objects.ask("GET", "/bucket/x", headers={"Origin": origin})
            self.assertIsNone(answer.headers.get("Access-Control-Allow-Origin"))

    def test_H09_a_stranger_cannot_say_from_where_it_asks(self):
        for name in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP"):
            self.ask("GET", "/h09", {name: "203.0.113.99", "Authorization": "ApiKey wrong"})
        with open(os.path.join(self.cairn.data, "audit/audit.jsonl")) as file:
            self.assertNotIn("203.0.113.99", file.read())

    def test_P01_bodies_that_are_no_json_are_refused_with_a_reason(self):
        self.cairn.ok("PUT", "/p01", {})
        for body in ("[" * 1_000_000, '{"a":' * 5_000 + "1" + "}" * 5_000, '{"a":1,"a":2}',
                     '{"a":1e400}', '{"a":' + "9" * 1_000_000 + "}", '{"a":"\\ud800"}', '{"a":NaN}',
                     '{"a":1}x', "", "{", "\x00"):
            status, answer = self.cairn.request("PUT", "/p01/_doc/1", body)
            self.assertIn(status, (200, 201, 400, 413), body[:40])
            if status >= 400:
                self.assertTrue(answer["error"]["reason"], body[:40])
        status, answer = self.cairn.request("POST", "/_security/api_key",
                                            {"name": "x", "unheard_of": 1})
        self.assertEqual(status, 400)
        self.assertIn("unheard_of", json.dumps(answer))

    def test_P02_xml_with_a_document_type_or_entities_is_refused(self):
        bomb = '<!DOCTYPE a [<!ENTITY b "cccccccccc">' + "".join(
            f'<!ENTITY b{i} "&b{i - 1};&b{i - 1};">' for i in range(1, 30)) + "]>"
        for body in (bomb + "<Tagging><TagSet>&b29;</TagSet></Tagging>",
                     '<!DOCTYPE a SYSTEM "file:///etc/passwd"><Tagging><TagSet/></Tagging>',
                     "<Tagging>" * 10_000, '<Tagging a="' + "1" * 1_000_000,
                     "<Tagging " + " ".join(f'a{i}="1"' for i in range(100_000)) + "/>"):
            answer = self.objects.ask("PUT", "/bucket/x?tagging", body=body.encode())
            self.assertEqual(answer.status, 400, body[:60])
            self.assertNotIn(b"root:", answer.body)

    def test_P09_a_bulk_of_100000_new_fields_meets_the_limit_and_leaves_the_index_whole(self):
        self.cairn.ok("PUT", "/p09/_doc/1?refresh=true", {"known": 1})
        lines = []
        for document in range(100):
            lines += ['{"index":{}}', json.dumps(
                {f"field{document * 1_000 + i}": i for i in range(1_000)})]
        status, answer = self.cairn.request(
            "POST", "/p09/_bulk?refresh=true", "\n".join(lines) + "\n",
            headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual(status, 200)
        self.assertTrue(answer["errors"])
        for item in answer["items"]:
            self.assertEqual(item["index"]["status"], 400)
            self.assertRegex(item["index"]["error"]["reason"], r"[Ll]imit of total fields \[1000\]")
        mapping = self.cairn.ok("GET", "/p09/_mapping")["p09"]["mappings"]["properties"]
        self.assertEqual(list(mapping), ["known"])
        self.assertEqual(self.cairn.ok("GET", "/p09/_count")["count"], 1)
        self.cairn.ok("PUT", "/p09/_doc/2?refresh=true", {"known": 2, "new": "x"})
        self.assertEqual(self.cairn.ok("GET", "/p09/_count")["count"], 2)

    def test_P10_vectors_that_are_none_are_refused(self):
        self.cairn.ok("PUT", "/p10", {"mappings": {"properties": {
            "v": {"type": "dense_vector", "dims": 3}, "s": {"type": "sparse_vector"}}}})
        for document in ('{"v":[1,2]}', '{"v":[1,2,3,4]}', '{"v":[1,2,"x"]}', '{"v":[1,2,1e400]}',
                         '{"v":[1,2,NaN]}', '{"v":[1,2,1e39]}', '{"v":{}}', '{"s":{"a":-1}}',
                         '{"s":{"a":0}}', '{"s":{"a":"x"}}', '{"s":[1]}'):
            self.assertEqual(self.cairn.request("PUT", "/p10/_doc/1", document)[0], 400, document)
        status, _ = self.cairn.request("PUT", "/p10-large", {"mappings": {"properties": {
            "v": {"type": "dense_vector", "dims": 10_000_000}}}})
        self.assertEqual(status, 400)

    def test_F01_keys_of_objects_are_names_and_no_paths(self):
        before = sorted(os.listdir(self.cairn.folder))
        for key in ("../x", "/abs", "a/../../../b", "CON", "dot.", "x" * 1_024, ".", "a//b", "ü",
                    "\u202e", "~", "a\\b", "%2e%2e/x"):
            target = "/bucket/" + urllib.parse.quote(key, safe="/~")
            put = self.objects.ask("PUT", target, body=key.encode())
            if put.status == 200:
                self.assertEqual(self.objects.ok("GET", target).body, key.encode(), key)
                self.objects.ok("DELETE", target)
            else:
                self.assertEqual(put.status // 100, 4, key)
        self.assertEqual(sorted(os.listdir(self.cairn.folder)), before)
        self.assertFalse(os.path.exists("/abs"))
        self.assertEqual(self.objects.ask("PUT", "/bucket/" + "x" * 1_025, body=b"x").status, 400)

    def infer(self, task, body, query=""):
        """Status and answer of a call of a shipped endpoint; the next ordinary one is answered."""
        endpoint = {"sparse_embedding": ".cairn-sparse", "text_embedding": ".cairn-dense",
                    "rerank": ".cairn-rerank"}[task]
        told = self.cairn.request("POST", f"/_inference/{task}/{endpoint}{query}", body)
        ordinary = self.cairn.ok("POST", "/_inference/text_embedding/.cairn-dense", {"input": "a"})
        self.assertEqual(len(ordinary["text_embedding"]), 1)
        return told

    def test_M04_inputs_beyond_the_limits_are_refused_or_cut(self):
        for task, more in (("text_embedding", {}), ("sparse_embedding", {}), ("rerank", {"query": "q"})):
            status, answer = self.infer(task, {"input": ["x"] * 1_000_000, **more})
            self.assertEqual(status, 400, task)
            self.assertIn("inference.inputs_max", answer["error"]["reason"])
            long = "word " * ((10 << 20) // 5 - 20)  # with what stands around it, 10 MiB
            status, answer = self.infer(task, {"input": long, **more})
            self.assertEqual((status, len(answer[task])), (200, 1), task)
            connection = self.cairn.connect()
            connection.putrequest("POST", f"/_inference/{task}/.cairn-dense")
            for name, value in self.mine(**{"Content-Type": "application/json",
                                            "Content-Length": str(11 << 20)}).items():
                connection.putheader(name, value)
            connection.endheaders(b'{"input": "' + b"x" * 8_192)  # and not the rest of the 11 MiB
            self.assertEqual(connection.getresponse().status, 413, task)
            connection.close()
            for none in ([], None, [None], [[]], 7, {"a": 1}):
                self.assertEqual(self.infer(task, {"input": none, **more})[0], 400, (task, none))

    def test_M04_numbers_that_are_none_or_too_many_are_refused(self):
        texts = {"query": "q", "input": ["a", "b", "c"]}
        for number in ("-1", "0", "-9223372036854775808", "1e400", "1.5", '"x"', "[]",
                       "18446744073709551616"):
            body = json.dumps(texts)[:-1] + f', "top_n": {number}}}'
            self.assertEqual(self.infer("rerank", body)[0], 400, number)
        for number in (2, 3, 2 ** 31, 2 ** 63 - 1, 2 ** 64 - 1):
            status, answer = self.infer("rerank", {**texts, "top_n": number})
            self.assertEqual((status, len(answer["rerank"])), (200, min(number, 3)))
        for name in ("num_allocations", "num_threads"):
            for number in (-1, 0, 10 ** 9, 2 ** 63, 1.5):
                settings = {"model_id": "cairn-mini", "num_allocations": 1, "num_threads": 1}
                status, _ = self.cairn.request("PUT", "/_inference/text_embedding/m04", {
                    "service": "cairn", "service_settings": {**settings, name: number}})
                self.assertIn(status, (400, 429), (name, number))
        self.assertEqual(self.cairn.request("GET", "/_inference/m04")[0], 404)

    def test_M04_waits_end_at_once_or_never_or_are_refused(self):
        for wait in ("-1", "0", "30s", "1000d"):
            for body, query in (({"timeout": wait}, ""), ({}, "?timeout=" + wait)):
                status, answer = self.infer("text_embedding", {"input": "a", **body}, query)
                self.assertIn(status, (200, 408) if wait == "0" else (200,), (wait, answer))
        for wait in ("-2", "-1s", "-30s", "x", "1", "s", "1e3s", "99999999999999999999s", "0x1s",
                     "9223372036854775807d"):
            for body, query in (({"timeout": wait}, ""), ({}, "?timeout=" + wait)):
                status, _ = self.infer("text_embedding", {"input": "a", **body}, query)
                self.assertEqual(status, 400, (wait, query))

    def test_X02_the_program_is_hardened(self):
        shown = subprocess.run(["readelf", "-hldW", BINARY], capture_output=True, text=True,
                               check=True).stdout
        self.assertRegex(shown, r"Type:\s+DYN")
        self.assertIn("GNU_RELRO", shown)
        self.assertRegex(shown, r"BIND_NOW|Flags:.*NOW")
        self.assertRegex(shown, r"GNU_STACK\s+(\S+\s+){5}RW\s")
        names = subprocess.run(["readelf", "--dyn-syms", "-W", BINARY], capture_output=True, text=True,
                               check=True).stdout
        self.assertTrue(re.search(r"__stack_chk_fail", names), "stack protector")

    def test_X05_a_line_that_was_edited_or_removed_is_named(self):
        one = Cairn(BINARY).start()
        try:
            for number in range(5):
                one.request("GET", "/", headers={"Authorization": f"ApiKey wrong{number}"})
            self.assertEqual(one.stop(), 0)
            log = os.path.join(one.data, "audit/audit.jsonl")
            with open(log) as file:
                lines = file.readlines()
            self.assertGreater(len(lines), 4)

            def verified():
                done = subprocess.run([BINARY, "audit", "verify", one.data], capture_output=True,
                                      text=True, timeout=60)
                return done.returncode, done.stdout
            self.assertEqual(verified()[0], 0)
            for changed, at in ((lines[:2] + lines[3:], 3), (lines[:1] + lines[2:3] + lines[1:2]
                                                             + lines[3:], 2),
                                (lines[:2] + [lines[2].replace("GET", "PUT")] + lines[3:], 3),
                                (lines[:-1], None)):
                with open(log, "w") as file:
                    file.writelines(changed)
                code, told = verified()
                self.assertEqual(code, 65, told)
                if at:
                    self.assertIn(f"audit.jsonl:{at}:", told)
        finally:
            shutil.rmtree(one.folder, ignore_errors=True)


if __name__ == "__main__":
    unittest.main(verbosity=1)
