"""Admitting a submission: what passes through, and what happens when we ourselves fail."""

import json
import sys

import pytest

from autograde.course import Assignment, Submission
from autograde.intake import LaidNotebook, admit
from tests.builder import answer, dump, filled, given


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


def laid_with(shapes: Assignment, honest: dict[str, bytes], *cells: dict) -> LaidNotebook:
    """Lay the honest notebook with more cells after the answer ``area``."""
    book = json.loads(honest["shapes.ipynb"])
    place = next(i for i, made in enumerate(book["cells"]) if made["id"] == "area") + 1
    book["cells"][place:place] = cells
    return admit(shapes, Submission("s", honest | {"shapes.ipynb": dump(book)}, {}, None, "", "")).notebooks[
        0
    ]


def test_the_last_cell_that_defines_the_function_is_the_answer(
    shapes: Assignment, honest: dict[str, bytes]
) -> None:
    second = answer("area", "def area(width, height):\n    return height * width")
    third = answer("area", "area(1, 1)")
    laid = laid_with(shapes, honest, {**second, "id": "b"}, {**third, "id": "c"})
    texts = {cell.text: cell.cell_id for cell in laid.cells}
    assert texts[second["source"]] == "area"
    assert texts["area(1, 1)"] == "c"


def test_ids_of_own_cells_are_kept_where_they_are_free(shapes: Assignment, honest: dict[str, bytes]) -> None:
    own = [
        given(name, f"x = {k}") for k, name in enumerate(["mine", "area", "mine", "no id!", "added-9", "??"])
    ]
    laid = laid_with(shapes, honest, *own)
    ids = {cell.text: cell.cell_id for cell in laid.cells if cell.source_index is None}
    assert ids == {
        "x = 0": "mine",
        "x = 1": "added-5",
        "x = 2": "added-6",
        "x = 3": "added-7",
        "x = 4": "added-9",
        "x = 5": "added-9-again",
    }


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
