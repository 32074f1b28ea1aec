"""Instructor's cells that the examiner stops halfway: tests of what they compute earn nothing."""

import pytest

from autograde.examiner.names import changed_in_place
from autograde.sandbox import Kind
from tests.engine.conftest import Start
from tests.engine.course_in_code import answer, assignment, check, given, outcomes_of, submission

TASK = assignment(
    given("CASES = [(1, 2), (2, 4)]\nfailures = []"),
    answer("def f(x):\n    return 2 * x"),
    given("good = True\nfor x, want in CASES:\n    good = good and f(x) == want"),
    check("good", "assert good"),
    given("count = len(CASES) if good else 0"),
    check("through", "def enough():\n    return count == 2\nassert enough()"),
    given("for x, want in CASES:\n    if f(x) != want:\n        failures.append(x)"),
    check("filled", "assert failures == []"),
    check(
        "helps",
        "def near(a, b):\n    return abs(a - b) < 1e-9\nfine = True\nfor x, want in CASES:\n"
        "    fine = fine and near(f(x), want)\nassert fine",
    ),
    check("later", "assert fine"),
    check("own", "fine = near(2.0, 2.0)\nassert fine"),
    check("table", "table = [f(x) for x, _ in CASES[1:]]\nassert table == [4]"),
)


def outcomes(start: Start, kind: Kind, text: str) -> dict[str, str]:
    (finished,) = start(TASK, kind).run([submission(TASK, {"answer": text})])
    return outcomes_of(finished)


def test_the_right_answer_passes(start: Start, kind: Kind) -> None:
    assert set(outcomes(start, kind, "def f(x):\n    return 2 * x").values()) == {"passed"}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("class Odd:\n    pass\ndef f(x):\n    return Odd()", "needs_review"),
        ("import os\ndef f(x):\n    os._exit(0)", "error"),
        ("import time\ndef f(x):\n    time.sleep(60)", "timed_out"),
    ],
)
def test_what_a_stopped_cell_left_behind_passes_no_test(
    start: Start, kind: Kind, text: str, outcome: str
) -> None:
    found = outcomes(start, kind, text)
    assert found.pop("own") == "passed"  # its own value, and a function that is whole
    assert set(found.values()) == {outcome}


def test_an_exception_leaves_what_was_bound_as_in_a_notebook(start: Start, kind: Kind) -> None:
    found = outcomes(start, kind, "def f(x):\n    raise ValueError")
    assert found == {
        "good": "passed",
        "through": "passed",
        "filled": "passed",
        "helps": "error",
        "later": "passed",
        "own": "passed",
        "table": "error",
    }


def test_a_cell_that_came_to_its_end_counts_as_it_is(start: Start, kind: Kind) -> None:
    found = outcomes(start, kind, "def f(x):\n    return 2 * x if x == 2 else 0")
    assert found.pop("table") == found.pop("own") == "passed"
    assert set(found.values()) == {"failed"}


def test_what_a_cell_fills() -> None:
    source = "a.append(1)\nb[0] = 1\nc.x = 2\nfor k in d.items():\n    e[k].add(1)\n    f.sort"
    assert changed_in_place(source) == {"a", "b", "c"}
    assert changed_in_place("%magic") == frozenset()
