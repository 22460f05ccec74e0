#!/usr/bin/env python3
"""The table of operations in docs/reference/object-compatibility.md is true.

    object_table.py CAIRN FILE            fails and says where it is not
    object_table.py CAIRN FILE --write    writes the rows of what is answered

Every operation of `cairn routes --objects` is a row with "yes", and no other is; every operation
that boto3 knows has a row; and a server that is asked for one of the other rows refuses it just as
the row says. Debian's Python runs this (/usr/bin/python3), for python3-botocore.
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

import botocore.session  # noqa: E402
from botocore.auth import S3SigV4Auth  # noqa: E402
from botocore.awsrequest import AWSRequest  # noqa: E402
from botocore.credentials import Credentials  # noqa: E402

BEGIN = "<!-- operations: checked by tests/docs/object_table.py -->\n"
END = "<!-- end of operations -->\n"
# Names that boto3 keeps for what has another one now.
OLD = {"GetBucketLifecycle", "PutBucketLifecycle", "GetBucketNotification", "PutBucketNotification"}


def request_of(operation):
    """`PUT /{bucket}/{key}?partNumber&uploadId` with `x-amz-copy-source`"""
    markers = operation["marker"].split()
    query = "&".join(m for m in markers if not m.endswith(":"))
    fields = [m[:-1] for m in markers if m.endswith(":")]
    text = f"`{operation['method']} {operation['path']}{'?' if query else ''}{query}`"
    return text + "".join(f" with `{field}`" for field in fields)


def answered(binary):
    listed = subprocess.run([binary, "routes", "--objects", "--json"], capture_output=True,
                            text=True, check=True)
    return {o["name"]: request_of(o) for o in json.loads(listed.stdout)["operations"]}


def rows_of(lines):
    rows = {}
    for line in lines:
        found = re.fullmatch(r"\| `(\w+)` \| (.+?) \| (.+?) \|\n", line)
        if found:
            rows[found[1]] = (found[2], found[3])
    return rows


class Service:
    def __init__(self, binary):
        self.cairn = Cairn(binary).start()
        with open(os.path.join(self.cairn.data, "keys/admin-s3.json")) as file:
            pair = json.load(file)
        self.credentials = Credentials(pair["access_key_id"], pair["secret_access_key"])
        for target in ("/probe", "/probe/key"):
            assert self.ask("PUT", target)[0] == 200

    def ask(self, method, target):
        """Status and code of the error."""
        request = AWSRequest(method, self.cairn.objects + target, data=b"")
        S3SigV4Auth(self.credentials, "s3", "us-east-1").add_auth(request)
        prepared = request.prepare()
        address = urllib.parse.urlsplit(self.cairn.objects).netloc
        connection = http.client.HTTPConnection(address, timeout=30)
        connection.request(method, target, headers=dict(prepared.headers.items()))
        answer = connection.getresponse()
        code = re.search(rb"<Code>(\w+)</Code>", answer.read())
        connection.close()
        return answer.status, code[1].decode() if code else ""

    def refuses(self, row):
        request, expected = row
        method, target = re.fullmatch(r"`(\w+) (\S+)`", request).groups()
        status, code = self.ask(method, target.format(bucket="probe", key="key"))
        wanted = re.fullmatch(r"(\d+) `(\w+)`", expected)
        got = f"{status} {code}"
        return None if wanted and got == f"{wanted[1]} {wanted[2]}" else got


def faults(binary, rows):
    yes = answered(binary)
    for name, request in yes.items():
        if rows.get(name) != (request, "yes"):
            yield f"{name}: the row is not | `{name}` | {request} | yes |"
    for name, (_, says) in rows.items():
        if says == "yes" and name not in yes:
            yield f"{name}: is not answered"
    model = botocore.session.get_session().get_service_model("s3")
    for name in model.operation_names:
        if name not in rows and name not in OLD:
            yield f"{name}: has no row"
    service = Service(binary)
    for name, row in rows.items():
        got = None if row[1] == "yes" else service.refuses(row)
        if got:
            yield f"{name}: the row says {row[1]}, the service {got}"
    service.cairn.stop()
    shutil.rmtree(service.cairn.folder)


def main():
    binary, path = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    begin, end = lines.index(BEGIN) + 1, lines.index(END)
    rows = rows_of(lines[begin:end])
    if "--write" in sys.argv[3:]:
        rows = {name: row for name, row in rows.items() if row[1] != "yes"}
        rows.update({name: (request, "yes") for name, request in answered(binary).items()})
        table = [f"| `{name}` | {rows[name][0]} | {rows[name][1]} |\n" for name in sorted(rows)]
        head = ["\n", "| Operation | Request | Answered |\n", "|---|---|---|\n"]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:begin] + head + table + ["\n"] + lines[end:])
        return 0
    found = list(faults(binary, rows))
    print("\n".join(found) or f"{len(rows)} operations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
