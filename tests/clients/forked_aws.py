#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""awscli as it is installed, but loaded once: every command is a fork of a process that has it.

    forked_aws.py --listen SOCKET       loads awscli and waits for commands
    forked_aws.py SOCKET [WORD...]      runs `aws WORD...` there, with this process's files, folder
                                        and environment, and ends as it ends

A start of awscli takes most of a second of CPU, and a test has a hundred of them.
"""

import array
import json
import os
import socket
import sys


def receive_all(connection, wanted):
    data = b""
    while len(data) < wanted:
        piece = connection.recv(wanted - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def ask(path, words):
    request = json.dumps({"words": words, "folder": os.getcwd(), "environment": dict(os.environ)})
    request = request.encode(errors="surrogateescape")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        files = array.array("i", [0, 1, 2])
        connection.sendmsg([len(request).to_bytes(8, "big")],
                           [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        connection.sendall(request)
        return receive_all(connection, 1)[0]


def run_command(connection, main, own):
    """In the fork: the files of who asked become this process's own."""
    files = array.array("i")
    head, given, _, _ = connection.recvmsg(8, socket.CMSG_LEN(3 * files.itemsize))
    for _, _, data in given:
        files.frombytes(data)
    request = json.loads(receive_all(connection, int.from_bytes(head, "big")))
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(own)
    os.environ.update(request["environment"])
    try:
        status = main(request["words"])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    connection.sendall(bytes([(status or 0) & 255]))
    os._exit(0)


def listen(path):
    import signal

    before = dict(os.environ)
    import awscli.clidriver
    import awscli.customizations.s3.s3  # noqa: F401  what commands would load one by one
    import s3transfer.manager  # noqa: F401

    driver = awscli.clidriver.create_clidriver()
    # Once for all: the descriptions of commands and of the service.
    driver.session.create_client("s3", region_name="us-east-1", aws_access_key_id="x",
                                 aws_secret_access_key="x")
    driver.create_help_command()
    own = {name: value for name, value in os.environ.items() if before.get(name) != value}
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path + ".new")
        listener.listen(16)
        os.rename(path + ".new", path)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                run_command(connection, awscli.clidriver.AWSCLIEntryPoint(driver).main, own)
            connection.close()


if __name__ == "__main__":
    if sys.argv[1] == "--listen":
        listen(sys.argv[2])
    sys.exit(ask(sys.argv[1], sys.argv[2:]))
