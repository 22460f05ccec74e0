#!/usr/bin/env python3
"""Every row of the table of routes is asked without a key, with a wrong, an expired and an ended one,
and with one that has no rights: nobody gets past the gate who should not.

    route_table_test.py CAIRN
"""

import base64
import json
import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402


def ask(server, connection, route, authorization):
    """Status and the type of the error, if any; in OpenAI's form that is its code."""
    path = re.sub(r"\{[a-z_.]+\}", "x", route["path"])
    headers = {"Authorization": authorization} if authorization else {}
    connection.request(route["method"], path, headers=headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.headers.get("X-elastic-product") != "Elasticsearch":
        raise AssertionError(f"{route['method']} {path}: the product is not named")
    try:
        error = json.loads(text)["error"]
        return answer.status, error["code"] if path.startswith("/v1/") else error["type"]
    except (ValueError, KeyError, TypeError):
        return answer.status, None


# What these may is the object storage's to say, of a caller who has an access key there.
NEED_ACCESS_KEY = {"cairn.pass_objects"}


def main():
    server = Cairn(sys.argv[1])
    server.start("--set", "rate_limit.enabled=false")  # so many strangers would be told to wait
    faults = []
    try:
        def key(**body):
            return "ApiKey " + server.ok("POST", "/_security/api_key", body)["encoded"]

        nothing = {"none": {"cluster": [], "indices": []}}
        powerless = key(name="powerless", role_descriptors=nothing)
        expired = key(name="expired", expiration="1ms")
        made = server.ok("POST", "/_security/api_key", {"name": "ended"})
        server.ok("DELETE", "/_security/api_key", {"ids": [made["id"]]})
        ident = base64.b64decode(server.key).decode().split(":")[0]
        wrong = "ApiKey " + base64.b64encode(f"{ident}:{'x' * 22}".encode()).decode()
        until = time.monotonic() + 5
        while server.request("GET", "/", headers={"Authorization": expired})[0] != 401:
            if time.monotonic() > until:
                raise AssertionError("the expired key still opens the house")
        strangers = {"no key": None, "a wrong key": wrong, "an expired key": expired,
                     "an ended key": "ApiKey " + made["encoded"], "another scheme": "Bearer abc"}

        routes = server.ok("GET", "/_cairn/routes")["routes"]
        connection = server.connect()
        for route in routes:
            name = route["method"] + " " + route["path"]
            for who, authorization in strangers.items():
                status, _ = ask(server, connection, route, authorization)
                welcome = route["open"] or route["public"] and authorization is None
                if (status == 401) == welcome:
                    faults.append(f"{name} with {who}: {status}")
            # A row without privileges needs credentials only.
            status, kind = ask(server, connection, route, powerless)
            guarded = bool(route["privileges"]) or route["operation"] in NEED_ACCESS_KEY
            if (status == 403) != guarded or kind not in ("security_exception", None) and guarded:
                faults.append(f"{name} with a key without rights: {status} {kind}")
        for who, authorization in strangers.items():
            status, _ = ask(server, connection, {"method": "GET", "path": "/a/b/c/d"}, authorization)
            if status != 401:
                faults.append(f"an unknown path with {who}: {status}")
        print(f"{len(routes)} routes, {len(routes) * (len(strangers) + 1)} requests, "
              f"{len(faults)} faults")
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
