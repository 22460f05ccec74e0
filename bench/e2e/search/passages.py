#!/usr/bin/env python3
"""Passages of documentation, and questions made of their words, for benchmarks of search.

The texts are those of Debian packages (PACKAGES), downloaded and unpacked, not installed. A passage
is a run of paragraphs of 40 to 180 words; each stands once; their order is shuffled with a fixed
seed, so that documents that stand together are about different things.

    passages.py FOLDER [--most N] [--questions N] [--texts TEXTS]

With --texts the Markdown files below the folder TEXTS stand for the packages. FOLDER/docs.tsv: number, source, year (made up), title, text. FOLDER/queries.tsv: number, source of
the passage, 2 to 4 words that stand close together in it. What is there already is kept.
"""

import argparse
import collections
import gzip
import hashlib
import html
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys

# Package -> (name of the source, folder or file below usr/share, kind of text)
PACKAGES = {
    "linux-doc-6.1": ("linux", "doc/linux-doc-6.1", "any"),
    "openjdk-17-doc": ("java", "doc/openjdk-17-jre-headless/api", "html"),
    "postgresql-doc-15": ("postgres", "doc/postgresql-doc-15", "html"),
    "debian-handbook": ("handbook", "doc/debian-handbook/html/en-US", "html"),
    "perl-doc": ("perl", "perl", "pod"),
    "python3.11-doc": ("python", "doc/python3.11/html", "html"),
    "dict-gcide": ("gcide", "dictd/gcide.dict.dz", "dictionary"),
    "dict-wn": ("wordnet", "dictd/wn.dict.dz", "dictionary"),
    "dict-foldoc": ("foldoc", "dictd/foldoc.dict.dz", "dictionary"),
    "libboost1.74-doc": ("boost", "doc/libboost1.74-doc", "html"),
    "apache2-doc": ("apache", "doc/apache2-doc/manual/en", "html"),
    "python-django-doc": ("django", "doc/python-django-doc/html", "html"),
    "glibc-doc": ("glibc", "info", "info"),
    "qtbase5-doc-html": ("qt", "qt5/doc", "html"),
    "git-doc": ("git", "doc/git/html", "html"),
    "octave-doc": ("octave", "doc/octave", "html"),
    "rust-doc": ("rust", "doc/rust-doc/html", "html"),
    "libreoffice-help-en-us": ("office", "libreoffice/help/en-US", "html"),
    "manpages": ("man", "man", "man"),
    "manpages-dev": ("man", "man", "man"),
    "python-pandas-doc": ("pandas", "doc/python-pandas-doc/html", "html"),
    "python-scipy-doc": ("scipy", "doc/python-scipy-doc/html", "html"),
    "racket-doc": ("racket", "doc/racket", "html"),
    "ghc-doc": ("ghc", "doc/ghc-doc/html", "html"),
    "cmake-doc": ("cmake", "doc/cmake-data/html", "html"),
    "llvm-14-doc": ("llvm", "doc/llvm-14-doc/html", "html"),
    "libgtk-3-doc": ("gtk", "gtk-doc/html", "html"),
    "libgtk-4-doc": ("gtk", "doc/libgtk-4-doc", "html"),
    "libglib2.0-doc": ("glib", "gtk-doc/html", "html"),
    "opencv-doc": ("opencv", "doc/opencv-doc/opencv4/html", "html"),
    "libstdc++-12-doc": ("libstdcxx", "doc/gcc-12-base/libstdc++", "html"),
}
ENDINGS = {"any": (".html", ".rst", ".rst.gz", ".txt", ".txt.gz"), "html": (".html", ".htm"),
           "pod": (".pod",), "man": (".gz",), "info": (".gz",), "dictionary": ("",)}

LEAST, ENOUGH, MOST = 40, 90, 180  # words of a passage
FILE_BYTES_MAX = 64 << 20

HIDDEN = re.compile(r"<!--.*?-->|<(script|style|head|nav|svg|footer)\b.*?</\1\s*>", re.S | re.I)
TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.S | re.I)
BREAK = re.compile(r"</?(?:p|div|li|ul|ol|dl|dt|dd|h[1-6]|pre|table|tr|td|th|section|br|blockquote|"
                   r"article|main|hr)\b[^>]*>", re.I)
