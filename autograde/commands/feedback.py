"""``feedback``: write each student's feedback pages."""

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from autograde.course import Assignment, load_assignment, submitted_students
from autograde.errors import UsageError
from autograde.feedback import write_feedback
from autograde.gradebook import Gradebook
from autograde.layout import CourseLayout
from autograde.standing import Standing, class_standings
from autograde.streams import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("assignment", help="folder under source/")
    parser.add_argument("--student", action="append", metavar="ID", help="only this student (repeatable)")


def run(arguments: argparse.Namespace) -> int:
    """Write the pages, say where they lie; return the exit status."""
    layout = CourseLayout.of(arguments.course)
    assignment, standings = read_standings(layout, arguments.assignment, arguments.db, arguments.student)
    pages = write_class_feedback(layout, assignment, standings)
    say(f"{assignment.name}: feedback for {len(pages)} students under {layout.feedback_root}")
    return 0


def read_standings(
    layout: CourseLayout, name: str, db_url: str | None, students: Collection[str] | None = None
) -> tuple[Assignment, list[Standing]]:
    """Return an assignment and where its students stand.

    Raises:
        UsageError: Nothing has been graded yet, or one of `students` is not known.
    """
    assignment = load_assignment(layout.root, name)
    with Gradebook(db_url or layout.db_url, layout.course_id) as gradebook:
        standings = class_standings(
            layout, name, assignment.max_score, gradebook, submitted_students(layout.root, name)
        )
    if not any(standing.scores is not None for standing in standings):
        raise UsageError(f"nothing of {name} is graded yet: run `python -m autograde grade {name}` first")
    if students:
        known = {standing.student.id for standing in standings}
        if unknown := sorted(set(students) - known):
            raise UsageError(f"no such student: {', '.join(unknown)}; check --student and --course")
        standings = [standing for standing in standings if standing.student.id in students]
    return assignment, standings


def write_class_feedback(
    layout: CourseLayout, assignment: Assignment, standings: Sequence[Standing]
) -> list[Path]:
    """Write the pages of every student who was graded; return the main page of each."""
    return [
        write_feedback(
            layout.feedback(standing.student.id, assignment.name),
            assignment,
            standing,
            layout.autograded(standing.student.id, assignment.name),
        )[0]
        for standing in standings
        if standing.scores is not None
    ]
