#!/usr/bin/env python3
"""Debian's boto3, unmodified, with access points: boto3_access_points.py PATH_OF_CAIRN.

They are made through client `s3control`, and used through client `s3` by ARN, by alias and as the
sources of copies: of a general purpose bucket, and of an outpost's. Debian's Python runs it
(/usr/bin/python3): that is where the package lies.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

try:
    import boto3
    from botocore.exceptions import ClientError
except ImportError:
    sys.exit("boto3 is not installed for this Python (apt-get install python3-boto3)")

domain = "objects.test"
account, other = "123456789012", "210987654321"
outpost = "op-01ac5d28a6a232904"

# Every name leads to this machine, as a name server of the users' network would have it.
resolve = socket.getaddrinfo


def certificate(folder):
    """Of the names that are asked: to outposts boto3 speaks TLS, whatever its endpoint says."""
    made, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    names = f"DNS:{domain},DNS:*.{domain},DNS:*.{outpost}.{domain},IP:127.0.0.1"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=" + names, "-keyout", key, "-out", made],
                   check=True, capture_output=True)
    return made, key


socket.getaddrinfo = lambda host, *more, **named: resolve("127.0.0.1", *more, **named)


class AccessPoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="cairn-boto3-points-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.certificate, key = certificate(folder)
        cls.server = Cairn(binary, environment={"CAIRN_TLS__CERTIFICATE": cls.certificate,
                                                "CAIRN_TLS__KEY": key})
        cls.server.start("--set", f"objects.domains={domain}",
                         "--set", f"objects.outposts={outpost}")
        cls.addClassCleanup(cls.server.stop)
        cls.sent = []
        pair = cls.pair(account)
        cls.s3, cls.control = cls.client("s3", pair), cls.client("s3control", pair)
        cls.theirs = cls.client("s3", cls.pair(other))
        cls.s3.create_bucket(Bucket="photos")
        cls.s3.put_object(Bucket="photos", Key="k", Body=b"bytes")

    @classmethod
    def pair(cls, of):
        """Keys of that account, made through the platform's port."""
        made = subprocess.run(
            ["curl", "-sSf", "--cacert", cls.certificate, "-H", "Authorization: ApiKey " +
             cls.server.key, "-H", "Content-Type: application/json", "-d",
             json.dumps({"account": of}), cls.server.api + "/_security/object_key"],
            check=True, capture_output=True)
        return json.loads(made.stdout)

    @classmethod
    def client(cls, service, pair):
        port = urllib.parse.urlsplit(cls.server.objects).port
        made = boto3.client(service, endpoint_url=f"https://{domain}:{port}", verify=cls.certificate,
                            region_name="us-east-1", aws_access_key_id=pair["access_key_id"],
                            aws_secret_access_key=pair["secret_access_key"])
        made.meta.events.register("before-send", lambda request, **_: cls.sent.append(
            urllib.parse.urlsplit(request.url)) and None)
        return made

    def refused(self, code, call, **more):
        with self.assertRaises(ClientError) as caught:
            call(**more)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)

    def read(self, bucket, key="k", s3=None):
        return (s3 or self.s3).get_object(Bucket=bucket, Key=key)["Body"].read()

    def point(self, name, bucket="photos"):
        made = self.control.create_access_point(AccountId=account, Name=name, Bucket=bucket)
        return made["AccessPointArn"], made["Alias"]

    def test_made_shown_listed_deleted(self):
        arn, alias = self.point("listed")
        self.assertEqual(arn, f"arn:aws:s3:us-east-1:{account}:accesspoint/listed")
        shown = self.control.get_access_point(AccountId=account, Name="listed")
        self.assertEqual((shown["Bucket"], shown["Alias"], shown["NetworkOrigin"]),
                         ("photos", alias, "Internet"))
        listed = self.control.list_access_points(AccountId=account, Bucket="photos")
        self.assertIn(arn, [one["AccessPointArn"] for one in listed["AccessPointList"]])
        self.control.delete_access_point(AccountId=account, Name="listed")
        self.refused("NoSuchAccessPoint", self.control.get_access_point, AccountId=account,
                     Name="listed")

    def test_used_by_arn_and_alias(self):
        arn, alias = self.point("used")
        for bucket in (arn, alias):
            self.s3.put_object(Bucket=bucket, Key="through", Body=bucket.encode())
            self.assertEqual(self.read("photos", "through"), bucket.encode())
            self.s3.copy_object(Bucket=bucket, Key="copy", CopySource=f"{alias}/k")
            self.assertEqual(self.read(bucket, "copy"), b"bytes")
        self.s3.copy_object(Bucket="photos", Key="copy", CopySource=f"{arn}/object/through")
        self.assertEqual(self.read("photos", "copy"), alias.encode())
        self.assertIn(f"used-{account}.{domain}", [url.hostname for url in self.sent])
        self.refused("MethodNotAllowed", self.s3.get_bucket_versioning, Bucket=arn)

    def test_policies(self):
        arn, _ = self.point("shared")
        policy = {"Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Principal": {"AWS": other}, "Action": "s3:GetObject",
            "Resource": arn + "/object/*"}]}
        self.control.put_access_point_policy(AccountId=account, Name="shared",
                                             Policy=json.dumps(policy))
        kept = self.control.get_access_point_policy(AccountId=account, Name="shared")["Policy"]
        self.assertEqual(json.loads(kept), policy)
        self.refused("AccessDenied", self.read, bucket=arn, s3=self.theirs)
        self.s3.put_bucket_policy(Bucket="photos", Policy=json.dumps({
            "Version": "2012-10-17", "Statement": {
                "Effect": "Allow", "Principal": "*", "Action": "*",
                "Resource": ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"],
                "Condition": {"StringEquals": {"s3:DataAccessPointAccount": account}}}}))
        self.assertEqual(self.read(arn, s3=self.theirs), b"bytes")
        self.refused("AccessDenied", self.read, bucket="photos", s3=self.theirs)

    def test_outposts(self):
        bucket = self.control.create_bucket(Bucket="maps", OutpostId=outpost)["BucketArn"]
        arn, _ = self.point("readers", bucket)
        self.assertEqual(arn, f"arn:aws:s3-outposts:us-east-1:{account}:outpost/{outpost}"
                              "/accesspoint/readers")
        self.s3.put_object(Bucket=arn, Key="k", Body=b"there")
        self.assertEqual(self.sent[-1].hostname, f"readers-{account}.{outpost}.{domain}")
        self.assertEqual(self.read(arn), b"there")
        self.assertEqual(self.s3.head_object(Bucket=arn, Key="k")["StorageClass"], "OUTPOSTS")
        self.s3.copy_object(Bucket=arn, Key="copy", CopySource=f"{arn}/object/k")
        self.refused("InvalidRequest", self.s3.copy_object, Bucket="photos", Key="copy",
                     CopySource=f"{arn}/object/k")
        self.refused("NoSuchBucket", self.read, bucket="maps")
        listed = self.control.list_regional_buckets(AccountId=account, OutpostId=outpost)
        self.assertEqual([one["Bucket"] for one in listed["RegionalBucketList"]], ["maps"])
        for key in ("k", "copy"):
            self.s3.delete_object(Bucket=arn, Key=key)
        self.control.delete_access_point(AccountId=account, Name=arn)
        self.control.delete_bucket(AccountId=account, Bucket=bucket)


if __name__ == "__main__":
    binary = sys.argv.pop(1)
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE"):
        os.environ.pop(name, None)
    unittest.main(warnings="ignore")
