"""nDCG@10, recall@100, and bootstrap intervals."""

import math
import random

SAMPLES = 2000


def ndcg(names, grades, depth=10):
    """Discounted grades of the first `depth`, over those of the best order there is."""
    found = sum(grades.get(name, 0) / math.log2(rank + 2) for rank, name in enumerate(names[:depth]))
    best = sorted(grades.values(), reverse=True)[:depth]
    return found / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))


def recall(names, grades, depth=100):
    """The share of the documents with any grade that are among the first `depth`."""
    return len(grades.keys() & set(names[:depth])) / len(grades)


def mean(values):
    return sum(values) / len(values)


def interval(values, seed=13):
    """The 95 % interval of the mean: questions drawn anew, with replacement, SAMPLES times."""
    draw = random.Random(seed)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(SAMPLES))
    return means[int(SAMPLES * 0.025)], means[int(SAMPLES * 0.975) - 1]


def below(values, others):
    """Whether the mean of `values` is below that of `others`, both of the same questions, beyond the
    95 % interval of their differences; and the interval."""
    least, most = interval([a - b for a, b in zip(values, others)])
    return most < 0, (least, most)
