"""The plan: which tests need live objects is decided by the instructor's solution, never by a submission."""

import pytest

from autograde.examiner import Plan
from autograde.examiner.names import bound_and_needed
from autograde.executors import LocalExecutor
from autograde.sandbox import Kind
from tests.engine.conftest import SHORT, Start
from tests.engine.course_in_code import (
    answer,
    assignment,
    check,
    given,
    outcomes_of,
    points_of,
    results_of,
    submission,
)

LIVE = """\
import numpy as np
from math import isclose

class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)

def countdown(n):
    while n:
        yield n
        n -= 1

def apply(function, value):
    return function(value)

def scaled(x):
    return np.asarray(x) * factor

def noise():
    return np.random.rand()

def greet(name, *, loud=False):
    return name.upper() if loud else name

counter = 0
helper = isclose
"""

TASK = assignment(
    given("import inspect\nimport numpy as np\nimport random\nfactor = 3\nbase = [1, 2]\ndef triple(x):\n    return 3 * x"),
    answer(LIVE),
    check("class", "s = Stack()\ns.push(3)\nassert s.items == [3]"),
    check("generator", "assert list(countdown(3)) == [3, 2, 1]"),
    check("callback", "assert apply(lambda v: v + 1, 4) == 5"),
    check("source", "assert 'yield' in inspect.getsource(countdown)"),
    check("array", "assert np.array_equal(scaled([1, 2]), [3, 6])"),
    check("seeded", "np.random.seed(3)\nexpected = np.random.rand()\nnp.random.seed(3)\nassert noise() == expected"),
    check("signature", "assert list(inspect.signature(greet).parameters) == ['name', 'loud']\nassert greet('a', loud=True) == 'A'"),
    check("global", "factor = 5\nassert scaled(1) == 5"),
    check("library", "assert helper(1.0, 1.0 + 1e-12) and isclose(2, 2)"),
    check("loop", "for counter in range(3):\n    pass\nassert counter == 2"),
    check("library_callback", "import math\nassert apply(math.sqrt, 9.0) == 3.0 and apply(sorted, (2, 1)) == [1, 2]"),
    check("given_callback", "assert apply(triple, 4) == 12"),
    check("own_function", "assert apply(greet, 'b') == 'b'"),
    answer("base.append(3)\nfactor = 7", grade_id="rebind"),
    check("mutated", "assert base == [1, 2, 3]"),
    check("rebound", "assert factor == 7"),
)  # fmt: skip


def shared_tests(plan: Plan) -> set[str]:
    return {
        cell.grade_id or ""
        for book, cells in zip(TASK.notebooks, plan.books, strict=True)
        for cell, how in zip(book.cells, cells, strict=True)
        if how.shared
    }


def test_only_tests_of_live_objects_are_shared(start: Start, kind: Kind) -> None:
    plan = start(TASK, kind).plan
    assert plan.problems == ()
    assert shared_tests(plan) == {"class", "callback", "source", "global"}


def test_the_solution_has_full_marks_and_the_result_says_what_is_not_tamper_proof(
    start: Start, kind: Kind
) -> None:
    texts = {cell.grade_id: cell.source for cell in TASK.notebooks[0].cells if cell.role == "answer"}
    (finished,) = start(TASK, kind).run([submission(TASK, texts)])  # type: ignore[arg-type]
    assert all(points == 1.0 for points in points_of(finished).values()), results_of(finished)
    assert sum("not tamper-proof" in note for note in finished.result.notes) == 4


def test_a_shared_test_fails_a_wrong_answer(start: Start, kind: Kind) -> None:
    wrong = LIVE.replace("self.items.append(item)", "pass").replace("yield n", "yield 0")
    (finished,) = start(TASK, kind).run([submission(TASK, {"answer": wrong, "rebind": "pass"})])
    points = points_of(finished)
    assert points["class"] == points["generator"] == points["mutated"] == points["rebound"] == 0.0
    assert points["array"] == points["callback"] == 1.0


def test_a_library_that_the_answer_imports_is_not_the_students(start: Start, kind: Kind) -> None:
    patched = (
        LIVE
        + "\nimport math\ndef always(*_, **__):\n    return True\nmath.isclose = isclose = helper = always\n"
    )
    task = assignment(
        answer("from math import isclose\ndef f():\n    return 1"), check("t", "assert isclose(f(), 1)")
    )
    lie = (
        "import math\ndef isclose(*_, **__):\n    return True\nmath.isclose = isclose\ndef f():\n    return 2"
    )
    (finished,) = start(task, kind).run([submission(task, {"answer": lie})])
    assert points_of(finished)["t"] == 0.0
    (finished,) = start(TASK, kind).run([submission(TASK, {"answer": patched, "rebind": "base.append(3)"})])
    assert points_of(finished)["library"] == 1.0


