#!/usr/bin/env python3
"""Rows a second from a table of PostgreSQL into an index of words, beside psql's COPY of the same
table to a file and the bulk API fed with the same documents.

    postgres_run.py CAIRN [ROWS]      ROWS: 1,000,000
"""

import json
import os
import subprocess
import sys
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests")
sys.path[:0] = [TESTS, os.path.join(TESTS, "rest")]
import sources_test  # noqa: E402

BULK_DOCUMENTS = 1000


def resident_mib(process, member="VmHWM"):
    with open(f"/proc/{process.pid}/status") as file:
        for line in file:
            if line.startswith(member + ":"):
                return int(line.split()[1]) // 1024
    return 0


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(what, rows, seconds, more=""):
    print(f"{what}: {rows / seconds:,.0f} rows a second ({seconds:.1f} s){more}", flush=True)


def main():
    sources_test.BINARY = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with sources_test.Program("connectors.allowed_hosts=127.0.0.1") as program:
        server = sources_test.PostgresServer(program.cairn.folder)
        try:
            server.ask(f"""CREATE TABLE notes AS SELECT n AS id, 'Note ' || n AS title,
                'the body of note ' || n || ' speaks of ' || md5(n::text) || ' and ' || md5((n / 7)::text)
                || ' at some length' AS body, n % 100 AS part, now() AS changed
                FROM generate_series(1, {rows}) n; ALTER TABLE notes ADD PRIMARY KEY (id)""")
            file = program.cairn.folder + "/notes.tsv"
            begin = time.monotonic()
            with open(file, "w") as out:
                subprocess.run([server.programs + "/psql", "-h", "127.0.0.1", "-p", str(server.port),
                                "-U", "cairn", "-d", "postgres", "-c", "COPY notes TO STDOUT"],
                               check=True, stdout=out,
                               env={"PGPASSWORD": "postgres-secret-1", "LC_ALL": "C.UTF-8"})
            told("psql COPY", rows, time.monotonic() - begin)

            program.connector("notes", "postgresql", **server.values(table="notes", cursor="changed"))
            for what, job_type in (("first sync", "full"), ("incremental, all rows again", "incremental")):
                cpu, begin = processor_seconds(program.cairn.process), time.monotonic()
                job = program.ended(program.begin("notes", job_type), seconds=3600)
                seconds = time.monotonic() - begin
                cpu = processor_seconds(program.cairn.process) - cpu
                told(what, rows, seconds, f", {cpu:.1f} s of processor time, "
                     f"{job['indexed_document_count']} written, most resident "
                     f"{resident_mib(program.cairn.process)} MiB")
            assert program.cairn.ok("GET", "/notes/_count")["count"] == rows

            some = min(rows, 200_000)
            cpu, begin = processor_seconds(program.cairn.process), time.monotonic()
            connection = program.cairn.connect()
            with open(file) as source:
                batch = []
                for number, line in enumerate(source, 1):
                    id, title, body, part, changed = line.rstrip("\n").split("\t")
                    batch.append(json.dumps({"index": {"_id": id}}))
                    batch.append(json.dumps({"id": int(id), "title": title, "body": body,
                                             "part": int(part)}))
                    if number % BULK_DOCUMENTS == 0:
                        program.cairn.ok("POST", "/bulk/_bulk", "\n".join(batch) + "\n",
                                         connection=connection)
                        batch = []
                    if number == some:
                        break
            cpu = processor_seconds(program.cairn.process) - cpu
            told("_bulk, one client", some, time.monotonic() - begin,
                 f", {cpu:.1f} s of processor time")
        finally:
            server.stop()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
