#!/usr/bin/env python3
"""Debian's boto3, unmodified, against the object service: boto3_client.py PATH_OF_CAIRN.

Debian's Python runs it (/usr/bin/python3): that is where the package lies.
"""

import base64
import hashlib
import http.client
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from datetime import datetime, timedelta, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

try:
    import boto3
    from boto3.s3.transfer import TransferConfig
    from botocore import UNSIGNED
    from botocore.client import Config
    from botocore.exceptions import ClientError
except ImportError:
    sys.exit("boto3 is not installed for this Python (apt-get install python3-boto3)")

other_account = "210987654321"
second = timedelta(seconds=1)

# What clients and people call things: bytes that URLs, XML or paths of files treat as their own.
odd_keys = [
    "a b", "a+b", "a%20b", "a%2Fb", "%", "100%", "ümlaut", "u\u0308mlaut", "日本語/鍵", "emoji😀",
    "a//b", "/lead", "//", "trail/", "a/../b", "a/./b", "...", "q?x=1", "h#f", "a&b=c", "<xml>&\"'",
    "tab\there", "new\nline", "cr\rhere", "*()!~'$,;:@[]{}|^`\\", " lead", "trail ", "a  b",
    "k" * 1024, "é" * 512,
]
# XML 1.0 has no way to say these; lists do, in their encoding for URLs.
control_keys = ["bell\x07", "\x01", "del\x7f", "esc\x1b[0m"]


class Both:
    """The servers of all tests: one over plain HTTP, and one with TLS."""

    @classmethod
    def start(cls, binary):
        cls.plain = Cairn(binary).start()
        folder = tempfile.mkdtemp(prefix="cairn-boto3-tls-")
        cls.certificate = os.path.join(folder, "certificate.pem")
        key = os.path.join(folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                        "-out", cls.certificate], check=True, capture_output=True)
        cls.tls = Cairn(binary, environment={"CAIRN_TLS__CERTIFICATE": cls.certificate,
                                             "CAIRN_TLS__KEY": key}).start()
        cls.folders = [folder, cls.plain.folder, cls.tls.folder]

    @classmethod
    def stop(cls):
        for server in (cls.plain, cls.tls):
            server.stop()
        for folder in cls.folders:
            shutil.rmtree(folder, ignore_errors=True)


def first_pair(server):
    with open(os.path.join(server.data, "keys/admin-s3.json")) as file:
        return json.load(file)


def client(server=None, pair=None, config=None, **more):
    server = server or Both.plain
    pair = pair or first_pair(server)
    return boto3.client("s3", endpoint_url=server.objects, region_name="us-east-1",
                        aws_access_key_id=pair["access_key_id"],
                        aws_secret_access_key=pair["secret_access_key"],
                        config=config or Config(signature_version="s3v4"),
                        verify=Both.certificate if server is Both.tls else None, **more)


def anonymous():
    return boto3.client("s3", endpoint_url=Both.plain.objects, region_name="us-east-1",
                        config=Config(signature_version=UNSIGNED))


def with_headers(base, operation, **headers):
    """The same client, sending header fields that this version has no parameter for."""
    def add(request, **_):
        for name, value in headers.items():
            request.headers[name.replace("_", "-")] = value
    base.meta.events.register("before-sign.s3." + operation, add)
    return base


