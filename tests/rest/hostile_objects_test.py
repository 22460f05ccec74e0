#!/usr/bin/env python3
"""Port 9000 of a running program under requests that mean harm: every one is answered with 4xx or
the end of its connection, memory stays bounded, and who comes after is served.

    hostile_objects_test.py CAIRN
"""

import base64
import datetime
import hashlib
import hmac
import os
import shutil
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

MIB = 1 << 20


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Peer:
    """A connection that sends whatever it likes."""

    def __init__(self, netloc):
        host, _, port = netloc.partition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)

    def send(self, data):
        """False where the other side has hung up already."""
        try:
            self.socket.sendall(data if isinstance(data, bytes) else data.encode())
            return True
        except OSError:
            return False

    def end(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def all(self):
        """Everything that comes until the other side closes."""
        got = b""
        while True:
            try:
                piece = self.socket.recv(65536)
            except ConnectionError:
                piece = b""
            if not piece:
                self.socket.close()
                return got
            got += piece


def statuses(answer):
    """The status of each reply in a row of them."""
    found = []
    while answer:
        head, _, rest = answer.partition(b"\r\n\r\n")
        first = head.split(b"\r\n")[0].split(b" ")
        check(first[0] == b"HTTP/1.1", f"no reply: {answer[:80]!r}")
        found.append(int(first[1]))
        length = 0
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answer = rest[length:]
    return found


def head(fields, first_line):
    return first_line + "\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items()) + "\r\n"


class Fixture:
    def __init__(self, binary):
        self.cairn = Cairn(binary).start()
        self.objects = Objects(self.cairn)
        check(self.objects.ask("PUT", "/bucket").status == 200, "no bucket")
        check(self.objects.ask("PUT", "/bucket/k", b"abc").status == 200, "no object")

    def memory(self):
        with open(f"/proc/{self.cairn.process.pid}/status") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        raise AssertionError("the process is gone:\n" + self.cairn.log_tail())

    def raw(self, data):
        """What comes back for these bytes, all at once."""
        peer = Peer(self.objects.netloc)
        peer.send(data)
        peer.end()
        return peer.all()

    def alive(self, after):
        answer = self.objects.ask("GET", "/bucket/k")
        check(answer.status == 200 and answer.body == b"abc", f"after {after}: {answer.status}")

    def refused(self, data, what):
        """One reply, a 4xx, and the end; or the end alone."""
        answer = self.raw(data)
        found = statuses(answer)
        check(len(found) <= 1 and all(400 <= one < 500 for one in found), f"{what}: {found}")
        check(b"abc" not in answer.partition(b"\r\n\r\n")[2], f"{what}: the object came out")
        self.alive(what)


def documents():
    """Bodies of XML that are meant to grow, or to dig deep."""
    entities = '<!DOCTYPE l [<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{i} "' + f"&a{i - 1};" * 10 + '">' for i in range(1, 10)) + "]>"
    yield "billion laughs", (entities + "<Delete><Object><Key>&a9;</Key></Object></Delete>").encode()
    yield "an outer entity", (b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                              b"<Delete><Object><Key>&x;</Key></Object></Delete>")
    yield "an unknown entity", b"<Delete><Object><Key>&lol;</Key></Object></Delete>"
    yield "very deep", b"<Delete>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</Delete>"
    yield "very deep and open", b"<Delete>" + b"<a>" * 1_000_000
    yield "very many", b"<Delete>" + b"<Object/>" * 700_000 + b"</Delete>"
    yield "very many attributes", b"<Delete " + b"".join(
        b'a%d="" ' % i for i in range(400_000)) + b"/>"
    yield "too long", b"<Delete>" + b" " * (9 * MIB) + b"</Delete>"
    yield "no text", bytes(range(256)) * 1000


def xml_bombs(house):
    targets = [("POST", "/bucket?delete="), ("PUT", "/bucket?tagging="), ("PUT", "/bucket?cors="),
               ("PUT", "/bucket?lifecycle="), ("PUT", "/other"),
               ("POST", "/bucket/k?uploadId=x")]
    before = house.memory()
    for name, body in documents():
        digest = base64.b64encode(hashlib.md5(body).digest()).decode()
        for method, target in targets:
            try:
                answer = house.objects.ask(method, target, body, {"content-md5": digest})
            except ConnectionError:
                continue  # it hung up on what it did not want to read
            check(400 <= answer.status < 500, f"{name} to {target}: {answer.status}")
            check(b"root:" not in answer.body, f"{name} to {target} told of the system's files")
        house.alive(name)
    check(house.memory() - before < 300 * MIB, f"XML took {(house.memory() - before) // MIB} MiB")


