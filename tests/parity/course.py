"""A course with what ordinary nbgrader courses have, for comparison with nbgrader itself."""

import importlib.util
from pathlib import Path

from tests.builder import notebook, parse, write_source

ASSIGNMENT = "parity"
HAS_TORCH = importlib.util.find_spec("torch") is not None

HELPERS = b'''"""A helper module that comes with the assignment."""

SCALE = 10


def scaled(values):
    return [SCALE * value for value in values]
'''
DATA = b"name,score\nann,3\nbob,5\ncy,10\n"

VALUES = """
# %% prose values-title
# Values: functions, variables, files

# %% given values-setup
import csv
import random

import numpy as np
from helpers import scaled

weights = [1, 2, 3]
limit = 5

# %% answer mean
def mean(values):
    ### BEGIN SOLUTION
    return sum(values) / len(values)
    ### END SOLUTION

# %% test mean-test 2
assert mean([1, 2, 3]) == 2
### BEGIN HIDDEN TESTS
assert abs(mean([0.1, 0.2]) - 0.15) < 1e-12
### END HIDDEN TESTS

# %% test mean-partial 4
earned = 0
for values, expected in [([1], 1), ([2, 4], 3), ([0, 0, 3], 1), ([-1, 1], 0)]:
    try:
        earned += mean(values) == expected
    except Exception:
        pass
earned

# %% test mean-weighted-partial 3
round(1.5 * (mean([2, 2]) == 2) + 1.5 * (mean([0, 1]) == 0.5), 2)

# %% test mean-shown 1
assert mean(weights) == 2
"the mean is right"

# %% answer read-scores
### BEGIN SOLUTION
with open("data/scores.csv") as stream:
    scores = {row["name"]: int(row["score"]) for row in csv.DictReader(stream)}
best = max(scores, key=scores.get)
### END SOLUTION

# %% test scores-test 2
assert scores == {"ann": 3, "bob": 5, "cy": 10}
assert sum(scores.values()) / len(scores) == 6

# %% test best-test 1
assert best == "cy"

# %% answer scale
def scale(values):
    ### BEGIN SOLUTION
    return scaled(values)
    ### END SOLUTION

# %% test scale-test 1
assert scale([1, 2]) == [10, 20]

# %% answer normalise
def normalise(matrix):
    ### BEGIN SOLUTION
    matrix = np.asarray(matrix, dtype=float)
    return (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    ### END SOLUTION

# %% test normalise-test 2
table = np.array([[1.0, 10.0], [3.0, 30.0]])
result = normalise(table)
assert isinstance(result, np.ndarray)
assert result.shape == (2, 2)
np.testing.assert_allclose(result, [[-1, -1], [1, 1]])

# %% test normalise-later 1
assert np.allclose(result.sum(axis=0), 0)
assert table[0, 0] == 1

# %% answer drop-small
def drop_small(values, least):
    ### BEGIN SOLUTION
    values[:] = [value for value in values if value >= least]
    ### END SOLUTION

# %% test drop-small-test 2
numbers = [5, 1, 7, 2]
alias = numbers
assert drop_small(numbers, 3) is None
assert numbers == [5, 7]
assert alias == [5, 7]

# %% answer count-into
def count_into(counts, letters):
    ### BEGIN SOLUTION
    for letter in letters:
        counts[letter] = counts.get(letter, 0) + 1
    ### END SOLUTION

# %% test count-into-test 2
counts = {"a": 1}
count_into(counts, "abca")
assert counts == {"a": 3, "b": 1, "c": 1}

# %% test count-again 1
counts = {}
count_into(counts, "xx")
assert counts == {"x": 2}

# %% answer clip
class TooLargeError(ValueError):
    pass


def clip(value):
    ### BEGIN SOLUTION
    if value < 0:
        raise ValueError("negative")
    if value > limit:
        raise TooLargeError(value)
    return value
    ### END SOLUTION

# %% test clip-test 1
assert clip(3) == 3

# %% test clip-raises 2
try:
    clip(-1)
except ValueError as error:
    assert "negative" in str(error)
else:
    raise AssertionError("a negative value must be refused")

# %% test clip-raises-subclass 1
raised = False
try:
    clip(99)
except ValueError:
    raised = True
assert raised

# %% answer greet
def greet(name):
    ### BEGIN SOLUTION
    print(f"Hello, {name}!")
    ### END SOLUTION

# %% test greet-test 2
import contextlib
import io

stream = io.StringIO()
with contextlib.redirect_stdout(stream):
    greet("Ada")
assert stream.getvalue() == "Hello, Ada!\\n"

# %% answer limit
### BEGIN SOLUTION
limit = 2 * limit
weights = sorted(weights, reverse=True)
### END SOLUTION

# %% test limit-test 2
assert limit == 10
assert weights == [3, 2, 1]

# %% test clip-sees-new-limit 1
assert clip(9) == 9

# %% answer roll
def roll(sides):
    ### BEGIN SOLUTION
    return random.randint(1, sides)
    ### END SOLUTION

# %% test roll-test 2
random.seed(4)
rolls = [roll(6) for _ in range(200)]
assert set(rolls) == {1, 2, 3, 4, 5, 6}

# %% answer shuffle
### BEGIN SOLUTION
np.random.seed(0)
sample = np.random.permutation(5)
### END SOLUTION

# %% test shuffle-test 2
assert sorted(sample.tolist()) == [0, 1, 2, 3, 4]
np.random.seed(0)
assert np.array_equal(sample, np.random.permutation(5))

# %% answer statistics
### BEGIN SOLUTION
summary = {"mean": mean(weights), "range": (min(weights), max(weights))}
summary["even"] = {w for w in weights if w % 2 == 0}
ratio = np.float64(0.5)
flags = np.array([True, False])
text = "naïve · 平均"
### END SOLUTION

# %% test statistics-test 2
assert summary["mean"] == 2
assert summary["range"] == (1, 3)
assert summary["even"] == {2}
assert isinstance(summary["range"], tuple)

# %% test types-test 1
assert ratio == 0.5
assert flags.dtype == bool
assert text.endswith("平均")
"""

