#!/usr/bin/env python3
"""A folder with files of every everyday kind, made by other programs (tests/data/files/make.sh): the text
of each is found again by a word of it, and what is not read is named."""

import email.message
import mailbox
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cairn_server import Cairn  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "../data/files")
PDF_READER = any(os.access(path + "/pdftotext", os.X_OK) for path in ("/usr/bin", "/usr/local/bin"))


def words():
    with open(os.path.join(FILES, "words.tsv")) as file:
        return [line.rstrip("\n").split("\t") for line in file]


def synced(cairn, connector, job_type="full", wait_s=300):
    """The finished job."""
    job = cairn.ok("POST", "/_connector/_sync_job", {"id": connector, "job_type": job_type})["id"]
    until = time.monotonic() + wait_s
    while time.monotonic() < until:
        record = cairn.ok("GET", f"/_connector/_sync_job/{job}")
        if record["status"] in ("completed", "error", "canceled"):
            return record
        time.sleep(0.05)
    raise AssertionError("the sync did not end")


def connected(cairn, connector, **values):
    cairn.ok("PUT", f"/_connector/{connector}", {"index_name": connector, "service_type": "directory"})
    cairn.ok("PUT", f"/_connector/{connector}/_configuration", {"values": values})


def paths_with(cairn, index, word):
    found = cairn.ok("POST", f"/{index}/_search",
                     {"size": 100, "_source": ["path"],
                      "query": {"multi_match": {"query": word, "fields": ["title", "body"]}}})
    return {hit["_source"]["path"] for hit in found["hits"]["hits"]}


def problems(cairn, connector):
    """All of them, page by page."""
    found = []
    while True:
        page = cairn.ok("GET", f"/_connector/{connector}/_problems?from={len(found)}&size=3")
        found += page["results"]
        if not page["results"]:
            check(len(found) == page["count"], page)
            return {one["path"]: (one["kind"], one["reason"]) for one in found}


def all_paths(cairn, index):
    found = cairn.ok("POST", f"/{index}/_search", {"size": 1000, "_source": ["path"]})
    return {hit["_source"]["path"] for hit in found["hits"]["hits"]}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def check_rows(cairn, root):
    """Rows of tables, lines of NDJSON and elements of a list are documents with fields."""
    folder = os.path.join(root, "rows")
    os.makedirs(folder)
    for name, text in [("a.csv", "name,legs,zip\naddax,4,007\nheron,2,1\n"), ("b.ndjson", '{"name":"emu","legs":2}\n'),
                       ("c.json", '[{"name":"kudu","legs":4},{"name":"kiwi","legs":2}]'), ("d.txt", "plain words")]:
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    connected(cairn, "rows", path=folder, rows="document")
    synced(cairn, "rows")
    found = cairn.ok("POST", "/rows/_search", {"query": {"range": {"legs": {"lt": 3}}}, "sort": "path.keyword"})
    check([hit["_source"]["name"] for hit in found["hits"]["hits"]] == ["heron", "emu", "kiwi"], found)
    check(found["hits"]["hits"][0]["_source"]["zip"] == "1", found)
    check(cairn.ok("GET", "/rows/_count")["count"] == 6, "not as many documents as rows")
    sheets = os.path.join(root, "sheets")
    os.makedirs(sheets)
    for name in ("stock.xlsx", "stock.ods"):
        shutil.copy(os.path.join(FILES, "samples", name), sheets)
    connected(cairn, "sheets", path=sheets, rows="document")
    job = synced(cairn, "sheets")
    check(job["status"] == "completed" and job["metadata"]["documents_refused"] == 0, job)
    found = cairn.ok("POST", "/sheets/_search", {"query": {"bool": {"filter": [
        {"range": {"since": {"gte": "2026-03-02", "lt": "2026-03-03"}}}, {"range": {"price": {"gt": 1}}},
        {"term": {"sheet.keyword": "Stock"}}]}}, "sort": "path.keyword"})
    check([hit["_source"]["item"] for hit in found["hits"]["hits"]] == ["nilgai", "tahr"], found)
    found = cairn.ok("POST", "/sheets/_search", {"query": {"term": {"sheet.keyword": "Keepers & co"}}})
    check([hit["_source"]["title"] for hit in found["hits"]["hits"]] == ["Zoë"], found)
    with open(os.path.join(folder, "a.csv"), "w") as file:
        file.write("name,legs,zip\nokapi,4,2\n")
    synced(cairn, "rows", "incremental")
    check(cairn.ok("GET", "/rows/_count")["count"] == 5, "a row that is gone is found")
    status, answer = cairn.request("PUT", "/_connector/rows/_configuration", {"values": {"rows": "cells"}})
    check(status == 400 and "[rows]" in answer["error"]["reason"], answer)


