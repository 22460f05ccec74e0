#!/usr/bin/env python3
"""Limits shared through a Redis that wants TLS, a certificate and a user of its own; and through one that Sentinels
look after, whose master dies.

    limit_redis_test.py CAIRN
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
from cairn_server import Cairn  # noqa: E402

BINARY = None
WAIT_S = 60


def until(ready, what, tell=lambda: ""):
    end = time.monotonic() + WAIT_S
    while not ready():
        assert time.monotonic() < end, "in vain: " + what + tell()
        time.sleep(0.1)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Process:
    """A redis-server of the test's own, as a server or as a Sentinel."""

    def __init__(self, port, *words, config=None):
        self.port = port
        self.folder = tempfile.mkdtemp(prefix="cairn-redis-")
        self.log = os.path.join(self.folder, "log")
        command = ["redis-server"]
        if config is not None:
            path = os.path.join(self.folder, "redis.conf")
            with open(path, "w") as file:
                file.write(config)
            command.append(path)
        self.process = subprocess.Popen(
            [*command, *words, "--dir", self.folder, "--logfile", self.log, "--bind", "127.0.0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listens(self):
        assert self.process.poll() is None, open(self.log).read()
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def ask(self, *words):
        """Of a plain server; the reply as text."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
            command = b"*%d\r\n" % len(words)
            command += b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)
            connection.sendall(command)
            connection.settimeout(10)
            return connection.recv(65536).decode()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def node(store):
    cairn = Cairn(BINARY)
    settings = os.path.join(cairn.folder, "cairn.yaml")
    with open(settings, "w") as file:
        json.dump({"rate_limit": {"store": {"kind": "redis", **store}}}, file)
    cairn.settings = settings
    return cairn.start("--config", settings)


def end(cairn):
    if cairn.process.poll() is None:
        cairn.stop()
    shutil.rmtree(cairn.folder, ignore_errors=True)


def used(cairn, identity="user:ann"):
    answer = cairn.ok("POST", "/_cairn/limits/_check", {"identity": identity})
    assert answer["admitted"], answer
    return int(answer["headers"]["x-ratelimit-used"])


def shows(cairn, identity="user:ann"):
    return cairn.ok("GET", "/_cairn/limits/" + identity)["store"]


def over_tls():
    folder = tempfile.mkdtemp(prefix="cairn-tls-")
    made = subprocess.run([BINARY, "init", "tls", folder, "--client", "node"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    other = tempfile.mkdtemp(prefix="cairn-tls-")
    subprocess.run([BINARY, "init", "tls", other], capture_output=True, check=True)
    authority, certificate, key, client = (
        os.path.join(folder, name) for name in ("ca.pem", "cert.pem", "key.pem", "client-node.pem"))
    port = free_port()
    redis = Process(port, "--port", "0", "--tls-port", str(port), "--tls-cert-file", certificate, "--tls-key-file", key,
                    "--tls-ca-cert-file", authority, "--tls-auth-clients", "yes", "--save", "",
                    config="user default off\nuser limits on >h:u@sh ~rl:* +@all\n")
    nodes = []
    try:
        until(redis.listens, "redis-server with TLS listens")
        url = f"rediss://limits:h%3Au%40sh@127.0.0.1:{port}/2"
        tls = {"ca_file": authority, "certificate_file": client}
        nodes = [node({"urls": [url], "tls": tls}) for _ in range(2)]
        counts = [used(nodes[i % 2]) for i in range(20)]
        assert counts == list(range(1, 21)), counts
        assert shows(nodes[0]) == "redis", "it was decided apart"
        log = nodes[0].log_tail(1000)
        assert "store_away" not in log and "h:u@sh" not in log, log
        # Whom nobody vouches for is not asked; whoever shows no certificate, or is not a user, is not answered.
        for why, changes in (("authority", {"tls": {**tls, "ca_file": authority.replace(folder, other)}}),
                             ("certificate", {"tls": {"ca_file": authority}}),
                             ("name", {"tls": {**tls, "server_name": "elsewhere.example"}}),
                             ("password", {"urls": [f"rediss://limits:wrong@127.0.0.1:{port}/2"]}),
                             ("plain", {"urls": [f"redis://limits:h%3Au%40sh@127.0.0.1:{port}/2"]})):
            nodes.append(node({"urls": [url], "tls": tls, "timeout_ms": 500, **changes}))
            for _ in range(6):
                assert used(nodes[-1]) > 2500, why  # by itself: the other node's share counts as used
            assert shows(nodes[-1]) == "away", why
            until(lambda: "store_away" in nodes[-1].log_tail(1000), why + " in the log")
        assert used(nodes[1]) == 21
        printed = subprocess.run([BINARY, "config", "print", "--config", nodes[0].settings], capture_output=True, text=True,
                                 check=True).stdout
        assert "rate_limit.store.tls" in printed and "h%3Au" not in printed, printed
    finally:
        for each in nodes:
            end(each)
        redis.close()
        shutil.rmtree(folder)
        shutil.rmtree(other)


def by_sentinels():
    ports = [free_port() for _ in range(3)]
    servers = [Process(ports[0], "--port", str(ports[0]), "--save", "", "--repl-diskless-sync-delay", "0"),
               Process(ports[1], "--port", str(ports[1]), "--save", "", "--replicaof", f"127.0.0.1 {ports[0]}")]
    sentinel = cairn = None
    try:
        for server in servers:
            until(server.listens, "redis-server listens")
        until(lambda: "master_link_status:up" in servers[1].ask("INFO", "replication"), "the replica follows")
        sentinel = Process(ports[2], "--sentinel", config=f"""port {ports[2]}
sentinel monitor limits 127.0.0.1 {ports[0]} 1
sentinel down-after-milliseconds limits 3000
sentinel failover-timeout limits 5000
""")
        until(sentinel.listens, "redis-sentinel listens")
        until(lambda: str(ports[1]) in sentinel.ask("SENTINEL", "replicas", "limits"), "the Sentinel knows the replica")
        dead = free_port()
        cairn = node({"urls": ["redis://limits"], "timeout_ms": 2000,
                      "sentinels": [f"redis://127.0.0.1:{dead}", f"redis://127.0.0.1:{ports[2]}"]})
        assert [used(cairn) for _ in range(30)] == list(range(1, 31))
        assert shows(cairn) == "redis"
        until(lambda: servers[1].ask("DBSIZE") == servers[0].ask("DBSIZE"), "the replica has the counts")
        time.sleep(0.5)
        servers[0].kill()
        # Meanwhile the node decides by itself; then by the replica, which is the master now, with what was counted.
        until(lambda: str(ports[1]) in sentinel.ask("SENTINEL", "get-master-addr-by-name", "limits"), "a failover")
        until(lambda: shows(cairn) == "redis", "the new master is found")
        until(lambda: "store_back" in cairn.log_tail(1000) or "store_away" not in cairn.log_tail(1000), "it is told")
        assert 31 <= used(cairn) <= 32, used(cairn)
        assert ":p:core" in servers[1].ask("KEYS", "rl:*")
        # A master that was made a replica again refuses to write: it is left, and the other one is found.
        before = used(cairn)
        servers[0].close()
        servers[0] = Process(ports[0], "--port", str(ports[0]), "--save", "", "--replicaof", f"127.0.0.1 {ports[1]}")
        until(servers[0].listens, "the old master is back")
        until(lambda: "master_link_status:up" in servers[0].ask("INFO", "replication"), "it follows",
              lambda: "\n" + servers[0].ask("INFO", "replication") + sentinel.ask("SENTINEL", "masters"))
        until(lambda: str(ports[0]) in sentinel.ask("SENTINEL", "replicas", "limits"), "the Sentinel knows it")
        until(lambda: sentinel.ask("SENTINEL", "failover", "limits").startswith("+OK"), "a failover that was asked for")
        until(lambda: str(ports[0]) in sentinel.ask("SENTINEL", "get-master-addr-by-name", "limits"), "it is done")
        until(lambda: "role:slave" in servers[1].ask("INFO", "replication"), "the other one follows")

        def counts_on():
            count = used(cairn)
            return count > before and shows(cairn) == "redis" and "role:master" in servers[0].ask("INFO", "replication")
        until(counts_on, "it counts on the new master")
    finally:
        if cairn is not None:
            end(cairn)
        if sentinel is not None:
            sentinel.close()
        for server in servers:
            server.close()


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    for case in (over_tls, by_sentinels):
        began = time.monotonic()
        case()
        print(f"ok {case.__name__}: {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
