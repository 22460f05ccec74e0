#!/usr/bin/env python3
"""F07 on a running program: of bodies that are encrypted, and of keys, nothing lies in any file.

    encryption_test.py CAIRN
"""

import base64
import hashlib
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
SMALL, LARGE, PART = 3_000, 300_000, 5 << 20
COPIES = 16  # of one body, in each way


def customer(key, vendor, of_source=False):
    """The fields that bring a customer's key."""
    start = vendor + ("copy-source-" if of_source else "") + "server-side-encryption-customer-"
    return {start + "algorithm": "AES256", start + "key": base64.b64encode(key).decode(),
            start + "key-md5": base64.b64encode(hashlib.md5(key).digest()).decode()}


def spellings(secret):
    """A secret as a file may have it: raw, in hexadecimal, and in base64 however it is aligned."""
    out = [secret, secret.hex().encode(), secret.hex().upper().encode()]
    for skip in range(3):
        whole = secret[skip:len(secret) - (len(secret) - skip) % 3]
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
            out.append(alphabet(whole))
    return out


class Sealed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cairn = Cairn(BINARY, environment={"CAIRN_LOG__LEVEL": "debug"})
        cls.start()

    @classmethod
    def start(cls):
        cls.cairn.start("--set", "objects.customer_keys_over_http=true")

    @classmethod
    def tearDownClass(cls):
        if cls.cairn.process.poll() is None:
            cls.cairn.stop()
        shutil.rmtree(cls.cairn.folder, ignore_errors=True)

    def files(self):
        """Path and bytes of every file of the installation, its log among them."""
        for folder, _, names in os.walk(self.cairn.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    yield os.path.relpath(path, self.cairn.data), file.read()

    def where(self, wanted):
        """By name, the files in which one of its texts stands."""
        found = {name: set() for name in wanted}
        for path, content in self.files():
            for name, texts in wanted.items():
                if any(text in content for text in texts):
                    found[name].add(path)
        return found

    def ways(self):
        """Name, dialect, and fields of each way to write; no fields: not encrypted."""
        field = "server-side-encryption"
        self.customer_key = os.urandom(32)
        made = self.cairn.ok("POST", "/_security/encryption_key", {"aliases": ["alias/f07"]})
        yield "plain", "amz", {}
        for dialect in ("amz", "svc"):
            vendor, kms = f"x-{dialect}-", "aws" if dialect == "amz" else "svc"
            yield f"{dialect}-service", dialect, {vendor + field: "AES256"}
            yield f"{dialect}-customer", dialect, customer(self.customer_key, vendor)
            for method in ("kms", "kms:dsse"):
                name = f"{dialect}-{method.replace(':', '-')}"
                yield name, dialect, {vendor + field: f"{kms}:{method}"}
                yield name + "-named", dialect, {
                    vendor + field: f"{kms}:{method}",
                    f"{vendor}{field}-{kms}-kms-key-id": made["id"]}

    def write(self, objects, name, fields):
        """Objects of every shape in one way; their bodies by key."""
        bodies = {f"{name}/small": os.urandom(SMALL), f"{name}/large": os.urandom(LARGE)}
        for key, body in bodies.items():
            objects.ok("PUT", "/bucket/" + key, body=body, headers=fields)
        again = bodies[f"{name}/large"]
        for number in range(COPIES):
            objects.ok("PUT", f"/bucket/{name}/again{number}", body=again, headers=fields)
        begun = objects.ok("POST", f"/bucket/{name}/parts?uploads", headers=fields)
        upload = begun.text("UploadId")
        brought = {field: value for field, value in fields.items() if "-customer-" in field}
        parts, etags = [os.urandom(PART), os.urandom(SMALL)], []
        for number, part in enumerate(parts, 1):
            etags.append(objects.ok(
                "PUT", f"/bucket/{name}/parts?partNumber={number}&uploadId={upload}", body=part,
                headers=brought).headers["ETag"])
        listed = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
                         for number, etag in enumerate(etags, 1))
        objects.ok("POST", f"/bucket/{name}/parts?uploadId={upload}", headers=brought,
                   body=f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode())
        bodies[f"{name}/parts"] = b"".join(parts)
        source = {objects.vendor + "copy-source": f"/bucket/{name}/small"}
        if brought:
            source.update(customer(self.customer_key, objects.vendor, of_source=True))
        objects.ok("PUT", f"/bucket/{name}/copy", headers={**fields, **source})
        bodies[f"{name}/copy"] = bodies[f"{name}/small"]
        return bodies, brought

    def test_F07_neither_an_encrypted_body_nor_a_key_lies_in_any_file(self):
        Objects(self.cairn).ok("PUT", "/bucket")
        written = {}
        for name, dialect, fields in self.ways():
            objects = Objects(self.cairn, dialect=dialect)
            written[name] = (dialect, *self.write(objects, name, fields))
        other = os.urandom(32)
        refused = []
        for vendor, key in (("x-amz-", other), ("x-amz-", self.customer_key)):
            for target in ("/bucket/amz-customer/large", "/bucket/plain/large"):
                answer = Objects(self.cairn).ask("GET", target, headers=customer(key, vendor))
                if answer.status != 200:
                    refused.append(answer.body + str(answer.headers).encode())
        self.assertEqual(len(refused), 3)
        for text in refused:
            for spelling in spellings(self.customer_key) + spellings(other):
                self.assertNotIn(spelling, text)
        account = self.cairn.ok("POST", "/_security/object_account",
                                {"name": "f07", "id": "303030303030"})
        self.assertEqual(account["id"], "303030303030")
        pair = self.cairn.ok("POST", "/_security/object_key", {"account": "303030303030"})
        key = self.cairn.ok("POST", "/_security/api_key", {"name": "f07"})
        self.check_bodies(written)
        self.assertEqual(self.cairn.stop(), 0, self.cairn.log_tail())

        with open(os.path.join(self.cairn.data, "keys/master.key")) as file:
            master = base64.b64decode(file.read())
        first = base64.b64decode(self.cairn.key).decode().partition(":")[2].encode()
        secrets = {"master": [master], "customer": [self.customer_key, other],
                   "pair": [pair["secret_access_key"].encode()], "key": [key["api_key"].encode()],
                   "first key": [first, self.cairn.key.encode()],
                   "first pair": [Objects(self.cairn).secret.encode()]}
        secrets = {name: [text for secret in some for text in spellings(secret)]
                   for name, some in secrets.items()}
        for name, (_, bodies, _) in written.items():
            secrets["bodies " + name] = [
                body[at:at + 36] for body in bodies.values()
                for at in (0, len(body) // 2, len(body) - 36)]
        found = self.where(secrets)
        # What is not encrypted is found, or the search would find nothing at all.
        self.assertGreater(len(found.pop("bodies plain")), 1)
        self.assertEqual(found.pop("master"), {"keys/master.key"})
        self.assertEqual(found.pop("first key"), {"keys/admin.key"})
        self.assertEqual(found.pop("first pair"), {"keys/admin-s3.json"})
        self.assertEqual({name: paths for name, paths in found.items() if paths}, {})
        self.check_that_no_two_look_alike(len(written))

        self.start()
        self.check_bodies(written)

    def check_bodies(self, written):
        for dialect, bodies, brought in written.values():
            objects = Objects(self.cairn, dialect=dialect)
            for key, body in bodies.items():
                got = objects.ok("GET", "/bucket/" + key, headers=brought)
                self.assertEqual(got.body, body, key)
                if brought:
                    self.assertEqual(objects.ask("GET", "/bucket/" + key).code, "InvalidRequest")
                    wrong = customer(os.urandom(32), objects.vendor)
                    self.assertEqual(
                        objects.ask("GET", "/bucket/" + key, headers=wrong).code, "AccessDenied")

    def check_that_no_two_look_alike(self, ways):
        """One body that was written many times begins each time with other bytes, unless plain."""
        beginnings = [content[:1_024] for path, content in self.files()
                      if "/extents/" in "/" + path and len(content) > LARGE]
        self.assertGreaterEqual(len(beginnings), ways * (COPIES + 2))
        # Of the plain ones, all copies and what they were copied from are one.
        self.assertEqual(len(set(beginnings)), len(beginnings) - COPIES)


if __name__ == "__main__":
    unittest.main(verbosity=1)