def ask(method, url, body=None, headers=None):
    """Status, body and header fields, by a client that knows nothing of S3."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.request(method, url[url.index(parts.netloc) + len(parts.netloc):] or "/", body=body,
                       headers=headers or {})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text, answer.headers


def post_form(url, fields, file, name="f.txt", headers=None, boundary="XXX-boundary-of-a-test"):
    """Sends a form as a page does: its fields in their order, and then the file."""
    body = b""
    for field, value in fields.items():
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
    body += (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
             'Content-Type: text/plain\r\n\r\n').encode() + file + f"\r\n--{boundary}--\r\n".encode()
    return ask("POST", url, body, {"Content-Type": f"multipart/form-data; boundary={boundary}",
                                   **(headers or {})})


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.s3 = client()
        cls.owner = cls.s3.list_buckets()["Owner"]["ID"]
        pair = Both.plain.ok("POST", "/_security/object_key", {"account": other_account})
        cls.other = client(pair=pair)
        cls.other_id = cls.other.list_buckets()["Owner"]["ID"]

    def setUp(self):
        self.bucket = "boto3-" + self._testMethodName[5:].replace("_", "-")[:50]

    def make(self, **more):
        self.s3.create_bucket(Bucket=self.bucket, **more)

    def put(self, key, body=b"x", **more):
        return self.s3.put_object(Bucket=self.bucket, Key=key, Body=body, **more)

    def get(self, key, s3=None, **more):
        return (s3 or self.s3).get_object(Bucket=self.bucket, Key=key, **more)["Body"].read()

    def refused(self, code, call, *words, **more):
        with self.assertRaises(ClientError) as caught:
            call(*words, **more)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)
        return caught.exception.response


class Buckets(Case):
    def test_life(self):
        made = self.s3.create_bucket(Bucket=self.bucket)
        self.assertEqual(made["Location"], "/" + self.bucket)
        self.assertIn(self.bucket, [b["Name"] for b in self.s3.list_buckets()["Buckets"]])
        self.s3.head_bucket(Bucket=self.bucket)
        self.s3.create_bucket(Bucket=self.bucket)  # again, in us-east-1: nothing happens
        self.assertIsNone(self.s3.get_bucket_location(Bucket=self.bucket)["LocationConstraint"])
        self.refused("BucketAlreadyExists", self.other.create_bucket, Bucket=self.bucket)
        self.put("k")
        self.refused("BucketNotEmpty", self.s3.delete_bucket, Bucket=self.bucket)
        self.s3.delete_object(Bucket=self.bucket, Key="k")
        self.s3.delete_bucket(Bucket=self.bucket)
        self.refused("404", self.s3.head_bucket, Bucket=self.bucket)
        self.refused("NoSuchBucket", self.s3.list_objects_v2, Bucket=self.bucket)
        for name in ("No_Good", "192.168.0.1", "ab"):
            self.refused("InvalidBucketName", self.s3.create_bucket, Bucket=name)

    def test_location(self):
        self.make(CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        where = self.s3.get_bucket_location(Bucket=self.bucket)["LocationConstraint"]
        self.assertEqual(where, "eu-central-1")
        facts = self.s3.head_bucket(Bucket=self.bucket)["ResponseMetadata"]["HTTPHeaders"]
        self.assertEqual(facts["x-amz-bucket-region"], "eu-central-1")
        self.refused("InvalidLocationConstraint", self.s3.create_bucket, Bucket=self.bucket + "-2",
                     CreateBucketConfiguration={"LocationConstraint": "mars-1"})

    def test_tags_and_settings(self):
        self.make()
        self.refused("NoSuchTagSet", self.s3.get_bucket_tagging, Bucket=self.bucket)
        tags = {"TagSet": [{"Key": "team", "Value": "a + b"}, {"Key": "ümlaut", "Value": ""}]}
        self.s3.put_bucket_tagging(Bucket=self.bucket, Tagging=tags)
        self.assertEqual(self.s3.get_bucket_tagging(Bucket=self.bucket)["TagSet"], tags["TagSet"])
        self.s3.delete_bucket_tagging(Bucket=self.bucket)
        self.refused("NoSuchTagSet", self.s3.get_bucket_tagging, Bucket=self.bucket)
        self.s3.put_bucket_request_payment(Bucket=self.bucket,
                                           RequestPaymentConfiguration={"Payer": "Requester"})
        payer = self.s3.get_bucket_request_payment(Bucket=self.bucket)["Payer"]
        self.assertEqual(payer, "Requester")
        self.refused("AccessDenied", self.s3.list_objects_v2, Bucket=self.bucket,
                     ExpectedBucketOwner="000000000001")
        self.assertNotIn("LoggingEnabled", self.s3.get_bucket_logging(Bucket=self.bucket))
        self.refused("NoSuchWebsiteConfiguration", self.s3.get_bucket_website, Bucket=self.bucket)
        self.refused("ReplicationConfigurationNotFoundError", self.s3.get_bucket_replication,
                     Bucket=self.bucket)
        self.refused("NotImplemented", self.s3.put_bucket_website, Bucket=self.bucket,
                     WebsiteConfiguration={"IndexDocument": {"Suffix": "index.html"}})

    def test_encryption(self):
        self.make()
        self.refused("ServerSideEncryptionConfigurationNotFoundError",
                     self.s3.get_bucket_encryption, Bucket=self.bucket)
        rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"},
                "BucketKeyEnabled": False}
        self.s3.put_bucket_encryption(Bucket=self.bucket,
                                      ServerSideEncryptionConfiguration={"Rules": [rule]})
        kept = self.s3.get_bucket_encryption(Bucket=self.bucket)
        self.assertEqual(kept["ServerSideEncryptionConfiguration"]["Rules"], [rule])
        self.assertEqual(self.put("k", b"by default")["ServerSideEncryption"], "AES256")
        self.assertEqual(self.get("k"), b"by default")
        self.s3.delete_bucket_encryption(Bucket=self.bucket)
        self.assertNotIn("ServerSideEncryption", self.put("k"))
        self.put("asked", b"asked", ServerSideEncryption="AES256")
        self.assertEqual(self.s3.head_object(Bucket=self.bucket, Key="asked")
                         ["ServerSideEncryption"], "AES256")
        self.assertEqual(self.get("asked"), b"asked")
        self.refused("InvalidEncryptionAlgorithmError", self.put, "no",
                     ServerSideEncryption="AES512")

    def test_key_service(self):
        self.make()
        context = base64.b64encode(b'{"team":"a"}').decode()
        made = self.put("k", b"sealed", ServerSideEncryption="aws:kms", BucketKeyEnabled=True,
                        SSEKMSEncryptionContext=context)
        self.assertEqual((made["ServerSideEncryption"], made["BucketKeyEnabled"]),
                         ("aws:kms", True))
        self.assertRegex(made["SSEKMSKeyId"], "^arn:aws:kms:us-east-1:[0-9]{12}:key/")
        self.assertNotIn(hashlib.md5(b"sealed").hexdigest(), made["ETag"])
        facts = self.s3.get_object(Bucket=self.bucket, Key="k")
        self.assertEqual((facts["Body"].read(), facts["SSEKMSKeyId"]),
                         (b"sealed", made["SSEKMSKeyId"]))
        self.put("two", b"layers", ServerSideEncryption="aws:kms:dsse")
        self.assertEqual(self.get("two"), b"layers")
        self.s3.copy_object(Bucket=self.bucket, Key="open", ServerSideEncryption="AES256",
                            CopySource={"Bucket": self.bucket, "Key": "k"})
        self.assertEqual(self.get("open"), b"sealed")
        self.refused("KMS.NotFoundException", self.put, "no", ServerSideEncryption="aws:kms",
                     SSEKMSKeyId="alias/none")
        rule = {"ApplyServerSideEncryptionByDefault": {
            "SSEAlgorithm": "aws:kms", "KMSMasterKeyID": made["SSEKMSKeyId"]},
            "BucketKeyEnabled": True}
        self.s3.put_bucket_encryption(Bucket=self.bucket,
                                      ServerSideEncryptionConfiguration={"Rules": [rule]})
        large = os.urandom(9 << 20)
        self.s3.upload_fileobj(io.BytesIO(large), self.bucket, "large")
        self.assertEqual(self.s3.head_object(Bucket=self.bucket, Key="large")["SSEKMSKeyId"],
                         made["SSEKMSKeyId"])
        self.assertTrue(self.get("large") == large)

    def test_lifecycle(self):
        self.make()
        self.refused("NoSuchLifecycleConfiguration",
                     self.s3.get_bucket_lifecycle_configuration, Bucket=self.bucket)
        rules = [
            {"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "tmp/"},
             "Expiration": {"Days": 3}},
            {"ID": "versions", "Status": "Enabled",
             "Filter": {"And": {"Prefix": "a", "Tags": [{"Key": "k", "Value": "v"}]}},
             "NoncurrentVersionExpiration": {"NoncurrentDays": 2, "NewerNoncurrentVersions": 1}},
            {"ID": "uploads", "Status": "Disabled", "Filter": {},
             "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}]
        self.s3.put_bucket_lifecycle_configuration(Bucket=self.bucket,
                                                   LifecycleConfiguration={"Rules": rules})
        kept = self.s3.get_bucket_lifecycle_configuration(Bucket=self.bucket)["Rules"]
        self.assertEqual(len(kept), 3)
        self.assertEqual(kept[0]["Expiration"], {"Days": 3})
        self.assertEqual(kept[1], rules[1])
        self.assertIn('rule-id="old"', self.put("tmp/x")["Expiration"])
        self.assertNotIn("Expiration", self.put("other"))
        self.s3.delete_bucket_lifecycle(Bucket=self.bucket)
        self.refused("NoSuchLifecycleConfiguration",
                     self.s3.get_bucket_lifecycle_configuration, Bucket=self.bucket)
        self.refused("NotImplemented", self.s3.put_bucket_lifecycle_configuration,
                     Bucket=self.bucket, LifecycleConfiguration={"Rules": [
                         {"ID": "cold", "Status": "Enabled", "Filter": {"Prefix": ""},
                          "Transitions": [{"Days": 1, "StorageClass": "GLACIER"}]}]})

    def test_cors(self):
        self.make()
        self.put("k")
        self.refused("NoSuchCORSConfiguration", self.s3.get_bucket_cors, Bucket=self.bucket)
        url = f"{Both.plain.objects}/{self.bucket}/k"
        asked = {"Origin": "https://page.example.com", "Access-Control-Request-Method": "PUT",
                 "Access-Control-Request-Headers": "x-amz-meta-a, content-type"}
        self.assertEqual(ask("OPTIONS", url, headers=asked)[0], 403)
        rule = {"AllowedOrigins": ["https://*.example.com"], "AllowedMethods": ["GET", "PUT"],
                "AllowedHeaders": ["*"], "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 60}
        self.s3.put_bucket_cors(Bucket=self.bucket, CORSConfiguration={"CORSRules": [rule]})
        self.assertEqual(self.s3.get_bucket_cors(Bucket=self.bucket)["CORSRules"], [rule])
        status, _, head = ask("OPTIONS", url, headers=asked)
        self.assertEqual(status, 200)
        self.assertEqual(head["Access-Control-Allow-Origin"], "https://page.example.com")
        self.assertEqual(head["Access-Control-Max-Age"], "60")
        signed = self.s3.generate_presigned_url("get_object",
                                                Params={"Bucket": self.bucket, "Key": "k"})
        status, _, head = ask("GET", signed, headers={"Origin": "https://page.example.com"})
        self.assertEqual(status, 200)
        self.assertEqual(head["Access-Control-Expose-Headers"], "ETag")
        self.assertIsNone(ask("GET", signed, headers={"Origin": "https://example.org"})
                          [2]["Access-Control-Allow-Origin"])
        self.s3.delete_bucket_cors(Bucket=self.bucket)
        self.refused("NoSuchCORSConfiguration", self.s3.get_bucket_cors, Bucket=self.bucket)


class Objects(Case):
    def test_sizes(self):
        self.make()
        large = os.urandom(20_000_000)
        parts = TransferConfig(multipart_threshold=8 << 20, multipart_chunksize=8 << 20)
        for name, body, etag in (("empty", b"", None), ("one", b"1", None), ("large", large, "-3")):
            self.s3.upload_fileobj(io.BytesIO(body), self.bucket, name, Config=parts)
            facts = self.s3.head_object(Bucket=self.bucket, Key=name)
            self.assertEqual(facts["ContentLength"], len(body))
            self.assertIn(etag or hashlib.md5(body).hexdigest(), facts["ETag"])
            back = io.BytesIO()
            self.s3.download_fileobj(self.bucket, name, back, Config=parts)  # in ranges
            self.assertTrue(back.getvalue() == body, name)
            self.assertTrue(self.get(name) == body, name)
        piece = self.s3.get_object(Bucket=self.bucket, Key="large", PartNumber=3)
        self.assertTrue(piece["Body"].read() == large[16 << 20:])
        self.assertEqual(piece["PartsCount"], 3)
        # A managed copy of a large object goes by UploadPartCopy, of a small one by CopyObject.
        for name, body in (("one", b"1"), ("large", large)):
            self.s3.copy({"Bucket": self.bucket, "Key": name}, self.bucket, "copy/" + name,
                         Config=parts)
            self.assertTrue(self.get("copy/" + name) == body, name)

    def test_what_is_said(self):
        self.make()
        said = {"ContentType": "text/x-test", "CacheControl": "no-store", "ContentLanguage": "en",
                "ContentDisposition": 'attachment; filename="ü.txt"'.encode("ascii", "ignore")
                .decode(), "ContentEncoding": "identity", "WebsiteRedirectLocation": "/there",
                "StorageClass": "STANDARD_IA", "Metadata": {"color": "red", "a-b": "x y"}}
        self.put("k", b"0123456789", Tagging="a=1&b=x%20y", **said)
        facts = self.s3.get_object(Bucket=self.bucket, Key="k")
        for name, value in said.items():
            self.assertEqual(facts[name], value)
        self.assertEqual(facts["TagCount"], 2)
        self.assertEqual(facts["AcceptRanges"], "bytes")
        over = self.s3.get_object(Bucket=self.bucket, Key="k", ResponseContentType="text/other",
                                  ResponseCacheControl="max-age=1", Range="bytes=2-4")
        self.assertEqual((over["ContentType"], over["CacheControl"]), ("text/other", "max-age=1"))
        self.assertEqual((over["Body"].read(), over["ContentRange"]), (b"234", "bytes 2-4/10"))
        self.assertEqual(self.get("k", Range="bytes=-3"), b"789")
        self.refused("InvalidRange", self.get, "k", Range="bytes=10-")
        self.refused("MetadataTooLarge", self.put, "k2", Metadata={"a": "x" * 2048})
        self.refused("InvalidStorageClass", self.put, "k2", StorageClass="OUTPOSTS")
        self.refused("KeyTooLongError", self.put, "k" * 1025)
        self.assertEqual(self.refused("NoSuchKey", self.get, "none")["Error"]["Key"], "none")

    def test_checksums(self):
        self.make()
        body = os.urandom(100_000)
        for server in (Both.plain, Both.tls):  # over TLS they follow the body, in its trailer
            s3 = client(server)
            s3.create_bucket(Bucket=self.bucket)
            for name in ("CRC32", "SHA1", "SHA256"):
                made = s3.put_object(Bucket=self.bucket, Key=name, Body=body,
                                     ChecksumAlgorithm=name)
                facts = s3.get_object(Bucket=self.bucket, Key=name, ChecksumMode="ENABLED")
                self.assertEqual(facts["Checksum" + name], made["Checksum" + name])
                self.assertTrue(facts["Body"].read() == body)  # the client verifies it
            parts = s3.get_object_attributes(Bucket=self.bucket, Key="SHA256",
                                             ObjectAttributes=["Checksum", "ObjectSize", "ETag"])
            self.assertEqual(parts["ObjectSize"], len(body))
            self.assertEqual(parts["Checksum"]["ChecksumSHA256"],
                             facts["ChecksumSHA256"])
        self.refused("BadDigest", self.put, "bad", ChecksumCRC32="AAAAAA==")
        self.refused("BadDigest", self.put, "bad", ContentMD5="AAAAAAAAAAAAAAAAAAAAAA==")
        self.refused("InvalidDigest", self.put, "bad", ContentMD5="AAAA")
        for fields in ({"x_amz_checksum_sha512": "AAAA"},
                       {"x_amz_sdk_checksum_algorithm": "XXHASH64"}):
            other = with_headers(client(), "PutObject", **fields)
            self.refused("InvalidRequest", other.put_object, Bucket=self.bucket, Key="bad",
                         Body=b"")

    def test_conditions(self):
        self.make()
        etag = self.put("k", b"one")["ETag"]
        self.assertEqual(self.get("k", IfMatch=etag), b"one")
        self.refused("PreconditionFailed", self.get, "k", IfMatch='"x"')
        self.refused("304", self.get, "k", IfNoneMatch=etag)
        now = datetime.now(timezone.utc)
        self.refused("304", self.get, "k", IfModifiedSince=now + 0 * second)
        self.refused("PreconditionFailed", self.get, "k", IfUnmodifiedSince=now - 3600 * second)
        make = with_headers(client(), "PutObject", If_None_Match="*")
        self.refused("PreconditionFailed", make.put_object, Bucket=self.bucket, Key="k", Body=b"2")
        make.put_object(Bucket=self.bucket, Key="fresh", Body=b"2")
        change = with_headers(client(), "PutObject", If_Match=etag)
        change.put_object(Bucket=self.bucket, Key="k", Body=b"two")
        self.refused("PreconditionFailed", change.put_object, Bucket=self.bucket, Key="k", Body=b"")
        self.refused("NoSuchKey", change.put_object, Bucket=self.bucket, Key="none", Body=b"")
        self.assertEqual(self.get("k"), b"two")
        drop = with_headers(client(), "DeleteObject", If_Match=etag)
        self.refused("PreconditionFailed", drop.delete_object, Bucket=self.bucket, Key="k")

    def test_copies(self):
        self.make()
        etag = self.put("a b+c/ü", b"source", Metadata={"m": "1"}, Tagging="t=1",
                        ContentType="text/plain")["ETag"]
        source = {"Bucket": self.bucket, "Key": "a b+c/ü"}
        copy = lambda **more: self.s3.copy_object(  # noqa: E731
            Bucket=self.bucket, Key="to", CopySource=source, **more)
        self.assertEqual(copy()["CopyObjectResult"]["ETag"], etag)
        facts = self.s3.head_object(Bucket=self.bucket, Key="to")
        self.assertEqual((facts["Metadata"], facts["ContentType"]), ({"m": "1"}, "text/plain"))
        tags = self.s3.get_object_tagging(Bucket=self.bucket, Key="to")["TagSet"]
        self.assertEqual(tags, [{"Key": "t", "Value": "1"}])
        copy(MetadataDirective="REPLACE", Metadata={"n": "2"}, TaggingDirective="REPLACE",
             Tagging="u=2", StorageClass="ONEZONE_IA")
        facts = self.s3.head_object(Bucket=self.bucket, Key="to")
        self.assertEqual((facts["Metadata"], facts["StorageClass"]), ({"n": "2"}, "ONEZONE_IA"))
        copy(CopySourceIfMatch=etag)
        self.refused("PreconditionFailed", copy, CopySourceIfMatch='"x"')
        self.refused("PreconditionFailed", copy, CopySourceIfNoneMatch=etag)
        self.refused("AccessDenied", copy, ExpectedSourceBucketOwner="000000000001")
        self.refused("InvalidRequest", self.s3.copy_object, Bucket=self.bucket, Key="a b+c/ü",
                     CopySource=source)
        self.refused("NoSuchKey", self.s3.copy_object, Bucket=self.bucket, Key="to",
                     CopySource={"Bucket": self.bucket, "Key": "none"})
        self.assertIn("ChecksumSHA256", copy(ChecksumAlgorithm="SHA256")["CopyObjectResult"])

    def test_deletes(self):
        self.make()
        for i in range(30):
            self.put(f"n/{i}")
        names = [{"Key": f"n/{i}"} for i in range(1000)]
        done = self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": names})
        self.assertEqual([d["Key"] for d in done["Deleted"]], [n["Key"] for n in names])
        quiet = self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": names, "Quiet": True})
        self.assertNotIn("Deleted", quiet)
        self.refused("MalformedXML", self.s3.delete_objects, Bucket=self.bucket,
                     Delete={"Objects": names + [{"Key": "one more"}]})
        self.assertEqual(self.s3.list_objects_v2(Bucket=self.bucket)["KeyCount"], 0)

    def test_archives(self):
        self.make()
        self.put("k", b"cold", StorageClass="GLACIER")
        self.refused("InvalidObjectState", self.get, "k")
        self.refused("InvalidObjectState", self.s3.copy_object, Bucket=self.bucket, Key="to",
                     CopySource={"Bucket": self.bucket, "Key": "k"})
        self.s3.restore_object(Bucket=self.bucket, Key="k", RestoreRequest={
            "Days": 2, "GlacierJobParameters": {"Tier": "Standard"}})
        self.assertIn('ongoing-request="false"',
                      self.s3.head_object(Bucket=self.bucket, Key="k")["Restore"])
        self.assertEqual(self.get("k"), b"cold")

    def test_tags(self):
        self.make()
        self.put("k")
        where = {"Bucket": self.bucket, "Key": "k"}
        self.assertEqual(self.s3.get_object_tagging(**where)["TagSet"], [])
        tags = [{"Key": f"k{i}", "Value": "v/:=+-@ " + str(i)} for i in range(10)]
        self.s3.put_object_tagging(Tagging={"TagSet": tags}, **where)
        self.assertEqual(self.s3.get_object_tagging(**where)["TagSet"], tags)
        self.refused("BadRequest", self.s3.put_object_tagging,
                     Tagging={"TagSet": tags + [{"Key": "more", "Value": ""}]}, **where)
        self.refused("InvalidTag", self.s3.put_object_tagging,
                     Tagging={"TagSet": [tags[0], tags[0]]}, **where)
        self.s3.delete_object_tagging(**where)
        self.assertEqual(self.s3.get_object_tagging(**where)["TagSet"], [])


class Keys(Case):
    def test_odd(self):
        self.make()
        keys = sorted(odd_keys, key=lambda key: key.encode())
        for key in keys:
            self.put(key, key.encode())
        for key in keys:
            self.assertEqual(self.get(key), key.encode())
            self.assertEqual(self.s3.head_object(Bucket=self.bucket, Key=key)["ContentLength"],
                             len(key.encode()))
        seen = [o["Key"] for page in self.s3.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket, PaginationConfig={"PageSize": 7}) for o in page["Contents"]]
        self.assertEqual(seen, keys)
        seen = [o["Key"] for page in self.s3.get_paginator("list_objects").paginate(
            Bucket=self.bucket, PaginationConfig={"PageSize": 7}) for o in page["Contents"]]
        self.assertEqual(seen, keys)
        seen = [o["Key"] for page in self.s3.get_paginator("list_object_versions").paginate(
            Bucket=self.bucket, PaginationConfig={"PageSize": 7}) for o in page["Versions"]]
        self.assertEqual(seen, keys)
        for key in keys:
            self.s3.copy_object(Bucket=self.bucket, Key="copy of " + key[:400],
                                CopySource={"Bucket": self.bucket, "Key": key})
            url = self.s3.generate_presigned_url("get_object",
                                                 Params={"Bucket": self.bucket, "Key": key})
            self.assertEqual(ask("GET", url)[:2], (200, key.encode()))
        gone = self.s3.delete_objects(Bucket=self.bucket,
                                      Delete={"Objects": [{"Key": key} for key in keys]})
        self.assertNotIn("Errors", gone)
        self.assertEqual([d["Key"] for d in gone["Deleted"]], keys)
        left = self.s3.list_objects_v2(Bucket=self.bucket)["Contents"]
        self.assertTrue(all(o["Key"].startswith("copy of ") for o in left))

    def test_control_characters(self):
        self.make()
        for key in control_keys:
            self.put(key, key.encode())
            self.assertEqual(self.get(key), key.encode())
        listed = self.s3.list_objects_v2(Bucket=self.bucket, EncodingType="url")
        self.assertEqual([urllib.parse.unquote_plus(o["Key"]) for o in listed["Contents"]],
                         sorted(control_keys))
        for key in control_keys:
            self.s3.delete_object(Bucket=self.bucket, Key=key)
        self.s3.delete_bucket(Bucket=self.bucket)

    def test_prefixes(self):
        self.make()
        for key in ("a/1", "a/2", "a b/1", "ä/1", "a//x", "b", "c+/1", "c+/2", "%/1"):
            self.put(key)
        page = self.s3.list_objects_v2(Bucket=self.bucket, Delimiter="/", FetchOwner=True)
        self.assertEqual([p["Prefix"] for p in page["CommonPrefixes"]],
                         ["%/", "a b/", "a/", "c+/", "ä/"])
        self.assertEqual([o["Key"] for o in page["Contents"]], ["b"])
        self.assertEqual(page["Contents"][0]["Owner"]["ID"], self.owner)
        self.assertEqual(page["KeyCount"], 6)
        found = []
        token = {}
        while True:
            page = self.s3.list_objects_v2(Bucket=self.bucket, Delimiter="/", MaxKeys=1, **token)
            found += [p["Prefix"] for p in page.get("CommonPrefixes", [])]
            found += [o["Key"] for o in page.get("Contents", [])]
            if not page["IsTruncated"]:
                break
            token = {"ContinuationToken": page["NextContinuationToken"]}
        self.assertEqual(found, ["%/", "a b/", "a/", "b", "c+/", "ä/"])
        under = self.s3.list_objects_v2(Bucket=self.bucket, Prefix="a/", Delimiter="/")
        self.assertEqual([o["Key"] for o in under["Contents"]], ["a/1", "a/2"])
        self.assertEqual(under["CommonPrefixes"], [{"Prefix": "a//"}])
        after = self.s3.list_objects_v2(Bucket=self.bucket, StartAfter="c+/1")
        self.assertEqual([o["Key"] for o in after["Contents"]], ["c+/2", "ä/1"])
        old = self.s3.list_objects(Bucket=self.bucket, Delimiter="/", MaxKeys=2)
        self.assertEqual(old["NextMarker"], "a b/")
        self.assertEqual(self.s3.list_objects_v2(Bucket=self.bucket, MaxKeys=0)["KeyCount"], 0)


class Versions(Case):
    def test_versions(self):
        self.make()
        self.put("k", b"before")
        state = lambda word: self.s3.put_bucket_versioning(  # noqa: E731
            Bucket=self.bucket, VersioningConfiguration={"Status": word})
        self.assertNotIn("Status", self.s3.get_bucket_versioning(Bucket=self.bucket))
        state("Enabled")
        ids = [self.put("k", body)["VersionId"] for body in (b"1", b"2")]
        self.assertEqual(self.get("k"), b"2")
        self.assertEqual(self.get("k", VersionId=ids[0]), b"1")
        self.assertEqual(self.get("k", VersionId="null"), b"before")
        marker = self.s3.delete_object(Bucket=self.bucket, Key="k")
        self.assertTrue(marker["DeleteMarker"])
        self.refused("NoSuchKey", self.get, "k")
        self.refused("MethodNotAllowed", self.get, "k", VersionId=marker["VersionId"])
        listed = self.s3.list_object_versions(Bucket=self.bucket)
        self.assertEqual([v["VersionId"] for v in listed["Versions"]], [ids[1], ids[0], "null"])
        self.assertTrue(listed["DeleteMarkers"][0]["IsLatest"])
        back = self.s3.copy_object(Bucket=self.bucket, Key="k", CopySource={
            "Bucket": self.bucket, "Key": "k", "VersionId": ids[0]})
        self.assertEqual(back["CopySourceVersionId"], ids[0])
        self.assertNotIn(back["VersionId"], ids)
        self.assertEqual(self.get("k"), b"1")
        self.s3.delete_object(Bucket=self.bucket, Key="k", VersionId=back["VersionId"])
        self.s3.delete_object(Bucket=self.bucket, Key="k", VersionId=marker["VersionId"])
        self.assertEqual(self.get("k"), b"2")
        self.refused("NoSuchVersion", self.get, "k", VersionId=back["VersionId"])
        state("Suspended")
        self.assertEqual(self.put("k", b"null again").get("VersionId", "null"), "null")
        self.assertEqual(self.get("k", VersionId="null"), b"null again")
        self.refused("BucketNotEmpty", self.s3.delete_bucket, Bucket=self.bucket)
        boto3.resource("s3", endpoint_url=Both.plain.objects, region_name="us-east-1",
                       aws_access_key_id=first_pair(Both.plain)["access_key_id"],
                       aws_secret_access_key=first_pair(Both.plain)["secret_access_key"]
                       ).Bucket(self.bucket).object_versions.delete()
        self.s3.delete_bucket(Bucket=self.bucket)

    def test_lock(self):
        self.make(ObjectLockEnabledForBucket=True)
        rule = {"ObjectLockEnabled": "Enabled",
                "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}}}
        self.s3.put_object_lock_configuration(Bucket=self.bucket, ObjectLockConfiguration=rule)
        kept = self.s3.get_object_lock_configuration(Bucket=self.bucket)["ObjectLockConfiguration"]
        self.assertEqual(kept, rule)
        version = self.put("k", b"locked", ContentMD5=self.md5(b"locked"))["VersionId"]
        facts = self.s3.head_object(Bucket=self.bucket, Key="k")
        self.assertEqual(facts["ObjectLockMode"], "GOVERNANCE")
        where = {"Bucket": self.bucket, "Key": "k", "VersionId": version}
        self.refused("AccessDenied", self.s3.delete_object, **where)
        self.assertTrue(self.s3.delete_object(Bucket=self.bucket, Key="k")["DeleteMarker"])
        self.s3.delete_object(BypassGovernanceRetention=True, **where)

        until = (datetime.now(timezone.utc) + timedelta(days=2)).replace(microsecond=0)
        version = self.put("c", b"c", ObjectLockMode="COMPLIANCE", ObjectLockRetainUntilDate=until,
                           ContentMD5=self.md5(b"c"))["VersionId"]
        where = {"Bucket": self.bucket, "Key": "c", "VersionId": version}
        kept = self.s3.get_object_retention(**where)["Retention"]
        self.assertEqual(kept, {"Mode": "COMPLIANCE", "RetainUntilDate": until})
        self.refused("AccessDenied", self.s3.delete_object, BypassGovernanceRetention=True, **where)
        shorter = {"Mode": "COMPLIANCE", "RetainUntilDate": until - timedelta(days=1)}
        self.refused("AccessDenied", self.s3.put_object_retention, Retention=shorter,
                     BypassGovernanceRetention=True, **where)
        longer = {"Mode": "COMPLIANCE", "RetainUntilDate": until + timedelta(days=1)}
        self.s3.put_object_retention(Retention=longer, **where)

        version = self.put("h", b"h", ObjectLockLegalHoldStatus="ON",
                           ContentMD5=self.md5(b"h"))["VersionId"]
        where = {"Bucket": self.bucket, "Key": "h", "VersionId": version}
        self.refused("AccessDenied", self.s3.delete_object, BypassGovernanceRetention=True, **where)
        self.s3.put_object_legal_hold(LegalHold={"Status": "OFF"}, **where)
        self.assertEqual(self.s3.get_object_legal_hold(**where)["LegalHold"], {"Status": "OFF"})
        self.s3.delete_object(BypassGovernanceRetention=True, **where)
        self.refused("InvalidBucketState", self.s3.put_bucket_versioning, Bucket=self.bucket,
                     VersioningConfiguration={"Status": "Suspended"})

    @staticmethod
    def md5(body):
        return base64.b64encode(hashlib.md5(body).digest()).decode()


class Uploads(Case):
    def test_parts(self):
        self.make()
        where = {"Bucket": self.bucket, "Key": "parts of ü"}
        begun = self.s3.create_multipart_upload(ContentType="text/x-parts", Metadata={"m": "1"},
                                                Tagging="t=1", **where)["UploadId"]
        five = os.urandom(5 << 20)
        part = lambda number, body: {"PartNumber": number, "ETag": self.s3.upload_part(  # noqa: E731
            UploadId=begun, PartNumber=number, Body=body, **where)["ETag"]}
        parts = [part(1, five), part(2, b"end")]
        self.put("source", b"0123456789")
        copied = self.s3.upload_part_copy(UploadId=begun, PartNumber=3, CopySourceRange="bytes=2-4",
                                          CopySource={"Bucket": self.bucket, "Key": "source"},
                                          **where)["CopyPartResult"]["ETag"]
        listed = self.s3.list_parts(UploadId=begun, MaxParts=2, **where)
        self.assertEqual([(p["PartNumber"], p["Size"]) for p in listed["Parts"]],
                         [(1, 5 << 20), (2, 3)])
        self.assertTrue(listed["IsTruncated"])
        self.assertEqual(listed["NextPartNumberMarker"], 2)
        uploads = self.s3.list_multipart_uploads(Bucket=self.bucket)["Uploads"]
        self.assertEqual([(u["Key"], u["UploadId"]) for u in uploads], [(where["Key"], begun)])

        done = lambda parts: self.s3.complete_multipart_upload(  # noqa: E731
            UploadId=begun, MultipartUpload={"Parts": parts}, **where)
        self.refused("InvalidPartOrder", done, parts[::-1])
        self.refused("InvalidPart", done, [{"PartNumber": 9, "ETag": parts[0]["ETag"]}])
        self.refused("EntityTooSmall", done, [parts[1], {"PartNumber": 3, "ETag": copied}])
        whole = done(parts)
        self.assertTrue(whole["ETag"].endswith('-2"'))
        self.assertEqual(whole["Key"], where["Key"])
        self.refused("NoSuchUpload", done, parts)
        facts = self.s3.get_object(**where)
        self.assertEqual((facts["ContentType"], facts["Metadata"]), ("text/x-parts", {"m": "1"}))
        self.assertTrue(facts["Body"].read() == five + b"end")

    def test_aborts(self):
        self.make()
        where = {"Bucket": self.bucket, "Key": "k"}
        ids = [self.s3.create_multipart_upload(**where)["UploadId"] for _ in range(3)]
        for upload in ids:
            self.s3.upload_part(UploadId=upload, PartNumber=1, Body=b"x", **where)
        pages = self.s3.get_paginator("list_multipart_uploads").paginate(
            Bucket=self.bucket, PaginationConfig={"PageSize": 1})
        self.assertEqual(sorted(u["UploadId"] for page in pages for u in page["Uploads"]),
                         sorted(ids))
        for upload in ids:
            self.s3.abort_multipart_upload(UploadId=upload, **where)
            self.refused("NoSuchUpload", self.s3.list_parts, UploadId=upload, **where)
        self.assertNotIn("Uploads", self.s3.list_multipart_uploads(Bucket=self.bucket))
        self.refused("NoSuchUpload", self.s3.upload_part, UploadId="none", PartNumber=1, Body=b"",
                     **where)

    def test_checksums_of_parts(self):
        self.make()
        where = {"Bucket": self.bucket, "Key": "k"}
        begun = self.s3.create_multipart_upload(ChecksumAlgorithm="SHA256", **where)["UploadId"]
        made = self.s3.upload_part(UploadId=begun, PartNumber=1, Body=b"x",
                                   ChecksumAlgorithm="SHA256", **where)
        part = {"PartNumber": 1, "ETag": made["ETag"], "ChecksumSHA256": made["ChecksumSHA256"]}
        wrong = dict(part, ChecksumSHA256=self.put("y", b"y", ChecksumAlgorithm="SHA256")
                     ["ChecksumSHA256"])
        done = lambda part: self.s3.complete_multipart_upload(  # noqa: E731
            UploadId=begun, MultipartUpload={"Parts": [part]}, **where)
        self.refused("InvalidPart", done, wrong)
        self.assertTrue(done(part)["ChecksumSHA256"].endswith("-1"))
        parts = self.s3.get_object_attributes(ObjectAttributes=["ObjectParts"], **where)
        self.assertEqual(parts["ObjectParts"]["TotalPartsCount"], 1)


class Access(Case):
    def test_presigned(self):
        self.make()
        sign = lambda what, **more: self.s3.generate_presigned_url(  # noqa: E731
            what, Params={"Bucket": self.bucket, "Key": "a b+ü", **more}, ExpiresIn=60)
        self.assertEqual(ask("PUT", sign("put_object"), b"by URL")[0], 200)
        self.assertEqual(ask("GET", sign("get_object"))[:2], (200, b"by URL"))
        self.assertEqual(ask("HEAD", sign("head_object"))[0], 200)
        status, _, head = ask("GET", sign("get_object", ResponseContentType="text/told"))
        self.assertEqual((status, head["Content-Type"]), (200, "text/told"))
        url = sign("get_object")
        self.assertEqual(ask("PUT", url, b"")[0], 403)
        status, text, _ = ask("GET", url[:-1] + ("1" if url[-1] == "0" else "0"))
        self.assertIn(b"<Code>SignatureDoesNotMatch</Code>", text)
        typed = sign("put_object", ContentType="text/told")
        self.assertEqual(ask("PUT", typed, b"", {"Content-Type": "text/other"})[0], 403)
        self.assertEqual(ask("PUT", typed, b"", {"Content-Type": "text/told"})[0], 200)
        self.assertEqual(ask("DELETE", sign("delete_object"))[0], 204)
        self.refused("NoSuchKey", self.get, "a b+ü")

    def test_presigned_post(self):
        """Forms that boto3 signs, by the one version of the signature and the other."""
        self.make()
        for version in ("s3v4", "s3"):
            s3 = client(config=Config(signature_version=version))
            fields = {"acl": "private", "Content-Type": "image/png", "x-amz-meta-color": "grün",
                      "success_action_status": "201"}
            form = s3.generate_presigned_post(
                self.bucket, "ümlaut/${filename}", Fields=dict(fields),
                Conditions=[{name: value} for name, value in fields.items()]
                + [["content-length-range", 1, 10]], ExpiresIn=60)
            self.assertEqual("AWSAccessKeyId" in form["fields"], version == "s3")
            status, text, head = post_form(form["url"], form["fields"], b"picture", "C:\\p\\a b.png")
            self.assertEqual(status, 201, text)
            self.assertIn("<Key>ümlaut/a b.png</Key>".encode(), text)
            self.assertEqual(self.get("ümlaut/a b.png"), b"picture")
            facts = self.s3.head_object(Bucket=self.bucket, Key="ümlaut/a b.png")
            self.assertEqual(facts["ContentType"], "image/png")
            self.assertEqual(facts["ETag"], head["ETag"])
            location = text.partition(b"<Location>")[2].partition(b"</Location>")[0].decode()
            self.assertEqual(location, head["Location"])
            self.assertEqual(ask("GET", location)[0], 403)  # it is there, and private
            for file, code in ((b"", b"EntityTooSmall"), (b"x" * 11, b"EntityTooLarge")):
                status, text, _ = post_form(form["url"], form["fields"], file, "n")
                self.assertEqual(status, 400)
                self.assertIn(b"<Code>" + code + b"</Code>", text)
            for changed in ({"acl": "public-read"}, {"key": "other"}, {"more": "1"}):
                status, text, _ = post_form(form["url"], {**form["fields"], **changed}, b"x")
                self.assertEqual(status, 403)
                self.assertIn(b"Invalid according to Policy: ", text)
            sign = "signature" if version == "s3" else "x-amz-signature"
            status, text, _ = post_form(form["url"], {**form["fields"], sign: "0" * 64}, b"x")
            self.assertIn(b"<Code>SignatureDoesNotMatch</Code>", text)
            self.s3.delete_object(Bucket=self.bucket, Key="ümlaut/a b.png")
            self.assertNotIn("Contents", self.s3.list_objects_v2(Bucket=self.bucket))

    def test_presigned_post_of_a_large_file(self):
        self.make()
        form = self.s3.generate_presigned_post(self.bucket, "k", ExpiresIn=60)
        status, text, head = post_form(form["url"], form["fields"], b"x")
        self.assertEqual((status, text), (204, b""))
        self.assertTrue(head["Location"].endswith(f"/{self.bucket}/k"), head["Location"])
        large = os.urandom(20_000_000)
        status, text, _ = post_form(form["url"], form["fields"], large)
        self.assertEqual(status, 204, text)
        self.assertTrue(self.get("k") == large)

    def test_presigned_version_two(self):
        """What boto3 makes by itself for us-east-1 and some other regions."""
        self.make()
        old = client(config=Config(signature_version="s3"))
        sign = lambda what, **more: old.generate_presigned_url(  # noqa: E731
            what, Params={"Bucket": self.bucket, "Key": "a b+ü", **more}, ExpiresIn=60)
        self.assertNotIn("X-Amz-Signature", sign("get_object"))
        self.assertEqual(ask("PUT", sign("put_object", Metadata={"color": "red"}), b"by URL")[0], 200)
        status, text, head = ask("GET", sign("get_object", ResponseContentType="text/told"))
        self.assertEqual((status, text, head["Content-Type"]), (200, b"by URL", "text/told"))
        self.assertEqual(head["x-amz-meta-color"], "red")
        self.assertEqual(ask("HEAD", sign("head_object"))[0], 200)
        url = sign("get_object")
        self.assertEqual(ask("PUT", url, b"")[0], 403)
        self.assertEqual(ask("GET", url.replace("Expires=", "Expires=9"))[0], 403)
        self.assertEqual(ask("GET", url + "&attributes")[0], 403)
        self.assertEqual(ask("DELETE", sign("delete_object"))[0], 204)
        own = client(config=Config()).generate_presigned_url(
            "get_object", Params={"Bucket": self.bucket, "Key": "k"})
        self.put("k", b"mine")
        self.assertEqual(ask("GET", own)[:2], (200, b"mine"))

    def test_acl(self):
        self.make(ObjectOwnership="ObjectWriter")
        self.put("k", b"seen")
        where = {"Bucket": self.bucket, "Key": "k"}
        own = self.s3.get_object_acl(**where)
        self.assertEqual(own["Owner"]["ID"], self.owner)
        self.assertEqual([g["Permission"] for g in own["Grants"]], ["FULL_CONTROL"])
        self.refused("AccessDenied", self.get, "k", s3=anonymous())
        self.refused("AccessDenied", self.s3.put_object_acl, ACL="public-read", **where)
        self.s3.delete_public_access_block(Bucket=self.bucket)
        self.s3.put_object_acl(ACL="public-read", **where)
        self.assertEqual(self.get("k", s3=anonymous()), b"seen")
        self.refused("AccessDenied", anonymous().put_object, Body=b"", **where)
        self.refused("AccessDenied", anonymous().list_objects_v2, Bucket=self.bucket)
        self.s3.put_bucket_acl(Bucket=self.bucket, ACL="public-read")
        self.assertEqual(anonymous().list_objects_v2(Bucket=self.bucket)["KeyCount"], 1)
        self.s3.put_object_acl(ACL="private", **where)
        self.refused("AccessDenied", self.get, "k", s3=self.other)
        self.s3.put_object_acl(GrantRead=f'id="{self.other_id}"', **where)
        self.assertEqual(self.get("k", s3=self.other), b"seen")
        grants = self.s3.get_object_acl(**where)
        self.s3.put_object_acl(AccessControlPolicy={"Owner": grants["Owner"],
                                                    "Grants": grants["Grants"]}, **where)
        self.assertEqual(self.s3.get_object_acl(**where)["Grants"], grants["Grants"])
        self.s3.put_bucket_acl(Bucket=self.bucket, GrantWrite=f'id="{self.other_id}"')
        self.other.put_object(Bucket=self.bucket, Key="theirs", Body=b"t")
        self.refused("AccessDenied", self.get, "theirs")
        self.refused("UnresolvableGrantByEmailAddress", self.s3.put_object_acl,
                     GrantRead='emailAddress="a@example.com"', **where)

    def test_ownership(self):
        self.make()
        rules = self.s3.get_bucket_ownership_controls(Bucket=self.bucket)["OwnershipControls"]
        self.assertEqual(rules, {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]})
        self.put("k")
        self.refused("AccessControlListNotSupported", self.s3.put_object_acl, Bucket=self.bucket,
                     Key="k", ACL="public-read")
        self.s3.put_bucket_ownership_controls(Bucket=self.bucket, OwnershipControls={
            "Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]})
        self.s3.put_object_acl(Bucket=self.bucket, Key="k", ACL="bucket-owner-full-control")
        blocked = self.s3.get_public_access_block(Bucket=self.bucket)
        self.assertTrue(all(blocked["PublicAccessBlockConfiguration"].values()))
        self.refused("InvalidBucketAclWithObjectOwnership", self.s3.create_bucket,
                     Bucket=self.bucket + "-2", ACL="public-read")

    def test_policy(self):
        self.make()
        self.put("open/k", b"seen")
        self.put("shut/k", b"hidden")
        self.refused("NoSuchBucketPolicy", self.s3.get_bucket_policy, Bucket=self.bucket)
        arn = "arn:aws:s3:::" + self.bucket
        statement = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{other_account}:root"},
                     "Action": ["s3:GetObject"], "Resource": [arn + "/open/*"]}
        put = lambda *statements: self.s3.put_bucket_policy(  # noqa: E731
            Bucket=self.bucket,
            Policy=json.dumps({"Version": "2012-10-17", "Statement": list(statements)}))
        put(statement)
        self.assertEqual(self.get("open/k", s3=self.other), b"seen")
        self.refused("AccessDenied", self.get, "shut/k", s3=self.other)
        self.refused("AccessDenied", self.get, "open/k", s3=anonymous())
        self.refused("AccessDenied", self.other.put_object, Bucket=self.bucket, Key="open/x")
        status = self.s3.get_bucket_policy_status(Bucket=self.bucket)["PolicyStatus"]
        self.assertFalse(status["IsPublic"])
        all_read = dict(statement, Principal="*")
        self.refused("AccessDenied", put, all_read)  # the block of public access
        self.s3.put_public_access_block(Bucket=self.bucket, PublicAccessBlockConfiguration={
            "BlockPublicAcls": True, "IgnorePublicAcls": True, "BlockPublicPolicy": False,
            "RestrictPublicBuckets": False})
        put(all_read, {"Effect": "Deny", "Principal": {"AWS": other_account},
                       "Action": "s3:*", "Resource": arn + "/*"})
        self.assertEqual(self.get("open/k", s3=anonymous()), b"seen")
        self.assertEqual(ask("GET", f"{Both.plain.objects}/{self.bucket}/open/k")[1], b"seen")
        self.refused("AccessDenied", self.get, "open/k", s3=self.other)
        self.assertTrue(self.s3.get_bucket_policy_status(Bucket=self.bucket)
                        ["PolicyStatus"]["IsPublic"])
        self.assertEqual(len(json.loads(self.s3.get_bucket_policy(Bucket=self.bucket)["Policy"])
                             ["Statement"]), 2)
        self.refused("MalformedPolicy", self.s3.put_bucket_policy, Bucket=self.bucket, Policy="{}")
        self.s3.delete_bucket_policy(Bucket=self.bucket)
        self.refused("AccessDenied", self.get, "open/k", s3=anonymous())

    def test_users(self):
        self.make()
        self.put("k", b"seen")
        policy = {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"],
             "Resource": [f"arn:aws:s3:::{self.bucket}", f"arn:aws:s3:::{self.bucket}/*"]}]}
        pair = Both.plain.ok("POST", "/_security/object_key", {"user": "reader", "policy": policy})
        reader = client(pair=pair)
        self.assertEqual(self.get("k", s3=reader), b"seen")
        self.assertEqual(reader.list_objects_v2(Bucket=self.bucket)["KeyCount"], 1)
        self.refused("AccessDenied", reader.put_object, Bucket=self.bucket, Key="k", Body=b"")
        self.refused("AccessDenied", reader.list_buckets)
        Both.plain.ok("PUT", "/_security/object_key/" + pair["access_key_id"], {"active": False})
        self.refused("InvalidAccessKeyId", self.get, "k", s3=reader)
        wrong = dict(first_pair(Both.plain), secret_access_key="wrong")
        self.refused("SignatureDoesNotMatch", self.get, "k", s3=client(pair=wrong))
        self.refused("InvalidAccessKeyId", self.get, "k",
                     s3=client(pair=dict(wrong, access_key_id="NOBODY")))

    def test_customer_keys(self):
        key = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": b"k" * 32}
        self.make()
        self.refused("InvalidRequest", self.put, "k", b"secret", **key)  # over plain HTTP
        s3 = client(Both.tls)
        s3.create_bucket(Bucket=self.bucket)
        where = {"Bucket": self.bucket, "Key": "k"}
        made = s3.put_object(Body=b"secret", **where, **key)
        self.assertEqual(made["SSECustomerAlgorithm"], "AES256")
        self.assertEqual(s3.get_object(**where, **key)["Body"].read(), b"secret")
        self.refused("InvalidRequest", s3.get_object, **where)
        self.refused("AccessDenied", s3.get_object, **where, **dict(key, SSECustomerKey=b"o" * 32))
        self.refused("400", s3.head_object, **where)
        s3.copy_object(Bucket=self.bucket, Key="plain",
                       CopySource={"Bucket": self.bucket, "Key": "k"},
                       CopySourceSSECustomerAlgorithm="AES256", CopySourceSSECustomerKey=b"k" * 32)
        self.assertEqual(s3.get_object(Bucket=self.bucket, Key="plain")["Body"].read(), b"secret")
        large = os.urandom(12 << 20)
        s3.upload_fileobj(io.BytesIO(large), self.bucket, "large", ExtraArgs=key)
        back = io.BytesIO()
        s3.download_fileobj(self.bucket, "large", back, ExtraArgs=key)
        self.assertTrue(back.getvalue() == large)

    def test_requester_pays(self):
        self.make()
        self.put("k", b"seen")
        self.s3.put_bucket_policy(Bucket=self.bucket, Policy=json.dumps({
            "Version": "2012-10-17", "Statement": [
                {"Effect": "Allow", "Principal": {"AWS": other_account}, "Action": "s3:GetObject",
                 "Resource": f"arn:aws:s3:::{self.bucket}/*"}]}))
        self.s3.put_bucket_request_payment(Bucket=self.bucket,
                                           RequestPaymentConfiguration={"Payer": "Requester"})
        self.refused("AccessDenied", self.get, "k", s3=self.other)
        paid = self.other.get_object(Bucket=self.bucket, Key="k", RequestPayer="requester")
        self.assertEqual((paid["Body"].read(), paid["RequestCharged"]), (b"seen", "requester"))
        self.assertNotIn("RequestCharged", self.s3.get_object(Bucket=self.bucket, Key="k"))


def main():
    binary = sys.argv.pop(1)
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE", "AWS_CA_BUNDLE"):
        os.environ.pop(name, None)
    started = time.monotonic()
    Both.start(binary)
    try:
        done = unittest.main(exit=False, warnings="ignore").result
        if not done.wasSuccessful():
            print(Both.plain.log_tail())
    finally:
        Both.stop()
    print(f"boto3 {boto3.__version__}: {done.testsRun} tests in {time.monotonic() - started:.1f} s")
    sys.exit(0 if done.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
