"""Verdicts: what nbgrader would give, judged without the student's code, and what the student is told."""

import pytest

from autograde.course import Assignment
from autograde.executors import Finished
from autograde.outcome import Status, TestOutcome
from autograde.sandbox import Kind
from tests.engine.conftest import Start
from tests.engine.course_in_code import (
    answer,
    assignment,
    check,
    given,
    graded_answer,
    outcomes_of,
    points_of,
    prose,
    results_of,
    submission,
)

SOLUTION = """\
def area(width, height):
    check_side(width)
    return {'area': width * height}

def sort_in_place(items):
    items.sort()

def shout(text):
    print(text.upper())

def fail(kind):
    raise KeyError(kind)

def double_of(width):
    return area(2 * width, 1)['area']
"""

TASK = assignment(
    prose("# Areas"),
    given(
        "from math import isclose\n"
        "def check_side(x):\n"
        "    if x < 0:\n"
        "        raise ValueError('a side is negative')\n"
        "limit = 10"
    ),
    answer(SOLUTION, stub="def area(width, height):\n    raise NotImplementedError('TODO 1')"),
    check(
        "value",
        "assert area(2, 3) == {'area': 6}, 'area is width times height'\n"
        "### BEGIN HIDDEN TESTS\n"
        "assert area(4, 5)['area'] == 20, 'area of other rectangles'\n"
        "assert isclose(area(0.1, 0.2)['area'], 0.02)\n"
        "secret = 31337\n"
        "assert area(1, secret)['area'] == secret, f'got {area(1, secret)}'\n"
        "### END HIDDEN TESTS",
        4.0,
    ),
    check(
        "refuses",
        "try:\n    area(-1, 2)\nexcept ValueError as error:\n    assert 'negative' in str(error)\n"
        "else:\n    raise AssertionError('a negative side must be refused')",
        2.0,
    ),
    check("in_place", "numbers = [3, 1, 2]\nsort_in_place(numbers)\nassert numbers == [1, 2, 3]", 1.0),
    check(
        "printed",
        "import io\nfrom contextlib import redirect_stdout\nseen = io.StringIO()\n"
        "with redirect_stdout(seen):\n    shout('quiet')\nassert seen.getvalue() == 'QUIET\\n'",
        1.0,
    ),
    check("uses_earlier", "assert numbers[0] == 1 and seen.getvalue()", 1.0),
    check("calls_another", "assert double_of(3) == 6", 1.0),
    check(
        "partial", "good = sum(area(n, n)['area'] == n * n for n in range(4))\nround(good / 4 * 2, 1)", 2.0
    ),
    check(
        "noisy", "import sys, warnings\nprint('careful', file=sys.stderr)\nwarnings.warn('old')\nNone", 1.0
    ),
    answer("total = area(limit, 2)['area']\nwords = ['a', 'b']", grade_id="more"),
    check("variables", "assert total == 20 and words == ['a', 'b'] and limit == 10", 3.0),
    graded_answer("essay", "print('my own view')", "# write here", 5.0),
)

MORE = "total = area(limit, 2)['area']\nwords = ['a', 'b']"


def run(
    start: Start, kind: Kind, text: str, more: str = MORE, task: Assignment = TASK, **options: object
) -> Finished:
    job = submission(task, {"answer": text, "more": more}, **options)  # type: ignore[arg-type]
    (finished,) = start(task, kind).run([job])
    return finished


def test_the_solution_has_full_marks_and_the_plan_no_problems(start: Start, each_kind: Kind) -> None:
    executor = start(TASK, each_kind)
    assert [p for p in executor.plan.problems if "partial" not in p] == []
    assert not any(cell.shared for book in executor.plan.books for cell in book)
    points = points_of(run(start, each_kind, SOLUTION))
    assert points == {
        "value": 4.0, "refuses": 2.0, "in_place": 1.0, "printed": 1.0, "uses_earlier": 1.0, "calls_another": 1.0,
        "partial": 2.0, "noisy": 1.0, "variables": 3.0, "essay": 0.0,
    }  # fmt: skip


