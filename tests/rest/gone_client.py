"""Clients that ask over a real socket and leave, and what their requests then cost the server."""

import os
import re
import socket
import struct
import time
import urllib.parse

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
WHOLE_MS_MIN = 600  # less says nothing: a client that has left is noticed after 75 ms


def head(method, target, fields):
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode()


class Gone:
    """Of one Cairn. `url` is that of either port."""

    def __init__(self, cairn):
        self.cairn = cairn

    def cpu_ms(self):
        """Processor time that the server took since it started."""
        with open(f"/proc/{self.cairn.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * TICK_MS

    def connections(self):
        """On both ports, but for the one of this question."""
        status, text = self.cairn.request("GET", "/_metrics")
        assert status == 200
        return sum(int(count) for count in re.findall(
            r'^cairn_net_connections\{server="(?:api|objects)"\} (\d+)', text, re.M)) - 1

    def api_request(self, method, path, text):
        """The bytes of a request with the administrator's key."""
        text = text.encode() if isinstance(text, str) else text
        return head(method, path, {
            "Host": "x", "Authorization": "ApiKey " + self.cairn.key,
            "Content-Type": "application/json", "Content-Length": len(text)}) + text

    def leave(self, url, request, how, begun=None):
        """Sends `request`, ends or resets the connection, and waits until its handler has ended.
        A reset throws away what was not read yet, so the handler must have begun: seen by its time,
        or by `begun()`."""
        where = urllib.parse.urlsplit(url)
        peer = socket.create_connection((where.hostname, where.port), timeout=60)
        peer.sendall(request)
        if begun is not None:
            while not begun():
                time.sleep(0.005)
        elif how == "reset":
            before = self.cpu_ms()
            while self.cpu_ms() < before + 5 * TICK_MS:
                time.sleep(0.001)
        if how == "reset":
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        while self.connections() > 0:
            time.sleep(0.01)

    def rest(self):
        """Waits until the server does next to nothing: what an earlier request left to upkeep (a
        flush, a merge) is not charged to the next one. At most ten seconds."""
        for _ in range(50):
            before = self.cpu_ms()
            time.sleep(0.2)
            if self.cpu_ms() - before <= 2 * TICK_MS:
                return

    def spent(self, url, request, how):
        """Processor time of a request whose client leaves."""
        self.rest()
        before = self.cpu_ms()
        self.leave(url, request, how)
        return self.cpu_ms() - before

    def least_spent(self, url, request, how, enough_ms, tries=4):
        """The least of a few tries, the first that is below `enough_ms` the last: on a busy machine
        whoever looks for the client may get no processor while its request computes. What goes on
        without its client takes all of its time at every try."""
        least = float("inf")
        for _ in range(tries):
            least = min(least, self.spent(url, request, how))
            if least < enough_ms:
                break
        return least

    def check_ends(self, name, url, request, whole, whole_ms_min=WHOLE_MS_MIN):
        """`whole()` asks for all of it. A client that leaves costs less than half as much. What is
        changed by being done (a merge) is done whole last."""
        gone = {how: self.least_spent(url, request, how, whole_ms_min / 2)
                for how in ("end", "reset")}
        self.rest()
        before = self.cpu_ms()
        whole()
        all_of_it = self.cpu_ms() - before
        print(f"{name}: {all_of_it:.0f} ms, after an end {gone['end']:.0f} ms, after a reset "
              f"{gone['reset']:.0f} ms", flush=True)
        assert all_of_it >= whole_ms_min, f"{name} takes {all_of_it:.0f} ms only"
        for how, spent in gone.items():
            assert spent < all_of_it / 2, f"{name} goes on after its client has left ({how})"
