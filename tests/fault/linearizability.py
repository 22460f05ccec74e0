#!/usr/bin/env python3
"""Whether what clients saw of one key could have happened one operation after another.

A history is a list of operations on one register. Each took effect at one moment between its call
and its answer; one without an answer did so at any moment after its call, or never. The search is
that of Wing and Gong, with Lowe's memory of what was tried: an operation that no other one precedes
is taken next, if its answer fits; where none fits, the search goes back.

    linearizability.py        checks the checker: histories that must pass, histories that must not
"""

import math
import sys


class Operation:
    """`kind`: write, create, swap, read, delete. `old`: what a swap expects. `value`: what is
    written or was read; None is absence. `done`: whether it had an effect; None: nobody knows."""

    def __init__(self, kind, called, answered=math.inf, value=None, old=None, done=True):
        self.kind, self.called, self.answered = kind, called, answered
        self.value, self.old, self.done = value, old, done

    def after(self, state):
        """Whether it may come next in `state`, and the states that it may leave."""
        if self.kind == "read":
            return [state] if state == self.value else []
        if self.kind == "write":
            effect, fits = self.value, True
        elif self.kind == "create":
            effect, fits = self.value, state is None
        elif self.kind == "swap":
            effect, fits = self.value, state == self.old
        else:
            effect, fits = None, True
        if self.done is None:
            return [effect] if fits else [state]
        if self.done:
            return [effect] if fits else []
        return [] if fits else [state]

    def __repr__(self):
        end = "…" if self.answered == math.inf else f"{self.answered:.6f}"
        told = {True: "done", False: "refused", None: "no answer"}[self.done]
        return f"[{self.called:.6f} {end}] {self.kind} {self.value} (expects {self.old}) {told}"


def is_linearizable(operations, first=None):
    """Whether some order explains all of `operations` on a register that holds `first`."""
    # A read without an answer says nothing.
    operations = [o for o in operations if not (o.kind == "read" and o.done is None)]
    operations.sort(key=lambda o: o.called)
    count = len(operations)
    certain = sum(1 << i for i, o in enumerate(operations) if o.answered != math.inf)
    tried = set()
    todo = [(0, first)]
    while todo:
        taken, state = todo.pop()
        if taken & certain == certain:
            return True
        if (taken, state) in tried:
            continue
        tried.add((taken, state))
        # Who was called after the first answer that is still to come must wait.
        first_answer = math.inf
        i = 0
        while i < count and operations[i].called <= first_answer:
            if not taken >> i & 1:
                first_answer = min(first_answer, operations[i].answered)
            i += 1
        for j in range(i):
            operation = operations[j]
            if taken >> j & 1 or operation.called > first_answer:
                continue
            for next_state in operation.after(state):
                todo.append((taken | 1 << j, next_state))
    return False


def check_itself():
    """The checker tells good histories from bad ones. Raises AssertionError where it does not."""
    O = Operation
    good = [
        [],
        [O("read", 0, 1)],
        [O("write", 0, 1, "a"), O("read", 2, 3, "a")],
        [O("write", 0, 5, "a"), O("read", 1, 2), O("read", 3, 4, "a")],
        [O("create", 0, 1, "a"), O("create", 2, 3, "b", done=False), O("read", 4, 5, "a")],
        [O("create", 0, 9, "a"), O("create", 1, 8, "b", done=False)],
        [O("write", 0, 1, "a"), O("swap", 2, 3, "b", "a"), O("read", 4, 5, "b")],
        [O("write", 0, 1, "a"), O("delete", 2, 3), O("read", 4, 5)],
        # Nobody knows whether "b" was written: it may show late, or never.
        [O("write", 0, 1, "a"), O("write", 2, value="b", done=None), O("read", 3, 4, "a"),
         O("read", 5, 6, "b")],
        [O("write", 0, 1, "a"), O("write", 2, value="b", done=None), O("read", 3, 4, "a")],
        [O("write", 0, 1, "a"), O("swap", 2, value="c", old="x", done=None), O("read", 3, 4, "a")],
        [O("read", 0, math.inf, "z", done=None)]]
    bad = [
        [O("read", 0, 1, "a")],
        [O("write", 0, 1, "a"), O("read", 2, 3)],                              # lost
        [O("write", 0, 1, "a"), O("write", 2, 3, "b"), O("read", 4, 5, "a")],  # went back
        [O("create", 0, 9, "a"), O("create", 1, 8, "b")],                      # both created
        [O("write", 0, 1, "a"), O("swap", 2, 9, "b", "a"), O("swap", 3, 8, "c", "a")],
        [O("write", 0, 1, "a"), O("swap", 2, 3, "b", "a", done=False)],        # refused, yet it fits
        [O("write", 0, 9, "a"), O("read", 1, 2, "a"), O("read", 3, 4)],        # seen, then not
        [O("write", 0, 1, "a"), O("delete", 2, 3), O("read", 4, 5, "a")],
        [O("write", 0, 1, "a"), O("write", 2, value="b", done=None), O("read", 3, 4, "b"),
         O("read", 5, 6, "a")],
        [O("write", 0, 1, "a"), O("swap", 2, value="c", old="x", done=None), O("read", 3, 4, "c")]]
    for history in good:
        assert is_linearizable(history), f"refused a good history: {history}"
    for history in bad:
        assert not is_linearizable(history), f"took a bad history: {history}"
    return len(good) + len(bad)


if __name__ == "__main__":
    print(f"{check_itself()} passed, 0 failed")
    sys.exit(0)
