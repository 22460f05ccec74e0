"""The text format of Prometheus 0.0.4, read strictly."""

import re

SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)')


class Family:
    def __init__(self, name):
        self.name, self.kind, self.help, self.samples = name, None, None, []

    def labels(self):
        """Names of labels of its samples, without the bounds of buckets."""
        return {label for _, labels, _ in self.samples for label in labels} - {"le"}


def value_of(text):
    return {"+Inf": float("inf"), "-Inf": float("-inf"), "NaN": float("nan")}.get(text) or float(text)


def labels_of(text):
    out, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        assert found, f"labels that cannot be read: {text}"
        assert found[1] not in out, f"a label twice: {text}"
        out[found[1]] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], found[2])
        at = found.end()
    return out


def parse(text):
    """Families by name. Whatever the format does not allow fails: samples without a family, families
    that are not in one piece, a series twice."""
    families, current, seen = {}, None, set()
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP ") or line.startswith("# TYPE "):
            _, what, name, rest = line.split(" ", 3)
            if current is None or current.name != name:
                assert name not in families, f"{name} is in two pieces"
                current = families[name] = Family(name)
            if what == "HELP":
                current.help = rest.replace("\\n", "\n").replace("\\\\", "\\")
            else:
                current.kind = rest
            continue
        found = SAMPLE.match(line)
        assert found, f"no sample: {line}"
        name, labels = found[1], labels_of(found[2] or "")
        base = name
        if current.kind == "histogram":
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            assert base != name, line
        assert base == current.name, f"{name} below {current.name}"
        series = (name, tuple(sorted(labels.items())))
        assert series not in seen, f"twice: {line}"
        seen.add(series)
        current.samples.append((name, labels, value_of(found[3])))
    return families


def value(families, name, **labels):
    """The sum of the samples that have these labels; None where none has."""
    found = [v for _, of, v in families[name].samples
             if all(of.get(k) == v2 for k, v2 in labels.items())]
    return sum(found) if found else None