def test_a_stub_scores_zero_and_is_told_so(start: Start, each_kind: Kind) -> None:
    finished = run(start, each_kind, "def area(width, height):\n    raise NotImplementedError('TODO 1')", "")
    tests = results_of(finished)
    assert finished.result.score == 1.0  # the test that asks nothing of the answer
    assert tests["value"].outcome is TestOutcome.ERROR
    assert "not written yet" in tests["value"].message and "还没有完成" in tests["value"].message
    assert finished.result.status is Status.GRADED


def test_a_syntax_error_is_named_where_its_names_are_missed(start: Start, each_kind: Kind) -> None:
    broken = SOLUTION.replace("def area(width, height):", "def area(width, height)")
    tests = results_of(run(start, each_kind, broken))
    for grade_id in ("value", "calls_another"):
        assert tests[grade_id].outcome is TestOutcome.ERROR and tests[grade_id].points == 0.0
        assert "syntax error" in tests[grade_id].message and "语法错误" in tests[grade_id].message
    without = SOLUTION.replace("def area(width, height):", "def another(width, height):")
    assert "syntax error" not in results_of(run(start, each_kind, without))["value"].message


def test_a_failure_on_visible_lines_is_shown_with_its_line(start: Start, each_kind: Kind) -> None:
    tests = results_of(run(start, each_kind, SOLUTION.replace("width * height}", "width + height}")))
    assert tests["value"].outcome is TestOutcome.FAILED
    assert tests["value"].message.startswith("AssertionError: area is width times height")
    assert "area(2, 3) == {'area': 6}" in tests["value"].message
    assert tests["partial"].outcome is TestOutcome.PARTIAL and tests["partial"].points == 1.0


def test_a_hidden_failure_shows_a_constant_message_and_no_value(start: Start, each_kind: Kind) -> None:
    six = SOLUTION.replace("width * height}", "6}")
    assert results_of(run(start, each_kind, six))["value"].message == "area of other rectangles"
    clipped = SOLUTION.replace("width * height}", "min(width * height, 100)}")
    message = results_of(run(start, each_kind, clipped))["value"].message
    assert "hidden check" in message and "隐藏检查" in message
    assert "31337" not in message and "got" not in message and "100" not in message


def test_what_a_hidden_call_raises_is_not_shown(start: Start, each_kind: Kind) -> None:
    text = SOLUTION.replace(
        "    check_side(width)\n",
        "    if height == 5:\n        raise RuntimeError(f'called with {width} and {height}')\n",
    )
    test = results_of(run(start, each_kind, text))["value"]
    assert test.outcome is TestOutcome.ERROR
    assert "raised an exception" in test.message
    assert "RuntimeError" not in test.message and "called with" not in test.message
    own = text.replace("raise RuntimeError(", "raise type(f'Leak{width}', (ValueError,), {})(")
    assert results_of(run(start, each_kind, own))["value"].message == test.message


def test_what_a_visible_call_raises_is_shown(start: Start, each_kind: Kind) -> None:
    message = results_of(run(start, each_kind, SOLUTION.replace("width * height}", "width / 0}")))[
        "value"
    ].message
    assert "ZeroDivisionError: division by zero" in message and "area(2, 3)" in message


def test_an_answer_cell_that_is_graded_itself_waits_for_a_person(start: Start, each_kind: Kind) -> None:
    job = submission(TASK, {"answer": SOLUTION, "more": MORE, "essay": "print('my own view')"})
    (finished,) = start(TASK, each_kind).run([job])
    essay = results_of(finished)["essay"]
    assert essay.outcome is TestOutcome.MANUAL and essay.points is None
    assert finished.runs["book"][-1].outputs[0]["text"] == "my own view\n"


