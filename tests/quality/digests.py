#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes digests.tsv: which text each judged document had. Run it when judgements change.

    digests.py FOLDER        FOLDER as of measure.py
"""

import os
import sys

import judged
import texts


def main(folder):
    texts.fetch(os.path.join(folder, "texts"))
    wanted = {(one.language, name) for one in judged.questions() for name in one.grades}
    with open(os.path.join(judged.HERE, "digests.tsv"), "w") as out:
        out.write("# language, document, first eight digits of the SHA-256 of its text\n")
        for language in texts.LANGUAGES:
            for name, path in sorted(texts.files(os.path.join(folder, "texts"), language)):
                if (language, name) in wanted:
                    out.write(f"{language}\t{name}\t{texts.digest(path)}\n")
                    wanted.remove((language, name))
    if wanted:
        sys.exit(f"not among the texts: {sorted(wanted)}")


if __name__ == "__main__":
    main(sys.argv[1])
