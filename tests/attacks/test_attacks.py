"""Every attack of this folder earns nothing on what it attacks and leaves everything else as it was.

Each other file here is an answer cell whose first line says what it tries. All are harmless without a sandbox
too: signals go only to parents and children, forks, bytes and seconds are few, and no network is touched.
"""

from pathlib import Path

import pytest

from autograde.executors import Finished
from autograde.outcome import Status
from autograde.sandbox import Kind
from tests.engine.conftest import Start
from tests.engine.course_in_code import answer, assignment, check, given, points_of, results_of, submission

ATTACKS = sorted(
    path
    for path in Path(__file__).parent.glob("*.py")
    if path.stem not in ("__init__", "conftest") and not path.stem.startswith("test_")
)

RIGHT = """\
def spread(values):
    low, high = min(values), max(values)
    return {"low": low, "high": high, "spread": high - low}

def levels(values):
    return set(values)

def positive(value):
    return value > 0

def divmod(a, b):
    return a // b, a % b
"""
OTHER = "def double(x):\n    return 2 * x"
LATER = "print('later')"

TASK = assignment(
    given("TOLERANCE = 1e-9\ndef close(a, b):\n    return abs(a - b) <= TOLERANCE"),
    answer(OTHER, grade_id="bystander"),
    check("before", "assert double(4) == 8", 1.0),
    answer(RIGHT, grade_id="target"),
    check(
        "target-visible",
        "result = spread([3.0, 1.0, 2.0])\n"
        "assert result == {'low': 1.0, 'high': 3.0, 'spread': 2.0}, 'spread is high - low'\n"
        "assert close(result['spread'], 2.0)",
        3.0,
    ),
    check(
        "target-hidden",
        "# a rule of the text, on new values\n"
        "### BEGIN HIDDEN TESTS\n"
        "import numpy as np\n"
        "expected = {'low': 12346, 'high': 1000000, 'spread': 987654}  # a hidden spread\n"
        "assert spread([1000000, 500000, 12346]) == expected, 'spread of large values'\n"
        "assert np.isclose(spread([0.5, 0.25])['spread'], 0.25)\n"
        "### END HIDDEN TESTS",
        3.0,
    ),
    check(
        "target-arguments",
        "### BEGIN HIDDEN TESTS\nwindow = [2, 1]\nwant = spread(window)\n"
        "assert window == [2, 1] and want['spread'] == 1, 'arguments stay as they are'\n### END HIDDEN TESTS",
        1.0,
    ),
    check("target-hits", "hits = [spread([0, n])['spread'] == n for n in (1, 2, 4)]\nsum(hits) / 3 * 3", 3.0),
    check("target-distance", "3.0 - sum(abs(spread([0, n])['spread'] - n) for n in (1, 2, 4))", 3.0),
    check(
        "target-set",
        "### BEGIN HIDDEN TESTS\nfound = levels([12346, 7, 7])\n"
        "assert found.issubset({12346, 7}) and found.issuperset({12346, 7})\n### END HIDDEN TESTS",
        1.0,
    ),
    check("target-each", "assert all(map(positive, [1, 2])) and not any(map(positive, [-1, -2]))", 1.0),
    check("target-own", "assert divmod(7, 2) == (3, 1)", 1.0),
    answer(LATER, grade_id="later"),
    check("after", "assert double(21) == 42", 1.0),
)
TESTS = [cell for cell in TASK.notebooks[0].cells if cell.role == "test"]
TARGETS = tuple(cell.grade_id for cell in TESTS if str(cell.grade_id).startswith("target-"))


def run(start: Start, kind: Kind, text: str, later: str = LATER) -> Finished:
    job = submission(TASK, {"bystander": OTHER, "target": text, "later": later}, student="attacker")
    (finished,) = start(TASK, kind).run([job])
    return finished


def test_there_are_attacks_enough_and_each_says_what_it_tries() -> None:
    assert len(ATTACKS) >= 40
    for path in ATTACKS:
        first = path.read_text().splitlines()[0]
        assert first.startswith("# ") and len(first) > 20, path.name


