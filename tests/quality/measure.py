#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good searches are on the judged questions: nDCG@10 and recall@100 of each ranker, with and
without the reranker; and whether what is the default is what measures best.

    measure.py CAIRN FOLDER [--half held|tuned] [--accept]

FOLDER takes the texts, which come from Debian's packages, and the table, as table.md. The half of the
questions that was held apart is measured, unless parameters are tuned. --accept writes the figures
into expected.tsv. Ends with 77 where the packages cannot be had.
"""

import argparse
import concurrent.futures
import os
import sys

import figures
import judged
import searching
import texts

# Rankers in the order of the table. With the reranker: all but rrf by default, which has no more
# than ten documents to give it.
ORDER = ("words", "sparse", "dense", "rrf", "rrf of 100", "linear")
RERANKED = tuple(name for name in ORDER if name != "rrf")
ROWS = ORDER + tuple(name + " + rerank" for name in RERANKED)
PARTS = ("words", "dense")  # of the hybrids
NAMES = {"en": "English", "de": "German", "es": "Spanish", "fr": "French", "ru": "Russian"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cairn")
    parser.add_argument("folder")
    parser.add_argument("--half", choices=("held", "tuned"), default="held")
    parser.add_argument("--accept", action="store_true")
    args = parser.parse_args()
    questions = judged.questions()
    try:
        versions = texts.fetch(os.path.join(args.folder, "texts"))
    except RuntimeError as missing:
        print(f"quality: {missing}", file=sys.stderr)
        with open(os.path.join(args.folder, "table.md"), "w") as out:
            out.write(f"Not measured: {missing}\n")
        return 77
    folder = os.path.join(args.folder, "texts")
    changed = changes(folder, versions, questions)
    asked = [one for one in questions if one.held_out == (args.half == "held")]
    searcher = searching.Searcher(args.cairn, os.path.abspath(folder))
    try:
        counts = {language: searcher.fill(language) for language in texts.LANGUAGES}
        others = in_other_words(searcher, questions)
        default = searcher.default_field()
        measured = measure(searcher, asked)
    finally:
        searcher.stop()
    lines = table(measured, counts, others)
    print("\n".join(lines))
    with open(os.path.join(args.folder, "table.md"), "w") as out:
        out.write("\n".join(lines) + "\n")
    if args.accept:
        accept(measured)
    faults = faults_of(measured, default) + ([] if args.half == "tuned" else fallen(measured, changed))
    for fault in faults:
        print("FAILED: " + fault)
    return 1 if faults else 0


def changes(folder, versions, questions):
    """What is not as it was judged: packages and documents, told; names of (language, document)."""
    for _, package, version in texts.packages():
        if versions.get(package) != version:
            print(f"{package} is {versions.get(package)}; its texts were judged in {version}")
    known = {(language, name): digest for language, name, digest in judged.rows("digests.tsv")}
    found = {(language, name): path for language in texts.LANGUAGES
             for name, path in texts.files(folder, language)}
    changed = [f"{language}/{name}" for (language, name), digest in known.items()
               if (language, name) not in found or texts.digest(found[language, name]) != digest]
    if changed:
        print(f"{len(changed)} of {len(known)} judged texts are others now: " + " ".join(changed[:9]))
    if len(changed) > len(known) // 20:
        raise AssertionError("one judged text in twenty is another: judge anew, see README.md")
    for question in questions:
        if (question.language, question.answer) not in found:
            raise AssertionError(f"{question.number}: {question.answer} is not among the texts")
    return changed


def in_other_words(searcher, questions):
    """The numbers of questions without a content word of their answer's title: half of each language
    at least."""
    found = set()
    for language in texts.LANGUAGES:
        titles = searcher.titles(language)
        all_of_it = [one for one in questions if one.language == language]
        other = [one.number for one in all_of_it if judged.in_other_words(one, titles[one.answer])]
        if 2 * len(other) < len(all_of_it):
            raise AssertionError(f"{language}: only {len(other)} of {len(all_of_it)} in other words")
        found.update(other)
    return found


def measure(searcher, questions):
    """[(question, {ranker: (nDCG@10, recall@100)})]. Two connections ask, for two cores."""
    def share(part):
        connection = searcher.cairn.connect(timeout=600)
        done = [(one, ask(searcher, connection, one)) for one in questions[part::2]]
        connection.close()
        return done
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sorted(sum(pool.map(share, (0, 1)), []), key=lambda pair: pair[0].number)


def ask(searcher, connection, question):
    tops, deep = lists(searcher, connection, question)
    asked = searching.reranked(question.text, searching.fused_by_score(question.text))
    real = searcher.ranked(question.language, [{"size": 10, "retriever": asked}], connection)[0]
    if set(real) - set(deep["linear + rerank"][:12]):
        raise AssertionError(f"{question.number}: {real}, but {deep['linear + rerank'][:10]}")
    return {name: (figures.ndcg(tops[name], question.grades),
                   figures.recall(deep[name], question.grades)) for name in ROWS}


def lists(searcher, connection, question):
    """By ranker: the names of its first ten documents; those of its first hundred."""
    searches = searching.rankers(question.text)
    bodies = [body for name in ORDER for body in searches[name]]
    found = searcher.ranked(question.language, bodies, connection)
    tops = {name: found[2 * i][:10] for i, name in enumerate(ORDER)}
    deep = {name: found[2 * i + 1] for i, name in enumerate(ORDER)}
    scored = reranked(searcher, connection, question, deep)
    place = {name: i for i, name in enumerate(scored)}
    for name in RERANKED:
        # What a document scores does not hang on the others: one request stands for all lists.
        order = sorted(deep[name][:searching.RERANKED], key=lambda one: place[one])
        tops[name + " + rerank"] = deep[name + " + rerank"] = order
    return tops, deep


def reranked(searcher, connection, question, deep):
    """All documents that some ranker has among its first, in the reranker's order."""
    wanted = sorted({one for names in deep.values() for one in names[:searching.RERANKED]})
    numbers = {name: number for number, name in searcher.names[question.language].items()}
    ids = {"standard": {"query": {"ids": {"values": [numbers[one] for one in wanted]}}}}
    body = {"size": len(wanted), "retriever": searching.reranked(question.text, ids)}
    body["retriever"]["text_similarity_reranker"]["rank_window_size"] = len(wanted)
    return searcher.ranked(question.language, [body], connection)[0]


