#!/usr/bin/env python3
"""A folder's files are found by whoever may read them on this machine: a sync of the documents, one of
access control, and keys with the queries that it wrote.

    access_control_test.py CAIRN
"""

import errno
import os
import pwd
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402


class Folder:
    """Below a folder that everyone may pass."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="cairn-files-")
        os.chmod(self.path, 0o755)

    def write(self, name, mode):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(f"the word of {name} is lantern\n")
        os.chmod(path, mode)

    def chmod(self, name, mode):
        os.chmod(os.path.join(self.path, name), mode)


def sync(server, job_type):
    job = server.ok("POST", "/_connector/_sync_job", {"id": "files", "job_type": job_type})["id"]
    until = time.monotonic() + 60
    while True:
        state = server.ok("GET", f"/_connector/_sync_job/{job}")
        if state["status"] in ("completed", "error", "canceled"):
            assert state["status"] == "completed", state
            return state
        assert time.monotonic() < until, state
        time.sleep(0.1)


def key_of(server, user):
    """What an administrator does for somebody: a key that shows what the user may read."""
    found = server.ok("GET", f"/.search-acl-filter-docs/_doc/{user}")["_source"]
    assert found["identity"]["username"] == user, found
    made = server.ok("POST", "/_security/api_key", {"name": user, "role_descriptors": {"reader": {
        "indices": [{"names": ["docs"], "privileges": ["read"], "query": found["query"]}]}}})
    return {"Authorization": "ApiKey " + made["encoded"]}


def found_by(server, headers):
    status, answer = server.request("POST", "/docs/_search", {
        "query": {"match": {"body": "lantern"}}, "size": 100}, headers=headers)
    assert status == 200, answer
    return sorted(hit["_source"]["path"] for hit in answer["hits"]["hits"])


OWNER, USER, OWNING_GROUP, GROUP, MASK, OTHERS = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20


def set_list(folder, name, *entries):
    """An access control list as setfacl writes it: (kind, rights, id)."""
    value = struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", kind, bits, *(number or (0xffffffff,))) for kind, bits, *number in entries)
    os.setxattr(os.path.join(folder.path, name), "system.posix_acl_access", value)


def lists(folder, server, theirs):
    """Users and groups that access control lists name."""
    os.chmod(folder.path, 0o755)
    daemon = pwd.getpwnam("daemon")
    try:
        set_list(folder, "group.txt", (OWNER, 6), (USER, 4, daemon.pw_uid), (OWNING_GROUP, 0), (MASK, 4), (OTHERS, 0))
    except OSError as error:
        assert error.errno == errno.ENOTSUP, error
        print("this file system keeps no access control lists")
        return
    set_list(folder, "odd.txt", (OWNER, 6), (OWNING_GROUP, 0), (GROUP, 4, daemon.pw_gid), (MASK, 4), (OTHERS, 0))
    sync(server, "incremental")
    before = ["closed/inside.txt", "own.txt"]
    assert found_by(server, theirs) == ["closed/inside.txt", "group.txt", "odd.txt", "own.txt"], found_by(server, theirs)
    # The mask takes away what the entry gives; an entry for a user goes before the group's.
    set_list(folder, "group.txt", (OWNER, 6), (USER, 4, daemon.pw_uid), (OWNING_GROUP, 0), (MASK, 0), (OTHERS, 0))
    set_list(folder, "odd.txt", (OWNER, 6), (USER, 0, daemon.pw_uid), (OWNING_GROUP, 0), (GROUP, 4, daemon.pw_gid),
             (MASK, 4), (OTHERS, 0))
    assert sync(server, "incremental")["indexed_document_count"] == 2
    assert found_by(server, theirs) == before, found_by(server, theirs)
    # A folder that only the list opens.
    folder.chmod("closed", 0o700)
    sync(server, "incremental")
    assert found_by(server, theirs) == ["own.txt"]
    set_list(folder, "closed", (OWNER, 7), (USER, 1, daemon.pw_uid), (OWNING_GROUP, 0), (MASK, 1), (OTHERS, 0))
    sync(server, "incremental")
    assert found_by(server, theirs) == before, found_by(server, theirs)


def main():
    folder = Folder()
    for name, mode in (("open.txt", 0o644), ("own.txt", 0o600), ("closed/inside.txt", 0o644),
                       ("group.txt", 0o640), ("odd.txt", 0o604)):
        folder.write(name, mode)
    folder.chmod("closed", 0o700)
    os.symlink("own.txt", os.path.join(folder.path, "zlink.txt"))
    server = Cairn(sys.argv[1], environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": folder.path})
    server.start()
    try:
        server.ok("PUT", "/_connector/files", {"index_name": "docs", "service_type": "directory"})
        server.ok("PUT", "/_connector/files/_configuration", {"values": {"path": folder.path}})
        status, refused = server.request("POST", "/_connector/_sync_job",
                                         {"id": "files", "job_type": "access_control"})
        assert status == 400 and "use_document_level_security" in str(refused), refused
        server.ok("PUT", "/_connector/files/_configuration", {"values": {
            "path": folder.path, "use_document_level_security": True}})
        sync(server, "full")
        users = sync(server, "access_control")
        names = {one.pw_name for one in pwd.getpwall()}
        assert users["indexed_document_count"] >= 1, users
        assert server.ok("GET", "/.search-acl-filter-docs/_count")["count"] == \
            len({line.split(":")[0] for line in open("/etc/passwd") if ":" in line and line[0] != "#"})
        record = server.ok("GET", "/_connector/files")
        assert record["last_access_control_sync_status"] == "completed", record
        assert record["last_sync_status"] == "completed" and record["last_indexed_document_count"] == 5, record
        assert "docs" in server.ok("GET", "/_cat/indices?format=json&h=index")[0]["index"]

        me = pwd.getpwuid(os.getuid()).pw_name
        mine, theirs = key_of(server, me), key_of(server, "daemon")
        assert "daemon" in names
        every = ["closed/inside.txt", "group.txt", "odd.txt", "open.txt", "own.txt"]
        assert found_by(server, mine) == every, found_by(server, mine)
        assert found_by(server, theirs) == ["open.txt"], found_by(server, theirs)

        # A change of rights alone is a change.
        folder.chmod("own.txt", 0o644)
        folder.chmod("open.txt", 0o600)
        state = sync(server, "incremental")
        assert state["indexed_document_count"] == 2, state
        assert found_by(server, theirs) == ["own.txt"], found_by(server, theirs)
        folder.chmod("closed", 0o755)
        sync(server, "incremental")
        assert found_by(server, theirs) == ["closed/inside.txt", "own.txt"]
        # Of the way to the folder, too.
        os.chmod(folder.path, 0o700)
        sync(server, "incremental")
        assert found_by(server, theirs) == [] and found_by(server, mine) == every
        # Nothing changed: nothing is written, and nobody is lost.
        assert sync(server, "incremental")["indexed_document_count"] == 0
        again = sync(server, "access_control")
        assert again["deleted_document_count"] == 0, again
        assert found_by(server, mine) == every
        lists(folder, server, theirs)
        # Without it documents say nothing any more, and nobody whom a query narrows finds them.
        server.ok("PUT", "/_connector/files/_configuration", {"values": {
            "path": folder.path, "use_document_level_security": False}})
        sync(server, "full")
        assert found_by(server, mine) == [], "a document without readers is shown to nobody"
        print(f"{len(every)} files were found by whoever may read them")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