def check_mailbox(cairn, root):
    """A document of each message; more of them leave the first ones what they are."""
    folder = os.path.join(root, "mailbox")
    os.makedirs(folder)
    box = mailbox.mbox(os.path.join(folder, "in.mbox"))

    def add(*numbers):
        for number in numbers:
            one = email.message.EmailMessage()
            one["From"], one["To"], one["Subject"] = "ada@example.org", "bob@example.org", f"Letter {number} ä"
            one["Date"] = f"Mon, 02 Mar 2026 09:{number:02}:00 +0100"
            one.set_content(f"From here on word{number} follows.\n\nFrom: nobody\n")
            if number == 3:
                with open(os.path.join(FILES, "samples/report.docx"), "rb") as file:
                    one.add_attachment(file.read(), maintype="application", subtype="octet-stream",
                                       filename="report.docx")
                with open(os.path.join(FILES, "samples/groff.pdf"), "rb") as file:
                    one.add_attachment(file.read(), maintype="application", subtype="pdf", filename="a.pdf")
            box.add(one)
        box.flush()

    def held():
        hits = cairn.ok("POST", "/mailbox/_search", {"size": 100})["hits"]["hits"]
        return {hit["_id"]: hit["_source"] for hit in hits}

    add(*range(1, 6))
    connected(cairn, "mailbox", path=folder, semantic=True)
    job = synced(cairn, "mailbox")
    check(job["indexed_document_count"] == 5 and job["total_document_count"] == 1, job)
    first = held()
    by_title = {source["title"]: source for source in first.values()}
    check(sorted(by_title) == [f"Letter {n} ä" for n in range(1, 6)], sorted(by_title))
    three = by_title["Letter 3 ä"]
    check((three["from"], three["to"], three["date"], three["path"]) ==
          ("ada@example.org", "bob@example.org", "2026-03-02T08:03:00.000Z", "in.mbox"), three)
    check("From here on word3 follows." in three["body"] and "aardvark" in three["body"], three)
    check(not PDF_READER or "okapi" in three["body"], "the PDF is not read")
    check(all("aardvark" not in one["body"] for one in first.values() if one is not three), "the attachment is elsewhere")
    found = cairn.ok("POST", "/mailbox/_search", {"query": {"range": {"date": {"gte": "2026-03-02T08:04:00Z"}}}})
    check(found["hits"]["total"]["value"] == 2, found)
    add(6)
    synced(cairn, "mailbox", "incremental")
    more = held()
    check(len(more) == 6 and all(more[one]["title"] == first[one]["title"] for one in first), more)
    box.remove(box.keys()[0])
    box.flush()
    synced(cairn, "mailbox", "incremental")
    check(sorted(one["title"] for one in held().values()) == [f"Letter {n} ä" for n in range(2, 7)], held())
    # What the index does not take is named with the message.
    cairn.ok("PUT", "/strict", {"mappings": {"properties": {"from": {"type": "date"}}}})
    connected(cairn, "strict", path=folder)
    synced(cairn, "strict")
    named = cairn.ok("GET", "/_connector/strict/_problems?size=100")["results"]
    check([one["reason"].split(":")[0] for one in named] == [f"message {n}" for n in range(1, 6)], named)
    box.close()