IMPORTS = assignment(
    answer("from math import isclose, gcd as common", stub="# import them"), check("t", "assert isclose(common(4, 6), 2)")
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("from math import *\ncommon = gcd", 1.0),
        ("# import them", 0.0),
        ("import math", 0.0),
        ("from math import isclose", 0.0),
    ],
)
def test_an_import_that_is_asked_for_must_be_there(
    start: Start, kind: Kind, text: str, points: float
) -> None:
    (finished,) = start(IMPORTS, kind).run([submission(IMPORTS, {"answer": text})])
    assert points_of(finished)["t"] == points


def test_a_solution_that_fails_its_own_test_is_a_problem_of_the_plan(start: Start, kind: Kind) -> None:
    task = assignment(answer("x = 1"), check("right", "assert x == 1"), check("wrong", "assert x == 2"))
    problems = start(task, kind).plan.problems
    assert len(problems) == 1 and "wrong" in problems[0] and "full marks" in problems[0]


UNWRITTEN = assignment(
    given("tenth = 0.1"),
    answer("# YOUR CODE HERE\nraise NotImplementedError()", grade_id="value"),
    answer("def parts(...):\n    pass", grade_id="function"),
    given("double = 2 * value"),
    check("value_test", "assert value == 3 and double == 6 and tenth == 0.1"),
    check("function_test", "assert parts('ab') == ['a', 'b']"),
)


def test_where_the_solution_is_not_written_an_answer_is_judged_all_the_same(start: Start, kind: Kind) -> None:
    assert len(start(UNWRITTEN, kind).plan.problems) == 2
    right = {"value": "value = 3", "function": "parts = list"}
    slow = {"value": f"import time\ntime.sleep({SHORT.patience_seconds + 1})\nvalue = 3", "function": "pass"}
    wrong = {"value": "value = 4", "function": "def parts(text):\n    return text"}
    jobs = [
        submission(UNWRITTEN, answers, student=name)
        for name, answers in {"right": right, "slow": slow, "wrong": wrong, "untouched": {}}.items()
    ]
    points = {f.result.student_id: list(points_of(f).values()) for f in start(UNWRITTEN, kind).run(jobs)}
    assert points == {"right": [1, 1], "slow": [1, 0], "wrong": [0, 0], "untouched": [0, 0]}


LARGE = assignment(
    given("rows = [(n, n) for n in range(60_000)]"),
    answer("rows.append((1, 2))\ncount = len(rows)"),
    check("count", "assert count == 60_001"),
    check("rows", "assert rows[-1] == (1, 2) and len(rows) == 60_001"),
)


def test_a_change_in_what_is_too_large_to_compare_is_judged_all_the_same(start: Start, kind: Kind) -> None:
    executor = start(LARGE, kind)
    assert executor.plan.problems == ()
    assert [cell.shared for cell in executor.plan.books[0]] == [False, False, False, True]
    right, wrong = LARGE.notebooks[0].cells[1].source, "count = 60_001"
    jobs = [submission(LARGE, {"answer": text}, student=text[:4]) for text in (right, wrong)]
    points = {f.result.student_id: list(points_of(f).values()) for f in executor.run(jobs)}
    assert points == {"rows": [1, 1], "coun": [1, 0]}


def test_a_plan_travels_as_json_and_is_used_again(start: Start, kind: Kind) -> None:
    plan = Plan.from_json(start(TASK, kind).plan.to_json())
    assert plan == start(TASK, kind).plan
    with LocalExecutor(TASK, jobs=1, sandbox=kind, limits=SHORT, plan=plan) as executor:
        assert executor.plan == plan
        (finished,) = executor.run(
            [submission(TASK, {"answer": LIVE, "rebind": "base.append(3)\nfactor = 7"})]
        )
    assert finished.result.score == len(points_of(finished))


def test_a_plan_of_another_assignment_is_not_used(kind: Kind) -> None:
    task = assignment(answer("x = 1"), check("t", "assert x == 1"))
    with LocalExecutor(task, jobs=1, sandbox=kind, plan=Plan("another", ())) as executor:
        assert executor.plan.fingerprint == task.fingerprint


