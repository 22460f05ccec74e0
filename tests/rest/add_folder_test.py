#!/usr/bin/env python3
"""From a folder to answers by the command line: `cairn add` and `cairn search` on real files, against a
server that reads the folder, one that cannot, one that is killed in the first sync, one that the command
starts, and none; with wrong keys and names that are taken.

    add_folder_test.py CAIRN
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402

BINARY = ""


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def make_books(folder):
    """Texts of several kinds, each with a word of its own."""
    write(folder, "garden/roses.md", "# Growing roses in a small garden\n\nPrune the **thorny** stems "
          "every winter. Aphids are washed off with soap. zanzibar\n")
    write(folder, "garden/bees.txt", "Keeping bees behind the house\n\nA colony makes honey of nectar; "
          "the queen lays all eggs. quixotic\n")
    write(folder, "travel/night train.html", "<html><head><title>Night trains to the north</title></head>"
          "<body><p>A sleeping car leaves at nine. Bring a <b>warm</b> blanket. xylophone</p></body></html>")
    write(folder, "man/frob.1", ".TH FROB 1\n.SH NAME\nfrob \\- change the owner of widgets\n"
          ".SH DESCRIPTION\nGives widgets to somebody else. vortices\n")
    write(folder, "notes", "")
    write(folder, "photo.jpg", "\xff\xd8 no text")
    return folder


class Folder(unittest.TestCase):
    def setUp(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="cairn-add-"))
        self.addCleanup(shutil.rmtree, self.top, True)
        self.books = make_books(os.path.join(self.top, "My Books"))
        self.config = write(self.top, "etc/cairn.yaml", "log: { level: info }\n")
        self.home = os.path.join(self.top, "home")
        os.makedirs(self.home)
        self.cairn = None

    def start(self, *arguments):
        self.cairn = Cairn(BINARY, folder=self.top)
        self.cairn.start("--config", self.config, *arguments)
        self.addCleanup(self.end)
        return self.cairn

    def end(self):
        if self.cairn.process.poll() is None:
            self.cairn.kill()

    def environment(self, **more):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("CAIRN_", "XDG_"))}
        out = dict(clean, HOME=self.home, **more)
        if self.cairn is not None:
            out.setdefault("CAIRN_SERVER", self.cairn.api)
            out.setdefault("CAIRN_KEY_FILE", os.path.join(self.cairn.data, "keys/admin.key"))
        return out

    def run_cairn(self, *words, environment=None, timeout=120):
        done = subprocess.run([os.path.abspath(BINARY), *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout,
                              env=environment or self.environment())
        return done.returncode, done.stdout, done.stderr

    def add(self, *words, expect=0, **more):
        status, out, errors = self.run_cairn("add", *words, **more)
        self.assertEqual(status, expect, f"{out}\n{errors}")
        return out, errors

    def titles(self, *words):
        status, out, errors = self.run_cairn("search", *words, "--json")
        self.assertIn(status, (0, 3), errors)
        return [hit["title"] for hit in json.loads(out)["hits"]]

    def roots(self):
        return [root["path"] for root in self.cairn.ok("GET", "/_cairn/folders")["roots"]]


class ServerReads(Folder):
    def test_a_folder_is_searched_by_words_and_by_meaning_after_one_command(self):
        self.start()
        out, errors = self.add(self.books, "--yes")
        self.assertIn("allowed the server to read " + self.books, errors)
        self.assertEqual(self.roots(), [self.books])
        mapping = self.cairn.ok("GET", "/my-books/_mapping")["my-books"]["mappings"]["properties"]
        self.assertEqual(mapping["meaning"]["type"], "semantic_text")
        self.assertEqual(mapping["title"]["copy_to"], "meaning")
        for word, title in [("zanzibar", "Growing roses in a small garden"),
                            ("quixotic", "Keeping bees behind the house"),
                            ("xylophone", "Night trains to the north"),
                            ("vortices", "frob(1) - change the owner of widgets")]:
            self.assertEqual(self.titles(word, "--size", "1"), [title])
        # The searches that it proposes answer something.
        proposed = re.findall(r'^  cairn search "([^"]+)" --index my-books$', out, re.M)
        self.assertEqual(len(proposed), 3, out)
        for question in proposed:
            self.assertTrue(self.titles(question, "--index", "my-books"), question)

    def test_a_text_of_megabytes_is_found_and_shown(self):
        write(self.books, "long.txt", "The long story of everything\n\n" + "many words follow here " * 80_000 +
              "platypus\n")
        self.start()
        self.add(self.books, "--yes")
        status, out, errors = self.run_cairn("search", "platypus", "--size", "1")
        self.assertEqual(status, 0, errors)
        self.assertIn("The long story of everything", out)

    def test_again_it_brings_in_what_changed_and_nothing_else(self):
        self.start()
        self.add(self.books, "--yes", "--schedule", "daily")
        write(self.books, "garden/worms.txt", "Compost worms\n\nThey eat kitchen waste. wobbegong\n")
        os.remove(os.path.join(self.books, "garden/bees.txt"))
        _, errors = self.add(self.books)
        self.assertIn("my-books: 1 documents of 5 files brought in, 4 unchanged, 1 deleted", errors)
        self.assertEqual(self.titles("wobbegong", "--size", "1"), ["Compost worms"])
        self.assertNotIn("Keeping bees behind the house", self.titles("quixotic"))
        schedule = self.cairn.ok("GET", "/_connector/my-books")["scheduling"]["incremental"]
        self.assertEqual(schedule, {"enabled": True, "interval": "0 0 3 * * ?"})

    def test_a_link_out_of_the_folder_is_left_out_and_named(self):
        write(self.top, "outside/secret.txt", "planted")
        os.symlink(os.path.join(self.top, "outside"), os.path.join(self.books, "link"))
        os.symlink("../outside/secret.txt", os.path.join(self.books, "link.txt"))
        self.start()
        _, errors = self.add(self.books, "--yes")
        self.assertIn("5 documents of 5 files brought in", errors)
        found = self.cairn.ok("GET", "/_connector/my-books/_problems")["results"]
        named = {one["path"]: (one["kind"], one["reason"]) for one in found}
        for name in ("link", "link.txt"):
            self.assertEqual(named[name],
                             ("skipped", "it is a link out of the folder, which is not followed"))

    def test_roots_that_are_there_stay_and_a_second_folder_comes_to_them(self):
        other = make_books(os.path.join(self.top, "other"))
        with open(self.config, "w") as file:
            file.write("connectors: { directory: { roots: [/usr/share/doc] } }\n")
        self.start()
        self.add(self.books, "--yes")
        self.add(other, "--yes", "--name", "second")
        self.assertEqual(self.roots(), ["/usr/share/doc", self.books, other])
        # What lies beneath a root needs no word more.
        before = os.stat(os.path.join(self.top, "etc/conf.d/folders.yaml")).st_mtime_ns
        self.add(os.path.join(self.books, "garden"), "--name", "garden")
        self.assertEqual(os.stat(os.path.join(self.top, "etc/conf.d/folders.yaml")).st_mtime_ns, before)

    def test_a_name_that_is_taken_is_told_with_who_has_it(self):
        other = make_books(os.path.join(self.top, "other"))
        self.start()
        self.add(self.books, "--yes")
        _, errors = self.add(other, "--yes", "--name", "my-books", expect=73)
        self.assertIn("is taken by the folder " + self.books, errors)
        self.cairn.ok("PUT", "/mine", {"mappings": {}})
        _, errors = self.add(other, "--yes", "--name", "mine", expect=73)
        self.assertIn("the name mine is taken by an index; choose another one with --name", errors)
        self.cairn.ok("PUT", "/_connector/crawl", {"service_type": "elsewhere"})
        _, errors = self.add(other, "--yes", "--name", "crawl", expect=73)
        self.assertIn("a connector of type elsewhere", errors)

    def test_without_yes_and_a_terminal_nothing_is_allowed(self):
        self.start()
        _, errors = self.add(self.books, expect=64)
        self.assertIn("--yes", errors)
        self.assertEqual(self.roots(), [])
        self.assertEqual(self.cairn.request("GET", "/my-books")[0], 404)

    def test_a_person_is_asked(self):
        self.start()
        master, slave = pty.openpty()
        process = subprocess.Popen([os.path.abspath(BINARY), "add", self.books], stdin=slave,
                                   stdout=subprocess.PIPE, stderr=slave, text=True,
                                   env=self.environment(), start_new_session=True)
        os.close(slave)
        seen = ""
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 4096).decode(errors="replace")
                except OSError:
                    break
                if "[Y/n]" in seen and "\ny" not in seen:
                    os.write(master, b"y\n")
                    seen += "\ny"
        self.assertEqual(process.wait(timeout=60), 0, seen)
        self.assertIn("May the server read " + self.books, seen)
        process.stdout.close()
        os.close(master)
        self.assertEqual(self.roots(), [self.books])

    def test_kill_9_in_the_first_sync_loses_nothing(self):
        many = os.path.join(self.top, "many")
        for number in range(3000):
            write(many, f"{number % 50}/text-{number}.txt",
                  f"Number {number} of the collection\n\n" + f"word{number} common words follow. " * 20)
        self.start()
        port = self.cairn.api.rsplit(":", 1)[1]
        process = subprocess.Popen([os.path.abspath(BINARY), "add", many, "--yes"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment())
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            status, answer = self.cairn.request("GET", "/many/_count")
            if status == 200 and answer["count"] > 0:
                break
            jobs = self.cairn.request("GET", "/_connector/_sync_job?connector_id=many")[1]
            if jobs.get("results") and jobs["results"][0]["indexed_document_count"] > 200:
                break
            time.sleep(0.01)
        self.cairn.kill()
        self.cairn.start("--config", self.config, "--api-listen", "127.0.0.1:" + port)
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.cairn.ok("GET", "/many/_count")["count"], 3000)
        self.assertEqual(self.titles("word1234", "--size", "1"), ["Number 1234 of the collection"])


    def test_a_key_that_may_not_search_is_told_how_to(self):
        self.start()
        made = self.cairn.ok("POST", "/_security/api_key", {"name": "adds", "role_descriptors": {"add": {
            "cluster": ["manage_connector"],
            "indices": [{"names": ["my-books"], "privileges": ["view_index_metadata"]}]}}})
        key = write(self.top, "key", made["encoded"])
        out, _ = self.add(self.books, "--yes", "--key-file", key)
        self.assertIn('Ask it: cairn search "your words" --index my-books', out)


class ManyKinds(Folder):
    """Files that other programs made; each has a word of its own (tests/data/files/words.tsv)."""

    def check_kinds(self):
        data = os.path.join(os.path.dirname(HERE), "data/files")
        folder = os.path.join(self.top, "kinds")
        shutil.copytree(os.path.join(data, "samples"), folder)
        status, _, errors = self.run_cairn("add", folder, "--yes")
        self.assertIn(status, (0, 2), errors)
        with open(os.path.join(data, "words.tsv")) as file:
            words = [line.rstrip("\n").split("\t") for line in file]
        self.assertGreater(len(words), 30)
        for name, word in words:
            if name.endswith(".pdf") and not shutil.which("pdftotext"):
                continue
            status, out, problem = self.run_cairn("search", word, "--index", "kinds", "--size", "5", "--json")
            self.assertEqual(status, 0, f"{name}: {problem}\n{errors}")
            self.assertIn(name, [hit["path"] for hit in json.loads(out)["hits"]], f"{word}: {errors}")
        return errors

    def test_are_found_again_where_the_server_reads(self):
        self.start()
        self.assertIn("brought in", self.check_kinds())

    def test_are_found_again_where_they_are_sent(self):
        self.cairn = Cairn(BINARY, folder=self.top,
                           environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": "/usr/share/doc"})
        self.cairn.start("--config", self.config)
        self.addCleanup(self.end)
        self.assertIn(" sent, ", self.check_kinds())


class Watched(Folder):
    def until(self, condition, what):
        until = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.05)

    def count(self, word):
        answer = self.cairn.ok("POST", "/my-books/_search", {"query": {"match": {"body": word}}})
        return answer["hits"]["total"]["value"]

    def test_changes_are_found_without_being_asked_for(self):
        self.start()
        self.add(self.books, "--yes", "--watch")
        path = write(self.books, "deep/er/new.txt", "A new text\n\nabout wobbegongs\n")
        self.until(lambda: self.count("wobbegongs") == 1, "a new file in new folders")
        write(self.books, "deep/er/new.txt", "A new text\n\nnow about narwhals\n")
        self.until(lambda: self.count("narwhals") == 1 and self.count("wobbegongs") == 0, "a change")
        os.rename(os.path.join(self.books, "deep"), os.path.join(self.top, "outside"))
        self.until(lambda: self.count("narwhals") == 0, "a folder that was moved away")
        os.rename(os.path.join(self.top, "outside"), os.path.join(self.books, "deep"))
        self.until(lambda: self.count("narwhals") == 1, "and back")
        write(self.books, "deep/er/more.txt", "More\n\nabout axolotls\n")
        self.until(lambda: self.count("axolotls") == 1, "a file in the folder that came back")
        os.remove(path)
        self.until(lambda: self.count("narwhals") == 0, "a file that is gone")

    def test_what_changed_while_the_server_was_down_is_found(self):
        self.start()
        self.add(self.books, "--yes", "--watch")
        self.cairn.kill()
        write(self.books, "later.txt", "Later\n\nabout quokkas\n")
        self.cairn.start("--config", self.config)
        self.until(lambda: self.count("quokkas") == 1, "a file that came while it was down")

    def test_a_watch_that_is_switched_off_finds_nothing_and_keeps_few_jobs(self):
        self.start()
        self.add(self.books, "--yes", "--watch")
        for number in range(14):
            write(self.books, "counted.txt", f"Counted\n\nas number{number}\n")
            self.until(lambda: self.count(f"number{number}") == 1, "each change")
        jobs = self.cairn.ok("GET", "/_connector/_sync_job?connector_id=my-books&size=100")["results"]
        self.assertLessEqual(len([job for job in jobs if job["id"].startswith("watch-")]), 12)
        self.cairn.ok("PUT", "/_connector/my-books/_configuration", {"values": {"watch": False}})
        time.sleep(3)
        write(self.books, "counted.txt", "Counted\n\nas nothing any more\n")
        time.sleep(3)
        self.assertEqual(self.count("number13"), 1)


class ServerCannotRead(Folder):
    def test_texts_are_sent_where_the_environment_names_the_roots(self):
        self.cairn = Cairn(BINARY, folder=self.top,
                           environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": "/usr/share/doc"})
        self.cairn.start("--config", self.config)
        self.addCleanup(self.end)
        out, errors = self.add(self.books, "--yes")
        self.assertIn("CAIRN_CONNECTORS__DIRECTORY__ROOTS", errors)
        self.assertIn("my-books: 5 documents of 5 files sent", errors)
        self.assertEqual(self.titles("quixotic", "--size", "1"), ["Keeping bees behind the house"])
        self.assertEqual(len(re.findall(r'cairn search "', out)), 3)
        # Again: what changed, and what is gone.
        write(self.books, "garden/worms.txt", "Compost worms\n\nThey eat kitchen waste. wobbegong\n")
        os.remove(os.path.join(self.books, "man/frob.1"))
        _, errors = self.add(self.books)
        self.assertIn("1 documents of 5 files sent, 4 unchanged, 1 deleted", errors)
        self.assertEqual(self.titles("wobbegong", "--size", "1"), ["Compost worms"])
        self.assertEqual(self.cairn.ok("GET", "/my-books/_count")["count"], 5)
        # A server that cannot read keeps no schedule; what is to be done instead works as it is told.
        write(self.books, "garden/worms.txt", "Compost worms\n\nThey eat everything. narwhal\n")
        _, errors = self.add(self.books, "--schedule", "daily", "--yes", expect=1)
        line = re.search(r"^  0 3 \* \* \* (.*)$", errors, re.M)
        self.assertTrue(line, errors)
        bare = {"HOME": self.home, "PATH": "/usr/bin:/bin"}
        done = subprocess.run(line[1], shell=True, capture_output=True, text=True, timeout=120, env=bare)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 documents of 5 files sent, 4 unchanged", done.stderr)
        self.assertEqual(self.titles("narwhal", "--size", "1"), ["Compost worms"])
        other = make_books(os.path.join(self.top, "other"))
        _, errors = self.add(other, "--name", "my-books", expect=73)
        self.assertIn("is taken by the folder", errors)

    def test_a_mailbox_that_was_sent_in_part_is_sent_whole(self):
        box = "".join(f"From a Mon Mar  2 09:00:00 2026\nFrom: a@example.org\nSubject: Letter {n}\n\nword{n}\n\n"
                      for n in range(300))
        write(self.books, "in.mbox", box)
        self.cairn = Cairn(BINARY, folder=self.top,
                           environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": "/usr/share/doc"})
        self.cairn.start("--config", self.config)
        self.addCleanup(self.end)
        _, errors = self.add(self.books, "--yes")
        self.assertIn("305 documents of 6 files sent", errors)

        def held():
            found = self.cairn.ok("POST", "/my-books/_search", {"size": 1000, "query": {"term": {"path": "in.mbox"}}})
            return {hit["_source"]["title"]: hit["_id"] for hit in found["hits"]["hits"]}

        ids = held()
        self.assertEqual(len(ids), 300)
        for gone in ("Letter 0", "Letter 7"):  # one stands for all, and any other one is not missed
            self.cairn.ok("DELETE", f"/my-books/_doc/{ids[gone]}?refresh=true")
        _, errors = self.add(self.books)
        self.assertIn("300 documents of 6 files sent, 5 unchanged, 0 deleted", errors)
        self.assertEqual(held(), ids)
        cut = box.index("From a", 2000)
        write(self.books, "in.mbox", box[:cut])
        self.add(self.books)
        self.assertEqual(held(), {title: ids[title] for title in list(ids) if box.index(title + "\n") < cut})

    def test_the_same_documents_come_by_either_way(self):
        write(self.books, "in.mbox", "From a\nFrom: a@example.org\nSubject: One\n\nx\n\nFrom b\nSubject: Two\n\ny\n")
        self.start()
        self.add(self.books, "--yes", "--name", "read")
        self.end()
        self.cairn = Cairn(BINARY, folder=self.top,
                           environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": "/usr/share/doc"})
        self.cairn.start("--config", self.config)
        self.add(self.books, "--name", "sent")

        def documents(index):
            hits = self.cairn.ok("POST", f"/{index}/_search", {"size": 100})["hits"]["hits"]
            return sorted((hit["_id"], json.dumps(hit["_source"], sort_keys=True)) for hit in hits)

        self.assertEqual(documents("read"), documents("sent"))

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "needs another user")
    def test_a_configuration_that_may_not_be_written_says_so(self):
        self.start()
        if os.geteuid() != 0:
            self.skipTest("only the administrator can become nobody")
        key = write(self.top, "key", self.cairn.key)
        os.chmod(self.top, 0o755)
        os.chmod(key, 0o644)
        os.chmod(os.path.join(self.top, "etc"), 0o755)
        environment = self.environment(CAIRN_KEY_FILE=key)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                               os.path.abspath(BINARY), "add", self.books, "--yes"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=environment, timeout=120)
        if "exec" in done.stderr and done.returncode in (126, 127):
            self.skipTest("nobody cannot reach the program here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("this user may not write", done.stderr)
        self.assertIn("5 documents of 5 files sent", done.stderr)
        self.assertEqual(self.roots(), [])


class WatchedAndSent(Watched):
    """Changes are sent by the command while it runs."""

    def start_blind(self, *arguments):
        self.cairn = Cairn(BINARY, folder=self.top,
                           environment={"CAIRN_CONNECTORS__DIRECTORY__ROOTS": "/usr/share/doc"})
        self.cairn.start("--config", self.config, *arguments)
        self.addCleanup(self.end)

    def watch(self, *words):
        log = open(os.path.join(self.top, "watch.log"), "w+")
        self.addCleanup(log.close)
        process = subprocess.Popen([os.path.abspath(BINARY), "add", self.books, "--yes", "--watch", *words],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True,
                                   env=self.environment())
        self.addCleanup(lambda: process.poll() is None and process.kill())

        def said():
            with open(log.name) as file:
                return file.read()

        self.until(lambda: "Ctrl-C ends it" in said() or process.poll() is not None, "a watch")
        self.assertIsNone(process.poll(), said())
        return process, said

    def test_changes_are_found_without_being_asked_for(self):
        self.start_blind()
        process, said = self.watch()
        self.assertEqual(self.cairn.ok("GET", "/my-books/_count")["count"], 5)
        path = write(self.books, "deep/er/new.txt", "A new text\n\nabout wobbegongs\n")
        self.until(lambda: self.count("wobbegongs") == 1, "a new file in new folders")
        write(self.books, "deep/er/new.txt", "A new text\n\nnow about narwhals\n")
        self.until(lambda: self.count("narwhals") == 1 and self.count("wobbegongs") == 0, "a change")
        os.rename(os.path.join(self.books, "deep"), os.path.join(self.top, "outside"))
        self.until(lambda: self.count("narwhals") == 0, "a folder that was moved away")
        os.rename(os.path.join(self.top, "outside"), os.path.join(self.books, "deep"))
        self.until(lambda: self.count("narwhals") == 1, "and back")
        os.remove(path)
        self.until(lambda: self.count("narwhals") == 0, "a file that is gone")
        self.assertIn("1 documents sent, 0 deleted", said())
        self.assertIn("0 documents sent, 1 deleted", said())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 0, said())

    def test_a_server_that_was_away_gets_what_changed(self):
        self.start_blind()
        port = self.cairn.api.rsplit(":", 1)[1]
        process, said = self.watch()
        self.cairn.kill()
        write(self.books, "later.txt", "Later\n\nabout quokkas\n")
        self.until(lambda: "tried again until it works" in said(), "a word about the server")
        self.cairn.start("--config", self.config, "--api-listen", "127.0.0.1:" + port)
        self.until(lambda: self.count("quokkas") == 1, "what changed meanwhile")
        # An index that is gone is filled anew.
        self.cairn.ok("DELETE", "/my-books")
        write(self.books, "later.txt", "Later\n\nabout numbats\n")
        self.until(lambda: self.cairn.request("GET", "/my-books/_count")[1].get("count") == 6, "all of it again")
        # Another folder of that path is read; where there is none any more nothing is deleted.
        os.rename(self.books, self.top + "/before")
        make_books(self.books)
        write(self.books, "later.txt", "Later\n\nabout axolotls\n")
        self.until(lambda: process.poll() is not None or self.count("axolotls") == 1, "another folder")
        if process.poll() is None:
            os.rename(self.books, self.top + "/after")
        self.assertEqual(process.wait(timeout=60), 66, said())
        self.assertEqual(self.cairn.ok("GET", "/my-books/_count")["count"], 6)

    test_what_changed_while_the_server_was_down_is_found = None
    test_a_watch_that_is_switched_off_finds_nothing_and_keeps_few_jobs = None


class Refusals(Folder):
    def test_no_server(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        key = write(self.top, "key", "bm8=")
        for words in (["add", self.books, "--yes"], ["search", "words"]):
            status, _, errors = self.run_cairn(*words, "--server", url, "--key-file", key)
            self.assertEqual(status, 69, errors)
            self.assertIn("no answer from " + url, errors)
        self.assertIn("--serve", self.run_cairn("add", self.books, "--server", url, "--key-file",
                                                key)[2])

    def test_wrong_keys(self):
        self.start()
        key = write(self.top, "key", "d3Jvbmc6a2V5")
        for words in (["add", self.books, "--yes"], ["search", "words"]):
            status, _, errors = self.run_cairn(*words, "--key-file", key)
            self.assertEqual(status, 77, errors)
        status, _, errors = self.run_cairn("search", "words", "--key-file", self.top + "/none")
        self.assertEqual(status, 66, errors)
        self.assertEqual(self.roots(), [])

    def test_folders_that_cannot_be(self):
        self.start()
        self.add(os.path.join(self.top, "none"), "--yes", expect=66)
        self.add(os.path.join(self.books, "photo.jpg"), "--yes", expect=66)
        self.add(self.books, "--schedule", "weekly", expect=64)
        self.add(self.books, "--name", "Not Lower", "--yes", expect=1)
        self.add(expect=64)

    def test_searches(self):
        self.start()
        status, _, errors = self.run_cairn("search", "words")
        self.assertEqual(status, 66)
        self.assertIn("cairn add FOLDER", errors)
        status, _, errors = self.run_cairn("search", "words", "--index", "nothing")
        self.assertEqual(status, 66, errors)
        self.cairn.ok("PUT", "/mine", {"mappings": {"properties": {"message": {"type": "text"}}}})
        self.cairn.ok("PUT", "/mine/_doc/1?refresh=true",
                      {"message": "an escape \x1b[31m of red words", "title": "T\x1b]0;x\x07itle"})
        status, out, errors = self.run_cairn("search", "red", "--index", "mine")
        self.assertEqual(status, 0, errors)
        self.assertNotIn("\x1b", out)
        status, out, errors = self.run_cairn("search", "absent", "--index", "mine")
        self.assertEqual((status, out), (3, ""), errors)
        status, out, _ = self.run_cairn("search", "absent", "--index", "mine", "--json")
        self.assertEqual((status, json.loads(out)["hits"]), (3, []))
        self.assertEqual(self.run_cairn("search", "a", "--size", "0")[0], 64)

    def test_marks_are_plain_in_a_pipe_and_colours_on_a_terminal(self):
        self.start()
        self.add(self.books, "--yes")
        _, out, _ = self.run_cairn("search", "honey")
        self.assertIn("Keeping bees behind the house\n  garden/bees.txt\n", out)
        self.assertIn("*honey*", out)
        self.assertNotIn("\x1b", out)
        master, slave = pty.openpty()
        done = subprocess.Popen([os.path.abspath(BINARY), "search", "honey"], stdin=subprocess.DEVNULL,
                                stdout=slave, stderr=subprocess.DEVNULL, env=self.environment())
        os.close(slave)
        seen = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        os.close(master)
        self.assertEqual(done.wait(timeout=60), 0)
        self.assertIn(b"\x1b[1;33mhoney\x1b[0m", seen)


class OwnServer(Folder):
    def test_serve_starts_one_that_stays(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        out, errors = self.add(self.books, "--serve", "--yes", "--server", url)
        pid = int(re.search(r"stop it with: kill (\d+)", errors).group(1))
        self.addCleanup(self.kill, pid)
        self.assertTrue(os.path.exists(os.path.join(self.home, ".config/cairn/conf.d/folders.yaml")))
        status, out, errors = self.run_cairn("search", "quixotic", "--server", url, "--json")
        self.assertEqual(status, 0, errors)
        self.assertEqual(json.loads(out)["hits"][0]["title"], "Keeping bees behind the house")
        _, errors = self.add(self.books, "--serve", "--server", url)
        self.assertIn("runs there already", errors)

    @staticmethod
    def kill(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def test_a_server_that_does_not_start_says_why(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            taken.settimeout(30)
            threading.Thread(target=self.refuse_all, args=(taken,), daemon=True).start()
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            _, errors = self.add(self.books, "--serve", "--yes", "--server", url, expect=69)
        self.assertIn("the server did not start", errors)
        self.assertIn("listen.api", errors)

    @staticmethod
    def refuse_all(listener):
        while True:
            try:
                listener.accept()[0].close()
            except OSError:
                return


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
