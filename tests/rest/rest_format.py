"""Reads .rest files and compares answers with what they expect. tests/api/README.md describes both."""

import json
import math
import re


class Fault(Exception):
    """A file that cannot be read, or an answer that is not the expected one."""


class Step:
    """One request with what must come back, or one thing done to the server."""

    def __init__(self, title, line):
        self.title, self.line = title, line
        self.action = None            # "restart", "kill": instead of a request
        self.method = self.target = None
        self.headers, self.body = [], None
        self.status = None            # an integer, or "2xx"
        self.within_s = 0.0           # asked again for so long until it fits
        self.expected_headers, self.expected = [], None


class Script:
    def __init__(self, path):
        self.path = path
        self.facts = {}               # name, description, source
        self.serve = []               # further arguments of `cairn serve`
        self.environment = {}
        self.steps = []


HEADER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$")
REQUEST = re.compile(r"^(GET|HEAD|PUT|POST|DELETE|OPTIONS|PATCH) (/\S*)$")
EXPECT = re.compile(r"^--- (\d{3}|[1-5]xx)(?: within (\d+(?:\.\d+)?)s)?$")


def _headers_and_body(lines):
    """Lines up to the first empty one are headers; the rest is a body, or nothing."""
    headers = []
    while lines and HEADER.match(lines[0]):
        headers.append(HEADER.match(lines.pop(0)).groups())
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return headers, "\n".join(lines) if lines else None


def _read_head(script, lines):
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.strip() == "#":
            continue
        if not line.startswith("#"):
            raise Fault(f"{script.path}:{number}: steps begin with === and a title")
        match = re.match(r"^# (name|description|source|serve|environment): (.*)$", line)
        if not match:
            continue
        name, value = match.groups()
        if name == "serve":
            script.serve += value.split()
        elif name == "environment":
            key, _, content = value.partition("=")
            script.environment[key.strip()] = content.strip()
        else:
            script.facts[name] = value
    if "name" not in script.facts:
        raise Fault(f"{script.path}: the file must begin with # name: …")


def _read_step(script, title, first, lines):
    step = Step(title, first)
    where = f"{script.path}:{first}"
    lines = [line for line in lines if not line.startswith("# ") and line != "#"]
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        raise Fault(f"{where}: [{title}] has no request")
    head = lines.pop(0)
    if head in ("!restart", "!kill"):
        step.action = head[1:]
        return step
    request = REQUEST.match(head)
    if not request:
        raise Fault(f"{where}: [{title}] begins with no request but [{head}]")
    step.method, step.target = request.groups()
    marks = [i for i, line in enumerate(lines) if EXPECT.match(line)]
    if len(marks) != 1:
        raise Fault(f"{where}: [{title}] needs one line --- STATUS")
    status, within = EXPECT.match(lines[marks[0]]).groups()
    step.status = int(status) if status.isdigit() else status
    step.within_s = float(within or 0)
    step.headers, step.body = _headers_and_body(lines[:marks[0]])
    step.expected_headers, step.expected = _headers_and_body(lines[marks[0] + 1:])
    return step


def read_script(path, text):
    script = Script(path)
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("=== ")]
    _read_head(script, lines[:starts[0]] if starts else lines)
    if not starts:
        raise Fault(f"{path}: no step begins with ===")
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        script.steps.append(
            _read_step(script, lines[start][4:].strip(), start + 1, lines[start + 1:end]))
    return script


def fill_in(text, variables):
    """${name} becomes the variable; $${ stands for itself."""
    def value(match):
        name = match.group(1)
        if name not in variables:
            raise Fault(f"${{{name}}} has no value here")
        known = variables[name]
        return known if isinstance(known, str) else json.dumps(known)
    return re.sub(r"(?<!\$)\$\{([a-z_0-9]+)\}", value, text).replace("$${", "${")


# --- comparing

TYPES = {
    "any": lambda v: True,
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "id": lambda v: isinstance(v, str) and re.fullmatch(r"[A-Za-z0-9_-]{20,22}", v) is not None,
}
PLACEHOLDER = re.compile(
    r"^<(any|string|number|integer|boolean|array|object|id)"
    r"(?: (>=|<=|>|<) (-?[0-9.e+-]+))?(?: ~ (-?[0-9.e+-]+))?(?: =([a-z_0-9]+))?>$")