TAG = re.compile(r"<[^>]+>")
ROFF = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)|\\s[-+]?\d+|\\[&|^%/,]|\\\*(?:\(..|\[[^\]]*\]|.)")
WORD = re.compile(r"[A-Za-z0-9]+")


def fetch(folder):
    """Unpacks every package into a folder of its own, once."""
    for package in PACKAGES:
        target = os.path.join(folder, "packages", package)
        if os.path.isdir(target):
            continue
        arriving = os.path.join(folder, "arriving")
        shutil.rmtree(arriving, ignore_errors=True)
        os.makedirs(arriving)
        command = ["apt-get", "download", "-q", package]
        if subprocess.run(command, cwd=arriving, capture_output=True).returncode != 0:
            subprocess.run(["apt-get", "update", "-q"], capture_output=True)  # an old list
            said = subprocess.run(command, cwd=arriving, capture_output=True, text=True)
            if said.returncode != 0:
                sys.exit(f"{package} cannot be had: {said.stderr.strip()[-300:]}")
        for name in os.listdir(arriving):
            path = os.path.join(arriving, name)
            subprocess.run(["dpkg", "-x", path, os.path.join(arriving, "new")], check=True)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(os.path.join(arriving, "new"), target)
        shutil.rmtree(arriving)


def files(folder):
    """(source, path, kind) of every text, in an order that does not depend on the disk."""
    for package, (source, place, kind) in PACKAGES.items():
        root = os.path.join(folder, "packages", package, "usr/share", place)
        if os.path.isfile(root):
            yield source, root, kind
        for path, folders, names in os.walk(root):
            folders.sort()
            if kind == "man" and not re.search(r"/man\d?$|/man$", path):
                continue  # English pages only
            for name in sorted(names):
                whole = os.path.join(path, name)
                if name.endswith(ENDINGS[kind]) and os.path.isfile(whole):
                    yield source, whole, kind


def files_below(root):
    """The same of a folder of Markdown; the source is the sub-folder."""
    for path, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(path, root), os.path.join(path, name), "any"


def squeezed(text):
    return " ".join(text.split())


def of_html(text):
    title = TITLE.search(text)
    body = html.unescape(TAG.sub("", BREAK.sub("\n\n", HIDDEN.sub(" ", text))))
    return squeezed(html.unescape(TAG.sub("", title.group(1)))) if title else "", blocks(body)


def blocks(text):
    return [squeezed(part) for part in re.split(r"\n\s*\n", text) if part.strip()]


def of_man(text):
    """Paragraphs of a manual page: requests that begin one end the one before."""
    title, paragraphs, lines = "", [], []
    for line in text.split("\n"):
        if line.startswith((".\\\"", "'\\\"")):
            continue
        if line[:1] in (".", "'"):
            request, _, rest = line[1:].partition(" ")
            rest = rest.replace('"', "")
            if request in ("TH", "Dt") and not title:
                title = squeezed(rest)[:80]
            if request in ("SH", "SS", "PP", "P", "LP", "TP", "IP", "HP", "Sh", "Ss", "Pp", "It", "sp"):
                paragraphs.append(lines)
                lines = []
            if request not in ("TH", "Dt", "PP", "P", "LP", "TP", "HP", "Pp", "sp", "nf", "fi", "RS", "RE"):
                lines.append(rest)
        elif line.strip():
            lines.append(line)
        else:
            paragraphs.append(lines)
            lines = []
    paragraphs.append(lines)
    text = "\n\n".join(" ".join(one) for one in paragraphs)
    for written, meant in (("\\-", "-"), ("\\(aq", "'"), ("\\e", "\\"), ("\\ ", " "), ("\\~", " ")):
        text = text.replace(written, meant)
    return title, blocks(ROFF.sub("", text))


def of_dictionary(text):
    """An entry begins at the left edge, and is one paragraph."""
    return "", [squeezed(entry) for entry in re.split(r"\n(?=\S)", text) if entry.strip()]


def cut(paragraphs):
    """Runs of paragraphs, each of a passage's length."""
    run, count = [], 0
    for paragraph in paragraphs:
        words = paragraph.split()
        while len(words) > MOST:
            yield " ".join([*run, *words[:140]])
            run, count, words = [], 0, words[140:]
        if count + len(words) > MOST and count >= LEAST:
            yield " ".join(run)
            run, count = [], 0
        run += words
        count += len(words)
        if count >= ENOUGH:
            yield " ".join(run)
            run, count = [], 0
    if count >= LEAST:
        yield " ".join(run)


