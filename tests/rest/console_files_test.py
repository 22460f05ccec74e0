#!/usr/bin/env python3
"""The files of the console: what browsers and clients of the API get at "/", header fields, caching, compression,
paths that lead nowhere, and limits that do not keep anybody from the page.

    console_files_test.py CAIRN
"""

import gzip
import os
import re
import socket
import sys
import tempfile
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from cairn_server import Cairn  # noqa: E402

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
          "font-src 'self'; {frames}frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
          "require-trusted-types-for 'script'")
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
           "Accept-Encoding": "gzip, deflate, br"}
PAGE = b"<!doctype html><title>Cairn</title><script type=module src=assets/main-AB12CD.js></script>"
SCRIPT = b"export const answer = 42;\n" * 200


def ask(cairn, method, path, headers=None):
    """Status, header fields and body; nothing is followed, nobody signs in."""
    connection = cairn.connect()
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    fields = {name.lower(): value for name, value in answer.getheaders()}
    connection.close()
    return answer.status, fields, body


def raw(cairn, target):
    """The status of a target that no client would send as it is."""
    place = urllib.parse.urlsplit(cairn.api)
    with socket.create_connection((place.hostname, place.port), timeout=60) as one:
        one.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := one.recv(65536):
            answer += piece
    return int(answer.split(b" ", 2)[1]), answer


def check_security(fields, frames=""):
    assert fields["content-security-policy"] == POLICY.format(frames=frames), fields
    assert fields["x-content-type-options"] == "nosniff", fields
    assert fields["referrer-policy"] == "no-referrer", fields
    assert fields["cross-origin-opener-policy"] == "same-origin", fields


def browsers_are_led_there(cairn):
    for method in ("GET", "HEAD"):
        status, fields, _ = ask(cairn, method, "/", BROWSER)
        assert (status, fields["location"]) == (302, "/_console/"), (status, fields)
    status, fields, _ = ask(cairn, "GET", "/_console", BROWSER)
    assert (status, fields["location"]) == (302, "/_console/")
    for accept in ("*/*", "application/json", "application/vnd.elasticsearch+json; compatible-with=9"):
        status, answer = cairn.request("GET", "/", headers={"Accept": accept})
        assert status == 200 and answer["tagline"] == "You Know, for Search", (accept, status, answer)
        assert ask(cairn, "GET", "/", {"Accept": accept})[0] == 401
    assert ask(cairn, "GET", "/")[0] == 401
    # POST has nothing to do with it.
    assert ask(cairn, "POST", "/", BROWSER)[0] in (401, 405)


def files_are_given(cairn):
    status, fields, body = ask(cairn, "GET", "/_console/", BROWSER)
    assert status == 200 and gzip.decompress(body) == PAGE, (status, body)
    assert fields["content-encoding"] == "gzip"
    assert fields["content-type"] == "text/html; charset=utf-8"
    assert fields["cache-control"] == "no-store"
    check_security(fields, f"frame-src {cairn.objects}; media-src {cairn.objects}; ")

    path = "/_console/assets/main-AB12CD.js"
    status, fields, body = ask(cairn, "GET", path, BROWSER)
    assert status == 200 and gzip.decompress(body) == SCRIPT
    assert fields["content-type"].startswith("text/javascript")
    assert fields["cache-control"] == "public, max-age=31536000, immutable"
    assert fields["vary"] == "Accept-Encoding"
    check_security(fields)
    packed_tag = fields["etag"]
    status, fields, body = ask(cairn, "GET", path)
    assert status == 200 and body == SCRIPT and "content-encoding" not in fields
    assert fields["etag"] != packed_tag
    for tag, headers in ((fields["etag"], {}), (packed_tag, BROWSER)):
        status, fields, body = ask(cairn, "GET", path, {**headers, "If-None-Match": tag})
        assert (status, body) == (304, b""), (status, body)
        assert fields["etag"] == tag
    status, fields, body = ask(cairn, "HEAD", path, BROWSER)
    assert (status, body) == (200, b"") and int(fields["content-length"]) > 0
    assert ask(cairn, "GET", "/_console/assets/missing-AB12CD.js", BROWSER)[0] == 404
    assert ask(cairn, "POST", "/_console/", BROWSER)[0] in (401, 405)
    assert ask(cairn, "DELETE", path, BROWSER)[0] in (401, 405)


