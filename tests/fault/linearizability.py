#!/usr/bin/env python3
"""Whether what clients saw of one key could have happened one operation after another.

A history is a list of operations on one register. Each took effect at one moment between its call
and its answer; one without an answer did so at any moment after its call, or never. The search is
that of Wing and Gong, with Lowe's memory of what was tried: an operation that no other one precedes
is taken next, if its answer fits; where none fits, the search goes back. Two rules keep it short,
and leave out no order that matters:

- What fits and changes nothing is taken at once: it could not stand better later.
- What nobody answered is taken only where the next operation sees what it did.

    linearizability.py        checks the checker: histories that must pass, histories that must not,
                              and small ones by chance, of which every order is tried
"""

import itertools
import math
import random
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


    def changes(self):
        """Whether it may leave another state than it found."""
        return self.kind != "read" and self.done is not False

    def is_told_by(self, state):
        """Whether it can come next because the state is this one, and not another."""
        if self.kind in ("write", "delete"):
            return False
        return bool(self.after(state)) if self.done is not None else self.fits(state)

    def fits(self, state):
        return {"create": state is None, "swap": state == self.old}.get(self.kind, True)


class Search:
    """The operations of a history, in the order in which they were called."""

    def __init__(self, operations):
        # A read without an answer says nothing.
        self.operations = [o for o in operations if not (o.kind == "read" and o.done is None)]
        self.operations.sort(key=lambda o: o.called)
        self.certain = sum(1 << i for i, o in enumerate(self.operations) if o.answered != math.inf)

    def next_ones(self, taken):
        """Which may come next: who was called after the first answer that is still to come must
        wait."""
        first_answer = math.inf
        found = []
        for i, operation in enumerate(self.operations):
            if operation.called > first_answer:
                break
            if not taken >> i & 1:
                first_answer = min(first_answer, operation.answered)
                found.append(i)
        return [i for i in found if self.operations[i].called <= first_answer]

    def take_what_changes_nothing(self, taken, state):
        while True:
            fit = [i for i in self.next_ones(taken)
                   if not self.operations[i].changes() and self.operations[i].after(state)]
            if not fit:
                return taken
            for i in fit:
                taken |= 1 << i

    def steps(self, taken, state):
        """Each way to go on: what is taken then, and the state."""
        following = self.next_ones(taken)
        for i in following:
            operation = self.operations[i]
            if not operation.changes() or not operation.fits(state):
                continue
            after = None if operation.kind == "delete" else operation.value
            if operation.done is None and not any(
                    self.operations[j].is_told_by(after) for j in following if j != i):
                continue
            yield taken | 1 << i, after

    def has_order(self, first):
        tried = set()
        todo = [(0, first)]
        while todo:
            taken, state = todo.pop()
            taken = self.take_what_changes_nothing(taken, state)
            if taken & self.certain == self.certain:
                return True
            if (taken, state) in tried:
                continue
            tried.add((taken, state))
            todo.extend(self.steps(taken, state))
        return False


def is_linearizable(operations, first=None):
    """Whether some order explains all of `operations` on a register that holds `first`."""
    return Search(operations).has_order(first)


def has_any_order(operations):
    """The same by trying all orders of all that may have happened: for a few operations."""
    certain = [o for o in operations if o.answered != math.inf]
    others = [o for o in operations if o.answered == math.inf and o.kind != "read"]
    for count in range(len(others) + 1):
        for happened in itertools.combinations(others, count):
            for order in itertools.permutations([*certain, *happened]):
                if explains(order):
                    return True
    return False


def explains(order):
    state = None
    for i, operation in enumerate(order):
        if any(later.answered < operation.called for later in order[i + 1:]):
            return False
        after = operation.after(state)
        if not after:
            return False
        state = after[0]
    return True


def any_history(rng):
    """Of a few operations, which meet much, and may be told wrong."""
    values = [None, "a", "b"]
    out = []
    for _ in range(rng.randrange(1, 6)):
        called = rng.randrange(0, 8)
        kind = rng.choice(["read", "read", "write", "create", "swap", "delete"])
        done = rng.choice([True, True, False, None]) if kind in ("create", "swap") else \
            rng.choice([True, True, None])
        answered = math.inf if done is None else called + rng.randrange(1, 6)
        value = rng.choice(values if kind == "read" else values[1:])
        out.append(Operation(kind, called, answered, value, rng.choice(values[1:]), done))
    return out


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
    rng = random.Random(7)
    some = [any_history(rng) for _ in range(400)]
    for history in some:
        assert is_linearizable(history) == has_any_order(history), f"judged wrongly: {history}"
    return len(good) + len(bad) + len(some)


if __name__ == "__main__":
    print(f"{check_itself()} passed, 0 failed")
    sys.exit(0)
