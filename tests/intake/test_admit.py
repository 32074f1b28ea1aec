"""Admitting a submission: what passes through, and what happens when we ourselves fail."""

import sys

import pytest

from autograde.course import Assignment, Submission
from autograde.intake import admit
from tests.builder import filled


def test_an_honest_submission_is_laid_as_it_is(shapes: Assignment, honest: dict[str, bytes]) -> None:
    intake = admit(shapes, Submission("s", honest, {}, None, "", ""))
    assert (intake.repairs, intake.problems, intake.notes, intake.files) == ((), (), (), {})
    for source, laid in zip(shapes.notebooks, intake.notebooks, strict=True):
        assert [cell.source_index for cell in laid.cells] == list(range(len(source.cells)))
        assert [cell.cell_id for cell in laid.cells] == [cell.cell_id for cell in source.cells]


def test_an_untouched_release_needs_no_repair(shapes: Assignment) -> None:
    intake = admit(shapes, Submission("s", filled(shapes, {}), {}, None, "", ""))
    assert (intake.repairs, intake.problems, intake.notes) == ((), (), ())
    texts = [cell.text for cell in intake.notebooks[0].cells]
    assert texts == [cell.released for cell in shapes.notebooks[0].cells]


def test_students_files_travel_but_the_assignments_own_win(
    shapes: Assignment, honest: dict[str, bytes]
) -> None:
    extra = {"mine.py": b"x = 1", "data.csv": b"changed", "spare.ipynb": b"{}"}
    intake = admit(shapes, Submission("s", honest | extra, {}, None, "", ""))
    assert intake.files == {"mine.py": b"x = 1"}
    assert intake.notes == ("data.csv: replaced by the assignment's own file",)


def test_files_move_with_a_folder_that_holds_the_notebooks(
    shapes: Assignment, honest: dict[str, bytes]
) -> None:
    files = {f"week 3/{path}": content for path, content in (honest | {"mine.py": b"x = 1"}).items()}
    assert admit(shapes, Submission("s", files, {}, None, "", "")).files == {"mine.py": b"x = 1"}


def test_a_fault_of_ours_is_a_review_and_not_a_crash(
    shapes: Assignment, honest: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("bug\nhere")

    monkeypatch.setattr(sys.modules[admit.__module__], "choose", broken)
    intake = admit(shapes, Submission("s", honest, {}, None, "", ""))
    assert [book.name for book in intake.notebooks] == ["shapes", "words"]
    assert "the grader itself failed" in intake.problems[0]
    assert intake.problems[0].isprintable()