def nothing_else_is_given(cairn):
    secret = b"not for browsers"
    for target in (b"/_console/../secret.txt", b"/_console/assets/../../secret.txt",
                   b"/_console/assets/..%2f..%2fsecret.txt", b"/_console/assets/%2e%2e/%2e%2e/secret.txt",
                   b"/_console/assets/%2fetc%2fpasswd", b"/_console//etc/passwd", b"/_console/assets/.hidden",
                   b"/_console/assets/link.js", b"/_console/assets/..", b"/_console/assets/",
                   b"/_console/assets/..%5c..%5csecret.txt", b"/_console/assets/main-AB12CD.js%00.txt",
                   b"/_console/index.html", b"/_console/assets/..%c0%af..%c0%afsecret.txt"):
        status, answer = raw(cairn, target)
        assert status >= 400, (target, status)
        assert secret not in answer and b"root:" not in answer, target


def limits_keep_nobody_out(cairn):
    """Sixty requests an hour are an address's; a page of twenty files is loaded more than three times."""
    for _ in range(10):
        for path in ["/_console/"] + ["/_console/assets/main-AB12CD.js"] * 20:
            status, fields, _ = ask(cairn, "GET", path, BROWSER)
            assert status == 200, (path, status)
            assert not any(name.startswith("x-ratelimit") for name in fields), fields
    # And they took nothing of what the address has.
    status, fields, _ = ask(cairn, "GET", "/", {"Accept": "application/json"})
    assert status == 401 and int(fields["x-ratelimit-used"]) < 20, fields


def a_prefix_of_all_paths(binary, folder):
    cairn = Cairn(binary, environment={"CAIRN_CONSOLE_DIR": folder}).start("--set", "api.base_path=/search-api")
    status, fields, _ = ask(cairn, "GET", "/search-api/", BROWSER)
    assert (status, fields["location"]) == (302, "/search-api/_console/"), (status, fields)
    assert ask(cairn, "GET", "/search-api/_console/", BROWSER)[0] == 200
    assert ask(cairn, "GET", "/_console/", BROWSER)[0] != 200
    cairn.stop()


def the_embedded_ones(binary):
    """What the program itself carries: all that its page names is there."""
    cairn = Cairn(binary).start()
    status, fields, body = ask(cairn, "GET", "/_console/", BROWSER)
    built = os.path.exists(os.path.join(ROOT, "console/dist/index.html.gz"))
    assert status == (200 if built else 404), status
    if built:
        check_security(fields, f"frame-src {cairn.objects}; media-src {cairn.objects}; ")
        page = gzip.decompress(body).decode()
        names = re.findall(r'(?:src|href)="(?:\./|/_console/)?(assets/[^"]+)"', page)
        assert names, page
        for name in names:
            status, fields, body = ask(cairn, "GET", "/_console/" + name, BROWSER)
            assert status == 200 and gzip.decompress(body), name
    else:
        assert b"npm run build" in body, body
    cairn.stop()


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "dist")
        os.makedirs(os.path.join(folder, "assets"))
        for name, data in (("dist/index.html", PAGE), ("dist/assets/main-AB12CD.js", SCRIPT),
                           ("secret.txt", b"not for browsers"), ("dist/assets/.hidden", b"not for browsers")):
            with open(os.path.join(place, name), "wb") as file:
                file.write(data)
        os.symlink("../../secret.txt", os.path.join(folder, "assets/link.js"))
        cairn = Cairn(binary, environment={"CAIRN_CONSOLE_DIR": folder}).start()
        browsers_are_led_there(cairn)
        files_are_given(cairn)
        nothing_else_is_given(cairn)
        limits_keep_nobody_out(cairn)
        cairn.stop()
        a_prefix_of_all_paths(binary, folder)
    the_embedded_ones(binary)
    print("ok")


if __name__ == "__main__":
    main()
