#!/usr/bin/env python3
"""Uploads by forms, to the program itself: files that stream, connections that break, servers that are killed, who counts them.

    object_forms_test.py CAIRN
"""

import base64
import datetime
import hashlib
import json
import os
import shutil
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects, _hmac  # noqa: E402

BOUNDARY = "----FormOfATest7MA4YWxk"


def expect(what, got, wanted):
    assert got == wanted, f"{what}: {got!r}, expected {wanted!r}"


class Form:
    """The fields of a form for one bucket, signed as SDKs do."""

    def __init__(self, objects, bucket, fields, conditions=(), expires_s=600):
        now = datetime.datetime.now(datetime.timezone.utc)
        scope = f"{now:%Y%m%d}/us-east-1/s3/{objects.scheme.lower()}_request"
        vendor = objects.vendor
        self.fields = {**fields, vendor + "algorithm": objects.scheme + "-HMAC-SHA256",
                       vendor + "credential": f"{objects.access_key}/{scope}", vendor + "date": f"{now:%Y%m%dT%H%M%SZ}"}
        end = now + datetime.timedelta(seconds=expires_s)
        policy = {"expiration": f"{end:%Y-%m-%dT%H:%M:%SZ}",
                  "conditions": [{"bucket": bucket}, *({name: value} for name, value in self.fields.items()), *conditions]}
        text = base64.b64encode(json.dumps(policy).encode()).decode()
        key = (objects.scheme + objects.secret).encode()
        for part in scope.split("/"):
            key = _hmac(key, part)
        self.fields.update({"policy": text, vendor + "signature": _hmac(key, text).hex()})

    def before(self, name="a file.bin"):
        parts = "".join(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
                        for field, value in self.fields.items())
        return (parts + f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                'Content-Type: application/x-of-the-part\r\n\r\n').encode()


END = f"\r\n--{BOUNDARY}--\r\n".encode()
TYPE = {"Content-Type": "multipart/form-data; boundary=" + BOUNDARY}


def send(objects, path, body, headers=None, length=None):
    """Status, header fields, body. `body`: bytes, or pieces of `length` bytes, or pieces in chunks."""
    connection = objects.connect()
    fields = {**TYPE, **(headers or {})}
    if length is not None:
        fields["Content-Length"] = str(length)
    connection.request("POST", path, body=body, headers=fields, encode_chunked=length is None and not isinstance(body, bytes))
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, answer.headers, text


def code_of(text):
    return text.decode(errors="replace").partition("<Code>")[2].partition("</Code>")[0]


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) >> 10


def files_stream(cairn, objects):
    """A file of any size goes through a little memory, however it is sent."""
    objects.ok("PUT", "/forms")
    expect("small", send(objects, "/forms", Form(objects, "forms", {"key": "small"}).before() + b"x" + END)[0], 204)
    before = peak_mib(cairn.process.pid)
    piece, count = os.urandom(1 << 20), 400
    digest = hashlib.md5(piece * count).hexdigest()
    form = Form(objects, "forms", {"key": "large", "success_action_status": "201"}, [["content-length-range", 0, 1 << 30]])
    for chunked in (False, True):
        def pieces():
            yield form.before()
            for _ in range(count):
                yield piece
            yield END
        length = None if chunked else len(form.before()) + count * len(piece) + len(END)
        status, head, text = send(objects, "/forms", pieces(), {"Transfer-Encoding": "chunked"} if chunked else {}, length)
        expect("large", (status, head["ETag"]), (201, f'"{digest}"'))
    grown = peak_mib(cairn.process.pid) - before
    assert grown < 100, f"two files of 400 MiB took {grown} MiB"
    answer = objects.ok("HEAD", "/forms/large")
    expect("length", answer.headers["Content-Length"], str(count << 20))
    expect("type", answer.headers["Content-Type"], "binary/octet-stream")
    objects.ok("DELETE", "/forms/large")
    # Byte by byte, with a pause in the middle of a delimiter.
    body = Form(objects, "forms", {"key": "slow"}).before() + b"slow\r\n--" + BOUNDARY.encode()[:5] + END
    connection = objects.connect()
    connection.putrequest("POST", "/forms")
    for name, value in {**TYPE, "Content-Length": str(len(body))}.items():
        connection.putheader(name, value)
    connection.endheaders()
    for at in range(len(body)):
        connection.send(body[at:at + 1])
        if at == len(body) - 20:
            time.sleep(0.3)
    expect("slow", connection.getresponse().status, 204)
    connection.close()
    expect("slow bytes", objects.ok("GET", "/forms/slow").body, b"slow\r\n--" + BOUNDARY.encode()[:5])


def keys_of(objects, bucket):
    text = objects.ok("GET", f"/{bucket}?list-type=2").body.decode()
    return [piece.partition("</Key>")[0] for piece in text.split("<Key>")[1:]]


