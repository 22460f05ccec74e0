#!/usr/bin/env python3
"""Lists what a built program depends on, as an SPDX 2.3 document (JSON) on standard output.

    sbom.py PROGRAM

Shared libraries are those that the loader finds for the program, each with Debian's package, its
version and the licences that its copyright file names; what is only compiled in is in COMPILED_IN.
The same program on the same packages gives the same bytes; the date is SOURCE_DATE_EPOCH's.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

# Headers and static libraries: nothing in the program names them.
COMPILED_IN = ["libboost1.81-dev", "libsimdjson-dev", "libfmt-dev", "libxxhash-dev"]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libraries_of(program):
    """Paths of the shared libraries that the loader finds."""
    paths = re.findall(r"(?:=> |^\s*)(/\S+) \(0x", output_of("ldd", program), re.M)
    return sorted({os.path.realpath(path) for path in paths})


def packages_of(paths):
    """Debian's packages of these files; a merged /usr knows each by one of two names."""
    names = {path: {path, path.removeprefix("/usr")} for path in paths}
    # Some of the names are unknown, so that its status says nothing.
    said = subprocess.run(["dpkg", "-S", *sorted(set().union(*names.values()))], capture_output=True, text=True).stdout
    known = {}
    for line in said.splitlines():
        packages, _, name = line.partition(": ")
        known[name] = packages.split(",")[0]
    lost = [path for path in paths if not names[path] & known.keys()]
    if lost:
        raise SystemExit(f"sbom: no package has {', '.join(lost)}")
    return {known[name] for path in paths for name in names[path] & known.keys()}


def licences_of(package):
    path = f"/usr/share/doc/{package.split(':')[0]}/copyright"
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return sorted({match.strip() for match in re.findall(r"^License: *(\S.*)$", file.read(), re.M)})
    except FileNotFoundError:
        return []


def facts_of(packages):
    """Name, version and home page of each, in the order of the names."""
    said = output_of("dpkg-query", "-W", "-f=${binary:Package}\t${Package}\t${Version}\t${Homepage}\n", *packages)
    return [line.split("\t") for line in sorted(said.splitlines())]


def entry(package, name, version, homepage):
    licences = licences_of(package)
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": homepage or "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "licenseComments": "; ".join(licences) or "see the package's copyright file",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{name}@{version}"}],
    }


def document(program):
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    version = output_of(program, "version").split()[-1]
    installed = [name for name in COMPILED_IN
                 if subprocess.run(["dpkg-query", "-W", name], capture_output=True).returncode == 0]
    packages = sorted(packages_of(libraries_of(program)) | set(installed))
    own = {"SPDXID": "SPDXRef-cairn", "name": "cairn", "versionInfo": version,
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
           "copyrightText": "NOASSERTION",
           "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    entries = [entry(*facts) for facts in facts_of(packages)]
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")),
                                              datetime.timezone.utc)
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-cairn"}]
    relations += [{"spdxElementId": "SPDXRef-cairn", "relationshipType": "DEPENDS_ON",
                   "relatedSpdxElement": one["SPDXID"]} for one in entries]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"cairn-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/cairn-{version}-{digest[:16]}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: tools/sbom.py"]},
            "packages": [own, *entries], "relationships": relations}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    json.dump(document(os.path.abspath(sys.argv[1])), sys.stdout, indent=1, sort_keys=True)
    print()
