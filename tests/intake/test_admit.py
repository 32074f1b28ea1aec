"""Admitting a submission: what passes through, and what happens when we ourselves fail."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograde.course import Assignment, Submission, load_assignment
from autograde.errors import IntakeError
from autograde.intake import LaidNotebook, admit, apart
from tests.builder import answer, dump, filled, given, notebook, write_source


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


def test_an_empty_cell_without_an_id_is_no_repair_whatever_becomes_of_it(tmp_path: Path) -> None:
    book = notebook([given("setup", "x = 1"), given("room", ""), answer("y", "y = 2"), given("end", "")])
    for made in book["cells"]:
        del made["id"]
    book["nbformat_minor"] = 4
    task = load_assignment(write_source(tmp_path, "rooms", {"rooms": book}), "rooms")
    for text in ("", "print(x)", None):
        sent = json.loads(dump(book))
        sent["cells"][1]["source"] = text
        sent["cells"] = [made for made in sent["cells"] if made["source"] is not None]
        intake = admit(task, Submission("s", {"rooms.ipynb": dump(sent)}, {}, None, "", ""))
        assert (intake.repairs, intake.problems, intake.notes) == ((), (), ())
        assert [cell.text for cell in intake.notebooks[0].cells] == [made["source"] for made in sent["cells"]]


def test_a_plain_cell_without_an_id_that_was_tried_things_in_is_no_repair(tmp_path: Path) -> None:
    book = notebook([answer("y", "y = 2"), given("room", "# try it here\nprint(y)")])
    for made in book["cells"]:
        del made["id"]
    book["nbformat_minor"] = 4
    task = load_assignment(write_source(tmp_path, "rooms", {"rooms": book}), "rooms")
    for text in ("for k in range(9):\n    show = k", None):
        sent = json.loads(dump(book))
        sent["cells"][1:] = [{**sent["cells"][1], "source": text}] if text else []
        intake = admit(task, Submission("s", {"rooms.ipynb": dump(sent)}, {}, None, "", ""))
        assert intake.repairs == intake.problems == ()
        assert "the cell that begins with '# try it here'" in intake.notes[0]
        texts = [cell.text for cell in intake.notebooks[0].cells]
        assert texts == ["y = 2", "# try it here\nprint(y)", *([text] if text else [])]


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


def test_a_students_file_never_takes_the_place_of_a_folder(
    shapes: Assignment, honest: dict[str, bytes]
) -> None:
    assignment = replace(shapes, files={"data/in/x.csv": b"1", "notes.txt": b""})
    clashes = {"data": b"", "notes.txt/mine": b"", "shapes.ipynb/mine.txt": b""}
    fine = {"data/y.csv": b"", "data/in/z": b"", "mine": b""}
    intake = admit(assignment, Submission("s", honest | clashes | fine, {}, None, "", ""))
    assert intake.files == fine
    assert intake.notes == tuple(
        f"{path}: left out; another file or folder has its place" for path in clashes
    )
    lies_in_a_file = {"data/in/x.csv/mine": b"", "data/in": b""}
    assert admit(assignment, Submission("s", honest | lies_in_a_file, {}, None, "", "")).files == {}


@pytest.mark.parametrize("first", ["far", "near"])
def test_files_of_two_folders_that_fall_together(
    shapes: Assignment, honest: dict[str, bytes], first: str
) -> None:
    near = {f"w/{path}": content for path, content in (honest | {"a/b": b"near", "c": b"near"}).items()}
    far = {"a": b"far", "c": b"far", "c/d": b"far"}
    files = far | near if first == "far" else near | far
    intake = admit(shapes, Submission("s", files, {}, None, "", ""))
    assert intake.files == {"a/b": b"near", "c": b"near"}
    assert sum("left out" in note for note in intake.notes) == len(far)


def with_cell(honest: dict[str, bytes], **changes: object) -> dict[str, bytes]:
    book = json.loads(honest["shapes.ipynb"])
    (made,) = (made for made in book["cells"] if made["id"] == "area")
    made.update(changes)
    return honest | {"shapes.ipynb": json.dumps(book).encode()}


@pytest.mark.parametrize(("kind", "size"), [("code", 2**20), ("markdown", 16 * 2**20)])
def test_a_giant_cell_needs_review(
    shapes: Assignment, honest: dict[str, bytes], kind: str, size: int
) -> None:
    files = with_cell(honest, source="#" * (size + 1), cell_type=kind)
    intake = admit(shapes, Submission("s", files, {}, None, "", ""))
    assert intake.problems == (f"shapes.ipynb: a cell holds more than {size // 2**20} MiB of text",)
    files = with_cell(honest, source="#" * size, cell_type=kind)
    assert not admit(shapes, Submission("s", files, {}, None, "", "")).problems


def large(honest: dict[str, bytes]) -> Submission:
    """Return an honest submission with a large picture among its outputs."""
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 5 * 2**20}, "metadata": {}}
    return Submission("s", with_cell(honest, outputs=[picture]), {}, None, "", "")


def test_a_large_submission_is_admitted_apart_with_the_same_result(
    shapes: Assignment, honest: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_here(*_: object) -> None:
        raise KeyError("read in this process")

    expected = admit(shapes, Submission("s", honest, {}, None, "", ""))
    monkeypatch.setattr(sys.modules[admit.__module__], "admit_here", not_here)
    assert admit(shapes, large(honest)) == expected
    with pytest.raises(IntakeError, match="read in this process"):
        admit(shapes, Submission("s", honest, {}, None, "", ""))


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        ("CPU_SECONDS", 0, "of processor time"),
        ("WALL_SECONDS", 0.01, "reading it takes more than 0 s"),
        ("MEMORY_BYTES", 1, "too large to be read"),
    ],
)
def test_a_submission_that_costs_too_much_needs_review(
    shapes: Assignment,
    honest: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: float,
    says: str,
) -> None:
    monkeypatch.setattr(apart, limit, value)
    (problem,) = admit(shapes, large(honest)).problems
    assert says in problem


def test_a_fault_of_ours_in_the_other_process_is_an_error_of_ours(
    shapes: Assignment,
    honest: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture,
) -> None:
    monkeypatch.setattr(apart, "_COMMAND", "raise KeyError('bug')")
    with pytest.raises(IntakeError, match="the grader failed to read this submission: KeyError: 'bug'"):
        admit(shapes, large(honest))
    assert "Traceback" in capfd.readouterr().err


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_what_is_too_deep_or_too_large_needs_review(
    shapes: Assignment, honest: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def exhausted(*_: object) -> None:
        raise error

    monkeypatch.setattr(sys.modules[admit.__module__], "choose", exhausted)
    intake = admit(shapes, Submission("s", honest, {}, None, "", ""))
    assert [book.name for book in intake.notebooks] == ["shapes", "words"]
    assert "nested too deeply or too large" in intake.problems[0]


def test_a_fault_of_ours_is_an_error_of_ours(
    shapes: Assignment,
    honest: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("bug\nhere")

    monkeypatch.setattr(sys.modules[admit.__module__], "choose", broken)
    with pytest.raises(IntakeError, match=r"failed to read this submission: KeyError: .*bug") as e:
        admit(shapes, Submission("s", honest, {}, None, "", ""))
    assert str(e.value).isprintable()
    assert "in broken" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["rest", "rest/", "'rest\\n'", "rest.zip", "words.ipynb"])
def test_a_notebook_that_may_lie_in_what_was_not_read_is_not_a_zero(
    shapes: Assignment, honest: dict[str, bytes], path: str
) -> None:
    files = {"shapes.ipynb": honest["shapes.ipynb"]}
    refused = {path: "it was not read"}
    assert admit(shapes, Submission("s", files, {"data.csv": "too large"}, None, "", "")).problems == ()
    assert "cannot be used" in admit(shapes, Submission("s", files, refused, None, "", "")).problems[0]
