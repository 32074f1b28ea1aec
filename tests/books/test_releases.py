"""After ``source/`` was changed, what students were given before is no fault of theirs."""

import json
from pathlib import Path

import pytest

from autograde.commands.grade import grade_course
from autograde.layout import CourseLayout
from autograde.outcome import Status, SubmissionResult
from tests.books import course

VISIBLE = "todo1-double-test-visible"


def grade(root: Path) -> dict[str, SubmissionResult]:
    graded = grade_course(CourseLayout.of(root), course.ASSIGNMENT, course.FakeExecutor)
    return {each.result.student_id: each.result for each in graded}


def correct(root: Path, text: str = "assert double(2) == 4, 'twice two is four'") -> None:
    books = course.source_books()
    books["alpha"]["cells"][3]["source"] = text
    course.write_source(root, books)


def edit(folder: Path, index: int, text: str, **meta: object) -> None:
    book = json.loads((folder / "alpha.ipynb").read_text())
    book["cells"][index]["source"] = text
    book["cells"][index]["metadata"]["nbgrader"] |= meta
    course.write(folder / "alpha.ipynb", book)


def test_a_corrected_test_is_a_note_and_a_changed_one_a_repair(root: Path) -> None:
    course.submit(root, "ann")
    edit(course.submit(root, "bob"), 3, "assert True")
    first = grade(root)
    assert (first["ann"].status, first["bob"].status) == (Status.GRADED, Status.GRADED_WITH_REPAIRS)
    correct(root)
    second = grade(root)
    assert (second["ann"].status, second["bob"].status) == (Status.GRADED, Status.GRADED_WITH_REPAIRS)
    assert second["ann"].repairs == () and second["bob"].repairs == first["bob"].repairs
    assert [note for note in second["ann"].notes if VISIBLE in note] == [
        f"alpha.ipynb: {VISIBLE}: as it was before source/ was changed; today's text is used"
    ]


def test_all_earlier_texts_count_and_a_text_that_came_back_is_todays(root: Path) -> None:
    course.submit(root, "ann")
    for text in ("assert 1", "assert 2", "assert 3"):
        grade(root)
        correct(root, text)
    assert grade(root)["ann"].status is Status.GRADED
    correct(root, "assert double(2) == 4")
    back = grade(root)["ann"]
    assert back.status is Status.GRADED and not any("before source/" in note for note in back.notes)


def test_a_stub_of_an_earlier_release_is_still_nobodys_answer(root: Path) -> None:
    course.submit(root, "ann", essay="Explain.\nYOUR ANSWER HERE")
    for question in ("Explain.", "Explain in your own words."):
        books = course.source_books()
        books["beta"]["cells"][0]["source"] = (
            f"{question}\n### BEGIN SOLUTION\nTwice as much.\n### END SOLUTION"
        )
        course.write_source(root, books)
        result = grade(root)["ann"]
        points = {test.grade_id: test.points for book in result.notebooks for test in book.tests}
        assert points["essay"] == 0.0


def test_what_a_submission_says_of_itself_proves_nothing(root: Path) -> None:
    from nbformat.notebooknode import from_dict
    from nbgrader.utils import compute_checksum

    folder = course.submit(root, "ann")
    edit(folder, 3, "assert True")
    cell = from_dict(json.loads((folder / "alpha.ipynb").read_text())["cells"][3])
    edit(folder, 3, "assert True", checksum=compute_checksum(cell))
    assert grade(root)["ann"].status is Status.GRADED_WITH_REPAIRS


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"alpha": 3}', b'{"alpha": {"x": 4}}', b"\xff"])
def test_a_damaged_memory_is_made_anew(root: Path, content: bytes) -> None:
    path = root / "autograded" / f".autograde.{course.ASSIGNMENT}.releases.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    course.submit(root, "ann")
    assert grade(root)["ann"].status is Status.GRADED
    assert VISIBLE in json.loads(path.read_bytes())["alpha"]