def nothing_is_left(cairn, objects):
    """What is refused, or breaks off, puts nothing; what was there before stays."""
    objects.ok("PUT", "/left")
    objects.ok("PUT", "/left/k", b"before")
    form = Form(objects, "left", {"key": "k"}, [["content-length-range", 3, 2 << 20]])
    def upload(form, file, rest=END):
        status, _, text = send(objects, "/left", form.before() + file + rest)
        return status, code_of(text)
    expect("too large", upload(form, b"x" * (2 << 20) + b"y"), (400, "EntityTooLarge"))
    expect("too small", upload(form, b"xy"), (400, "EntityTooSmall"))
    second = f'\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\nz'.encode() + END
    expect("two files", upload(form, b"x" * 100_000, second), (400, "IncorrectNumberOfFilesInPostRequest"))
    expect("no end", upload(form, b"x" * 100_000, b""), (400, "MalformedPOSTRequest"))
    expect("another policy", upload(Form(objects, "forms", {"key": "k"}), b"xxxx"), (403, "AccessDenied"))
    expect("expired", upload(Form(objects, "left", {"key": "k"}, expires_s=-1), b"xxxx"), (403, "AccessDenied"))
    wrong = Form(objects, "left", {"key": "k"})
    wrong.fields[objects.vendor + "signature"] = "0" * 64
    expect("signature", upload(wrong, b"xxxx"), (403, "SignatureDoesNotMatch"))
    expect("digest", upload(Form(objects, "left", {"key": "k", "Content-MD5": "A" * 22 + "=="}), b"xxxx"), (400, "BadDigest"))
    # The peer goes in the middle of the file.
    for chunked in (False, True):
        connection = objects.connect()
        connection.putrequest("POST", "/left")
        for name, value in {**TYPE, **({"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": "50000000"})}.items():
            connection.putheader(name, value)
        connection.endheaders()
        sent = form.before() + b"x" * 1_000_000
        connection.send(f"{len(sent):x}\r\n".encode() + sent + b"\r\n" if chunked else sent)
        connection.close()
    expect("what was there", objects.ok("GET", "/left/k").body, b"before")
    expect("keys", keys_of(objects, "left"), ["k"])
    expect("all of it", upload(form, b"x" * (2 << 20)), (204, ""))
    expect("the last one", len(objects.ok("GET", "/left/k").body), 2 << 20)


def killed_servers_keep(cairn, objects):
    """What was answered is there after kill -9."""
    objects.ok("PUT", "/kept")
    files = {f"k{i}": os.urandom(1 + 70_000 * i) for i in range(8)}
    for key, file in files.items():
        expect(key, send(objects, "/kept", Form(objects, "kept", {"key": key}).before() + file + END)[0], 204)
    cairn.kill()
    cairn.start()
    objects = Objects(cairn)
    for key, file in files.items():
        assert objects.ok("GET", "/kept/" + key).body == file, key


def counted_as_a_put(cairn, objects):
    """Metrics and the audit log know a form as PutObject, by the key that signed it."""
    objects.ok("PUT", "/counted")
    def puts(status):
        _, text = cairn.request("GET", "/_metrics")
        text = text.decode() if isinstance(text, bytes) else text
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines()
                   if line.startswith("cairn_http_requests_total") and '"PutObject"' in line and f'"{status}"' in line)
    before = puts("2xx"), puts("4xx")
    expect("taken", send(objects, "/counted", Form(objects, "counted", {"key": "k"}).before() + b"x" + END)[0], 204)
    expect("refused", send(objects, "/counted", Form(objects, "other", {"key": "k"}).before() + b"x" + END)[0], 403)
    expect("counted", (puts("2xx"), puts("4xx")), (before[0] + 1, before[1] + 1))
    text = "".join(open(os.path.join(folder, name), errors="replace").read()
                   for folder, _, names in os.walk(os.path.join(cairn.data, "audit")) for name in names)
    lines = [line for line in text.splitlines() if '"PutObject"' in line and objects.access_key in line]
    assert any('"POST"' in line and "/counted" in line for line in lines), text[-2000:]


def host_of_the_bucket(cairn, objects):
    """The bucket may stand in the host; and forms speak the neutral dialect too."""
    objects.ok("PUT", "/shelf")
    body = Form(objects, "shelf", {"key": "a/${filename}", "success_action_status": "201"}).before("ä.txt") + b"x" + END
    status, head, text = send(objects, "/", body, {"Host": "shelf.objects.example.com"})
    expect("by host", status, 403)  # the key of the condition is not the one with the file's name
    form = Form(objects, "shelf", {"success_action_status": "201"}, [["starts-with", "$key", "a/"]])
    form.fields = {"key": "a/${filename}", **form.fields}
    status, head, text = send(objects, "/", form.before("ä.txt") + b"x" + END, {"Host": "shelf.objects.example.com"})
    expect("by host", (status, head["Location"]), (201, "http://shelf.objects.example.com/a%2F%C3%A4.txt"))
    neutral = Objects(cairn, dialect="svc")
    form = Form(neutral, "shelf", {"key": "n", "x-svc-meta-color": "red", "acl": ""})
    status, head, text = send(objects, "/shelf", form.before() + b"n" + END)
    expect("neutral", (status, "x-svc-request-id" in head, "x-amz-request-id" in head), (204, True, False))
    expect("metadata", neutral.ok("HEAD", "/shelf/n").headers["x-svc-meta-color"], "red")


def main():
    cairn = Cairn(sys.argv[1], environment={"CAIRN_OBJECTS__DOMAINS": "objects.example.com"}).start()
    try:
        for part in (files_stream, nothing_is_left, counted_as_a_put, host_of_the_bucket, killed_servers_keep):
            part(cairn, Objects(cairn))
            print(f"ok   {part.__name__.replace('_', ' ')}", flush=True)
    except AssertionError:
        print(cairn.log_tail(), file=sys.stderr)
        raise
    finally:
        cairn.kill()
        shutil.rmtree(cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
