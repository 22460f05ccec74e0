#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command whose Cairns keep their state on a cluster: the object storage of another Cairn, or
the service that RGW_ENDPOINT, RGW_ACCESS_KEY and RGW_SECRET_KEY name (tests/ceph/rgw.sh).

    on_cluster.py BINARY COMMAND...

A cluster whose conditional writes do not pass the check ends it with 77 and the reason.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cairn_server import Cairn  # noqa: E402
from s3_requests import Objects  # noqa: E402

BUCKET = "walks"


class OwnCluster:
    """A Cairn that is there for its object storage."""

    def __init__(self, binary):
        self.cairn = Cairn(binary).start()
        self.objects = self.cairn.objects
        pair = Objects(self.cairn)
        self.access, self.secret = pair.access_key, pair.secret

    def close(self):
        code = self.cairn.stop()
        shutil.rmtree(self.cairn.folder, ignore_errors=True)
        return code


class GivenCluster:
    def __init__(self):
        self.objects = os.environ["RGW_ENDPOINT"]
        self.access, self.secret = os.environ["RGW_ACCESS_KEY"], os.environ["RGW_SECRET_KEY"]

    def close(self):
        return 0


def refused(binary, environment):
    """The reason, where a Cairn does not start on this cluster because of its conditional writes."""
    cairn = Cairn(binary, environment=environment)
    cairn.store = ["--store", environment["CAIRN_TEST_STORE"].replace("{name}", f"check-{os.getpid()}")]
    try:
        cairn.start()
        cairn.stop()
    except RuntimeError as fault:
        if "cannot hold a store" not in str(fault):
            raise
        return [line for line in str(fault).splitlines() if "cannot hold a store" in line][-1]
    finally:
        shutil.rmtree(cairn.folder, ignore_errors=True)
    return None


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 64
    binary, command = sys.argv[1], sys.argv[2:]
    cluster = GivenCluster() if "RGW_ENDPOINT" in os.environ else OwnCluster(binary)
    code = 1
    try:
        Objects(cluster, cluster.access, cluster.secret).ok("PUT", f"/{BUCKET}")
        environment = dict(os.environ, AWS_ACCESS_KEY_ID=cluster.access,
                           AWS_SECRET_ACCESS_KEY=cluster.secret, AWS_EC2_METADATA_DISABLED="true",
                           CAIRN_TEST_STORE=f"s3://{BUCKET}/{{name}}?endpoint={cluster.objects}")
        reason = refused(binary, environment)
        if reason:
            print("skipped: " + reason)
            return 77
        code = subprocess.run(command, env=environment).returncode
    finally:
        ended = cluster.close()
    if ended != 0:
        print(f"the cluster's Cairn ended with {ended}")
    return code or ended


if __name__ == "__main__":
    sys.exit(main())
