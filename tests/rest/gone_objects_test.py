#!/usr/bin/env python3
"""As gone_clients_test.py, for the object storage: copies that move or read bytes, of objects and of
parts, and listings of every kind, which are asked for many times on one connection since one page is
over at once. What was copied halfway is not there, and its bytes go from the disk.

    gone_objects_test.py BINARY
"""

import os
import shutil
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402
from gone_client import Gone, head  # noqa: E402
from s3_requests import Objects  # noqa: E402

PART = 64 << 20
PARTS = 8
KEYS = 1_100
PAGES_MS_MIN = 120
SEALED = {"x-amz-server-side-encryption": "AES256"}


class Fixture:
    def __init__(self, binary):
        self.cairn = Cairn(binary).start()
        self.gone = Gone(self.cairn)
        self.objects = Objects(self.cairn)
        self.extents_before = self.extents()  # of the model that ships with the program

    def extents(self):
        """The names of the files that bodies are in."""
        folder = os.path.join(self.cairn.data, "objects", "extents")
        return {name for _, _, names in os.walk(folder) for name in names}

    def request(self, method, target, headers=None):
        path, _, query = target.partition("?")
        fields = self.objects.signed(method, path, headers, query)
        fields["Content-Length"] = "0"
        return head(method, target, fields)

    def check_ends(self, name, method, target, headers=None):
        self.gone.check_ends(name, self.cairn.objects, self.request(method, target, headers),
                             lambda: self.objects.ok(method, target, headers=headers))

    def large_object(self):
        """One of many parts, which are one copied: little is sent."""
        ask = self.objects.ok
        ask("PUT", "/large")
        ask("PUT", "/large/part", os.urandom(1 << 20) * (PART >> 20))
        upload = ask("POST", "/large/all?uploads").text("UploadId")
        parts = ""
        for number in range(1, PARTS + 1):
            etag = ask("PUT", f"/large/all?partNumber={number}&uploadId={upload}",
                       headers={"x-amz-copy-source": "/large/part"}).text("ETag")
            parts += f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
        ask("POST", f"/large/all?uploadId={upload}",
            f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>")

    def many(self):
        """Keys with versions below prefixes, and uploads."""
        self.objects.ok("PUT", "/many")
        self.objects.ok("PUT", "/many?versioning", "<VersioningConfiguration><Status>Enabled</Status>"
                                                   "</VersioningConfiguration>")

        def fill(first):
            connection = self.objects.connect()
            for i in range(first, KEYS, 8):
                for _ in range(2):
                    self.objects.ok("PUT", f"/many/{i:04}/{'k' * 100}", b"x", connection=connection)
                self.objects.ok("POST", f"/many/{i:04}/{'u' * 100}?uploads", connection=connection)
        threads = [threading.Thread(target=fill, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def check_pages_end(self, name, target, pages):
        page = self.request("GET", target)

        def whole():
            connection = self.objects.connect()
            for _ in range(pages):
                answer = self.objects.ok("GET", target, connection=connection)
                assert answer.text("IsTruncated") == "true" and len(answer.body) > 40_000
            connection.close()
        self.gone.check_ends(name, self.cairn.objects, page * pages, whole, PAGES_MS_MIN)


def check_copies(house):
    house.check_ends("a copy that is encrypted", "PUT", "/large/copy",
                     {"x-amz-copy-source": "/large/all", **SEALED})
    house.objects.ok("DELETE", "/large/copy")
    house.check_ends("a copy that reads for its checksum", "PUT", "/large/copy",
                     {"x-amz-copy-source": "/large/all"})
    house.objects.ok("DELETE", "/large/copy")
    upload = house.objects.ok("POST", "/large/parts?uploads", headers=SEALED).text("UploadId")
    house.check_ends("a copy of a part", "PUT", f"/large/parts?partNumber=1&uploadId={upload}",
                     {"x-amz-copy-source": "/large/all"})
    house.objects.ok("DELETE", f"/large/parts?uploadId={upload}")


def check_nothing_is_left(house):
    """Of copies whose client left neither a key nor bytes on the disk."""
    source = {"x-amz-copy-source": "/large/all", **SEALED}
    for how in ("end", "reset"):
        house.gone.leave(house.cairn.objects, house.request("PUT", "/large/gone", source), how)
    assert house.objects.ask("HEAD", "/large/gone").status == 404
    assert house.extents() > house.extents_before
    for key in ("part", "all"):
        house.objects.ok("DELETE", f"/large/{key}")
    while house.extents() != house.extents_before:  # until the collector has been there
        time.sleep(0.05)
    print("of copies that nobody waited for nothing is left", flush=True)


def main():
    house = Fixture(sys.argv[1])
    try:
        house.large_object()
        check_copies(house)
        house.many()
        for kind, query, pages in (("objects", "list-type=2&max-keys=1000", 500),
                                   ("versions", "max-keys=1000&versions=", 150),
                                   ("uploads", "max-uploads=1000&uploads=", 150)):
            house.check_pages_end(f"pages of {kind}", "/many?" + query, pages)
            house.check_pages_end(f"pages of {kind}, folded", "/many?delimiter=%2F&" + query, pages)
        check_nothing_is_left(house)
        assert house.cairn.stop() == 0
    finally:
        if house.cairn.process.poll() is None:
            house.cairn.kill()
        shutil.rmtree(house.cairn.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