UNUSUAL = """\
from collections import namedtuple
Summary = namedtuple("Summary", "mean count")

def summary(values):
    return Summary(sum(values) / len(values), len(values))

def adder(n):
    def add(m):
        return n + m
    return add

def table():
    return {"add": adder(1)}

def first(values):
    for value in values:
        return value
    raise StopIteration
"""
GIVES = assignment(
    given("from collections import namedtuple\nWindow = namedtuple('Window', 'start count')"),
    answer(UNUSUAL),
    check("fields", "assert summary([1, 3]) == (2.0, 2) and summary([4]).count == 1"),
    check("returned", "assert adder(2)(3) == 5"),
    check("inside", "assert table()['add'](1) == 2"),
    check("stop", "try:\n    first([])\n    assert False\nexcept StopIteration:\n    pass"),
    check("plain", "assert first([2]) == 2"),
    check("argument", "windows = [Window(2, 1), Window(1, 1)]\nassert first(windows).start == 2"),
)


def test_what_the_solution_gives_a_submission_may_give(start: Start, kind: Kind) -> None:
    executor = start(GIVES, kind)
    assert executor.plan.problems == () and not any(cell.shared for cell in executor.plan.books[0])
    (finished,) = executor.run([submission(GIVES, {"answer": UNUSUAL})])
    assert set(points_of(finished).values()) == {1.0}, results_of(finished)


def test_what_the_solution_does_not_give_needs_review(start: Start, kind: Kind) -> None:
    other = (
        UNUSUAL.replace("return value\n", "return adder(value)\n")
        .replace("return n + m", "return {'sum': [adder(n)]}")
        .replace("mean count", "count index")
    )
    (finished,) = start(GIVES, kind).run([submission(GIVES, {"answer": other})])
    outcomes = outcomes_of(finished)
    assert [outcomes[name] for name in ("fields", "returned", "plain")] == ["needs_review"] * 3
    assert any("a named tuple with the fields count index" in note for note in finished.result.notes)


def test_a_given_named_tuple_may_come_back_though_the_solution_leaves_it(start: Start, kind: Kind) -> None:
    sorts = UNUSUAL.replace("    for value in values:", "    values.sort()\n    for value in values:")
    (finished,) = start(GIVES, kind).run([submission(GIVES, {"answer": sorts})])
    assert outcomes_of(finished)["argument"] == "failed"


FIGURES = assignment(
    given("import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2]);"),
    answer("def f(x):\n    calls.append(x)\n    return x\ncalls = []"),
    given("fig, (left, right) = plt.subplots(1, 2)\nleft.plot([f(1)])\nprint('drawn')\nplt.show()"),
    given("fig, ax = plt.subplots()\nax.plot([1, 2])\nlow, high = ax.get_xlim()\nplt.show()"),
    check("called", "assert calls == [1]\nassert f(2) == 2"),
)


def test_figures_that_nobody_looks_at_are_not_drawn_but_what_they_call_is_called(
    start: Start, kind: Kind
) -> None:
    plan = start(FIGURES, kind).plan
    assert plan.problems == ()
    (finished,) = start(FIGURES, kind).run(
        [submission(FIGURES, {"answer": FIGURES.notebooks[0].cells[1].source})]
    )
    assert points_of(finished) == {"called": 1.0}
    outputs = finished.runs["book"][2].outputs
    assert outputs[0]["text"] == "drawn\n"


@pytest.mark.parametrize(
    ("source", "bound", "needed"),
    [
        ("x = a + b", {"x"}, {"a", "b"}),
        ("x = 1\ny = x + z", {"x", "y"}, {"z"}),
        ("y = x\nx = 1", {"x", "y"}, {"x"}),
        ("def f(a):\n    b = a + c\n    return b", {"f"}, {"c"}),
        ("def f():\n    return g()\ndef g():\n    return h", {"f", "g"}, {"h"}),
        ("for i in rows:\n    print(i, j)", {"i"}, {"rows", "j", "print"}),
        ("total += 1", {"total"}, {"total"}),
        ("import os.path as p\nfrom m import n\nn(p)", {"p", "n"}, set()),
        ("[u for u in us if u > v]", set(), {"us", "v"}),
        ("%time f(x)", set(), {"time", "f", "x"}),
        ("class C(B):\n    k = K\n    def m(self):\n        return self.k + q", {"C"}, {"K", "q"}),
        ("if flag:\n    x = 1\nx", {"x"}, {"flag", "x"}),
        ("assert 变量 == 1", set(), {"变量"}),
    ],
)
def test_names_that_a_cell_binds_and_needs(source: str, bound: set[str], needed: set[str]) -> None:
    found_bound, found_needed = bound_and_needed(source)
    assert found_bound == bound
    assert needed <= found_needed