def check_options(cairn, root):
    """Hidden files, patterns, and .gitignore as git understands it."""
    folder = os.path.join(root, "options")
    for name, text in [("a.md", ""), (".hidden.md", ""), (".git2/a.md", ""), ("node/b.md", ""), ("docs/c.md", ""),
                       ("docs/deep/d.txt", ""), ("docs/build/e.md", ""), ("f.log", ""), ("keep.log", ""),
                       ("docs/.gitignore", "build/\n/deep/*.txt\n"), (".gitignore", "*.log\n!keep.log\nnode\n")]:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text or "words of " + name)
    everything = {"a.md", "node/b.md", "docs/c.md", "docs/deep/d.txt", "docs/build/e.md", "f.log", "keep.log"}
    hidden = {".hidden.md", ".git2/a.md", "docs/.gitignore", ".gitignore"}

    def read_with(number, **values):
        connected(cairn, f"options{number}", path=folder, **values)
        check(synced(cairn, f"options{number}")["status"] == "completed", values)
        return all_paths(cairn, f"options{number}")

    check(read_with(1) == everything, "without options")
    check(read_with(2, hidden=True) == everything | hidden, "hidden")
    check(read_with(3, include=["*.md"], exclude=["node/"]) ==
          {"a.md", "docs/c.md", "docs/build/e.md"}, "include and exclude")
    check(read_with(4, include=["docs/**"], exclude=["**/deep"]) == {"docs/c.md", "docs/build/e.md"}, "folders")
    check(problems(cairn, "options4")["docs/deep"] == ("skipped", "[exclude] names it"), "the folder is not named")
    kept = read_with(5, gitignore=True, hidden=True)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    listed = subprocess.run(["git", "ls-files", "-o", "--exclude-standard"], cwd=folder, check=True,
                            capture_output=True, text=True).stdout.split()
    check(kept == set(listed), f"{sorted(kept)} are kept, and git keeps {sorted(listed)}")
    status, answer = cairn.request("PUT", "/_connector/options1/_configuration", {"values": {"exclude": ["/"]}})
    check(status == 400, answer)


def main(binary):
    root = os.path.join("/tmp", f"cairn-kinds-{os.getpid()}")
    shutil.copytree(os.path.join(FILES, "samples"), os.path.join(root, "docs"))
    for name, head in [("photo.jpg", b"\xff\xd8\xff"), ("song.mp3", b"ID3"), ("film.mp4", b"\0\0\0\x18ftyp"),
                       ("blob", bytes(range(256)) * 20), ("old.doc", b"\xd0\xcf\x11\xe0")]:
        with open(os.path.join(root, "docs", name), "wb") as file:
            file.write(head)
    cairn = Cairn(binary).start("--set", f"connectors.directory.roots={root}")
    try:
        connected(cairn, "kinds", path=os.path.join(root, "docs"))
        job = synced(cairn, "kinds")
        check(job["status"] == "completed", job)
        expected = words()
        kinds = {os.path.splitext(name)[1] or name for name, _ in expected}
        check(len(kinds) >= 28, f"only {len(kinds)} kinds of files")
        for name, word in expected:
            if name.endswith(".pdf") and not PDF_READER:
                print(f"not looked for: {name}, as pdftotext is not installed")
                continue
            check(name in paths_with(cairn, "kinds", word),
                  f"{name} is not found by its word {word}: {job['metadata']}")
        # What is attached to a message is found with the message.
        check("mail.eml" in paths_with(cairn, "kinds", "aardvark"), "the attached DOCX is not read")
        if PDF_READER:
            check("mail.eml" in paths_with(cairn, "kinds", "okapi"), "the attached PDF is not read")
        for phrase in ("Grüße", "façade", "日本語", "Kühe"):
            check(paths_with(cairn, "kinds", phrase), f"{phrase} is not found")
        titles = {hit["_source"]["path"]: hit["_source"]["title"] for hit in cairn.ok(
            "POST", "/kinds/_search", {"size": 200})["hits"]["hits"]}
        for name, title in [("report.docx", "The aardvark"), ("book.epub", "The capybara"),
                            ("mail.eml", "Über das Vicuña"), ("page.html", "The gerenuk"),
                            ("data.json", "A record"), ("program.py", "program.py")]:
            check(titles[name] == title, f"the title of {name} is {titles[name]!r}")
        named = problems(cairn, "kinds")
        for name, reason in [("photo.jpg", "it is an image"), ("song.mp3", "it is sound"),
                             ("film.mp4", "it is a film"), ("blob", "it holds no text")]:
            check(named.get(name) == ("skipped", reason), (name, named))
        check("DOCX" in named["old.doc"][1], named)
        again = synced(cairn, "kinds", "incremental")
        check(again["indexed_document_count"] == 0, again)
        check(again["metadata"]["files_read"] == 0, again)  # also none that could not be read
        check(problems(cairn, "kinds") == named, "the second run names other problems")
        check_rows(cairn, root)
        check_mailbox(cairn, root)
        check_options(cairn, root)
        status, _ = cairn.request("GET", "/_connector/none/_problems")
        check(status == 404, status)
        print(f"{len(expected)} words in files of {len(kinds)} kinds are found again")
    finally:
        cairn.kill()
        shutil.rmtree(root)


if __name__ == "__main__":
    main(sys.argv[1])
