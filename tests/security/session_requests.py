"""Requests as a browser makes them: exactly these fields, and all that comes back."""

import http.client
import json
import urllib.parse


class Reply:
    def __init__(self, answer):
        self.status, self.fields = answer.status, answer.getheaders()
        self.text = answer.read()
        try:
            self.body = json.loads(self.text)
        except ValueError:
            self.body = None

    def field(self, name):
        return next((value for one, value in self.fields if one.lower() == name.lower()), None)

    def cookies(self):
        return [value for one, value in self.fields if one.lower() == "set-cookie"]

    def why(self):
        return json.dumps(self.body)


def ask(cairn, method, path, headers=(), body=None, at=None):
    """A request with these fields and no others; `headers`: a list, so that a name can come twice."""
    url = urllib.parse.urlsplit(at or cairn.api)
    connection = http.client.HTTPConnection(url.netloc, timeout=60)
    connection.putrequest(method, path, skip_accept_encoding=True)
    content = None if body is None else json.dumps(body).encode()
    if content is not None:
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(content)))
    elif method in ("POST", "PUT"):
        connection.putheader("Content-Length", "0")
    for name, value in dict(headers).items() if isinstance(headers, dict) else headers:
        connection.putheader(name, value)
    connection.endheaders(content)
    reply = Reply(connection.getresponse())
    connection.close()
    return reply
