#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store on a cluster: keys, addresses, a cluster that goes away. Repositories of type s3 on another
cluster: made, verified, restored elsewhere, and the refusals.

    cluster_test.py BINARY        run by on_cluster.py
"""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
PLACE = os.environ["CAIRN_TEST_STORE"]
BUCKET = urllib.parse.urlsplit(PLACE).netloc
ENDPOINT = PLACE.split("endpoint=")[1]
ACCESS, SECRET = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
# Repositories have their own keys: the chain of the environment is not what these tests are about.
CLIENT = {"CAIRN_S3__CLIENT__BACKUP__ENDPOINT": ENDPOINT,
          "CAIRN_S3__CLIENT__BACKUP__ACCESS_KEY": ACCESS,
          "CAIRN_S3__CLIENT__BACKUP__SECRET_KEY": SECRET}


class Cluster(unittest.TestCase):
    def setUp(self):
        self.folders = []

    def tearDown(self):
        for cairn in self.folders:
            if cairn.process is not None and cairn.process.poll() is None:
                cairn.process.kill()
                cairn.process.wait()
            shutil.rmtree(cairn.folder, ignore_errors=True)

    def cairn(self, remote=True, environment=None):
        one = Cairn(BINARY, environment=environment)
        if not remote:
            one.store = []
        self.folders.append(one)
        return one

    def run_to_its_end(self, cairn):
        """Exit status and what it said of a Cairn that should not start."""
        ended = subprocess.run(
            [BINARY, "serve", "--data", cairn.data, "--api-listen", "127.0.0.1:0",
             "--objects-listen", "127.0.0.1:0", *cairn.store],
            capture_output=True, text=True, timeout=120)
        return ended.returncode, ended.stderr

    def test_another_data_folder_needs_the_keys(self):
        first = self.cairn().start()
        self.assertEqual(first.stop(), 0)
        second = self.cairn()
        second.store = first.store
        code, said = self.run_to_its_end(second)
        self.assertNotEqual(code, 0)
        self.assertIn("must be copied to", said)

    def test_the_url_holds_no_secrets(self):
        one = self.cairn()
        one.store = ["--store", f"s3://id:hush@{BUCKET}/p"]
        code, said = self.run_to_its_end(one)
        self.assertEqual(code, 78)
        self.assertIn("AWS_ACCESS_KEY_ID", said)
        self.assertNotIn("hush", said)

    @unittest.skipIf("RGW_ENDPOINT" in os.environ, "the cluster is no Cairn")
    def test_the_cluster_goes_away_and_comes_back(self):
        cluster = self.cairn(remote=False).start()
        Objects(cluster).ok("PUT", "/outage")
        pair = Objects(cluster)
        one = self.cairn(environment={"AWS_ACCESS_KEY_ID": pair.access_key,
                                      "AWS_SECRET_ACCESS_KEY": pair.secret})
        one.store = ["--store", f"s3://outage/p?endpoint={cluster.objects}"]
        one.start()
        acknowledged = set()

        def write(number):
            status, _ = one.request("PUT", f"/notes/_doc/{number}", {"n": number})
            if status in (200, 201):
                acknowledged.add(number)
            return status

        for number in range(20):
            self.assertEqual(write(number), 201)
        listened = urllib.parse.urlsplit(cluster.objects).netloc
        cluster.kill()
        self.assertGreaterEqual(write(20), 500)
        cluster.start("--set", f"listen.objects={listened}")
        until = time.monotonic() + 120
        while write(21) not in (200, 201):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)
        one.kill()
        one.start()
        for number in sorted(acknowledged):
            self.assertEqual(one.ok("GET", f"/notes/_doc/{number}")["_source"]["n"], number)
        self.assertEqual(one.stop(), 0)
        self.assertEqual(cluster.stop(), 0)

    def fill(self, cairn):
        lines = []
        for i in range(50):
            lines += [json.dumps({"index": {"_index": "notes", "_id": str(i)}}),
                      json.dumps({"text": f"note {i}"})]
        cairn.ok("POST", "/_bulk?refresh=true", "\n".join(lines) + "\n",
                 headers={"Content-Type": "application/x-ndjson"})

    def test_repositories_on_another_cluster(self):
        one = self.cairn(remote=False, environment=CLIENT).start()
        base = "backups/" + os.path.basename(one.folder)
        settings = {"bucket": BUCKET, "base_path": f"/{base}/", "client": "backup"}
        self.fill(one)
        one.ok("PUT", "/_snapshot/far", {"type": "s3", "settings": settings})
        self.assertIn("nodes", one.ok("POST", "/_snapshot/far/_verify"))
        made = one.ok("PUT", "/_snapshot/far/first?wait_for_completion=true", {})
        self.assertEqual(made["snapshot"]["state"], "SUCCESS")
        one.ok("DELETE", "/notes")
        one.ok("POST", "/_snapshot/far/first/_restore?wait_for_completion=true", {})
        self.assertEqual(one.ok("GET", "/notes/_count")["count"], 50)
        cleaned = one.ok("POST", "/_snapshot/far/_cleanup")
        self.assertEqual(cleaned["results"]["deleted_blobs"], 0)
        # A restart asks no cluster; the repository is there.
        one.stop()
        one.start()
        self.assertEqual(len(one.ok("GET", "/_snapshot/far/_all")["snapshots"]), 1)
        # Another installation, with the endpoint among the settings and the keys in its file.
        two = self.cairn(remote=False)
        keys = os.path.join(two.data, "keys")
        os.makedirs(keys)
        os.chmod(keys, 0o700)
        with open(os.path.join(keys, "s3-clients.json"), "w") as file:
            json.dump({"default": {"access_key": ACCESS, "secret_key": SECRET}}, file)
        os.chmod(file.name, 0o600)
        two.start()
        elsewhere = {"type": "s3", "settings": {"bucket": BUCKET, "base_path": base,
                                                "endpoint": ENDPOINT}}
        status, answer = two.request("PUT", "/_snapshot/theirs", elsewhere)
        self.assertGreaterEqual(status, 400)
        self.assertIn("repositories.s3.allowed_endpoints", json.dumps(answer))
        two.stop()
        two.start("--set", "repositories.s3.allowed_endpoints=127.0.0.0/8,[::1]")
        two.ok("PUT", "/_snapshot/theirs", {"type": "s3", "settings": {
            "bucket": BUCKET, "base_path": base, "endpoint": ENDPOINT,
            "path_style_access": "true", "readonly": True}})
        two.ok("POST", "/_snapshot/theirs/first/_restore?wait_for_completion=true", {})
        self.assertEqual(two.ok("GET", "/notes/_count")["count"], 50)
        status, answer = two.request("PUT", "/_snapshot/theirs/second", {})
        self.assertEqual(status, 500)
        self.assertIn("readonly", json.dumps(answer))
        one.ok("DELETE", "/_snapshot/far/first")
        self.refusals(one, settings)
        self.assertEqual(one.stop(), 0)
        self.assertEqual(two.stop(), 0)

    def refusals(self, cairn, settings):
        def refused(changes, words):
            status, answer = cairn.request(
                "PUT", "/_snapshot/no", {"type": "s3", "settings": dict(settings, **changes)})
            self.assertGreaterEqual(status, 400)
            self.assertIn(words, json.dumps(answer))
        refused({"bucket": "not-there"}, "create it first")
        refused({"client": "nobody"}, "Existing client configs: [backup")
        refused({"access_key": "id"}, "is a secret")
        refused({"endpoint": "http://127.0.0.1:1", "max_retries": 0}, "not accessible")
        status, answer = cairn.request("GET", "/_snapshot/no")
        self.assertEqual(status, 404, answer)

    @unittest.skipIf("RGW_ENDPOINT" in os.environ, "the cluster is no Cairn")
    def test_a_repository_of_the_own_object_storage_is_the_same_from_outside(self):
        owner = self.cairn(remote=False).start()
        Objects(owner).ok("PUT", "/backups")
        self.fill(owner)
        owner.ok("PUT", "/_snapshot/own", {"type": "s3", "settings": {
            "bucket": "backups", "base_path": "x"}})
        owner.ok("PUT", "/_snapshot/own/inside?wait_for_completion=true", {})
        pair = Objects(owner)
        other = self.cairn(remote=False, environment={
            "CAIRN_S3__CLIENT__DEFAULT__ACCESS_KEY": pair.access_key,
            "CAIRN_S3__CLIENT__DEFAULT__SECRET_KEY": pair.secret}).start(
                "--set", f"s3.client.default.endpoint={owner.objects}")
        other.ok("PUT", "/_snapshot/own", {"type": "s3", "settings": {
            "bucket": "backups", "base_path": "x"}})
        other.ok("POST", "/_snapshot/own/inside/_restore?wait_for_completion=true", {})
        self.assertEqual(other.ok("GET", "/notes/_count")["count"], 50)
        other.ok("PUT", "/_snapshot/own/outside?wait_for_completion=true", {})
        owner.ok("DELETE", "/notes")
        owner.ok("POST", "/_snapshot/own/outside/_restore?wait_for_completion=true", {})
        self.assertEqual(owner.ok("GET", "/notes/_count")["count"], 50)
        self.assertEqual(other.stop(), 0)
        self.assertEqual(owner.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
