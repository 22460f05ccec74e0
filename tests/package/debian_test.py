#!/usr/bin/env python3
"""The Debian packages: what is in them, whether lintian and systemd take them, what shells complete, and
whether a program can be built against the library.

    debian_test.py BUILD CAIRN SOURCE
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CAIRN, SOURCE = sys.argv[1:4]
EXPOSURE_MAX = 1.5
SHARED = "libcairn-objects0.1"
FILES = {
    "usr/bin/cairn": 0o755, "etc/cairn/cairn.yaml": 0o644, "etc/cairn/conf.d": 0o755,
    "usr/lib/systemd/system/cairn.service": 0o644, "usr/lib/sysusers.d/cairn.conf": 0o644,
    "usr/lib/tmpfiles.d/cairn.conf": 0o644, "usr/share/man/man1/cairn.1.gz": 0o644,
    "usr/share/man/man5/cairn.yaml.5.gz": 0o644, "usr/share/bash-completion/completions/cairn": 0o644,
    "usr/share/zsh/vendor-completions/_cairn": 0o644, "usr/share/fish/vendor_completions.d/cairn.fish": 0o644,
    "usr/share/cairn/models/cairn-mini/model.safetensors": 0o644, "usr/share/doc/cairn/copyright": 0o644,
}


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="cairn-debian-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.packages = cls.made("one")
        cls.tree = os.path.join(cls.folder, "tree")
        run("dpkg-deb", "-x", cls.packages["cairn"], cls.tree)

    @classmethod
    def made(cls, name):
        place = os.path.join(cls.folder, name)
        run("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", place,
            env=dict(os.environ, SOURCE_DATE_EPOCH="1790000000"))
        made = [os.path.join(place, file) for file in os.listdir(place) if file.endswith(".deb")]
        return {run("dpkg-deb", "-f", package, "Package").strip(): package for package in made}

    def test_which(self):
        self.assertEqual(sorted(self.packages), ["cairn", "cairn-doc", "libcairn-objects-dev", SHARED])
        for name, package in self.packages.items():
            files = run("dpkg-deb", "-c", package)
            for document in ("copyright", "changelog.gz", "CHANGELOG.md.gz"):
                self.assertIn(f"./usr/share/doc/{name}/{document}\n", files)
        program = run("dpkg-deb", "-c", self.packages["cairn"])
        for file in ("prometheus.yml", "cairn.rules.yml", "grafana-board.json"):
            self.assertIn(f"./usr/share/doc/cairn/examples/monitoring/{file}\n", program)
        documents = run("dpkg-deb", "-c", self.packages["cairn-doc"])
        self.assertNotIn("node_modules", documents)
        for file in ("docs/quickstart.md", "docs/operating/install.md", "examples/cpp/README.md"):
            self.assertIn(f"./usr/share/doc/cairn-doc/{file}\n", documents)

    def test_library(self):
        tree = os.path.join(self.folder, "library")
        for name in (SHARED, "libcairn-objects-dev"):
            run("dpkg-deb", "-x", self.packages[name], tree)
        control = os.path.join(self.folder, "control")
        run("dpkg-deb", "-e", self.packages[SHARED], control)
        with open(os.path.join(control, "shlibs")) as file:
            self.assertIn(SHARED, file.read())
        with open(os.path.join(control, "triggers")) as file:
            self.assertIn("ldconfig", file.read())
        (place,) = [os.path.join(tree, "usr/lib", name) for name in os.listdir(os.path.join(tree, "usr/lib"))
                    if name.endswith("-linux-gnu")]
        library = os.path.join(place, "libcairn-objects.so")
        self.assertIn("[libcairn-objects.so.0.1]", run("readelf", "-d", library))
        shown = [line.split()[-1] for line in run("nm", "-DC", "--defined-only", library).splitlines()]
        names = run("nm", "-D", "--defined-only", library).split()[2::3]
        self.assertTrue(all(name.endswith("@@CAIRN_OBJECTS_0.1") or name == "CAIRN_OBJECTS_0.1"
                            for name in names), names[:3])
        self.assertFalse([name for name in shown if re.search("simdjson|pugi|fmt::", name)][:3])
        program = os.path.join(self.folder, "presign")
        flags = run("pkg-config", "--define-variable=prefix=" + os.path.join(tree, "usr"), "--cflags", "--libs",
                    "cairn-objects", env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(place, "pkgconfig"))).split()
        run("g++", "-std=c++20", "-o", program, os.path.join(SOURCE, "examples/cpp/presign.cc"), *flags)
        self.assertIn("[libcairn-objects.so.0.1]", run("readelf", "-d", program))
        environment = {"LD_LIBRARY_PATH": place, "HOME": self.folder,
                       "AWS_EC2_METADATA_DISABLED": "true"}
        keys = {"AWS_ACCESS_KEY_ID": "one", "AWS_SECRET_ACCESS_KEY": "two", "AWS_REGION": "eu-west-1"}
        self.assertIn("X-Amz-Signature=", run(program, "books", "a", "get", env={**environment, **keys}))
        # What the library throws is caught by its type.
        done = subprocess.run([program, "books", "a", "get"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_files(self):
        for path, mode in FILES.items():
            with self.subTest(path):
                self.assertEqual(os.stat(os.path.join(self.tree, path)).st_mode & 0o777, mode)
        fields = run("dpkg-deb", "-f", self.packages["cairn"])
        self.assertIn("Package: cairn\n", fields)
        self.assertIn("libssl3", fields)
        # Nothing tells where it was built.
        with open(os.path.join(self.tree, "usr/bin/cairn"), "rb") as file:
            self.assertNotIn(os.path.abspath(BUILD).encode(), file.read())

    def test_same_bytes(self):
        again = self.made("two")
        for name, package in self.packages.items():
            with open(package, "rb") as one, open(again[name], "rb") as two:
                self.assertEqual(one.read(), two.read(), name)

    def test_lintian(self):
        said = run("lintian", "--allow-root", "--fail-on", "error,warning", *self.packages.values())
        self.assertEqual([line for line in said.splitlines() if re.match("[EW]: ", line)], [])

    def test_unit(self):
        # verify looks for the program where the unit says it is.
        unit = os.path.join(self.folder, "cairn.service")
        with open(os.path.join(self.tree, "usr/lib/systemd/system/cairn.service")) as file:
            text = file.read()
        with open(unit, "w") as file:
            file.write(text.replace("/usr/bin/cairn", os.path.join(self.tree, "usr/bin/cairn")))
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
        self.assertEqual([line for line in said.stderr.splitlines() if "cairn" in line], [])
        security = run("systemd-analyze", "security", "--offline=true", unit)
        exposure = float(re.search(r"exposure level for cairn.service: ([0-9.]+)", security).group(1))
        self.assertLessEqual(exposure, EXPOSURE_MAX)

    def test_settings(self):
        program = os.path.join(self.tree, "usr/bin/cairn")
        run(program, "config", "check", "--config", os.path.join(self.tree, "etc/cairn/cairn.yaml"))
        said = run(program, "config", "print", "--config", os.path.join(self.tree, "etc/cairn/cairn.yaml"))
        self.assertNotIn("cairn.yaml:", said)  # all of them are defaults

    def test_manual_pages(self):
        for page in ("man1/cairn.1.gz", "man5/cairn.yaml.5.gz"):
            path = os.path.join(self.tree, "usr/share/man", page)
            done = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True,
                                  env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertNotIn("\n.SH", done.stdout)
            for words in {"man1": ("cairn key create", "--expiration", "EXIT STATUS"),
                          "man5": ("listen.api", "127.0.0.1:9200")}[page[:4]]:
                self.assertIn(words, re.sub(".\b", "", done.stdout))

    def completed(self, *words):
        path = os.path.join(self.tree, "usr/share/bash-completion/completions/cairn")
        line = " ".join(f"'{word}'" for word in words)
        return run("bash", "-c", f"source {path}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _cairn; "
                   'printf "%s\n" "${COMPREPLY[@]}"').split()

    def test_bash(self):
        self.assertEqual(self.completed("cairn", "obj"), ["objects"])
        self.assertEqual(self.completed("cairn", "key", "cr"), ["create"])
        self.assertEqual(self.completed("cairn", "key", "create", "--exp"), ["--expiration"])
        self.assertEqual(self.completed("cairn", "add", "folder", "--wa"), ["--watch"])
        self.assertIn("--server", self.completed("cairn", "key", "list", "--"))
        self.assertEqual(self.completed("cairn", "add", "fol"), [])

    def test_other_shells(self):
        run("zsh", "-n", os.path.join(self.tree, "usr/share/zsh/vendor-completions/_cairn"))
        fish = os.path.join(self.tree, "usr/share/fish/vendor_completions.d/cairn.fish")
        for words, wanted in (("cairn key cr", "create"), ("cairn key create --exp", "--expiration"),
                              ("cairn obj", "objects")):
            said = run("fish", "--no-config", "-c", f"source {fish}; complete -C '{words}'",
                       env=dict(os.environ, HOME=self.folder))
            self.assertIn(wanted, said.split())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