def test_a_value_that_cannot_cross_needs_a_person(start: Start, each_kind: Kind) -> None:
    finished = run(start, each_kind, SOLUTION.replace("{'area': width * height}", "object()"))
    tests = results_of(finished)
    assert tests["value"].outcome is TestOutcome.NEEDS_REVIEW and tests["value"].points is None
    assert finished.result.status is Status.NEEDS_REVIEW
    assert any(note.startswith("value: the answer cannot cross: object") for note in finished.result.notes)
    assert tests["printed"].points == 1.0


def test_a_variable_that_cannot_cross_needs_a_person(start: Start, each_kind: Kind) -> None:
    lie = "class Any:\n    def __eq__(self, other):\n        return True\ntotal = words = Any()"
    test = results_of(run(start, each_kind, SOLUTION, lie))["variables"]
    assert test.outcome is TestOutcome.NEEDS_REVIEW and test.points is None


def test_a_name_that_is_missing_is_an_error_of_that_test_alone(start: Start, each_kind: Kind) -> None:
    tests = results_of(run(start, each_kind, SOLUTION, "words = ['a', 'b']"))
    assert tests["variables"].outcome is TestOutcome.ERROR and "total" in tests["variables"].message
    assert tests["value"].points == 4.0


def test_a_syntax_error_costs_that_cell_alone(start: Start, each_kind: Kind) -> None:
    finished = run(
        start, each_kind, "def area(width, height)\n    return 1", "total = 20\nwords = ['a', 'b']"
    )
    assert points_of(finished)["variables"] == 3.0
    assert outcomes_of(finished)["value"] == "error"
    error = finished.runs["book"][2].outputs[0]
    assert error["output_type"] == "error" and error["ename"] == "SyntaxError"


def test_added_cells_run_where_they_are(start: Start, each_kind: Kind) -> None:
    job = submission(TASK, {"answer": SOLUTION, "more": "words = ['a', 'b']"}, added={12: "total = 20"})
    (finished,) = start(TASK, each_kind).run([job])
    assert points_of(finished)["variables"] == 3.0


def test_given_cells_are_the_instructors_whatever_the_student_made_of_them(
    start: Start, each_kind: Kind
) -> None:
    text = SOLUTION + "\ndef isclose(*_):\n    return True\nlimit = 1\n"
    tests = results_of(run(start, each_kind, text.replace("width * height}", "6}")))
    assert tests["value"].points == 0.0 and tests["variables"].points == 0.0


