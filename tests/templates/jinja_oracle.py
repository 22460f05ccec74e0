# SPDX-License-Identifier: Apache-2.0
"""Jinja itself, set up as the library that models come from does (ImmutableSandboxedEnvironment, trim_blocks,
lstrip_blocks, loop controls, tojson without escapes for HTML, raise_exception, strftime_now, generation blocks).
Each line in is {"template", "variables", "trusted", "now"}; a line for each goes out: {"text"} or {"error"}."""
import json
import sys
import time

import jinja2
import jinja2.ext
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_pass")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _pass(self, caller):
        return caller()


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise TemplateError(message)


def environment(now):
    out = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    out.filters["tojson"] = tojson
    out.globals["raise_exception"] = raise_exception
    out.globals["strftime_now"] = lambda form: time.strftime(form, time.gmtime(now))
    return out


def main():
    known = {}
    for line in sys.stdin:
        test = json.loads(line)
        try:
            key = (test["template"], test.get("now", 0))
            if key not in known:
                known[key] = environment(key[1]).from_string(key[0])
            text = known[key].render({**test.get("trusted", {}), **test.get("variables", {})})
            answer = {"text": text}
        except Exception as fault:  # what templates do wrong shows as many types
            answer = {"error": f"{type(fault).__name__}: {fault}"}
        print(json.dumps(answer), flush=False)


main()
