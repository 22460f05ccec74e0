#!/usr/bin/env python3
"""Rows a second from a table of MariaDB into an index of words, beside `mariadb-dump` and
`mariadb --quick` that read the same table to a file in the same run.

    mysql_run.py CAIRN [ROWS]      ROWS: 1,000,000
"""

import os
import subprocess
import sys
import time

from postgres_run import processor_seconds, resident_mib, sources_test, told


def main():
    sources_test.BINARY = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with sources_test.Program("connectors.allowed_hosts=127.0.0.1") as program:
        server = sources_test.MariadbServer(program.cairn.folder)
        try:
            server.ask(f"""CREATE TABLE notes (id int PRIMARY KEY, title varchar(40), body text, part int,
                changed timestamp DEFAULT CURRENT_TIMESTAMP);
                INSERT INTO notes (id, title, body, part) SELECT seq, CONCAT('Note ', seq),
                CONCAT('the body of note ', seq, ' speaks of ', MD5(seq), ' and ', MD5(seq DIV 7),
                ' at some length'), seq MOD 100 FROM seq_1_to_{rows}""")
            login = ["--no-defaults", "-h", "127.0.0.1", "-P", str(server.port), "-u", "cairn", "--skip-ssl"]
            environment = {"PATH": os.environ["PATH"], "MYSQL_PWD": "mariadb-secret-1"}
            for what, words in (
                    ("mariadb-dump", ["mariadb-dump", *login, "--single-transaction", "--quick",
                                      "--no-tablespaces", "shop", "notes"]),
                    ("mariadb --quick", ["mariadb", *login, "--quick", "-B", "shop", "-e",
                                         "SELECT * FROM notes"])):
                begin = time.monotonic()
                with open(program.cairn.folder + "/notes.out", "w") as out:
                    subprocess.run(words, check=True, stdout=out, env=environment)
                told(what, rows, time.monotonic() - begin)

            program.connector("notes", "mysql", **server.values(table="notes", cursor="changed"))
            begin = time.monotonic()
            dry = program.cairn.ok("POST", "/_connector/notes/_dry_run")
            told("rows read alone (_dry_run)", dry["items"], time.monotonic() - begin)
            for what, job_type in (("first sync", "full"), ("incremental, all rows again", "incremental")):
                cpu, begin = processor_seconds(program.cairn.process), time.monotonic()
                job = program.ended(program.begin("notes", job_type), seconds=3600)
                seconds = time.monotonic() - begin
                cpu = processor_seconds(program.cairn.process) - cpu
                told(what, rows, seconds, f", {cpu:.1f} s of processor time, "
                     f"{job['indexed_document_count']} written, most resident "
                     f"{resident_mib(program.cairn.process)} MiB")
            assert program.cairn.ok("GET", "/notes/_count")["count"] == rows
        finally:
            server.stop()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
