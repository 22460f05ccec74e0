"""A peer of a benchmark: a process that answers questions."""
import json
import subprocess


class Peer:
    """A process that answers a line with a line."""

    def __init__(self, *command, folder=None):
        self.process = subprocess.Popen(command, cwd=folder, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def ask(self, **asked):
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()