def _compare_number(actual, sign, bound):
    return {">": actual > bound, ">=": actual >= bound, "<": actual < bound,
            "<=": actual <= bound}[sign]


def _compare_placeholder(match, actual, where, captured):
    kind, sign, bound, about, name = match.groups()
    if not TYPES[kind](actual):
        raise Fault(f"{where}: expected <{kind}>, got {json.dumps(actual)}")
    if sign and not _compare_number(actual, sign, float(bound)):
        raise Fault(f"{where}: expected {sign} {bound}, got {json.dumps(actual)}")
    if about and not math.isclose(actual, float(about), rel_tol=1e-4, abs_tol=1e-6):
        raise Fault(f"{where}: expected about {about}, got {json.dumps(actual)}")
    if name:
        captured[name] = actual


def _compare_object(expected, actual, where, captured):
    if not isinstance(actual, dict):
        raise Fault(f"{where}: expected an object, got {json.dumps(actual)}")
    for name, value in expected.items():
        if name == "...":
            continue
        if value == "<absent>":
            if name in actual:
                raise Fault(f"{where}.{name}: must not be there, but is {json.dumps(actual[name])}")
            continue
        if name not in actual:
            raise Fault(f"{where}.{name}: is missing; there is {sorted(actual)}")
        compare(value, actual[name], f"{where}.{name}", captured)
    if "..." not in expected:
        more = sorted(set(actual) - set(expected))
        if more:
            raise Fault(f"{where}: has members that were not expected: {more}")


def _compare_array(expected, actual, where, captured):
    if not isinstance(actual, list):
        raise Fault(f"{where}: expected an array, got {json.dumps(actual)}")
    open_end = bool(expected) and expected[-1] == "..."
    wanted = expected[:-1] if open_end else expected
    if len(actual) < len(wanted) or (len(actual) > len(wanted) and not open_end):
        raise Fault(f"{where}: expected {len(wanted)} elements, got {len(actual)}: "
                    f"{json.dumps(actual)[:500]}")
    for i, value in enumerate(wanted):
        compare(value, actual[i], f"{where}[{i}]", captured)


def compare(expected, actual, where, captured):
    if isinstance(expected, dict):
        return _compare_object(expected, actual, where, captured)
    if isinstance(expected, list):
        return _compare_array(expected, actual, where, captured)
    if isinstance(expected, str):
        match = PLACEHOLDER.match(expected)
        if match:
            return _compare_placeholder(match, actual, where, captured)
        if len(expected) > 2 and expected[0] == "/" and expected[-1] == "/":
            if not isinstance(actual, str) or not re.search(expected[1:-1], actual):
                raise Fault(f"{where}: expected to match {expected}, got {json.dumps(actual)}")
            return None
    same_kind = isinstance(expected, bool) == isinstance(actual, bool)
    if not same_kind or expected != actual:
        raise Fault(f"{where}: expected {json.dumps(expected)}, got {json.dumps(actual)}")
    return None


def compare_text(expected, actual, where):
    """A body that is no JSON; … stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("…"))
    if not re.fullmatch(pattern, actual.strip(), re.S):
        raise Fault(f"{where}: expected the text\n{expected}\ngot\n{actual[:2000]}")


def compare_answer(step, status, headers, text, variables):
    """Raises Fault where the answer is another; gives what was captured."""
    captured = {}
    fits = status == step.status if isinstance(step.status, int) else \
        str(status)[0] == step.status[0]
    if not fits:
        raise Fault(f"status: expected {step.status}, got {status}: {text[:2000]}")
    for name, wanted in step.expected_headers:
        wanted = fill_in(wanted, variables)
        actual = headers.get(name)
        if wanted == "<absent>":
            if actual is not None:
                raise Fault(f"header {name}: must not be there, but is [{actual}]")
        elif actual is None or not re.fullmatch(
                ".*".join(re.escape(part) for part in wanted.split("…")), actual):
            raise Fault(f"header {name}: expected [{wanted}], got [{actual}]")
    if step.expected is None:
        return captured
    expected = fill_in(step.expected, variables)
    try:
        wanted = json.loads(expected)
    except ValueError:
        compare_text(expected, text, "body")
        return captured
    try:
        actual = json.loads(text)
    except ValueError:
        raise Fault(f"body: expected JSON, got {text[:2000]!r}") from None
    compare(wanted, actual, "body", captured)
    return captured
