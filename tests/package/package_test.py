#!/usr/bin/env python3
"""libcairn-objects is installed into a folder of its own; the examples are built against it with
CMake and with pkg-config, and run against `cairn serve`.

    package_test.py CMAKE BUILD SOURCE CAIRN COMPILER BYTES

BYTES is what the stripped archive may have; 0 for builds that nobody ships.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

CMAKE, BUILD, SOURCE, CAIRN, COMPILER, BYTES_MAX = sys.argv[1:7]
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from cairn_server import Cairn  # noqa: E402

# What a public header may not bring along.
FORBIDDEN = re.compile(r"boost|simdjson|pugi|fmt/|openssl|rapidjson|nlohmann|zstd|zlib|isa-l")


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def documented(language):
    """The blocks of a language in the section of the library's page."""
    with open(os.path.join(SOURCE, "docs/reference/object-client.md")) as file:
        section = file.read().split("## Use it in your program")[1].split("\n## ")[0]
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S))


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="cairn-package-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = os.path.join(os.path.realpath(cls.folder), "prefix")
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix, "--component", "objects")
        cls.library = cls.find("libcairn-objects.a")
        os.environ["PKG_CONFIG_PATH"] = os.path.dirname(cls.find("cairn-objects.pc"))

    @classmethod
    def find(cls, name):
        for folder, _, files in os.walk(cls.prefix):
            if name in files:
                return os.path.join(folder, name)
        raise AssertionError(f"{name} was not installed")

    def flags(self, *what):
        return run("pkg-config", *what, "cairn-objects").split()

    def test_library_is_whole_and_small(self):
        # Every object is linked, so that whatever one of them needs must be there.
        source = os.path.join(self.folder, "whole.cc")
        with open(source, "w") as file:
            file.write("int main() {}\n")
        flags = self.flags("--static", "--libs")
        at = flags.index("-lcairn-objects")
        flags[at:at + 1] = ["-Wl,--whole-archive", "-lcairn-objects", "-Wl,--no-whole-archive"]
        run(COMPILER, source, "-o", os.path.join(self.folder, "whole"), *flags)

        stripped = os.path.join(self.folder, "stripped.a")
        run("strip", "--strip-unneeded", self.library, "-o", stripped)
        size = os.path.getsize(stripped)
        print(f"libcairn-objects.a: {size} bytes stripped")
        self.assertLessEqual(size, int(BYTES_MAX) or size)

    def test_headers(self):
        # Nothing but one folder stands where the headers of other libraries do.
        self.assertEqual(os.listdir(os.path.join(self.prefix, "include")), ["cairn"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.prefix, "include/cairn"))), ["objects", "ratelimit"])
        of_limits = sorted(os.listdir(os.path.join(self.prefix, "include/cairn/ratelimit")))
        self.assertEqual(of_limits, ["pacing.h", "retry.h"])
        include = os.path.join(self.prefix, "include")
        root = os.path.join(include, "cairn/objects")
        installed = {os.path.relpath(os.path.join(folder, name), root)
                     for folder, _, files in os.walk(root) for name in files}
        source = os.path.join(self.folder, "headers.cc")
        with open(source, "w") as file:
            file.writelines(f"#include <cairn/objects/{name}>\n" for name in sorted(installed))
            file.writelines(f"#include <cairn/ratelimit/{name}>\n" for name in of_limits)
        done = subprocess.run([COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                               "-H", "-fsyntax-only", source, *self.flags("--cflags")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        reached = {os.path.normpath(line.lstrip(".").strip()) for line in done.stderr.splitlines()
                   if line.startswith(".")}
        self.assertTrue(os.path.join(root, "client.h") in reached)
        self.assertEqual([name for name in reached if FORBIDDEN.search(name)], [])
        self.assertEqual([name for name in reached if name.startswith(SOURCE)], [])

        # And no more than the documented ones and what they include.
        with open(os.path.join(SOURCE, "src/objectclient/README.md")) as file:
            table = file.read().split("## How a call goes")[0]
        wanted = set(re.findall(r"`(\w+\.h)`", table))
        self.assertGreaterEqual(installed, wanted)
        for name in of_limits:
            with open(os.path.join(root, "../ratelimit", name)) as file:
                wanted |= self.closure(root, file.read(), wanted)
        for name in sorted(wanted):
            with open(os.path.join(root, name)) as file:
                wanted |= self.closure(root, file.read(), wanted)
        self.assertEqual(sorted(installed - wanted), [])

    def closure(self, root, text, known):
        found = set()
        for name in re.findall(r'^#include "cairn/objects/(.+)"', text, re.M):
            if name not in known | found:
                found.add(name)
                with open(os.path.join(root, name)) as file:
                    found |= self.closure(root, file.read(), known | found)
        return found

    def test_a_program_with_headers_of_the_same_names(self):
        # Its own base/result.h and os/clock.h are found first, and are the only ones of these names.
        own = os.path.join(self.folder, "own")
        for name, text in (("base/result.h", "inline int own_result() { return 1; }\n"),
                           ("os/clock.h", "inline int own_clock() { return 2; }\n"),
                           ("objectclient/client.h", "inline int own_client() { return 3; }\n")):
            path = os.path.join(own, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write("#pragma once\n" + text)
        source = os.path.join(own, "program.cc")
        with open(source, "w") as file:
            file.write('#include "base/result.h"\n#include "os/clock.h"\n'
                       '#include "objectclient/client.h"\n'
                       "#include <cairn/objects/client.h>\n#include <cairn/objects/streams.h>\n"
                       "#include <cairn/objects/transfer.h>\n"
                       "int main() {\n"
                       "  cairn::objectclient::Client client({.stub_responses = true});\n"
                       "  client.head_bucket({.bucket = \"b\"}).or_throw();\n"
                       "  return own_result() + own_clock() + own_client() == 6 ? 0 : 1;\n}\n")
        for order in ([f"-I{own}", *self.flags("--cflags")], [*self.flags("--cflags"), f"-I{own}"]):
            program = os.path.join(own, "program")
            run(COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", source, "-o", program, *order,
                *self.flags("--static", "--libs"))
            run(program)

    def test_documented_program(self):
        # Designated initialisers stand in one order only: the documents' own compile.
        with open(os.path.join(SOURCE, "docs/reference/object-client.md")) as file:
            section = file.read().split("## Parameters and options by name")[1].split("\n## ")[0]
        source = os.path.join(self.folder, "documented.cc")
        with open(source, "w") as file:
            file.writelines(re.findall(r"^```cpp\n(.*?)^```", section, re.M | re.S))
        run(COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
            source, *self.flags("--cflags"))

    def test_alone(self):
        # Configured as a stranger does who wants the library and nothing else.
        build = os.path.join(self.folder, "alone")
        run(CMAKE, "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCAIRN_ONLY=objects",
            f"-DCMAKE_CXX_COMPILER={COMPILER}")
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        self.assertIn("libcairn-objects.a", targets)
        for other in ("rocksdb", "objectstore", "search", "inference", "_test"):
            self.assertNotIn(other, targets)


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Package.setUpClass()
        cls.folder = Package.folder
        cls.addClassCleanup(Package.doClassCleanups)
        cls.build = os.path.join(cls.folder, "examples")
        run(CMAKE, "-S", os.path.join(SOURCE, "examples/cpp"), "-B", cls.build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={Package.prefix}", f"-DCMAKE_CXX_COMPILER={COMPILER}")
        run("ninja", "-j2", "-C", cls.build)
        cls.cairn = Cairn(CAIRN).start()
        cls.addClassCleanup(shutil.rmtree, cls.cairn.folder)
        cls.addClassCleanup(cls.cairn.stop)
        with open(os.path.join(cls.cairn.data, "keys/admin-s3.json")) as file:
            pair = json.load(file)
        cls.environment = dict(
            os.environ, HOME=cls.folder, AWS_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true",
            AWS_ENDPOINT_URL_S3=cls.cairn.objects, AWS_ACCESS_KEY_ID=pair["access_key_id"],
            AWS_SECRET_ACCESS_KEY=pair["secret_access_key"])
        cls.environment.pop("AWS_PROFILE", None)
        # Its bucket is made with the library too, by the one program that pkg-config built.
        cls.by_pkg_config()

    @classmethod
    def by_pkg_config(cls):
        with open(os.path.join(cls.folder, "program.cc"), "w") as file:
            file.write("#include <cairn/objects/client.h>\n"
                       "int main(int, char** words) {\n"
                       "  const cairn::objectclient::Client client;\n"
                       "  client.create_bucket({.bucket = words[1]}).or_throw();\n}\n")
        line = re.search(r"^g\+\+ (.+pkg-config.+)$", documented("sh"), re.M)[1]
        run("bash", "-c", COMPILER + " " + line, cwd=cls.folder)
        run(os.path.join(cls.folder, "program"), "examples", env=cls.environment)

    def test_documented_cmake(self):
        # The lines are those of the examples, which were built with them.
        with open(os.path.join(SOURCE, "examples/cpp/CMakeLists.txt")) as file:
            project = file.read()
        for line in documented("cmake").splitlines():
            words = line.split("#")[0].strip().replace("program ", "${program} ")
            self.assertIn(words, project)

    def example(self, name, *words):
        return run(os.path.join(self.build, name), *words, env=self.environment)

    def expect(self, printed, *lines):
        """Each line is a pattern for a line, in this order, and there are no others."""
        self.assertRegex(printed, r"\A" + "".join(line + r"\n" for line in lines) + r"\Z")

    def test_polite_client(self):
        # The rules for clients of limits, over libcurl: three requests in a window of two seconds are all there is.
        build = os.path.join(self.folder, "polite")
        run(CMAKE, "-S", os.path.join(SOURCE, "examples/limits"), "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={Package.prefix}", f"-DCMAKE_CXX_COMPILER={COMPILER}")
        run("ninja", "-C", build)
        cairn = Cairn(CAIRN)
        self.addCleanup(shutil.rmtree, cairn.folder)
        settings = os.path.join(cairn.folder, "cairn.yaml")
        with open(settings, "w") as file:
            json.dump({"rate_limit": {"time": {"hour_s": 2}, "plans": {"user": 3}}}, file)
        cairn.start("--config", settings)
        self.addCleanup(cairn.stop)
        key = cairn.ok("POST", "/_security/api_key", {
            "name": "polite", "role_descriptors": {"r": {"cluster": ["monitor"]}}})["encoded"]
        printed = run(os.path.join(build, "polite_client"), cairn.api + "/_cluster/health", "7", "ApiKey " + key)
        lines = printed.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["200"] * 7, printed)
        # Windows are seen before they are empty: at most one refusal for each.
        self.assertLessEqual(int(lines[-1].split()[2]), 7 + 4, printed)
        refused = run(os.path.join(build, "polite_client"), cairn.api + "/no/such/path/here", "1", "ApiKey " + key)
        self.assertRegex(refused, "^400 after ")

    def test_put_get(self):
        self.expect(self.example("put_get", "examples"),
                    r'put greetings/hello.txt, etag "[0-9a-f]{32}"',
                    r'got "Hello, storage!", language en, checked by CRC32',
                    r"counted 15 bytes", r"listed greetings/hello.txt, 15 bytes", r"deleted")

    def test_multipart_upload(self):
        path = os.path.join(self.folder, "large")
        piece = os.urandom(1 << 20)
        with open(path, "wb") as file:
            for number in range(12):
                file.write(bytes([number]) + piece[1:])
        self.expect(self.example("multipart_upload", "examples", path),
                    r'uploaded 12582912 bytes in 3 parts, etag "[0-9a-f]{32}-3"',
                    r"downloaded 12582912 bytes",
                    r"sent part 1", r"sent part 2", r"sent part 3",
                    r'completed, etag "[0-9a-f]{32}-3"')
        with open(path, "rb") as sent, open(path + ".copy", "rb") as got:
            self.assertTrue(sent.read() == got.read())

    def test_copy_with_conditions(self):
        self.expect(self.example("copy_with_conditions", "examples"),
                    "first claim: ours", "second claim: taken", "counted to 1",
                    "copied what was seen", "not copied, as it has changed: PreconditionFailed")

    def test_presign(self):
        put = self.example("presign", "examples", "for/somebody", "put").strip()
        request = urllib.request.Request(put, data=b"without credentials", method="PUT")
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.assertEqual(answer.status, 200)
        get = self.example("presign", "examples", "for/somebody", "get").strip()
        with urllib.request.urlopen(get, timeout=60) as answer:
            self.assertEqual(answer.read(), b"without credentials")

    def test_retry_and_errors(self):
        self.expect(self.example("retry_and_errors", "examples"),
                    r"no object no/such/key \(status 404\)", "the service says NoSuchBucket",
                    "nothing was sent: an argument is wrong", "head: (NotFound|NoSuchKey|404)",
                    "no answer after 4 attempts", "the deadline passed")

    def test_stub_in_tests(self):
        self.expect(self.example("stub_in_tests"), *["ok      .*"] * 3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
