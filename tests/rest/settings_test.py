#!/usr/bin/env python3
"""The settings of a running server: values, origins and places, over reloads by request and by SIGHUP; and that no
secret is shown.

    settings_test.py CAIRN
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402

# Each in another setting that can have a secret in it.
SECRETS = {name: f"s3cr3t{number:02d}x" for number, name in enumerate([
    "webhook path", "webhook query", "mail word", "seal word", "open word", "trace query", "access key", "secret key",
    "session token", "redis password", "endpoint query", "token endpoint query", "test token", "test app"])}


ISSUER_KEYS = os.path.join(tempfile.mkdtemp(prefix="cairn-issuer-"), "keys.json")


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


def config(level="info", user=5000, roots="", more=""):
    return f"""
log:
  level: {level}
connectors: {{ directory: {{ roots: [{roots}] }} }}
rate_limit:
  plans: {{ user: {user} }}
  store: {{ urls: ["redis://:{SECRETS["redis password"]}@127.0.0.1:9"] }}
  tokens: {{ {SECRETS["test token"]}: {{ kind: user, user: ann }} }}
  oauth_apps: {{ app: {{ secret: {SECRETS["test app"]} }} }}
messages:
  webhook:
    url: "https://hooks.example/{SECRETS["webhook path"]}?k={SECRETS["webhook query"]}"
  mail: {{ command: ["/bin/true", "{SECRETS["mail word"]}"], to: a@example.org }}
master_key:
  seal_command: [/bin/sh, -c, "cat # {SECRETS["seal word"]}"]
  open_command: [/bin/sh, -c, "cat # {SECRETS["open word"]}"]
models:
  sources:
    - "s3://default@models/m"