def groups(measured, others):
    """Columns of the table: (heading, measured questions)."""
    english = [pair for pair in measured if pair[0].language == "en"]
    yield "English", english
    yield "in other words", [pair for pair in english if pair[0].number in others]
    for language in texts.LANGUAGES[1:]:
        yield NAMES[language], [pair for pair in measured if pair[0].language == language]


def values(measured, ranker, which=0):
    return [found[ranker][which] for _, found in measured]


def table(measured, counts, others):
    columns = list(groups(measured, others))
    documents = ", ".join(f"{NAMES[language]} {count}" for language, count in counts.items())
    lines = [f"{len(measured)} questions, {sum(counts.values())} texts ({documents}).",
             "nDCG@10 ± half of its 95 % interval / recall@100.", "",
             "| | " + " | ".join(f"{name} ({len(part)})" for name, part in columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    for name in ROWS:
        cells = []
        for _, part in columns:
            least, most = figures.interval(values(part, name))
            cells.append(f"{figures.mean(values(part, name)):.3f} ± {(most - least) / 2:.3f} / "
                         f"{figures.mean(values(part, name, 1)):.3f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def faults_of(measured, default):
    """Where a default is not what measures best, beyond the 95 % interval. `default`: the kind of a
    semantic_text field without an endpoint."""
    faults = []
    other = "sparse" if default == "dense" else "dense"
    english = [pair for pair in measured if pair[0].language == "en"]
    parts = [("all", measured), ("English", english)] + [
        (NAMES[language], [pair for pair in measured if pair[0].language == language])
        for language in texts.LANGUAGES[1:]]
    for where, part in parts:
        for ranker, others in (("linear", PARTS), ("rrf", PARTS), ("linear", ("rrf", "rrf of 100")),
                               (default, (other,))):
            best = max(others, key=lambda name: figures.mean(values(part, name)))
            worse, (least, most) = figures.below(values(part, ranker), values(part, best))
            if worse:
                faults.append(f"{where}: {ranker} is below {best} by {-most:.3f} to {-least:.3f}")
    return faults


def fallen(measured, changed):
    """Figures below the committed ones: by more than one question's worth while every text is the
    one that was judged, else beyond the 95 % interval."""
    faults = []
    for language, ranker, gain in judged.rows("expected.tsv"):
        part = values([pair for pair in measured if pair[0].language == language], ranker)
        reached = figures.interval(part)[1] if changed else figures.mean(part) + 1 / len(part)
        if reached < float(gain):
            faults.append(f"{NAMES[language]}: {ranker} has nDCG@10 {figures.mean(part):.3f}, "
                          f"it had {gain}")
    return faults


def accept(measured):
    with open(os.path.join(judged.HERE, "expected.tsv"), "w") as out:
        out.write("# language, ranker, nDCG@10 of the half that is held out\n")
        for language in texts.LANGUAGES:
            part = [pair for pair in measured if pair[0].language == language]
            for name in ROWS:
                out.write(f"{language}\t{name}\t{figures.mean(values(part, name)):.3f}\n")


if __name__ == "__main__":
    sys.exit(main())
