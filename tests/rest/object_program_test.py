#!/usr/bin/env python3
"""The object storage of a running program: what goes on behind the requests, and many at a time.

Lifecycle rules remove, archived objects come back, keys encrypt and are disabled, a flipped bit is
told and never given out, of many writers one wins, an abort leaves nothing, and memory is bounded.

    object_program_test.py CAIRN [NAME...]

Nothing is asserted about how fast anything is: what takes time is waited for.
"""

import base64
import hashlib
import http.client
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BINARY = None
MIB = 1 << 20
ENCRYPTION = "x-amz-server-side-encryption"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def same(got, wanted, what=""):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def wait_for(condition, what, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < until, f"{what} did not come")
        time.sleep(0.02)


class Program:
    """A started Cairn with a client, gone at the end."""

    def __init__(self, *settings, folder=None):
        self.cairn = Cairn(BINARY, folder=folder)
        self.own = set()
        self.start(*settings)
        # Cairn keeps its model there too, where it finds one.
        self.own = set(self.extents())

    def start(self, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        self.cairn.start(*words)
        self.objects = Objects(self.cairn)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.cairn.process.poll() is None:
            self.cairn.stop()
        if error[0] is None:
            shutil.rmtree(self.cairn.folder)

    def run(self, *words, wanted=0):
        """A command of the program, as the administrator. Its standard output."""
        done = subprocess.run(
            [BINARY, *words, "--server", self.cairn.api, "--key-file",
             os.path.join(self.cairn.data, "keys/admin.key")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        same(done.returncode, wanted, f"cairn {' '.join(words)}: {done.stderr}")
        return done.stdout

    def metric(self, name):
        """The sum of a metric over its labels."""
        status, text = self.cairn.request("GET", "/_metrics")
        same(status, 200, "GET /_metrics")
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.split("{")[0].split(" ")[0] == name)

    def extents(self):
        """Files that hold bodies of the test's own objects."""
        found = []
        for folder, _, names in os.walk(os.path.join(self.cairn.data, "objects/extents")):
            found += [os.path.join(folder, name) for name in names]
        return [path for path in found if path not in self.own]


def with_md5(body):
    return {"content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()}


def test_lifecycle():
    rules = (b"<LifecycleConfiguration><Rule><ID>gone</ID><Filter><Prefix>old/</Prefix></Filter>"
             b"<Status>Enabled</Status><Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration>"
             b"</Rule></LifecycleConfiguration>")
    with Program("objects.lifecycle_interval=100ms") as program:
        ask = program.objects
        ask.ok("PUT", "/bkt")
        ask.ok("PUT", "/bkt/old/1", b"x" * 100_000)
        ask.ok("PUT", "/bkt/new/1", b"x")
        ask.ok("PUT", "/bkt?lifecycle", rules, headers=with_md5(rules))
        wait_for(lambda: ask.ask("HEAD", "/bkt/old/1").status == 404, "the end of old/1")
        same(ask.ask("HEAD", "/bkt/new/1").status, 200, "new/1")
        wait_for(lambda: not program.extents(), "the end of its bytes")
        wait_for(lambda: program.metric("cairn_objects_lifecycle_actions_total") >= 1, "a counted action")
        same(program.cairn.stop(), 0, "the exit status")


def test_restore():
    with Program("objects.restore_time=1s") as program:
        ask = program.objects
        ask.ok("PUT", "/bkt")
        ask.ok("PUT", "/bkt/k", b"cold", headers={"x-amz-storage-class": "GLACIER"})
        same(ask.ask("GET", "/bkt/k").code, "InvalidObjectState", "GET of what is archived")
        body = b"<RestoreRequest><Days>1</Days></RestoreRequest>"
        same(ask.ask("POST", "/bkt/k?restore", body).status, 202, "the first restore")
        wait_for(lambda: ask.ask("GET", "/bkt/k").status == 200, "the restored copy")
        restored = ask.ask("HEAD", "/bkt/k").headers["x-amz-restore"]
        check(restored.startswith('ongoing-request="false", expiry-date="'), restored)
        same(ask.ask("POST", "/bkt/k?restore", body).status, 200, "a restore once more")


def test_keys():
    with Program() as program:
        ask, data = program.objects, program.cairn.data
        ask.ok("PUT", "/bkt")
        arn = program.run("key", "create", "--encryption", "--alias", "photos").strip()
        check(arn.startswith("arn:aws:kms:us-east-1:"), arn)
        key_id = arn.rsplit("/", 1)[1]
        body = b"not to be read on the disk " * 4000
        ways = {"s3": {ENCRYPTION: "AES256"}, "default": {ENCRYPTION: "aws:kms"}}
        for name, key in (("id", key_id), ("arn", arn), ("alias", "alias/photos")):
            ways[name] = {ENCRYPTION: "aws:kms", ENCRYPTION + "-aws-kms-key-id": key}
        ways["dsse"] = {ENCRYPTION: "aws:kms:dsse", ENCRYPTION + "-aws-kms-key-id": key_id}
        ways["bucket-key"] = dict(ways["id"], **{ENCRYPTION + "-bucket-key-enabled": "true"})
        for name, fields in ways.items():
            answer = ask.ok("PUT", "/bkt/" + name, body, headers=fields)
            same(answer.headers[ENCRYPTION], fields[ENCRYPTION], name)
            if name in ("id", "arn", "alias", "dsse"):
                same(answer.headers[ENCRYPTION + "-aws-kms-key-id"], arn, name)
        for path in program.extents():
            with open(path, "rb") as file:
                check(b"not to be read" not in file.read(), "a body lies in clear in " + path)
        for name, code in (("nobody", "KMS.NotFoundException"),
                           ("alias/none", "KMS.NotFoundException"),
                           ("12345678-1234-4234-8234-123456789012", "KMS.NotFoundException")):
            answer = ask.ask("PUT", "/bkt/x", b"x", headers={
                ENCRYPTION: "aws:kms", ENCRYPTION + "-aws-kms-key-id": name})
            same((answer.status, answer.code), (400, code), name)
        for name in ("master.key", "admin.key", "admin-s3.json"):
            mode = stat.S_IMODE(os.stat(os.path.join(data, "keys", name)).st_mode)
            same(oct(mode), oct(0o600), name)
        listed = json.loads(program.run("key", "list", "--encryption", "--json"))
        same([key["aliases"] for key in listed["encryption_keys"]],
             [["alias/aws/s3"], ["alias/photos"]], "the list of keys")

        same(program.cairn.stop(), 0, "the exit status")
        program.start()
        ask = program.objects
        for name in ways:
            same(ask.ok("GET", "/bkt/" + name).body, body, name + " after a restart")
        program.run("key", "disable", "--encryption", key_id)
        answer = ask.ask("GET", "/bkt/alias")
        same((answer.status, answer.code), (400, "KMS.DisabledException"), "a disabled key")
        same(ask.ask("PUT", "/bkt/x", b"x", headers=ways["alias"]).code, "KMS.DisabledException",
             "a disabled key")
        program.run("key", "enable", "--encryption", key_id)
        same(ask.ok("GET", "/bkt/alias").body, body, "an enabled key")
        # By default of the bucket.
        rule = ("<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                f"<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>{arn}</KMSMasterKeyID>"
                "</ApplyServerSideEncryptionByDefault><BucketKeyEnabled>true</BucketKeyEnabled>"
                "</Rule></ServerSideEncryptionConfiguration>").encode()
        ask.ok("PUT", "/bkt?encryption", rule, headers=with_md5(rule))
        answer = ask.ok("PUT", "/bkt/by-default", body)
        same(answer.headers[ENCRYPTION + "-aws-kms-key-id"], arn, "the default of the bucket")
        same(answer.headers[ENCRYPTION + "-bucket-key-enabled"], "true", "the bucket key")
        same(program.run("key", "alias", key_id, "--add", "b", "--remove", "photos").strip(),
             "alias/b", "aliases")


def flip(path):
    with open(path, "r+b") as file:
        file.seek(MIB)
        byte = file.read(1)[0]
        file.seek(MIB)
        file.write(bytes([byte ^ 16]))


def read_all(ask, target):
    """The bytes that came, and whether they were all that were announced."""
    try:
        answer = ask.ask("GET", target)
        return answer.body, answer.status == 200
    except (http.client.IncompleteRead, ConnectionError) as error:
        return getattr(error, "partial", b""), False


def test_rot():
    body = os.urandom(2 * MIB + 77)
    with Program() as program:
        ask = program.objects
        ask.ok("PUT", "/bkt")
        ask.ok("PUT", "/bkt/k", body)
        sent = "cairn_objectstore_file_bytes_total"
        same(ask.ok("GET", "/bkt/k").body, body, "verified on the way out")
        same(program.metric(sent), 0, "bytes by sendfile at first")
        same(ask.ok("GET", "/bkt/k").body, body, "by sendfile")
        wait_for(lambda: program.metric(sent) == len(body), "the count of bytes by sendfile")
        part = ask.ok("GET", "/bkt/k", headers={"range": "bytes=100000-1500000"}).body
        same(part, body[100000:1500001], "a range by sendfile")
        ask.ok("PUT", "/bkt/k", body[::-1])
        same(ask.ok("GET", "/bkt/k").body, body[::-1], "what took its place")
        same(program.cairn.stop(), 0, "the exit status")
        data = program.cairn.data
        verify = [BINARY, "engine", "verify", data]
        same(subprocess.run(verify, stderr=subprocess.DEVNULL).returncode, 0, "verify")
        flip(max(program.extents(), key=os.path.getsize))  # what the program keeps of itself is small
        told = subprocess.run(verify, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        same(told.returncode, 65, "verify of what is damaged")
        check(told.stdout.startswith("bkt/k\tnull\t"), told.stdout)

        program.start("objects.scrub_interval=1h", "objects.scrub_rate=1gb")
        same(subprocess.run(verify, stderr=subprocess.DEVNULL).returncode, 75, "verify in use")
        ask = program.objects
        for _ in range(3):
            came, whole = read_all(ask, "/bkt/k")
            check(not whole, "damaged bytes went out as whole")
            check(body[::-1].startswith(came) or b"InternalError" in came, "wrong bytes went out")
        check(program.metric("cairn_objectstore_corrupt_blocks_total") >= 3, "not counted")
        wait_for(lambda: program.metric("cairn_objectstore_damaged_objects") == 1, "the scrubber")
        same(program.metric(sent), 0, "bytes by sendfile of what is damaged")


def together(count, work):
    """Runs work(i) on so many threads that begin together; their results."""
    barrier, results = threading.Barrier(count), [None] * count

    def run(i):
        barrier.wait()
        try:
            results[i] = work(i)
        except Exception as error:  # shown by who looks at the results
            results[i] = error

    pool = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    return results


def test_writers():
    with Program() as program:
        program.objects.ok("PUT", "/bkt")
        for turn in range(3):
            target, bodies = f"/bkt/k{turn}", [bytes([i]) * (10 + 1000 * i) for i in range(100)]
            results = together(100, lambda i: program.objects.ask(
                "PUT", target, bodies[i], headers={"if-none-match": "*"}))
            statuses = [getattr(result, "status", result) for result in results]
            same(statuses.count(200), 1, f"writers that won of {statuses}")
            check(set(statuses) <= {200, 409, 412}, statuses)
            winner = statuses.index(200)
            same(program.objects.ok("GET", target).body, bodies[winner], "what stands")
        wait_for(lambda: len(program.extents()) <= 3, "only bytes of winners")


def test_abort():
    part = os.urandom(6 * MIB)
    with Program() as program:
        ask = program.objects
        ask.ok("PUT", "/bkt")
        for turn in range(5):
            upload = ask.ok("POST", "/bkt/k?uploads").text("UploadId")

            def work(i):
                if i == 0:
                    time.sleep(0.01 * turn)
                    return ask.ask("DELETE", f"/bkt/k?uploadId={upload}").status
                return ask.ask("PUT", f"/bkt/k?partNumber={i}&uploadId={upload}", part).status

            results = together(6, work)
            same(results[0], 204, "the abort")
            check(all(r in (200, 404) or isinstance(r, OSError) for r in results[1:]), results)
            same(ask.ask("GET", f"/bkt/k?uploadId={upload}").code, "NoSuchUpload", "ListParts")
        wait_for(lambda: not program.extents(), "the end of all parts")
        same(os.listdir(os.path.join(program.cairn.data, "tmp")), [], "tmp")


def resident_mib(process):
    with open(f"/proc/{process.pid}/status") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


class Slow(threading.Thread):
    """Puts an object in pieces, and holds it in the middle until it may go on."""

    def __init__(self, objects, target, size, middle, go_on):
        super().__init__()
        self.objects, self.target, self.size = objects, target, size
        self.middle, self.go_on, self.status = middle, go_on, None

    def run(self):
        connection = self.objects.connect()
        fields = self.objects.signed("PUT", self.target)
        connection.putrequest("PUT", self.target, skip_host=True, skip_accept_encoding=True)
        for name, value in dict(fields, **{"content-length": str(self.size)}).items():
            connection.putheader(name, value)
        connection.endheaders()
        piece = b"p" * 65536
        for _ in range(self.size // 2 // len(piece)):
            connection.send(piece)
        self.middle.release()
        self.go_on.wait()
        for _ in range(self.size // 2 // len(piece)):
            connection.send(piece)
        self.status = connection.getresponse().status
        connection.close()


def test_memory():
    """Idle, with 1,000 silent connections, and while 32 large objects go up and down at a time."""
    with Program() as program:
        ask, process = program.objects, program.cairn.process
        ask.ok("PUT", "/bkt")
        idle = resident_mib(process)
        print(f"  idle: {idle:.1f} MiB")
        check(idle <= 80, f"{idle:.1f} MiB when idle")

        silent = [ask.connect() for _ in range(1000)]
        for connection in silent:
            same(ask.ask("HEAD", "/bkt", connection=connection).status, 200, "HEAD")
        added = resident_mib(process) - idle
        print(f"  1,000 idle connections: {added:.1f} MiB")
        check(added <= 20, f"1,000 idle connections add {added:.1f} MiB")
        for connection in silent:
            connection.close()

        count, size = 32, 32 * MIB
        ask.ok("PUT", "/bkt/warm", b"w" * size)  # threads and pools are there from now on
        before = resident_mib(process)
        middle, go_on = threading.Semaphore(0), threading.Event()
        pool = [Slow(ask, f"/bkt/k{i}", size, middle, go_on) for i in range(count)]
        for thread in pool:
            thread.start()
        for _ in pool:
            middle.acquire()
        each = (resident_mib(process) - before) / count
        go_on.set()
        for thread in pool:
            thread.join()
            same(thread.status, 200, "PUT")
        print(f"  an upload under way: {each:.2f} MiB")
        check(each <= 1.0, f"{each:.2f} MiB for each upload")

        before = resident_mib(process)
        answers = []
        for i in range(count):
            connection = ask.connect()
            connection.request("GET", f"/bkt/k{i}", headers=ask.signed("GET", f"/bkt/k{i}"))
            answer = connection.getresponse()
            answer.read(size // 4)  # the rest waits in the server
            answers.append((connection, answer))
        each = (resident_mib(process) - before) / count
        print(f"  a download under way: {each:.2f} MiB")
        check(each <= 1.0, f"{each:.2f} MiB for each download")
        for connection, answer in answers:
            check(len(answer.read()) == size - size // 4, "a download is short")
            connection.close()


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    tests = {name[5:]: work for name, work in globals().items() if name.startswith("test_")}
    for name in wanted or tests:
        print(name, flush=True)
        tests[name]()
    print("all well")


if __name__ == "__main__":
    main()