def test_runs_count_like_the_notebook_at_home(start: Start, each_kind: Kind) -> None:
    finished = run(start, each_kind, SOLUTION, added={2: "1 + 1"})
    counts = [cell.execution_count for cell in finished.runs["book"] if cell.execution_count]
    assert counts == sorted(counts) and counts[:3] == [1, 2, 3]
    assert finished.runs["book"][2].outputs == (
        {"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {}},
    )


@pytest.mark.parametrize("count", [7])
def test_many_submissions_each_have_their_own_result(start: Start, each_kind: Kind, count: int) -> None:
    jobs = [
        submission(
            TASK, {"answer": SOLUTION, "more": f"total = {20 + n % 2}\nwords = ['a', 'b']"}, student=f"s{n}"
        )
        for n in range(count)
    ]
    found = {f.result.student_id: points_of(f)["variables"] for f in start(TASK, each_kind).run(jobs)}
    assert found == {f"s{n}": 0.0 if n % 2 else 3.0 for n in range(count)}


COUNTED = assignment(
    answer("class Tally:\n    def total(self):\n        return 2.0"),
    check("shared-points", "tally = Tally()\nassert isinstance(tally, Tally)\ntally.total()", 2.0),
)


@pytest.mark.parametrize(
    ("returned", "outcome", "points"),
    [
        ("1.5", "partial", 1.5),
        ("__import__('numpy').float64(0)", "failed", 0.0),
        ("__import__('numpy').full(1, 2)", "passed", 2.0),
        ("__import__('fractions').Fraction(1, 2)", "partial", 0.5),
        ("float('nan')", "needs_review", None),
        ("-1", "needs_review", None),
        ("'2.0'", "needs_review", None),
        ("True", "needs_review", None),
        ("None", "needs_review", None),
        ("print('x' * 10**6) or 1.0", "partial", 1.0),
    ],
)
def test_points_are_numbers_in_shared_mode_too(
    start: Start, kind: Kind, returned: str, outcome: str, points: float | None
) -> None:
    executor = start(COUNTED, kind)
    assert executor.plan.problems == () and executor.plan.books[0][1].shared
    text = f"class Tally:\n    def total(self):\n        return {returned}"
    (finished,) = executor.run([submission(COUNTED, {"answer": text})])
    test = results_of(finished)["shared-points"]
    assert (test.outcome, test.points) == (outcome, points)


TALLIES = assignment(
    answer("class Tally:\n    total = 2"),
    check("visible", "tally = Tally()\nassert isinstance(tally, Tally)\nassert tally.total == 2"),
    check(
        "hidden",
        "tally = Tally()\n### BEGIN HIDDEN TESTS\nassert isinstance(tally, Tally)\n### END HIDDEN TESTS",
    ),
    check("late", "assert isinstance(Tally().total, int) and isinstance(tally, Tally)"),
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("class Tally:\n    total = 3", "AssertionError  ←  assert tally.total == 2"),
        (
            "class Tally:\n    pass",
            "AttributeError: 'Tally' object has no attribute 'total'  ←  assert tally",
        ),
        ("class Other:\n    pass", "NameError: name 'Tally' is not defined  ←  tally = Tally()"),
    ],
)
def test_a_shared_test_says_where_it_failed_if_the_student_can_read_it(
    start: Start, kind: Kind, text: str, shown: str
) -> None:
    executor = start(TALLIES, kind)
    assert executor.plan.problems == () and all(cell.shared for cell in executor.plan.books[0][1:])
    (finished,) = executor.run([submission(TALLIES, {"answer": text})])
    tests = results_of(finished)
    assert tests["visible"].message.startswith(shown)
    assert all("Tally" not in tests[name].message for name in ("hidden", "late"))


LISTS = assignment(
    answer("def evens(n):\n    return [k for k in range(n) if k % 2 == 0]\nfound = evens(5)"),
    check("returned", "assert list(evens(5)) == [0, 2, 4] and sorted(evens(1)) == [0]"),
    check("looped", "for k, even in zip(range(3), evens(6)):\n    assert even == 2 * k"),
    check("a_list", "assert evens(3) == [0, 2]"),
    check("variable", "assert isinstance(found, object)\nassert sum(found) == 6"),
    check("again", "assert list(found) == [0, 2, 4]"),
    given("total = sum(found)"),
    check("derived", "assert total == 6"),
)


@pytest.mark.parametrize(
    ("expression", "outcomes"),
    [
        ("[k for k in range(n) if k % 2 == 0]", "passed passed passed passed passed passed"),
        ("filter(lambda k: k % 2 == 0, range(n))", "passed passed failed passed failed needs_review"),
        ("(k for k in range(0, n, 2))", "passed passed failed passed failed needs_review"),
        ("reversed([k for k in range(n) if k % 2 == 0][::-1])", "passed passed failed passed failed needs_review"),
        ("dict.fromkeys(range(0, n, 2)).keys()", "passed passed failed passed passed passed"),
        ("map(int, 'x')", "error error error needs_review failed needs_review"),
        ("__import__('itertools').count(0, n and 2)", "needs_review needs_review needs_review error error error"),
    ],
)  # fmt: skip
def test_an_iterator_is_judged_by_what_it_gives(
    start: Start, kind: Kind, expression: str, outcomes: str
) -> None:
    text = f"def evens(n):\n    return {expression}\n"
    text += "" if "count" in expression else "found = evens(5)"
    (finished,) = start(LISTS, kind).run([submission(LISTS, {"answer": text})])
    assert " ".join(outcomes_of(finished).values()) == outcomes
