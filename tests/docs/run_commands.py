#!/usr/bin/env python3
"""Runs every command of the ```console blocks of Markdown files, and compares what it prints.

A line that begins with "$ " is a command (a backslash at its end continues it); the lines after it
are what it prints, in which … stands for anything and a line that is only … for any lines. A command
whose output is not shown must only succeed. All commands of a file run in one shell, in the folder
that holds the project, on ports of their own: 9200, 9000 and 8000 in the text become free ones. `./check`
is not run: it is what runs this. After --with a file is one whose commands come before those of each
file that follows. In a block that opens with ```console measured, a number stands
for any number: times, ports, sizes.

    run_commands.py PROJECT [--with FILE] FILE...
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

COMMAND_SECONDS = 300


def blocks(text):
    """Pairs of whether it is measured, and the text."""
    return re.findall(r"^```console( measured)?\n(.*?)^```", text, re.M | re.S)


def commands(block):
    """Pairs of a command and the lines that it should print."""
    out = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
            # A quoted body may go over several lines.
            while command.count("'") % 2:
                command += "\n" + next(lines)
            out.append((re.sub(r"\s+# .*$", "", command), []))
        elif out:
            out[-1][1].append(line)
    return out


def matches(expected, printed, measured):
    def literal(text):
        if not measured:
            return re.escape(text)
        return r"\d+(?:\.\d+)?".join(re.escape(part) for part in re.split(r"\d+(?:\.\d+)?", text))

    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(literal(part) for part in line.rstrip().split("…")) + r"[ \t]*\n"
    return re.fullmatch(pattern + r"\n*", printed if printed.endswith("\n") else printed + "\n") is not None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Shell:
    """One bash that runs command after command and tells where each ends."""

    def __init__(self, folder):
        environment = dict(os.environ, NO_COLOR="1")
        self.process = subprocess.Popen(["bash"], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, env=environment, start_new_session=True)

    def run(self, command):
        """Its status and what it prints; 255 where the shell ended, or had to: a command has five minutes."""
        limit = threading.Timer(COMMAND_SECONDS, lambda: os.killpg(self.process.pid, signal.SIGKILL))
        limit.start()
        try:
            return self.answer_of(command)
        except BrokenPipeError:
            return 255, "the shell has ended\n"
        finally:
            limit.cancel()

    def answer_of(self, command):
        mark = "--end-of-command--"
        self.process.stdin.write(f"{command}\nprintf '\\n{mark} %s\\n' $?\n")
        self.process.stdin.flush()
        printed = ""
        for line in self.process.stdout:
            if line.startswith(mark):
                return int(line.split()[1]), printed[:-1] if printed.endswith("\n") else printed
            printed += line
        return 255, printed

    def close(self):
        """Waits for what it started too: the next page may use the same folders."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + 60
            while time.monotonic() < until:
                try:
                    os.killpg(self.process.pid, number)
                except ProcessLookupError:
                    return
                number = 0  # asks whether one is left
                self.process.poll()
                time.sleep(0.05)


def run_file(project, paths):
    text = ""
    for path in paths:
        with open(os.path.join(project, path)) as file:
            text += file.read() + "\n"
    for port in ("9200", "9000", "8000"):
        text = re.sub(rf"(127\.0\.0\.1:|http\.server ){port}\b", rf"\g<1>{free_port()}", text)
    shell = Shell(project)
    passed = failed = 0
    try:
        for measured, block in blocks(text):
            for command, expected in commands(block):
                if command.startswith(("./check", "git clone", "cd cairn", "sudo ")):
                    continue
                status, printed = shell.run(command)
                good = status == 0 and (not any(expected) or matches(expected, printed, measured))
                passed, failed = passed + good, failed + (not good)
                print(("ok   " if good else "FAIL ") + command.splitlines()[0], flush=True)
                if not good:
                    print(f"--- exit status {status}; printed:\n{printed}\n--- expected:\n" +
                          "\n".join(expected), flush=True)
    finally:
        shell.close()
    return passed, failed


def main():
    project, files = sys.argv[1], sys.argv[2:]
    before = []
    if files[0] == "--with":
        before, files = [files[1]], files[2:]
    passed = failed = 0
    scratch = tempfile.mkdtemp(prefix="cairn-docs-")
    os.environ["CAIRN_DOCS_SCRATCH"] = scratch
    for path in files:
        print(f"== {path}", flush=True)
        some = run_file(project, [*before, path])
        passed, failed = passed + some[0], failed + some[1]
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