def passages_of(job):
    source, path, kind = job
    try:
        opened = gzip.open if path.endswith((".gz", ".dz")) else open
        with opened(path, "rb") as file:
            text = file.read(FILE_BYTES_MAX).decode("utf-8", "replace")
    except (OSError, EOFError):
        return []
    if kind == "man":
        title, paragraphs = of_man(text)
    elif kind == "dictionary":
        title, paragraphs = of_dictionary(text)
    elif path.endswith((".html", ".htm")):
        title, paragraphs = of_html(text)
    else:
        title, paragraphs = "", blocks(text)
    title = (title or os.path.basename(path))[:120]
    out = []
    for passage in cut(paragraphs):
        letters = sum(map(str.isalpha, passage))
        if letters * 2 >= len(passage):  # neither tables of numbers nor drawings
            out.append((source, title, passage))
    return out


def write_passages(folder, texts, most):
    seen, all_of_them = set(), []
    with multiprocessing.Pool(2) as pool:
        for some in pool.imap(passages_of, texts, chunksize=32):
            for source, title, passage in some:
                key = hashlib.blake2b(passage.lower().encode(), digest_size=8).digest()
                if key not in seen:
                    seen.add(key)
                    all_of_them.append((source, title, passage))
    random.Random(42).shuffle(all_of_them)
    years = random.Random(7)
    chosen = all_of_them[:most] if most else all_of_them
    with open(os.path.join(folder, "docs.tsv.new"), "w") as out:
        for i, (source, title, passage) in enumerate(chosen):
            out.write(f"{i}\t{source}\t{1990 + int(35 * years.random() ** 0.5)}\t{title}\t{passage}\n")
    os.rename(os.path.join(folder, "docs.tsv.new"), os.path.join(folder, "docs.tsv"))
    sources = collections.Counter(source for source, _, _ in chosen)
    print(f"{len(chosen)} passages, {sum(len(p) for _, _, p in chosen) / 1e6:.1f} MB:", dict(sources))


def write_questions(folder, count):
    """Words that stand within twelve of each other in one passage."""
    lines = []
    with open(os.path.join(folder, "docs.tsv")) as file:
        lines = file.readlines()
    chance = random.Random(11)
    frequency = collections.Counter()
    questions = []
    while len(questions) < count:
        _, source, _, _, text = lines[chance.randrange(len(lines))].rstrip("\n").split("\t")
        words = [word.lower() for word in WORD.findall(text)]
        if len(words) < 12:
            continue
        start = chance.randrange(len(words) - 11)
        near = sorted({word for word in words[start:start + 12] if len(word) > 3 and not word.isdigit()})
        wanted = chance.randrange(2, 5)
        if len(near) >= wanted:
            questions.append((source, chance.sample(near, wanted)))
    asked = {word for _, words in questions for word in words}
    for line in lines:
        frequency.update(asked.intersection(map(str.lower, WORD.findall(line.split("\t", 4)[4]))))
    with open(os.path.join(folder, "queries.tsv.new"), "w") as out:
        for i, (source, words) in enumerate(questions):
            out.write(f"{i}\t{source}\t{' '.join(words)}\n")
    os.rename(os.path.join(folder, "queries.tsv.new"), os.path.join(folder, "queries.tsv"))
    each = [frequency[word] for _, words in questions for word in words]
    mean = sum(each) / len(each)
    print(f"{len(questions)} questions; a word of theirs stands in {mean:.0f} passages "
          f"({100 * mean / len(lines):.1f} %) on average")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--most", type=int, default=0, help="passages; all where it is not given")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--texts", help="a folder of Markdown instead of packages")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    if not os.path.exists(os.path.join(options.folder, "docs.tsv")):
        if not options.texts:
            fetch(options.folder)
        texts = files_below(options.texts) if options.texts else files(options.folder)
        write_passages(options.folder, texts, options.most)
    if not os.path.exists(os.path.join(options.folder, "queries.tsv")):
        write_questions(options.folder, options.questions)


if __name__ == "__main__":
    main()
