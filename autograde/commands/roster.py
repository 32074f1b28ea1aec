"""``roster``: put a class list into the gradebook."""

import argparse
from pathlib import Path

from autograde.gradebook import Gradebook
from autograde.layout import CourseLayout
from autograde.lock import course_lock
from autograde.roster import read_roster
from autograde.streams import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("file", type=Path, help="CSV with the columns id, first_name, last_name, email")


def run(arguments: argparse.Namespace) -> int:
    """Add or update the students; return the exit status."""
    students = read_roster(arguments.file)
    layout = CourseLayout.of(arguments.course)
    with (
        course_lock(layout.autograded_root),
        Gradebook(arguments.db or layout.db_url, layout.course_id) as gradebook,
    ):
        known = {student.id for student in gradebook.students()}
        gradebook.add_students(students)
    new = sum(student.id not in known for student in students)
    say(f"{len(students)} students on the roster, {new} of them new to the gradebook")
    left_over = sorted(known - {student.id for student in students})
    if left_over:
        say(f"in the gradebook but not on the roster: {', '.join(left_over)}")
    return 0
