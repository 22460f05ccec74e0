#!/usr/bin/env python3
"""The native client aws-c-s3 through Debian's python3-awscrt: one large object up or down.

    crt_peer.py put|get ENDPOINT BUCKET KEY FILE      (get: "-" throws the bytes away)

Credentials and region come from the environment. The work is native code; Python waits.
"""

import os
import sys
import time
import urllib.parse

from awscrt.auth import AwsCredentialsProvider
from awscrt.http import HttpHeaders, HttpRequest
from awscrt.io import ClientBootstrap, DefaultHostResolver, EventLoopGroup
from awscrt.s3 import S3Client, S3RequestTlsMode, S3RequestType

what, endpoint, bucket, key, path = sys.argv[1:6]
host = urllib.parse.urlsplit(endpoint).netloc
group = EventLoopGroup()
bootstrap = ClientBootstrap(group, DefaultHostResolver(group))
client = S3Client(
    bootstrap=bootstrap,
    region=os.environ["AWS_REGION"],
    tls_mode=S3RequestTlsMode.DISABLED,
    credential_provider=AwsCredentialsProvider.new_static(
        os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]),
    # What a machine with a fast network is told; the default is far below a loopback's speed.
    throughput_target_gbps=float(os.environ.get("CRT_GBPS", "10")))
headers = HttpHeaders([("Host", host)])
began = time.monotonic()
if what == "put":
    headers.add("Content-Length", str(os.path.getsize(path)))
    headers.add("Content-Type", "application/octet-stream")
    request = client.make_request(
        request=HttpRequest("PUT", f"/{bucket}/{key}", headers), type=S3RequestType.PUT_OBJECT,
        send_filepath=path)
else:
    into = {"on_body": lambda **_: None} if path == "-" else {"recv_filepath": path}
    request = client.make_request(
        request=HttpRequest("GET", f"/{bucket}/{key}", headers), type=S3RequestType.GET_OBJECT,
        **into)
request.finished_future.result(300)
print(f'{{"seconds": {time.monotonic() - began:.4f}}}')