def test_the_right_answer_has_full_marks(start: Start, kind: Kind) -> None:
    finished = run(start, kind, RIGHT)
    assert finished.result.score == 18.0 and finished.result.status is Status.GRADED
    assert start(TASK, kind).plan.problems == ()


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_earns_nothing_and_leaves_the_rest(start: Start, kind: Kind, path: Path) -> None:
    finished = run(start, kind, path.read_text())
    points = points_of(finished)
    assert not any(points[name] for name in TARGETS), results_of(finished)
    assert points["before"] == points["after"] == 1.0, results_of(finished)
    told = " ".join(result.message for result in results_of(finished).values())
    assert "987654" not in told and "12346" not in told
    shown = str(finished.runs)
    assert "987654" not in shown and "12346" not in shown


@pytest.mark.parametrize(
    "name", ["eq_always_true", "malformed_reply", "closes_every_descriptor", "background_process"]
)
def test_separation_does_not_need_the_sandbox(start: Start, name: str) -> None:
    test_an_attack_earns_nothing_and_leaves_the_rest(start, "none", Path(__file__).with_name(f"{name}.py"))


def test_the_class_of_an_exception_tells_nothing_of_hidden_inputs(start: Start, kind: Kind) -> None:
    text = (Path(__file__).parent / "class_of_error_tells_inputs.py").read_text()
    results = results_of(run(start, kind, text))
    told = {cell.grade_id: results[cell.grade_id].message for cell in TESTS}
    assert "IndexError" in told.pop("target-visible")  # before a hidden check: they see it at home too
    later = " ".join(told.values())
    assert "your code raised an exception" in later
    assert not any(name in later for name in ("Key", "Index", "ZeroDivision", "Overflow", "Lookup", "Arithm"))


def test_notes_and_messages_hold_no_escape_sequences(start: Start, kind: Kind) -> None:
    finished = run(start, kind, (Path(__file__).parent / "escapes_in_notes.py").read_text())
    assert any("cannot cross" in note and "all passed" in note for note in finished.result.notes)
    assert any("Wrong" in test.message for test in results_of(finished).values())
    for text in (*finished.result.notes, *(test.message for test in results_of(finished).values())):
        assert text.isprintable(), text


@pytest.mark.parametrize("kind_of_leak", ["variable", "file"])
def test_hidden_inputs_cannot_be_printed_later(start: Start, kind: Kind, kind_of_leak: str) -> None:
    text = (Path(__file__).parent / "prints_the_inputs_later.py").read_text()
    later = (
        "print('later', seen)" if kind_of_leak == "variable" else "print('later', open('seen.txt').read())"
    )
    finished = run(start, kind, text, later)
    shown = str(finished.runs["book"][-2].outputs)
    assert "12346" not in str(finished.runs)
    assert "later" in shown or "FileNotFoundError" in shown  # the cell did run, elsewhere


def test_hidden_inputs_cannot_be_printed_in_another_notebook(start: Start, kind: Kind) -> None:
    hidden = "### BEGIN HIDDEN TESTS\nassert f(12346) is None\n### END HIDDEN TESTS"
    task = assignment(
        answer("def f(x):\n    pass"),
        check("first", hidden),
        more={"second": [answer("print('own')", grade_id="second"), check("t", "assert True")]},
    )
    keeps = "def f(x):\n    open('kept.txt', 'a').write(str(x))"
    reads = "import os\nprint('own', os.path.exists('kept.txt') and open('kept.txt').read())"
    (finished,) = start(task, kind).run([submission(task, {"answer": keeps, "second": reads})])
    assert points_of(finished) == {"first": 1.0, "t": 1.0}
    assert "12346" not in str(finished.runs)
    assert "own" in str(finished.runs["second"][0].outputs)


def test_the_next_submission_is_untouched(start: Start, kind: Kind) -> None:
    jobs = [
        submission(TASK, {"bystander": OTHER, "target": RIGHT, "later": LATER}, student=f"honest{n}")
        if n % 2
        else submission(
            TASK, {"bystander": OTHER, "target": path.read_text(), "later": LATER}, student=f"attack{n}"
        )
        for n, path in enumerate(
            [
                p
                for p in ATTACKS
                if p.stem in ("background_process", "patched_builtins", "poisoned_module_cache")
            ]
            * 2
        )
    ]
    finished = {f.result.student_id: f for f in start(TASK, kind).run(jobs)}
    assert len(finished) == 6
    for student, done in finished.items():
        earned = {name: points for name, points in points_of(done).items() if points}
        if student.startswith("honest"):
            assert done.result.score == 18.0 and done.result.status is Status.GRADED
        else:
            assert earned == {"before": 1.0, "after": 1.0}
            review = done.result.status is Status.NEEDS_REVIEW
            assert done.result.score == (None if review else 2.0)
