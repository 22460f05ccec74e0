#!/usr/bin/env python3
"""A connector service: brings the entries of JSON files into an index by the protocol of connectors.

    CAIRN=http://127.0.0.1:9200 CAIRN_KEY=... examples/connector/service.py FOLDER [--once]

It serves every connector with the service type "json_files": its configuration names a file within
FOLDER, a list of objects with an "id" each. The standard library is enough.
"""

import json
import os
import socket
import sys
import time
import urllib.error
import urllib.request

SERVICE_TYPE = "json_files"
SCHEMA = {"file": {"label": "File", "type": "str", "display": "textbox", "required": True, "order": 1,
                   "sensitive": False, "default_value": None, "value": None, "depends_on": [],
                   "options": [], "validations": [], "ui_restrictions": [],
                   "tooltip": "A list of objects with an id each"}}
BATCH = 500
POLL_S = 2


class Refused(Exception):
    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def ask(method, path, body=None, content_type="application/json"):
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["CAIRN"] + path, data=data, method=method, headers={
        "Authorization": "ApiKey " + os.environ["CAIRN_KEY"], "Content-Type": content_type})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.load(error)["error"]["reason"]) from None


def write(index, entries):
    lines = []
    for entry in entries:
        lines += [json.dumps({"index": {"_id": str(entry["id"])}}), json.dumps(entry)]
    answer = ask("POST", f"/{index}/_bulk", ("\n".join(lines) + "\n").encode(), "application/x-ndjson")
    return sum(1 for item in answer["items"] if item["index"]["status"] < 300)


def run(job, folder):
    """One job that is ours: all entries of the file, with a sign of life after each batch."""
    at = f"/_connector/_sync_job/{job['id']}"
    connector = job["connector"]
    name = connector["configuration"]["file"]["value"]
    path = os.path.realpath(os.path.join(folder, name))
    if not path.startswith(os.path.realpath(folder) + os.sep):
        raise ValueError(f"[{name}] leads out of the folder")
    with open(path) as file:
        entries = json.load(file)
    written = size = 0
    for first in range(0, len(entries), BATCH):
        some = entries[first:first + BATCH]
        written += write(connector["index_name"], some)
        size += len(json.dumps(some))
        ask("PUT", at + "/_stats", {
            "indexed_document_count": written, "deleted_document_count": 0,
            "indexed_document_volume": size >> 20, "total_document_count": len(entries)})
        ask("PUT", at + "/_check_in")
        if ask("GET", at)["status"] == "canceling":
            raise ValueError("cancelled")
    ask("PUT", at + "/_complete")


def look(folder):
    """Once over all connectors of our type and their jobs."""
    ours = ask("GET", f"/_connector?service_type={SERVICE_TYPE}&size=1000")["results"]
    for connector in ours:
        at = f"/_connector/{connector['id']}"
        ask("PUT", at + "/_check_in")
        if not connector["configuration"]:
            ask("PUT", at + "/_configuration", {"configuration": SCHEMA})
    jobs = ask("GET", "/_connector/_sync_job?status=pending&size=1000")["results"]
    for job in reversed(jobs):  # the oldest first
        if job["connector"]["service_type"] != SERVICE_TYPE:
            continue
        at = f"/_connector/_sync_job/{job['id']}"
        try:
            ask("PUT", at + "/_claim", {"worker_hostname": socket.gethostname()})
        except Refused as error:
            if error.status == 400:
                continue  # somebody else was faster
            raise
        try:
            run(ask("GET", at), folder)
        except (OSError, ValueError, KeyError, TypeError, Refused) as error:
            ask("PUT", at + "/_error", {"error": str(error) or type(error).__name__})


def main():
    folder = sys.argv[1]
    while True:
        look(folder)
        if "--once" in sys.argv:
            return
        time.sleep(POLL_S)


if __name__ == "__main__":
    main()
