"""On honest submissions our engine's points equal nbgrader's, test by test."""

import json

import pytest

from autograde.course import find_submissions
from autograde.executors import Job, LocalExecutor
from autograde.intake import admit
from tests.engine.conftest import why_no_sandbox
from tests.parity.conftest import CHAPTER_STUDENTS
from tests.parity.course import ASSIGNMENT, HAS_TORCH
from tests.parity.golden import Golden
from tests.parity.students import SENT_BY, STUDENTS


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


def graded_by_us(golden: Golden) -> dict[tuple[str, str, str], tuple[float | None, str]]:
    assignment = golden.assignment
    jobs = [
        Job(submission.student_id, admit(assignment, submission))
        for submission in find_submissions(golden.course, assignment.name)
    ]
    points = {}
    with LocalExecutor(assignment, jobs=2, sandbox="none" if why_no_sandbox() else "bwrap") as executor:
        for finished in executor.run(jobs):
            for book in finished.result.notebooks:
                for test in book.tests:
                    points[finished.result.student_id, book.name, test.grade_id] = (
                        test.points,
                        str(test.outcome),
                    )
    return points


def differences(golden: Golden) -> list[str]:
    """Compare test by test; what nbgrader leaves to a person must be `manual` with us."""
    ours = graded_by_us(golden)
    found = []
    for key, (score, manual) in golden.scores.items():
        points, outcome = ours[key]
        same = outcome == "manual" and points is None if manual else points == pytest.approx(score)
        if not same:
            found.append(f"{'/'.join(key)}: nbgrader {score} (manual: {manual}), ours {points} ({outcome})")
    return found


def test_engine_gives_nbgraders_points(golden: Golden) -> None:
    assert not (found := differences(golden)), "\n".join(found)


def test_engine_gives_nbgraders_points_on_our_chapter(golden_chapter: Golden) -> None:
    totals = dict.fromkeys(CHAPTER_STUDENTS, 0.0)
    for (student, _, _), (score, _) in golden_chapter.scores.items():
        totals[student] += score or 0
    assert totals["all-right"] == 100
    assert totals["untouched"] == 0
    assert 0 < totals["mostly-wrong"] < totals["half-right"] < 100
    assert not (found := differences(golden_chapter)), "\n".join(found)