def huge_heads(house):
    netloc = house.objects.netloc
    before = house.memory()
    rows = [
        ("a long target", f"GET /{'a' * 4_000_000} HTTP/1.1\r\nHost: {netloc}\r\n\r\n"),
        ("a long query", f"GET /bucket?{'a=b&' * 500_000} HTTP/1.1\r\nHost: {netloc}\r\n\r\n"),
        ("a long field", f"GET / HTTP/1.1\r\nHost: {netloc}\r\nX: {'a' * 4_000_000}\r\n\r\n"),
        ("a long name", f"GET / HTTP/1.1\r\nHost: {netloc}\r\n{'a' * 4_000_000}: b\r\n\r\n"),
        ("many fields", f"GET / HTTP/1.1\r\nHost: {netloc}\r\n" + "a: b\r\n" * 500_000 + "\r\n"),
        ("no end", "a" * 4_000_000),
        ("a field without an end", f"GET / HTTP/1.1\r\nHost: {netloc}\r\nX: {'a' * 4_000_000}"),
        ("empty lines", "\r\n" * 2_000_000),
    ]
    for name, data in rows:
        house.refused(data, name)
    fields = house.objects.signed("PUT", "/bucket/meta", {"x-amz-meta-a": "b" * 3000})
    fields["Content-Length"] = "0"
    house.refused(head(fields, "PUT /bucket/meta HTTP/1.1"), "too much metadata")
    check(house.memory() - before < 64 * MIB, f"heads took {(house.memory() - before) // MIB} MiB")


