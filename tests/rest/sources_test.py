#!/usr/bin/env python3
"""Sources of connectors against the real thing: what they hold becomes documents, follows changes,
and is whole after kill -9 in the middle of a sync; hosts and folders that nobody allowed are refused;
secrets are neither shown nor kept in the clear.

    sources_test.py CAIRN [NAME...]

CAIRN_ROUNDS (2) rounds of kill -9, CAIRN_SEED to repeat one. Nothing is asserted about how fast
anything is: what takes time is waited for.
"""

import email
import email.header
import email.message
import functools
import glob
import gzip
import hashlib
import http.server
import json
import mailbox
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = None
ROUNDS = int(os.environ.get("CAIRN_ROUNDS", "2"))
SEED = int(os.environ.get("CAIRN_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def same(got, wanted, what=""):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


class Program:
    """A started Cairn, gone at the end. `settings`: what --set takes."""

    def __init__(self, *settings):
        self.cairn = Cairn(BINARY)
        self.settings = [word for setting in (
            "rate_limit.shadow=true",
            f"connectors.directory.roots={self.cairn.folder}/roots", *settings)
            for word in ("--set", setting)]
        os.makedirs(self.cairn.folder + "/roots")
        self.start()

    def start(self):
        self.cairn.start(*self.settings)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.cairn.process.poll() is None:
            self.cairn.stop()
        if error[0] is None:
            shutil.rmtree(self.cairn.folder)
        else:
            print(self.cairn.log_tail(40))

    def connector(self, name, service_type, **values):
        self.cairn.ok("PUT", f"/_connector/{name}", {
            "index_name": name, "name": name, "service_type": service_type})
        self.cairn.ok("PUT", f"/_connector/{name}/_configuration", {"values": values})

    def refusal(self, name, **values):
        """What a configuration is refused with."""
        status, answer = self.cairn.request(
            "PUT", f"/_connector/{name}/_configuration", {"values": values})
        same(status, 400, answer)
        return answer["error"]["reason"]

    def looked_at(self, connector, items):
        """A look before the first sync: ten documents, the count of all, and nothing written."""
        same(self.cairn.ok("POST", f"/_connector/{connector}/_dry_run")["new"], items)
        same(len(self.cairn.ok("POST", f"/_connector/{connector}/_preview")["documents"]), min(items, 10))
        same(self.cairn.request("GET", f"/{connector}")[0], 404)

    def begin(self, connector, job_type="full"):
        return self.cairn.ok("POST", "/_connector/_sync_job", {
            "id": connector, "job_type": job_type})["id"]

    def ended(self, job, status="completed", seconds=120):
        until = time.monotonic() + seconds
        while True:
            record = self.cairn.ok("GET", f"/_connector/_sync_job/{job}")
            if record["status"] in ("completed", "error", "canceled"):
                same(record["status"], status, record)
                return record
            check(time.monotonic() < until, record)
            time.sleep(0.02)

    def sync(self, connector, job_type="full", status="completed"):
        return self.ended(self.begin(connector, job_type), status)

    def documents(self, index):
        """All of an index by id."""
        self.cairn.ok("POST", f"/{index}/_refresh")
        hits = self.cairn.ok("POST", f"/{index}/_search", {"size": 10_000})["hits"]["hits"]
        return {hit["_id"]: hit["_source"] for hit in hits}

    def by(self, index, member="path"):
        return {source[member]: source for source in self.documents(index).values()}

    def cut_rounds(self, connector, change, wanted):
        """Syncs that kill -9 cuts at a random moment, each of which goes on after the start and ends
        with what the source holds: `change(number)` changes that, `wanted()` tells it."""
        rng = random.Random(SEED)
        print(f"seed {SEED} (CAIRN_SEED={SEED} repeats it)", flush=True)
        for number in range(ROUNDS):
            change(number)
            job = self.begin(connector, "full" if number % 2 == 0 else "incremental")
            time.sleep(rng.uniform(0, 0.4))
            self.cairn.kill()
            self.start()
            self.ended(job)
            same(wanted(), True, f"round {number}")

    def nowhere_in_the_clear(self, secret):
        """No file below the data folder has these bytes, and no answer."""
        for folder, _, names in os.walk(self.cairn.data):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    check(secret.encode() not in file.read(), f"{folder}/{name}")
        for path in ("/_connector", "/_connector/_sync_job"):
            check(secret not in str(self.cairn.ok("GET", path)), path)


# --- git


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=Ada", "-c", "user.email=a@b.c", *words],
                   check=True, stdout=subprocess.DEVNULL)


def write(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


def git_local():
    with Program() as program:
        repository = program.cairn.folder + "/roots/repository"
        os.makedirs(repository)
        git(repository, "init", "-q", "-b", "main")
        for i in range(300):
            write(repository, f"text/{i}.txt", f"word{i} of many")
        commit(repository, "Three hundred texts")
        program.connector("git", "git", repository=repository, history=True)
        facts = program.cairn.ok("POST", "/_connector/git/_test")
        same(facts["ok"], True, facts)
        same(program.cairn.ok("POST", "/_connector/git/_dry_run")["new"], 301)
        same(len(program.cairn.ok("POST", "/_connector/git/_preview")["documents"]), 10)
        same(program.sync("git")["indexed_document_count"], 301)

        write(repository, "text/0.txt", "another word")
        git(repository, "rm", "-q", "text/1.txt")
        commit(repository, "A change")
        job = program.sync("git", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"]), (2, 1), job)
        same(job["metadata"]["files_read"], 1, job)
        same(program.by("git")["text/0.txt"]["body"], "another word")

        def change(number):
            for i in range(300):
                write(repository, f"text/{i}.txt", f"round{number} word{i}")
            write(repository, f"more/{number}.txt", "one more")
            commit(repository, f"Round {number}")

        def wanted():
            held = subprocess.run(["git", "-C", repository, "ls-files"], check=True,
                                  capture_output=True, text=True).stdout.split()
            found = program.by("git")
            texts = {path: source for path, source in found.items() if "commit" not in source}
            for path in held:
                with open(os.path.join(repository, path)) as file:
                    same(texts[path]["body"], file.read(), path)
            return sorted(texts) == sorted(held)

        program.cut_rounds("git", change, wanted)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A folder over HTTP for who has the password."""

    def do_GET(self):
        self.server.asked.append(self.headers.get("Authorization"))
        if self.headers.get("Authorization") != "Basic Z2l0Om9wZW4tc2VzYW1lLTEyMw==":
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic realm=\"git\"")
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, *words):
        pass


def git_remote():
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        served = program.cairn.folder + "/served"
        repository = served + "/work"
        os.makedirs(repository)
        git(repository, "init", "-q", "-b", "main")
        write(repository, "a.md", "# A\nfirst")
        commit(repository, "Begin")

        def publish():
            git(repository, "push", "-q", "--force", served + "/bare.git", "main")
            git(served + "/bare.git", "update-server-info")

        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", served + "/bare.git"], check=True)
        publish()
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=served))
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/bare.git"
        program.connector("remote", "git", repository=url, token="open-sesame-123", history=True)
        same(program.cairn.ok("POST", "/_connector/remote/_test")["ok"], True)
        program.connector("files", "git", repository=url, token="open-sesame-123")
        same(program.sync("files")["indexed_document_count"], 1)
        same(program.sync("remote")["indexed_document_count"], 2)
        write(repository, "b.md", "# B\nsecond")
        commit(repository, "Another")
        publish()
        job = program.sync("remote", "incremental")
        same(job["indexed_document_count"], 2, job)
        same(program.by("remote")["b.md"]["title"], "B")
        program.nowhere_in_the_clear("open-sesame-123")
        shown = program.cairn.ok("GET", "/_connector/remote")["configuration"]["token"]
        same((shown["value"], "sealed" in shown), ("********", False))

        # Set again as it was shown, it stays; a wrong one is refused by the other side.
        program.cairn.ok("PUT", "/_connector/remote/_configuration", {"values": {"token": "********"}})
        same(program.sync("remote", "incremental")["indexed_document_count"], 0)
        program.cairn.ok("PUT", "/_connector/remote/_configuration", {"values": {"token": "wrong"}})
        answer = program.cairn.ok("POST", "/_connector/remote/_test")
        same(answer["ok"], False, answer)
        check("wrong" not in str(answer), answer)
        server.shutdown()

    with Program() as program:
        program.cairn.ok("PUT", "/_connector/remote", {"index_name": "remote", "service_type": "git"})
        check("connectors.allowed_hosts" in program.refusal("remote", repository=url), "refused")
        check("is the mask of a secret" in program.refusal(
            "remote", repository=program.cairn.folder + "/roots", token="********"), "mask")


# --- PostgreSQL


class PostgresServer:
    """Debian's server in a folder of its own, gone at the end."""

    def __init__(self, folder):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.folder = folder + "/postgres"
        os.makedirs(self.folder)
        # It refuses to run as root.
        self.who = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self.who:
            shutil.chown(self.folder, "postgres")
            os.chmod(folder, 0o755)
        with open(folder + "/password", "w") as file:
            file.write("postgres-secret-1\n")
        os.chmod(folder + "/password", 0o644)
        self.run("initdb", "-A", "scram-sha-256", "-U", "cairn", "--pwfile", folder + "/password",
                 "-N", "-D", self.folder + "/data")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [self.programs + "/postgres", "-D", self.folder + "/data", "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **self.who)
        until = time.monotonic() + 60
        while self.ask("SELECT 1", check=False) != "1":
            check(time.monotonic() < until, "PostgreSQL did not start")
            time.sleep(0.1)

    def run(self, program, *words):
        subprocess.run([f"{self.programs}/{program}", *words], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, **self.who)

    def ask(self, statement, check=True):
        return subprocess.run(
            [self.programs + "/psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "cairn", "-d",
             "postgres", "-v", "ON_ERROR_STOP=1", "-qAt", "-c", statement],
            check=check, capture_output=True, text=True,
            env={"PGPASSWORD": "postgres-secret-1", "LC_ALL": "C.UTF-8"}).stdout.strip()

    def values(self, **more):
        return {"host": "127.0.0.1", "port": self.port, "database": "postgres", "user": "cairn",
                "password": "postgres-secret-1", "sslmode": "disable", **more}

    def stop(self):
        self.process.terminate()
        self.process.wait()


def with_postgres(test):
    def run():
        with Program("connectors.allowed_hosts=127.0.0.1") as program:
            server = PostgresServer(program.cairn.folder)
            try:
                test(program, server)
            finally:
                server.stop()
    run.__name__ = test.__name__
    return run


@with_postgres
def postgres_types(program, server):
    server.ask("""CREATE SEQUENCE counter; CREATE TYPE mood AS ENUM ('glad', 'sad');
        CREATE TABLE things (id bigint PRIMARY KEY, title text, price numeric(20,4), ratio float8,
          made timestamptz, day date, tags text[], grid int[][], extra jsonb, yes bool, raw bytea,
          feeling mood, feelings mood[], who uuid);
        INSERT INTO things VALUES (1, 'One ä "quoted"', 12345678901234.5, 0.1,
          '2026-01-02 03:04:05.678+02', '2026-01-02', '{a,"b c"}', '{{1,2},{3,4}}', '{"a": [1, null]}',
          true, '\\x616263', 'glad', '{sad,glad}', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'),
          (2, NULL, 'NaN', 'infinity', 'infinity', NULL, '{}', NULL, 'null', false, '', NULL, NULL, NULL)""")
    program.connector("things", "postgresql", **server.values(table="public.things"))
    facts = program.cairn.ok("POST", "/_connector/things/_test")
    same((facts["ok"], facts["source"]["key"]), (True, ["id"]), facts)
    program.looked_at("things", 2)
    same(program.sync("things")["indexed_document_count"], 2)
    found = program.documents("things")
    same(found["1"], {
        "id": 1, "title": 'One ä "quoted"', "price": 12345678901234.5, "ratio": 0.1,
        "made": "2026-01-02T01:04:05.678Z", "day": "2026-01-02", "tags": ["a", "b c"],
        "grid": [[1, 2], [3, 4]], "extra": {"a": [1, None]}, "yes": True, "raw": "YWJj",
        "feeling": "glad", "feelings": ["sad", "glad"], "who": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"})
    same([found["2"][name] for name in ("title", "price", "ratio", "made", "tags")],
         [None, None, None, None, []])
    program.nowhere_in_the_clear("postgres-secret-1")

    # A query with a key of two columns, one of them with a stroke in it.
    program.connector("pairs", "postgresql", **server.values(
        query="SELECT id, title || '/' AS part, price FROM things WHERE title IS NOT NULL -- remark",
        key=["id", "part"]))
    same(program.sync("pairs")["indexed_document_count"], 1)
    same(list(program.documents("pairs")), ["1/One%20%C3%A4%20%22quoted%22%2F"])

    # What can never work is refused; what the server says is told.
    for values, word in (({"table": "x", "query": "SELECT 1"}, "[table]"), ({"query": "SELECT 1"}, "[key]"),
                         ({"table": "x", "host": "db.example"}, "connectors.allowed_hosts"),
                         ({"table": "x", "host": "/run"}, "[host]"),
                         ({"table": "x", "sslmode": "prefer"}, "[sslmode]")):
        values = {**server.values(), "table": None, "query": None, "key": None, **values}
        check(word in program.refusal("pairs", **values), word)
    for values, word in (({"query": "DELETE FROM things RETURNING id"}, "syntax error"),
                         ({"query": "SELECT 1 AS id) r; DROP TABLE things; SELECT (1"}, "multiple commands"),
                         ({"query": "SELECT nextval('counter') AS id"}, "read-only"),
                         ({"table": "none", "query": None}, "does not exist")):
        program.cairn.ok("PUT", "/_connector/pairs/_configuration", {
            "values": {**server.values(), "table": None, "key": ["id"], **values}})
        job = program.sync("pairs", status="error")
        check(word in job["error"], job["error"])
    program.cairn.ok("PUT", "/_connector/pairs/_configuration", {
        "values": {"password": "wrong", "table": "things", "query": None}})
    answer = program.cairn.ok("POST", "/_connector/pairs/_test")
    check(not answer["ok"] and "authentication failed" in answer["error"]["reason"], answer)


@with_postgres
def postgres_changes(program, server):
    server.ask("""CREATE TABLE notes (id int PRIMARY KEY, body text,
                    changed timestamptz DEFAULT clock_timestamp());
                  INSERT INTO notes SELECT n, 'note ' || n FROM generate_series(1, 2500) n""")
    program.connector("notes", "postgresql", **server.values(table="notes", cursor="changed"))
    same(program.sync("notes")["indexed_document_count"], 2500)
    server.ask("UPDATE notes SET body = 'again', changed = clock_timestamp() WHERE id <= 3")
    server.ask("DELETE FROM notes WHERE id > 2490")
    job = program.sync("notes", "incremental")
    same((job["indexed_document_count"], job["deleted_document_count"]), (3, 0), job)
    check(job["total_document_count"] <= 4, job)
    same(program.documents("notes")["1"]["body"], "again")
    job = program.sync("notes", "full")
    same((job["indexed_document_count"], job["deleted_document_count"]), (2490, 10), job)
    # Without a cursor every row is looked at, and what is as before is not written.
    program.cairn.ok("PUT", "/_connector/notes/_configuration", {"values": {"cursor": None}})
    server.ask("DELETE FROM notes WHERE id = 1")
    job = program.sync("notes", "incremental")
    same((job["indexed_document_count"], job["deleted_document_count"]), (0, 1), job)

    def change(number):
        server.ask(f"UPDATE notes SET body = 'round {number} ' || id")
        server.ask(f"DELETE FROM notes WHERE id % 10 = {number + 1}")
        server.ask(f"INSERT INTO notes SELECT n, 'more' FROM generate_series({number} * 300 + 3000, "
                   f"{number} * 300 + 3299) n")

    def wanted():
        rows = dict(line.split("|") for line in server.ask("SELECT id, body FROM notes").splitlines())
        same({id: source["body"] for id, source in program.documents("notes").items()}, rows)
        return True

    program.cut_rounds("notes", change, wanted)


@with_postgres
def postgres_snapshot(program, server):
    """Money that wanders between the rows while they are read is never counted twice, nor lost."""
    server.ask("CREATE TABLE accounts (id int PRIMARY KEY, balance bigint); "
               "INSERT INTO accounts SELECT n, 100 FROM generate_series(1, 6000) n")
    program.connector("accounts", "postgresql", **server.values(table="accounts"))
    done = threading.Event()
    moved = [0]

    def move():
        while not done.is_set():
            server.ask("DO $$ BEGIN FOR i IN 1..50 LOOP "
                       "UPDATE accounts SET balance = balance - 7 WHERE id = 1 + (i * 37) % 3000; "
                       "UPDATE accounts SET balance = balance + 7 WHERE id = 6000 - (i * 41) % 3000; "
                       "COMMIT; END LOOP; END $$")
            moved[0] += 1

    thread = threading.Thread(target=move)
    thread.start()
    try:
        for _ in range(5):
            before = moved[0]
            program.sync("accounts")
            answer = program.cairn.ok("POST", "/accounts/_search", {
                "size": 0, "track_total_hits": True, "aggs": {"all": {"sum": {"field": "balance"}}}})
            same((answer["hits"]["total"]["value"], answer["aggregations"]["all"]["value"]),
                 (6000, 600_000), f"{moved[0] - before} moves meanwhile")
    finally:
        done.set()
        thread.join()


# --- MySQL and MariaDB


class MariadbServer:
    """Debian's server in a folder of its own, gone at the end. Its certificate is for localhost."""

    def __init__(self, folder, *words):
        self.folder = folder + "/mariadb"
        os.makedirs(self.folder + "/scratch")
        # As root it wants to hear that it is meant.
        self.who = ["--user=root"] if os.geteuid() == 0 else []
        # A server that starts removes what it finds of others in the folder of temporary tables.
        small = ["--no-defaults", f"--datadir={self.folder}/data",
                 f"--tmpdir={self.folder}/scratch", "--innodb-log-file-size=8M",
                 "--innodb-buffer-pool-size=64M", *self.who]
        subprocess.run(["mariadb-install-db", *small, "--auth-root-authentication-method=normal",
                        "--skip-test-db"], check=True, cwd="/", stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.tls = []
        if not words:
            self.certificates()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # A name of its own, since the path of a socket may be no longer than 107 bytes.
        self.socket = f"/tmp/cairn-mariadb-{self.port}"
        self.process = subprocess.Popen(
            ["/usr/sbin/mariadbd", *small, f"--socket={self.socket}", f"--port={self.port}",
             "--bind-address=127.0.0.1", "--skip-log-bin", "--innodb-flush-log-at-trx-commit=0",
             *self.tls, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        until = time.monotonic() + 60
        while self.ask("SELECT 1", check=False, database="mysql") != "1":
            check(time.monotonic() < until, "MariaDB did not start")
            time.sleep(0.1)
        self.ask("CREATE DATABASE shop CHARACTER SET latin1; "
                 "CREATE USER cairn@'%' IDENTIFIED BY 'mariadb-secret-1'; "
                 "GRANT SELECT, SHOW VIEW ON shop.* TO cairn@'%'", database="mysql")

    def certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, cwd=self.folder, stderr=subprocess.DEVNULL)

        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
                "-days", "30", "-subj", "/CN=an authority")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr",
                "-subj", "/CN=localhost")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", "server.pem", "-days", "30")
        self.tls = [f"--ssl-cert={self.folder}/server.pem", f"--ssl-key={self.folder}/server.key",
                    f"--ssl-ca={self.folder}/ca.pem"]
        with open(self.folder + "/ca.pem") as file:
            self.authority = file.read()

    def ask(self, statement, check=True, database="shop"):
        return subprocess.run(
            ["mariadb", "--no-defaults", "-S", self.socket, "-u", "root", "-N", "-B",
             "--default-character-set=utf8mb4", database, "-e", statement],
            check=check, stdout=subprocess.PIPE, stderr=None if check else subprocess.DEVNULL,
            text=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}).stdout.strip()

    def values(self, **more):
        return {"host": "127.0.0.1", "port": self.port, "database": "shop", "user": "cairn",
                "password": "mariadb-secret-1", "sslmode": "disable", **more}

    def stop(self):
        self.process.terminate()
        self.process.wait()


def with_mariadb(test):
    def run():
        with Program("connectors.allowed_hosts=127.0.0.1,localhost") as program:
            server = MariadbServer(program.cairn.folder)
            try:
                test(program, server)
            finally:
                server.stop()
    run.__name__ = test.__name__
    return run


@with_mariadb
def mysql_types(program, server):
    server.ask(r"""SET sql_mode = '', time_zone = '+02:00';
        CREATE TABLE `thi``ngs` (id bigint unsigned PRIMARY KEY, title varchar(50), wide text CHARACTER SET utf8mb4,
          price decimal(30,10), ratio double, filled int(6) ZEROFILL, yes boolean, flags bit(10), born year,
          day date, made datetime(3), seen timestamp(3) NULL, took time, extra json, raw varbinary(10), big blob,
          mood enum('glad','sad'), moods set('a','b'), place point, area geometry);
        INSERT INTO `thi``ngs` VALUES (18446744073709551615, 'One ä "quoted"', '😀', 12345678901234567890.1234567890,
          0.1, 42, true, b'1000000001', 2026, '2026-01-02', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05.678',
          '-12:30:00', '{"a": [1, null]}', 'abc', x'00ff', 'glad', 'a,b', ST_GeomFromText('POINT(13.4 52.5)'),
          ST_GeomFromText('POLYGON((0 0, 0 1, 1 1, 0 0))')),
          (2, NULL, NULL, NULL, -1.5e300, NULL, false, NULL, 0, '0000-00-00', '2026-00-00 00:00:00', '0000-00-00 00:00:00',
           NULL, NULL, '', NULL, '', '', NULL, NULL)""")
    # Without a mapping these would be a long and a float, which do not hold them.
    program.cairn.ok("PUT", "/things", {"mappings": {"properties": {
        "id": {"type": "keyword"}, "ratio": {"type": "double"}}}})
    program.connector("things", "mysql", **server.values(table="thi`ngs"))
    facts = program.cairn.ok("POST", "/_connector/things/_test")
    same((facts["ok"], facts["source"]["key"]), (True, ["id"]), facts)
    check("MariaDB" in facts["source"]["server_version"], facts)
    same(program.cairn.ok("POST", "/_connector/things/_dry_run")["new"], 2)
    same(len(program.cairn.ok("POST", "/_connector/things/_preview")["documents"]), 2)
    job = program.sync("things")
    same(job["indexed_document_count"], 2, problems_of(program, "things"))
    found = program.documents("things")
    same(found["18446744073709551615"], {
        "id": 18446744073709551615, "title": 'One ä "quoted"', "wide": "😀", "price": 12345678901234567890.1234567890,
        "ratio": 0.1, "filled": 42, "yes": 1, "flags": 513, "born": 2026, "day": "2026-01-02",
        "made": "2026-01-02T03:04:05.678", "seen": "2026-01-02T01:04:05.678Z", "took": "-12:30:00",
        "extra": {"a": [1, None]}, "raw": "YWJj", "big": "AP8=", "mood": "glad", "moods": "a,b",
        "place": "POINT (13.4 52.5)", "area": "POLYGON ((0 0, 0 1, 1 1, 0 0))"})
    same({name: value for name, value in found["2"].items() if value is not None},
         {"id": 2, "ratio": -1.5e300, "yes": 0, "raw": "", "mood": "", "moods": ""})
    program.nowhere_in_the_clear("mariadb-secret-1")

    # A query with a key of two columns, one of them bytes; of a row without a key nothing but the problem is told.
    program.connector("pairs", "mysql", **server.values(
        query="SELECT raw, title, IF(id = 2, NULL, x'00ff') AS part FROM `thi``ngs` -- remark",
        key=["part", "title"]))
    same(program.sync("pairs")["indexed_document_count"], 1)
    same(list(program.documents("pairs")), ["00ff/One%20%C3%A4%20%22quoted%22"])
    same(len(problems_of(program, "pairs")), 1)

    # What can never work is refused; what the server says is told; nothing can be written.
    for values, word in (({"table": "x", "query": "SELECT 1"}, "[table]"), ({"query": "SELECT 1"}, "[key]"),
                         ({"table": "x", "host": "db.example"}, "connectors.allowed_hosts"),
                         ({"table": "x", "host": "/run"}, "[host]"), ({"table": "x", "ssl_ca": "/etc/passwd"}, "[ssl_ca]"),
                         ({"table": "x", "sslmode": "prefer"}, "[sslmode]")):
        values = {**server.values(), "table": None, "query": None, "key": None, **values}
        check(word in program.refusal("pairs", **values), word)
    server.ask("CREATE SEQUENCE counter; CREATE TABLE bare (id int); GRANT ALL ON shop.* TO cairn@'%'")
    for values, word in (({"query": "DELETE FROM things"}, "error in your SQL syntax"),
                         ({"query": "SELECT 1 AS id) r; DROP TABLE things; SELECT (1"}, "error in your SQL syntax"),
                         ({"query": "SELECT NEXTVAL(counter) AS id"}, "READ ONLY"),
                         ({"query": "SELECT 1 AS other"}, "names [id]"),
                         ({"table": "bare", "query": None, "key": None}, "no primary key"),
                         ({"table": "none", "query": None}, "doesn't exist")):
        program.cairn.ok("PUT", "/_connector/pairs/_configuration", {
            "values": {**server.values(), "table": None, "key": ["id"], "ssl_ca": None, **values}})
        job = program.sync("pairs", status="error")
        check(word in job["error"], job["error"])
    program.cairn.ok("PUT", "/_connector/pairs/_configuration", {
        "values": {"password": "wrong", "table": "bare", "query": None}})
    answer = program.cairn.ok("POST", "/_connector/pairs/_test")
    check(not answer["ok"] and "Access denied" in answer["error"]["reason"], answer)


@with_mariadb
def mysql_keys(program, server):
    """Each row once, whatever its key is, over several statements; a table that is no transaction's too."""
    server.ask("""CREATE TABLE words (a varchar(20) CHARACTER SET latin1, b int, c text, PRIMARY KEY (a, b));
        INSERT INTO words SELECT CONCAT('é''\\\\', seq DIV 100), seq, seq FROM seq_1_to_23000;
        CREATE TABLE hashes (id binary(16) PRIMARY KEY, n int) ENGINE=MyISAM;
        INSERT INTO hashes SELECT UNHEX(MD5(seq)), seq FROM seq_1_to_20000;
        CREATE TABLE kinds (kind enum('z','m','a'), n int, PRIMARY KEY (kind, n));
        INSERT INTO kinds SELECT 1 + seq MOD 3, seq FROM seq_1_to_12000;
        CREATE TABLE times (at timestamp(6) PRIMARY KEY, n int);
        INSERT INTO times SELECT '2026-01-01 00:00:00' + INTERVAL seq MICROSECOND, seq FROM seq_1_to_11000;
        CREATE VIEW seen AS SELECT b, c FROM words""")
    for table, key, count in (("words", None, 23000), ("hashes", None, 20000), ("kinds", None, 12000),
                              ("times", None, 11000), ("shop.seen", ["b"], 23000)):
        index = table.rpartition(".")[2]
        program.connector(index, "mysql", **server.values(table=table, key=key))
        same(program.sync(index)["indexed_document_count"], count, table)
        program.cairn.ok("POST", f"/{index}/_refresh")
        same(program.cairn.ok("GET", f"/{index}/_count")["count"], count, table)
        same(program.sync(index, "incremental")["indexed_document_count"], 0, table)
    same(server.ask("SELECT LOWER(HEX(id)) FROM hashes WHERE n = 1"), hashlib.md5(b"1").hexdigest())
    same(program.cairn.ok("GET", "/hashes/_doc/" + hashlib.md5(b"1").hexdigest())["_source"]["n"], 1)


@with_mariadb
def mysql_changes(program, server):
    server.ask("""CREATE TABLE notes (id int PRIMARY KEY, body text,
                    changed timestamp(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6));
                  INSERT INTO notes (id, body) SELECT seq, CONCAT('note ', seq) FROM seq_1_to_2500""")
    program.connector("notes", "mysql", **server.values(table="notes", cursor="changed"))
    same(program.sync("notes")["indexed_document_count"], 2500)
    server.ask("UPDATE notes SET changed = '2026-01-01' WHERE id > 3")
    program.sync("notes")
    server.ask("UPDATE notes SET body = 'again' WHERE id <= 3; DELETE FROM notes WHERE id > 2490")
    job = program.sync("notes", "incremental")
    same((job["indexed_document_count"], job["deleted_document_count"]), (3, 0), job)
    check(job["total_document_count"] <= 4, job)
    same(program.documents("notes")["1"]["body"], "again")
    job = program.sync("notes", "full")
    same((job["indexed_document_count"], job["deleted_document_count"]), (2490, 10), job)
    # A number as cursor; without a cursor every row is looked at, and what is as before is not written.
    program.cairn.ok("PUT", "/_connector/notes/_configuration", {"values": {"cursor": "id"}})
    program.sync("notes")
    server.ask("INSERT INTO notes (id, body) VALUES (10000, 'new')")
    job = program.sync("notes", "incremental")
    same((job["indexed_document_count"], job["total_document_count"] <= 3), (1, True), job)
    program.cairn.ok("PUT", "/_connector/notes/_configuration", {"values": {"cursor": None}})
    server.ask("DELETE FROM notes WHERE id = 1")
    job = program.sync("notes", "incremental")
    same((job["indexed_document_count"], job["deleted_document_count"]), (0, 1), job)

    def change(number):
        server.ask(f"UPDATE notes SET body = CONCAT('round {number} ', id);"
                   f"DELETE FROM notes WHERE id % 10 = {number + 1};"
                   f"INSERT INTO notes (id, body) SELECT seq + {number} * 300, 'more' FROM seq_3000_to_3299")

    def wanted():
        rows = dict(line.split("\t") for line in server.ask("SELECT id, body FROM notes").splitlines())
        same({id: source["body"] for id, source in program.documents("notes").items()}, rows)
        return True

    program.cut_rounds("notes", change, wanted)


@with_mariadb
def mysql_snapshot(program, server):
    """Money that wanders between the rows while they are read is never counted twice, nor lost."""
    server.ask("CREATE TABLE accounts (id int PRIMARY KEY, balance bigint); "
               "INSERT INTO accounts SELECT seq, 100 FROM seq_1_to_24000")
    program.connector("accounts", "mysql", **server.values(table="accounts"))
    done = threading.Event()
    moved = [0]
    script = "".join(f"START TRANSACTION; UPDATE accounts SET balance = balance - 7 WHERE id = {1 + i * 37 % 12000};"
                     f"UPDATE accounts SET balance = balance + 7 WHERE id = {24000 - i * 41 % 12000}; COMMIT;"
                     for i in range(50))

    def move():
        while not done.is_set():
            server.ask(script)
            moved[0] += 1

    thread = threading.Thread(target=move)
    thread.start()
    try:
        for _ in range(3):
            before = moved[0]
            program.sync("accounts")
            answer = program.cairn.ok("POST", "/accounts/_search", {
                "size": 0, "track_total_hits": True, "aggs": {"all": {"sum": {"field": "balance"}}}})
            same((answer["hits"]["total"]["value"], answer["aggregations"]["all"]["value"]),
                 (24000, 2_400_000), f"{moved[0] - before} moves meanwhile")
    finally:
        done.set()
        thread.join()


@with_mariadb
def mysql_waits(program, server):
    """A job that waits for a server is canceled at once; TLS is what the configuration says."""
    server.ask("CREATE TABLE notes (id int PRIMARY KEY, body text); INSERT INTO notes VALUES (1, 'one')")
    for mode in ("disable", "require"):
        program.connector("slow", "mysql", **server.values(
            query="SELECT SLEEP(300) AS id", key=["id"], sslmode=mode))
        job = program.begin("slow")
        until = time.monotonic() + 60
        while program.cairn.ok("GET", f"/_connector/_sync_job/{job}")["metadata"].get("doing") != "waiting for the server":
            check(time.monotonic() < until, "the job does not wait")
            time.sleep(0.05)
        program.cairn.ok("PUT", f"/_connector/_sync_job/{job}/_cancel")
        program.ended(job, "canceled", seconds=60)

    def test_of(**values):
        program.connector("tls", "mysql", **{**server.values(table="notes"), **values})
        return program.cairn.ok("POST", "/_connector/tls/_test")

    same(test_of(sslmode="require")["ok"], True)
    same(test_of(sslmode="verify-full", host="localhost", ssl_ca=server.authority)["ok"], True)
    same(program.sync("tls")["indexed_document_count"], 1)
    for values, word in (({"host": "127.0.0.1", "ssl_ca": server.authority}, "certificate"),
                         ({"host": "localhost", "ssl_ca": None}, "certificate")):
        answer = test_of(sslmode="verify-full", **values)
        check(not answer["ok"] and word in answer["error"]["reason"], answer)
    server.stop()
    check(not test_of(sslmode="disable")["ok"], "the server is gone")


def mysql_without_tls():
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        server = MariadbServer(program.cairn.folder, "--skip-ssl")
        try:
            for mode in ("require", "verify-full"):
                program.connector("tls", "mysql", **server.values(table="notes", sslmode=mode))
                answer = program.cairn.ok("POST", "/_connector/tls/_test")
                check(not answer["ok"] and "TLS" in answer["error"]["reason"], answer)
        finally:
            server.stop()


# --- buckets of an object store, of which Cairn's own is one


def bucket():
    with Program() as store, Program("connectors.allowed_hosts=127.0.0.1") as program:
        objects = Objects(store.cairn)
        objects.ok("PUT", "/texts")
        for i in range(250):
            objects.ok("PUT", f"/texts/notes/{i}.txt", f"word{i} of many".encode())
        objects.ok("PUT", "/texts/notes/%C3%A4%20b%2Bc%26.md", b"# Title\nodd name")
        objects.ok("PUT", "/texts/notes/picture.png", b"none")
        objects.ok("PUT", "/texts/other/out.txt", b"not wanted")
        objects.ok("PUT", "/texts/notes/large.txt", b"x" * 3000)
        values = {"endpoint": store.cairn.objects, "bucket": "texts", "prefix": "notes/",
                  "access_key_id": objects.access_key, "max_file_size": 2000,
                  "secret_access_key": objects.secret}
        program.connector("texts", "s3", **values)
        same(program.cairn.ok("POST", "/_connector/texts/_test")["ok"], True)
        for i in range(1050):  # a page of the listing has a thousand
            objects.ok("PUT", f"/texts/many/{i}.txt", f"one {i}".encode())
        program.connector("many", "s3", **{**values, "prefix": "many/"})
        program.looked_at("many", 1050)
        same(program.sync("many")["indexed_document_count"], 1050)
        job = program.sync("texts")
        same((job["indexed_document_count"], job["metadata"]["files_skipped"],
              job["metadata"]["files_unreadable"]), (251, 1, 1), job)
        named = problems_of(program, "texts")
        same(sorted(named), ["notes/large.txt", "notes/picture.png"])
        same(named["notes/picture.png"], "it is an image")
        same(program.by("texts")["notes/ä b+c&.md"]["title"], "Title")
        program.nowhere_in_the_clear(objects.secret)

        objects.ok("PUT", "/texts/notes/0.txt", b"another word")
        objects.ok("PUT", "/texts/notes/1.txt", b"word1 of many")  # the same again: the same ETag
        objects.ok("DELETE", "/texts/notes/2.txt")
        job = program.sync("texts", "incremental")
        # What was too large is not looked at again: it is as it was.
        same((job["indexed_document_count"], job["deleted_document_count"],
              job["metadata"]["files_read"]), (1, 1, 1), job)

        def change(number):
            for i in range(10 * number, 10 * number + 40):
                objects.ok("PUT", f"/texts/notes/{i}.txt", f"round{number} word{i}".encode())
            objects.ok("DELETE", f"/texts/notes/{200 + number}.txt")

        def held():
            answer = objects.ok("GET", "/texts?list-type=2&prefix=notes/")
            names = re.findall(r"<Key>(notes/[0-9]+\.txt)</Key>", answer.body.decode())
            return {name: objects.ok("GET", "/" + name.replace("notes", "texts/notes")).body.decode()
                    for name in names}

        def wanted():
            found = {path: source["body"] for path, source in program.by("texts").items()
                     if not path.endswith(".md")}
            same(found, held())
            return True

        program.cut_rounds("texts", change, wanted)

        # Word of a change is followed by a sync, soon and once; of what is not read by none.
        def event(key, bucket="texts"):
            return {"Records": [{"eventName": "ObjectCreated:Put",
                                 "s3": {"bucket": {"name": bucket}, "object": {"key": key}}}]}

        def jobs():
            return program.cairn.ok("GET", "/_connector/_sync_job?connector_id=texts")["count"]
        before = jobs()
        objects.ok("PUT", "/texts/notes/told%20of.txt", b"sent word")
        for _ in range(5):
            same(program.cairn.ok("POST", "/_connector/texts/_event", event("notes/told+of.txt"))["result"], "updated")
        until = time.monotonic() + 60
        while "notes/told of.txt" not in program.by("texts") and time.monotonic() < until:
            time.sleep(0.1)
        same(program.by("texts")["notes/told of.txt"]["body"], "sent word")
        same(program.cairn.ok("POST", "/_connector/texts/_event", event("other/x"))["result"], "noop")
        same(program.cairn.request("POST", "/_connector/texts/_event", event("x", "others"))[0], 400)
        check(jobs() in (before + 1, before + 2), (before, jobs()))
        # Acknowledged is kept: the word is there after kill -9.
        objects.ok("PUT", "/texts/notes/told.txt", b"once more")
        program.cairn.ok("POST", "/_connector/texts/_event", event("notes/told.txt"))
        program.cairn.kill()
        program.start()
        until = time.monotonic() + 60
        while "notes/told.txt" not in program.by("texts") and time.monotonic() < until:
            time.sleep(0.1)
        same(program.by("texts")["notes/told.txt"]["body"], "once more")
        same(program.cairn.request("POST", "/_connector/none/_event", event("x"))[0], 404)

        # What the other side says is told; what it must not be asked is not.
        for wrong, word in (({"bucket": "none"}, "NoSuchBucket"),
                            ({"secret_access_key": "wrong"}, "SignatureDoesNotMatch"),
                            ({"bucket": "texts", "access_key_id": "AKIANONE"}, "InvalidAccessKeyId")):
            program.cairn.ok("PUT", "/_connector/texts/_configuration", {"values": wrong})
            answer = program.cairn.ok("POST", "/_connector/texts/_test")
            check(not answer["ok"] and word in answer["error"]["reason"], answer)
        check("connectors.allowed_hosts" in program.refusal("texts", endpoint="http://10.0.0.1"), "host")


# --- a code-hosting service that refuses now and then


class Hosting(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        server.asked.append(self.headers.get("Authorization"))
        if server.refuse_every and len(server.asked) % server.refuse_every == 0:
            return self.reply(403, {"message": "You have exceeded a secondary rate limit."},
                              {"Retry-After": "1"})
        if url.path == "/repos/ada/engine":
            return self.reply(200, {"full_name": "ada/engine"})
        if url.path != "/repos/ada/engine/issues":
            return self.reply(200, [])
        some = sorted((one for one in server.issues.values()
                       if one["updated_at"] >= query.get("since", "")),
                      key=lambda one: (one["updated_at"], one["number"]))
        page = int(query.get("page", "1"))
        more = {}
        if len(some) > page * 100:
            query["page"] = str(page + 1)
            more["Link"] = (f"<http://127.0.0.1:{server.server_port}{url.path}?"
                            f"{urllib.parse.urlencode(query)}>; rel=\"next\"")
        self.reply(200, some[page * 100 - 100:page * 100], more)

    def reply(self, status, body, headers=()):
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


def code_hosting():
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hosting)
        server.asked, server.refuse_every, server.issues = [], 0, {}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        moment = [0]

        def put(number, title):
            moment[0] += 100
            server.issues[number] = {
                "number": number, "title": title, "body": "b", "state": "open",
                "updated_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1767323045 + moment[0]))}

        for number in range(1, 1001):
            put(number, f"issue {number}")
        program.connector("hosted", "code_hosting", url=f"http://127.0.0.1:{server.server_port}",
                          repositories="ada/engine", token="ghs-secret-7")
        same(program.cairn.ok("POST", "/_connector/hosted/_test")["ok"], True)
        program.looked_at("hosted", 1000)
        same(program.sync("hosted")["indexed_document_count"], 1000)
        same(set(server.asked), {"Bearer ghs-secret-7"})
        program.nowhere_in_the_clear("ghs-secret-7")
        put(7, "changed")
        same(program.sync("hosted", "incremental")["indexed_document_count"], 1)

        # It waits, says until when, and goes on; who cancels it does not wait for that.
        server.refuse_every = 1
        job = program.begin("hosted")
        until = time.monotonic() + 30
        while "resumes" not in program.cairn.ok(
                "GET", f"/_connector/_sync_job/{job}")["metadata"].get("doing", ""):
            check(time.monotonic() < until, "no wait was told")
            time.sleep(0.05)
        program.cairn.ok("PUT", f"/_connector/_sync_job/{job}/_cancel")
        program.ended(job, "canceled")
        server.refuse_every = 9

        def change(number):
            for i in range(1, 400):
                put(i, f"round {number} issue {i}")
            del server.issues[500 + number]
            put(2000 + number, "one more")

        def wanted():
            same({source["number"]: source["title"] for source in program.documents("hosted").values()
                  if source["number"] in server.issues},
                 {number: one["title"] for number, one in server.issues.items()})
            return True

        program.cut_rounds("hosted", change, wanted)
        server.refuse_every = 0
        same(program.sync("hosted")["total_document_count"], len(server.issues))
        same(len(program.documents("hosted")), len(server.issues))
        server.shutdown()


# --- feeds


class FeedServer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        if self.path == "/moved":
            self.send_response(301)
            self.send_header("Location", "rss.xml")
            self.end_headers()
            return
        text = server.feeds.get(self.path)
        if text is None:
            self.send_error(404)
            return
        etag = '"' + hashlib.sha256(text.encode()).hexdigest()[:16] + '"'
        unchanged = self.headers.get("If-None-Match") == etag
        server.unchanged += unchanged
        self.send_response(304 if unchanged else 200)
        self.send_header("ETag", etag)
        if not unchanged:
            self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        if not unchanged:
            self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


def rss(entries):
    return ('<?xml version="1.0"?><rss version="2.0"><channel><title>C</title>' + "".join(
        f"<item><guid>{id}</guid><title>{title}</title><link>https://a/{id}</link>"
        f"<description>&lt;p&gt;the &lt;b&gt;body&lt;/b&gt; of {title}&lt;/p&gt;</description></item>"
        for id, title in entries.items()) + "</channel></rss>")


def feeds():
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FeedServer)
        server.feeds, server.unchanged = {}, 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        held = {i: f"entry {i}" for i in range(50)}
        server.feeds["/rss.xml"] = rss(held)
        server.feeds["/atom.xml"] = (
            '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><title>Atom one</title>'
            '<link href="https://b/1"/><updated>2026-01-02T03:04:05Z</updated>'
            '<content type="xhtml"><div>Hello <b>big</b> world</div></content></entry></feed>')
        program.connector("feeds", "feeds", urls=[base + "/moved", base + "/atom.xml"])
        same(program.cairn.ok("POST", "/_connector/feeds/_test")["source"]["entries"], 51)
        same(program.sync("feeds")["indexed_document_count"], 51)
        found = program.by("feeds", "title")
        check("the body of entry 7" in " ".join(found["entry 7"]["body"].split()), found["entry 7"])
        same((found["Atom one"]["url"], found["Atom one"]["modified"]),
             ("https://b/1", "2026-01-02T03:04:05.000Z"))
        job = program.sync("feeds", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"], server.unchanged),
             (0, 0, 2), job)

        # The feed moves on; what it no longer names stays.
        held = {i: f"entry {i}" for i in range(40, 60)} | {45: "another title"}
        server.feeds["/rss.xml"] = rss(held)
        same(program.cairn.ok("POST", "/_connector/feeds/_dry_run")["vanished"], 0)
        job = program.sync("feeds", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"]), (11, 0), job)
        same(len(program.documents("feeds")), 61)
        program.sync("feeds", "full")
        same(len(program.documents("feeds")), 61)

        # One that is gone keeps its documents and is named; all of them gone is an error.
        atom = server.feeds.pop("/atom.xml")
        job = program.sync("feeds", "full")
        check("/atom.xml: answered with status 404" in str(job["metadata"]["problems"]), job)
        same(len(program.documents("feeds")), 61)
        texts = server.feeds.pop("/rss.xml")
        check("status 404" in program.sync("feeds", "full", "error")["error"], "error")
        server.feeds = {"/rss.xml": texts, "/atom.xml": atom}

        seen = {source["title"] for source in program.documents("feeds").values()}

        def change(number):
            new = {1000 * number + i: f"round {number} entry {i}" for i in range(100, 400)}
            server.feeds["/rss.xml"] = rss(new)
            seen.update(new.values())

        def wanted():
            same({source["title"] for source in program.documents("feeds").values()}, seen)
            return True

        program.cut_rounds("feeds", change, wanted)
        # Without `keep` the index follows the feed.
        program.cairn.ok("PUT", "/_connector/feeds/_configuration", {"values": {"keep": False}})
        program.sync("feeds", "full")
        same(len(program.documents("feeds")), 301)
        check("connectors.allowed_hosts" in program.refusal("feeds", urls="http://10.0.0.1/x"), "host")
        server.shutdown()


# --- web pages


class SiteServer(http.server.BaseHTTPRequestHandler):
    """`pages`: path to (status, headers, body); what is not there is 404. Traps besides."""

    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        if self.path.startswith("/endless/"):
            number = int(self.path.split("/")[2])
            return self.answer(200, {}, f"day {number} <a href='/endless/{number + 1}'>next</a>")
        if self.path.startswith("/hops/"):
            return self.answer(302, {"Location": f"/hops/{self.path.split('/')[2]}1"}, "")
        if self.path == "/slow":
            # A byte now and then, for ever.
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            while not server.is_over.wait(0.2):
                try:
                    self.wfile.write(b"x")
                    self.wfile.flush()
                except OSError:
                    return None
            return None
        status, headers, body = server.pages.get(self.path, (404, {}, ""))
        if callable(status):
            status, more = status()
            headers = headers | more
        return self.answer(status, headers, body)

    def answer(self, status, headers, body):
        body = body if isinstance(body, bytes) else body.encode()
        etag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
        if status == 200 and self.headers.get("If-None-Match") == etag:
            self.server.unchanged += 1
            status, body = 304, b""
        try:
            self.send_response(status)
            for name, value in ({"Content-Type": "text/html", "ETag": etag} | headers).items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *words):
        pass


def site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SiteServer)
    server.daemon_threads = True
    server.pages, server.asked, server.unchanged = {}, [], 0
    server.is_over = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


def html(title, *links, head="", body=""):
    return (200, {}, f"<html><head><title>{title}</title>{head}</head><body>words of {title} {body}"
            + "".join(f"<a href='{link}'>x</a>" for link in links) + "</body></html>")


def paths_of(program, index, base):
    return sorted(path.removeprefix(base) for path in program.by(index, "path"))


def problems_of(program, index):
    return {row["path"]: row["reason"] for row in program.cairn.ok(
        "GET", f"/_connector/{index}/_problems?size=1000")["results"]}


def web_pages():
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        server, base = site()
        outside, elsewhere = site()
        outside.pages["/"] = html("outside")
        pages = server.pages
        refusals = iter([(429, {"Retry-After": "1"}), (503, {"Retry-After": "0"})])
        pages["/robots.txt"] = (200, {"Content-Type": "text/plain"},
                                "User-agent: other\nDisallow: /\n\nUser-agent: Cairn\n"
                                "Disallow: /private\nAllow: /private/open\nDisallow: /*.secret$\n"
                                "Sitemap: /index.xml\n")
        pages["/index.xml"] = (200, {"Content-Type": "text/xml"},
                               f"<sitemapindex><sitemap><loc>{base}/s.xml.gz</loc></sitemap></sitemapindex>")
        pages["/s.xml.gz"] = (200, {"Content-Type": "application/gzip"}, gzip.compress(
            f"<urlset><url><loc>{base}/mapped</loc></url><url><loc>{elsewhere}/</loc></url></urlset>".encode()))
        pages["/"] = html(
            "start", "/loop/a", "/A/../b%7e?x=1#f", "/b~?x=1", "/private/x", "/private/open", "/x.secret",
            "/out", elsewhere + "/", "/moved", "/hops/1", "/huge", "/picture", "/file.pdf", "/noindex",
            "/header", "/copy", "/named", "/circle/1", "/gone", "/busy", "/data", "/bomb", "/said",
            "mailto:a@b", "javascript:x()", "http://user:word@127.0.0.1/", "http://169.254.169.254/")
        pages["/loop/a"] = html("loop a", "/loop/b", "a", "./a", "../loop/a#x")
        pages["/loop/b"] = html("loop b", "/loop/a", "/")
        pages["/b~?x=1"] = html("b")
        pages["/private/x"] = html("private")
        pages["/private/open"] = html("open")
        pages["/x.secret"] = html("secret")
        pages["/out"] = (302, {"Location": elsewhere + "/"}, "")
        pages["/moved"] = (301, {"Location": "there"}, "")
        pages["/there"] = html("there")
        pages["/huge"] = (200, {}, "x" * 300_000)
        pages["/picture"] = (200, {"Content-Type": "image/png"}, b"\x89PNG")
        pages["/file.pdf"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 broken")
        pages["/noindex"] = html("noindex", "/behind", head="<meta name=robots content=noindex>")
        pages["/behind"] = html("behind")
        pages["/header"] = (200, {"X-Robots-Tag": "noindex, nofollow"}, "<a href='/never'>x</a>")
        pages["/never"] = html("never")
        pages["/copy"] = pages["/there"]
        pages["/named"] = html("named", head="<link rel=canonical href='/canonical'>")
        pages["/canonical"] = html("canonical")
        pages["/circle/1"] = html("circle 1", head="<link rel=canonical href='/circle/2'>")
        pages["/circle/2"] = html("circle 2", head="<link rel=canonical href='/circle/1'>")
        pages["/busy"] = (lambda: next(refusals, (200, {})), {}, html("busy")[2])
        pages["/data"] = (200, {"Content-Type": "application/json"}, '{"word": "parsnip"}')
        pages["/bomb"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(b"y" * 50_000_000))
        pages["/mapped"] = html("mapped")
        # What the answer says counts before what the page says.
        pages["/said"] = (200, {"Content-Type": 'text/html; Charset="windows-1251"'},
                          "<meta charset=koi8-r><title>Ёж и щука</title><p>Съешь ещё".encode("windows-1251"))
        program.connector("web", "web_pages", urls=[base], delay_ms=0, max_file_size=200_000)
        same(program.cairn.ok("POST", "/_connector/web/_test")["source"]["starts"], 1)
        same(program.sync("web")["status"], "completed")
        wanted = sorted(["/", "/b~?x=1", "/behind", "/busy", "/canonical", "/circle/2", "/copy", "/data",
                         "/loop/a", "/loop/b", "/mapped", "/private/open", "/said"])
        same(paths_of(program, "web", base), wanted)
        same(program.by("web", "path")[base + "/said"]["title"], "Ёж и щука")
        same([path for path in server.asked if path in ("/private/x", "/x.secret", "/never")], [])
        same(outside.asked, [])
        same(server.asked.count("/busy"), 3)
        same(max(server.asked.count(path) for path in wanted if path not in ("/busy", "/")), 1)
        problems = problems_of(program, "web")
        for path, word in {"/private/x": "robots.txt", "/out": "another host", "/huge": "",
                           "/hops/111111": "redirect", "/noindex": "noindex", "/gone": "404", "/bomb": "",
                           "/picture": "image/png", "/file.pdf": ""}.items():
            check(word in problems.get(base + path, "-") and base + path in problems, (path, problems))
        same(program.by("web", "path")[base + "/loop/a"]["title"], "loop a")
        preview = program.cairn.ok("POST", "/_connector/web/_preview")
        same(len(preview["documents"]), 10)
        same(program.cairn.ok("POST", "/_connector/web/_dry_run")["vanished"], 0)

        # What did not change costs a 304.
        server.unchanged, server.asked = 0, []
        job = program.sync("web", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"]), (0, 0), job)
        check(server.unchanged >= len(wanted), server.unchanged)
        pages["/loop/b"] = html("another b", "/new")
        pages["/new"] = html("new")
        del pages["/behind"]
        pages["/data"] = (410, {}, "")
        job = program.sync("web", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"]), (2, 2), job)
        wanted = sorted({*wanted, "/new"} - {"/behind", "/data"})
        same(paths_of(program, "web", base), wanted)

        # While a page fails nothing is deleted; a host that cannot say what is allowed is not asked.
        pages["/loop/b"], kept = (500, {}, ""), pages["/loop/b"]
        program.sync("web", "full")
        same(paths_of(program, "web", base), wanted)
        pages["/loop/b"] = kept
        pages["/robots.txt"], robots = (500, {}, ""), pages["/robots.txt"]
        server.asked = []
        check("robots.txt" in program.sync("web", "full", "error")["error"], "error")
        same(set(server.asked), {"/robots.txt"})
        same(paths_of(program, "web", base), wanted)
        pages["/robots.txt"] = robots

        # A calendar without an end, and a body without one.
        program.connector("days", "web_pages", urls=[base + "/endless/1"], delay_ms=0,
                          robots_sitemaps=False, max_pages=50, max_depth=1000)
        program.sync("days")
        same(len(program.documents("days")), 50)
        check("max_pages" in str(problems_of(program, "days")), "max_pages")
        program.cairn.ok("PUT", "/_connector/days/_configuration", {"values": {"max_depth": 5, "exclude": ["endless/4"]}})
        program.sync("days")
        same(paths_of(program, "days", base), ["/endless/1", "/endless/2", "/endless/3"])
        program.connector("slow", "web_pages", urls=[base + "/slow", base + "/mapped"], delay_ms=0, follow_links=False,
                          robots_sitemaps=False)
        program.sync("slow")
        same(paths_of(program, "slow", base), ["/mapped"])

        for value in ("http://10.0.0.1/", "http://169.254.169.254/"):
            check("connectors.allowed_hosts" in program.refusal("web", urls=value), value)
        check("connectors.allowed_hosts" in program.refusal("web", hosts="example.com"), "hosts")
        program.refusal("web", urls="ftp://127.0.0.1/")
        program.refusal("web", max_pages=0)
        server.is_over.set()
        server.shutdown()
        outside.shutdown()


def web_pages_cut():
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        server, base = site()
        titles = set()

        def change(number):
            titles.clear()
            for i in range(300):
                title = f"round {number if i % 3 == 0 else 0} page {i}"
                server.pages[f"/{i}"] = html(title, f"/{2 * i + 1}", f"/{2 * i + 2}")
                titles.add(title)
            for i in range(300, 601):
                server.pages.pop(f"/{i}", None)

        def wanted():
            same({source["title"] for source in program.documents("web").values()}, titles)
            return True

        program.connector("web", "web_pages", urls=[base + "/0"], delay_ms=0)
        program.cut_rounds("web", change, wanted)

        # A long walk goes on at the place that was recorded after ten seconds.
        change(ROUNDS)
        program.connector("long", "web_pages", urls=[base + "/0"], delay_ms=100, max_pages=150)
        server.asked = []
        job = program.begin("long", "full")
        deadline = time.monotonic() + 60
        while len(server.asked) < 115 and time.monotonic() < deadline:
            time.sleep(0.05)
        program.cairn.kill()
        before = len(server.asked)
        program.start()
        program.ended(job)
        same(len(program.documents("long")), 150)
        asked = [path for path in server.asked if path != "/robots.txt"]
        check(before >= 115 and len(asked) < 190, (before, len(asked)))
        server.shutdown()


# --- word of changes, as stores send it


def minio_record(name, key, bucket="texts"):
    """As MinIO's webhook has it: an envelope, names with "s3:", keys as in a form."""
    written = urllib.parse.quote_plus(key)
    return {"EventName": name, "Key": f"{bucket}/{written}", "Records": [{
        "eventVersion": "2.0", "eventSource": "minio:s3", "awsRegion": "", "eventTime": "2026-10-22T09:27:27.000Z",
        "eventName": name, "userIdentity": {"principalId": "writer"},
        "requestParameters": {"principalId": "writer", "region": "", "sourceIPAddress": "172.16.118.255"},
        "responseElements": {"x-amz-request-id": "15CFEDF8D4736ED9", "x-minio-deployment-id": "0170a4cc",
                             "x-minio-origin-endpoint": "http://172.17.0.2:9000"},
        "s3": {"s3SchemaVersion": "1.0", "configurationId": "Config",
               "bucket": {"name": bucket, "ownerIdentity": {"principalId": "writer"}, "arn": f"arn:aws:s3:::{bucket}"},
               "object": {"key": written, "size": 3, "eTag": "5fc7298143efe1276d39a3466d4e255f", "contentType": "text/plain",
                          "userMetadata": {"content-type": "text/plain"}, "versionId": "1", "sequencer": "15CFEDF8D5304D1A"}},
        "source": {"host": "172.16.118.255", "port": "", "userAgent": "m"}}]}


def ceph_record(name, key, bucket="texts"):
    """As Ceph's object gateway posts it to the endpoint of a topic: keys as they are."""
    return {"Records": [{
        "eventVersion": "2.2", "eventSource": "ceph:s3", "awsRegion": "default", "eventTime": "2026-04-21T10:03:18.419013Z",
        "eventName": name, "userIdentity": {"principalId": "user"}, "requestParameters": {"sourceIPAddress": ""},
        "responseElements": {"x-amz-request-id": "89759221-f520.14369", "x-amz-id-2": "3821-default-default"},
        "s3": {"s3SchemaVersion": "1.0", "configurationId": "HTTPNotification",
               "bucket": {"name": bucket, "ownerIdentity": {"principalId": "user"}, "arn": f"arn:aws:s3:default::{bucket}",
                          "id": "89759221-f520.2"},
               "object": {"key": key, "size": 177, "eTag": "a60023221945e53a31f07df71f37f032", "versionId": "",
                          "sequencer": "66E42466712CA919", "metadata": [{"key": "x-amz-date", "value": ""}], "tags": []}},
        "eventId": "1713693798.419.a600", "opaqueData": ""}]}


def listings(cairn):
    """How often the objects of a bucket were listed."""
    text = cairn.ok("GET", "/_metrics")
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith("cairn_http_requests_total") and 'operation="ListObjectsV2"' in line)


def awaited(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < until, what)
        time.sleep(0.1)


def bucket_told():
    with Program() as store, Program("connectors.allowed_hosts=127.0.0.1") as program:
        objects = Objects(store.cairn)
        objects.ok("PUT", "/texts")
        for i in range(30):
            objects.ok("PUT", f"/texts/notes/{i}.txt", f"word{i}".encode())
        program.connector("texts", "s3", endpoint=store.cairn.objects, bucket="texts", prefix="notes/",
                          access_key_id=objects.access_key, secret_access_key=objects.secret)
        made = program.cairn.ok("POST", "/_security/api_key", {
            "name": "store", "role_descriptors": {"r": {"cluster": ["send_connector_events"]}}})
        by_key = "/_connector/texts/_event/_by_key?api_key=" + urllib.parse.quote(made["encoded"])

        def tell(record, result="updated", path="/_connector/texts/_event"):
            headers = {"Authorization": "ApiKey " + made["encoded"] if path.endswith("_event") else ""}
            status, answer = program.cairn.request("POST", path, record, headers=headers)
            same((status, answer.get("result")), (200, result), answer)

        def body(key):
            return program.by("texts").get(key, {}).get("body")

        # Before the first sync there is nothing to go on from: all of it is looked at.
        tell(minio_record("s3:ObjectCreated:Put", "notes/0.txt"))
        awaited("the first sync", lambda: program.cairn.request("GET", "/texts")[0] == 200 and len(program.by("texts")) == 30)
        awaited("its end", lambda: program.cairn.ok("GET", "/_connector/texts")["last_sync_status"] == "completed")
        listed = listings(store.cairn)
        check(listed >= 1, listed)

        odd = "notes/a+b 100%.txt"
        objects.ok("PUT", "/texts/" + urllib.parse.quote(odd), b"odd name")
        objects.ok("PUT", "/texts/notes/1.txt", b"changed")
        objects.ok("DELETE", "/texts/notes/2.txt")
        tell(minio_record("s3:ObjectCreated:Put", odd))
        tell(ceph_record("ObjectCreated:Put", "notes/1.txt"))
        tell(ceph_record("ObjectRemoved:Delete", "notes/2.txt"), path=by_key)
        awaited("what was told", lambda: body(odd) == "odd name" and body("notes/1.txt") == "changed"
                and body("notes/2.txt") is None)
        objects.ok("DELETE", "/texts/" + urllib.parse.quote(odd))
        tell(ceph_record("ObjectRemoved:Delete", odd), path=by_key)
        awaited("what was told by its plain name", lambda: body(odd) is None)
        same(len(program.by("texts")), 29)

        # Late, repeated and wrong words do no harm: the object is asked what it is.
        tell(minio_record("s3:ObjectRemoved:Delete", "notes/3.txt"))
        tell(minio_record("s3:ObjectCreated:Put", "notes/2.txt"))
        objects.ok("PUT", "/texts/notes/4.txt", b"last of all")
        for name in ("s3:ObjectRemoved:Delete", "s3:ObjectCreated:Put", "s3:ObjectRemoved:Delete"):
            tell(minio_record(name, "notes/4.txt"))
        awaited("the last word", lambda: body("notes/4.txt") == "last of all")
        same((body("notes/3.txt"), body("notes/2.txt"), len(program.by("texts"))), ("word3", None, 29))

        # What is none of its business.
        tell(minio_record("s3:ObjectCreated:Put", "other/x.txt"), "noop")
        tell(minio_record("s3:ObjectAccessed:Get", "notes/5.txt"), "noop")
        tell(ceph_record("ObjectCreated:Put", "notes/picture.png"), "noop")
        tell({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "texts"}, "noop")
        for record, path, headers, wanted in (
                (minio_record("s3:ObjectCreated:Put", "x", "others"), "/_connector/texts/_event", {}, 400),
                ({"Records": []}, by_key, {"Authorization": ""}, 400), ({}, "/_connector/texts/_event", {}, 400),
                (minio_record("s3:ObjectCreated:Put", "notes/6.txt"), "/_connector/texts/_event", {"Authorization": ""}, 401),
                (minio_record("s3:ObjectCreated:Put", "notes/6.txt"), "/_connector/texts/_event/_by_key", {"Authorization": ""}, 400),
                (minio_record("s3:ObjectCreated:Put", "notes/6.txt"), by_key[:-3] + "AAA", {"Authorization": ""}, 401),
                (minio_record("s3:ObjectCreated:Put", "notes/6.txt"), by_key.replace("texts", "none"), {"Authorization": ""}, 404)):
            status, answer = program.cairn.request("POST", path, record, headers=headers)
            same(status, wanted, answer)
        reader = program.cairn.ok("POST", "/_security/api_key", {
            "name": "reader", "role_descriptors": {"r": {"cluster": ["monitor_connector"]}}})["encoded"]
        for path in ("/_connector/texts/_event", "/_connector/texts/_event/_by_key?api_key=" + urllib.parse.quote(reader)):
            status, answer = program.cairn.request("POST", path, minio_record("s3:ObjectCreated:Put", "notes/6.txt"),
                                                   headers={"Authorization": "ApiKey " + reader})
            same(status, 403, answer)
        same(program.cairn.request("GET", "/_connector/texts", headers={"Authorization": "ApiKey " + made["encoded"]})[0], 403)

        # Acknowledged is kept: words stand over kill -9, and none of all this listed the bucket.
        for i in range(10, 20):
            objects.ok("PUT", f"/texts/notes/{i}.txt", f"over {i}".encode())
            tell(ceph_record("ObjectCreated:Put", f"notes/{i}.txt"), path=by_key)
        program.cairn.kill()
        program.start()
        awaited("words over a crash", lambda: all(body(f"notes/{i}.txt") == f"over {i}" for i in range(10, 20)))
        same(listings(store.cairn), listed, "the bucket was listed")

        # Words that got lost are made up for by a sync.
        objects.ok("PUT", "/texts/notes/20.txt", b"untold")
        objects.ok("DELETE", "/texts/notes/21.txt")
        job = program.sync("texts", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"]), (1, 1), job)
        check(listings(store.cairn) > listed, "a sync lists")
        # Too many to keep by name: everything is looked at.
        listed = listings(store.cairn)
        objects.ok("PUT", "/texts/notes/22.txt", b"among many")
        many = {"Records": [ceph_record("ObjectCreated:Put", f"notes/none{i}.txt")["Records"][0] for i in range(5000)]}
        for part in range(3):
            for i, record in enumerate(many["Records"]):
                record["s3"]["object"]["key"] = f"notes/none{part}-{i}.txt"
            tell(many)
        tell(ceph_record("ObjectCreated:Put", "notes/22.txt"))
        awaited("what was among many", lambda: body("notes/22.txt") == "among many")


# --- pauses


def paused():
    with Program() as program:
        folder = program.cairn.folder + "/roots/many"
        for i in range(8000):
            write(folder, f"{i % 50}/{i}.txt", f"word{i} of many")
        program.connector("many", "directory", path=folder)
        one = program.cairn.folder + "/roots/one"
        write(one, "a.txt", "a word")
        program.connector("clock", "directory", path=one)

        def state(name, job=None):
            return program.cairn.ok("GET", f"/_connector/_sync_job/{job}" if job else f"/_connector/{name}")

        def pause(name="many", what="_pause", result="updated"):
            same(program.cairn.ok("POST", f"/_connector/{name}/{what}")["result"], result)

        same(state("many")["paused"], False)
        job = program.begin("many")
        awaited("the run", lambda: state("", job)["indexed_document_count"] > 0 or state("", job)["status"] == "completed")
        pause()
        pause(result="noop")
        awaited("its suspension", lambda: state("", job)["status"] in ("suspended", "completed"))
        suspended = state("", job)
        same(suspended["status"], "suspended", "the run was over before it could be paused")
        check(0 < suspended["indexed_document_count"] < 8000, suspended)
        same(state("many")["paused"], True)
        waiting = program.begin("many", "incremental")
        # Other connectors go on, and nothing of this one does, also after kill -9.
        program.sync("clock")
        program.cairn.kill()
        program.start()
        program.sync("clock")
        same(state("", job)["indexed_document_count"], suspended["indexed_document_count"])
        same((state("", job)["status"], state("", waiting)["status"], state("many")["paused"]), ("suspended", "pending", True))
        pause(what="_resume")
        pause(what="_resume", result="noop")
        record = program.ended(job)
        same(record["indexed_document_count"], 8000, record)
        # All but the one file that was at hand.
        check(record["metadata"]["files_resumed"] >= suspended["indexed_document_count"] - 1, record["metadata"])
        same(program.ended(waiting)["indexed_document_count"], 0)
        same(program.cairn.ok("GET", "/many/_count")["count"], 8000)

        # A schedule rests, and what it missed is not made up for.
        every_second = {"scheduling": {"incremental": {"enabled": True, "interval": "* * * * * ?"}}}

        def jobs(name):
            return program.cairn.ok("GET", f"/_connector/_sync_job?connector_id={name}&job_type=incremental&size=0")["count"]
        pause()
        for name in ("many", "clock"):
            program.cairn.ok("PUT", f"/_connector/{name}/_scheduling", every_second)
        before, ticks = jobs("many"), jobs("clock")
        awaited("ticks of the other", lambda: jobs("clock") >= ticks + 3)
        same(jobs("many"), before)
        pause(what="_resume")
        awaited("its own ticks", lambda: jobs("many") > before)

        # Elsewhere, nowhere, and without the right.
        program.cairn.ok("PUT", "/_connector/own", {"service_type": "json_files"})
        status, answer = program.cairn.request("POST", "/_connector/own/_pause")
        same((status, answer["error"]["type"]), (400, "status_exception"), answer)
        same(program.cairn.request("POST", "/_connector/none/_pause")[0], 404)
        reader = program.cairn.ok("POST", "/_security/api_key", {
            "name": "reader", "role_descriptors": {"r": {"cluster": ["monitor_connector"]}}})["encoded"]
        for tail in ("_pause", "_resume"):
            for headers, wanted in (({"Authorization": "ApiKey " + reader}, 403), ({"Authorization": ""}, 401)):
                same(program.cairn.request("POST", f"/_connector/many/{tail}", headers=headers)[0], wanted)
        same(state("many")["paused"], False)


# --- another cluster


class HostileCluster(http.server.BaseHTTPRequestHandler):
    """Answers with `server.answer`, a status and a body, and `server.retry_after` where it has that;
    remembers which scrolls were ended."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, body = self.server.answer
        self.send_response(status)
        if getattr(self.server, "retry_after", None):
            self.send_header("Retry-After", self.server.retry_after)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_DELETE(self):
        self.server.ended += 1
        self.do_POST()

    do_GET = do_POST

    def log_message(self, *_):
        pass


def bulk(other, index, documents):
    lines = []
    for id, source in documents.items():
        lines += [{"index": {"_id": id}}, source]
    answer = other.ok("POST", f"/{index}/_bulk?refresh=true",
                      "".join(json.dumps(line) + "\n" for line in lines))
    check(not answer["errors"], answer)


def no_scroll_left(other):
    same(other.request("DELETE", "/_search/scroll/_all")[1]["num_freed"], 0)


def cluster():
    with Program("connectors.allowed_hosts=127.0.0.1") as program, Program() as held:
        other = held.cairn
        key = other.ok("POST", "/_security/api_key", {
            "name": "migration", "role_descriptors": {"r": {
                "cluster": ["monitor"], "index": [{"names": ["*"], "privileges": ["read"]}]}}})["encoded"]
        documents = {f"id/{n} é": {"n": n, "text": "a \"word\" " * (n % 9), "x": [1.5, None]}
                     for n in range(1200)}
        bulk(other, "books", documents)
        other.ok("PUT", "/books/_doc/routed?routing=r&refresh=true", {"n": -1})
        documents["routed"] = {"n": -1}
        program.connector("copy", "elasticsearch", url=other.api, index="book*", api_key=key,
                          page_size=100)
        told = program.cairn.ok("POST", "/_connector/copy/_test")["source"]
        same((told["documents"], bool(told["cluster_name"]), bool(told["version"])),
             (1201, True, True), told)
        same(len(program.cairn.ok("POST", "/_connector/copy/_preview")["documents"]), 10)
        same(program.cairn.ok("POST", "/_connector/copy/_dry_run")["new"], 1201)
        no_scroll_left(other)
        same(program.sync("copy")["indexed_document_count"], 1201)
        same(program.documents("copy"), documents)
        same(program.cairn.ok("GET", "/copy/_doc/routed")["_routing"], "r")
        no_scroll_left(other)
        program.nowhere_in_the_clear(key)

        # Only what changed is written; what is gone goes.
        for n in range(20):
            other.ok("DELETE", "/books/_doc/" + urllib.parse.quote(f"id/{n} é", safe=""))
            del documents[f"id/{n} é"]
        new = {"id/20 é": {"n": -20}, "new": {"n": 1}}
        documents.update(new)
        bulk(other, "books", new)
        job = program.sync("copy", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"]), (2, 20), job)
        same(program.documents("copy"), documents)

        def change(number):
            more = {f"round {number} {i}": {"n": i} for i in range(300)}
            documents.update(more)
            bulk(other, "books", more)

        def wanted():
            same(program.documents("copy"), documents)
            return True

        program.cut_rounds("copy", change, wanted)

        # A query takes some of them; two indices with one id are told.
        bulk(other, "bookshelf", {"new": {"n": 2}})
        check("more than one document" in str(program.sync("copy")["metadata"]["problems"]), "ids")
        other.ok("DELETE", "/bookshelf")
        program.cairn.ok("PUT", "/_connector/copy/_configuration", {
            "values": {"query": '{"term": {"n": 7}}'}})
        program.sync("copy")
        check(0 < len(program.documents("copy")) < 10, "query")

        # Refusals by name.
        check("connectors.allowed_hosts" in program.refusal("copy", url="http://10.0.0.1:9200"), "host")
        check("[query]" in program.refusal("copy", query="year:2026"), "query")
        check("only one of" in program.refusal("copy", user="u", password="p"), "both")


def page_of_hits(hits, failed=0, total=1):
    return json.dumps({"_scroll_id": "s", "timed_out": False, "_shards": {"failed": failed},
                       "hits": {"total": total, "hits": hits}}).encode()


def cluster_tls():
    """A cluster with a certificate of an authority that the system does not know."""
    with tempfile.TemporaryDirectory() as folder:

        def certificate(name, alternative):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                            "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={alternative}",
                            "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"],
                           check=True, capture_output=True)
            return f"{folder}/{name}.pem"

        def serve(name):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileCluster)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
            server.socket = context.wrap_socket(server.socket, server_side=True)
            server.answer, server.ended = (200, page_of_hits([{"_id": "1", "_source": {"n": 1}}])), 0
            threading.Thread(target=server.serve_forever, daemon=True).start()
            return server

        own = certificate("own", "IP:127.0.0.1")
        other = certificate("other", "DNS:search.example.org")
        with open(f"{folder}/both.pem", "w") as both:
            for name in (own, other):
                with open(name) as one:
                    both.write(one.read())
        known, misnamed = serve("own"), serve("other")
        for ca_file, server, why in ((own, known, None), (other, known, "self-signed"), (None, known, "self-signed"),
                                     (f"{folder}/both.pem", misnamed, "mismatch")):
            settings = [f"connectors.elasticsearch.ca_file={ca_file}"] if ca_file else []
            with Program("connectors.allowed_hosts=127.0.0.1", *settings) as program:
                program.connector("copy", "elasticsearch", index="books",
                                  url=f"https://127.0.0.1:{server.server_port}")
                job = program.sync("copy", "full", "error" if why else "completed")
                if why:
                    check(why in job["error"], job["error"])
                else:
                    same(program.documents("copy"), {"1": {"n": 1}})
        same(misnamed.ended, 0)
        for server in (known, misnamed):
            server.shutdown()


def cluster_cancelled_while_it_waits():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileCluster)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.answer, server.ended, server.retry_after = (429, b"{}"), 0, "300"
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        program.connector("copy", "elasticsearch", index="books",
                          url=f"http://127.0.0.1:{server.server_port}")
        job = program.begin("copy")
        until = time.monotonic() + 30
        while "resumes" not in program.cairn.ok("GET", f"/_connector/_sync_job/{job}")["metadata"].get("doing", ""):
            check(time.monotonic() < until, program.cairn.ok("GET", f"/_connector/_sync_job/{job}"))
            time.sleep(0.05)
        program.cairn.ok("PUT", f"/_connector/_sync_job/{job}/_cancel")
        program.ended(job, "canceled", seconds=30)
        # What comes next is not in the way of the one that was cancelled.
        server.answer, server.retry_after = (200, page_of_hits([{"_id": "1", "_source": {"n": 1}}])), None
        program.sync("copy")
        same(program.documents("copy"), {"1": {"n": 1}})
    server.shutdown()


def hostile_cluster():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileCluster)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Program("connectors.allowed_hosts=127.0.0.1") as program:
        program.connector("copy", "elasticsearch", index="books",
                          url=f"http://127.0.0.1:{server.server_port}")

        page = page_of_hits
        one = {"_id": "1", "_source": {"n": 1}}
        server.answer, server.ended = (200, page([one])), 0
        program.sync("copy")
        same((program.documents("copy"), server.ended), ({"1": {"n": 1}}, 1))
        # Each ends the job, ends the scroll where there is one, and loses no document.
        for status, body, why, ended in (
                (200, page([], failed=1, total=0), "shards failed", 1),
                (200, page([{"_id": "1"}]), "_source", 1),
                (200, page([one, one], total=1), "more documents", 1),
                (200, page([], total=5), "ended early", 1),
                (200, b"<html>", "no page", 0),
                (401, b'{"error": "who?"}', "401", 0),
                (302, b"", "redirects", 0)):
            server.answer, server.ended = (status, body), 0
            check(why in program.sync("copy", "full", "error")["error"], why)
            same((program.documents("copy"), server.ended), ({"1": {"n": 1}}, ended), why)
    server.shutdown()


# --- mail


def mail():
    with Program() as program:
        folder = program.cairn.folder + "/roots/mail"
        box = mailbox.Maildir(folder)
        sent = box.add_folder("Sent")

        def message(subject, text):
            one = email.message.EmailMessage()
            one["From"], one["To"], one["Subject"] = "ada@example.org", "bob@example.org", subject
            one.set_content(text)
            return one

        keys = [box.add(message(f"Letter {i} – ä", f"The body speaks of word{i}.")) for i in range(200)]
        sent.add(message("Sent one", "An answer."))
        program.connector("mail", "maildir", path=folder)
        same(program.cairn.ok("POST", "/_connector/mail/_test")["source"]["messages"], 200)
        program.looked_at("mail", 201)
        same(program.sync("mail")["indexed_document_count"], 201)
        found = program.by("mail", "title")
        check("word7." in found["Letter 7 – ä"]["body"], found["Letter 7 – ä"])
        one = box[keys[0]]
        one.set_subdir("cur")
        one.set_flags("S")
        box[keys[0]] = one
        box.remove(keys[1])
        job = program.sync("mail", "incremental")
        same((job["indexed_document_count"], job["deleted_document_count"],
              job["metadata"]["files_read"]), (0, 1, 0), job)

        def change(number):
            for i in range(50):
                keys.append(box.add(message(f"Round {number} letter {i}", "more")))
            for key in keys[2 + number * 5:7 + number * 5]:
                box.remove(key)

        def wanted():
            titles = sorted(str(email.header.make_header(email.header.decode_header(one["Subject"])))
                            for one in [*box, *sent])
            same(sorted(source["title"] for source in program.documents("mail").values()), titles)
            return True

        program.cut_rounds("mail", change, wanted)


# --- a connector service of one's own


def own_service():
    with Program() as program:
        folder = program.cairn.folder + "/entries"
        write(folder, "notes.json", json.dumps([{"id": i, "text": f"note {i}"} for i in range(1200)]))
        write(program.cairn.folder, "outside.json", "[]")
        service = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                               "../../examples/connector/service.py")

        def serve():
            subprocess.run([sys.executable, service, folder, "--once"], check=True, env={
                **os.environ, "CAIRN": program.cairn.api, "CAIRN_KEY": program.cairn.key})

        program.cairn.ok("PUT", "/_connector/own", {"index_name": "own", "service_type": "json_files"})
        serve()  # registers what it needs
        configuration = program.cairn.ok("GET", "/_connector/own")["configuration"]
        same(configuration["file"]["label"], "File")
        program.cairn.ok("PUT", "/_connector/own/_configuration", {"values": {"file": "notes.json"}})
        job = program.begin("own")
        time.sleep(0.2)
        same(program.cairn.ok("GET", f"/_connector/_sync_job/{job}")["status"], "pending")
        serve()
        record = program.ended(job)
        same((record["indexed_document_count"], record["total_document_count"],
              record["connector"]["index_name"]), (1200, 1200, "own"), record)
        check(record["worker_hostname"] and record["started_at"] and record["completed_at"], record)
        same(len(program.documents("own")), 1200)
        connector = program.cairn.ok("GET", "/_connector/own")
        same((connector["status"], connector["last_sync_status"],
              connector["last_indexed_document_count"]), ("connected", "completed", 1200), connector)
        check(connector["last_seen"], connector)
        # One that fails says why, and one that is done is not done again.
        program.cairn.ok("PUT", "/_connector/own/_configuration", {"values": {"file": "../outside.json"}})
        failing = program.begin("own")
        serve()
        check("leads out" in program.ended(failing, "error")["error"], "error")
        for wrong in (job, failing):
            status, answer = program.cairn.request("PUT", f"/_connector/_sync_job/{wrong}/_complete")
            same((status, answer["error"]["type"]), (400, "status_exception"), answer)
        same(program.cairn.request("PUT", "/_connector/_sync_job/none/_complete")[0], 404)


TESTS = [own_service, bucket, bucket_told, paused, cluster, hostile_cluster, cluster_tls, cluster_cancelled_while_it_waits, code_hosting, feeds, web_pages, web_pages_cut, mail, git_local, git_remote, postgres_types, postgres_changes, postgres_snapshot, mysql_types, mysql_keys, mysql_changes, mysql_snapshot, mysql_waits, mysql_without_tls]


def main():
    global BINARY
    BINARY = sys.argv[1]
    names = sys.argv[2:]
    for test in TESTS:
        if names and test.__name__ not in names:
            continue
        test()
        print(f"ok     {test.__name__}", flush=True)


if __name__ == "__main__":
    main()
