#!/usr/bin/env python3
"""The reader of .rest files and its comparisons, tried on small texts."""

import unittest

from rest_format import Fault, compare, compare_answer, compare_text, fill_in, read_script

SCRIPT = """\
# name: two steps
# description: for this test
# serve: --set a.b=${folder}/x

=== a thing is made
# a remark
POST /thing?x=1
Accept: application/json

{"name": "${name}"}
--- 201
Location: /thing/…

{"id": "<id =made>", "...": "..."}

=== the server starts again
!restart

=== and is asked
GET /thing/${made}
--- 2xx within 1.5s
"""


def fault_of(expected, actual):
    try:
        compare(expected, actual, "body", {})
    except Fault as fault:
        return str(fault)
    return None


class Reading(unittest.TestCase):
    def test_steps(self):
        script = read_script("x.rest", SCRIPT)
        self.assertEqual(script.serve, ["--set", "a.b=${folder}/x"])
        first, second, third = script.steps
        self.assertEqual((first.method, first.target, first.status), ("POST", "/thing?x=1", 201))
        self.assertEqual(first.headers, [("Accept", "application/json")])
        self.assertEqual(first.body, '{"name": "${name}"}')
        self.assertEqual(first.expected_headers, [("Location", "/thing/…")])
        self.assertEqual(second.action, "restart")
        self.assertEqual((third.status, third.within_s, third.body), ("2xx", 1.5, None))

    def test_faults(self):
        for text in ("", "# name: x\n", "# name: x\n=== a\nGET /\n", "=== a\nGET /\n--- 200\n",
                     "# name: x\n=== a\nFETCH /\n--- 200\n", "# name: x\nGET /\n=== a\n"):
            with self.assertRaises(Fault):
                read_script("x.rest", text)

    def test_fill_in(self):
        self.assertEqual(fill_in("a ${b} $${c} ${n}", {"b": "x", "n": 7}), "a x ${c} 7")
        with self.assertRaises(Fault):
            fill_in("${b}", {})


class Comparing(unittest.TestCase):
    def test_equal_or_not(self):
        self.assertIsNone(fault_of({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}))
        self.assertIn("body.a", fault_of({"a": 1}, {}))
        self.assertIn("not expected", fault_of({"a": 1}, {"a": 1, "b": 2}))
        self.assertIn("elements", fault_of([1], [1, 2]))
        self.assertIsNotNone(fault_of(True, 1))
        self.assertIsNotNone(fault_of(0, False))
        self.assertIsNotNone(fault_of("1", 1))

    def test_open_ends(self):
        self.assertIsNone(fault_of({"a": 1, "...": "..."}, {"a": 1, "b": 2}))
        self.assertIsNone(fault_of([1, "..."], [1, 2, 3]))
        self.assertIsNone(fault_of(["..."], []))
        self.assertIsNotNone(fault_of([1, "..."], []))
        self.assertIsNone(fault_of({"a": "<absent>", "...": 0}, {"b": 1}))
        self.assertIsNotNone(fault_of({"a": "<absent>", "...": 0}, {"a": 1}))

    def test_placeholders(self):
        captured = {}
        compare({"id": "<id =x>", "n": "<integer > 3 =n>"}, {"id": "A" * 20, "n": 4}, "b", captured)
        self.assertEqual(captured, {"x": "A" * 20, "n": 4})
        self.assertIsNotNone(fault_of("<integer >= 5>", 4))
        self.assertIsNotNone(fault_of("<integer>", 4.5))
        self.assertIsNotNone(fault_of("<number>", True))
        self.assertIsNotNone(fault_of("<boolean>", 1))
        self.assertIsNone(fault_of("<number ~ 0.3333>", 0.33331))
        self.assertIsNotNone(fault_of("<number ~ 0.3333>", 0.334))
        self.assertIsNone(fault_of("/^a.c$/", "abc"))
        self.assertIsNotNone(fault_of("/^a.c$/", "abcd"))

    def test_answers(self):
        step = read_script("x.rest", "# name: x\n=== a\nGET /\n--- 200\nX-A: 1…\n\nline …\nend\n").steps[0]
        self.assertEqual(compare_answer(step, 200, {"X-A": "12"}, "line one\nend\n", {}), {})
        for status, headers, text in ((201, {"X-A": "1"}, "line \nend"), (200, {}, "line \nend"),
                                      (200, {"X-A": "1"}, "other")):
            with self.assertRaises(Fault):
                compare_answer(step, status, headers, text, {})
        with self.assertRaises(Fault):
            compare_text("a", "b", "body")


if __name__ == "__main__":
    unittest.main()
