#!/usr/bin/env python3
"""What a container has without its runtime: the file system that the Containerfile makes, Cairn in it as the user
that the image names, and manifests that fit what the program takes.

    container_test.py SOURCE CAIRN
"""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

SOURCE, CAIRN = (os.path.abspath(path) for path in sys.argv[1:3])
PACKAGING = os.path.join(SOURCE, "packaging")
START_S = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def instructions():
    """Pairs of word and rest, of the last stage of the Containerfile."""
    with open(os.path.join(PACKAGING, "container/Containerfile")) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    pairs = [tuple(line.split(None, 1)) for line in lines]
    last = max(i for i, pair in enumerate(pairs) if pair[0] == "FROM")
    return pairs[:last], pairs[last:]


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="cairn-container-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.chmod(cls.folder, 0o755)
        cls.root = os.path.join(cls.folder, "root")
        run(os.path.join(PACKAGING, "container/root.sh"), CAIRN, os.path.join(SOURCE, "models"), cls.root)
        build, image = instructions()
        cls.build, cls.image = build, dict(image)
        cls.user = cls.image["USER"]

    def inside(self, *command, environment=None):
        """The words of a command that runs in the image, in namespaces of its own, as its user."""
        given = dict(pair.split("=", 1) for pair in self.image["ENV"].split())
        given.update(environment or {})
        variables = " ".join(f"{name}={value}" for name, value in given.items())
        script = (f"mount -t proc proc {self.root}/proc && exec env -i {variables} "
                  f"/usr/sbin/chroot --userspec={self.user} {self.root} {' '.join(command)}")
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]

    def test_nothing_else_is_in_it(self):
        programs = os.listdir(os.path.join(self.root, "usr/bin"))
        self.assertEqual(sorted(programs), ["cairn", "pdftotext"])
        for folder, folders, files in os.walk(self.root):
            for name in folders + files:
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                self.assertFalse(stat.S_ISLNK(mode), path)
                self.assertFalse(mode & (stat.S_ISUID | stat.S_ISGID), path)
                if path != os.path.join(self.root, "tmp"):
                    self.assertFalse(mode & 0o022, path)
        user, group = (int(part) for part in self.user.split(":"))
        data = os.stat(os.path.join(self.root, "data"))
        self.assertEqual((data.st_uid, data.st_gid, stat.S_IMODE(data.st_mode)), (user, group, 0o750))
        self.assertNotEqual(user, 0)

    def test_what_it_copies_is_there(self):
        text = " ".join(rest for _, rest in self.build)
        for path in ("packaging/container/root.sh", "tools/setup.sh", "models"):
            self.assertIn(path, text)
            self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), path)
        self.assertEqual(self.image["COPY"], "--from=build /image /")
        self.assertEqual(json.loads(self.image["ENTRYPOINT"]), ["/usr/bin/cairn"])
        self.assertIn("/usr/bin/cairn", self.image["HEALTHCHECK"])

    @unittest.skipUnless(os.geteuid() == 0, "namespaces and chroot need root")
    def test_it_runs(self):
        self.assertIn("cairn ", run(*self.inside("/usr/bin/cairn", "version")))
        run(*self.inside("/usr/bin/pdftotext", "-v"))
        refused = subprocess.run(self.inside("/usr/bin/cairn", "serve"), capture_output=True, text=True)
        self.assertEqual(refused.returncode, 78, refused.stderr)  # everybody could listen in
        self.assertIn("listen.allow_plaintext", refused.stderr)
        api, objects = free_port(), free_port()
        environment = {"CAIRN_LISTEN__API": f"127.0.0.1:{api}", "CAIRN_LISTEN__OBJECTS": f"127.0.0.1:{objects}",
                       "CAIRN_SERVER": f"http://127.0.0.1:{api}"}
        server = subprocess.Popen(self.inside("/usr/bin/cairn", "serve", environment=environment),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            health = self.inside("/usr/bin/cairn", "health", environment=environment)
            until = time.monotonic() + START_S
            while subprocess.run(health, capture_output=True).returncode != 0:
                self.assertIsNone(server.poll(), server.poll() is not None and server.stderr.read())
                self.assertLess(time.monotonic(), until)
                time.sleep(0.1)
            self.assertEqual(run(*health), "ready\n")
            key = run(*self.inside("/usr/bin/cairn", "key", "create", "--name", "me", "--cluster", "all",
                                   "--key-file", "/data/keys/admin.key", environment=environment)).strip()
            self.assertTrue(key)
        finally:
            # unshare itself takes no SIGTERM; what it started is the first process of its namespace.
            with open(f"/proc/{server.pid}/task/{server.pid}/children") as file:
                for child in file.read().split():
                    os.kill(int(child), signal.SIGTERM)
            server.communicate(timeout=60)
            self.assertEqual(server.returncode, 0)
        self.assertNotEqual(subprocess.run(health, capture_output=True).returncode, 0)


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kinds = {}
        folder = os.path.join(PACKAGING, "kubernetes")
        with open(os.path.join(folder, "kustomization.yaml")) as file:
            cls.kustomization = yaml.safe_load(file)
        for name in cls.kustomization["resources"]:
            with open(os.path.join(folder, name)) as file:
                for one in yaml.safe_load_all(file):
                    cls.kinds[one["kind"]] = one
        cls.listed = sorted(cls.kustomization["resources"] + ["kustomization.yaml"])
        cls.there = sorted(os.listdir(folder))
        cls.pod = cls.kinds["StatefulSet"]["spec"]["template"]
        (cls.container,) = cls.pod["spec"]["containers"]

    def test_all_files_are_used(self):
        self.assertEqual(self.listed, self.there)

    def test_names_meet(self):
        labels = self.pod["metadata"]["labels"]
        for selector in (self.kinds["StatefulSet"]["spec"]["selector"]["matchLabels"],
                         self.kinds["Service"]["spec"]["selector"],
                         self.kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]):
            self.assertEqual(selector, labels)
        self.assertEqual(self.kinds["StatefulSet"]["spec"]["serviceName"], self.kinds["Service"]["metadata"]["name"])
        ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}
        for port in self.kinds["Service"]["spec"]["ports"]:
            self.assertEqual(ports[port["targetPort"]], port["port"])
        for rule in self.kinds["NetworkPolicy"]["spec"]["ingress"]:
            self.assertEqual({port["port"] for port in rule["ports"]}, set(ports))
        volumes = {volume["name"] for volume in self.pod["spec"]["volumes"]}
        volumes |= {claim["metadata"]["name"] for claim in self.kinds["StatefulSet"]["spec"]["volumeClaimTemplates"]}
        self.assertEqual({mount["name"] for mount in self.container["volumeMounts"]}, volumes)
        images = [image["name"] for image in self.kustomization["images"]]
        self.assertEqual(images, [self.container["image"]])
        with open(os.path.join(SOURCE, "CMakeLists.txt")) as file:
            version = re.search(r"project\(cairn VERSION ([0-9.]+)", file.read()).group(1)
        self.assertEqual(self.kustomization["images"][0]["newTag"], version)

    def test_probes_are_routes(self):
        routes = {route["path"] for route in json.loads(run(CAIRN, "routes", "--json"))["routes"]}
        for name in ("startupProbe", "readinessProbe", "livenessProbe"):
            probe = self.container[name]["httpGet"]
            self.assertIn(probe["path"], routes)
            self.assertEqual((probe["port"], probe["scheme"]), ("api", "HTTPS"))

    def test_the_program_takes_the_settings(self):
        settings = self.kinds["ConfigMap"]["data"]["cairn.yaml"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cairn.yaml")
            with open(path, "w") as file:
                file.write(settings)
            run(CAIRN, "config", "check", "--config", path)
        said = yaml.safe_load(settings)
        mounts = {mount["mountPath"] for mount in self.container["volumeMounts"]}
        self.assertIn(said["data.dir"], mounts)
        self.assertIn(os.path.dirname(said["tls.certificate"]), mounts)
        for key, port in (("listen.api", 9200), ("listen.objects", 9000)):
            self.assertTrue(said[key].endswith(f":{port}"))

    def test_the_pod_may_do_little(self):
        security = self.pod["spec"]["securityContext"]
        _, image = instructions()
        user = int(dict(image)["USER"].split(":")[0])
        self.assertEqual((security["runAsNonRoot"], security["runAsUser"], security["fsGroup"]), (True, user, user))
        self.assertEqual(security["seccompProfile"]["type"], "RuntimeDefault")
        own = self.container["securityContext"]
        self.assertEqual((own["allowPrivilegeEscalation"], own["readOnlyRootFilesystem"], own["capabilities"]["drop"]),
                         (False, True, ["ALL"]))
        self.assertEqual(self.kinds["StatefulSet"]["spec"]["replicas"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
