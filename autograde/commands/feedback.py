"""``feedback``: write each student's feedback pages."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from autograde.course import Assignment
from autograde.feedback import write_feedback
from autograde.layout import CourseLayout
from autograde.standing import Standing, read_standings
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
