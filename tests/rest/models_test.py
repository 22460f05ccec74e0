#!/usr/bin/env python3
"""Models on their way into a running Cairn: imported by the command line from a folder, an address
and a bucket; downloaded from configured sources, over breaks and kill -9; refused where they are
damaged, unknown or in the way; removed.

    models_test.py CAIRN
"""

import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402

SHIPPED = os.path.join(os.path.dirname(os.path.dirname(HERE)), "models", "cairn-mini")
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
BINARY = ""


def write_sums(folder, names=None):
    lines = []
    for name in names or sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            lines.append(hashlib.sha256(file.read()).hexdigest() + "  " + name + "\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w") as file:
        file.writelines(lines)


def make_model(parent, name, sums=True):
    """A copy of the shipped model with a description of its own."""
    folder = os.path.join(parent, name)
    os.makedirs(folder)
    for file in FILES:
        shutil.copy(os.path.join(SHIPPED, file), folder)
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    config["description"] = "made for a test: " + name
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    with open(os.path.join(folder, "LICENSE"), "w") as file:
        file.write("The licence of " + name + "\n")
    if sums:
        write_sums(folder)
    return folder


class Source(http.server.ThreadingHTTPServer):
    """Serves a folder with ranges. `budget`: bytes of bodies until it holds still."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, root, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.root = root
        self.changed = threading.Condition()
        self.budget = None
        self.served = 0
        self.ranges = []
        self.headers_seen = []
        self.gone = False
        self.has_etags = False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_port}/models"

    def allow(self, budget):
        with self.changed:
            self.budget = budget
            self.changed.notify_all()

    def take(self, count):
        """Waits until so many bytes may go out."""
        with self.changed:
            while self.budget is not None and self.budget < count and not self.gone:
                self.changed.wait()
            if self.gone:
                raise ConnectionError("the source went away")
            if self.budget is not None:
                self.budget -= count
            self.served += count
            self.changed.notify_all()

    def wait_served(self, count):
        with self.changed:
            while self.served < count:
                self.changed.wait()

    def close(self):
        """Connections break, and new ones are refused."""
        self.shutdown()
        self.server_close()
        with self.changed:
            self.gone = True
            self.changed.notify_all()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, with_body):
        if self.server.gone:
            self.close_connection = True
            return
        self.server.headers_seen.append(dict(self.headers))
        path = os.path.join(self.server.root, self.path.removeprefix("/models/"))
        if not self.path.startswith("/models/") or not os.path.isfile(path):
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        with open(path, "rb") as file:
            data = file.read()
        begin = 0
        etag = '"' + hashlib.sha256(data).hexdigest() + '"' if self.server.has_etags else None
        if etag and self.headers.get("If-None-Match") == etag:
            self.send_response(304)
            self.end_headers()
            return
        wanted = self.headers.get("Range")
        if wanted and "If-Range" in self.headers and self.headers["If-Range"] != etag:
            wanted = None
        if wanted and with_body:
            begin = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.server.ranges.append((self.path, begin))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        if etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        if not with_body:
            return
        try:
            for at in range(begin, len(data), 65536):
                part = data[at:at + 65536]
                self.server.take(len(part))
                self.wfile.write(part)
        except OSError:
            self.close_connection = True

    def do_GET(self):
        self.answer(True)

    def do_HEAD(self):
        self.answer(False)


def body(model, **more):
    return {"service": "cairn",
            "service_settings": {"model_id": model, "num_threads": 1, "num_allocations": 1, **more}}


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-models-")
        self.cairn = Cairn(BINARY)
        self.sources = []

    def tearDown(self):
        if self.cairn.process is not None and self.cairn.process.poll() is None:
            self.cairn.stop()
        for source in self.sources:
            source.close()
        shutil.rmtree(self.folder)
        shutil.rmtree(self.cairn.folder)

    def source(self, root, port=0):
        made = Source(root, port)
        self.sources.append(made)
        return made

    def cli_command(self, *words):
        return [BINARY, "model", *words, "--server", self.cairn.api, "--key-file",
                os.path.join(self.cairn.data, "keys/admin.key")]

    def cli_environment(self, environment=None):
        return dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"),
                    **(environment or {}))

    def cli(self, *words, environment=None):
        done = subprocess.run(self.cli_command(*words), capture_output=True, text=True, timeout=300,
                              env=self.cli_environment(environment))
        return done.returncode, done.stdout, done.stderr

    def wait_for(self, what, look):
        until = time.monotonic() + 60
        while True:
            found = look()
            if found:
                return found
            if time.monotonic() > until:
                self.fail(f"{what} did not come: {found}\n{self.cairn.log_tail()}")
            time.sleep(0.02)

    def deployment(self, model):
        status, answer = self.cairn.request("GET", f"/_ml/trained_models/{model}/_stats")
        if status != 200:
            return {}
        return answer["trained_model_stats"][0].get("deployment_stats", {})

    def embed(self, endpoint):
        return self.cairn.ok("POST", "/_inference/" + endpoint,
                             {"input": "a ship at sea"})["text_embedding"][0]["embedding"]

    def test_import_folder_list_use_remove(self):
        self.cairn.start()
        folder = make_model(self.folder, "Ship_Model", sums=False)
        with open(os.path.join(folder, "pytorch_model.bin"), "w") as file:
            file.write("not read")
        status, out, err = self.cli("import", folder)
        self.assertEqual((status, out), (0, "ship_model\n"), err)
        self.assertIn("The licence of Ship_Model", err)
        self.assertIn("pytorch_model.bin", err)
        status, out, err = self.cli("import", folder)
        self.assertEqual(status, 0)
        self.assertIn("in the store already", err)
        self.assertIn("ship_model\tcairn-static\t", self.cli("list")[1])
        made = self.cairn.ok("PUT", "/_inference/text_embedding/ships", body("ship_model"))
        self.assertEqual(made["service_settings"]["model_id"], "ship_model")
        self.assertEqual(self.deployment("ship_model")["allocation_status"]["state"],
                         "fully_allocated")
        with_own = self.embed("ships")
        self.cairn.ok("PUT", "/_inference/text_embedding/shipped", body("cairn-mini"))
        self.assertEqual(with_own, self.embed("shipped"))
        self.assertIn("\tstarted\n", self.cli("list")[1])
        status, _, err = self.cli("remove", "ship_model")
        self.assertEqual(status, 1)
        self.assertIn("as it is still referenced by inference endpoints [ships]", err)
        self.cairn.kill()
        self.cairn.start()
        self.assertEqual(with_own, self.embed("ships"))
        self.cairn.ok("DELETE", "/_inference/ships")
        self.assertEqual(self.cli("remove", "ship_model")[0], 0)
        self.assertNotIn("ship_model", self.cli("list")[1])
        self.assertEqual(self.cli("remove", "ship_model")[0], 1)

    def test_forced_removal_stops_deployments(self):
        self.cairn.start()
        self.assertEqual(self.cli("import", make_model(self.folder, "m"))[0], 0)
        self.cairn.ok("PUT", "/_inference/text_embedding/e", body("m"))
        self.assertEqual(self.cli("remove", "m", "--force")[0], 0)
        self.assertEqual(self.deployment("m"), {})
        status, answer = self.cairn.request("POST", "/_inference/e", {"input": "x"})
        self.assertEqual(status, 503, answer)
        self.assertEqual(self.cli("import", os.path.join(self.folder, "m"))[0], 0)

    def test_second_endpoint_is_warned_about(self):
        self.cairn.start()
        self.assertEqual(self.cli("import", make_model(self.folder, "m"))[0], 0)

        def warning(endpoint, model):
            connection = self.cairn.connect()
            connection.request("PUT", "/_inference/text_embedding/" + endpoint,
                               json.dumps(body(model)),
                               {"Authorization": "ApiKey " + self.cairn.key,
                                "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, 200)
            connection.close()
            return answer.headers.get("Warning")
        self.assertIsNone(warning("a", "m"))
        self.assertTrue(warning("b", "m").startswith(
            '299 Elasticsearch-9.1.0 "Inference endpoint [a] already runs model [m].'))
        self.assertIsNone(warning("c", "cairn-mini"))
        self.assertIsNone(warning("d", "cairn-mini"))

    def test_import_refuses_what_is_no_model(self):
        self.cairn.start()

        def refusal(change, *words):
            folder = make_model(self.folder, "m", sums=False)
            change(folder)
            status, _, err = self.cli("import", folder, *words)
            shutil.rmtree(folder)
            self.assertNotEqual(status, 0)
            return err

        def damage(name, at=0, text=b"?"):
            def change(folder):
                with open(os.path.join(folder, name), "r+b") as file:
                    file.seek(at)
                    file.write(text)
            return change

        self.assertIn("config.json", refusal(lambda f: os.remove(f + "/config.json")))
        self.assertIn("no tokenizer.json", refusal(lambda f: os.remove(f + "/tokenizer.json")))
        self.assertIn("no model.safetensors", refusal(lambda f: os.remove(f + "/model.safetensors")))
        self.assertIn("tokenizer.json: ", refusal(damage("tokenizer.json")))
        self.assertIn("safetensors: the head", refusal(damage("model.safetensors", 7, b"\xff")))
        self.assertIn("matches an existing inference endpoint ID",
                      refusal(lambda _: None, "--id", ".cairn-dense"))
        self.assertIn("Invalid model_id", refusal(lambda _: None, "--id", "No"))
        self.assertIn("already exists with other files",
                      refusal(lambda _: None, "--id", "cairn-mini"))

        def wrong_sums(folder):
            write_sums(folder)
            damage("LICENSE")(folder)
        self.assertIn("does not match SHA256SUMS", refusal(wrong_sums))
        self.assertNotIn("\nm\t", "\n" + self.cli("list")[1])

    def test_import_from_an_address(self):
        self.cairn.start()
        make_model(self.folder, "listed")
        make_model(self.folder, "bare", sums=False)
        source = self.source(self.folder)
        for name in ("listed", "bare"):
            status, out, err = self.cli("import", source.url() + "/" + name)
            self.assertEqual((status, out), (0, name + "\n"), err)
        self.assertEqual(self.cli("import", source.url() + "/none")[0], 66)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "cache/cairn/models/listed")))

    def cut_import(self, source, address, count):
        """An import whose command is killed when so many bytes were sent."""
        source.allow(count - source.served)
        command = subprocess.Popen(self.cli_command("import", address), env=self.cli_environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        source.wait_served(count)
        # What was sent need not have arrived yet.
        part = os.path.join(self.folder, "cache/cairn/models/bare/model.safetensors.part")
        until = time.monotonic() + 60
        while not (os.path.exists(part) and os.path.getsize(part)) and time.monotonic() < until:
            time.sleep(0.005)
        command.kill()
        command.wait()
        source.allow(None)

    def test_import_from_an_address_goes_on_with_the_same_file_alone(self):
        self.cairn.start()
        folder = make_model(self.folder, "bare", sums=False)
        source = self.source(self.folder)
        source.has_etags = True
        weights = os.path.join(folder, "model.safetensors")
        small = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)
                    if name != "model.safetensors")
        half = small + 65536 * (os.path.getsize(weights) // 131072)
        address = source.url() + "/bare"
        self.cut_import(source, address, half)
        with open(weights, "r+b") as file:  # other numbers, as many of them
            file.seek(-4, os.SEEK_END)
            file.write(b"\0\0\0\0")
        source.ranges.clear()
        self.assertEqual(self.cli("import", address)[0], 0)
        self.assertEqual(source.ranges, [])
        self.assert_stored("bare", folder)

        # A file that is still the same is gone on with.
        self.assertEqual(self.cli("remove", "bare")[0], 0)
        self.cut_import(source, address, source.served + half)
        source.ranges.clear()
        self.assertEqual(self.cli("import", address)[0], 0)
        self.assertEqual([path for path, begin in source.ranges if begin > 0],
                         ["/models/bare/model.safetensors"])
        self.assert_stored("bare", folder)

    def assert_stored(self, model, folder):
        """The beginning of an import of the very same files says that there is nothing to do."""
        files = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            files.append({"name": name, "size_bytes": len(data),
                          "sha256": hashlib.sha256(data).hexdigest()})
        self.assertTrue(self.cairn.ok("PUT", "/_cairn/models/" + model, {"files": files})["complete"])

    def test_import_from_a_bucket(self):
        self.cairn.start()
        self.put_in_bucket(make_model(self.folder, "m"))
        status, out, err = self.cli("import", "s3://models/of/us/m", "--endpoint-url",
                                    self.cairn.objects, environment=self.object_keys())
        self.assertEqual((status, out), (0, "m\n"), err)
        self.cairn.ok("PUT", "/_inference/text_embedding/e", body("m"))

    def object_keys(self):
        with open(os.path.join(self.cairn.data, "keys/admin-s3.json")) as file:
            pair = json.load(file)
        return {"AWS_ACCESS_KEY_ID": pair["access_key_id"],
                "AWS_SECRET_ACCESS_KEY": pair["secret_access_key"]}

    def put_in_bucket(self, folder):
        environment = dict(os.environ, **self.object_keys())
        for words in (["mb", "s3://models"],
                      ["cp", "--recursive", folder, "s3://models/of/us/" + os.path.basename(folder)]):
            subprocess.run([BINARY, "objects", *words, "--endpoint-url", self.cairn.objects],
                           check=True, env=environment, capture_output=True, timeout=120)

    def test_source_is_a_bucket_and_kill_while_downloading(self):
        """A bucket that is not there yet, then a model of it; then a slow address, and kill -9."""
        make_model(self.folder, "far")
        source = self.source(self.folder)
        sources = "models.sources=s3://models/of/us," + source.url()
        self.cairn.start("--set", sources)
        status, answer = self.cairn.request("PUT", "/_inference/text_embedding/e?timeout=0",
                                            body("near"))
        self.assertEqual(status, 400, answer)
        self.assertIn("Source [s3://models/of/us] cannot be reached",
                      answer["error"]["reason"])
        self.put_in_bucket(make_model(os.path.join(self.folder, "elsewhere"), "near"))
        made = self.cairn.ok("PUT", "/_inference/text_embedding/e", body("near"))
        self.assertNotIn("deployment", made)
        self.assertEqual(len(self.embed("e")), made["service_settings"]["dimensions"])

        # More than one piece of 8 MiB, and not all.
        source.allow(9 << 20)
        status, answer = self.cairn.request("PUT", "/_inference/text_embedding/slow?timeout=200ms",
                                            body("far"))
        self.assertEqual(status, 502, answer)
        self.assertEqual(answer["error"]["type"], "model_deployment_timeout_exception")
        self.assertIn("Timed out after [200ms]", answer["error"]["reason"])

        def half():
            shown = self.cairn.ok("GET", "/_inference/slow")["endpoints"][0].get("deployment", {})
            return shown if shown.get("download_progress", {}).get("received_bytes", 0) > 8 << 20 \
                else None
        shown = self.wait_for("progress", half)
        self.assertEqual(shown["state"], "starting")
        progress = shown["download_progress"]
        self.assertEqual(progress["phase"], "downloading")
        self.assertEqual(progress["source"], source.url())
        self.assertGreater(progress["total_bytes"], progress["received_bytes"])
        self.assertEqual(self.deployment("slow")["download_progress"]["phase"], "downloading")
        self.assertEqual(self.deployment("slow")["allocation_status"]["state"], "starting")
        self.assertRegex(self.cli("list")[1], r"far\t.*\tdownloading \d+ %\n")
        status, answer = self.cairn.request("POST", "/_inference/slow?timeout=0", {"input": "x"})
        self.assertEqual(status, 408, answer)

        self.cairn.kill()
        before = source.served
        source.allow(None)
        self.cairn.start("--set", sources)
        # The same creation joins the wait.
        self.cairn.ok("PUT", "/_inference/text_embedding/slow?timeout=-1", body("far"))
        self.assertEqual(len(self.embed("slow")), made["service_settings"]["dimensions"])
        self.assertTrue(any(begin == 8 << 20 for _, begin in source.ranges), source.ranges)
        whole = sum(os.path.getsize(os.path.join(self.folder, "far", name))
                    for name in os.listdir(os.path.join(self.folder, "far")))
        self.assertLess(source.served - before, whole)
        self.assertFalse(any("Authorization" in seen for seen in source.headers_seen))
        with open(os.path.join(self.cairn.folder, "log")) as file:
            log = file.read()
        for event in ("model_download", "model_download_progress", "model_downloaded"):
            self.assertIn(f'"event":"{event}"', log)
        self.assertEqual(self.cairn.request("PUT", "/_inference/text_embedding/slow",
                                            body("far"))[0], 400)

    def test_source_is_a_bucket_of_another_cluster(self):
        far = Cairn(BINARY)
        far.start()
        try:
            near, self.cairn = self.cairn, far
            self.put_in_bucket(make_model(self.folder, "m"))
            keys = self.object_keys()
            self.cairn = near
            near.start("--set", "models.sources=s3://far@models/of/us",
                       "--set", "s3.client.far.endpoint=" + far.objects,
                       "--set", "s3.client.far.region=us-east-1")
            status, answer = near.request("PUT", "/_inference/text_embedding/e?timeout=0", body("m"))
            self.assertEqual(status, 400, answer)
            self.assertIn("s3 client [far] has no access_key", answer["error"]["reason"])
            path = os.path.join(near.data, "keys/s3-clients.json")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                json.dump({"far": {"access_key": keys["AWS_ACCESS_KEY_ID"],
                                   "secret_key": keys["AWS_SECRET_ACCESS_KEY"]}}, file)
            near.ok("PUT", "/_inference/text_embedding/e", body("m"))
            self.assertEqual(len(self.embed("e")), 224)
        finally:
            far.stop()
            shutil.rmtree(far.folder)

    def test_source_that_goes_away_is_waited_for(self):
        make_model(self.folder, "m")
        source = self.source(self.folder)
        port = source.server_port
        self.cairn.start("--set", "models.sources=" + source.url())
        source.allow(1 << 20)
        status, _ = self.cairn.request("PUT", "/_inference/text_embedding/e?timeout=0", body("m"))
        self.assertEqual(status, 200)
        source.wait_served(900_000)
        self.sources.remove(source)
        source.close()
        self.wait_for("a reason", lambda: "trying again in" in self.deployment("e").get("reason", ""))
        shown = self.cairn.ok("GET", "/_inference/e")["endpoints"][0]["deployment"]
        self.assertIn("source [" + source.url() + "]", shown["reason"])
        again = self.source(self.folder, port)
        self.wait_for("deployment", lambda: self.deployment("e").get("state") == "started")
        self.assertEqual(again.server_port, port)
        self.assertEqual(self.deployment("e")["allocation_status"]["state"], "fully_allocated")

    def test_wait_that_ends_is_408_where_that_is_set(self):
        make_model(self.folder, "m")
        source = self.source(self.folder)
        self.cairn.start("--set", "models.sources=" + source.url(),
                         "--set", "inference.creation_timeout_status=408")
        source.allow(1 << 20)
        for _ in range(2):  # the second joins
            status, answer = self.cairn.request(
                "PUT", "/_inference/text_embedding/e?timeout=100ms", body("m"))
            self.assertEqual((status, answer["status"]), (408, 408), answer)
            self.assertEqual(answer["error"]["type"], "model_deployment_timeout_exception")
            self.assertEqual(
                answer["error"]["reason"],
                "Timed out after [100ms] waiting for trained model deployment [e] to start. Use the "
                "trained model stats API to track the state of the deployment and try again once it "
                "has started.")
        source.allow(None)
        self.cairn.ok("PUT", "/_inference/text_embedding/e?timeout=-1", body("m"))

    def test_unknown_models_and_damage(self):
        make_model(self.folder, "bad")
        with open(os.path.join(self.folder, "bad/LICENSE"), "a") as file:
            file.write("more\n")
        source = self.source(self.folder)
        self.cairn.start("--set", "models.sources=" + source.url())
        status, answer = self.cairn.request("PUT", "/_inference/text_embedding/e", body("nobody"))
        self.assertEqual(status, 400)
        self.assertIn("model id does not match any models available", answer["error"]["reason"])
        status, answer = self.cairn.request("PUT", "/_inference/text_embedding/e?timeout=60s",
                                            body("bad"))
        self.assertEqual(status, 400, answer)
        self.assertIn("file [LICENSE]", answer["error"]["reason"])
        self.assertEqual(self.cairn.request("GET", "/_inference/e")[0], 404)
        self.assertNotIn("bad", self.cli("list")[1])

    def test_strange_sources_are_refused_at_the_start(self):
        done = subprocess.run([BINARY, "serve", "--data", os.path.join(self.folder, "d"), "--set",
                               "models.sources=ftp://x"], capture_output=True, text=True,
                              timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("models.sources: [ftp://x] is not understood", done.stderr)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
