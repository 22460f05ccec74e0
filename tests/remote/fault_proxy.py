# SPDX-License-Identifier: Apache-2.0
"""A way to a server on loopback that can be cut, slowed, or answer 503 by itself."""

import select
import socket
import threading
import time


class FaultProxy:
    """Listens on a free port until end(). `mode`: "pass"; "cut", which takes and gives nothing;
    "slow", which holds each piece back for `delay_s`; "busy", which answers 503; "deaf", which sends
    requests on and closes before the answer."""

    def __init__(self, host, port):
        self.target = (host, port)
        self.mode, self.delay_s = "pass", 0.2
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def end(self):
        self.open = False
        self.listener.close()

    def _accept(self):
        while self.open:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        server = None
        try:
            server = socket.create_connection(self.target, 10)
            self._pump(client, server)
        except OSError:
            pass
        finally:
            client.close()
            if server is not None:
                server.close()

    def _pump(self, client, server):
        while self.open:
            ready, _, _ = select.select([client, server], [], [], 0.1)
            if self.mode == "cut":
                time.sleep(0.05)  # what waits in the socket is neither taken nor refused
                continue
            for end in ready:
                piece = end.recv(65536)
                if not piece:
                    return
                if end is server and self.mode == "deaf":
                    return
                if end is client and self.mode == "busy":
                    client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n"
                                   b"Connection: close\r\n\r\n")
                    return
                if self.mode == "slow":
                    time.sleep(self.delay_s)
                (server if end is client else client).sendall(piece)