OBJECTS = """
# %% prose objects-title
# Objects: classes, pictures, live things

# %% given objects-setup
%matplotlib inline
import inspect

import matplotlib.pyplot as plt

# %% answer account
class Account:
    ### BEGIN SOLUTION
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def pay_in(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        return self
    ### END SOLUTION

# %% test account-test 2
account = Account("ann")
account.pay_in(5).pay_in(2)
assert account.balance == 7
assert account.owner == "ann"

# %% test account-refuses 1
try:
    account.pay_in(-1)
except ValueError:
    pass
else:
    raise AssertionError("a negative amount must be refused")

# %% answer squares
def squares(n):
    ### BEGIN SOLUTION
    for k in range(n):
        yield k * k
    ### END SOLUTION

# %% test squares-test 1
assert list(squares(4)) == [0, 1, 4, 9]

# %% answer apply-twice
def apply_twice(function, value):
    ### BEGIN SOLUTION
    return function(function(value))
    ### END SOLUTION

# %% test apply-twice-test 1
assert apply_twice(lambda x: x + 3, 10) == 16

# %% answer adder
def adder(n):
    ### BEGIN SOLUTION
    def add(x):
        return x + n
    return add
    ### END SOLUTION

# %% test adder-test 1
add_two = adder(2)
assert add_two(3) == 5

# %% answer loopless
def total(values):
    ### BEGIN SOLUTION
    return sum(values)
    ### END SOLUTION

# %% test loopless-test 1
assert total([1, 2]) == 3
assert "for" not in inspect.getsource(total)

# %% answer uses-total
def average(values):
    ### BEGIN SOLUTION
    return total(values) / len(values)
    ### END SOLUTION

# %% test uses-total-test 2
original = total
del total
try:
    average([1, 2])
except NameError:
    pass
else:
    raise AssertionError("average does not use total")
finally:
    total = original

# %% answer plot
### BEGIN SOLUTION
figure, axes = plt.subplots()
axes.plot([0, 1, 2], [0, 1, 4])
axes.set_xlabel("x")
### END SOLUTION

# %% test plot-test 2
assert axes.get_xlabel() == "x"
assert list(axes.lines[0].get_ydata()) == [0, 1, 4]

# %% answer magic
### BEGIN SOLUTION
%time answer = 6 * 7
numbers = %sx echo 1
### END SOLUTION

# %% test magic-test 1
assert answer == 42

# %% prose writing-title
# What a person grades

# %% locked given-table
table = {1: "one", 2: "two"}

# %% written explain 3
Explain what a mean is.

# %% graded own-plot 2
### BEGIN SOLUTION
print("my own plot")
### END SOLUTION

# %% answer lookup
### BEGIN SOLUTION
word = table[2]
### END SOLUTION

# %% test lookup-test 1
assert word == "two"

# %% test table-test 1
assert table == {1: "one", 2: "two"}

# %% task sketch 2
Sketch a distribution in cells of your own.
### BEGIN MARK SCHEME
One point for axes, one for a curve.
### END MARK SCHEME
"""

TENSORS = """
# %% given tensors-setup
import torch

torch.manual_seed(0)

# %% answer softmax
def softmax(x):
    ### BEGIN SOLUTION
    e = torch.exp(x - x.max())
    return e / e.sum()
    ### END SOLUTION

# %% test softmax-test 2
x = torch.tensor([0.0, 1.0, 2.0])
assert torch.allclose(softmax(x), torch.softmax(x, 0))
assert softmax(x).dtype == torch.float32

# %% test softmax-keeps-its-argument 1
assert torch.equal(x, torch.tensor([0.0, 1.0, 2.0]))

# %% answer fill
def fill(x, value):
    ### BEGIN SOLUTION
    x.fill_(value)
    ### END SOLUTION

# %% test fill-test 1
y = torch.zeros(2, 2, dtype=torch.float64)
fill(y, 3)
assert (y == 3).all()

# %% answer weights
### BEGIN SOLUTION
w = torch.arange(6).reshape(2, 3)
### END SOLUTION

# %% test weights-test 1
assert w.shape == (2, 3)
assert w.dtype == torch.int64
"""

BOOKS = {"values": VALUES, "objects": OBJECTS} | ({"tensors": TENSORS} if HAS_TORCH else {})


def write_course(root: Path) -> Path:
    """Write the course's ``source/`` and return its folder."""
    books = {name: notebook(parse(text)) for name, text in BOOKS.items()}
    return write_source(root, ASSIGNMENT, books, {"helpers.py": HELPERS, "data/scores.csv": DATA})


def solutions() -> dict[str, str]:
    """Return the instructor's answers, by grade id."""
    answers = {}
    for text in BOOKS.values():
        for made in parse(text):
            meta = made["metadata"].get("nbgrader", {})
            if meta.get("solution"):
                lines = made["source"].split("\n")
                answers[made["id"]] = "\n".join(line for line in lines if "### " not in line)
    return answers
