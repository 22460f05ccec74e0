"""Whether requests and answers are as GET /_openapi.json says.

The document is open: a client must bear members that it does not know. Here it is taken at its word:
where an object of the document lists its members and does not say that there may be others
("additionalProperties"), one that is not listed is a fault, so that whoever adds a member describes it.
"""

import json
import urllib.parse

import jsonschema

MOST_SHOWN = 400  # characters of a fault


def closed(schema):
    """The same schema, without members that it does not list."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {}
    for name, value in schema.items():
        # Names of members and of schemas are no words of JSON Schema.
        named = name in ("properties", "schemas")
        out[name] = {k: closed(v) for k, v in value.items()} if named else \
            value if name in ("enum", "example", "const") else closed(value)
    if "properties" in schema and "additionalProperties" not in schema:
        out["additionalProperties"] = False
    return out


def without_required(schema):
    """The same schema for an answer of which a part was asked for."""
    if isinstance(schema, list):
        return [without_required(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: {k: without_required(v) for k, v in value.items()}
            if name in ("properties", "schemas") else without_required(value)
            for name, value in schema.items() if name != "required"}


def open_again(schema):
    """The same schema, with further members."""
    if isinstance(schema, list):
        return [open_again(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: {k: open_again(v) for k, v in value.items()}
            if name in ("properties", "schemas") else open_again(value)
            for name, value in schema.items()
            if not (name == "additionalProperties" and value is False)}


class Described:
    """One document."""

    def __init__(self, document):
        self.rows = {}  # by method: [(segments, operation)]
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self.rows.setdefault(method.upper(), []).append((path.split("/"), operation))
        schemas = {"schemas": closed(document["components"]["schemas"])}
        self.forms = {(False, False): schemas,  # (is a part, has more members)
                      (True, False): without_required(schemas),
                      (False, True): open_again(schemas),
                      (True, True): open_again(without_required(schemas))}

    def operation(self, method, path):
        """The operation of a path, as the router finds it; None where no row fits."""
        segments = path.rstrip("/").split("/") if path != "/" else ["", ""]
        best = None
        for row, operation in self.rows.get(method, []):
            if len(row) != len(segments):
                continue
            literals = [not s.startswith("{") for s in row]
            if all(r == s or not is_literal and s
                   for r, s, is_literal in zip(row, segments, literals)):
                # The template with a literal segment earlier wins.
                if best is None or literals > best[0]:
                    best = (literals, operation)
        return best and best[1]

    def faults(self, schema, value, part=False, more=False):
        """What does not fit, in words. `part`: members may be missing; `more`: there may be others."""
        schema = closed(schema)
        if part:
            schema = without_required(schema)
        if more:
            schema = open_again(schema)
        root = {"components": self.forms[part, more], "allOf": [schema]}
        for error in jsonschema.Draft202012Validator(root).iter_errors(value):
            error = jsonschema.exceptions.best_match([error])
            where = "/".join(str(part) for part in error.absolute_path)
            yield f"at /{where}: {error.message[:MOST_SHOWN]}"

    def check_answer(self, method, target, status, content_type, text):
        """Raises AssertionError for an answer that is not as the document says."""
        parts = urllib.parse.urlsplit(target)
        query = urllib.parse.parse_qs(parts.query, keep_blank_values=True)
        operation = self.operation(method, urllib.parse.unquote(parts.path))
        if operation is None or method == "HEAD" or "undescribed" in operation["x-cairn"]:
            return
        media = (content_type or "").split(";")[0].strip()
        if media == "application/vnd.elasticsearch+json":
            media = "application/json"  # the same, under the name that was asked for
        if media in ("application/yaml", "application/cbor", "application/smile"):
            return
        response = operation["responses"].get(str(status))
        if response is None or "content" not in response:
            response = operation["responses"]["default"] if status >= 400 else response
        name = f"{method} {target} {status}"
        if response is None:
            raise AssertionError(f"{name}: no such status is described")
        content = response.get("content")
        if content is None:
            assert status >= 400 or not text.strip(), f"{name}: the answer is not described"
            return
        assert media in content, f"{name}: [{media}] is not described"
        if media not in ("application/json", "application/x-ndjson"):
            return
        lines = text.splitlines() if media == "application/x-ndjson" else [text]
        for line in lines:
            try:
                value = json.loads(line)
            except ValueError:
                raise AssertionError(f"{name}: no JSON: {line[:MOST_SHOWN]}") from None
            for fault in self.faults(content[media]["schema"], value, "filter_path" in query,
                                     "human" in query):
                raise AssertionError(f"{name}: the answer is not as GET /_openapi.json says: {fault}")

    def check_request(self, method, target, text):
        """The same of a body that was taken."""
        operation = self.operation(method, urllib.parse.unquote(urllib.parse.urlsplit(target).path))
        if operation is None or "requestBody" not in operation:
            return
        content = operation["requestBody"]["content"]
        for media, lines in (("application/json", [text]),
                             ("application/x-ndjson", text.splitlines())):
            if media not in content:
                continue
            for line in filter(str.strip, lines):
                for fault in self.faults(content[media]["schema"], json.loads(line)):
                    raise AssertionError(f"{method} {target}: the body that was taken is not as "
                                         f"GET /_openapi.json says: {fault}")
