"""Honest students of the parity course: good, middling, careless, none of them hostile.

Each is the instructor's solution with some answers replaced: a line ``# %% GRADE_ID`` begins each of them.
"""

UNTOUCHED = "left as it was released"

_TEXTS = {
    "ada-as-the-instructor": "",
    "bo-other-style": """
# %% mean
import statistics


mean = lambda values: statistics.fmean(values)

# %% read-scores
scores = {}
for line in open('data/scores.csv').read().split()[1:]:
    name, score = line.split(',')
    scores[name] = int(score)
best = sorted(scores, key=scores.get)[-1]

# %% scale
def scale(values):
    return list(map(lambda v: v * 10, values))

# %% normalise
def normalise(matrix):
    columns = [(c - c.mean()) / c.std() for c in np.array(matrix, float).T]
    return np.array(columns).T

# %% drop-small
def drop_small(values, least):
    for value in list(values):
        if value < least:
            values.remove(value)

# %% count-into
from collections import Counter


def count_into(counts, letters):
    for letter, n in Counter(letters).items():
        counts.setdefault(letter, 0)
        counts[letter] += n

# %% squares
def squares(n):
    return [k ** 2 for k in range(n)]

# %% adder
adder = lambda n: lambda x: n + x

# %% loopless
import functools
import operator


def total(values):
    return functools.reduce(operator.add, values, 0)

# %% account
from dataclasses import dataclass


@dataclass
class Account:
    owner: str
    balance: int = 0

    def pay_in(self, amount):
        if not amount > 0:
            raise ValueError(amount)
        self.balance = self.balance + amount
        return self
""",
    "cy-untouched": UNTOUCHED,
    "di-half-right": """
# %% mean
def mean(values):
    return sum(values) // len(values)

# %% normalise
def normalise(matrix):
    return matrix - matrix.mean(axis=0)

# %% clip
class TooLargeError(ValueError):
    pass


def clip(value):
    if value < 0:
        raise ValueError('too small')
    if value > limit:
        raise TooLargeError(value)
    return value

# %% statistics
UNTOUCHED

# %% limit
limit = 10

# %% uses-total
def average(values):
    return sum(values) / len(values)

# %% account
class Account:
    def __init__(self, owner):
        self.owner, self.balance = owner, 0

    def pay_in(self, amount):
        self.balance += amount
        return self

# %% lookup
word = table[1]
""",
    "ed-new-objects-instead-of-changed-ones": """
# %% drop-small
def drop_small(values, least):
    values = [v for v in values if v >= least]
    return values

# %% count-into
def count_into(counts, letters):
    counts = {letter: letters.count(letter) for letter in letters}

# %% normalise
def normalise(matrix):
    matrix -= matrix.mean(axis=0)
    matrix /= matrix.std(axis=0)
    return matrix

# %% weights
w = torch.ones(2, 3)

# %% softmax
def softmax(x):
    x.exp_()
    x /= x.sum()
    return x

# %% fill
def fill(x, value):
    x = x * 0 + value
""",
    "fay-prints-instead-of-returning": """
# %% mean
def mean(values):
    print(sum(values) / len(values))

# %% scale
def scale(values):
    for value in scaled(values):
        print(value)

# %% greet
def greet(name):
    return f'Hello, {name}!'

# %% read-scores
import csv
print(list(csv.reader(open('data/scores.csv'))))

# %% loopless
def total(values):
    t = 0
    for v in values:
        t += v
    return t
""",
    "gus-does-not-compile": """
# %% mean
def mean(values)
    return sum(values) / len(values)

# %% clip
def clip(value):
return value

# %% account
class Account:
    def __init__(self, owner:
        self.owner = owner

# %% magic
%time answer = 6 *
""",
    "hal-raises-and-divides-by-zero": """
# %% mean
def mean(values):
    if values[0] == 0:
        raise RuntimeError('zero')
    return sum(values) / len(values)

# %% scale
def scale(values):
    return 1 / 0

# %% limit
limit = 10
weights = [3, 2, 1]
raise KeyError('late')

# %% statistics
summary = {}
summary['mean'] = mean(weights)
ratio = undefined_name

# %% apply-twice
def apply_twice(function, value):
    return function.apply(value)
""",
    "ivy-leans-on-globals": """
# %% mean
calls = 0


def mean(values):
    global calls
    calls += 1
    return sum(values) / len(values)

# %% roll
def roll(sides):
    return rng.randrange(sides) + 1


rng = random.Random(1)

# %% clip
class TooLargeError(ValueError):
    pass


def clip(value):
    if not 0 <= value:
        raise ValueError('negative: ' + str(value))
    if value > globals()['limit']:
        raise TooLargeError(value)
    return value

# %% shuffle
np.random.seed(0)
sample = list(np.random.permutation(5))
sample = np.array(sample)

# %% plot
plt.plot([0, 1, 2], [0, 1, 4])
plt.xlabel('x')
axes = plt.gca()

# %% own-plot
plot_mine = [1, 2]
plot_mine

# %% explain
The sum, shared equally · 把总和平均分给每一个。
""",
    "jo-wrong-types": """
# %% mean
def mean(values):
    return str(sum(values) / len(values))

# %% normalise
def normalise(matrix):
    return [[-1.0, -1.0], [1.0, 1.0]]

# %% statistics
summary = {'mean': 2.0, 'range': [1, 3], 'even': {2}}
ratio = 0.5
flags = np.array([1, 0])
text = '平均'

# %% read-scores
scores = {'ann': 3.0, 'bob': 5.0, 'cy': 10.0}
best = ['cy']

# %% squares
def squares(n):
    return {k * k for k in range(n)}

# %% limit
limit = 10.0
weights = (3, 2, 1)

# %% shuffle
sample = np.arange(5)
""",
}

# Everybody else did not send these notebooks.
SENT_BY = {"tensors": ("ada-as-the-instructor", "bo-other-style", "ed-new-objects-instead-of-changed-ones")}


def answers(student: str, solutions: dict[str, str]) -> dict[str, str]:
    """Return a student's answers by grade id; an untouched cell is absent."""
    text = _TEXTS[student]
    if text == UNTOUCHED:
        return {}
    own = {}
    for piece in text.strip("\n").removeprefix("# %% ").split("\n# %% ") if text else []:
        name, _, body = piece.partition("\n")
        own[name] = body.strip("\n")
    return {name: body for name, body in (solutions | own).items() if body != "UNTOUCHED"}


STUDENTS = tuple(_TEXTS)
