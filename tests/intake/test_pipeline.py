"""What the pipeline makes of a fault of ours in reading a submission."""

from pathlib import Path

import pytest

from autograde import grading
from autograde.commands.grade import grade_course
from autograde.course import Assignment, Submission
from autograde.errors import IntakeError
from autograde.intake import Intake, admit
from autograde.layout import CourseLayout
from autograde.outcome import Status
from tests.books import course


def test_a_fault_of_ours_costs_nobody_a_grade_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.write_source(tmp_path)
    for student in ("ann", "bob"):
        course.submit(tmp_path, student)

    def grade() -> dict[str, tuple[Status, float | None, bool]]:
        graded = grade_course(CourseLayout.of(tmp_path), course.ASSIGNMENT, course.FakeExecutor)
        return {g.result.student_id: (g.result.status, g.result.score, g.reused) for g in graded}

    def fails_on_bob(assignment: Assignment, submission: Submission) -> Intake:
        if submission.student_id == "bob":
            raise IntakeError("the grader failed to read this submission: KeyError")
        return admit(assignment, submission)

    with monkeypatch.context() as patched:
        patched.setattr(grading, "admit", fails_on_bob)
        results = grade()
    assert results["bob"] == (Status.INFRASTRUCTURE_ERROR, None, False)
    status, score, _ = results["ann"]
    assert (status, score) == (grade()["ann"][0], 5.0)
    assert grade()["bob"][:2] == (status, 5.0)
