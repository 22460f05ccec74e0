#!/usr/bin/env python3
"""The table of routes in docs/reference/rate-limits.md is what `cairn routes` says.

    route_table.py CAIRN FILE            fails and shows the difference where it is not
    route_table.py CAIRN FILE --write    writes it
"""

import difflib
import json
import subprocess
import sys

BEGIN = "<!-- routes: made by tests/docs/route_table.py --write -->\n"
END = "<!-- end of routes -->\n"


def table(binary):
    listed = subprocess.run([binary, "routes", "--json"], capture_output=True, text=True, check=True)
    lines = ["| Route | Resource | Points | Content | Public data |\n", "|---|---|---|---|---|\n"]
    for route in json.loads(listed.stdout)["routes"]:
        lines.append("| `{} {}` | {} | {} | {} | {} |\n".format(
            route["method"], route["path"], route["resource"] or "not limited", route["points"],
            "yes" if route["content"] else "", "yes" if route["public"] else ""))
    return lines


def main():
    binary, path = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    begin, end = lines.index(BEGIN) + 1, lines.index(END)
    wanted = ["\n", *table(binary), "\n"]
    if "--write" in sys.argv[3:]:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:begin] + wanted + lines[end:])
        return 0
    difference = list(difflib.unified_diff(lines[begin:end], wanted, path, "cairn routes", n=0))
    sys.stdout.writelines(difference)
    if difference:
        print(f"run tests/docs/route_table.py {binary} {path} --write")
    else:
        print(f"{len(wanted) - 4} routes")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
