"""On honest submissions our engine's points equal nbgrader's, test by test."""

import json

import pytest

from autograde.course import find_submissions
from autograde.executors import Job, LocalExecutor
from autograde.intake import admit
from autograde.outcome import SubmissionResult, TestOutcome
from tests.engine.conftest import why_no_sandbox
from tests.parity.conftest import CHAPTER_STUDENTS
from tests.parity.course import ASSIGNMENT, HAS_TORCH
from tests.parity.golden import Golden
from tests.parity.students import SENT_BY, STUDENTS

# Tests that look at objects which cannot cross as plain data, or at what a call does beside its answer.
SHARED = frozenset(
    [
        "account-refuses",
        "account-test",
        "aliasing",
        "apply-callback",
        "apply-twice-test",
        "ask-patched",
        "awaited-test",
        "captured-test",
        "class-hierarchy",
        "ctx-with",
        "data-class-test",
        "deco-decorates",
        "enum-test",
        "errors-own-class",
        "file-was-written",
        "linked-test",
        "loop-test",
        "loopless-test",
        "masked-test",
        "memo-fills-its-cache",
        "model-test",
        "object-array-test",
        "plot-gcf-test",
        "plot-test",
        "plotted-test",
        "point-attributes",
        "primes-generator",
        "reversed-list-test",
        "shell-test",
        "shout-patched",
        "solver-state-test",
        "squares-test",
        "structured-test",
        "uses-total-test",
        "wrote-test",
    ]
)


def test_our_release_is_nbgraders(golden: Golden) -> None:
    for book in golden.assignment.notebooks:
        path = golden.course / "release" / ASSIGNMENT / f"{book.name}.ipynb"
        cells = json.loads(path.read_bytes())["cells"]
        assert [made["id"] for made in cells] == [made.cell_id for made in book.cells]
        texts = [
            text if isinstance(text, str) else "".join(text) for text in (made["source"] for made in cells)
        ]
        assert texts == [made.released for made in book.cells]


def test_our_points_are_nbgraders(golden: Golden) -> None:
    theirs = {(who, book, name) for who, book, name in golden.scores}
    ours = {
        (student, book.name, cell.grade_id)
        for student in STUDENTS
        for book in golden.assignment.notebooks
        for cell in book.cells
        if cell.points
    }
    assert ours == theirs


def test_honest_submissions_need_no_repair(golden: Golden) -> None:
    submissions = list(find_submissions(golden.course, ASSIGNMENT))
    assert {s.student_id for s in submissions} == set(STUDENTS)
    for submission in submissions:
        intake = admit(golden.assignment, submission)
        assert (intake.repairs, intake.problems) == ((), ()), submission.student_id
        books = [book.name for book in golden.assignment.notebooks]
        absent = [name for name in books if submission.student_id not in SENT_BY.get(name, STUDENTS)]
        assert intake.notes == tuple(f"{name}.ipynb: not sent; its tests earn nothing" for name in absent)


def test_the_class_is_of_varying_quality(golden: Golden) -> None:
    totals = dict.fromkeys(STUDENTS, 0.0)
    for (student, _, _), (score, _) in golden.scores.items():
        totals[student] += score or 0
    assert max(totals, key=lambda student: totals[student]) == "ada-as-the-instructor"
    assert len(set(totals.values())) >= 8, totals


@pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed: the tensors notebook is left out")
def test_tensors_are_part_of_it(golden: Golden) -> None:
    assert "tensors" in {book.name for book in golden.assignment.notebooks}


def graded_by_us(golden: Golden) -> list[SubmissionResult]:
    assignment = golden.assignment
    jobs = [
        Job(submission.student_id, admit(assignment, submission))
        for submission in find_submissions(golden.course, assignment.name)
    ]
    with LocalExecutor(assignment, jobs=2, sandbox="none" if why_no_sandbox() else "bwrap") as executor:
        return [finished.result for finished in executor.run(jobs)]


@pytest.fixture(scope="module")
def ours(golden: Golden) -> list[SubmissionResult]:
    return graded_by_us(golden)


def differences(golden: Golden, results: list[SubmissionResult]) -> list[str]:
    """Compare test by test; what nbgrader leaves to a person must be `manual` with us."""
    tests = {
        (r.student_id, book.name, t.grade_id): t for r in results for book in r.notebooks for t in book.tests
    }
    found = []
    for key, (score, manual) in golden.scores.items():
        test = tests[key]
        by_hand = test.outcome == TestOutcome.MANUAL and test.points is None
        if not (by_hand if manual else test.points == pytest.approx(score)):
            found.append(
                f"{'/'.join(key)}: nbgrader {score} (manual: {manual}), ours {test.points} ({test.outcome})"
            )
    return found


def test_engine_gives_nbgraders_points(golden: Golden, ours: list[SubmissionResult]) -> None:
    assert not (found := differences(golden, ours)), "\n".join(found)


def test_only_what_needs_live_objects_is_shared(ours: list[SubmissionResult]) -> None:
    remark = ": runs beside the student's code (shared mode), so its score is not tamper-proof"
    shared = {note.removesuffix(remark) for result in ours for note in result.notes if note.endswith(remark)}
    assert shared <= SHARED


def test_engine_gives_nbgraders_points_on_our_chapter(golden_chapter: Golden) -> None:
    totals = dict.fromkeys(CHAPTER_STUDENTS, 0.0)
    for (student, _, _), (score, _) in golden_chapter.scores.items():
        totals[student] += score or 0
    assert totals["all-right"] == 100
    assert totals["untouched"] == 0
    assert 0 < totals["mostly-wrong"] < totals["half-right"] < 100
    assert not (found := differences(golden_chapter, graded_by_us(golden_chapter))), "\n".join(found)