def lying_lengths(house):
    def put(length, body, **more):
        fields = house.objects.signed("PUT", "/bucket/lie", more.pop("fields", {}))
        if length is not None:
            fields["Content-Length"] = length
        fields.update(more)
        return head(fields, "PUT /bucket/lie HTTP/1.1").encode() + body

    before = house.memory()
    rows = [
        ("longer than it says", put("100000", b"abc")),
        ("an exabyte", put(str(1 << 60), b"abc")),
        ("more than 64 bits", put("99999999999999999999999", b"abc")),
        ("a negative length", put("-1", b"abc")),
        ("a length with a sign", put("+3", b"abc")),
        ("a length that is none", put("three", b"abc")),
        ("a length of hexadecimal digits", put("0x3", b"abc")),
        ("6 GiB in one request", put(str(6 << 30), b"abc")),
        ("no length at all", put(None, b"")),
        ("a chunk of an exabyte", put(None, b"fffffffffffffff\r\nabc",
                                      **{"Transfer-Encoding": "chunked"})),
        ("a chunk that is none", put(None, b"zz\r\nabc\r\n0\r\n\r\n",
                                     **{"Transfer-Encoding": "chunked"})),
        ("a chunk line without end", put(None, b"3;" + b"x" * 1_000_000,
                                         **{"Transfer-Encoding": "chunked"})),
    ]
    for name, data in rows:
        house.refused(data, name)
    good = b"3\r\nabc\r\n0\r\n\r\n"
    fields = streamed(house.objects, "/bucket/true", "3")
    fields["Content-Length"] = str(len(good))
    check(statuses(house.raw(head(fields, "PUT /bucket/true HTTP/1.1").encode() + good)) == [200],
          "chunks that are as they should be")
    for decoded, body in (("3", b"ffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
                          (str(1 << 62), b"3\r\nabc\r\n0\r\n\r\n"),
                          ("3", b"3\r\nabcdef\r\n0\r\n\r\n"),
                          ("3", b"3" * 1_000_000),
                          ("x", b"3\r\nabc\r\n0\r\n\r\n"),
                          ("0", b"0\r\n" + b"x-amz-checksum-crc32:AAAAAA==\r\n" * 50_000 + b"\r\n")):
        fields = streamed(house.objects, "/bucket/lie", decoded)
        fields["Content-Length"] = str(len(body))
        house.refused(head(fields, "PUT /bucket/lie HTTP/1.1").encode() + body,
                      f"chunks of {decoded}")
    check(house.objects.ask("GET", "/bucket/lie").status == 404, "a lie was kept")
    check(house.memory() - before < 64 * MIB, f"lies took {(house.memory() - before) // MIB} MiB")


def streamed(objects, path, decoded):
    """The signed header fields of a PUT whose body comes in chunks."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    fields = {"host": objects.netloc, "x-amz-date": now,
              "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
              "x-amz-decoded-content-length": decoded}
    names = sorted(fields)
    canonical = "\n".join(["PUT", path, "", "".join(f"{n}:{fields[n]}\n" for n in names),
                           ";".join(names), fields["x-amz-content-sha256"]])
    scope = f"{now[:8]}/us-east-1/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", now, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + objects.secret).encode()
    for part in scope.split("/") + [text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    fields["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={objects.access_key}/{scope}, "
                               f"SignedHeaders={';'.join(names)}, Signature={key.hex()}")
    return fields


def smuggling(house):
    """A second request inside a first one: what two readers could understand differently."""
    hidden = head(house.objects.signed("GET", "/bucket/k"), "GET /bucket/k HTTP/1.1")

    def with_fields(lines, body):
        fields = house.objects.signed("PUT", "/bucket/outer")
        text = head(fields, "PUT /bucket/outer HTTP/1.1")
        return (text[:-2] + lines + "\r\n" + body).encode()

    chunked = "0\r\n\r\n" + hidden
    rows = [
        ("both lengths", f"Content-Length: {len(chunked)}\r\nTransfer-Encoding: chunked\r\n"),
        ("both, the other way", f"Transfer-Encoding: chunked\r\nContent-Length: {len(chunked)}\r\n"),
        ("two lengths", f"Content-Length: 0\r\nContent-Length: {len(chunked)}\r\n"),
        ("a list of lengths", f"Content-Length: 0, {len(chunked)}\r\n"),
        ("an unknown coding", "Transfer-Encoding: xchunked\r\n"),
        ("chunked twice", "Transfer-Encoding: chunked, chunked\r\n"),
        ("chunked and not last", "Transfer-Encoding: chunked, identity\r\n"),
        ("a space before the colon", f"Content-Length : {len(chunked)}\r\n"),
        ("a folded field", f"X: a\r\n Content-Length: {len(chunked)}\r\nContent-Length: 5\r\n"),
        ("a bare carriage return", f"X: a\rContent-Length: {len(chunked)}\r\nContent-Length: 5\r\n"),
        ("a bare line feed", f"X: a\nContent-Length: {len(chunked)}\r\nContent-Length: 5\r\n"),
        ("a null byte", f"Content-Length: 5\0\r\n"),
        ("a tab in the coding", "Transfer-Encoding:\tchunked\x0b\r\n"),
    ]
    for name, lines in rows:
        house.refused(with_fields(lines, chunked), name)
    for name, line in (("a version that is none", "GET /bucket/k HTTP/one"),
                       ("no version", "GET /bucket/k"),
                       ("a space in the target", "GET /bucket/k x HTTP/1.1"),
                       ("no host", "GET /bucket/k HTTP/1.1")):
        house.refused(f"{line}\r\n{'' if name == 'no host' else 'Host: h' + chr(13) + chr(10)}\r\n",
                      name)
    house.refused(f"GET /bucket/k HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "two hosts")
    # A refused body does not become the next request.
    fields = house.objects.signed("PUT", "/none/outer")
    fields["Content-Length"] = str(len(hidden))
    answer = house.raw(head(fields, "PUT /none/outer HTTP/1.1") + hidden)
    check(statuses(answer) == [404], f"a body was taken for a request: {statuses(answer)}")
    check(house.objects.ask("GET", "/bucket/outer").status == 404, "a smuggled object")
    house.alive("smuggling")


def odd_names(house):
    """Keys are bytes and never become names of files."""
    for key in ("../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%00", "%00/../x", ".", "..",
                "a%0d%0aX-Injected:%201", "%ff%fe", "CON", "a" * 1024):
        target = "/bucket/" + key
        answer = house.objects.ask("PUT", target, b"odd")
        check(answer.status in (200, 400, 403), f"{key}: {answer.status}")
        answer = house.objects.ask("GET", target)
        check(answer.status in (200, 400, 403, 404), f"{key}: {answer.status}")
        check(b"root:" not in answer.body, f"{key} read a file of the system")
        check(answer.headers.get("X-Injected") is None, f"{key} made a field")
    house.alive("odd names")


def main():
    house = Fixture(sys.argv[1])
    try:
        for test in (xml_bombs, huge_heads, lying_lengths, smuggling, odd_names):
            test(house)
            print(f"{test.__name__}: fine", flush=True)
        check(house.cairn.stop() == 0, "it did not stop well:\n" + house.cairn.log_tail())
        with open(os.path.join(house.cairn.folder, "log"), errors="replace") as file:
            check(" panic" not in file.read(), "it panicked")
    finally:
        if house.cairn.process.poll() is None:
            house.cairn.kill()
    shutil.rmtree(house.cairn.folder)


if __name__ == "__main__":
    main()
