#!/usr/bin/env python3
"""X04: the list of dependencies is a valid SPDX document that names every library of the program.

    sbom_test.py SBOM_TOOL CAIRN
"""

import json
import os
import re
import subprocess
import sys


def made(tool, program):
    return subprocess.run([sys.executable, tool, program], capture_output=True, text=True,
                          check=True, env=dict(os.environ, SOURCE_DATE_EPOCH="86400")).stdout


def main():
    tool, program = sys.argv[1:3]
    text = made(tool, program)
    assert text == made(tool, program), "two runs differ"
    sbom = json.loads(text)
    assert sbom["spdxVersion"] == "SPDX-2.3" and sbom["dataLicense"] == "CC0-1.0"
    assert sbom["creationInfo"]["created"] == "1970-01-02T00:00:00Z"
    packages = {one["SPDXID"]: one for one in sbom["packages"]}
    assert len(packages) == len(sbom["packages"]), "an id stands twice"
    for one in packages.values():
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one["SPDXID"]), one
        for member in ("name", "versionInfo", "downloadLocation", "licenseDeclared"):
            assert one.get(member), (one, member)
    depends = {one["relatedSpdxElement"] for one in sbom["relationships"]
               if one["relationshipType"] == "DEPENDS_ON"}
    assert depends == set(packages) - {"SPDXRef-cairn"}, depends
    # Every library that the program itself names must be in a package of the list.
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", subprocess.run(
        ["readelf", "-d", program], capture_output=True, text=True, check=True).stdout)
    assert needed, "the program names no libraries"
    listed = subprocess.run(
        ["dpkg", "-L", *(one["name"] for one in packages.values() if one["name"] != "cairn")],
        capture_output=True, text=True, check=True).stdout
    files = {os.path.basename(path) for path in listed.splitlines()}
    for library in needed:
        assert library in files, f"{library} is in no package of the list"


if __name__ == "__main__":
    main()
