#!/usr/bin/env python3
"""One holder behind an API key and an access key, on both ports of a running program: both end at
once whatever is ended and however the program ends, neither opens more than its holder has, and
the audit log and the limits know one name.

    both_ports_test.py CAIRN
"""

import base64
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
POLICY = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"],
     "Resource": ["arn:aws:s3:::shared", "arn:aws:s3:::shared/*"]}]}


class BothPorts(unittest.TestCase):
    def setUp(self):
        self.cairn = Cairn(BINARY).start("--set", "rate_limit.objects=100")
        self.addCleanup(shutil.rmtree, self.cairn.folder, ignore_errors=True)
        self.addCleanup(lambda: self.cairn.stop())
        self.root = Objects(self.cairn)
        self.root.ok("PUT", "/shared")
        self.root.ok("PUT", "/shared/a", b"text")
        self.root.ok("PUT", "/closed")

    def make(self, name="both", user="ann", **more):
        objects = dict({"user": user, "policy": POLICY}, **more.pop("objects", {}))
        made = self.cairn.ok("POST", "/_security/api_key",
                             {"name": name, "objects": objects, **more})
        return made

    def api(self, made, method="GET", path="/_security/_authenticate", body=None):
        return self.cairn.request(method, path, body,
                                  headers={"Authorization": "ApiKey " + made["encoded"]})

    def signed(self, made):
        return Objects(self.cairn, made["objects"]["access_key_id"],
                       made["objects"]["secret_access_key"])

    def state(self, made):
        """Whether each of the two opens its port."""
        api = self.api(made)[0]
        answer = self.signed(made).ask("GET", "/shared/a")
        self.assertIn((api, answer.status, answer.code),
                      ((200, 200, None), (401, 403, "InvalidAccessKeyId"),
                       (200, 403, "InvalidAccessKeyId"), (401, 200, None)))
        return api == 200, answer.status == 200

    def audit(self):
        with open(os.path.join(self.cairn.data, "audit/audit.jsonl")) as file:
            return [json.loads(line) for line in file]

    def test_whichever_is_ended_ends_both_on_their_next_request(self):
        def by_api(made):
            self.cairn.ok("DELETE", "/_security/api_key", {"ids": [made["id"]]})

        def by_itself(made):
            self.assertEqual(self.api(made, "DELETE", "/_security/api_key",
                                      {"ids": [made["id"]]})[0], 200)

        def by_access_key(made):
            self.cairn.ok("DELETE",
                          "/_security/object_key/" + made["objects"]["access_key_id"])

        def by_name(made):
            self.cairn.ok("DELETE", "/_security/api_key", {"name": "both"})

        def by_pause(made):
            self.cairn.ok("PUT", "/_security/object_key/" + made["objects"]["access_key_id"],
                          {"active": False})

        roles = {"r": {"cluster": ["manage_own_api_key"]}}
        for end in (by_api, by_itself, by_access_key, by_name, by_pause):
            with self.subTest(end=end.__name__):
                made = self.make(role_descriptors=roles)
                # Connections that are open, a URL that was signed and a session in use end too.
                kept = self.cairn.connect()
                url_owner = self.signed(made)
                self.assertEqual(self.state(made), (True, True))
                self.assertEqual(self.cairn.request(
                    "GET", "/_security/_authenticate", None, connection=kept,
                    headers={"Authorization": "ApiKey " + made["encoded"]})[0], 200)
                connection = url_owner.connect()
                headers = url_owner.signed("GET", "/shared/a")
                connection.request("GET", "/shared/a", headers=headers)
                answer = connection.getresponse()
                self.assertEqual((answer.status, answer.read()), (200, b"text"))
                end(made)
                self.assertEqual(self.state(made), (False, False))
                self.assertEqual(self.cairn.request(
                    "GET", "/_security/_authenticate", None, connection=kept,
                    headers={"Authorization": "ApiKey " + made["encoded"]})[0], 401)
                connection.request("GET", "/shared/a", headers=headers)
                self.assertEqual(connection.getresponse().status, 403)
                kept.close()
                connection.close()
                self.cairn.kill()
                self.cairn.start()
                self.root = Objects(self.cairn)
                self.assertEqual(self.state(made), (False, False))

    def test_a_key_for_an_access_key_that_is_there(self):
        pair = self.cairn.ok("POST", "/_security/object_key", {"user": "bob", "policy": POLICY})
        made = self.cairn.ok("POST", "/_security/api_key", {
            "name": "bob", "objects": {"access_key_id": pair["access_key_id"]}})
        self.assertNotIn("secret_access_key", json.dumps(made))
        made["objects"]["secret_access_key"] = pair["secret_access_key"]
        self.assertEqual(self.state(made), (True, True))
        self.cairn.ok("DELETE", "/_security/api_key", {"ids": [made["id"]]})
        self.assertEqual(self.state(made), (False, False))

    def test_neither_opens_more_than_its_holder_has(self):
        made = self.make()
        signed = self.signed(made)
        self.assertEqual(signed.ask("PUT", "/shared/b", b"x").code, "AccessDenied")
        self.assertEqual(signed.ask("GET", "/closed").code, "AccessDenied")
        for method, path, body in (
                ("GET", "/_security/api_key", None), ("GET", "/_security/object_key", None),
                ("POST", "/_security/object_key", {}), ("PUT", "/idx", {}), ("GET", "/idx", None),
                ("POST", "/_security/api_key", {"name": "x"}), ("GET", "/_cat/indices", None),
                ("POST", "/_security/api_key", {"name": "x", "objects": {}}),
                ("POST", f"/_security/api_key/{made['id']}/_rotate", {}),
                ("GET", "/.objects-journal-closed/_search", None),
                ("GET", "/.objects-inventory-shared/_search", None)):
            with self.subTest(path=path):
                self.assertEqual(self.api(made, method, path, body)[0], 403)
        status, body = self.api(made, "GET", "/_all")  # of all those that it may read
        self.assertEqual((status, body), (200, {}))
        # The secret of one is no secret of the other, nor is an access key an API key.
        pair = made["objects"]
        for name, secret in ((pair["access_key_id"], pair["secret_access_key"]),
                             (made["id"], pair["secret_access_key"]),
                             (pair["access_key_id"], made["api_key"])):
            wrong = dict(made, encoded=base64.b64encode(f"{name}:{secret}".encode()).decode())
            self.assertEqual(self.api(wrong)[0], 401)
        for name, secret in ((made["id"], made["api_key"]),
                             (pair["access_key_id"], made["api_key"]),
                             (made["id"], pair["secret_access_key"])):
            self.assertEqual(Objects(self.cairn, name, secret).ask("GET", "/shared/a").status, 403)
        # Whoever makes keys, but not access keys, gets none by way of a key.
        maker = self.cairn.ok("POST", "/_security/api_key", {
            "name": "maker", "role_descriptors": {"r": {"cluster": ["manage_api_key"]}}})
        for objects in ({}, {"user": "ann"}, {"access_key_id": pair["access_key_id"]}):
            self.assertEqual(self.api(maker, "POST", "/_security/api_key",
                                      {"name": "x", "objects": objects})[0], 403)
        # Nor by changing one: that one's holder and count stay.
        self.assertEqual(self.api(maker, "PUT", f"/_security/api_key/{made['id']}", {
            "metadata": {"_cairn": {"identity": {"kind": "service", "id": "x"}}}})[0], 400)

    def test_the_audit_log_names_one_principal_on_both_ports(self):
        made = self.make()
        account = made["objects"]["account"]
        self.assertEqual(self.api(made, "PUT", "/idx", {})[0], 403)
        self.assertEqual(self.signed(made).ask("PUT", "/shared/b", b"x").status, 403)
        lines = [line for line in self.audit() if line.get("user.name") == "ann"]
        self.assertEqual({line["user.principal"] for line in lines},
                         {f"arn:aws:iam::{account}:user/ann"})
        self.assertEqual({line["apikey.id"] for line in lines},
                         {made["id"], made["objects"]["access_key_id"]})
        # A key of before has its user and id, and an access key of before its account.
        old = self.cairn.ok("POST", "/_security/api_key",
                            {"name": "old", "role_descriptors": {"r": {"cluster": ["monitor"]}}})
        self.assertEqual(self.api(old, "PUT", "/idx", {})[0], 403)
        line = self.audit()[-1]
        self.assertEqual((line["user.name"], line["apikey.id"], line.get("user.principal")),
                         ("admin", old["id"], None))

    def limits(self, name):
        done = subprocess.run([BINARY, "limits", "show", name, "--json", "--server", self.cairn.api,
                               "--key-file", os.path.join(self.cairn.data, "keys/admin.key")],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_requests_of_both_ports_count_together(self):
        made = self.make()
        for _ in range(3):
            self.assertEqual(self.api(made)[0], 200)
        for _ in range(2):
            self.assertEqual(self.signed(made).ask("GET", "/shared/a").status, 200)
        shown = self.limits("user:ann")
        used = {name: row["used"] for name, row in shown["windows"].items()}
        self.assertEqual((used["core"], used["objects"]), (3, 2), shown)

    def test_a_service_is_one_on_both_ports(self):
        for name, ask in (("shop", self.api), ("store", lambda made: self.signed(made).ask(
                "GET", "/shared/a"))):
            made = self.make(name=name, user=name, objects={"kind": "service"})
            self.assertFalse(self.limits(f"service:{name}")["known"])
            ask(made)
            shown = self.limits(f"service:{name}")
            self.assertEqual((shown["known"], shown["kind"], shown["windows"]),
                             (True, "service", {}))
            self.assertFalse(self.limits(f"user:{name}")["known"])

    def test_killed_at_random_moments_of_making_and_ending(self):
        """kill -9: what was answered holds, and there is never one credential without the other."""
        random.seed(7)
        for _ in range(3):
            answered = []
            stop = threading.Event()

            def work(number):
                while not stop.is_set():
                    try:
                        made = self.make(name=f"w{number}")
                        answered.append([made, False])
                        ended = answered[-1]
                        if random.random() < 0.5:
                            by = ("/_security/api_key", {"ids": [made["id"]]}) \
                                if random.random() < 0.5 else \
                                ("/_security/object_key/" + made["objects"]["access_key_id"], None)
                            ended[1] = None  # asked, and not answered yet
                            self.cairn.ok("DELETE", *by)
                            ended[1] = True
                    except Exception:  # the server is gone
                        return

            workers = [threading.Thread(target=work, args=(number,)) for number in range(3)]
            for worker in workers:
                worker.start()
            while len(answered) < 20 + random.randrange(20):
                stop.wait(0.01)
            self.cairn.kill()
            stop.set()
            for worker in workers:
                worker.join()
            self.cairn.start()
            for made, ended in answered:
                state = self.state(made)
                self.assertIn(state, {False: [(True, True)], True: [(False, False)],
                                      None: [(True, True), (False, False)]}[ended])
            keys = self.cairn.ok("GET", "/_security/api_key?active_only=true")["api_keys"]
            pairs = {key["access_key_id"]: key.get("api_key") for key in
                     self.cairn.ok("GET", "/_security/object_key")["object_keys"]}
            linked = {key["access_key_id"]: key["id"] for key in keys if "access_key_id" in key}
            self.assertEqual(linked, {pair: key for pair, key in pairs.items() if key})


if __name__ == "__main__":
    unittest.main()
