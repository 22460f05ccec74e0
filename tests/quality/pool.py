#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what is to be judged: for each question the documents among the first 20 of any ranker, in
the order of their names, with the grade that each has (none: 0).

    pool.py CAIRN FOLDER        FOLDER as of measure.py
"""

import os
import sys

import judged
import measure
import searching
import texts

DEPTH = 20  # documents of each ranker


def main(cairn, folder):
    folder = os.path.join(os.path.abspath(folder), "texts")
    texts.fetch(folder)
    searcher = searching.Searcher(cairn, folder)
    try:
        for language in texts.LANGUAGES:
            searcher.fill(language)
        for question in judged.questions():
            tops, deep = measure.lists(searcher, searcher.connection, question)
            pool = {name for found in (tops, deep) for names in found.values()
                    for name in names[:DEPTH]}
            graded = [f"{name}={question.grades[name]}" if name in question.grades else name
                      for name in sorted(pool | question.grades.keys())]
            print(f"{question.number}\t{question.text}\t{' '.join(graded)}")
    finally:
        searcher.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
