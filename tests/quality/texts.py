"""The texts that are searched: pages of Debian packages, unpacked into one folder a language.

Manual pages stay as they are. Topics of the GNOME help are Mallard, which the connector does not
read: they become HTML with the same title, paragraphs and list items. Nothing of them is committed.
"""

import gzip
import hashlib
import html
import os
import shutil
import subprocess
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
LANGUAGES = ("en", "de", "es", "fr", "ru")
MALLARD = "{http://projectmallard.org/1.0/}"
BOOKS = {"gnome-help": "help", "system-admin-guide": "admin"}


def packages():
    """(language, package, version) for each line of packages.txt."""
    with open(os.path.join(HERE, "packages.txt")) as file:
        return [tuple(line.split()) for line in file if line.strip() and line[0] != "#"]


def fetch(folder):
    """Lays the texts below `folder`, once; the versions that were found, by package.
    RuntimeError where the packages cannot be had."""
    done = os.path.join(folder, "versions")
    if not os.path.exists(done):
        shutil.rmtree(folder, ignore_errors=True)
        unpacked = os.path.join(folder, "unpacked")
        os.makedirs(unpacked)
        download([name for _, name, _ in packages()], folder)
        versions = []
        for file in sorted(os.listdir(folder)):
            if file.endswith(".deb"):
                path = os.path.join(folder, file)
                subprocess.run(["dpkg", "-x", path, unpacked], check=True)
                facts = subprocess.run(["dpkg-deb", "-W", "--showformat=${Package} ${Version}\n", path],
                                       check=True, capture_output=True, text=True).stdout
                versions.append(facts)
                os.remove(path)
        for language in LANGUAGES:
            lay(os.path.join(unpacked, "usr/share"), language, os.path.join(folder, language))
        shutil.rmtree(unpacked)
        with open(done + ".new", "w") as out:
            out.writelines(versions)
        os.rename(done + ".new", done)
    with open(done) as file:
        return dict(line.split() for line in file)


def download(names, folder):
    command = ["apt-get", "download", "-q", *names]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if said.returncode != 0:  # no list of packages yet, or an old one
        subprocess.run(["apt-get", "update", "-q"], capture_output=True)
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if said.returncode != 0:
        raise RuntimeError("apt-get download failed: " + said.stderr.strip()[-400:])


def lay(share, language, out):
    """The documents of one language from an unpacked tree."""
    man = os.path.join(share, "man", "" if language == "en" else language)
    for section in sorted(os.listdir(man)):
        if section.startswith("man"):
            os.makedirs(os.path.join(out, section))
            for name in os.listdir(os.path.join(man, section)):
                path = os.path.join(man, section, name)
                if not os.path.islink(path):
                    shutil.copy(path, os.path.join(out, section, name))
    for book, short in BOOKS.items():
        source = os.path.join(share, "help", "C" if language == "en" else language, book)
        if os.path.isdir(source):
            os.makedirs(os.path.join(out, short))
            for name in sorted(os.listdir(source)):
                page = topic(os.path.join(source, name)) if name.endswith(".page") else None
                if page:
                    with open(os.path.join(out, short, name[:-5] + ".html"), "w") as file:
                        file.write(page)


def topic(path):
    """HTML of a Mallard topic; None for a page that only lists others."""
    root = xml.parse(path).getroot()
    title = words(root.find(MALLARD + "title"))
    lines = [f"<title>{title}</title>", f"<h1>{title}</h1>"]
    description = root.find(f"{MALLARD}info/{MALLARD}desc")
    if description is not None:
        lines.append(f"<p>{words(description)}</p>")
    head = len(lines)
    blocks(root, lines, 1)
    if len(lines) < head + 2:
        return None
    return '<!DOCTYPE html><meta charset="utf-8">\n' + "\n".join(lines) + "\n"


def blocks(element, lines, depth):
    for child in element:
        kind = child.tag.removeprefix(MALLARD)
        if kind in ("p", "screen", "code") or kind == "title" and depth > 1:
            tag = "h2" if kind == "title" else "p"
            lines.append(f"<{tag}>{words(child)}</{tag}>")
        elif kind not in ("info", "title", "links", "comment", "media", "desc"):
            blocks(child, lines, depth + 1)


def words(element):
    return html.escape(" ".join("".join(element.itertext()).split()))


def name_of(path):
    """How questions and judgements name a document: git-add.1, help/files-search."""
    folder, name = path.split("/", 1)
    if folder.startswith("man"):
        return name.removesuffix(".gz")
    return folder + "/" + name.removesuffix(".html")


def files(folder, language):
    """(name of a document, path of its file) of a language's texts."""
    root = os.path.join(folder, language)
    for part in sorted(os.listdir(root)):
        for name in sorted(os.listdir(os.path.join(root, part))):
            yield name_of(part + "/" + name), os.path.join(root, part, name)


def digest(path):
    """Eight hexadecimal digits that tell whether a text is the one that was judged."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:8]
