"""The gradebook's rows are those that nbgrader itself writes."""

import shutil
from pathlib import Path

import pytest

from autograde.commands.grade import grade_course
from autograde.layout import CourseLayout
from tests.books import course
from tests.books.dump import dump


@pytest.fixture(scope="module")
def graded_twice(tmp_path_factory, nbgrader) -> tuple[Path, Path]:
    """One class graded by nbgrader and the same class graded by us, from empty gradebooks."""
    theirs = tmp_path_factory.mktemp("nbgrader")
    course.write_source(theirs)
    course.submit(theirs, "ann", course.RIGHT, timestamp="2026-11-02 10:00:00 UTC")
    course.submit(theirs, "bob", course.WRONG, essay="Explain doubling.")
    course.submit(theirs, "cy", "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()")
    ours = tmp_path_factory.mktemp("ours") / "course"
    shutil.copytree(theirs, ours)
    for arguments in (["generate_assignment", course.ASSIGNMENT], ["autograde", course.ASSIGNMENT]):
        done = nbgrader(theirs, *arguments)
        assert done.returncode == 0, done.stderr
    grade_course(CourseLayout.of(ours), course.ASSIGNMENT, course.FakeExecutor)
    return theirs, ours


def test_rows_equal_nbgraders(graded_twice):
    theirs, ours = (dump(root / "gradebook.db") for root in graded_twice)
    assert ours == theirs


def test_regrading_by_us_what_nbgrader_graded_changes_no_row(graded_twice, tmp_path):
    theirs, _ = graded_twice
    copy = tmp_path / "course"
    shutil.copytree(theirs, copy)
    before = dump(copy / "gradebook.db")
    grade_course(CourseLayout.of(copy), course.ASSIGNMENT, course.FakeExecutor)
    assert dump(copy / "gradebook.db") == before