tracing: {{ url: "http://127.0.0.1:9/v1/traces?k={SECRETS["trace query"]}" }}
s3: {{ client: {{ default: {{ endpoint: "http://127.0.0.1:9/?k={SECRETS["endpoint query"]}" }} }} }}
oidc:
  issuer: "https://issuer.example"
  audience: us
  keys_file: "{ISSUER_KEYS}"
  roles_file: "{ISSUER_KEYS}.roles"
  authorization_endpoint: "https://issuer.example/a"
  token_endpoint: "https://issuer.example/t?k={SECRETS["token endpoint query"]}"
{more}"""


class Server:
    def __init__(self, binary):
        self.cairn = Cairn(binary, environment={
            "CAIRN_S3__CLIENT__DEFAULT__ACCESS_KEY": SECRETS["access key"],
            "CAIRN_S3__CLIENT__DEFAULT__SECRET_KEY": SECRETS["secret key"],
            "CAIRN_S3__CLIENT__DEFAULT__SESSION_TOKEN": SECRETS["session token"],
            "CAIRN_HTTP__MAX_CONNECTIONS": "2000"})
        self.file = os.path.join(self.cairn.folder, "cairn.yaml")
        good = {"keys": [{"kty": "RSA", "kid": "k", "alg": "RS256", "use": "sig", "e": "AQAB",
                          "n": base64.urlsafe_b64encode(b"\xff" * 256).decode().rstrip("=")}]}
        for name, content in ((ISSUER_KEYS, good), (ISSUER_KEYS + ".roles", {"staff": {"r": {"cluster": ["monitor"]}}})):
            with open(name, "w") as file:
                json.dump(content, file)

    def write(self, text):
        """Of another time, so that a look sees it too."""
        with open(self.file + ".new", "w") as file:
            file.write(text)
        os.replace(self.file + ".new", self.file)

    def start(self, *more):
        self.cairn.start("--config", self.file, "--set", "cluster.name=house", "--test-identities", *more)

    def settings(self):
        self.answer = self.cairn.ok("GET", "/_cairn/settings")
        return {one["name"]: one for one in self.answer["settings"]}

    def line_of(self, text):
        with open(self.file) as file:
            return next(f"{self.file}:{number}" for number, line in enumerate(file, 1) if line.strip().startswith(text))

    def reload(self):
        return self.cairn.ok("POST", "/_cairn/settings/_reload")


def shows_no_secret(server, *texts):
    for text in texts:
        for name, secret in SECRETS.items():
            assert secret not in text, f"{name} is shown"


def values_and_places(server):
    shown = server.settings()
    expect(server.answer["files"], [server.file], "files")
    expect({name: shown["cluster.name"][name] for name in ("value", "default", "origin", "where", "needs_restart")},
           {"value": "house", "default": "cairn", "origin": "flag", "where": "--set", "needs_restart": True}, "a flag")
    expect((shown["listen.api"]["origin"], shown["listen.api"]["where"]), ("flag", "--api-listen"), "a flag")
    expect((shown["http.max_connections"]["value"], shown["http.max_connections"]["origin"],
            shown["http.max_connections"]["where"]), ("2000", "environment", "CAIRN_HTTP__MAX_CONNECTIONS"), "a variable")
    expect((shown["log.level"]["value"], shown["log.level"]["origin"], shown["log.level"]["where"],
            shown["log.level"]["needs_restart"]), ("info", "file", server.line_of("level:"), False), "a line of a file")
    expect((shown["node.name"]["origin"], shown["node.name"]["where"]), ("default", ""), "a default")
    expect((shown["rate_limit.plans.user"]["value"], shown["rate_limit.plans.user"]["origin"],
            shown["rate_limit.plans.user"]["needs_restart"]), ("5000", "file", False), "a limit")
    expect(shown["rate_limit.max_identities"]["needs_restart"], True, "a bound of the limiter")
    # All that `config print` shows is there, and nothing else.
    printed = subprocess.run([server.cairn.binary, "config", "print", "--config", server.file,
                              "--test-identities"], check=True,
                             capture_output=True, text=True, env=server.cairn.environment).stdout
    expect(set(shown) ^ ({line.split()[0] for line in printed.splitlines()} - {"SETTING"}), set(), "names of only one of the two")
    for one in shown.values():
        assert one["secret"] or one["value"] != "(set)", one
    for name in ("messages.webhook.url", "messages.mail.command", "master_key.seal_command", "master_key.open_command",
                 "s3.client.default.access_key", "s3.client.default.secret_key", "s3.client.default.session_token"):
        expect((shown[name]["value"], shown[name]["secret"]), ("(set)", True), name)
    expect(shown["models.sources"]["value"], "s3://default@models/m", "sources")
    shows_no_secret(server, json.dumps(server.answer))


def of_the_cluster(server):
    for kind in ("persistent", "transient"):
        server.cairn.ok("PUT", "/_cluster/settings", {kind: {"log.level": "warn" if kind == "persistent" else "error"}})
        shown = server.settings()["log.level"]
        expect((shown["value"], shown["origin"], shown["where"]),
               ("warn" if kind == "persistent" else "error", "cluster", kind), kind)
    server.cairn.ok("PUT", "/_cluster/settings", {"persistent": {"log.level": None}, "transient": {"log.level": None}})
    expect(server.settings()["log.level"]["origin"], "file", "taken away")


def reloads(server):
    # A request may come after the look that each second brings; then nothing has changed any more.
    def reloaded(text):
        server.write(text)
        return server.reload()

    unchanged = server.reload()
    expect(unchanged, {"reloaded": True, "changed": [], "needs_restart": [], "faults": []}, "nothing new")
    folder = server.cairn.folder
    answer = reloaded(config("debug", 70, folder, "node: { name: other }\n"))
    expect((answer["reloaded"], answer["needs_restart"], answer["faults"]), (True, ["node.name"], []), answer)
    assert answer["changed"] in (["connectors.directory.roots", "log.level", "rate_limit.plans.user"], []), answer
    shown = server.settings()
    expect((shown["log.level"]["value"], shown["rate_limit.plans.user"]["value"],
            shown["connectors.directory.roots"]["value"], shown["node.name"]["origin"]),
           ("debug", "70", folder, "default"), "what is in use")
    # It is told again, since it is still not in use.
    expect(server.reload()["needs_restart"], ["node.name"], "again")
    # A fault leaves all as it is.
    answer = reloaded(config("loud", 60))
    expect((answer["reloaded"], answer["changed"], answer["needs_restart"]), (False, [], []), answer)
    expect([fault["what"] for fault in answer["faults"]], ["settings"], answer)
    assert "log.level" in answer["faults"][0]["reason"] and server.file in answer["faults"][0]["reason"], answer
    expect(server.settings()["rate_limit.plans.user"]["value"], "70", "after a fault")
    # A line that moved is where it is now; SIGHUP does the same.
    server.write("\n\n" + config("warn", 80, folder))
    server.cairn.process.send_signal(signal.SIGHUP)
    until = time.monotonic() + 30
    while server.settings()["rate_limit.plans.user"]["value"] != "80":
        assert time.monotonic() < until, "SIGHUP was not heeded"
        time.sleep(0.02)
    shown = server.settings()
    expect((shown["log.level"]["value"], shown["log.level"]["where"]), ("warn", server.line_of("level:")), "moved")
    os.makedirs(os.path.join(folder, "conf.d"))
    with open(os.path.join(folder, "conf.d/more.yaml"), "w") as file:
        file.write("log: { level: info }\n")
    server.reload()
    shown = server.settings()
    expect((shown["log.level"]["value"], shown["log.level"]["where"]), ("info", folder + "/conf.d/more.yaml:1"), "conf.d")
    expect(server.answer["files"], [server.file, folder + "/conf.d/more.yaml"], "files")
    shows_no_secret(server, json.dumps(server.answer), json.dumps(answer))


def rights(server):
    cairn = server.cairn
    role = {"cluster": ["monitor"]}
    key = cairn.ok("POST", "/_security/api_key", {"name": "few", "role_descriptors": {"r": role}})["encoded"]
    few, nobody = {"Authorization": "ApiKey " + key}, {"Authorization": ""}
    expect(cairn.request("GET", "/_cairn/settings", headers=few)[0], 200, "monitor")
    expect(cairn.request("POST", "/_cairn/settings/_reload", headers=few)[0], 403, "monitor reloads")
    for method, path in (("GET", "/_cairn/settings"), ("POST", "/_cairn/settings/_reload")):
        expect(cairn.request(method, path, headers=nobody)[0], 401, path)
        expect(cairn.request(method, path + "?file=/etc/passwd")[0], 400, path)
    expect(cairn.request("PUT", "/_cairn/settings", {})[0], 405, "PUT")
    none = cairn.ok("POST", "/_security/api_key", {"name": "none", "role_descriptors": {"r": {"cluster": []}}})["encoded"]
    expect(cairn.request("GET", "/_cairn/settings", headers={"Authorization": "ApiKey " + none})[0], 403, "no rights")
    for outcome in ("success", "failure"):
        events = cairn.ok("GET", f"/_cairn/audit?operation=cairn.reload_settings&outcome={outcome}")["events"]
        assert events, f"no reload of outcome {outcome} is in the audit log"


def faults_of_files(server):
    """Keys of the issuer that cannot be read are a fault, and the old ones stay."""
    server.write(config())
    server.start()
    expect(server.reload(), {"reloaded": True, "changed": [], "needs_restart": [], "faults": []}, "all well")
    with open(ISSUER_KEYS, "w") as file:
        file.write("no keys")
    answer = server.reload()
    expect((answer["reloaded"], [fault["what"] for fault in answer["faults"]]), (True, ["oidc"]), answer)
    assert ISSUER_KEYS in answer["faults"][0]["reason"], answer
    # Beside a fault of the settings.
    server.write("log: { level: loud }")
    answer = server.reload()
    expect((answer["reloaded"], [fault["what"] for fault in answer["faults"]]), (False, ["settings", "oidc"]), answer)


def main(binary):
    server = Server(binary)
    server.write(config())
    server.start()
    values_and_places(server)
    of_the_cluster(server)
    reloads(server)
    rights(server)
    expect(server.cairn.stop(), 0, "the stop")
    shutil.rmtree(os.path.join(server.cairn.folder, "conf.d"))
    faults_of_files(server)
    expect(server.cairn.stop(), 0, "the stop")
    with open(os.path.join(server.cairn.folder, "log")) as file:
        shows_no_secret(server, file.read())
    shutil.rmtree(server.cairn.folder)
    shutil.rmtree(os.path.dirname(ISSUER_KEYS))


main(sys.argv[1])
